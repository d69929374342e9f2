//! The overview page, and the repairs that it offers.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::live::Stream;
use crate::place::{Place, Server};

const CHECKPOINT: &str = r#"{"thread_id": "T-20260123-140000-lantern", "version": 1, "title": "Lantern <b>limits</b>",
    "created_at": "2026-01-23T14:00:00Z", "updated_at": "2026-01-23T14:00:00Z",
    "files_touched": ["src/a.rs"],
    "next_steps": [{"id": "1", "step": "Test it", "status": "open"}]}"#;

fn place() -> Place {
    let place = Place::new();
    place.file("workspace/threads/T-20260123-140000-lantern.json", CHECKPOINT);
    place
}

fn add(server: &Server, body: &str) -> String {
    let new = json!({"path": "src/a.rs", "lines": [2, 2], "body": body, "draft": false});
    let written = server.post("/api/v1/threads", &new.to_string()).send().expect(200);
    written["id"].as_str().unwrap().to_owned()
}

/// Requests the overview until the checks of the doctor are complete.
fn checked_overview(server: &Server) -> String {
    let start = Instant::now();
    loop {
        let page = server.get("/overview").send().body;
        if !page.contains("data-checking") {
            return page;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{page}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn work_in_other_worktrees_is_listed() {
    let place = place();
    place.git(&["worktree", "add", "--quiet", "-b", "feature/x", "../fix"]);
    place.git(&["branch", "old"]);
    let server = place.serve();
    let page = || server.get("/overview").send().body;
    let has = |text: &str| page().contains(text);
    assert!(!has("In other worktrees"), "{}", page());
    let mut stream = Stream::open(&server, "/events", None);
    let mut until_is = |is_there: bool, text: &str| {
        while has(text) != is_there {
            stream.next_event();
        }
    };
    let file = |slug: &str| format!("../fix/workspace/threads/T-20260123-1500{slug}.json");
    let text = |slug: &str| CHECKPOINT.replace("140000-lantern", &format!("1500{slug}"));
    for slug in ["01-one", "02-two"] {
        place.file(&file(slug), text(slug));
    }
    until_is(true, "2 checkpoints to resume in fix (feature/x)");
    assert!(has("In other worktrees") && has("skein checkpoint list --all-worktrees"));
    let root = place.root.with_file_name("fix");
    assert!(has(&format!("data-act=\"switch\" data-root=\"{}\"", root.display())));
    place.git(&["-C", "../fix", "switch", "--quiet", "-c", "feature/y"]);
    until_is(true, "2 checkpoints to resume in fix (feature/y)");
    // Finished work is not listed any more.
    place.file(&file("01-one"), text("01-one").replace("open", "done"));
    until_is(true, "1 checkpoint to resume in fix (feature/y)");
    // A worktree that is added later is listed too.
    place.git(&["worktree", "add", "--quiet", "../late", "old"]);
    place.file("../late/workspace/threads/T-20260123-150003-three.json", text("03-three"));
    until_is(true, "1 checkpoint to resume in late (old)");
    place.git(&["worktree", "remove", "--force", "../late"]);
    until_is(false, "late");
    // A checkpoint that this workspace also has is not listed.
    place.file("workspace/threads/T-20260123-150002-two.json", text("02-two"));
    until_is(true, "2 checkpoints, 0 sessions");
    assert!(!has("In other worktrees"), "{}", page());
}

#[test]
fn waiting_threads_and_recent_activity_are_shown() {
    let place = place();
    let server = place.serve();
    let id = add(&server, "Why <i>second</i>?");
    let page = checked_overview(&server);
    for part in [
        "1 open thread, 0 resolved, 1 checkpoint, 0 sessions",
        "Waiting on an agent <span class=\"count\">1</span>",
        "Nothing is waiting on you.",
        &format!("href=\"/thread/{id}\""),
        "href=\"/work/T-20260123-140000-lantern\"",
        "Lantern &#60;b&#62;limits&#60;/b&#62;",
        "1 open step",
        "1 review, 1 checkpoint",
        "No problems found.",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<b>limits") && !page.contains("<i>second"));
    let thread = server.get(&format!("/thread/{id}")).send().body;
    assert!(thread.contains("Work that touched this file"), "{thread}");
    assert!(thread.contains("href=\"/work/T-20260123-140000-lantern\""));
}

#[test]
fn the_overview_of_an_empty_workspace_says_that_it_is_empty() {
    let place = Place::new();
    let server = place.serve();
    let page = checked_overview(&server);
    assert!(page.contains("No threads yet."), "{page}");
    assert!(page.contains("No activity."), "{page}");
}

#[test]
fn problems_are_repaired_only_as_they_were_shown() {
    let place = place();
    let server = place.serve();
    add(&server, "Why?");
    place.file(".code-review/threads/.skein-abcdef.tmp", "left");
    place.file(".code-review/index.json", "{}");
    let seen = server.get("/api/v1/doctor").send().expect(200);
    let plans: Vec<&str> =
        seen["repairs"].as_array().unwrap().iter().map(|plan| plan.as_str().unwrap()).collect();
    let index =
        plans.iter().find(|plan| plan.ends_with("index.json from the thread files")).unwrap();
    let page = checked_overview(&server);
    assert!(page.contains("data-act=\"repair\""), "{page}");
    let repair =
        |plan: &str| server.post("/api/v1/doctor/repair", &json!({"repairs": [plan]}).to_string());
    let done = repair(index).send().expect(200);
    assert_eq!(done["repairs"][0]["done"], true, "{done}");
    // A repair that was already done or was never shown is refused.
    let before = place.everything();
    for plan in [index, &"move /etc/passwd to the trash"] {
        let message = repair(plan).send().expect(409);
        assert!(message["hint"].as_str().unwrap().contains("nothing was repaired"), "{message}");
    }
    assert_eq!(server.post("/api/v1/doctor/repair", r#"{"repairs":[]}"#).send().status, 400);
    assert_eq!(server.post("/api/v1/doctor/repair", r#"{"all":true}"#).send().status, 400);
    assert_eq!(server.get("/api/v1/doctor/repair").send().status, 405);
    assert!(place.everything() == before);
}

#[test]
fn a_read_only_server_repairs_nothing() {
    let place = place();
    place.file(".code-review/threads/one.md", "no thread");
    place.file(".code-review/index.json", "{}");
    let options = skein_web::ServeOptions { read_only: true, ..crate::place::options() };
    let server = Server::run(skein_web::bind(place.env("server"), &options).unwrap());
    let page = checked_overview(&server);
    assert!(!page.contains("data-act=\"repair"), "{page}");
    let before = place.everything();
    let reply = server.post("/api/v1/doctor/repair", r#"{"repairs":["anything"]}"#).send();
    assert_eq!(reply.status, 403);
    let foreign = server.ask("POST", "/api/v1/doctor/repair").header("Cookie", &server.cookie());
    let foreign = foreign.header("Origin", "http://evil.example").json(r#"{"repairs":["x"]}"#);
    assert_eq!(foreign.send().status, 403);
    assert!(place.everything() == before);
}
