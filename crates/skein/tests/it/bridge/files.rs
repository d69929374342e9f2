//! Files in both directions, and the choice of a model.

use super::chat::unique_word;
use super::world::{World, wait_for};

/// An image of one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDAT\x08\xd7c\
    \xf8\xcf\xc0\0\0\x03\x01\x01\0\x18\xdd\x8d\xb0\0\0\0\0IEND\xaeB`\x82";

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn files_of_a_post_reach_the_agent() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let files = [
        world.ada.upload(&world.channel, "pixel.png", PIXEL),
        world.ada.upload(&world.channel, "notes.txt", format!("text {word}").as_bytes()),
        world.ada.upload(&world.channel, "..%2F..%2Fdata.bin", format!("\0{word}").as_bytes()),
    ];
    let root = world.ada.post_with_files(&world.channel, "", &format!("look {word}"), &files);
    world.wait_for_answer(&root, &format!("echo: look {word}"));
    let requests = world.opencode.model_requests(&format!("look {word}"));
    let [request] = &requests[..] else { panic!("{} requests", requests.len()) };
    assert!(request.types.contains(&"image_url".to_owned()), "{:?}", request.types);
    let mut words = request.prompt.split([' ', '\n', ']']);
    let path = words.find(|word| word.ends_with("data.bin")).expect(&request.prompt);
    assert!(path.starts_with(world.path("").to_str().unwrap()), "{path}");
    assert_eq!(std::fs::read_to_string(path).unwrap(), format!("\0{word}"));
    assert!(request.prompt.contains(&format!("text {word}")), "{}", request.prompt);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_image_of_an_answer_is_posted_only_from_the_directory() {
    let world = World::new();
    let _bridge = world.start();
    std::fs::write(world.directory.join("chart.png"), PIXEL).unwrap();
    let secret = world.path("secret.png");
    std::fs::write(&secret, PIXEL).unwrap();
    std::os::unix::fs::symlink(&secret, world.directory.join("link.png")).unwrap();
    let text = format!("![a](chart.png) ![b](link.png) ![c]({})", secret.display());
    let root = world.prompt(&text);
    let refused = "`link.png` could not be posted: it is not in the session's directory";
    world.wait_for_post(&root, "note:", refused);
    let posts = world.posts(&root, "image:");
    let [chart] = posts.as_slice() else { panic!("{posts:?}") };
    assert!(chart.message.contains("chart.png"), "{chart:?}");
    let file = world.ada.send("GET", &format!("/files/{}", chart.file_ids[0]), &[]);
    assert_eq!(file.body, PIXEL);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_file_of_the_directory_is_sent_on_request() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    std::fs::create_dir(world.directory.join("out")).unwrap();
    std::fs::write(world.directory.join("out/report.txt"), &word).unwrap();
    std::fs::write(world.path("secret.txt"), "secret").unwrap();
    std::os::unix::fs::symlink(world.path("secret.txt"), world.directory.join("link.txt")).unwrap();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    let with_file = || {
        let posts = world.ada.thread(&root.id).into_iter();
        posts.filter(|post| !post.file_ids.is_empty()).collect::<Vec<_>>()
    };
    for path in ["../secret.txt", "/etc/hostname", "link.txt"] {
        let before = world.ada.thread(&root.id).len();
        world.reply(&root, &format!("!file {path}"));
        wait_for(path, || (world.ada.thread(&root.id).len() >= before + 2).then_some(()));
        assert!(with_file().is_empty(), "{path}");
    }
    world.reply(&root, "!file out/report.txt");
    let posts = wait_for("the file", || Some(with_file()).filter(|posts| !posts.is_empty()));
    let file = world.ada.send("GET", &format!("/files/{}", posts[0].file_ids[0]), &[]);
    assert_eq!(file.body, word.as_bytes());
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_command_of_opencode_has_the_model_of_its_thread_and_the_files_of_its_post() {
    let world = World::new();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt(&format!("model:scripted/two hello {word}"));
    world.wait_for_answer(&root, &format!("echo: hello {word}"));
    let files = [world.ada.upload(&world.channel, "pixel.png", PIXEL)];
    let text = format!("/repeat look {word}");
    world.ada.post_with_files(&world.channel, &root.id, &text, &files);
    world.wait_for_answer(&root, &format!("Repeat: look {word}"));
    let requests = world.opencode.model_requests(&format!("Repeat: look {word}"));
    let [request] = &requests[..] else { panic!("{} requests", requests.len()) };
    assert_eq!(request.model, "two");
    assert!(request.types.contains(&"image_url".to_owned()), "{:?}", request.types);
    world.reply(&root, "/nonsense now");
    world.wait_for_post(&root, "note:", "it has no command /nonsense");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
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
#[ignore = "needs real servers: .ci/long servers"]
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
