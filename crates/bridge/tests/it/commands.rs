//! Commands, and their rights.

use skein_bridge::core::input::Body;

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
fn an_owner_invites_and_kicks_a_guest_for_one_session() {
    let mut world = World::new();
    let root = world.post_in(CHANNEL, OWNER, None, "@skein one");
    let session = world.core.state().roots[&root].clone();
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
fn what_reached_the_agent_is_in_the_audit_log() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.reply(&root, "!abort");
    let log: Vec<_> =
        world.audit.iter().map(|one| format!("{}: {}", one.what, one.result)).collect();
    assert_eq!(log, ["start: created", "prompt \"go\": accepted", "abort: sent"]);
    assert!(world.audit.iter().all(|one| one.session.as_ref() == Some(&session)));
    assert!(world.audit.iter().all(|one| one.user.as_ref().unwrap().as_str() == OWNER));
}
