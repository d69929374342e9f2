//! The content of the pages.

use serde_json::json;

use super::{AUTO, FIRST, get, place, put};
use crate::place::{Place, Server};

#[track_caller]
pub(super) fn check(server: &Server, address: &str, has: &[&str], lacks: &[&str]) {
    let page = server.get(address).send();
    assert_eq!(page.status, 200, "{address}: {}", page.body);
    for text in has {
        assert!(page.body.contains(text), "{address} lacks {text}: {}", page.body);
    }
    for text in lacks {
        assert!(!page.body.contains(text), "{address} has {text}: {}", page.body);
    }
}

#[test]
fn the_timeline_has_every_checkpoint_under_its_day() {
    let place = place();
    let server = place.serve();
    let first = ["<h2 title=\"Days in UTC\">22 January 2026</h2>", ">Parser</b>"];
    let both = [first[0], first[1], "1 January 2026", "Auto: lexer", "not all committed"];
    check(&server, "/work", &both, &["No checkpoint"]);
    check(&server, "/work", &["aria-label=\"Worker w-1 · parse: executing\"", "1 step left"], &[]);
    check(&server, "/work?type=auto", &["Auto: lexer"], &[">Parser</b>"]);
    check(&server, "/work?branch=fix/parser&tag=json", &[">Parser</b>"], &["Auto: lexer</b>"]);
    check(&server, "/work?worker=executing&steps=open", &[">Parser</b>"], &["Auto: lexer</b>"]);
    check(&server, "/work?tag=none", &["No matching checkpoints."], &[">Parser</b>"]);
    check(&server, "/work?page=99", &[">Parser</b>"], &[]);
    check(&server, "/work?page=nothing", &[">Parser</b>"], &[]);
}

#[test]
fn the_page_of_a_handoff_has_its_message() {
    let place = place();
    let pointer = json!({"created_at": "2026-01-22T10:00:00Z", "message": "Begin with the `lexer`.",
        "last_thread": FIRST});
    place.file("workspace/threads/handoff.json", pointer.to_string());
    let server = place.serve();
    let message = "Begin with the <code>lexer</code>.";
    check(&server, &format!("/work/{FIRST}"), &["Handoff message", message], &[]);
    check(&server, &format!("/work/{AUTO}"), &[], &["Handoff message", message]);
    let short = server.get(&format!("/work/{}", &FIRST[..FIRST.len() - 2])).send();
    assert_eq!((short.status, short.header("location")), (303, Some(&*format!("/work/{FIRST}"))));
}

#[test]
fn the_options_of_a_filter_count_the_rows_of_the_list() {
    let place = place();
    let server = place.serve();
    check(&server, "/work", &["fix/parser (1)"], &[]);
    check(&server, "/work?type=auto", &[], &["fix/parser (1)"]);
    check(&server, "/work/steps", &["fix/parser (1)"], &[]);
    check(&server, "/work/steps?show=dropped", &[], &["fix/parser ("]);
}

#[test]
fn a_long_timeline_is_split_into_pages() {
    let place = place();
    for number in 0..60 {
        let id = format!("T-202512{:02}-1200{number:02}-many", number % 28 + 1);
        let title = format!("Number {number}");
        put(
            &place,
            &id,
            &json!({"thread_id": id, "version": 1, "type": "checkpoint",
            "created_at": format!("2025-12-{:02}T12:00:{number:02}Z", number % 28 + 1),
            "conversation_summary": "Many", "metadata": {"title": title}}),
        );
    }
    let server = place.serve();
    check(&server, "/work", &["1–50 of 62 checkpoints", "/work?page=2"], &[">Number 0<"]);
    check(&server, "/work?page=2", &["51–62 of 62 checkpoints", ">Number 0<"], &[">Parser</b>"]);
    let list = get(&server, "checkpoints");
    assert_eq!(
        (list["count"].clone(), list["checkpoints"][0]["id"].clone()),
        (62.into(), FIRST.into())
    );
    assert_eq!(get(&server, "checkpoints?after=60")["checkpoints"].as_array().unwrap().len(), 2);
    assert_eq!(server.get("/api/v1/checkpoints?after=x").send().status, 400);
    assert_eq!(server.get("/api/v1/checkpoints?colour=red").send().status, 400);
}

#[test]
fn the_page_of_a_checkpoint_shows_all_its_fields() {
    let place = place();
    let server = place.serve();
    let has = [
        "The parser reads objects.",
        "Read numbers",
        "href=\"/file/src/a.rs\"",
        "<code>src/gone.rs</code>",
        "decisions",
        "No recursion",
        "git.pr",
        "aria-current=\"step\">executing",
        "# Resume: Parser",
        "href=\"/work?tag=json\"",
    ];
    check(&server, &format!("/work/{FIRST}"), &has, &[]);
    let view = get(&server, &format!("checkpoints/{FIRST}"));
    assert_eq!(view["next_steps"][1]["status"], "done");
    let brief = server.get(&format!("/api/v1/checkpoints/{FIRST}/brief")).send();
    assert_eq!(brief.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert!(brief.body.starts_with("# Resume: Parser"), "{}", brief.body);
}

#[test]
fn an_ambiguous_or_invalid_checkpoint_id_is_not_found() {
    let place = place();
    place.file("workspace/threads/INDEX.json", "{}");
    let server = place.serve();
    for id in ["T-2026", "parser", "..%2F..%2Fetc", "%2e%2e", "INDEX", "a%00b", "T-1%2F..%2Fx"] {
        let page = server.get(&format!("/work/{id}")).send();
        assert_eq!(page.status, 404, "{id}");
        assert_eq!(server.get(&format!("/api/v1/checkpoints/{id}")).send().status, 404, "{id}");
        assert_eq!(server.get(&format!("/api/v1/checkpoints/{id}/brief")).send().status, 404);
    }
    let long = "x".repeat(5_000);
    assert_eq!(server.get(&format!("/work/{long}")).send().status, 404);
    assert_eq!(server.get(&format!("/work/{FIRST}?x=1")).send().status, 400);
}

#[test]
fn the_page_of_steps_lists_the_steps_of_all_checkpoints() {
    let place = place();
    let server = place.serve();
    check(&server, "/work/steps", &["Read numbers", ">Done</button>"], &["Read texts"]);
    check(
        &server,
        "/work/steps?show=done",
        &["Read texts", ">Reopen</button>"],
        &["Read numbers<"],
    );
    check(&server, "/work/steps?show=all", &["Read texts", "Read numbers"], &[]);
    check(&server, "/work/steps?branch=main", &["No open steps."], &["Read numbers"]);
}

#[test]
fn the_pages_of_an_empty_workspace_say_that_it_is_empty() {
    let place = Place::new();
    let server = place.serve();
    check(&server, "/work", &["No checkpoints yet."], &[]);
    check(&server, "/work/steps", &["No open steps."], &[]);
    check(&server, "/work/cleanup", &["Nothing to clean up."], &[]);
    check(&server, "/work/new", &["Hand over the work"], &[]);
    check(&server, "/work/new?kind=checkpoint", &["Write a checkpoint"], &[]);
    check(&server, "/sessions", &["No sessions yet."], &[]);
}

#[test]
fn a_broken_checkpoint_does_not_hide_others() {
    let place = place();
    place.file("workspace/threads/T-20260110-000000-broken.json", "{");
    let server = place.serve();
    check(&server, "/work", &[">Parser</b>", "T-20260110-000000-broken", "problem"], &[]);
    let page = server.get("/work/T-20260110-000000-broken").send();
    assert_eq!(page.status, 200);
    assert!(page.body.contains("skein doctor"), "{}", page.body);
}

#[test]
fn the_page_of_the_cleanup_lists_checkpoints_with_the_reason() {
    let place = place();
    let server = place.serve();
    check(&server, "/work/cleanup", &["1 checkpoint to move", "Auto: lexer", "14 days"], &[]);
    let before = place.everything();
    let found = get(&server, "cleanup");
    assert_eq!(found["goes"][0]["id"], AUTO);
    assert!(place.everything() == before);
    assert_eq!(server.get("/api/v1/cleanup?archive=many").send().status, 400);
}
