//! What happens while one side is away.

use skein_bridge::core::action::MappingStatus;
use skein_bridge::core::ids::{Millis, PostId, SessionId};
use skein_bridge::core::input::{AgentEvent, AskReply, AskRequest, ChatEvent, Post, RequestKind};
use skein_bridge::core::slot::{PostLocation, Slot};
use skein_bridge::core::state::Thread;
use skein_bridge::core::{BridgeState, Core, Input, JournalRecord};

use crate::world::{CHANNEL, HOME, OWNER, World};

/// Returns a thread with a prompt of which it is not certain that OpenCode has it.
fn doubtful(world: &mut World) -> (PostId, SessionId, PostId) {
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    let two = world.reply(&root, "two");
    world.write(&session, "Half");
    world.restart_agent();
    world.wait(5_000);
    (root, session, two)
}

#[test]
fn a_reaction_from_before_the_doubt_does_not_repeat_a_prompt() {
    let mut world = World::new();
    let (root, session, two) = doubtful(&mut world);
    world.react(OWNER, &two, "repeat");
    assert_eq!(world.prompt_texts(), ["one", "two", "two"]);
    world.write(&session, "Half again");
    world.wait(1_000);
    world.restart_agent();
    world.wait(5_000);
    // The reaction that was taken is still there.
    world.connect_chat();
    world.kill();
    assert_eq!(world.prompt_texts(), ["one", "two", "two"]);
    world.chat.is_down = true;
    world.react(OWNER, &two, "repeat");
    world.connect_chat();
    assert_eq!(world.prompt_texts(), ["one", "two", "two", "two"]);
    world.answer(&session, "2");
    assert_eq!(world.answers(&root).last().unwrap(), "2");
}

#[test]
fn a_reaction_counts_when_the_clock_of_the_chat_is_behind() {
    let mut world = World::new();
    world.chat.behind = 60_000;
    let (_, _, two) = doubtful(&mut world);
    world.react(OWNER, &two, "repeat");
    assert_eq!(world.prompt_texts(), ["one", "two", "two"]);
}

#[test]
fn a_prompt_that_waits_is_dropped_by_a_reaction_that_was_missed() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "two");
    world.chat.is_down = true;
    world.react(OWNER, &two, "x");
    world.connect_chat();
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one"]);
}

fn permission(id: &str, session: &SessionId) -> AskRequest {
    let kind = RequestKind::Permission {
        permission: "bash".into(),
        command: "make".into(),
        diff: None,
        always: Vec::new(),
        is_partial: false,
    };
    AskRequest { id: id.into(), session: session.clone(), kind }
}

/// Deletes the thread of a session and opens another. Returns the deletion and the new root.
fn resume(world: &mut World, root: &PostId, session: &SessionId) -> (ChatEvent, PostId) {
    let deleted = ChatEvent::Deleted(world.chat.delete(root, world.now));
    world.feed(Input::Chat(deleted.clone()));
    let short: String = session.as_str().chars().skip("ses_session".len()).collect();
    world.owner(&format!("!resume ses_{short}"));
    (deleted, world.core.state().threads[session].root.clone().unwrap())
}

#[test]
fn a_resumed_thread_is_not_lost_with_its_old_one() {
    let mut world = World::new();
    let (old, session) = world.session("one");
    world.write(&session, "Half");
    let (deleted, root) = resume(&mut world, &old, &session);
    // The deletion is heard again, and found by the catch-up.
    world.feed(Input::Chat(deleted.clone()));
    world.kill();
    world.feed(Input::Chat(deleted));
    assert_eq!(world.map[&session].1, MappingStatus::Active);
    world.agent.finish(&session, world.now);
    world.run();
    world.reply(&root, "two");
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["2"]);
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    let state = world.core.state();
    assert!(state.prompts.is_empty(), "{:?}", state.prompts);
    assert!(!state.roots.contains_key(&old));
    assert!(state.posts.values().all(|post| post.place.root.as_ref() == Some(&root)));
}

#[test]
fn what_is_asked_for_is_shown_in_the_thread_that_replaces_a_deleted_one() {
    let mut world = World::new();
    let (old, session) = world.session("one");
    world.agent.ask(permission("ask_before", &session));
    world.run();
    let deleted = world.chat.delete(&old, world.now);
    world.feed(Input::Chat(ChatEvent::Deleted(deleted)));
    world.agent.ask(permission("ask_after", &session));
    world.agent.ask(permission("ask_ended", &session));
    world.run();
    world.agent.asks.pop();
    let closed = AgentEvent::AskClosed { id: "ask_ended".into(), reply: AskReply::Once };
    world.feed(Input::Agent(closed));
    assert!(!world.core.state().asks.contains_key(&"ask_ended".into()));
    let (_, root) = resume(&mut world, &old, &session);
    for id in ["ask_before", "ask_after"] {
        let shown =
            world.chat.thread(&root).into_iter().find(|post| {
                post.key.as_ref().is_some_and(|key| key.as_str() == format!("ask:{id}"))
            });
        let post = shown.unwrap_or_else(|| panic!("{id} is not shown")).id.clone();
        world.react(OWNER, &post, "+1");
        assert_eq!(world.agent.replies.last().unwrap(), &(id.into(), AskReply::Once));
    }
}

#[test]
fn edits_and_deletions_are_found_when_too_much_has_changed() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let edited = world.reply(&root, "tow");
    let deleted = world.reply(&root, "three");
    let (lost, other) = world.session("four");
    world.answer(&other, "4");
    world.now += 3_600_000;
    // The position of the channel is far behind the changes.
    let late = world.owner("five");
    world.answer(&world.core.state().roots[&late].clone(), "5");
    world.chat.is_down = true;
    world.chat.edit(&edited, "two", world.now);
    world.chat.delete(&deleted, world.now);
    world.chat.delete(&lost, world.now);
    world.chat.hides_changes = true;
    world.connect_chat();
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one", "four", "five", "two"]);
    assert_eq!(world.map[&other].1, MappingStatus::Orphaned);
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts().len(), 4);
}

#[test]
fn a_channel_that_cannot_be_read_is_tried_less_and_less_often() {
    let mut world = World::new();
    let (_, session) = world.session("one");
    world.answer(&session, "1");
    world.chat.is_down = true;
    let channels = world.chat.channels();
    world.feed(Input::Chat(ChatEvent::Connected { complete: false, channels }));
    world.wait(300_000);
    let times = world.chat.catch_ups.iter().map(|at| (at - world.chat.catch_ups[0]) / 1_000);
    assert_eq!(times.collect::<Vec<_>>(), [0, 5, 15, 35, 75, 135, 195, 255]);
    world.chat.is_down = false;
    let missed = world.chat.write(HOME, OWNER, None, "missed", world.now);
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["one", "missed"]);
    assert!(world.core.state().handled.contains_key(&missed.id));
}

#[test]
fn a_channel_that_the_bot_may_not_read_is_left_until_it_is_back() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.answer(&session, "1");
    let channels = world.chat.channels();
    world.chat.forbidden = Some(CHANNEL.into());
    // The list of channels is older than the removal.
    world.feed(Input::Chat(ChatEvent::Connected { complete: false, channels }));
    assert_eq!(world.map[&session].1, MappingStatus::Disconnected);
    assert_eq!(world.core.next_wakeup(), None);
    world.chat.write(CHANNEL, OWNER, Some(&root), "missed", world.now + 1);
    world.now += 3_600_000;
    world.chat.forbidden = None;
    world.post_in(CHANNEL, OWNER, Some(&root), "welcome back");
    world.answer(&session, "2");
    world.answer(&session, "3");
    assert_eq!(world.prompt_texts(), ["one", "missed", "welcome back"]);
    assert_eq!(world.map[&session].1, MappingStatus::Active);
}

#[test]
fn a_bot_that_is_added_to_its_channel_again_reads_what_it_missed() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.answer(&session, "1");
    world.feed(Input::Chat(ChatEvent::Removed(CHANNEL.into())));
    world.chat.write(CHANNEL, OWNER, Some(&root), "missed", world.now + 1);
    world.now += 2;
    let added =
        world.chat.write(CHANNEL, OWNER, None, "ada added skein to the channel.", world.now);
    let added = Post { is_automatic: true, ..added };
    world.feed(Input::Chat(ChatEvent::Posted(added)));
    assert_eq!(world.prompt_texts()[1], "missed");
    assert_eq!(world.map[&session].1, MappingStatus::Active);
}

#[test]
fn posts_from_during_the_search_for_missed_ones_are_taken_after_them() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.feed(Input::Chat(ChatEvent::Missed));
    world.chat.write(HOME, OWNER, Some(&root), "two", world.now + 1);
    let start = world.chat.write(HOME, OWNER, None, "other", world.now + 2);
    world.now += 3;
    // The bridge hears these before it has looked for the others.
    for (root, text) in [(&root, "three"), (&start.id, "more")] {
        let post = world.chat.write(HOME, OWNER, Some(root), text, world.now);
        world.give(Input::Chat(ChatEvent::Posted(post)));
    }
    world.connect_chat();
    world.answer(&session, "2");
    let other = world.core.state().roots[&start.id].clone();
    world.answer(&other, "1");
    assert_eq!(world.prompt_texts(), ["one", "two", "other", "three", "more"]);
    let refused = |text: &String| text.contains("has no session");
    assert!(!world.thread(&start.id).iter().any(refused));
}

#[test]
fn a_gap_during_the_search_for_missed_posts_is_searched_too() {
    let mut world = World::new();
    world.session("one");
    let channels = world.chat.channels();
    let connected = Input::Chat(ChatEvent::Connected { complete: false, channels });
    world.chat.catch_ups.clear();
    world.give(connected.clone());
    world.give(connected);
    world.run();
    assert_eq!(world.chat.catch_ups.len(), 2);
}

/// A user edits a post, and the bridge hears it.
fn edit(world: &mut World, post: &PostId, text: &str) {
    let post = world.chat.edit(post, text, world.now);
    world.feed(Input::Chat(ChatEvent::Edited(post)));
}

#[test]
fn a_prompt_that_waits_for_long_can_be_edited() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "tow");
    let three = world.reply(&root, "there");
    // Posts of another thread move the position of the channel.
    let (other, busy) = world.session("other");
    world.answer(&busy, "0");
    for _ in 0..4 {
        world.now += 15 * 60_000;
        world.reply(&other, "more");
        world.answer(&busy, "0");
    }
    edit(&mut world, &two, "two");
    world.kill();
    world.chat.is_down = true;
    world.chat.edit(&three, "three", world.now);
    world.connect_chat();
    world.answer(&session, "1");
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts()[6..], ["two", "three"]);
    world.answer(&session, "3");
    // Later, neither of them is remembered.
    world.now += 15 * 60_000;
    world.reply(&other, "more");
    world.answer(&busy, "0");
    world.now += 15 * 60_000;
    world.reply(&other, "more");
    assert!(!world.core.state().handled.contains_key(&two));
}

#[test]
fn an_edited_command_that_starts_a_session_has_the_new_prompt() {
    let mut world = World::new();
    world.agent.is_down = true;
    world.feed(Input::Agent(AgentEvent::Disconnected));
    let root = world.owner("!new fix the tset");
    edit(&mut world, &root, "!new fix the test");
    world.connect_agent();
    assert_eq!(world.prompt_texts(), ["fix the test"]);
}

#[test]
fn a_prompt_that_is_edited_to_an_empty_text_is_dropped() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "two");
    edit(&mut world, &two, "  ");
    assert_eq!(world.thread(&root).last().unwrap(), "The prompt is empty and was dropped.");
    assert!(world.chat.marks(&two).is_empty());
    // It does not come back.
    let length = world.thread(&root).len();
    edit(&mut world, &two, "again");
    world.answer(&session, "1");
    world.kill();
    assert_eq!(world.prompt_texts(), ["one"]);
    assert_eq!(world.thread(&root).len(), length + 1);

    world.agent.is_down = true;
    world.feed(Input::Agent(AgentEvent::Disconnected));
    let start = world.owner("three");
    edit(&mut world, &start, "");
    world.connect_agent();
    assert_eq!(world.prompt_texts(), ["one"]);
    assert_eq!(world.agent.sessions.len(), 1);
    assert_eq!(world.thread(&start).last().unwrap(), "The prompt is empty and was dropped.");
}

#[test]
fn a_doubtful_prompt_is_repeated_as_it_was_edited() {
    let mut world = World::new();
    let (_, _, two) = doubtful(&mut world);
    edit(&mut world, &two, "2");
    world.react(OWNER, &two, "repeat");
    assert_eq!(world.prompt_texts(), ["one", "two", "2"]);
}

#[test]
fn users_are_asked_for_once_after_each_connection() {
    let mut world = World::new();
    assert_eq!(world.chat.user_requests, 1);
    world.wait(3_600_000);
    assert_eq!(world.chat.user_requests, 1);
    world.chat.is_down = true;
    let channels = world.chat.channels();
    world.feed(Input::Chat(ChatEvent::Connected { complete: false, channels }));
    world.chat.is_down = false;
    world.wait(3_600_000);
    assert_eq!(world.chat.user_requests, 3);
    assert_eq!(world.core.next_wakeup(), None);
}

const DAY: u64 = 24 * 60 * 60_000;

#[test]
fn threads_that_ended_long_ago_are_forgotten() {
    let mut world = World::new();
    let (root, deleted) = world.session("deleted");
    world.answer(&deleted, "1");
    world.agent.sessions.remove(&deleted);
    world.feed(Input::Agent(AgentEvent::SessionDeleted(deleted.clone())));
    let (lost_root, lost) = world.session("lost");
    let (used_root, used) = world.session("lost, but used");
    let (_, open) = world.session("open");
    for (root, session) in [(&lost_root, &lost), (&used_root, &used)] {
        world.answer(session, "2");
        let post = world.chat.delete(root, world.now);
        world.feed(Input::Chat(ChatEvent::Deleted(post)));
    }
    world.now += 29 * DAY;
    world.connect_agent();
    assert_eq!(world.core.state().threads.len(), 4);
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&used, &id, "typed", world.now);
    world.agent.finish(&used, world.now);
    world.now += 2 * DAY;
    world.kill();
    world.connect_agent();
    let state = world.core.state();
    let kept: Vec<_> = state.threads.keys().collect();
    assert_eq!(kept, [&used, &open], "no thread was opened again");
    assert!(!state.roots.contains_key(&root) && !state.roots.contains_key(&lost_root));
    assert_eq!(world.chat.thread(&lost_root).len(), 0);
    world.reply(&root, "hello?");
    assert!(world.thread(&root).last().unwrap().starts_with("This thread has no session."));
    // It is used again after all.
    let session = world.agent.session(&lost);
    session.info.updated = Millis(world.now);
    let info = session.info.clone();
    world.feed(Input::Agent(AgentEvent::Session(info)));
    assert!(world.core.state().threads.contains_key(&lost));
}

#[test]
fn a_restart_with_ten_thousand_threads_requests_nothing_for_them() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    let thread = world.core.state().threads[&session].clone();
    let mut journal = vec![world.core.snapshot()];
    for number in 0..10_000 {
        let id = world.agent.create("/src/app", &format!("session {number}"), world.now - 1);
        let post = PostId::from(format!("root {number}"));
        let title = world.agent.session(&id).info.title.clone();
        let root = Some(post.clone());
        let seen = Millis(world.now);
        let thread = Thread { session: id.clone(), title, root, seen, ..thread.clone() };
        let slot = Slot::Session(id);
        let (key, at) = (slot.key(), Millis(world.now));
        let place = PostLocation { channel: HOME.into(), root: Some(post.clone()), at };
        journal.push(JournalRecord::ThreadOpened(Box::new(thread)));
        journal.push(JournalRecord::PostPlanned { slot, place });
        journal.push(JournalRecord::PostCreated { key, post, created: at });
    }
    world.agent.events.clear();
    world.core = Core::new(world.settings.clone(), BridgeState::from_records(&journal));
    world.journal = journal;
    let (requests, fetches) = (world.chat.requests, world.agent.fetches);
    world.kill();
    world.wait(60_000);
    assert_eq!(world.chat.requests, requests);
    assert!(world.agent.fetches - fetches <= 1, "{}", world.agent.fetches);
    world.reply(&root, "two");
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["1", "2"]);
    assert_eq!(world.core.state().threads.len(), 10_001);
}

#[test]
fn a_gap_within_a_connection_hides_no_post() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.chat.write(HOME, OWNER, Some(&root), "missed", world.now + 1);
    world.feed(Input::Chat(ChatEvent::Missed));
    world.now += 3_600_000;
    // Another connection is complete before the channels are known.
    world.feed(Input::Chat(ChatEvent::Disconnected));
    let resumed = ChatEvent::Connected { complete: true, channels: Vec::new() };
    world.feed(Input::Chat(resumed));
    world.reply(&root, "live");
    world.connect_chat();
    world.answer(&session, "2");
    world.answer(&session, "3");
    world.connect_chat();
    assert_eq!(world.prompt_texts(), ["one", "missed", "live"]);
}
