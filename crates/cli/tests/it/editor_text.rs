//! Text that a user wrote in an editor or piped in is never lost.

use std::fs;

use crate::place::{Place, RunOutput};

fn place(editor: &str) -> Place {
    let mut place = Place::empty();
    place.file("a.rs", "one\ntwo\n");
    fs::create_dir(place.machine.dir.join(".code-review")).unwrap();
    place.machine.variables.insert("EDITOR".to_owned(), editor.to_owned());
    place
}

/// Returns the path and the content of each kept scratch file.
fn kept(place: &Place) -> Vec<(String, String)> {
    let dir = place.path("home/.local/state/skein/scratch");
    let files = fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().path());
    files.map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn text_below_the_scissors_line_is_kept() {
    let place = place("sed -i '$ a words'");
    let RunOutput { code, err, .. } = place.run("review add a.rs:1");
    assert_eq!(code, 2);
    assert!(err.contains("below the scissors line"), "{err}");
    let [(_, text)] = &kept(&place)[..] else { panic!("{err}") };
    assert!(text.ends_with("words\n"), "{text}");
}

#[test]
fn an_empty_comment_leaves_no_scratch_file() {
    let place = place("true");
    let output = place.run("review add a.rs:1");
    assert_eq!(output.code, 2);
    assert!(output.err.contains("the comment is empty"), "{}", output.err);
    assert_eq!(kept(&place), []);
}

#[test]
fn a_kept_text_can_be_reused() {
    let place = place("sed -i '1 i words'");
    let output = place.run("review add a.rs:1 --expect three");
    assert_eq!(output.code, 2);
    let [(path, _)] = &kept(&place)[..] else { panic!("{}", output.err) };
    assert!(output.err.contains(&format!("`-F {}`", place.shorten(path))), "{}", output.err);
    assert_eq!(place.run_args(&["review", "add", "a.rs:1", "-F", path]).code, 0);
    let shown = place.run("review show a.rs:1").out;
    assert!(shown.ends_with("\n  words\n"), "{shown}");
}

#[test]
fn piped_input_is_kept_when_it_could_not_be_stored() {
    let mut place = place("true");
    place.input = "precious text\n";
    for (number, args) in [
        "review reply zzz -m -",
        "review edit zzz -F -",
        "review resolve zzz -m -",
        "review add nowhere.rs:3 -m -",
        "review add nowhere.rs:3 --suggest -",
        "review add --from -",
        "checkpoint save ../x -m -",
        "handoff -m - --files-from nowhere",
    ]
    .into_iter()
    .enumerate()
    {
        let output = place.run(args);
        assert_eq!(output.code, 2, "{args}");
        let kept = kept(&place);
        assert_eq!(kept.len(), number + 1, "{args}: {}", output.err);
        let is_named = |(path, text): &(String, String)| {
            text == "precious text\n"
                && output.err.contains(&format!("`< {}`", place.shorten(path)))
        };
        assert!(kept.iter().any(is_named), "{args}: {}", output.err);
    }
    // Input that was stored is not kept, and neither is blank input.
    assert_eq!(place.run("review add a.rs:1 -m -").code, 0);
    place.input = " \n";
    assert_eq!(place.run("review add a.rs:1 -m -").code, 2);
    assert_eq!(kept(&place).len(), 8);
}

#[test]
fn a_suggestion_is_read_from_stdin() {
    let mut place = place("true");
    place.input = "new text\n";
    let output = place.run("review add a.rs:2 -m better --suggest -");
    assert_eq!(output.code, 0, "{}", output.err);
    let shown = place.run("review show a.rs:2").out;
    assert!(shown.contains("new text") && !shown.contains("\n  -\n"), "{shown}");
    for words in ["review add a.rs:1 -m - --suggest -", "review add a.rs:1 -F - --suggest -"] {
        let output = place.run(words);
        assert_eq!(output.code, 2, "{}", output.out);
        assert!(output.err.contains("stdin can be read only once"), "{}", output.err);
    }
}
