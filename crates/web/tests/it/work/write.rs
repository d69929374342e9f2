//! Writes, and writes that are refused because the file has changed.

use serde_json::{Value, json};

use super::{AUTO, FIRST, get, place, post, put, read, shown};
use crate::place::Place;

#[test]
fn a_step_is_closed_and_reopened_and_nothing_else_changes() {
    let place = place();
    let server = place.serve();
    let address = format!("checkpoints/{FIRST}/steps/1");
    let step = shown(&server, FIRST, 1);
    let done = post(&server, &address, &json!({"change": "done", "shown": step, "note": "in abc"}));
    assert_eq!((done["action"].clone(), done["status"].clone()), ("done".into(), "done".into()));
    let text = read(&place, FIRST);
    let now: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(now["next_steps"][0]["closed_by"], "Ann");
    assert_eq!(now["next_steps"][0]["note"], "in abc");
    // Unknown fields are kept.
    assert_eq!(now["next_steps"][1]["mine"], json!([1, 2]));
    assert_eq!(now["git"]["pr"], 7);
    assert_eq!(now["decisions"], json!(["No recursion"]));
    let back = post(&server, &address, &json!({"change": "reopen", "shown": done["shown"]}));
    assert_eq!(back["action"], "reopened");
    let dropped = post(&server, &address, &json!({"change": "drop", "shown": back["shown"]}));
    assert_eq!(dropped["status"], "dropped");
    let page = server.get("/work/steps?show=dropped").send().body;
    assert!(page.contains("Read numbers"), "{page}");
}

#[test]
fn a_step_that_has_changed_since_it_was_shown_is_not_written() {
    let place = place();
    let server = place.serve();
    let step = shown(&server, FIRST, 1);
    let text = read(&place, FIRST).replace("Read numbers", "Read dates");
    place.file(&format!("workspace/threads/{FIRST}.json"), &text);
    let change = |number: usize, change: &str, shown: &Value| {
        let body = json!({"change": change, "shown": shown}).to_string();
        server.post(&format!("/api/v1/checkpoints/{FIRST}/steps/{number}"), &body).send()
    };
    let before = place.everything();
    let error = change(1, "done", &step).expect(409);
    assert_eq!(error["conflict"]["now"], "Read dates (open)");
    assert_eq!(change(9, "done", &step).status, 409);
    assert_eq!(change(0, "done", &step).status, 409);
    assert_eq!(change(1, "explode", &step).status, 400);
    assert!(place.everything() == before);
    // The step was dropped after it was shown.
    let step = shown(&server, FIRST, 1);
    assert_eq!(change(1, "drop", &step).status, 200);
    assert_eq!(change(1, "done", &step).status, 409);
    let gone = server.post(
        "/api/v1/checkpoints/T-none/steps/1",
        &json!({"change": "done", "shown": "x"}).to_string(),
    );
    assert_eq!(gone.send().status, 404);
    assert_eq!(server.post("/api/v1/checkpoints/T-none/steps/x", "{}").send().status, 400);
}

#[test]
fn a_legacy_checkpoint_is_read_only() {
    let place = place();
    place.file("workspace/checkpoints/spike.json", r#"{"task_id": "spike", "completed_at": "2026-01-01T00:00:00Z", "summary": "Tried", "next_steps": ["Old"]}"#);
    let server = place.serve();
    let step = shown(&server, "spike", 1);
    let body = json!({"change": "done", "shown": step}).to_string();
    let before = place.everything();
    let error = server.post("/api/v1/checkpoints/spike/steps/1", &body).send().expect(422);
    assert!(error["hint"].as_str().unwrap().contains("only be read"), "{error}");
    assert!(place.everything() == before);
}

#[test]
fn a_checkpoint_is_written_and_shown_at_once() {
    let place = Place::new();
    let server = place.serve();
    assert_eq!(get(&server, "checkpoints")["count"], 0);
    let new = json!({"summary": "Parser done", "steps": ["Docs", " "], "tags": ["json"], "slug": "parser",
        "files": ["docs/new.md"], "worker": {"id": "w", "state": "verifying"}});
    let saved = post(&server, "checkpoints", &new);
    assert_eq!(
        (saved["action"].clone(), saved["open_steps"].clone()),
        ("created".into(), 1.into())
    );
    let id = saved["id"].as_str().unwrap();
    assert!(id.ends_with("-parser"), "{id}");
    let list = get(&server, "checkpoints");
    assert_eq!(list["checkpoints"][0]["id"], id);
    let text = read(&place, id);
    assert!(text.contains("\"verifying\"") && text.contains("docs/new.md"), "{text}");
    assert!(text.contains("src/a.rs"), "the changed files that git reports are included: {text}");
}

#[test]
fn work_is_handed_over() {
    let place = place();
    let server = place.serve();
    let over = post(&server, "handoffs", &json!({"summary": "Go on", "steps": ["Docs"]}));
    let id = over["id"].as_str().unwrap();
    assert_eq!(get(&server, "checkpoints")["handoff"], id);
    let page = server.get("/work").send().body;
    assert!(page.contains("handed over last"), "{page}");
    let pointer =
        std::fs::read_to_string(place.root.join("workspace/threads/handoff.json")).unwrap();
    assert!(pointer.contains(id), "{pointer}");
    let page = server.get(&format!("/work/{id}")).send().body;
    assert!(page.contains("Handoff: Go on") && page.contains("# Resume: Handoff: Go on"), "{page}");
}

#[test]
fn an_invalid_value_is_refused_with_the_name_of_its_field() {
    let place = place();
    let server = place.serve();
    let before = place.everything();
    let check = |address: &str, body: &Value, field: &Value| {
        let error =
            server.post(&format!("/api/v1/{address}"), &body.to_string()).send().expect(400);
        assert_eq!(error["field"], *field, "{error}");
        assert!(error["hint"].is_string());
    };
    check("checkpoints", &json!({"summary": " \n"}), &"summary".into());
    check("handoffs", &json!({"summary": ""}), &"summary".into());
    check("checkpoints", &json!({"summary": "a", "slug": "../x"}), &"slug".into());
    let worker = |worker: Value| json!({"summary": "a", "worker": worker});
    check("checkpoints", &worker(json!({"id": "w", "state": "asleep"})), &"worker".into());
    check("checkpoints", &worker(json!({"id": " ", "skill": "s"})), &"worker".into());
    check("handoffs", &json!({"summary": "a", "slug": "x"}), &Value::Null);
    check("checkpoints", &json!({"summary": "a", "author": "Eve"}), &Value::Null);
    check("checkpoints", &json!({"steps": []}), &Value::Null);
    check("checkpoints", &json!({"summary": "a", "steps": "one"}), &Value::Null);
    assert!(place.everything() == before);
}

#[test]
fn cleanup_moves_only_the_checkpoints_that_were_shown() {
    let place = place();
    let server = place.serve();
    let token = get(&server, "cleanup")["token"].clone();
    let other = "T-20260102-090000-auto-more";
    put(
        &place,
        other,
        &json!({"thread_id": other, "version": 1, "type": "auto-checkpoint",
        "created_at": "2026-01-02T09:00:00Z", "conversation_summary": "More"}),
    );
    let before = place.everything();
    let go = |token: &Value, archive: Value| {
        server
            .post("/api/v1/cleanup", &json!({"token": token, "archive": archive}).to_string())
            .send()
    };
    assert_eq!(
        go(&token, Value::Null).expect(409)["error"],
        "the list of checkpoints to remove has changed since it was shown"
    );
    assert_eq!(go(&"no number".into(), Value::Null).status, 400);
    assert_eq!(go(&token, (-1).into()).status, 400);
    assert!(place.everything() == before);
    let now = get(&server, "cleanup")["token"].clone();
    let done = go(&now, Value::Null).expect(200);
    assert_eq!((done["applied"].clone(), done["goes"].as_array().unwrap().len()), (true.into(), 2));
    assert!(!place.root.join(format!("workspace/threads/{AUTO}.json")).exists());
    assert!(
        place.everything().keys().any(|path| path.to_string_lossy().contains("trash/checkpoints"))
    );
    assert_eq!(get(&server, "checkpoints")["count"], 1);
}
