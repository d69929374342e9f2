use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use skein_fixtures::Fixture;
use skein_standin::{CannedReply, StandIn};

use super::super::stand_in::effects;
use super::*;

#[test]
fn the_reason_for_a_file_that_is_not_sent_does_not_repeat_its_name() {
    let fixture = Fixture::new();
    let dir = fixture.path("work");
    fs::create_dir_all(dir.join("folder")).unwrap();
    fs::write(dir.join("large.txt"), "12345").unwrap();
    fs::write(fixture.path("secret.txt"), "1").unwrap();
    std::os::unix::fs::symlink(fixture.path("secret.txt"), dir.join("link.txt")).unwrap();
    let reason = |path: &str| file_error(&read_inside(&dir, path, 4).unwrap_err());
    assert_eq!(reason("missing.txt"), "no such file");
    assert_eq!(reason("folder"), "not a regular file");
    assert_eq!(reason("large.txt"), "larger than 4 bytes");
    assert_eq!(reason("link.txt"), "it is not in the session's directory");
}

#[tokio::test]
async fn a_file_failed_only_if_the_server_answers_otherwise() {
    for is_down in [false, true] {
        let server = StandIn::start(move |request| match request.path() {
            "POST /files" => CannedReply::unrecorded(500, "", "{}"),
            "GET /users/me/channels" if is_down => CannedReply::drop(),
            "GET /users/me/channels" => {
                CannedReply::ok(r#"[{"id": "direct", "type": "D", "last_post_at": 1}]"#)
            }
            line => panic!("{line}"),
        })
        .await;
        let (effects, _outcomes) = effects(&server, &Fixture::new());
        let (name, content) = ("a.txt".to_owned(), "text".to_owned());
        let file = Some(OutFile::Text { name, content });
        let (key, channel, text) = ("text:1".into(), "direct".into(), String::new());
        let draft = Draft { key, channel, root: Some("p1".into()), text, file };
        let Outcome::PostFailed { error, .. } = effects.create_post(draft).await else {
            panic!("the post was created");
        };
        let is_of_file = matches!(error, ChatError::FileFailed(_));
        assert_eq!((is_of_file, error == ChatError::Unreachable), (!is_down, is_down));
    }
}

#[test]
fn a_server_that_refuses_a_file_is_still_written_to() {
    let refused = mattermost::MattermostError::Forbidden { message: "no files".to_owned() };
    assert!(matches!(upload_error(&refused, true), ChatError::Rejected(_)));
    let (id, message) = (String::new(), "no files".to_owned());
    let disabled = mattermost::MattermostError::Rejected { status: 501, id, message };
    assert!(matches!(upload_error(&disabled, true), ChatError::Rejected(_)));
    assert_eq!(upload_error(&disabled, false), ChatError::Forbidden);
    let (id, message) = (String::new(), String::new());
    let busy = mattermost::MattermostError::Rejected { status: 503, id, message };
    assert_eq!(upload_error(&busy, true), ChatError::Unreachable);
    let (id, message) = (String::new(), "cannot store it".to_owned());
    let failed = mattermost::MattermostError::Rejected { status: 500, id, message };
    assert_eq!(upload_error(&failed, true), ChatError::FileFailed(failed.to_string()));
    assert_eq!(upload_error(&failed, false), ChatError::Forbidden);
}

const ROOT_REFUSED: &str =
    r#"{"id": "api.post.create_post.root_id.app_error", "message": "Invalid RootId parameter."}"#;
const EDIT_REFUSED: &str =
    r#"{"id": "api.context.permissions.app_error", "message": "no permission"}"#;

/// Tries to edit a post and to write a reply below it, which are both refused, and returns the causes.
async fn refused(channels: &'static str, post: Option<&'static str>) -> [ChatError; 2] {
    let server = StandIn::start(move |request| match request.path() {
        "PUT /posts/p1/patch" => CannedReply::unrecorded(403, "", EDIT_REFUSED),
        "POST /posts" => CannedReply::unrecorded(400, "", ROOT_REFUSED),
        "GET /users/me/channels" => CannedReply::ok(channels),
        "POST /posts/ids" => match post {
            Some(post) => CannedReply::ok(post),
            None => CannedReply::unrecorded(500, "", "{}"),
        },
        line => panic!("{line}"),
    })
    .await;
    let (effects, _outcomes) = effects(&server, &Fixture::new());
    let (key, channel) = (Key::from("answer:1"), ChannelId::from("c1"));
    let edited = effects.edit_post(key.clone(), channel.clone(), "p1".into(), String::new());
    let Outcome::EditFailed { error: edit, .. } = edited.await else { panic!("it was edited") };
    let (root, text) = (Some("p1".into()), String::new());
    let created = effects.create_post(Draft { key, channel, root, text, file: None });
    let Outcome::PostFailed { error, .. } = created.await else { panic!("it was created") };
    [edit, error]
}

#[tokio::test]
async fn a_refusal_is_looked_up_before_it_ends_anything() {
    const CHANNELS: &str = r#"[{"id": "c1", "type": "D", "last_post_at": 1}]"#;
    let post = |delete_at: u64| -> &'static str {
        format!(r#"[{{"id": "p1", "delete_at": {delete_at}}}]"#).leak()
    };
    assert_eq!(refused(CHANNELS, Some(post(1))).await, [ChatError::Gone, ChatError::Gone]);
    assert_eq!(refused(CHANNELS, Some("[]")).await, [ChatError::Missing, ChatError::Missing]);
    assert_eq!(refused("[]", Some("[]")).await, [ChatError::Forbidden, ChatError::Forbidden]);
    assert_eq!(refused(CHANNELS, None).await, [ChatError::Unreachable, ChatError::Unreachable]);
    let unexplained = refused(CHANNELS, Some(post(0))).await;
    assert!(unexplained.iter().all(|error| matches!(error, ChatError::Refused(_))));
}

#[tokio::test]
async fn a_file_that_is_refused_once_is_sent() {
    let uploads = AtomicUsize::new(0);
    let server = StandIn::start(move |request| match request.path() {
        "POST /files" if uploads.fetch_add(1, Ordering::SeqCst) == 0 => {
            CannedReply::unrecorded(403, "", EDIT_REFUSED)
        }
        "POST /files" => CannedReply::json(201, r#"{"file_infos": [{"id": "f1", "name": "a"}]}"#),
        "GET /users/me/channels" => {
            CannedReply::ok(r#"[{"id": "c1", "type": "D", "last_post_at": 1}]"#)
        }
        line => panic!("{line}"),
    })
    .await;
    let (effects, _outcomes) = effects(&server, &Fixture::new());
    let sent = effects.upload(&"c1".into(), "a.txt", b"text".to_vec()).await;
    assert_eq!(sent, Ok("f1".to_owned()));
}

#[tokio::test]
async fn a_post_that_is_left_out_is_asked_for_again() {
    let lookups = AtomicUsize::new(0);
    let server = StandIn::start(move |request| match request.path() {
        "POST /posts/ids" => match lookups.fetch_add(1, Ordering::SeqCst) {
            0 => CannedReply::ok(r#"[{"id": "p1", "delete_at": 0}]"#),
            _ => CannedReply::ok(r#"[{"id": "p2", "delete_at": 0}]"#),
        },
        "GET /users/me/channels" => {
            CannedReply::ok(r#"[{"id": "c1", "type": "D", "last_post_at": 1}]"#)
        }
        line => panic!("{line}"),
    })
    .await;
    let (effects, _outcomes) = effects(&server, &Fixture::new());
    let ids = vec!["p1".into(), "p2".into(), "p3".into()];
    let Outcome::PostsFetched { posts, gone, .. } = effects.fetch_posts("c1".into(), ids).await
    else {
        panic!("the posts could not be fetched");
    };
    let posts: Vec<_> = posts.iter().map(|post| post.id.as_str()).collect();
    assert_eq!((posts, gone), (vec!["p1", "p2"], vec![PostId::from("p3")]));
}

#[tokio::test]
async fn a_link_to_a_hidden_file_is_not_sent() {
    let server = StandIn::start(|request| panic!("{}", request.line)).await;
    let fixture = Fixture::new();
    let (effects, _outcomes) = effects(&server, &fixture);
    fs::create_dir_all(fixture.path("project/.git")).unwrap();
    fs::write(fixture.path("project/.env"), "KEY=1").unwrap();
    fs::write(fixture.path("project/.git/config"), "token").unwrap();
    fs::write(fixture.path("project/seen.txt"), "text").unwrap();
    fixture.link("project/notes.txt", ".env");
    fixture.link("project/data", ".git");
    fixture.link("project/link.txt", "seen.txt");
    let read = |path: &str| {
        let directory = fixture.path("project").display().to_string();
        let file = OutFile::Disk { directory, path: path.to_owned(), max_bytes: 100 };
        effects.read_file(file)
    };
    let hidden = Err("it is a hidden file, or in a hidden directory".to_owned());
    assert_eq!(read("notes.txt"), hidden);
    assert_eq!(read("data/config"), hidden);
    assert_eq!(read("link.txt"), Ok(("link.txt".to_owned(), b"text".to_vec())));
}
