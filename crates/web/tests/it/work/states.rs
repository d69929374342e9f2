//! Whether work is open, taken, done or cancelled.

use serde_json::{Value, json};

use super::pages::check;
use super::{FIRST, get, place, post, put, read};
use crate::place::Place;

fn lock(place: &Place, id: &str) {
    let lock = json!({
        "version": 1, "thread_id": id, "session_id": "s1", "generation": "1", "taken_by": "Codex",
        "resumed_at": "2026-01-23T14:00:00.000Z", "expires_at": "2999-01-01T00:00:00.000Z",
    });
    place.file(&format!("workspace/threads/resume-locks/{id}.lock/current.json"), lock.to_string());
}

fn hand_over(server: &crate::place::Server, summary: &str) -> String {
    let done = post(server, "handoffs", &json!({"summary": summary, "steps": ["Go on"]}));
    done["id"].as_str().unwrap().to_owned()
}

/// Ends a handoff as another program does.
fn end(place: &Place, id: &str, status: &str) {
    let mut file: Value = serde_json::from_str(&read(place, id)).unwrap();
    file["status"] = json!(status);
    put(place, id, &file);
}

#[test]
fn the_pages_and_the_api_show_who_has_taken_work() {
    let place = place();
    let server = place.serve();
    let handed = hand_over(&server, "Printer");
    let before = get(&server, &format!("checkpoints/{handed}"));
    assert_eq!([&before["status"], &before["taken"]], [&json!("open"), &Value::Null]);
    check(&server, "/work", &["Printer"], &["taken by"]);
    lock(&place, &handed);
    lock(&place, FIRST);
    let badge = r#"<span class="tag state">taken by Codex, session s1, until 2999-01-01"#;
    for address in ["/work", &format!("/work/{handed}"), &format!("/work/{FIRST}")] {
        check(&server, address, &[badge], &[]);
    }
    let listed = get(&server, "checkpoints");
    let of =
        |id: &str| listed["checkpoints"].as_array().unwrap().iter().find(|row| row["id"] == id);
    assert_eq!(of(&handed).unwrap()["status"], "taken");
    assert_eq!(of(FIRST).unwrap()["taken"]["by"], "Codex");
    assert_eq!(get(&server, &format!("checkpoints/{handed}"))["status"], "taken");
}

#[test]
fn the_timeline_shows_how_a_handoff_ended() {
    let place = place();
    let server = place.serve();
    for (summary, status) in [("Printer", "done"), ("Linter", "cancelled")] {
        end(&place, &hand_over(&server, summary), status);
    }
    server.stop();
    let badges = ["done", "cancelled"].map(|status| format!(r#"tag state">{status}</span>"#));
    check(&place.serve(), "/work", &badges.each_ref().map(String::as_str), &[]);
}

#[test]
fn the_api_returns_the_last_open_handoff() {
    let place = place();
    let server = place.serve();
    let (first, second) = (hand_over(&server, "Printer"), hand_over(&server, "Linter"));
    assert_eq!(get(&server, "checkpoints")["handoff"], second.as_str());
    end(&place, &second, "done");
    server.stop();
    assert_eq!(get(&place.serve(), "checkpoints")["handoff"], first.as_str());
}
