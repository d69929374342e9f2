use std::sync::Mutex;

use serde_json::json;
use skein_standin::{CannedReply, StandIn};

use super::*;

const BUSY: &str = r#"{"ses_1": {"type": "busy"}}"#;
const IDLE: &str = "{}";
/// Of a server that is not there.
const FAILED: &str = "";

/// Runs a turn with a server that answers the prompt with a status, or not at all, and requests for the status of the
/// session with these texts, the last one again and again. Before the prompt the session is idle. The messages are the
/// prompt, if the server stores it.
async fn run_with(
    prompt: Option<u16>,
    is_stored: bool,
    statuses: Vec<&'static str>,
) -> (Result<(), TurnError>, usize) {
    let stored = message_id(1_000, None, "1").as_str().to_owned();
    let mut statuses = statuses.into_iter();
    let mut next = IDLE;
    let next_status = Mutex::new(move || {
        let status = next;
        next = statuses.next().unwrap_or(next);
        status
    });
    let server = StandIn::start(move |request| match request.path() {
        "GET /session/ses_1" => CannedReply::ok(json!({"id": "ses_1", "directory": "/src"})),
        "GET /session/status" => match (next_status.lock().unwrap())() {
            FAILED => CannedReply::drop(),
            status => CannedReply::ok(status),
        },
        "POST /session/ses_1/prompt_async" => match prompt {
            Some(status) => CannedReply::unrecorded(status, "", ""),
            None => CannedReply::drop(),
        },
        "GET /session/ses_1/message" if is_stored => {
            let info = json!({"id": stored, "sessionID": "ses_1", "role": "user",
                "time": {"created": 1_000}});
            CannedReply::ok(json!([{"info": info, "parts": []}]))
        }
        "GET /session/ses_1/message" => CannedReply::ok("[]"),
        line => panic!("{line}"),
    })
    .await;
    run_on(&server, Duration::from_mins(1)).await
}

/// Runs a turn. Returns how it ended, and how often the prompt was sent.
async fn run_on(server: &StandIn, limit: Duration) -> (Result<(), TurnError>, usize) {
    let request = TurnRequest {
        address: server.address().to_owned(),
        password: None,
        session: "ses_1".to_owned(),
        dir: "/src".to_owned(),
        prompt: "go".to_owned(),
        seed: "1".to_owned(),
        now: Time::from_millis(1_000),
    };
    let ended = run_within(&request, limit, Duration::from_millis(1)).await;
    (ended, server.lines().iter().filter(|line| line.starts_with("POST ")).count())
}

#[tokio::test]
async fn failed_requests_do_not_end_a_turn_that_was_sent() {
    let statuses = vec![FAILED, IDLE, FAILED, FAILED, BUSY, FAILED, FAILED, BUSY, IDLE];
    let (ended, prompts) = run_with(Some(204), true, statuses).await;
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!(prompts, 1);
}

#[tokio::test]
async fn a_turn_that_is_not_seen_to_begin_or_to_end_was_sent() {
    let (ended, _) = run_with(Some(204), true, vec![IDLE]).await;
    assert!(matches!(&ended, Err(error @ TurnError::NotStarted) if error.is_sent()), "{ended:?}");
    for statuses in [vec![FAILED], vec![BUSY, FAILED]] {
        let (ended, _) = run_with(Some(204), true, statuses).await;
        assert!(matches!(&ended, Err(error @ TurnError::Lost(_)) if error.is_sent()), "{ended:?}");
    }
}

#[tokio::test]
async fn a_prompt_that_is_refused_was_not_sent() {
    for status in [400, 401] {
        let (ended, _) = run_with(Some(status), false, vec![IDLE]).await;
        let error = ended.unwrap_err();
        assert!(matches!(error, TurnError::Server(_)) && !error.is_sent(), "{error:?}");
    }
}

#[tokio::test]
async fn a_prompt_whose_answer_is_lost_is_looked_for() {
    for prompt in [None, Some(502)] {
        let (ended, _) = run_with(prompt, true, vec![IDLE, BUSY, IDLE]).await;
        assert!(ended.is_ok(), "{ended:?}");
        // Another client works.
        let (ended, _) = run_with(prompt, false, vec![BUSY]).await;
        let error = ended.unwrap_err();
        assert!(matches!(error, TurnError::Server(_)) && !error.is_sent(), "{error:?}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_got_no_prompt() {
    let server = StandIn::start(|_| CannedReply::silence()).await;
    let (ended, prompts) = run_on(&server, Duration::from_millis(100)).await;
    assert!(matches!(&ended, Err(error @ TurnError::Unanswered) if !error.is_sent()), "{ended:?}");
    assert_eq!(prompts, 0);
}
