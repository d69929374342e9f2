//! The events that a browser receives while other processes write checkpoints and sessions.

use std::time::Duration;

use serde_json::json;
use skein_checkpoints::{ResumeLockRequest, Save};
use skein_workspace::discover;

use super::{FIRST, place, read};
use crate::live::Stream;
use crate::place::Place;

/// Saves a checkpoint as another process would.
fn save(place: &Place, who: &str) -> String {
    let env = place.env(who);
    let save = Save { summary: who.to_owned(), slug: Some(who.to_owned()), ..Save::default() };
    skein_checkpoints::save(&discover(&env), &save).unwrap().id
}

fn wait_for_checkpoint(stream: &mut Stream, id: &str) {
    loop {
        let event = stream.next_event();
        let reported = event.data["checkpoints"].as_array().unwrap().iter().any(|one| one == id);
        if reported || event.data["everything"] == true {
            return;
        }
    }
}

#[test]
fn a_checkpoint_of_another_process_is_reported_and_shown() {
    let place = place();
    let server = place.serve();
    drop(server.get("/work").send());
    let mut stream = Stream::open(&server, "/events", None);
    let id = save(&place, "other");
    wait_for_checkpoint(&mut stream, &id);
    assert!(server.get("/work").send().body.contains(&id));
    let text = read(&place, FIRST).replace("Read numbers", "Read dates");
    place.file(&format!("workspace/threads/{FIRST}.json"), text);
    wait_for_checkpoint(&mut stream, FIRST);
    assert!(server.get("/work/steps").send().body.contains("Read dates"));
    std::fs::remove_file(place.root.join(format!("workspace/threads/{FIRST}.json"))).unwrap();
    wait_for_checkpoint(&mut stream, FIRST);
    assert!(!server.get("/work").send().body.contains(FIRST));
}

#[test]
fn work_that_another_process_takes_is_reported_and_shown() {
    let place = place();
    let server = place.serve();
    assert!(!server.get("/work").send().body.contains("taken by"));
    let mut stream = Stream::open(&server, "/events", None);
    let (env, lasts) = (place.env("other"), Duration::from_secs(3600));
    let owner = ResumeLockRequest { name: "Codex".to_owned(), agent: true, session: None, lasts };
    skein_checkpoints::acquire(&discover(&env), FIRST, &owner, false).unwrap();
    wait_for_checkpoint(&mut stream, FIRST);
    assert!(server.get("/work").send().body.contains("taken by Codex until"));
}

#[test]
fn the_first_checkpoint_creates_the_store_and_is_reported() {
    let place = Place::new();
    let server = place.serve();
    assert!(server.get("/work").send().body.contains("No checkpoints yet"));
    let mut stream = Stream::open(&server, "/events", None);
    let id = save(&place, "first");
    wait_for_checkpoint(&mut stream, &id);
    assert!(server.get("/work").send().body.contains(&id));
}

#[test]
fn a_session_of_another_process_is_reported_and_shown() {
    let place = place();
    super::sessions::write(&place, &super::sessions::map(&["ses_one"]));
    let server = place.serve();
    assert!(server.get("/sessions").send().body.contains("ses_one"));
    let mut stream = Stream::open(&server, "/events", None);
    super::sessions::write(&place, &super::sessions::map(&["ses_one", "ses_two"]));
    loop {
        let event = stream.next_event();
        if event.data["sessions"] == json!(true) || event.data["everything"] == json!(true) {
            break;
        }
    }
    assert!(server.get("/sessions").send().body.contains("ses_two"));
}
