//! Requests that fail.

use serde_json::{Value, json};
use skein_mattermost::{MattermostError, NewPost};
use skein_standin::{CannedReply, StandIn};

use crate::stand_in::{FAST, TOKEN, client};

const PENDING: &str = r#"{"id": "api.post.deduplicate_create_post.pending", "message": "wait"}"#;

/// A limit is not JSON.
fn limit(seconds: u64) -> CannedReply {
    CannedReply::unrecorded(429, &format!("Retry-After: {seconds}\r\n"), "limit exceeded")
}

fn new_post(pending_post_id: &str) -> NewPost {
    NewPost {
        channel_id: "c1".into(),
        message: "hi".into(),
        pending_post_id: pending_post_id.into(),
        ..NewPost::default()
    }
}

#[tokio::test]
async fn a_rate_limit_in_plain_text_is_waited_for() {
    let server = StandIn::start(|request| match request.earlier {
        0..2 => limit(0),
        _ => CannedReply::ok(r#"{"id": "u1"}"#),
    })
    .await;
    assert_eq!(client(&server, FAST).me().await.unwrap().id, "u1");
    assert_eq!(server.lines(), ["GET /users/me"; 3]);
    assert_eq!(server.requests()[0].authorization, Some(format!("Bearer {TOKEN}")));
}

#[tokio::test]
async fn a_rate_limit_of_minutes_is_reported_at_once() {
    let server = StandIn::start(|_| limit(300)).await;
    let error = client(&server, FAST).create_post(&new_post("")).await.unwrap_err();
    assert!(
        matches!(error, MattermostError::RateLimited { retry_after } if retry_after.as_secs() == 300)
    );
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn a_post_that_is_still_being_created_is_asked_for_again() {
    let server = StandIn::start(|request| match request.earlier {
        0..2 => CannedReply::json(500, PENDING),
        _ => CannedReply::json(201, r#"{"id": "p1"}"#),
    })
    .await;
    assert_eq!(client(&server, FAST).create_post(&new_post("u1:k")).await.unwrap().id, "p1");
    let bodies: Vec<_> = server.requests().into_iter().map(|request| request.body).collect();
    let body = r#"{"channel_id":"c1","message":"hi","pending_post_id":"u1:k"}"#;
    assert_eq!(bodies, [body; 3]);
}

#[tokio::test]
async fn a_post_that_stays_pending_is_reported() {
    let server = StandIn::start(|_| CannedReply::json(500, PENDING)).await;
    let error = client(&server, FAST).create_post(&new_post("u1:k")).await.unwrap_err();
    assert!(matches!(error, MattermostError::Pending));
    assert_eq!(server.lines().len(), 5);
}

#[tokio::test]
async fn a_post_without_a_mark_is_not_sent_again_when_its_answer_is_lost() {
    let server = StandIn::start(|_| CannedReply::drop()).await;
    let error = client(&server, FAST).create_post(&new_post("")).await.unwrap_err();
    assert!(matches!(error, MattermostError::Unreachable(_)) && error.is_retryable());
    assert_eq!(server.lines().len(), 1);
    let server = StandIn::start(|_| CannedReply::unrecorded(502, "", "Bad gateway")).await;
    let error = client(&server, FAST).create_post(&new_post("")).await.unwrap_err();
    assert!(matches!(error, MattermostError::Rejected { status: 502, .. }));
    assert_eq!(server.lines().len(), 1);
}

#[tokio::test]
async fn a_marked_post_is_sent_again_when_its_answer_is_lost() {
    let server = StandIn::start(|request| match request.earlier {
        0 => CannedReply::drop(),
        1 => CannedReply::raw("HTTP/1.1 201 X\r\nContent-Length: 100\r\n\r\n{\"id\""),
        _ => CannedReply::json(201, r#"{"id": "p1"}"#),
    })
    .await;
    assert_eq!(client(&server, FAST).create_post(&new_post("u1:k")).await.unwrap().id, "p1");
    assert_eq!(server.lines().len(), 3);
}

#[tokio::test]
async fn a_marked_post_is_not_sent_again_when_the_server_may_have_forgotten_the_mark() {
    let server = StandIn::start(|request| match request.earlier {
        0 => CannedReply::drop(),
        _ => limit(29),
    })
    .await;
    let error = client(&server, FAST).create_post(&new_post("u1:k")).await.unwrap_err();
    assert!(matches!(error, MattermostError::RateLimited { .. }));
    assert_eq!(server.lines().len(), 2);
}

#[tokio::test]
async fn a_server_that_stays_down_is_given_up() {
    let server = StandIn::start(|_| CannedReply::unrecorded(503, "", "down")).await;
    let error = client(&server, FAST).post("p1").await.unwrap_err();
    assert_eq!(error.chain(), "the Mattermost server answered with status 503: down");
    assert_eq!(server.lines().len(), 5);
}

#[tokio::test]
async fn refusals_are_not_repeated() {
    for (status, expected) in [
        (400, "the Mattermost server answered with status 400: no"),
        (401, "the Mattermost server does not accept the token"),
        (403, "the Mattermost server does not permit this: no"),
        (404, "not found on the Mattermost server: no"),
    ] {
        let body = r#"{"id": "x", "message": "no"}"#;
        let server = StandIn::start(move |request| match request.line.as_str() {
            "GET /posts/p1" => CannedReply::json(status, body),
            _ => CannedReply::ok("{}"),
        })
        .await;
        let error = client(&server, FAST).post("p1").await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert_eq!(server.lines().iter().filter(|line| *line == "GET /posts/p1").count(), 1);
    }
}

#[tokio::test]
async fn a_server_without_its_database_is_not_taken_for_a_refusal_of_the_token() {
    let server = StandIn::start(|request| match (request.line.as_str(), request.earlier) {
        ("GET /users/me", 0) => CannedReply::json(401, r#"{"id": "x", "message": "Login"}"#),
        ("GET /users/me", _) => CannedReply::ok(r#"{"id": "u1"}"#),
        _ => CannedReply::unrecorded(500, "", r#"{"database_status": "UNHEALTHY"}"#),
    })
    .await;
    assert_eq!(client(&server, FAST).me().await.unwrap().id, "u1");
    let ping = "GET /system/ping?get_server_status=true";
    assert_eq!(server.lines(), ["GET /users/me", ping, "GET /users/me"]);
}

#[tokio::test]
async fn a_redirection_is_not_followed() {
    let server = StandIn::start(|_| {
        CannedReply::unrecorded(301, "Location: https://chat.example.com/\r\n", "")
    })
    .await;
    let error = client(&server, FAST).me().await.unwrap_err();
    let expected = "the Mattermost server answered with status 301: \
        the address has moved to https://chat.example.com/";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn an_answer_of_another_program_is_not_understood() {
    let server = StandIn::start(|_| CannedReply::unrecorded(200, "", "<html>hello</html>")).await;
    let error = client(&server, FAST).me().await.unwrap_err();
    assert!(matches!(error, MattermostError::Protocol(_)) && !error.is_retryable());
}

#[tokio::test]
async fn a_file_over_the_limit_is_not_read_to_its_end() {
    let server = StandIn::start(|_| CannedReply::unrecorded(200, "", &"x".repeat(100))).await;
    let client = client(&server, FAST);
    assert_eq!(client.download("f1", 100).await.unwrap().len(), 100);
    let error = client.download("f1", 99).await.unwrap_err();
    assert!(matches!(error, MattermostError::TooLarge { max: 99 }));
}

#[tokio::test]
async fn users_are_asked_for_by_their_ids_in_one_request() {
    let users = r#"[{"id": "u1", "delete_at": 7}, {"id": "u2"}]"#;
    let server = StandIn::start(move |_| CannedReply::ok(users)).await;
    let found = client(&server, FAST).users(&["u1", "u2", "u3"]).await.unwrap();
    let found: Vec<_> = found.iter().map(|user| (user.id.as_str(), user.delete_at)).collect();
    assert_eq!(found, [("u1", 7), ("u2", 0)]);
    assert_eq!(server.lines(), ["POST /users/ids"]);
    assert_eq!(server.requests()[0].body, r#"["u1","u2","u3"]"#);
}

#[tokio::test]
async fn posts_are_asked_for_by_their_ids_in_several_requests() {
    let server = StandIn::start(|request| match request.earlier {
        0 => CannedReply::ok(r#"[{"id": "p1"}, {"id": "p2", "delete_at": 7}]"#),
        1 => CannedReply::json(404, r#"{"id": "x", "message": "none"}"#),
        _ => CannedReply::ok("[]"),
    })
    .await;
    let ids: Vec<_> = (0..2001).map(|n| format!("p{n}")).collect();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    let found = client(&server, FAST).posts(&ids).await.unwrap();
    let found: Vec<_> = found.iter().map(|post| (post.id.as_str(), post.delete_at)).collect();
    assert_eq!(found, [("p1", 0), ("p2", 7)]);
    assert_eq!(server.lines(), ["POST /posts/ids"; 3]);
    assert_eq!(server.requests()[2].body, r#"["p2000"]"#);
    assert!(client(&server, FAST).posts(&[]).await.unwrap().is_empty());
}

/// A list of posts whose ids are their numbers; each two have the same time.
fn post_list(numbers: impl DoubleEndedIterator<Item = usize> + Clone) -> String {
    let id = |n: usize| format!("p{n:04}");
    let posts = numbers.clone().map(|n| (id(n), json!({"id": id(n), "create_at": 10_000 + n / 2})));
    let posts: serde_json::Map<String, Value> = posts.collect();
    let order: Vec<_> = numbers.rev().map(id).collect();
    json!({ "order": order, "posts": posts }).to_string()
}

#[tokio::test]
async fn a_list_of_changes_that_is_cut_off_is_completed_from_the_pages() {
    // Of 1,501 posts the server returns any 1,000 as changed, and pages of 200 by time. A page boundary is between two
    // posts of the same time.
    let server = StandIn::start(|request| {
        let (_, query) = request.line.split_once('?').unwrap();
        if query.contains("since=") {
            return CannedReply::ok(post_list(200..1200));
        }
        let end = match query.split_once("before=p") {
            Some((_, id)) => id.parse::<usize>().unwrap() / 2 * 2,
            None => 1501,
        };
        CannedReply::ok(post_list(end.saturating_sub(200)..end))
    })
    .await;
    let changes = client(&server, FAST).posts_since("c1", 10_000 + 5_050).await.unwrap();
    assert!(!changes.complete);
    let ids: Vec<_> = changes.posts.iter().map(|post| post.id.clone()).collect();
    // Those of the time 10,050 and before are not asked for.
    let mut expected: Vec<_> = (102..1501).map(|n| format!("p{n:04}")).collect();
    expected.sort();
    assert_eq!(ids, expected);
    assert_eq!(server.lines()[0], "GET /channels/c1/posts?since=10050");
}
