//! The sessions of the session map.

use serde_json::{Value, json};

use super::{get, post};
use crate::place::Place;

const MAP: &str = ".config/opencode/mattermost-threads.json";

fn entry(id: &str, status: &str, text: &str) -> Value {
    json!({
        "sessionId": id, "threadRootPostId": format!("post-{id}"), "shortId": "abcdef",
        "mattermostUserId": "user", "dmChannelId": "dm", "projectName": text, "directory": text,
        "sessionTitle": text, "status": status, "createdAt": "2026-01-16T10:00:00.000Z",
        "lastActivityAt": "2026-01-16T10:00:00.000Z", "mine": {"kept": true},
    })
}

pub(super) fn map(ids: &[&str]) -> String {
    let all: Vec<Value> = ids.iter().map(|id| entry(id, "active", "lantern")).collect();
    whole(&all)
}

pub(super) fn hostile(text: &str) -> String {
    whole(&[entry("ses_evil", "active", text), entry(text, "orphaned", text)])
}

fn whole(mappings: &[Value]) -> String {
    let map = json!({"version": 1, "mappings": mappings, "lastModified": "2026-01-16T10:00:00.000Z", "own": 1});
    serde_json::to_string_pretty(&map).unwrap() + "\n"
}

pub(super) fn write(place: &Place, text: &str) {
    place.file(&format!("../home/{MAP}"), text);
}

pub(super) fn read(place: &Place) -> String {
    std::fs::read_to_string(place.root.join("../home").join(MAP)).unwrap()
}

#[test]
fn sessions_are_shown_by_status() {
    let place = Place::new();
    let all = [
        entry("ses_one", "active", "lantern"),
        entry("ses_two", "ended", "kiln"),
        entry("ses_three", "orphaned", "kiln"),
    ];
    write(&place, &whole(&all));
    let server = place.serve();
    let page = server.get("/sessions").send().body;
    for text in ["ses_one", "ses_two", "ses_three", ">lantern<", "gone", "post-ses_one"] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let address = "href=\"https://chat.example/_redirect/pl/post-ses_one\"";
    assert!(page.contains(address), "{page}");
    // The status of an ended session cannot be set.
    assert_eq!(page.matches(">Set status<").count(), 2);
    let page = server.get("/sessions?status=ended").send().body;
    assert!(page.contains("ses_two") && !page.contains("ses_one"), "{page}");
    let list = get(&server, "sessions?status=orphaned");
    assert_eq!(list["sessions"][0]["id"], "ses_three");
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1);
}

#[test]
fn a_status_is_set_and_nothing_else_changes() {
    let place = Place::new();
    write(&place, &map(&["ses_one", "ses_two"]));
    let server = place.serve();
    let set = |id: &str, body: &Value| {
        server.post(&format!("/api/v1/sessions/{id}/status"), &body.to_string()).send()
    };
    let done = set("ses_one", &json!({"status": "orphaned", "was": "active"})).expect(200);
    assert_eq!(
        (done["action"].clone(), done["status"].clone()),
        ("updated".into(), "orphaned".into())
    );
    let now: Value = serde_json::from_str(&read(&place)).unwrap();
    assert_eq!(now["mappings"][0]["mine"], json!({"kept": true}));
    assert_eq!(
        (now["own"].clone(), now["mappings"][1]["status"].clone()),
        (1.into(), "active".into())
    );
    let before = read(&place);
    let error = set("ses_one", &json!({"status": "active", "was": "active"})).expect(409);
    assert_eq!(error["conflict"]["now"], "orphaned");
    // Neither the prefix of an id nor a short id is accepted here.
    assert_eq!(set("ses_", &json!({"status": "ended"})).status, 404);
    assert_eq!(set("abcdef", &json!({"status": "ended"})).status, 404);
    assert_eq!(set("ses_one", &json!({"status": "asleep"})).status, 400);
    assert_eq!(read(&place), before);
    assert_eq!(set("ses_one", &json!({"status": "ended"})).status, 200);
    assert_eq!(
        set("ses_one", &json!({"status": "active"})).expect(409)["hint"],
        "nothing was changed: a session that has ended stays ended"
    );
}

#[test]
fn a_damaged_map_is_repaired_only_as_it_was_shown() {
    let place = Place::new();
    let valid = map(&["ses_one", "ses_two"]);
    let truncated = &valid[..valid.rfind("lastActivityAt").unwrap()];
    write(&place, truncated);
    let server = place.serve();
    let page = server.get("/sessions").send().body;
    assert!(page.contains("A repair would") && page.contains("Repair the file"), "{page}");
    let plan = get(&server, "session-map");
    assert_eq!(
        (plan["action"].clone(), plan["entries"].clone()),
        ("would-repair".into(), 1.into())
    );
    assert_eq!(read(&place), truncated);
    let stale = server
        .post("/api/v1/session-map", &json!({"shown": "other"}).to_string())
        .send()
        .expect(409);
    assert_eq!(stale["conflict"]["now"]["shown"], plan["shown"]);
    assert_eq!(read(&place), truncated);
    let done = post(&server, "session-map", &json!({"shown": plan["shown"]}));
    assert_eq!(done["action"], "repaired");
    assert_eq!(std::fs::read_to_string(done["kept"].as_str().unwrap()).unwrap(), truncated);
    assert_eq!(get(&server, "sessions")["sessions"][0]["id"], "ses_one");
    assert!(!server.get("/sessions").send().body.contains("A repair would"));
}
