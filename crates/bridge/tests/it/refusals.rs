//! A server that refuses what it should permit, as it does without its database.

use skein_bridge::core::Input;
use skein_bridge::core::action::MappingStatus;
use skein_bridge::core::ids::SessionId;
use skein_bridge::core::input::{AskRequest, ChatError, ChatEvent, RequestKind};
use skein_bridge::core::state::ThreadStatus;

use crate::world::{OWNER, World};

fn permission(session: &SessionId) -> AskRequest {
    let kind = RequestKind::Permission {
        permission: "bash".into(),
        command: "make clean".into(),
        diff: None,
        always: Vec::new(),
        is_partial: false,
    };
    AskRequest { id: "ask_1".into(), session: session.clone(), kind }
}

fn refusals() -> [ChatError; 2] {
    [ChatError::Refused("no permission".to_owned()), ChatError::Missing]
}

fn status(world: &World, session: &SessionId) -> ThreadStatus {
    world.core.state().threads[session].status
}

#[test]
fn a_refusal_that_passes_loses_nothing() {
    for error in refusals() {
        let mut world = World::new();
        let (root, session) = world.session("go");
        world.write(&session, "The beginning ");
        world.wait(2_000);
        world.chat.failing = Some(("", error.clone()));
        world.chat.failing_edits = Some(("", error));
        world.write(&session, "and the middle ");
        world.agent.ask(permission(&session));
        world.run();
        world.wait(30_000);
        (world.chat.failing, world.chat.failing_edits) = (None, None);
        world.answer(&session, "and the end.");
        world.wait(60_000);
        assert_eq!(world.answers(&root), ["The beginning and the middle and the end."]);
        assert_eq!(status(&world, &session), ThreadStatus::Open);
        assert_eq!(world.map[&session].1, MappingStatus::Active);
        let ask = world.chat.by_key("ask:ask_1").unwrap().id.clone();
        world.react(OWNER, &ask, "+1");
        assert_eq!(world.agent.replies.len(), 1);
        world.reply(&root, "more");
        assert_eq!(world.prompt_texts(), ["go", "more"]);
        assert!(world.warnings.is_empty());
    }
}

#[test]
fn an_edit_that_stays_refused_is_named_in_the_thread() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.write(&session, "The beginning ");
    world.wait(2_000);
    world.chat.failing_edits = Some(("answer:", ChatError::Refused("no permission".to_owned())));
    world.answer(&session, "and the end.");
    world.wait(120_000);
    let last = world.thread(&root).pop().unwrap();
    assert_eq!(last, "A part of the answer could not be updated: no permission");
    assert_eq!(status(&world, &session), ThreadStatus::Open);
    assert_eq!(world.core.next_wakeup(), None);
}

#[test]
fn a_thread_that_stays_missing_is_lost() {
    let mut world = World::new();
    let (_, session) = world.session("go");
    world.chat.failing = Some(("answer:", ChatError::Missing));
    world.answer(&session, "done");
    assert_eq!(status(&world, &session), ThreadStatus::Open);
    world.wait(120_000);
    assert_eq!(status(&world, &session), ThreadStatus::Lost);
    assert_eq!(world.core.next_wakeup(), None);
}

#[test]
fn a_channel_that_stays_closed_to_the_bot_is_reported_and_gets_the_answer_later() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.chat.failing = Some(("answer:", ChatError::Refused("no permission".to_owned())));
    world.answer(&session, "done");
    world.wait(120_000);
    assert_eq!(status(&world, &session), ThreadStatus::Away);
    assert_eq!(world.map[&session].1, MappingStatus::Disconnected);
    assert_eq!(world.warnings.len(), 1, "{:?}", world.warnings);
    world.chat.failing = None;
    world.reply(&root, "and?");
    world.wait(3_000);
    assert_eq!(world.answers(&root), ["done"]);
    assert_eq!(world.map[&session].1, MappingStatus::Active);
}

#[test]
fn a_reply_shows_that_a_thread_exists() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "done");
    let post = world.chat.post(&root).seen();
    world.feed(Input::Chat(ChatEvent::Deleted(post)));
    assert_eq!(world.map[&session].1, MappingStatus::Orphaned);
    world.reply(&root, "still here");
    world.answer(&session, "So am I.");
    assert_eq!(world.prompt_texts(), ["go", "still here"]);
    assert_eq!(world.answers(&root), ["done", "So am I."]);
    assert_eq!(world.map[&session].1, MappingStatus::Active);
}
