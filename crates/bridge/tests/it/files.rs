//! Files in both directions.

use skein_bridge::core::action::OutFile;
use skein_bridge::core::ids::PostId;
use skein_bridge::core::input::{ChatEvent, FileSeen, MissingFile, Outcome};
use skein_bridge::core::{Delivery, Input};

use crate::world::{HOME, OWNER, World};

fn file(name: &str, size: u64, mime: &str) -> FileSeen {
    FileSeen { id: name.into(), name: name.into(), size, mime: mime.into() }
}

fn post_with(world: &mut World, text: &str, files: Vec<FileSeen>) -> PostId {
    world.now += 1;
    let id = world.chat.write(HOME, OWNER, None, text, world.now).id;
    world.chat.post_mut(&id).files = files;
    let post = world.chat.post(&id).seen();
    world.feed(Input::Chat(ChatEvent::Posted(post)));
    id
}

#[test]
fn files_of_a_post_go_to_the_agent_under_safe_and_unique_names() {
    let mut world = World::new();
    let files = vec![
        file("a/x.png", 10, "image/png"),
        file("../x.png", 10, "image/png"),
        file("notes.txt", 10, "text/plain"),
        file("huge.iso", 2_000_000, "application/octet-stream"),
    ];
    let root = post_with(&mut world, "look", files);
    let files = &world.agent.requests[0].files;
    let shown: Vec<_> = files.iter().map(|one| (one.name.as_str(), &one.delivery)).collect();
    let image = Delivery::Part { mime: "image/png".into() };
    assert_eq!(shown, [("x.png", &image), ("1-x.png", &image), ("notes.txt", &Delivery::Saved)]);
    let note = "Too large, or too many files; not sent: huge.iso".to_owned();
    assert!(world.thread(&root).contains(&note));
}

#[test]
fn a_number_that_makes_a_name_unique_is_not_in_another_name() {
    let mut world = World::new();
    let files = ["2-a", "a", "a", "3-a"].map(|name| file(name, 10, "text/plain"));
    post_with(&mut world, "look", files.into());
    let names: Vec<_> = world.agent.requests[0].files.iter().map(|one| &one.name).collect();
    assert_eq!(names, ["2-a", "a", "3-a", "3-3-a"]);
}

#[test]
fn a_post_with_a_file_and_no_text_is_a_prompt() {
    let mut world = World::new();
    post_with(&mut world, "", vec![file("x.png", 10, "image/png")]);
    assert_eq!(world.agent.requests.len(), 1);
}

#[test]
fn files_that_a_prompt_was_sent_without_are_named() {
    let mut world = World::new();
    let (root, session) = world.session("look");
    let missing = |name: &str| MissingFile { name: name.into(), reason: "not found".into() };
    let files = vec![missing("a.txt"), missing("b.txt")];
    world.feed(Input::Outcome(Outcome::FilesMissing { post: root.clone(), session, files }));
    let note =
        "The prompt was sent without these files:\n- `a.txt`: not found\n- `b.txt`: not found";
    assert_eq!(world.thread(&root).last().unwrap(), note);
}

#[test]
fn images_that_an_answer_embeds_are_posted_once_it_is_finished() {
    let mut world = World::new();
    let (root, session) = world.session("draw");
    world.write(&session, "See ![chart](out/chart.png) and ![secret](../../etc/passwd).");
    world.wait(1_000);
    let files = |world: &World| {
        let posts = world.chat.thread(&root);
        posts.iter().filter_map(|post| post.file.clone()).collect::<Vec<_>>()
    };
    assert!(files(&world).is_empty());
    world.finish(&session);
    world.wait(1_000);
    let (directory, path) = ("/src/app".into(), "out/chart.png".into());
    assert_eq!(files(&world), [OutFile::Disk { directory, path, max_bytes: 1_000_000 }]);
}

#[test]
fn a_user_gets_a_file_of_the_session_once_and_none_outside_of_it() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "done");
    world.reply(&root, "!file out/report.txt");
    world.wait(1_000);
    let posts = world.chat.thread(&root);
    let files: Vec<_> = posts.iter().filter_map(|post| post.file.clone()).collect();
    let (directory, path) = ("/src/app".into(), "out/report.txt".into());
    assert_eq!(files, [OutFile::Disk { directory, path, max_bytes: 1_000_000 }]);
    for path in ["../secret", "/etc/passwd", ".env", ""] {
        world.reply(&root, &format!("!file {path}"));
        let last = world.thread(&root).pop().unwrap();
        assert!(last.starts_with("The path of a file below"), "{path}: {last}");
    }
}

#[test]
fn a_long_diff_is_a_file() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.answer(&session, "done");
    world.agent.diff = "+short\n".to_owned();
    world.reply(&root, "!diff");
    assert_eq!(world.thread(&root).pop().unwrap(), "```diff\n+short\n```");
    world.agent.diff = "+long\n".repeat(5_000);
    world.reply(&root, "!diff");
    let file = world.chat.thread(&root).pop().unwrap().file.clone();
    let (name, content) = ("changes.diff".into(), world.agent.diff.clone());
    assert_eq!(file, Some(OutFile::Text { name, content }));
}
