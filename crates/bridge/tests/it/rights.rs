//! Users who lose their rights while prompts of theirs wait, or while the bridge is away.

use skein_bridge::core::Input;
use skein_bridge::core::input::{AgentEvent, ChatEvent};
use skein_bridge::core::state::PromptState;

use crate::world::{CHANNEL, OWNER, World};

#[test]
fn a_user_who_was_deactivated_unnoticed_loses_prompts_and_invitations() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.reply(&root, "!invite @guest");
    world.post("user-guest", Some(&root), "from the guest");
    world.post("user-friend", Some(&root), "from a friend");
    world.reply(&root, "two");
    world.chat.deactivated = vec!["user-guest".into(), "user-friend".into()];
    world.kill();
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert!(world.core.state().threads[&session].invited.is_empty());
}

#[test]
fn a_user_who_is_not_in_the_settings_any_more_has_no_prompts_in_the_queue() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.reply(&root, "!invite @guest");
    let two = world.post("user-friend", Some(&root), "from a friend");
    world.post("user-guest", Some(&root), "from the guest");
    world.settings.users.clear();
    world.kill();
    assert!(world.chat.marks(&two).is_empty());
    world.answer(&session, "1");
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "from the guest"]);
    assert!(world.core.state().prompts.is_empty());
}

#[test]
fn a_doubtful_prompt_of_a_user_who_is_not_in_the_settings_any_more_is_dropped() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    let two = world.post("user-friend", Some(&root), "two");
    world.restart_agent();
    assert_eq!(world.core.state().prompts[&two].state, PromptState::Doubtful);
    world.settings.users.clear();
    world.kill();
    world.react(OWNER, &two, "repeat");
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn a_prompt_that_did_not_arrive_is_not_repeated_for_a_user_without_rights() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    world.post("user-friend", Some(&root), "two");
    world.reply(&root, "three");
    world.settings.users.clear();
    world.kill();
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["one", "three"]);
}

#[test]
fn a_prompt_that_was_not_delivered_is_dropped_if_its_user_has_lost_the_rights() {
    let mut world = World::new();
    let (root, session) = world.session_in_channel("one");
    world.answer(&session, "1");
    world.reply(&root, "!invite @guest");
    world.agent.is_down = true;
    let post = world.chat.write(CHANNEL, "user-guest", Some(&root), "two", world.now + 1);
    world.give(Input::Chat(ChatEvent::Posted(post)));
    world.give(Input::Chat(ChatEvent::UserDeactivated("user-guest".into())));
    world.run();
    world.agent.is_down = false;
    world.wait(60_000);
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn a_user_who_is_not_in_the_settings_any_more_starts_no_session() {
    let mut world = World::new();
    world.agent.is_down = true;
    world.feed(Input::Agent(AgentEvent::Disconnected));
    let root = world.post_in(CHANNEL, "user-friend", None, "@skein one");
    let reply = world.reply(&root, "two");
    world.settings.users.clear();
    world.kill();
    world.wait(60_000);
    assert!(world.agent.sessions.is_empty());
    assert!(world.core.state().starts.is_empty() && world.core.state().prompts.is_empty());
    assert!(world.chat.marks(&reply).is_empty());
}
