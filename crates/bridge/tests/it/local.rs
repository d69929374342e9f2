//! Requests of other programs on this machine.

use skein_bridge::core::input::{AgentEvent, LocalRequest};
use skein_bridge::core::{Input, LocalRefusal};

use crate::world::World;

fn send(world: &mut World, id: &str, session: &str, text: &str) {
    let (id, session, text) = (id.into(), session.into(), text.to_owned());
    world.feed(Input::Local(LocalRequest::Send { id, session, text }));
}

#[test]
fn a_prompt_from_this_machine_is_shown_and_sent_once() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "Hm");
    for _ in 0..2 {
        send(&mut world, "local-1", session.as_str(), "two\n\nlines");
    }
    // It is shown while it waits.
    assert_eq!(world.thread(&root).last().unwrap(), "From the terminal:\n> two\n> \n> lines");
    assert_eq!(world.prompt_texts(), ["one"]);
    world.kill();
    world.finish(&session);
    world.wait(3_000);
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "two\n\nlines"]);
    assert_eq!(world.answers(&root), ["Hm", "2"]);
    let notes = world.thread(&root);
    assert_eq!(notes.iter().filter(|text| text.starts_with("From the terminal")).count(), 1);
}

#[test]
fn a_long_prompt_is_shortened_in_the_thread_only() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    let text = "a\n".repeat(20_000);
    send(&mut world, "local-1", session.as_str(), &text);
    assert_eq!(world.prompt_texts()[1], text);
    let shown = world.thread(&root).last().unwrap().clone();
    assert!(shown.ends_with('…') && shown.chars().count() < 12_000);
}

#[test]
fn a_prompt_from_this_machine_in_doubt_is_not_sent_again() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    send(&mut world, "local-1", session.as_str(), "two");
    world.restart_agent();
    world.wait(60_000);
    let last = world.thread(&root).last().unwrap().clone();
    assert!(last.starts_with("It is not certain"), "{last}");
    assert!(last.ends_with("It can be sent again from the terminal."), "{last}");
    assert!(world.core.state().prompts.is_empty());
    world.reply(&root, "three");
    world.answer(&session, "3");
    assert_eq!(world.prompt_texts(), ["one", "three"]);
}

#[test]
fn a_session_that_cannot_be_prompted_is_refused() {
    let mut world = World::new();
    let (_, session) = world.session("one");
    world.answer(&session, "1");
    assert_eq!(world.core.local_refusal(&session), None);
    assert_eq!(world.core.local_refusal(&"ses_other".into()), Some(LocalRefusal::NoSession));
    world.agent.sessions.remove(&session);
    world.feed(Input::Agent(AgentEvent::SessionDeleted(session.clone())));
    assert_eq!(world.core.local_refusal(&session), Some(LocalRefusal::Deleted));
    send(&mut world, "local-1", session.as_str(), "two");
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn reviews_and_handoffs_are_posted_and_links_shown() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let (id, text) = ("handoff-1".into(), "A handoff.".into());
    world.feed(Input::Local(LocalRequest::Say { id, session: session.clone(), text }));
    let text = "2 open review threads".into();
    world.feed(Input::Local(LocalRequest::Links { session, text }));
    world.wait(1_000);
    let thread = world.thread(&root);
    assert!(thread[1].ends_with("\n2 open review threads"));
    assert_eq!(thread[2], "A handoff.");
}
