//! Who may use a bridge.

use super::chat::unique_word;
use super::world::{Bridge, World, wait_for};

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_stranger_is_refused_once_and_reaches_no_agent() {
    let world = World::new();
    let _bridge = world.start();
    let stranger = world.chat.user("stranger");
    let channel = stranger.direct_channel(&world.bot);
    let word = unique_word();
    for number in 1..=3 {
        stranger.post(&channel, &format!("prompt {number} {word}"));
    }
    stranger.post(&channel, "!sessions");
    let refusals = || {
        let posts = stranger.channel_posts(&channel).into_iter();
        posts.filter(|post| post.user_id == world.bot.id).collect::<Vec<_>>()
    };
    wait_for("a refusal", || (!refusals().is_empty()).then_some(()));
    // Posts are handled in order: an answer to ada shows that all earlier ones were handled.
    let root = world.prompt(&format!("owner {word}"));
    world.wait_for_answer(&root, "echo: owner");
    let refusals = refusals();
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert!(!refusals[0].message.contains('@'), "{refusals:?}");
    assert!(world.opencode.model_requests(&format!(" {word}")).len() == 1);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_administrator_in_the_channel_of_the_owner_is_a_stranger() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("TOOL bash touch {word}"));
    let ask = world.wait_for_post(&root, "ask:", &word);
    let admin = world.chat.user("admin");
    admin.react(&ask, "+1");
    admin.reply(&world.channel, &root.id, "yes");
    admin.reply(&world.channel, &root.id, &format!("from admin {word}"));
    world.reply(&root, "no");
    world.wait_for_post(&root, "ask:", "Rejected");
    assert!(!world.directory.join(&word).exists());
    assert!(world.opencode.model_requests(&format!("from admin {word}")).is_empty());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_invited_user_prompts_one_session_but_approves_nothing() {
    let mut world = World::new();
    let ben = world.chat.user("ben");
    let (channel, name) = world.chat.create_channel(&[&world.ada, &ben, &world.bot]);
    world.channel.clone_from(&channel);
    world.configure(&format!("channel = \"{name}\""));
    let _bridge = world.start();
    let word = unique_word();
    let bot = &world.bot.name;
    let root = world.prompt(&format!("@{bot} hello {word}"));
    world.wait_for_answer(&root, &format!("echo: hello {word}"));
    ben.reply(&channel, &root.id, &format!("before {word}"));
    world.reply(&root, "!invite @ben");
    world.wait_for_post(&root, "note:", "may now prompt");
    ben.reply(&channel, &root.id, &format!("TOOL bash touch {word}"));
    let ask = world.wait_for_post(&root, "ask:", &word);
    ben.react(&ask, "+1");
    ben.reply(&channel, &root.id, "yes");
    world.ada.react(&ask, "-1");
    world.wait_for_post(&root, "ask:", "Rejected");
    assert!(!world.directory.join(&word).exists());
    // Not in another place, and not without a mention.
    ben.post(&channel, &format!("@{bot} start {word}"));
    world.prompt(&format!("quiet {word}"));
    world.reply(&root, "!kick @ben");
    world.wait_for_post(&root, "note:", "may no longer prompt");
    ben.reply(&channel, &root.id, &format!("after {word}"));
    world.reply(&root, &format!("last {word}"));
    world.wait_for_answer(&root, &format!("echo: last {word}"));
    for refused in ["before", "start", "quiet", "after"] {
        let requests = world.opencode.model_requests(&format!("{refused} {word}"));
        assert!(requests.is_empty(), "{refused}");
    }
    assert_eq!(world.opencode.sessions(&world.directory).len(), 1);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn two_users_have_their_own_sessions() {
    let world = World::new();
    world.configure("users = [\"@ben\"]");
    let _bridge = world.start();
    let ben = world.chat.user("ben");
    let channel = ben.direct_channel(&world.bot);
    let word = unique_word();
    let hers = world.prompt(&format!("SLOW 20\nada {word}"));
    let his = ben.post(&channel, &format!("ben {word}"));
    let answer = wait_for("the answer for ben", || {
        ben.thread(&his.id).into_iter().find(|post| post.message.contains("echo: "))
    });
    assert_eq!(answer.user_id, world.bot.id);
    world.wait_for_answer(&hers, "word20");
    assert!(!world.answers(&hers).contains(&format!("ben {word}")));
    wait_for("the map has both", || (world.map().len() == 2).then_some(()));
    let owner = |root: &str| {
        let map = world.map();
        let entry = map.iter().find(|entry| entry["threadRootPostId"] == root).unwrap();
        entry["mattermostUserId"].as_str().unwrap().to_owned()
    };
    assert_eq!(owner(&hers.id), world.ada.id);
    assert_eq!(owner(&his.id), ben.id);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn another_bot_gets_no_answer() {
    let mut world = World::new();
    let other = world.chat.create_bot();
    let (channel, name) = world.chat.create_channel(&[&world.ada, &other, &world.bot]);
    world.channel.clone_from(&channel);
    // Not even a bot that the settings name.
    world.configure(&format!("users = [\"@{}\"]\nchannel = \"{name}\"", other.name));
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("@{} hello {word}", world.bot.name));
    world.wait_for_answer(&root, "echo: ");
    other.reply(&channel, &root.id, &format!("loop {word}"));
    other.post(&channel, &format!("@{} loop {word}", world.bot.name));
    other.post(&other.direct_channel(&world.bot), &format!("loop {word}"));
    world.reply(&root, &format!("last {word}"));
    world.wait_for_answer(&root, &format!("echo: last {word}"));
    assert!(world.opencode.model_requests(&format!("loop {word}")).is_empty());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_second_bridge_of_one_bot_refuses() {
    let world = World::new();
    let _bridge = world.start();
    let second = world.skein(&["bridge", "run"]);
    let message = String::from_utf8_lossy(&second.stderr);
    assert!(!second.status.success());
    assert!(message.contains("another"), "{message}");
    let root = world.prompt("still here");
    world.wait_for_answer(&root, "echo: still here");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_second_bridge_on_another_machine_refuses() {
    let world = World::new();
    let bridge = world.start();
    let mut second = world.start_elsewhere();
    assert!(!second.wait().success());
    let log = second.log();
    assert!(log.contains("another bridge is running with this bot, on the machine"), "{log}");
    let root = world.prompt("still here");
    world.wait_for_answer(&root, "echo: still here");

    // What a killed bridge has left does not keep others from starting.
    bridge.kill();
    let second = world.start_elsewhere();
    wait_for("it starts", || second.log().contains("Connected to").then_some(()));
    let refused = world.skein(&["bridge", "run"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("on the machine"));
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn of_two_bridges_that_start_at_once_one_remains() {
    let world = World::new();
    let mut bridges = [world.start_elsewhere(), world.spawn(world.home.path())];
    // Either of them: the one that reads the clock first remains.
    let ended = wait_for("one gives up", || bridges.iter_mut().position(Bridge::has_ended));
    assert!(!bridges[ended].wait().success());
    assert!(bridges[ended].log().contains("on the machine"));
    let [first, second] = bridges;
    let other = if ended == 0 { second } else { first };
    wait_for("the other one starts", || other.log().contains("Connected to").then_some(()));
    assert!(other.stop().success());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_deactivated_user_loses_what_waits() {
    let world = World::new();
    let guest = world.chat.create_user();
    world.configure(&format!("users = [\"@{}\"]", guest.name));
    let _bridge = world.start();
    let channel = guest.direct_channel(&world.bot);
    let word = unique_word();
    let root = guest.post(&channel, &format!("SLOW 60 100\n{word}"));
    let started = || guest.thread(&root.id).iter().any(|post| post.message.contains("word2"));
    wait_for("the answer begins", || started().then_some(()));
    let waiting = guest.reply(&channel, &root.id, &format!("waits {word}"));
    let admin = world.chat.user("admin");
    wait_for("it waits", || (!admin.reactions(&waiting).is_empty()).then_some(()));
    admin.send("DELETE", &format!("/users/{}", guest.id), &[]).json();
    wait_for("it is dropped", || admin.reactions(&waiting).is_empty().then_some(()));
    let finished = || admin.thread(&root.id).iter().any(|post| post.message.contains("word60"));
    wait_for("the answer ends", || finished().then_some(()));
    let own = world.prompt(&format!("owner {word}"));
    world.wait_for_answer(&own, &format!("echo: owner {word}"));
    assert!(world.opencode.model_requests(&format!("waits {word}")).is_empty());
}
