//! A clock that is set back.

use skein_bridge::core::Input;
use skein_bridge::core::input::AgentEvent;

use crate::world::{OWNER, World};

const STEPS: [u64; 2] = [30_000, 10 * 60_000];

#[test]
fn a_clock_that_is_set_back_delays_no_answer() {
    for step in STEPS {
        let mut world = World::new();
        let (root, session) = world.session("one");
        world.write(&session, "The beginning ");
        world.wait(2_000);
        world.now -= step;
        world.write(&session, "goes on ");
        world.wait(2_000);
        assert_eq!(world.answers(&root), ["The beginning goes on"], "set back by {step} ms");
        world.answer(&session, "and ends.");
        assert_eq!(world.answers(&root), ["The beginning goes on and ends."]);
        world.reply(&root, "two");
        world.answer(&session, "2");
        assert_eq!(world.answers(&root).last().unwrap(), "2");
    }
}

#[test]
fn a_clock_that_is_set_back_delays_no_retry() {
    for step in STEPS {
        let mut world = World::new();
        let (root, session) = world.session("one");
        world.chat.is_down = true;
        world.answer(&session, "1");
        world.now -= step;
        world.chat.is_down = false;
        // A timer that is set already comes in time.
        world.feed(Input::Wake);
        world.wait(60_000);
        assert_eq!(world.answers(&root), ["1"]);
    }
}

#[test]
fn what_was_recorded_before_the_clock_was_set_back_delays_nothing_after_a_restart() {
    for step in STEPS {
        let mut world = World::new();
        let (root, session) = world.session("one");
        world.answer(&session, "1");
        world.agent.loses_request = true;
        world.reply(&root, "two");
        world.now -= step;
        world.kill();
        world.wait(30_000);
        world.answer(&session, "2");
        assert_eq!(world.prompt_texts(), ["one", "two"]);
        assert_eq!(world.answers(&root), ["1", "2"]);
    }
}

#[test]
fn a_prompt_that_became_doubtful_before_the_clock_was_set_back_can_be_repeated() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.loses_request = true;
    let two = world.reply(&root, "two");
    world.restart_agent();
    world.wait(1_000);
    world.now -= 10 * 60_000;
    world.kill();
    world.wait(1_000);
    world.react(OWNER, &two, "repeat");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
}

#[test]
fn ids_of_messages_and_the_log_have_the_time_of_the_clock() {
    let mut world = World::new();
    world.now -= 10 * 60_000;
    let (_, session) = world.session("one");
    world.feed(Input::Agent(AgentEvent::Status { session, is_busy: true }));
    let (id, _) = world.prompts().pop().unwrap();
    let time = u64::from_str_radix(id.as_str().get(4..16).unwrap(), 16).unwrap() / 0x1000;
    assert_eq!(time, world.now);
    assert!(world.audit.iter().all(|entry| entry.at.0 == world.now));
}
