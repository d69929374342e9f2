//! Links between checkpoints, threads, files, commits and sessions.

use serde_json::json;

use super::pages::check;
use super::{AUTO, FIRST, get, place, post, put, sessions};

const SECOND: &str = "T-20260123-100000-numbers";

#[test]
fn files_commits_and_sessions_link_to_each_other() {
    let place = place();
    put(
        &place,
        SECOND,
        &json!({"thread_id": SECOND, "version": 1, "type": "checkpoint", "session_id": "ses_one",
            "created_at": "2026-01-23T10:00:00.000Z", "conversation_summary": "Numbers are read.",
            "git": {"commits_made": ["def5678: the lexer"]}, "files_touched": ["src/a.rs"],
            "metadata": {"title": "Numbers"}}),
    );
    sessions::write(&place, &sessions::map(&["ses_one", "ses_two"]));
    let server = place.serve();
    let comment = json!({"path": "src/a.rs", "lines": [2, 2], "body": "Why second?"});
    let added = post(&server, "threads", &comment);
    let id = added["id"].as_str().unwrap();
    // A checkpoint links to the open threads on its files, and to other checkpoints that touched them.
    let thread = format!("href=\"/thread/{id}\"");
    let file = "href=\"/work?file=src/a.rs\">2 more checkpoints";
    check(&server, &format!("/work/{FIRST}"), &[&thread, "Why second?", file], &[]);
    check(&server, "/work?file=src/a.rs", &[">Parser<", ">Numbers<", "Auto: lexer"], &[]);
    check(&server, "/work?file=src/gone.rs", &[">Parser<", "touched <code>"], &[">Numbers<"]);
    check(&server, "/work?file=src/b.rs", &["No matching checkpoints."], &[]);
    // A thread links to the checkpoints that touched its file.
    check(&server, &format!("/thread/{id}"), &["Work that touched this file", FIRST, AUTO], &[]);
    // A commit links to the checkpoints that made it: one lists it, and the other was triggered by it.
    let made = "href=\"/work?commit=def5678\">1 more checkpoint<";
    check(&server, &format!("/work/{SECOND}"), &[made], &[]);
    let also = "href=\"/work?commit=def5678\">made by 1 checkpoint<";
    check(&server, &format!("/work/{AUTO}"), &[also], &[]);
    check(&server, "/work?commit=DEF56789", &[">Numbers<", "Auto: lexer"], &[">Parser<"]);
    // A session links to its checkpoints, and they link to it.
    let work = "href=\"/work?session=ses_one\">1 checkpoint<";
    check(&server, "/sessions", &[work], &["session=ses_two"]);
    check(&server, &format!("/work/{SECOND}"), &["href=\"/sessions?id=ses_one\""], &[]);
    check(&server, "/sessions?id=ses_one", &["ses_one", "Show all"], &["ses_two"]);
    check(&server, "/work?session=ses_one&file=src/a.rs", &[">Numbers<"], &[">Parser<"]);
    check(&server, "/work?session=ses_one&file=src/gone.rs", &["No matching checkpoints"], &[]);
    let list = get(&server, "checkpoints?file=src/gone.rs");
    assert_eq!((&list["count"], &list["checkpoints"][0]["id"]), (&json!(1), &json!(FIRST)));
}

#[test]
fn a_thread_links_to_the_checkpoints_that_made_its_commit() {
    let place = place();
    let server = place.serve();
    let comment = json!({"path": "src/a.rs", "lines": [2, 2], "body": "Why second?"});
    let added = post(&server, "threads", &comment);
    let id = added["id"].as_str().unwrap();
    let view = get(&server, &format!("threads/{id}"));
    let commit = view["base_commit"].as_str().unwrap();
    check(&server, &format!("/thread/{id}"), &[], &["Checkpoints that made the commit"]);
    let message = format!("{}: first", commit.get(..7).unwrap());
    put(
        &place,
        SECOND,
        &json!({"thread_id": SECOND, "version": 1, "type": "checkpoint",
            "created_at": "2026-01-23T10:00:00.000Z", "conversation_summary": "It began.",
            "git": {"commits_made": [message]}, "metadata": {"title": "Beginnings"}}),
    );
    server.stop();
    let server = place.serve();
    let has = ["Checkpoints that made the commit of this thread", ">Beginnings<"];
    check(&server, &format!("/thread/{id}"), &has, &[]);
}
