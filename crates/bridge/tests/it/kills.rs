//! The bridge is killed after each of its steps.

use skein_bridge::core::ids::SessionId;

use crate::world::World;

/// Plays a script with a kill after a number of steps. Returns whether the kill happened.
fn check_kill(steps: usize) -> bool {
    let mut world = World::new();
    world.steps_to_kill = Some(steps);
    let root = world.owner("first");
    let terminal = world.agent.create("/src/web", "terminal", world.now);
    world.run();
    world.wait(30_000);
    let session = world.core.state().roots[&root].clone();
    world.write(&session, "an answer ");
    world.wait(1_500);
    world.reply(&root, "second");
    world.write(&session, &"in two posts ".repeat(1_500));
    world.wait(3_000);
    world.finish(&session);
    world.wait(30_000);
    world.answer(&session, "the second answer");
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&terminal, &id, "typed", world.now);
    world.answer(&terminal, "printed");
    world.wait(200_000);

    let mut prompts = world.prompt_texts();
    prompts.sort();
    assert_eq!(prompts, ["first", "second"], "killed after {steps} steps");
    let texts = world.answers(&root);
    let first = format!("an answer {}", "in two posts ".repeat(1_500));
    let [start, end, second] = texts.as_slice() else {
        panic!("killed after {steps} steps: {} answers", texts.len());
    };
    assert_eq!(format!("{start} {end}"), first.trim(), "killed after {steps} steps");
    assert_eq!(second, "the second answer");
    check_terminal(&world, &terminal, steps);
    world.steps_to_kill.is_none()
}

fn check_terminal(world: &World, session: &SessionId, steps: usize) {
    let roots = world.chat.posts.iter().filter(|post| post.root.is_none() && post.key.is_some());
    assert_eq!(roots.count(), 1, "killed after {steps} steps");
    let root = world.core.state().threads[session].root.clone().unwrap();
    assert_eq!(world.answers(&root), ["> typed\n\nprinted"], "killed after {steps} steps");
    assert_eq!(world.map.len(), 2);
    let keys: Vec<_> = world.chat.posts.iter().filter_map(|post| post.key.clone()).collect();
    let mut unique = keys.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), keys.len(), "no post is doubled");
    for thread in world.core.state().threads.values() {
        assert!(thread.turns.is_empty(), "killed after {steps} steps: a turn is open");
    }
}

#[test]
fn a_kill_after_any_step_loses_and_doubles_nothing() {
    let steps = (0..).take_while(|steps| check_kill(*steps)).count();
    assert!(steps > 40, "{steps} steps");
}
