//! Answers while they are written, long ones, and those with gaps.

use skein_bridge::core::input::{AgentEvent, Input, Tool, ToolState};

use crate::world::World;

#[test]
fn the_first_text_appears_at_once_and_later_text_in_one_edit_a_second() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let before = world.chat.requests;
    for word in 0..60 {
        world.write(&session, &format!("word{word} "));
        if word == 0 {
            assert_eq!(world.answers(&root), ["word0"]);
        }
        world.wait(100);
    }
    world.finish(&session);
    world.wait(2_000);
    assert!(world.answers(&root)[0].ends_with("word58 word59"));
    let requests = world.chat.requests - before;
    assert!(requests <= 12, "{requests} requests for an answer of six seconds");
    assert!(world.chat.edits.windows(2).all(|pair| pair[1] - pair[0] >= 1_000));
}

#[test]
fn a_long_answer_is_split_and_whole() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let before = world.chat.requests;
    let mut text = String::new();
    for number in 0..300 {
        let code = format!("```rust\n{}```\n\n", format!("let a = {number};\n").repeat(20));
        let piece = match number % 3 {
            0 => code,
            _ => format!("{}\n\n", format!("sentence {number} ").repeat(60)),
        };
        text.push_str(&piece);
        world.write(&session, &piece);
        world.wait(100);
    }
    assert!(text.len() > 150_000);
    world.finish(&session);
    world.wait(60_000);
    let answers = world.answers(&root);
    let requests = world.chat.requests - before;
    assert!(requests <= 60, "{requests} requests");
    for answer in &answers {
        assert!(answer.chars().count() <= 12_000);
        assert_eq!(answer.matches("```").count() % 2, 0, "a fence is open: {answer}");
    }
    assert_eq!(bare(&answers.join("\n")), bare(&text));
    assert!(world.core.state().threads[&session].turns.is_empty());
}

/// Returns the lines without fences, which are repeated where a block is split.
fn bare(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.contains("```")).collect()
}

#[test]
fn tools_show_their_state_and_the_end_of_their_output() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let mut tool = Tool { name: "bash".into(), title: "make".into(), ..Tool::default() };
    world.agent.tool(&session, tool.clone(), world.now);
    world.run();
    assert_eq!(world.answers(&root), [":hourglass_flowing_sand: **bash** `make`"]);
    tool.state = ToolState::Completed;
    tool.milliseconds = Some(1_250);
    tool.output = (0..40).map(|line| format!("line {line}\n")).collect();
    world.agent.tool(&session, tool, world.now);
    world.answer(&session, "Built.");
    let answer = &world.answers(&root)[0];
    assert!(answer.starts_with(":white_check_mark: **bash** `make` (1.2 s)\n```\nline 30\n"));
    assert!(answer.ends_with("line 39\n```\n\nBuilt."));
    let output = world.chat.posts.iter().find(|post| post.file.is_some()).unwrap();
    assert_eq!(output.text, "Output of `make`");
}

#[test]
fn a_delta_before_its_part_is_not_lost() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.agent.write(&session, "Hello ", world.now);
    world.agent.events.swap(1, 2);
    assert!(matches!(world.agent.events[1], AgentEvent::Delta { .. }));
    world.run();
    world.write(&session, "there");
    world.wait(1_000);
    assert_eq!(world.answers(&root), ["Hello there"]);
}

#[test]
fn lost_and_repeated_deltas_are_corrected_by_the_finished_part() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.write(&session, "one ");
    world.agent.write(&session, "two ", world.now);
    world.agent.events.clear();
    world.agent.write(&session, "three ", world.now);
    let repeated = world.agent.events[0].clone();
    world.agent.events.push_back(repeated);
    world.run();
    world.wait(1_000);
    assert_eq!(world.answers(&root), ["one three three"]);
    world.finish(&session);
    world.wait(1_000);
    assert_eq!(world.answers(&root), ["one two three"]);
}

#[test]
fn a_finished_part_that_was_not_announced_is_fetched() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.write(&session, "one ");
    world.agent.write(&session, "two", world.now);
    world.agent.finish(&session, world.now);
    let is_text =
        |event: &AgentEvent| matches!(event, AgentEvent::Part(_) | AgentEvent::Delta { .. });
    world.agent.events.retain(|event| !is_text(event));
    world.run();
    world.wait(1_000);
    assert_eq!(world.answers(&root), ["one two"]);
}

#[test]
fn after_a_gap_the_text_stays_until_all_of_it_is_known() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.write(&session, "The beginning. ");
    world.feed(Input::Agent(AgentEvent::Disconnected));
    world.agent.is_down = true;
    world.write(&session, "The middle. ");
    world.wait(2_000);
    world.connect_agent();
    world.write(&session, "The end.");
    world.wait(2_000);
    assert_eq!(world.answers(&root), ["The beginning."]);
    world.finish(&session);
    world.wait(2_000);
    assert_eq!(world.answers(&root), ["The beginning. The middle. The end."]);
}

#[test]
fn a_delta_before_the_first_fetch_of_a_restarted_bridge_is_not_the_beginning() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.write(&session, "The beginning. ");
    world.kill_unconnected();
    world.connect_chat();
    world.give(Input::Agent(world.agent.connected()));
    world.agent.write(&session, "The end.", world.now);
    let delta = world.agent.events.pop_front().unwrap();
    assert!(matches!(delta, AgentEvent::Delta { .. }));
    world.feed(Input::Agent(delta));
    world.wait(2_000);
    assert_eq!(world.answers(&root), ["The beginning."]);
    world.finish(&session);
    world.wait(2_000);
    assert_eq!(world.answers(&root), ["The beginning. The end."]);
}

#[test]
fn the_end_of_a_turn_is_noticed_when_its_events_are_lost() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.write(&session, "All of it.");
    world.agent.finish(&session, world.now);
    world.agent.events.clear();
    world.reply(&root, "next");
    world.wait(70_000);
    assert_eq!(world.prompt_texts(), ["go", "next"]);
    world.answer(&session, "More.");
    assert_eq!(world.answers(&root), ["All of it.", "More."]);
}

#[test]
fn a_mention_of_everyone_in_an_answer_notifies_no_one() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "Hello @channel");
    assert_eq!(world.answers(&root), ["Hello @\u{200b}channel"]);
}

#[test]
fn nothing_is_requested_while_idle() {
    let mut world = World::new();
    let (_, session) = world.session("go");
    world.answer(&session, "Done.");
    assert_eq!(world.core.next_wakeup(), None);
}
