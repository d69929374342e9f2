//! The queue, aborts, edits, deletions, and servers that fail.

use skein_bridge::core::Input;
use skein_bridge::core::action::MappingStatus;
use skein_bridge::core::ids::Millis;
use skein_bridge::core::input::{AgentEvent, ChatEvent, Tool, ToolState};

use crate::world::{CHANNEL, OWNER, World};

const WAITS: &str = "hourglass_flowing_sand";

#[test]
fn prompts_wait_visibly_while_the_agent_is_busy() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "two");
    let three = world.reply(&root, "three");
    assert_eq!(world.prompt_texts(), ["one"]);
    assert_eq!(world.chat.marks(&two), [WAITS]);
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert!(world.chat.marks(&two).is_empty());
    assert_eq!(world.chat.marks(&three), [WAITS]);
    world.reply(&root, "!queue");
    world.reply(&root, "!queue drop 1");
    assert_eq!(world.thread(&root).last().unwrap(), "Dropped.");
    assert!(world.thread(&root).contains(&"1. `three`".to_owned()));
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert_eq!(world.answers(&root), ["1", "2"]);
}

#[test]
fn an_abort_stops_the_turn_and_the_queue_goes_on() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "Let me");
    world.reply(&root, "two");
    world.reply(&root, "!abort");
    assert_eq!(world.agent.aborts, 1);
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["Let me\n\n:warning: Aborted", "2"]);
    assert_eq!(world.prompt_texts(), ["one", "two"]);
}

#[test]
fn a_rejected_tool_ends_the_turn_and_the_queue_goes_on() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let name = "bash".to_owned();
    let tool = Tool { name, state: ToolState::Failed, error: "rejected".into(), ..Tool::default() };
    world.agent.tool(&session, tool, world.now);
    world.run();
    world.reply(&root, "two");
    world.agent.stop_after_tool(&session);
    world.run();
    assert_eq!(world.prompt_texts(), ["one", "two"]);
}

#[test]
fn an_error_without_a_message_ends_the_turn() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let message = Some("no such model".to_owned());
    world.feed(Input::Agent(AgentEvent::Error { session: session.clone(), message }));
    world.feed(Input::Agent(AgentEvent::Status { session, is_busy: false }));
    assert_eq!(world.answers(&root), [":warning: no such model"]);
    world.reply(&root, "two");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
}

#[test]
fn an_edit_changes_a_prompt_that_waits_and_is_noted_after_that() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "tow");
    let post = world.chat.edit(&two, "two", world.now);
    world.feed(Input::Chat(ChatEvent::Edited(post.clone())));
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    // The same text again is no edit.
    world.feed(Input::Chat(ChatEvent::Edited(post)));
    let notes = |world: &World| {
        world.thread(&root).iter().filter(|text| text.contains("before the edit")).count()
    };
    assert_eq!(notes(&world), 0);
    let post = world.chat.edit(&two, "2", world.now);
    world.feed(Input::Chat(ChatEvent::Edited(post)));
    world.connect_chat();
    assert_eq!(notes(&world), 1);
}

#[test]
fn a_deleted_post_is_not_sent() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "two");
    let three = world.reply(&root, "three");
    let post = world.chat.delete(&two, world.now);
    world.feed(Input::Chat(ChatEvent::Deleted(post)));
    // The second deletion is only seen by the catch-up.
    world.now += 1;
    world.chat.delete(&three, world.now);
    world.connect_chat();
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn a_deleted_session_ends_its_thread() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "Half");
    world.reply(&root, "two");
    world.agent.sessions.remove(&session);
    world.feed(Input::Agent(AgentEvent::SessionDeleted(session.clone())));
    world.wait(2_000);
    assert!(world.thread(&root)[1].ends_with("The session was deleted."));
    assert_eq!(world.map[&session].1, MappingStatus::Ended);
    world.reply(&root, "three");
    assert!(world.thread(&root).last().unwrap().starts_with("The session was deleted."));
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn a_session_that_was_deleted_during_a_gap_ends_its_thread() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.sessions.remove(&session);
    world.kill();
    world.wait(2_000);
    assert!(world.thread(&root)[1].ends_with("The session was deleted."));
}

#[test]
fn an_archived_session_is_opened_again_by_a_command() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.session(&session).info.is_archived = true;
    let info = world.agent.session(&session).info.clone();
    world.feed(Input::Agent(AgentEvent::Session(info)));
    assert_eq!(world.map[&session].1, MappingStatus::Disconnected);
    world.reply(&root, "two");
    assert!(world.thread(&root).last().unwrap().starts_with("The session is archived."));
    world.reply(&root, "!resume");
    assert_eq!(world.map[&session].1, MappingStatus::Active);
    world.reply(&root, "three");
    world.answer(&session, "3");
    assert_eq!(world.prompt_texts(), ["one", "three"]);
}

#[test]
fn prompts_that_wait_are_sent_when_an_archived_session_is_opened_again() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "two");
    world.agent.change(&session, |info| info.is_archived = true);
    world.run();
    world.answer(&session, "1");
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["one"]);
    assert_eq!(world.chat.marks(&two), [WAITS]);
    world.kill();
    world.reply(&root, "!resume");
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert_eq!(world.answers(&root), ["1", "2"]);
    assert!(world.chat.marks(&two).is_empty());
}

#[test]
fn a_prompt_that_did_not_arrive_is_sent_when_its_archived_session_is_opened_again() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    world.reply(&root, "two");
    world.agent.change(&session, |info| info.is_archived = true);
    world.run();
    world.wait(60_000);
    world.reply(&root, "!resume");
    world.wait(60_000);
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert!(world.core.state().prompts.is_empty());
}

#[test]
fn the_thread_of_a_deleted_session_says_how_many_prompts_were_dropped() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "two");
    world.reply(&root, "three");
    world.agent.sessions.remove(&session);
    world.feed(Input::Agent(AgentEvent::SessionDeleted(session)));
    assert_eq!(world.thread(&root).last().unwrap(), "2 waiting prompts were dropped.");
    assert!(world.chat.marks(&two).is_empty());
}

#[test]
fn a_deleted_thread_gives_up_its_session() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "Half");
    let post = world.chat.delete(&root, world.now);
    world.feed(Input::Chat(ChatEvent::Deleted(post)));
    assert_eq!(world.map[&session].1, MappingStatus::Orphaned);
    let before = world.chat.requests;
    world.answer(&session, " more");
    assert_eq!(world.chat.requests, before);
    // A command opens another thread.
    world.owner("!resume ses_000001");
    let root = world.core.state().threads[&session].root.clone().unwrap();
    world.reply(&root, "two");
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["2"]);
    assert_eq!(world.map[&session].1, MappingStatus::Active);
}

#[test]
fn a_thread_that_was_deleted_unnoticed_is_given_up() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.chat.delete(&root, world.now);
    world.answer(&session, "1");
    assert_eq!(world.map[&session].1, MappingStatus::Orphaned);
    assert_eq!(world.core.next_wakeup(), None);
}

#[test]
fn a_deleted_answer_is_not_posted_again() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "wrong ");
    let id = world.chat.by_key(&first_answer(&world)).unwrap().id.clone();
    world.chat.delete(&id, world.now);
    world.answer(&session, "words");
    world.kill();
    world.wait(5_000);
    assert!(world.answers(&root).is_empty());
    assert!(world.core.state().threads[&session].turns.is_empty());
}

fn first_answer(world: &World) -> String {
    format!("answer:{}:0", world.agent.prompts[0].0)
}

#[test]
fn answers_wait_while_the_bot_is_not_in_the_channel() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.chat.forbidden = Some(CHANNEL.into());
    world.feed(Input::Chat(ChatEvent::Removed(CHANNEL.into())));
    assert_eq!(world.map[&session].1, MappingStatus::Disconnected);
    world.answer(&session, "The answer.");
    world.wait(60_000);
    assert!(world.answers(&root).is_empty());
    world.chat.forbidden = None;
    world.post_in(CHANNEL, OWNER, None, "welcome back");
    world.wait(2_000);
    assert_eq!(world.answers(&root), ["The answer."]);
    assert_eq!(world.map[&session].1, MappingStatus::Active);
}

#[test]
fn a_prompt_whose_confirmation_was_lost_is_not_sent_again() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.loses_answer = true;
    world.reply(&root, "two");
    world.wait(60_000);
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert_eq!(world.answers(&root), ["1", "2"]);
}

#[test]
fn a_prompt_that_did_not_arrive_is_sent_again_with_the_same_id() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    world.reply(&root, "two");
    assert_eq!(world.prompt_texts(), ["one"]);
    world.wait(30_000);
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["1", "2"]);
}

#[test]
fn a_prompt_in_doubt_is_sent_again_only_by_a_user() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    let two = world.reply(&root, "two");
    world.restart_agent();
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["one"]);
    assert!(world.thread(&root).last().unwrap().starts_with("It is not certain"));
    world.kill();
    world.react("user-stranger", &two, "repeat");
    assert_eq!(world.prompt_texts(), ["one"]);
    world.react(OWNER, &two, "repeat");
    world.react(OWNER, &two, "repeat");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["1", "2"]);
}

#[test]
fn a_restart_of_opencode_during_an_answer_is_shown() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "Half");
    world.reply(&root, "two");
    world.restart_agent();
    world.wait(5_000);
    let answers = world.answers(&root);
    assert!(answers[0].contains("OpenCode was restarted before it finished"), "{answers:?}");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    world.answer(&session, "2");
    assert_eq!(world.answers(&root)[1], "2");
    world.react(OWNER, &root, "repeat");
    world.answer(&session, "1");
    assert_eq!(world.answers(&root)[2], "1");
    let ids: Vec<_> = world.prompts().into_iter().map(|(id, _)| id).collect();
    assert_ne!(ids[0], ids[2]);
}

#[test]
fn an_unreachable_chat_gets_all_posts_later_and_once() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "The beginning ");
    world.chat.is_down = true;
    world.write(&session, "and the end.");
    world.finish(&session);
    world.wait(20_000);
    assert_eq!(world.answers(&root), ["The beginning"]);
    world.connect_chat();
    world.wait(2_000);
    assert_eq!(world.answers(&root), ["The beginning and the end."]);
    assert_eq!(world.core.next_wakeup(), None);
}

#[test]
fn a_deactivated_user_has_no_prompts_in_the_queue() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.post("user-friend", Some(&root), "two");
    world.reply(&root, "three");
    world.feed(Input::Chat(ChatEvent::UserDeactivated("user-friend".into())));
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one", "three"]);
}

#[test]
fn a_session_that_is_being_created_twice_has_one_thread() {
    let mut world = World::new();
    world.agent.is_down = true;
    world.feed(Input::Agent(AgentEvent::Disconnected));
    let root = world.owner("one");
    assert!(world.agent.sessions.is_empty());
    world.agent.is_down = false;
    // The first request arrived although its answer did not.
    world.agent.create_for(Some(root.clone()), "/src/app", "one", world.now);
    world.agent.create_for(Some(root.clone()), "/src/app", "one", world.now);
    world.connect_agent();
    let session = world.core.state().roots[&root].clone();
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one"]);
    assert_eq!(world.core.state().threads.len(), 1);
}

#[test]
fn a_prompt_that_did_not_leave_the_bridge_is_sent_later() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    // The bridge does not know yet that OpenCode has ended.
    world.agent.is_down = true;
    let two = world.reply(&root, "two");
    assert_eq!(world.chat.marks(&two), [WAITS]);
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["one"]);
    world.restart_agent();
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert_eq!(world.answers(&root), ["1", "2"]);
    assert!(world.chat.marks(&two).is_empty());

    // It comes back without a gap in its events.
    world.agent.is_down = true;
    world.reply(&root, "three");
    world.agent.is_down = false;
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["one", "two", "three"]);
}

#[test]
fn what_opencode_refuses_is_shown() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.rejection = Some("the directory does not exist".into());
    world.reply(&root, "two");
    let refused = "The prompt was refused: the directory does not exist";
    assert_eq!(world.thread(&root).last().unwrap(), refused);
    let other = world.owner("three");
    let refused = "The session was not created: the directory does not exist";
    assert_eq!(world.thread(&other)[1], refused);
    world.agent.rejection = None;
    world.reply(&root, "four");
    assert_eq!(world.prompt_texts(), ["one", "four"]);
    assert_eq!(world.core.state().starts.len(), 0);
}

#[test]
fn a_session_from_before_the_first_start_gets_a_thread_when_it_is_prompted() {
    let mut world = World::new();
    let session = world.agent.create("/src/app", "old", world.now - 1_000_000);
    let old = world.agent.message_id(world.now - 900_000);
    world.agent.prompt(&session, &old, "long ago", world.now - 900_000);
    world.agent.finish(&session, world.now - 900_000);
    world.run();
    assert!(world.chat.posts.is_empty());
    world.now += 1;
    let id = world.agent.message_id(world.now);
    world.agent.session(&session).info.updated = Millis(world.now);
    let info = world.agent.session(&session).info.clone();
    world.feed(Input::Agent(AgentEvent::Session(info)));
    world.agent.prompt(&session, &id, "typed", world.now);
    world.answer(&session, "printed");
    let root = world.core.state().threads[&session].root.clone().unwrap();
    assert_eq!(world.answers(&root), ["> typed\n\nprinted"]);
}

#[test]
fn a_turn_that_begins_before_the_state_of_opencode_is_known_is_not_interrupted() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.feed(Input::Agent(AgentEvent::Disconnected));
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&session, &id, "two", world.now);
    // OpenCode does not say yet that it works.
    world.agent.session(&session).is_busy = false;
    world.agent.events.pop_back();
    world.run();
    world.connect_agent();
    world.agent.session(&session).is_busy = true;
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["1", "> two\n\n2"]);
}
