//! Commands, and their rights.

use skein_bridge::core::Input;
use skein_bridge::core::ids::{Millis, PostId};
use skein_bridge::core::input::{AgentEvent, Body, ChatEvent, Reaction};

use crate::world::{CHANNEL, OWNER, World};

#[test]
fn commands_are_answered_in_the_thread_of_their_post() {
    let mut world = World::new();
    let root = world.owner("!help");
    assert!(world.thread(&root)[1].contains("`!queue [drop N]`"));
    let root = world.owner("!sessions");
    assert_eq!(world.thread(&root)[1], "There are no sessions.");
    let root = world.owner("!nothing");
    assert_eq!(world.thread(&root)[1], "No command `nothing`; `!help` lists all.");
    let root = world.owner("!abort");
    assert_eq!(world.thread(&root)[1], "`abort` works in the thread of a session.");
    let root = world.owner("!status");
    assert!(world.thread(&root)[1].starts_with("OpenCode is connected. 0 open sessions"));
    assert!(world.agent.sessions.is_empty());
}

#[test]
fn the_model_is_chosen_by_name_or_by_a_number_alone() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "1");
    let model = |world: &World| world.core.state().threads[&session].model.clone();
    world.reply(&root, "!model 3 files are broken");
    assert_eq!(model(&world), None);
    world.reply(&root, "!model 2");
    assert_eq!(model(&world).as_deref(), Some("fake/other"));
    world.reply(&root, "!model echo");
    assert_eq!(model(&world).as_deref(), Some("fake/echo"));
    world.reply(&root, "!agent plan");
    world.reply(&root, "next");
    let request = world.agent.requests.last().unwrap();
    assert_eq!(request.model.as_deref(), Some("fake/echo"));
    assert_eq!(request.agent.as_deref(), Some("plan"));
    world.reply(&root, "!model default");
    assert_eq!(model(&world), None);
}

#[test]
fn a_slash_is_a_command_of_opencode() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "1");
    world.reply(&root, "/init all of it");
    let (name, arguments) = ("init".into(), "all of it".into());
    assert_eq!(world.agent.requests[1].body, Body::Command { name, arguments });
    world.answer(&session, "2");
    world.reply(&root, "/etc/passwd is a file");
    assert!(matches!(world.agent.requests[2].body, Body::Text(_)));
}

#[test]
fn a_command_of_opencode_is_not_sent_again_by_itself() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    let command = world.reply(&root, "/init");
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["go"]);
    let last = world.thread(&root).pop().unwrap();
    assert!(last.starts_with("It is not certain that OpenCode has this command."), "{last}");
    let (user, emoji, at) = (OWNER.into(), "repeat".into(), Millis(world.now));
    let reaction = Reaction { post: command, user, emoji, at };
    world.feed(Input::Chat(ChatEvent::Reacted(reaction)));
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["go", "/init "]);
    // One that arrived is found by its id.
    world.agent.loses_answer = true;
    world.reply(&root, "/init again");
    world.wait(60_000);
    world.answer(&session, "3");
    assert_eq!(world.prompt_texts(), ["go", "/init ", "/init again"]);
    assert_eq!(world.answers(&root), ["1", "2", "3"]);
}

#[test]
fn an_owner_invites_and_kicks_a_guest_for_one_session() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.answer(&session, "1");
    let other = world.post_in(CHANNEL, OWNER, None, "@skein other");
    world.post("user-friend", Some(&root), "!invite @guest");
    world.post("user-guest", Some(&root), "not yet");
    world.reply(&root, "!invite @guest");
    world.post("user-guest", Some(&root), "hello");
    world.answer(&session, "2");
    world.post("user-guest", Some(&other), "not here");
    world.post_in(CHANNEL, "user-guest", None, "@skein not a start");
    world.reply(&root, "!kick @guest");
    world.post("user-guest", Some(&root), "no more");
    assert_eq!(world.prompt_texts(), ["one", "other", "hello"]);
    world.reply(&root, "!invite @unknown");
    assert_eq!(world.thread(&root).last().unwrap(), "No such user.");
}

#[test]
fn a_guest_sees_only_the_sessions_of_the_invitations() {
    let mut world = World::new();
    let root = world.post_in(CHANNEL, OWNER, None, "@skein one");
    world.post_in(CHANNEL, OWNER, None, "@skein other");
    world.reply(&root, "!invite @guest");
    world.post("user-guest", Some(&root), "!sessions");
    assert_eq!(world.thread(&root).last().unwrap(), "- `ses_000001` app: one");
    world.post("user-friend", Some(&root), "!sessions");
    let all = "- `ses_000003` app: other\n- `ses_000001` app: one";
    assert_eq!(world.thread(&root).last().unwrap(), all);
}

#[test]
fn what_a_guest_has_in_the_queue_is_dropped_with_the_invitation() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.reply(&root, "!invite @guest");
    world.post("user-guest", Some(&root), "of the guest");
    world.reply(&root, "of the owner");
    world.reply(&root, "!kick @guest");
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one", "of the owner"]);
}

#[test]
fn a_muted_thread_shows_only_whole_answers() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.reply(&root, "!mute");
    world.write(&session, "Half ");
    world.wait(5_000);
    assert!(world.answers(&root).is_empty());
    world.answer(&session, "and half.");
    assert_eq!(world.answers(&root), ["Half and half."]);
}

#[test]
fn a_command_is_answered_once_also_after_a_kill() {
    for steps in 0..6 {
        let mut world = World::new();
        world.steps_to_kill = Some(steps);
        let root = world.owner("!models");
        world.wait(10_000);
        let answers = world.thread(&root);
        assert_eq!(answers[1..], ["1. `fake/echo`\n2. `fake/other`"], "{steps} steps");
    }
}

#[test]
fn a_session_without_a_thread_is_resumed_by_its_id() {
    let mut world = World::new();
    let session = world.agent.create("/src/app", "old", world.now - 5_000);
    world.agent.create("/etc", "not allowed", world.now - 5_000);
    world.run();
    let root = world.owner("!sessions");
    assert_eq!(world.thread(&root)[1], "- `ses_000001` app: old (no thread)");
    world.owner("!resume ses_000002");
    world.owner("!resume ses_000001");
    assert_eq!(world.core.state().threads.len(), 1);
    let root = world.core.state().threads[&session].root.clone().unwrap();
    world.reply(&root, "hello");
    world.answer(&session, "1");
    assert_eq!(world.answers(&root), ["1"]);
}

#[test]
fn a_command_that_opencode_refuses_says_so() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "1");
    world.agent.rejection = Some("not now".into());
    world.reply(&root, "!compact");
    let thread = world.thread(&root);
    let last = ["The history is being made shorter.", "`compact` failed: not now"];
    assert_eq!(thread[thread.len() - 2..], last);

    world.agent.session(&session).info.is_archived = true;
    let info = world.agent.session(&session).info.clone();
    world.feed(Input::Agent(AgentEvent::Session(info)));
    world.reply(&root, "!resume");
    assert_eq!(world.thread(&root).last().unwrap(), "`resume` failed: not now");
    let main = world.owner("!resume ses_000001");
    assert_eq!(world.thread(&main).last().unwrap(), "`resume` failed: not now");
    world.agent.rejection = None;
    world.reply(&root, "!resume");
    assert_eq!(world.thread(&root).last().unwrap(), "The session is opened again.");
    let results: Vec<_> = log(&world).into_iter().skip(4).collect();
    let (sent, refused) = ("resume: sent".to_owned(), "resume: refused: not now".to_owned());
    let compact = ["compact: sent".to_owned(), "compact: refused: not now".to_owned()];
    let resume = [&sent, &refused, &sent, &refused, &sent].map(Clone::clone);
    assert_eq!(results, [&compact[..], &resume[..]].concat());
}

fn log(world: &World) -> Vec<String> {
    world.audit.iter().map(|one| format!("{}: {}", one.what, one.result)).collect()
}

#[test]
fn what_is_asked_of_the_agent_is_in_the_audit_log_with_its_result() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.reply(&root, "!abort");
    let expected = [
        "start in /src/app: sent",
        "start in /src/app: created",
        "prompt \"go\": sent",
        "prompt \"go\": accepted",
        "abort: sent",
    ];
    assert_eq!(log(&world), expected);
    assert!(world.audit[1..].iter().all(|one| one.session.as_ref() == Some(&session)));
    assert!(world.audit.iter().all(|one| one.user.as_ref().unwrap().as_str() == OWNER));
}

#[test]
fn who_changed_the_rights_and_the_model_of_a_session_is_in_the_audit_log() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let start = log(&world).len();
    let commands = [
        "!invite @Guest",
        "!invite @unknown",
        "!kick @guest",
        "!model 2",
        "!agent plan",
        "!model default",
        "!agent default",
    ];
    for command in commands {
        world.reply(&root, command);
    }
    let expected = [
        "invite guest: done",
        "kick guest: done",
        "model fake/other: done",
        "agent plan: done",
        "model default: done",
        "agent default: done",
    ];
    assert_eq!(log(&world)[start..], expected);
    assert!(world.audit[start..].iter().all(|one| one.session.as_ref() == Some(&session)));
    assert!(world.audit.iter().all(|one| one.user.as_ref().unwrap().as_str() == OWNER));
}

#[test]
fn what_reached_the_agent_before_a_kill_is_in_the_audit_log() {
    for steps in 0..20 {
        let mut world = World::new();
        world.steps_to_kill = Some(steps);
        world.owner("go");
        world.wait(60_000);
        let log = log(&world);
        let count = |entry: &str| log.iter().filter(|one| *one == entry).count();
        assert!(count("prompt \"go\": sent") >= world.agent.prompts.len(), "{steps}: {log:?}");
        assert_eq!(world.agent.prompts.len(), 1, "{steps}");
        assert_eq!(count("prompt \"go\": accepted"), 1, "{steps}: {log:?}");
        assert!(count("start in /src/app: sent") >= world.agent.sessions.len(), "{steps}: {log:?}");
    }
}

/// A user changes the text of a post.
fn edit(world: &mut World, post: &PostId, text: &str) {
    let edited = world.chat.edit(post, text, world.now);
    world.feed(Input::Chat(ChatEvent::Edited(edited)));
}

#[test]
fn a_waiting_prompt_that_is_edited_to_a_command_is_one() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    let two = world.reply(&root, "two");
    edit(&mut world, &two, "!abort");
    world.wait(3_000);
    assert_eq!(world.agent.aborts, 1);
    assert!(world.chat.marks(&two).is_empty());
    // It is carried out once.
    world.kill();
    edit(&mut world, &two, "!abort now");
    world.reply(&root, "three");
    world.answer(&session, "3");
    assert_eq!(world.agent.aborts, 1);
    assert_eq!(world.prompt_texts(), ["one", "three"]);
}

#[test]
fn a_start_that_is_edited_to_a_command_starts_nothing() {
    let mut world = World::new();
    world.agent.is_down = true;
    world.feed(Input::Agent(AgentEvent::Disconnected));
    let root = world.owner("fix it");
    edit(&mut world, &root, "!help");
    world.connect_agent();
    assert!(world.agent.sessions.is_empty());
    assert!(world.thread(&root).last().unwrap().contains("`!abort`"));
}

#[test]
fn a_reaction_stops_the_agent() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.write(&session, "The beginning");
    world.wait(2_000);
    let key = world.chat.thread(&root).pop().unwrap().id.clone();
    world.react("user-stranger", &key, "octagonal_sign");
    assert_eq!(world.agent.aborts, 0);
    world.react("user-friend", &key, "octagonal_sign");
    world.wait(3_000);
    assert_eq!(world.agent.aborts, 1);
    let two = world.reply(&root, "two");
    world.react(OWNER, &two, "stop_sign");
    world.wait(3_000);
    assert_eq!(world.agent.aborts, 2);
    // Nothing is being written any more.
    world.react(OWNER, &two, "octagonal_sign");
    world.react(OWNER, &key, "octagonal_sign");
    assert_eq!(world.agent.aborts, 2);
}
