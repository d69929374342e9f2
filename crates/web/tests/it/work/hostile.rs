//! Text that would be a script, or would look like other text, without escaping.

use serde_json::json;

use super::{get, post, put, shown};
use crate::place::Place;

const SCRIPT: &str = "</textarea></script><script>alert(1)</script><img src=x onerror=alert(2)>\"'";
const HIDDEN: &str = "a\u{1b}[2J\u{202e}b\u{0}c\r\nd";

/// Checks that a page has no markup from a text, and no characters that control a terminal.
#[track_caller]
fn check(place: &Place, address: &str) {
    let server = place.serve();
    let page = server.get(address).send();
    assert!(page.status == 200 || page.status == 404, "{address}: {}", page.status);
    for bad in ["<script>alert", "<img src=x", "href=\"javascript:", "\u{1b}", "\u{0}"] {
        assert!(!page.body.contains(bad), "{address} has {bad:?}: {}", page.body);
    }
}

fn hostile(text: &str) -> Place {
    let place = Place::new();
    let id = "T-20260120-100000-evil";
    put(
        &place,
        id,
        &json!({
            "thread_id": id, "version": 1, "type": text, "created_at": "2026-01-20T10:00:00Z", "cwd": text,
            "workspace_root": text, "session_id": text,
            "git": {"branch": text, "current_commit": text, "initial_commit": text, "remote_url": text,
                    "commits_made": [text], "dirty": true},
            "worker": {"id": text, "skill": text, "state": text, "started_at": text},
            "conversation_summary": text, "files_touched": [text, {"path": text, "reason": text}],
            "next_steps": [text, {"id": text, "step": text, "status": text, "note": text},
                           {"step": text, "status": "done", "closed_by": text, "closed_at": text, "note": text}],
            "metadata": {"title": text, "tags": [text], "trigger": text}, text: text, "list": [text],
        }),
    );
    place
}

#[test]
fn a_script_is_shown_as_text() {
    for text in [SCRIPT, HIDDEN, "[a](javascript:alert(4))", "<!--", "${x}{{ y }}{% raw %}"] {
        let place = hostile(text);
        super::sessions::write(&place, &super::sessions::hostile(text));
        let script: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for address in [
            "/work",
            "/work/steps",
            "/work/steps?show=all",
            "/work/cleanup?archive=1",
            "/sessions",
            "/work/T-20260120-100000-evil",
        ] {
            check(&place, address);
        }
        for name in ["type", "branch", "tag", "worker", "steps", "page", "show"] {
            check(&place, &format!("/work?{name}={script}"));
            check(&place, &format!("/work/steps?{name}={script}"));
        }
        check(&place, &format!("/sessions?status={script}&page={script}"));
        check(&place, &format!("/work/{script}"));
        check(&place, &format!("/work/cleanup?archive={script}"));
    }
}

#[test]
fn a_hostile_step_can_be_closed() {
    for text in [SCRIPT, HIDDEN] {
        let place = hostile(text);
        let server = place.serve();
        let id = "T-20260120-100000-evil";
        for number in [1, 2] {
            let step = shown(&server, id, number);
            let address = format!("checkpoints/{id}/steps/{number}");
            let done = post(&server, &address, &json!({"change": "done", "shown": step}));
            assert_eq!(done["status"], "done", "{text:?}");
        }
    }
}

#[test]
fn written_text_is_returned_unchanged() {
    let place = Place::new();
    let server = place.serve();
    for text in [SCRIPT, HIDDEN] {
        let new = json!({"summary": text, "title": text, "steps": [text], "tags": [text], "files": [text]});
        for address in ["checkpoints", "handoffs"] {
            let saved = post(&server, address, &new);
            let view = get(&server, &format!("checkpoints/{}", saved["id"].as_str().unwrap()));
            assert_eq!(view["next_steps"][0]["step"], text.trim());
            assert_eq!(view["summary"].as_str().unwrap().trim(), text.trim());
            drop(server.get(&format!("/work/{}", saved["id"].as_str().unwrap())).send().body);
        }
    }
    for address in ["/work", "/work/steps"] {
        check(&copy_of(&place), address);
    }
}

/// Returns a copy of a workspace for another server.
fn copy_of(place: &Place) -> Place {
    let copy = Place::new();
    let dir = place.root.join("workspace/threads");
    for entry in dir.read_dir().unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_file() {
            let name = entry.file_name().into_string().unwrap();
            copy.file(&format!("workspace/threads/{name}"), std::fs::read(entry.path()).unwrap());
        }
    }
    copy
}
