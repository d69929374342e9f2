//! Posts that the chat does not take.

use skein_bridge::core::Input;
use skein_bridge::core::ids::SessionId;
use skein_bridge::core::input::{
    AskRequest, ChatError, LocalRequest, Question, RequestKind, Todo, TodoState, Tool, ToolState,
};
use skein_bridge::core::state::ThreadStatus;

use crate::world::{MAX_POST_CHARS, World};

/// Returns the keys of the posts that the bridge is not done with.
fn open_posts(world: &World) -> Vec<&str> {
    world.core.state().posts.keys().map(|key| key.as_str()).collect()
}

#[test]
fn the_thread_says_which_post_was_rejected_and_why() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.chat.rejected = Some(("answer:", "a word is not allowed"));
    world.answer(&session, "The word.");
    let last = world.thread(&root).pop().unwrap();
    assert_eq!(last, "A part of the answer could not be posted: a word is not allowed");
    assert_eq!(open_posts(&world), [format!("session:{session}")]);
    world.chat.rejected = None;
    world.reply(&root, "again");
    world.answer(&session, "Another.");
    assert_eq!(world.answers(&root), ["Another."]);
}

#[test]
fn the_thread_says_that_an_answer_could_not_be_edited() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.write(&session, "The beginning ");
    world.wait(2_000);
    world.chat.rejected_edits = Some(("answer:", "posts cannot be edited after a minute"));
    world.answer(&session, "and the end.");
    let last = world.thread(&root).pop().unwrap();
    let reason = "posts cannot be edited after a minute";
    assert_eq!(last, format!("A part of the answer could not be updated: {reason}"));
    assert_eq!(open_posts(&world), [format!("session:{session}")]);
}

#[test]
fn a_file_that_is_not_taken_is_named() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "done");
    world.chat.rejected_files = Some("files are disabled");
    world.reply(&root, "!file out/report.txt");
    let last = world.thread(&root).pop().unwrap();
    assert_eq!(last, "`out/report.txt` could not be posted: files are disabled");
}

#[test]
fn a_file_that_always_fails_is_given_up_and_the_thread_goes_on() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "done");
    world.chat.failing = Some(("file:", ChatError::FileFailed("it cannot be stored".to_owned())));
    world.reply(&root, "!file out/report.txt");
    world.reply(&root, "again");
    world.answer(&session, "Another.");
    assert_eq!(world.answers(&root), ["done"]);
    world.wait(300_000);
    let missing = "`out/report.txt` could not be posted: it cannot be stored".to_owned();
    assert!(world.thread(&root).contains(&missing));
    assert_eq!(world.answers(&root), ["done", "Another."]);
    assert_eq!(open_posts(&world), [format!("session:{session}")]);
    assert_eq!(world.core.next_wakeup(), None);
}

#[test]
fn a_file_that_fails_for_a_while_is_posted() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "done");
    for number in 0..2 {
        let error = ChatError::FileFailed("it cannot be stored".to_owned());
        world.chat.failing = Some(("file:", error));
        world.reply(&root, &format!("!file out/{number}.txt"));
        world.wait(20_000);
        world.chat.failing = None;
        world.wait(60_000);
    }
    let posts = world.chat.thread(&root);
    assert_eq!(posts.iter().filter(|post| post.file.is_some()).count(), 2);
}

#[test]
fn a_post_that_is_never_created_is_tried_less_and_less_often() {
    let mut world = World::new();
    let (_, session) = world.session("go");
    world.chat.failing = Some(("answer:", ChatError::Unreachable));
    let before = world.chat.requests;
    world.answer(&session, "done");
    world.wait(600_000);
    let requests = world.chat.requests - before;
    assert!((10..20).contains(&requests), "{requests} requests in ten minutes");
}

#[test]
fn a_thread_that_cannot_be_opened_is_reported_and_can_be_opened_later() {
    let mut world = World::new();
    world.chat.rejected = Some(("session:", "the channel is archived"));
    let session = world.agent.create("/src/web", "terminal", world.now);
    world.run();
    let text = "The thread of the session ses_000001 could not be opened: the channel is archived. \
        `!resume ses_000001` tries it again.";
    assert_eq!(world.warnings, [text]);
    let log: Vec<_> = world.audit.iter().map(|one| (one.session.clone(), &one.result)).collect();
    assert_eq!(log, [(Some(session.clone()), &text.to_owned())]);
    assert_eq!(world.core.state().threads[&session].status, ThreadStatus::Lost);
    world.chat.rejected = None;
    world.owner("!resume ses_000001");
    let root = world.core.state().threads[&session].root.clone().unwrap();
    world.reply(&root, "hello");
    world.answer(&session, "Hi.");
    assert_eq!(world.answers(&root), ["Hi."]);
}

#[test]
fn a_rejected_note_is_reported_once() {
    let mut world = World::new();
    world.chat.rejected = Some(("", "no posts today"));
    let root = world.owner("!help");
    world.wait(100_000);
    assert_eq!(world.thread(&root).len(), 1);
    assert_eq!(world.warnings, ["A reply of the bot could not be posted: no posts today"]);
    assert!(open_posts(&world).is_empty());
    assert_eq!(world.core.next_wakeup(), None);
}

fn long_question(session: &SessionId) -> AskRequest {
    let options = (0..100).map(|_| ("label ".repeat(100), "why ".repeat(100))).collect();
    let questions = vec![Question { text: "Which one? ".repeat(2_000), options }];
    let kind = RequestKind::Questions(questions);
    AskRequest { id: "ask_1".into(), session: session.clone(), kind }
}

#[test]
fn no_post_is_longer_than_the_server_takes() {
    let mut world = World::new();
    world.agent.links = "a review ".repeat(5_000);
    let (root, session) = world.session("go");
    let todo = Todo { text: "work ".repeat(30), state: TodoState::Open };
    let todos = vec![todo; 300];
    let state = ToolState::Completed;
    let tool = Tool { name: "todowrite".into(), state, todos, ..Tool::default() };
    world.agent.tool(&session, tool, world.now);
    let output = "line\n".repeat(9_000);
    let title = "make ".repeat(5_000);
    let tool = Tool { name: "bash".into(), state, title, output, ..Tool::default() };
    world.agent.tool(&session, tool, world.now);
    world.agent.ask(long_question(&session));
    world.run();
    world.answer(&session, &"A long answer. ".repeat(3_000));
    world.reply(&root, &format!("!file {}", "path/".repeat(4_000) + "a"));
    world.reply(&root, &format!("!{}", "command".repeat(3_000)));
    let (id, text) = ("handoff".into(), format!("```\n{}\n```", "text\n".repeat(10_000)));
    world.feed(Input::Local(LocalRequest::Say { id, session: session.clone(), text }));
    world.wait(60_000);
    for post in world.chat.posts.iter().filter(|post| post.key.is_some()) {
        assert!(post.text.chars().count() <= MAX_POST_CHARS, "{:?}", post.key);
        assert!(!post.text.contains("could not be"), "{:?}: {}", post.key, post.text);
        assert_eq!(post.text.matches("```").count() % 2, 0, "{:?}", post.key);
    }
    for key in ["session:", "answer:", "output:", "ask:", "file:", "note:"] {
        let mut keys = world.chat.posts.iter().filter_map(|post| post.key.as_ref());
        assert!(keys.any(|one| one.as_str().starts_with(key)), "no post {key}");
    }
    let answers = world.answers(&root).join(" ");
    assert_eq!(answers.matches("A long answer.").count(), 3_000);
}
