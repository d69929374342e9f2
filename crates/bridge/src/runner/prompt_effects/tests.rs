use skein_fixtures::Fixture;
use skein_standin::{CannedReply, StandIn};

use super::super::stand_in::{effects, requests};
use super::*;

const COMMANDS: &str = r#"[{"name": "init"}, {"name": "review"}]"#;
const MISSING: &str = r#"{"name": "NotFoundError", "data": {"message": "Message not found"}}"#;
const MESSAGE: &str = r#"{"info": {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}},
    "parts": []}"#;

fn request(fixture: &Fixture, name: &str, files: Vec<Attachment>) -> PromptRequest {
    PromptRequest {
        post: "post1".into(),
        session: "ses_1".into(),
        directory: fixture.path("project").to_str().unwrap().to_owned(),
        message: "msg_1".into(),
        body: Body::Command { name: name.to_owned(), arguments: "all of it".to_owned() },
        model: Some("scripted/two".to_owned()),
        agent: Some("plan".to_owned()),
        files,
    }
}

/// Sends a command to a server that answers it and the look-up of its message in this way.
async fn run(name: &str, command: Option<u16>, message: &'static str) -> (Outcome, Vec<String>) {
    let server = StandIn::start(move |request| match request.path() {
        "GET /command" => CannedReply::ok(COMMANDS),
        "POST /session/ses_1/command" => match command {
            None => CannedReply::drop(),
            // A proxy may refuse a request.
            Some(400) => CannedReply::unrecorded(400, "", ""),
            Some(status) => CannedReply::json(status, "{}"),
        },
        "GET /session/ses_1/message/msg_1" if message == MISSING => CannedReply::json(404, message),
        "GET /session/ses_1/message/msg_1" => CannedReply::ok(message),
        line => panic!("{line}"),
    })
    .await;
    let fixture = Fixture::new();
    let (effects, _outcomes) = effects(&server, &fixture);
    let outcome = effects.prompt(request(&fixture, name, Vec::new())).await;
    (outcome, requests(&server))
}

#[tokio::test]
async fn a_command_is_accepted_when_opencode_says_so() {
    let (outcome, requests) = run("init", Some(200), MISSING).await;
    assert!(matches!(outcome, Outcome::PromptAccepted { .. }), "{outcome:?}");
    assert!(requests[1].starts_with("POST /session/ses_1/command "), "{requests:?}");
    let (outcome, _) = run("init", None, MISSING).await;
    let error = AgentError::Unreachable;
    assert!(matches!(&outcome, Outcome::PromptFailed { error: one, .. } if *one == error));
}

#[tokio::test]
async fn a_command_that_opencode_does_not_have_is_not_sent() {
    let (outcome, requests) = run("nothing", Some(200), MISSING).await;
    let error = AgentError::Rejected("it has no command /nothing".to_owned());
    assert!(matches!(&outcome, Outcome::PromptFailed { error: one, .. } if *one == error));
    assert_eq!(requests, ["GET /command"]);
}

#[tokio::test]
async fn a_command_that_fails_is_refused_unless_opencode_has_its_message() {
    for status in [400, 500] {
        let (outcome, _) = run("init", Some(status), MISSING).await;
        let Outcome::PromptFailed { error: AgentError::Rejected(reason), .. } = &outcome else {
            panic!("{outcome:?}");
        };
        assert!(reason.contains(&status.to_string()), "{reason}");
        let (outcome, _) = run("init", Some(status), MESSAGE).await;
        assert!(matches!(outcome, Outcome::PromptAccepted { .. }), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_command_has_the_model_the_agent_and_the_files_of_its_post() {
    let server = StandIn::start(|request| match request.path() {
        "GET /command" => CannedReply::ok(COMMANDS),
        "GET /files/f1" | "GET /files/f2" => CannedReply::unrecorded(200, "", "abc"),
        _ => CannedReply::ok("{}"),
    })
    .await;
    let fixture = Fixture::new();
    let (effects, _outcomes) = effects(&server, &fixture);
    let file = |id: &str, name: &str, delivery| Attachment {
        file: id.into(),
        name: name.to_owned(),
        delivery,
        max_bytes: 10,
    };
    let files = vec![
        file("f1", "a.png", Delivery::Part { mime: "image/png".to_owned() }),
        file("f2", "b.txt", Delivery::Saved),
    ];
    let outcome = effects.prompt(request(&fixture, "review", files)).await;
    assert!(matches!(outcome, Outcome::PromptAccepted { .. }), "{outcome:?}");
    let saved = fixture.path("files/post1/b.txt");
    assert_eq!(fixture.read("files/post1/b.txt"), "abc");
    let requests = requests(&server);
    let body = requests.last().unwrap().split_once(' ').unwrap().1.split_once(' ').unwrap().1;
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["messageID"], "msg_1");
    assert_eq!((&body["command"], &body["agent"]), (&"review".into(), &"plan".into()));
    assert_eq!(body["model"], "scripted/two");
    let arguments = format!("all of it\n\n[Attached file: {}]", saved.display());
    assert_eq!(body["arguments"], arguments);
    assert_eq!(body["parts"][0]["url"], "data:image/png;base64,YWJj");
    assert_eq!(body["parts"].as_array().unwrap().len(), 1);
}

fn saved(id: &str, name: &str) -> Attachment {
    let (file, name) = (id.into(), name.to_owned());
    Attachment { file, name, delivery: Delivery::Saved, max_bytes: 10 }
}

#[tokio::test]
async fn a_prompt_whose_file_cannot_be_downloaded_now_is_not_sent() {
    let busy = || CannedReply::unrecorded(429, "retry-after: 60\r\n", "");
    // For other requests too.
    let broken = || CannedReply::unrecorded(500, "", "");
    let replies = [CannedReply::drop, || CannedReply::unrecorded(503, "", ""), broken, busy];
    for reply in replies {
        let server = StandIn::start(move |_| reply()).await;
        let fixture = Fixture::new();
        let (effects, _outcomes) = effects(&server, &fixture);
        let files = vec![saved("f1", "a.txt")];
        let outcome = effects.prompt(request(&fixture, "review", files)).await;
        let error = AgentError::Undelivered;
        assert!(matches!(&outcome, Outcome::PromptFailed { error: one, .. } if *one == error));
        assert!(requests(&server).iter().all(|line| line.starts_with("GET ")));
    }
}

#[tokio::test]
async fn a_prompt_is_sent_without_files_that_cannot_be_read_which_are_named() {
    let server = StandIn::start(|request| match request.path() {
        "GET /files/f1" => CannedReply::unrecorded(404, "", r#"{"message": "not there"}"#),
        "GET /files/f2" => CannedReply::unrecorded(500, "", r#"{"message": "no storage"}"#),
        "GET /files/f3" => CannedReply::unrecorded(200, "", "abc"),
        "GET /command" => CannedReply::ok(COMMANDS),
        _ => CannedReply::ok("{}"),
    })
    .await;
    let fixture = Fixture::new();
    let (effects, mut outcomes) = effects(&server, &fixture);
    let files = vec![saved("f1", "a.txt"), saved("f2", "b.txt"), saved("f3", "c.txt")];
    let outcome = effects.prompt(request(&fixture, "review", files)).await;
    assert!(matches!(outcome, Outcome::PromptAccepted { .. }), "{outcome:?}");
    let Ok(Input::Outcome(Outcome::FilesMissing { session, files, .. })) = outcomes.try_recv()
    else {
        panic!("no file is missing");
    };
    let files: Vec<_> = files.iter().map(|one| (one.name.as_str(), one.reason.as_str())).collect();
    let expected = [
        ("a.txt", "not found on the Mattermost server: not there"),
        ("b.txt", "the Mattermost server answered with status 500: no storage"),
    ];
    assert_eq!((session, files), ("ses_1".into(), expected.to_vec()));
    assert!(outcomes.try_recv().is_err());
}

#[tokio::test]
async fn a_directory_that_is_gone_or_has_become_a_link_gets_no_prompt() {
    let server = StandIn::start(|request| panic!("{}", request.line)).await;
    let fixture = Fixture::new();
    let (effects, _outcomes) = effects(&server, &fixture);
    let prompt = async || {
        let body = Body::Text("go".to_owned());
        let request = PromptRequest { body, ..request(&fixture, "", Vec::new()) };
        match effects.prompt(request).await {
            Outcome::PromptFailed { error: AgentError::Rejected(reason), .. } => reason,
            outcome => panic!("{outcome:?}"),
        }
    };
    std::fs::remove_dir(fixture.path("project")).unwrap();
    assert_eq!(prompt().await, "the directory does not exist");
    fixture.link("project", fixture.dir("secret"));
    assert_eq!(prompt().await, "the directory is a link to one that is not allowed");
}

#[tokio::test]
async fn a_file_that_is_refused_without_a_database_is_read_later() {
    for is_healthy in [true, false] {
        let downloads = std::sync::atomic::AtomicUsize::new(0);
        let server = StandIn::start(move |request| match request.path() {
            "GET /files/f1" => match downloads.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
                0 => CannedReply::unrecorded(403, "", r#"{"message": "no permission"}"#),
                _ => CannedReply::unrecorded(200, "", "abc"),
            },
            "GET /system/ping" if !is_healthy => CannedReply::unrecorded(500, "", "{}"),
            "GET /command" => CannedReply::ok(COMMANDS),
            _ => CannedReply::ok("{}"),
        })
        .await;
        let fixture = Fixture::new();
        let (effects, mut outcomes) = effects(&server, &fixture);
        let files = vec![saved("f1", "a.txt")];
        let outcome = effects.prompt(request(&fixture, "review", files)).await;
        assert_eq!(matches!(outcome, Outcome::PromptAccepted { .. }), is_healthy, "{outcome:?}");
        let error = AgentError::Undelivered;
        let is_undelivered =
            matches!(&outcome, Outcome::PromptFailed { error: one, .. } if *one == error);
        assert_eq!(is_undelivered, !is_healthy);
        assert!(outcomes.try_recv().is_err());
    }
}

#[tokio::test]
async fn a_short_text_is_a_part_of_the_prompt_and_other_files_have_a_path() {
    let server = StandIn::start(|request| match request.path() {
        "GET /files/f1" => CannedReply::unrecorded(200, "", "one\n```\ntwo\n"),
        "GET /files/f2" => CannedReply::unrecorded(200, "", "a\0b"),
        "GET /files/f3" => CannedReply::unrecorded(200, "", &"x".repeat(MAX_INLINE_BYTES + 1)),
        _ => CannedReply::unrecorded(204, "", ""),
    })
    .await;
    let fixture = Fixture::new();
    let (effects, _outcomes) = effects(&server, &fixture);
    let file = |id, name| Attachment { max_bytes: 1_000_000, ..saved(id, name) };
    let files = vec![file("f1", "a.txt"), file("f2", "b.bin"), file("f3", "c.log")];
    let body = Body::Text("look".to_owned());
    let request = PromptRequest { body, ..request(&fixture, "", files) };
    let outcome = effects.prompt(request).await;
    assert!(matches!(outcome, Outcome::PromptAccepted { .. }), "{outcome:?}");
    let requests = requests(&server);
    let body = requests.last().unwrap().splitn(3, ' ').nth(2).unwrap();
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let path = |name: &str| fixture.path(&format!("files/post1/{name}")).display().to_string();
    let expected = format!(
        "look\n\n[Attached file: a.txt]\n````\none\n```\ntwo\n````\n\n[Attached file: {}]\n\n[Attached file: {}]",
        path("b.bin"),
        path("c.log")
    );
    assert_eq!(body["parts"][0]["text"], expected);
    assert_eq!(body["parts"].as_array().unwrap().len(), 1);
}
