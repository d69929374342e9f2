//! Files in both directions, and the choice of a model.

use super::chat::unique_word;
use super::world::{World, wait_for};

/// An image of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDAT\x08\xd7c\
    \xf8\xcf\xc0\0\0\x03\x01\x01\0\x18\xdd\x8d\xb0\0\0\0\0IEND\xaeB`\x82";

#[test]
#[ignore = "needs real servers: .ci/real servers"]
fn files_of_a_post_reach_the_agent() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let files = [
        world.ada.upload(&world.channel, "pixel.png", PIXEL),
        world.ada.upload(&world.channel, "..%2F..%2Fnotes.txt", word.as_bytes()),
    ];
    let root = world.ada.post_with_files(&world.channel, "", &format!("look {word}"), &files);
    world.wait_for_answer(&root, &format!("echo: look {word}"));
    let requests = world.opencode.model_requests(&format!("look {word}"));
    let [request] = &requests[..] else { panic!("{} requests", requests.len()) };
    assert!(request.types.contains(&"image_url".to_owned()), "{:?}", request.types);
    let mut words = request.prompt.split([' ', '\n', ']']);
    let path = words.find(|word| word.ends_with("notes.txt")).expect(&request.prompt);
    assert!(path.starts_with(world.path("").to_str().unwrap()), "{path}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), word);
}

#[test]
#[ignore = "needs real servers: .ci/real servers"]
fn an_image_of_an_answer_is_posted_only_from_the_directory() {
    let world = World::new();
    let _bridge = world.start();
    std::fs::write(world.directory.join("chart.png"), PIXEL).unwrap();
    let secret = world.path("secret.png");
    std::fs::write(&secret, PIXEL).unwrap();
    std::os::unix::fs::symlink(&secret, world.directory.join("link.png")).unwrap();
    let text = format!("![a](chart.png) ![b](link.png) ![c]({})", secret.display());
    let root = world.prompt(&text);
    let posts = wait_for("both posts", || {
        Some(world.posts(&root, "image:")).filter(|posts| posts.len() == 2)
    });
    assert_eq!(posts.iter().filter(|post| !post.file_ids.is_empty()).count(), 1, "{posts:?}");
    let chart = posts.iter().find(|post| post.message.contains("chart.png")).unwrap();
    let file = world.ada.send("GET", &format!("/files/{}", chart.file_ids[0]), &[]);
    assert_eq!(file.body, PIXEL);
}

#[test]
#[ignore = "needs real servers: .ci/real servers"]
fn a_model_is_chosen_at_the_start_or_later() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("model:scripted/two first {word}"));
    world.wait_for_answer(&root, &format!("echo: first {word}"));
    world.reply(&root, "!models");
    world.wait_for_post(&root, "note:", "scripted/one");
    world.reply(&root, "!model scripted/one");
    world.wait_for_post(&root, "note:", "uses the model");
    world.reply(&root, &format!("second {word}"));
    world.wait_for_answer(&root, &format!("echo: second {word}"));
    let model = |prompt: &str| {
        let requests = world.opencode.model_requests(&format!("{prompt} {word}"));
        let models: Vec<_> = requests.into_iter().map(|request| request.model).collect();
        models.join(" ")
    };
    assert_eq!(model("first"), "two");
    assert_eq!(model("second"), "one");
}

#[test]
#[ignore = "needs real servers: .ci/real servers"]
fn commands_of_the_bridge_and_of_opencode_are_answered() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("TOOL todowrite plan {word}, build"));
    world.wait_for_answer(&root, &format!("plan {word}"));
    let expected = [
        ("!help", "!sessions"),
        ("!status", "onnected"),
        ("!todo", word.as_str()),
        ("!sessions", "ses_"),
        ("!queue", "No prompt waits"),
        ("!nonsense", "nonsense"),
    ];
    for (command, text) in expected {
        let before = world.posts(&root, "note:").len();
        world.reply(&root, command);
        wait_for(command, || {
            let notes = world.posts(&root, "note:");
            notes.iter().skip(before).any(|note| note.message.contains(text)).then_some(())
        });
    }
    world.reply(&root, &format!("/repeat {word} again"));
    world.wait_for_answer(&root, &format!("Repeat: {word} again"));
}
