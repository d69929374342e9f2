//! Tools, permissions and questions, abort, and prompts that wait.

use super::chat::unique_word;
use super::http::Response;
use super::world::{World, wait_for};

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_command_runs_when_a_reaction_allows_it() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("TOOL bash echo {word} > allowed.txt && seq 30"));
    let ask = world.wait_for_post(&root, "ask:", &format!("echo {word} > allowed.txt"));
    let file = world.directory.join("allowed.txt");
    assert!(!file.exists());
    world.ada.react(&ask, "+1");
    let answer = world.wait_for_answer(&root, "tool: ");
    assert_eq!(std::fs::read_to_string(file).unwrap().trim(), word);
    world.wait_for_post(&root, "ask:", "Allowed once by `ada`");

    let (shown, _) = answer.split_once("tool: ").unwrap();
    assert!(shown.contains(":white_check_mark: **bash**"), "{answer}");
    assert!(!shown.contains("\n5\n") && shown.contains("\n30\n"), "{answer}");
    let output = wait_for("the whole output", || {
        world.posts(&root, "output:").pop().filter(|post| !post.file_ids.is_empty())
    });
    let file = world.ada.send("GET", &format!("/files/{}", output.file_ids[0]), &[]);
    assert!(String::from_utf8_lossy(&file.body).starts_with("1\n2\n"));
}

/// Returns a prompt for a command that is too long for a post, and the end of the command.
fn long_command() -> (String, String) {
    let end = format!("echo {} > allowed.txt", unique_word());
    (format!("TOOL bash true {} && {end}", "x".repeat(6_000)), end)
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_long_command_is_attached_as_a_file() {
    let world = World::new();
    let _bridge = world.start();
    let (prompt, end) = long_command();
    let root = world.prompt(&prompt);
    let ask = world.wait_for_post(&root, "ask:", "The full text is in the attached file");
    assert!(!ask.message.contains(&end), "{}", ask.message);
    let file = world.ada.send("GET", &format!("/files/{}", ask.file_ids[0]), &[]);
    assert!(String::from_utf8_lossy(&file.body).contains(&end));
    world.ada.react(&ask, "+1");
    world.wait_for_answer(&root, "tool: ");
    assert!(world.directory.join("allowed.txt").exists());
}

/// Turns files off on the server while it exists.
struct WithoutFiles<'a>(&'a World);

impl<'a> WithoutFiles<'a> {
    fn new(world: &'a World) -> Self {
        Self::set(world, false).json();
        Self(world)
    }

    fn set(world: &World, is_on: bool) -> Response {
        let settings = serde_json::json!({"FileSettings": {"EnableFileAttachments": is_on}});
        let body = settings.to_string();
        world.chat.user("admin").send("PUT", "/config/patch", body.as_bytes())
    }
}

impl Drop for WithoutFiles<'_> {
    fn drop(&mut self) {
        Self::set(self.0, true);
    }
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_long_command_can_only_be_rejected_where_the_server_takes_no_files() {
    let world = World::alone();
    let _without_files = WithoutFiles::new(&world);
    let _bridge = world.start();
    let (prompt, _) = long_command();
    let root = world.prompt(&prompt);
    let ask = world.wait_for_post(&root, "ask:", "It could not be posted");
    world.ada.react(&ask, "+1");
    world.reply(&root, "yes");
    world.wait_for_post(&root, "note:", "Here it can only be rejected");
    world.ada.react(&ask, "-1");
    world.wait_for_post(&root, "ask:", "Rejected by `ada`");
    world.wait_for_answer(&root, ":x: **bash**");
    assert!(!world.directory.join("allowed.txt").exists());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_text_rejects_a_command_or_allows_all_like_it() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    // The name of the program is unique, as the server remembers for all tests what is always allowed.
    let script = world.directory.join(&word);
    std::fs::write(&script, "#!/bin/sh\ntouch ran.txt\n").unwrap();
    let mode = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    let prompt = format!("TOOL bash ./{word} now");
    let root = world.prompt(&prompt);
    world.wait_for_post(&root, "ask:", &format!("./{word} now"));
    world.reply(&root, "no: not today");
    world.wait_for_post(&root, "ask:", "Rejected by `ada`: not today");
    world.wait_for_answer(&root, ":x: **bash**");
    assert!(!world.directory.join("ran.txt").exists());

    world.reply(&root, &prompt);
    wait_for("the second permission", || (world.posts(&root, "ask:").len() == 2).then_some(()));
    world.reply(&root, "always");
    world.wait_for_post(&root, "ask:", "Allowed always by `ada`");
    wait_for("the command runs", || world.directory.join("ran.txt").exists().then_some(()));
    world.wait_for_answer(&root, "tool: ");

    std::fs::remove_file(world.directory.join("ran.txt")).unwrap();
    world.reply(&root, &prompt);
    wait_for("the command runs again", || world.directory.join("ran.txt").exists().then_some(()));
    assert_eq!(world.posts(&root, "ask:").len(), 2);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_question_is_answered_by_a_reaction_or_a_text() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("TOOL question Which colour? red, blue");
    let ask = world.wait_for_post(&root, "ask:", "Which colour?");
    assert!(ask.message.contains("1. red") && ask.message.contains("2. blue"), "{}", ask.message);
    world.ada.react(&ask, "two");
    world.wait_for_post(&root, "ask:", "Answered by `ada`: blue");
    world.wait_for_answer(&root, "blue");

    world.reply(&root, "TOOL question Which size? small, large");
    world.wait_for_post(&root, "ask:", "Which size?");
    world.reply(&root, "rather medium");
    world.wait_for_post(&root, "ask:", "Answered by `ada`: rather medium");
    world.wait_for_answer(&root, "rather medium");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_answer_elsewhere_is_shown() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("TOOL question Which tree? oak, beech");
    let ask = world.wait_for_post(&root, "ask:", "Which tree?");
    let id = ask.key().strip_prefix("ask:").unwrap();
    let path = format!("/question/{id}/reply?directory={}", world.directory.display());
    world.opencode.access().post(&path, &serde_json::json!({"answers": [["oak"]]}));
    world.wait_for_post(&root, "ask:", "Answered elsewhere: oak");
    // A late answer changes nothing.
    world.ada.react(&ask, "two");
    let answers = world.wait_for_answer(&root, "oak");
    assert!(!answers.contains("beech"), "{answers}");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_abort_ends_the_answer_and_the_next_prompt_works() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("SLOW 300 100");
    world.wait_for_answer(&root, "word3");
    world.reply(&root, "!abort");
    world.wait_for_answer(&root, ":warning:");
    let word = unique_word();
    world.reply(&root, &word);
    let answers = world.wait_for_answer(&root, &format!("echo: {word}"));
    assert!(!answers.contains("word300"), "{answers}");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn prompts_wait_for_their_turn_and_can_be_dropped_or_edited() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt("SLOW 50 100");
    world.wait_for_answer(&root, "word2");
    let posts = ["one", "two", "three"].map(|name| world.reply(&root, &format!("{name} {word}")));
    for post in &posts {
        wait_for("the mark of a waiting prompt", || {
            let reactions = world.ada.reactions(post);
            reactions.contains(&"hourglass_flowing_sand".to_owned()).then_some(())
        });
    }
    world.ada.edit(&posts[2], &format!("four {word}"));
    world.reply(&root, "!queue drop 2");
    world.wait_for_post(&root, "note:", "Dropped");
    let answers = world.wait_for_answer(&root, &format!("echo: four {word}"));
    assert!(answers.contains("word50"), "{answers}");
    assert!(answers.contains(&format!("echo: one {word}")), "{answers}");
    world.assert_asked_once(&format!("one {word}"));
    world.assert_asked_once(&format!("four {word}"));
    for dropped in ["two", "three"] {
        assert!(world.opencode.model_requests(&format!("{dropped} {word}")).is_empty());
    }
    for post in &posts {
        wait_for("no mark is left", || world.ada.reactions(post).is_empty().then_some(()));
    }
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_long_answer_is_split_at_borders() {
    let world = World::new();
    let _bridge = world.start();
    let root = world.prompt("LONG 60 3");
    // The last edit of a post may follow the end of the answer by some seconds.
    let lacks_line = |answers: &str| {
        let count = answers.matches("## Section ").count();
        let mut lines = (1..count).flat_map(|section| (1..=20).map(move |line| (section, line)));
        lines.find_map(|(section, line)| {
            let code = format!("let value_{section}_{line} = ");
            (answers.matches(&code).count() != 1).then_some(code)
        })
    };
    let is_whole = || {
        let status = world.skein(&["bridge", "status", "--json"]);
        let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
        let answers = world.answers(&root);
        let is_long = status["prompts"] == 0 && answers.len() > 60_000;
        (is_long && lacks_line(&answers).is_none()).then_some(())
    };
    wait_for("the answer is whole", is_whole);
    let posts = world.posts(&root, "answer:");
    assert!(posts.len() >= 5, "{}", posts.len());
    for post in &posts {
        assert_eq!(post.message.matches("```").count() % 2, 0, "{}", post.message);
    }
    let answers = world.answers(&root);
    let count = answers.matches("## Section ").count();
    for section in 1..=count {
        assert_eq!(answers.matches(&format!("## Section {section}\n")).count(), 1);
    }
}
