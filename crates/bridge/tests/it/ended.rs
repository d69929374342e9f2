//! Sessions that a user ends in the session map.

use skein_bridge::core::action::MappingStatus;
use skein_bridge::core::ids::Millis;
use skein_bridge::core::state::ThreadStatus;
use skein_bridge::core::{Input, LocalRefusal};

use crate::world::World;

#[test]
fn a_session_that_is_ended_in_the_map_is_stopped_and_takes_no_prompts() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.write(&session, "The beginning");
    world.wait(2_000);
    world.reply(&root, "two");
    world.feed(Input::SessionEnded(session.clone()));
    world.wait(5_000);
    assert_eq!(world.agent.aborts, 1);
    assert_eq!(world.map[&session].1, MappingStatus::Ended);
    let thread = world.thread(&root);
    assert!(thread[1].ends_with("The session was ended in the session map."), "{thread:?}");
    assert_eq!(thread.last().unwrap(), "1 waiting prompt was dropped.");

    let refused = "The session was ended with `skein session set`, which is final.";
    world.reply(&root, "three");
    assert!(world.thread(&root).last().unwrap().starts_with(refused));
    let refusal = world.core.local_refusal(&session, Millis(world.now));
    assert_eq!(refusal, Some(LocalRefusal::Ended));
    world.kill();
    world.reply(&root, "four");
    assert!(world.thread(&root).last().unwrap().starts_with(refused));
    assert_eq!(world.prompt_texts(), ["one"]);
    assert_eq!(world.map[&session].1, MappingStatus::Ended);
    assert_eq!(world.core.next_wakeup(), None);
}

#[test]
fn a_session_that_was_ended_is_not_shown_again_when_it_is_used_elsewhere() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.feed(Input::SessionEnded(session.clone()));
    let length = world.thread(&root).len();
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&session, &id, "typed", world.now);
    world.answer(&session, "2");
    world.kill();
    assert_eq!(world.thread(&root).len(), length);
    assert_eq!(world.core.state().threads[&session].status, ThreadStatus::Ended);
    assert_eq!(world.agent.aborts, 0);
}
