//! First contact, sessions that the chat starts, and their answers.

use super::chat::unique_word;
use super::world::{World, wait_for};

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn the_check_passes_and_names_each_wrong_setting() {
    let world = World::new();
    let check = |world: &World| {
        let output = world.skein(&["bridge", "check", "--json"]);
        let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let steps = result["steps"].as_array().unwrap().clone();
        let failed = steps.iter().filter(|step| step["state"] == "failed");
        let failed: Vec<_> = failed.map(|step| step["name"].as_str().unwrap().to_owned()).collect();
        (output.status.code(), failed)
    };
    let expect = |failed: &str| assert_eq!(check(&world), (Some(1), vec![failed.to_owned()]));
    let settings = world.settings();
    let change = |from: &str, to: &str| world.write_settings(&settings.replace(from, to));
    assert_eq!(check(&world), (Some(0), vec![]));

    world.write_token("abcdefghijklmnopqrstuvwxyz");
    expect("token");
    world.write_token(&world.bot.token);
    change(&world.chat.address, "http://127.0.0.1:1");
    expect("mattermost");
    change("@ada", "@no-such-user");
    expect("users");
    change(world.directory.to_str().unwrap(), "/no/such/directory");
    expect("directories");
    change(&world.opencode.address, "http://127.0.0.1:1");
    expect("opencode");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_post_starts_a_session_and_a_reply_is_its_next_prompt() {
    let world = World::new();
    let bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("first {word}"));
    world.wait_for_answer(&root, &format!("echo: first {word}"));
    world.reply(&root, &format!("second {word}"));
    world.wait_for_answer(&root, &format!("echo: second {word}"));
    world.assert_asked_once(&format!("first {word}"));
    world.assert_asked_once(&format!("second {word}"));

    assert_eq!(world.posts(&root, "answer:").len(), 2);
    let [entry] = &world.map()[..] else { panic!("{:?}", world.map()) };
    let session = entry["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(world.opencode.sessions(&world.directory).len(), 1);
    assert_eq!(entry["threadRootPostId"], root.id);
    assert_eq!(entry["mattermostUserId"], world.ada.id);
    assert_eq!(entry["dmChannelId"], world.channel);
    assert_eq!(entry["status"], "active");
    let short_id = entry["shortId"].as_str().unwrap();
    assert!(session.ends_with(short_id.strip_prefix("ses_").unwrap()), "{short_id}");
    assert_eq!(short_id.len(), 10);
    assert!(bridge.stop().success());
    let log = world.skein(&["bridge", "log"]);
    let log = String::from_utf8_lossy(&log.stdout);
    assert!(log.contains(&format!("second {word}")), "{log}");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_answer_grows_in_its_post_and_is_whole_at_the_end() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("SLOW 40 100");
    let mut states = Vec::new();
    wait_for("the answer is whole", || {
        let answers = world.answers(&root);
        if states.last() != Some(&answers) {
            states.push(answers.clone());
        }
        answers.contains("word40").then_some(())
    });
    assert!(states.len() >= 4, "{states:?}");
    assert!(states.windows(2).all(|pair| pair[1].starts_with(pair[0].trim_end())), "{states:?}");
    let words: Vec<_> = (1..=40).map(|number| format!("word{number}")).collect();
    let posts = world.posts(&root, "answer:");
    assert_eq!(posts.len(), 1);
    assert_eq!(posts[0].message.trim(), words.join(" "));
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn the_bridge_starts_its_own_server() {
    let world = World::new();
    world.configure_agent("", &format!("program = \"{}\"", world.opencode.program.display()));
    let bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&word);
    world.wait_for_answer(&root, &format!("echo: {word}"));
    assert_eq!(world.opencode.sessions(&world.directory).len(), 0);
    assert!(bridge.stop().success());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_session_that_was_started_elsewhere_gets_a_thread() {
    let world = World::new();
    let _bridge = world.start();
    // An answer shows that the bridge follows the events of OpenCode.
    let first = world.prompt("hello");
    world.wait_for_answer(&first, "echo: hello");
    let word = unique_word();
    let session = world.opencode.create_session(&world.directory, &format!("title {word}"));
    let root = wait_for("the root post", || {
        let posts = world.ada.channel_posts(&world.channel);
        posts.into_iter().find(|post| post.message.contains(&format!("title {word}")))
    });
    world.opencode.prompt(&session, &world.directory, &format!("outside {word}"));
    world.wait_for_answer(&root, &format!("echo: outside {word}"));
    world.reply(&root, &format!("inside {word}"));
    world.wait_for_answer(&root, &format!("echo: inside {word}"));
    world.assert_asked_once(&format!("inside {word}"));
}
