//! Restarts of each side, kills, and what others delete or overwrite.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use skein_testkit::SetOnDrop;

use super::agent::OwnServer;
use super::chat::{Post, unique_word};
use super::world::{World, wait_for};

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn posts_from_while_the_bridge_was_stopped_are_prompts() {
    let world = World::new();
    let bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("first {word}"));
    world.wait_for_answer(&root, &format!("echo: first {word}"));
    assert!(bridge.stop().success());
    world.reply(&root, &format!("second {word}"));
    let other = world.prompt(&format!("third {word}"));
    let _bridge = world.start();
    world.wait_for_answer(&root, &format!("echo: second {word}"));
    world.wait_for_answer(&other, &format!("echo: third {word}"));
    for name in ["first", "second", "third"] {
        world.assert_asked_once(&format!("{name} {word}"));
    }
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_answer_from_while_the_bridge_was_killed_is_whole() {
    let world = World::new();
    let bridge = world.start();
    let root = world.prompt("SLOW 60 100");
    world.wait_for_answer(&root, "word5");
    bridge.kill();
    std::thread::sleep(Duration::from_secs(2));
    let _bridge = world.start();
    world.wait_for_answer(&root, "word60");
    assert_words(&world, &root, 60);
}

/// Asserts that the only answer of a thread is numbered words.
#[track_caller]
fn assert_words(world: &World, root: &Post, count: usize) {
    let words: Vec<_> = (1..=count).map(|number| format!("word{number}")).collect();
    let answers = world.answers(root);
    let found: Vec<_> = answers.split_whitespace().collect();
    assert_eq!(found, words);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_bridge_that_is_killed_under_traffic_loses_and_repeats_nothing() {
    kill_under_traffic(3, 4.0);
}

/// The number of kills is in the environment; they are spread over ten minutes.
#[test]
#[ignore = "takes ten minutes: SKEIN_TEST_KILLS=50"]
fn a_bridge_that_is_killed_often_loses_and_repeats_nothing() {
    if let Some(kills) = std::env::var("SKEIN_TEST_KILLS").ok().and_then(|text| text.parse().ok()) {
        kill_under_traffic(kills, 12.0);
    }
}

/// Kills the bridge again and again, `seconds` after one another on average.
fn kill_under_traffic(kills: usize, seconds: f64) {
    let world = World::new();
    let is_over = AtomicBool::new(false);
    let (prompts, bridge) = std::thread::scope(|scope| {
        let traffic = scope.spawn(|| send_prompts(&world, &is_over));
        let end_of_traffic = SetOnDrop(&is_over);
        let mut random = Random::new();
        let mut bridge = world.start();
        for _ in 0..kills {
            std::thread::sleep(Duration::from_secs_f64(random.next() * 2.0 * seconds));
            bridge.kill();
            std::thread::sleep(Duration::from_secs_f64(random.next() * 0.5));
            bridge = world.start();
        }
        drop(end_of_traffic);
        (traffic.join().unwrap(), bridge)
    });
    for (root, text) in &prompts {
        world.wait_for_answer(root, text);
    }
    // Edits that are on their way could still repeat something.
    std::thread::sleep(Duration::from_secs(2));
    for (root, text) in &prompts {
        world.assert_asked_once(text);
        let answers = world.answers(root);
        assert_eq!(answers.matches(text).count(), 1, "{text}: {answers}");
        assert_eq!(answers.matches("echo: ").count(), world.posts(root, "answer:").len());
    }
    let roots: std::collections::BTreeSet<_> = prompts.iter().map(|(root, _)| &root.id).collect();
    let map = world.map();
    assert_eq!(map.len(), roots.len());
    assert!(map.iter().all(|entry| roots.iter().any(|root| entry["threadRootPostId"] == **root)));
    assert_eq!(world.opencode.sessions(&world.directory).len(), roots.len());
    let output = world.skein(&["doctor"]);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{kills} kills, {} prompts in {} threads", prompts.len(), roots.len());
    assert!(!printed.contains("mattermost-threads.json"), "{printed}");
    drop(bridge);
}

/// Sends prompts, in new threads and in old ones, until it is over. Returns their roots and texts.
fn send_prompts(world: &World, is_over: &AtomicBool) -> Vec<(Post, String)> {
    let mut prompts: Vec<(Post, String)> = Vec::new();
    let mut random = Random::new();
    while !is_over.load(Ordering::SeqCst) {
        // The model echoes it word by word, which takes some time.
        let words: Vec<_> = (1..=150).map(|number| number.to_string()).collect();
        let text = format!("{} {} end", unique_word(), words.join(" "));
        let is_new = prompts.len().is_multiple_of(4);
        match prompts.last().filter(|_| !is_new) {
            Some((root, _)) => {
                let root = root.clone();
                world.reply(&root, &text);
                prompts.push((root, text));
            }
            None => prompts.push((world.prompt(&text), text)),
        }
        // Fewer than the 20 prompts in a minute that a user may send.
        std::thread::sleep(Duration::from_secs_f64(3.1 + random.next()));
    }
    prompts
}

/// Numbers from 0 to 1.
struct Random(u64);

impl Random {
    fn new() -> Self {
        Self(u64::from_str_radix(&unique_word(), 16).unwrap() | 1)
    }

    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        #[expect(clippy::cast_precision_loss, reason = "the number is small")]
        let number = (self.0 % 1000) as f64;
        number / 1000.0
    }
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_restart_of_opencode_is_told_and_nothing_is_sent_twice() {
    let world = World::new();
    let mut server = OwnServer::start(&world.opencode, &world.path("own"));
    world.configure_agent("", &format!("address = \"{}\"", server.address));
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("SLOW 200 100\n{word}"));
    world.wait_for_answer(&root, "word5");
    server.kill();
    let during = world.reply(&root, &format!("during {word}"));
    wait_for("the prompt waits", || (!world.ada.reactions(&during).is_empty()).then_some(()));
    server.resume();
    world.wait_for_answer(&root, "OpenCode was restarted");
    world.wait_for_answer(&root, &format!("echo: during {word}"));
    world.assert_asked_once(&format!("during {word}"));
    assert_eq!(world.opencode.model_requests(&format!("SLOW 200 100\n{word}")).len(), 1);

    // The interrupted prompt is sent again only when a user asks for it.
    world.ada.react(&root, "repeat");
    wait_for("the prompt is sent again", || {
        (world.opencode.model_requests(&format!("SLOW 200 100\n{word}")).len() == 2).then_some(())
    });
    world.reply(&root, "!abort");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_restart_of_mattermost_loses_no_post_and_no_text() {
    let world = World::alone();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt("SLOW 60 100");
    world.wait_for_answer(&root, "word5");
    world.chat.control("kill");
    std::thread::sleep(Duration::from_secs(3));
    world.chat.control("resume");
    // Probably before the bridge has connected again.
    world.reply(&root, &format!("after {word}"));
    world.wait_for_answer(&root, &format!("echo: after {word}"));
    // A post of the next answer is created before the last edit of this one.
    let answers = world.wait_for_answer(&root, "word60");
    assert_eq!(answers.matches("word1 ").count(), 1, "{answers}");
    world.assert_asked_once(&format!("after {word}"));
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_stop_of_the_database_loses_no_word_no_post_and_no_session() {
    let world = World::alone();
    let _bridge = world.start();
    for seconds in [2, 5, 20] {
        let word = unique_word();
        let root = world.prompt("SLOW 60 100");
        world.wait_for_answer(&root, "word5");
        world.chat.control("stop-database");
        // How long it is away is what is tried: the answer goes on meanwhile, or is complete by then.
        std::thread::sleep(Duration::from_secs(seconds));
        world.chat.control("start-database");
        world.wait_for_answer(&root, "word60");
        wait_for("the answer is whole", || {
            (world.answers(&root).split_whitespace().count() == 60).then_some(())
        });
        assert_words(&world, &root, 60);
        world.reply(&root, &format!("after {word}"));
        world.wait_for_answer(&root, &format!("echo: after {word}"));
        world.assert_asked_once(&format!("after {word}"));
    }
    assert!(world.map().iter().all(|entry| entry["status"] == "active"), "{:?}", world.map());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_bridge_that_is_killed_with_its_own_server_says_so_and_goes_on() {
    let world = World::new();
    world.configure_agent("", &format!("program = \"{}\"", world.opencode.program.display()));
    let bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("SLOW 200 100\n{word}"));
    world.wait_for_answer(&root, "word5");
    bridge.kill();
    let _bridge = world.start();
    let answers = world.wait_for_answer(&root, "OpenCode was restarted");
    assert!(!answers.contains("no more text"), "{answers}");
    world.reply(&root, &format!("after {word}"));
    world.wait_for_answer(&root, &format!("echo: after {word}"));
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_revoked_token_ends_the_bridge() {
    let world = World::new();
    let mut bridge = world.start();
    let root = world.prompt("SLOW 100 100");
    world.wait_for_answer(&root, "word2");
    world.chat.user("admin").revoke_token_of(&world.bot);
    assert_eq!(bridge.wait().code(), Some(78));
    let log = bridge.log();
    assert!(log.contains("does not accept the token"), "{log}");
    assert!(!log.contains(&world.bot.token), "the log has the token");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_deleted_thread_is_given_up() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("SLOW 100 50");
    world.wait_for_answer(&root, "word2");
    world.ada.delete(&root.id);
    wait_for("the map says so", || (world.map()[0]["status"] == "orphaned").then_some(()));
    let next = world.prompt("another");
    world.wait_for_answer(&next, "echo: another");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_session_that_is_deleted_elsewhere_ends_its_thread() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    let id = world.map()[0]["sessionId"].as_str().unwrap().to_owned();
    let path = format!("/session/{id}?directory={}", world.directory.display());
    world.opencode.access().send("DELETE", &path, &[]).json();
    world.wait_for_post(&root, "session:", "was deleted");
    wait_for("the map says so", || (world.map()[0]["status"] == "ended").then_some(()));
    world.reply(&root, "anyone?");
    world.wait_for_post(&root, "note:", "The session was deleted");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn what_another_program_overwrites_in_the_map_is_restored() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    let path = world.path(".config/opencode/mattermost-threads.json");
    let time = "2026-01-10T10:00:00.000Z";
    let foreign = serde_json::json!({"version": 1, "lastModified": time, "mappings": []});
    std::fs::write(&path, foreign.to_string()).unwrap();
    let start = std::time::Instant::now();
    wait_for("the entry is back", || {
        world.map().iter().any(|entry| entry["threadRootPostId"] == root.id).then_some(())
    });
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_prompt_that_is_edited_after_it_was_sent_is_noted() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&word);
    world.wait_for_answer(&root, &format!("echo: {word}"));
    world.ada.edit(&root, "something else");
    world.wait_for_post(&root, "note:", "from before the edit");
    world.assert_asked_once(&word);
}
