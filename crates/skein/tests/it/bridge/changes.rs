//! What others change while a bridge runs or does not: sessions, channels, and its own server.

use std::fs;
use std::time::UNIX_EPOCH;

use serde_json::json;

use super::chat::unique_word;
use super::world::{World, wait_for};

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_permission_is_answered_by_a_reaction_from_while_the_bridge_was_stopped() {
    let world = World::new();
    let bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("TOOL bash touch {word}"));
    let ask = world.wait_for_post(&root, "ask:", &word);
    bridge.kill();
    world.ada.react(&ask, "+1");
    let _bridge = world.start();
    world.wait_for_post(&root, "ask:", "Allowed once");
    world.wait_for_answer(&root, ":white_check_mark: **bash**");
    assert!(world.directory.join(&word).exists());
    assert_eq!(world.posts(&root, "ask:").len(), 1);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_session_that_is_archived_elsewhere_can_be_resumed() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    let id = world.map()[0]["sessionId"].as_str().unwrap().to_owned();
    let path = format!("/session/{id}?directory={}", world.directory.display());
    let now = u64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
    let body = json!({"time": {"archived": now}}).to_string();
    world.opencode.access().send("PATCH", &path, body.as_bytes()).json();
    world.wait_for_post(&root, "session:", "archived");
    world.reply(&root, "too early");
    world.wait_for_post(&root, "note:", "!resume");
    world.reply(&root, "!resume");
    wait_for("the map says so", || (world.map()[0]["status"] == "active").then_some(()));
    let word = unique_word();
    world.reply(&root, &word);
    world.wait_for_answer(&root, &format!("echo: {word}"));
    assert!(world.opencode.model_requests("too early").is_empty());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_bot_that_is_removed_from_its_channel_goes_on_when_it_is_back() {
    let mut world = World::new();
    let (channel, name) = world.chat.create_channel(&[&world.ada, &world.bot]);
    world.channel.clone_from(&channel);
    world.configure(&format!("channel = \"{name}\""));
    let _bridge = world.start();
    let root = world.prompt(&format!("@{} SLOW 60 100", world.bot.name));
    world.wait_for_answer(&root, "word5");
    let admin = world.chat.user("admin");
    let members = format!("/channels/{channel}/members");
    admin.send("DELETE", &format!("{members}/{}", world.bot.id), &[]).json();
    wait_for("the map says so", || (world.map()[0]["status"] == "disconnected").then_some(()));
    admin.post_json(&members, &json!({"user_id": world.bot.id}));
    let word = unique_word();
    world.reply(&root, &word);
    world.wait_for_answer(&root, &format!("echo: {word}"));
    let answers = world.wait_for_answer(&root, "word60");
    assert_eq!(answers.matches("word1 ").count(), 1, "{answers}");
    world.assert_asked_once(&word);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn the_own_server_of_a_bridge_is_restarted_and_ends_with_it() {
    let world = World::new();
    world.configure_agent("", &format!("program = \"{}\"", world.opencode.program.display()));
    let bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("one {word}"));
    world.wait_for_answer(&root, &format!("echo: one {word}"));
    let server = |world: &World| {
        let program = world.opencode.program.canonicalize().unwrap();
        let found = descendants(bridge.id())
            .into_iter()
            .find(|id| fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|exe| exe == program));
        found.expect("the bridge has a server")
    };
    let first = server(&world);
    let kill = |id: u32| {
        let id = id.to_string();
        assert!(std::process::Command::new("kill").args(["-9", &id]).status().unwrap().success());
    };
    kill(first);
    wait_for("the server has ended", || (!is_alive(first)).then_some(()));
    // Before that, a prompt can meet the connection that ends with the server, and then it is not certain that it arrived.
    wait_for("the bridge knows it", || bridge.log().contains("is started again").then_some(()));
    world.reply(&root, &format!("two {word}"));
    world.wait_for_answer(&root, &format!("echo: two {word}"));
    world.assert_asked_once(&format!("two {word}"));
    let all = descendants(bridge.id());
    assert!(all.len() >= 2, "{all:?}");
    bridge.kill();
    wait_for("all processes end", || (!all.iter().any(|id| is_alive(*id))).then_some(()));
}

/// Returns the processes that a process has started, and theirs.
fn descendants(id: u32) -> Vec<u32> {
    let mut all = Vec::new();
    let Ok(tasks) = fs::read_dir(format!("/proc/{id}/task")) else { return all };
    for task in tasks {
        let children =
            fs::read_to_string(task.unwrap().path().join("children")).unwrap_or_default();
        for child in children.split_whitespace() {
            let child = child.parse().unwrap();
            all.push(child);
            all.extend(descendants(child));
        }
    }
    all
}

fn is_alive(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The state is after the name, which is in parentheses.
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_error_of_the_model_is_shown_and_the_session_goes_on() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("ERROR 400");
    world.wait_for_answer(&root, ":warning:");
    let word = unique_word();
    world.reply(&root, &word);
    world.wait_for_answer(&root, &format!("echo: {word}"));
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_new_session_uses_a_named_directory_below_the_allowed_ones() {
    let world = World::new();
    let _bridge = world.start();
    let below = world.directory.join("below");
    fs::create_dir(&below).unwrap();
    let root = world.prompt(&format!("!new dir:{} hello", below.display()));
    world.wait_for_answer(&root, "echo: hello");
    assert_eq!(world.map()[0]["directory"], below.to_str().unwrap());
    let refused = world.prompt("dir:/etc hello");
    world.wait_for_post(&refused, "note:", "No such directory");
    assert_eq!(world.map().len(), 1);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_session_whose_directory_is_gone_gets_no_prompt() {
    let world = World::new();
    let _bridge = world.start();
    let below = world.directory.join("below");
    fs::create_dir(&below).unwrap();
    let word = unique_word();
    let root = world.prompt(&format!("dir:{} hello {word}", below.display()));
    world.wait_for_answer(&root, &format!("echo: hello {word}"));
    fs::remove_dir_all(&below).unwrap();
    world.reply(&root, &format!("gone {word}"));
    world.wait_for_post(&root, "note:", "the directory does not exist");
    assert!(world.opencode.model_requests(&format!("gone {word}")).is_empty());
    fs::create_dir(&below).unwrap();
    world.reply(&root, &format!("back {word}"));
    world.wait_for_answer(&root, &format!("echo: back {word}"));
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_forked_session_has_a_thread_of_its_own_without_the_copied_answers() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("original {word}"));
    world.wait_for_answer(&root, &format!("echo: original {word}"));
    let id = world.map()[0]["sessionId"].as_str().unwrap().to_owned();
    let path = format!("/session/{id}/fork?directory={}", world.directory.display());
    let fork = world.opencode.access().post(&path, &json!({}));
    let fork = fork["id"].as_str().unwrap();
    // It gets a thread when it is used.
    world.opencode.prompt(fork, &world.directory, &format!("elsewhere {word}"));
    let is_fork = |entry: &&serde_json::Value| entry["sessionId"] == fork;
    let entry = wait_for("the fork has a thread", || world.map().iter().find(is_fork).cloned());
    let fork_root = entry["threadRootPostId"].as_str().unwrap();
    assert_ne!(fork_root, root.id);
    world.ada.reply(&world.channel, fork_root, &format!("next {word}"));
    let answers = || {
        let mut posts = world.ada.thread(fork_root);
        posts.retain(|post| post.key().starts_with("answer:"));
        posts.into_iter().map(|post| post.message).collect::<Vec<_>>()
    };
    // A post of the next answer is created before the last edit of this one.
    for text in ["next", "elsewhere"] {
        let answer = format!("echo: {text} {word}");
        wait_for(&answer, || answers().concat().contains(&answer).then_some(()));
    }
    assert!(!answers().concat().contains("original"), "{:?}", answers());
    world.assert_asked_once(&format!("original {word}"));
    world.assert_asked_once(&format!("next {word}"));
    // The original goes on in its own thread.
    world.reply(&root, &format!("further {word}"));
    world.wait_for_answer(&root, &format!("echo: further {word}"));
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_session_is_prompted_from_the_terminal() {
    let world = World::new();
    let bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("hello {word}"));
    world.wait_for_answer(&root, &format!("echo: hello {word}"));
    let id = world.map()[0]["sessionId"].as_str().unwrap().to_owned();
    let send = |text: &str| world.skein(&["session", "send", &id, "-m", text]);
    let sent = send(&format!("terminal {word}"));
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    world.wait_for_answer(&root, &format!("echo: terminal {word}"));
    world.assert_asked_once(&format!("terminal {word}"));
    let texts: Vec<_> = world.ada.thread(&root.id).into_iter().map(|post| post.message).collect();
    let is_shown = |text: &String| text.contains(&word) && text.contains("erminal");
    assert!(texts.iter().any(is_shown), "{texts:?}");
    assert!(bridge.stop().success());
    let refused = send("without a bridge");
    assert!(!refused.status.success());
}
