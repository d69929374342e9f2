//! Requests of other programs on this machine.

use skein_bridge::core::ids::Millis;
use skein_bridge::core::input::{AgentEvent, AskRequest, LocalRequest, RequestKind};
use skein_bridge::core::settings::Approvals;
use skein_bridge::core::{BridgeSettings, Input, LocalRefusal};

use crate::world::{OWNER, World, settings};

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
fn prompts_from_this_machine_have_the_same_limit_as_others() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let refusal = |world: &World| world.core.local_refusal(&session, Millis(world.now));
    for number in 0..19 {
        assert_eq!(refusal(&world), None, "{number}");
        send(&mut world, &format!("local-{number}"), session.as_str(), "more");
    }
    assert_eq!(refusal(&world), Some(LocalRefusal::RateLimit));
    send(&mut world, "local-20", session.as_str(), "too much");
    let (id, text) = ("handoff-1".into(), "also too much".into());
    world.feed(Input::Local(LocalRequest::Say { id, session: session.clone(), text }));
    let late = world.reply(&root, "of a user");
    assert_eq!(world.chat.marks(&late), ["no_entry_sign"]);
    assert!(!world.thread(&root).iter().any(|text| text.contains("too much")));
    // Nothing happens for a minute.
    world.now += 61_000;
    assert_eq!(refusal(&world), None);
}

#[test]
fn a_session_that_cannot_be_prompted_is_refused() {
    let mut world = World::new();
    let (_, session) = world.session("one");
    world.answer(&session, "1");
    assert_eq!(world.core.local_refusal(&session, Millis(world.now)), None);
    assert_eq!(
        world.core.local_refusal(&"ses_other".into(), Millis(0)),
        Some(LocalRefusal::NoSession)
    );
    world.agent.sessions.remove(&session);
    world.feed(Input::Agent(AgentEvent::SessionDeleted(session.clone())));
    assert_eq!(world.core.local_refusal(&session, Millis(world.now)), Some(LocalRefusal::Deleted));
    send(&mut world, "local-1", session.as_str(), "two");
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn a_handoff_is_posted_and_prompts_nothing() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let (id, text) = ("handoff-1".into(), "A handoff for @all.".into());
    world.feed(Input::Local(LocalRequest::Say { id, session, text }));
    world.wait(1_000);
    world.kill();
    assert_eq!(world.thread(&root)[2..], ["A handoff for @\u{200b}all."]);
    assert_eq!(world.prompt_texts(), ["go"]);
}

#[test]
fn the_description_has_the_reviews_when_the_agent_is_done_and_after_a_restart() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.agent.links = "1 open review thread".to_owned();
    world.write(&session, "Hm");
    world.wait(5_000);
    assert!(!world.thread(&root)[1].contains("review"));
    world.answer(&session, "!");
    assert!(world.thread(&root)[1].ends_with("\n1 open review thread"));
    // What is shown already is not written again.
    let before = world.chat.requests;
    world.kill();
    world.wait(5_000);
    let finds = world.chat.requests - before;
    world.agent.links = String::new();
    world.kill();
    world.wait(5_000);
    assert!(world.thread(&root)[1].ends_with("ses_000001"), "{}", world.thread(&root)[1]);
    let with_edit = world.chat.requests - before - finds;
    assert_eq!(with_edit, finds + 1);
}

#[test]
fn an_abort_is_not_lost_with_its_request() {
    for steps in 0..3 {
        let mut world = World::new();
        let (root, session) = world.session("one");
        world.write(&session, "Let me");
        world.steps_to_kill = Some(steps);
        world.reply(&root, "!abort");
        world.wait(3_000);
        assert!(world.agent.aborts >= 1, "{steps}");
        assert_eq!(world.answers(&root), ["Let me\n\n:warning: Aborted"], "{steps}");
        let aborts = world.agent.aborts;
        world.reply(&root, "two");
        world.kill();
        world.answer(&session, "2");
        assert_eq!(world.agent.aborts, aborts, "the next turn is not stopped");
        assert_eq!(world.answers(&root)[1], "2");
    }
}

#[test]
fn an_answered_permission_names_who_answered() {
    let names = [(OWNER.into(), "ada".to_owned())].into();
    let mut world = World::with(BridgeSettings { names, ..settings() });
    let (root, session) = world.session("go");
    let kind = RequestKind::Permission {
        permission: "bash".to_owned(),
        command: "ls".to_owned(),
        diff: None,
        always: Vec::new(),
        is_partial: false,
    };
    let request = AskRequest { id: "per_1".into(), session, kind };
    world.agent.asks.push(request.clone());
    world.feed(Input::Agent(AgentEvent::Asked(request)));
    world.reply(&root, "no: too slow");
    world.wait(2_000);
    let thread = world.thread(&root);
    assert!(thread.iter().any(|text| text.ends_with("Rejected by `ada`: too slow")), "{thread:?}");
}

#[test]
fn an_answer_of_an_invited_user_has_the_name_also_after_a_restart() {
    let mut world = World::with(BridgeSettings { approvals: Approvals::All, ..settings() });
    let (root, session) = world.session_in_channel("go");
    world.reply(&root, "!invite @Guest");
    let kind = RequestKind::Permission {
        permission: "bash".to_owned(),
        command: "ls".to_owned(),
        diff: None,
        always: Vec::new(),
        is_partial: false,
    };
    world.agent.ask(AskRequest { id: "per_1".into(), session, kind });
    world.run();
    world.kill();
    world.post("user-guest", Some(&root), "yes");
    world.wait(2_000);
    let post = world.chat.by_key("ask:per_1").unwrap();
    assert!(post.text.ends_with("Allowed once by `guest`."), "{}", post.text);
}
