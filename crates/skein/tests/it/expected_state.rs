//! Writes of programs that show threads: each is refused if the state is not the one that was shown.

use serde_json::json;

use crate::place::{Place, printed};

#[track_caller]
fn refused(place: &Place, args: &[&str], expected: &str) {
    let output = place.skein(args).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", printed(&output));
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
}

/// Creates a repository with a commit, by which the code of a thread is found with certainty.
fn commit_all(place: &Place) {
    let id = ["-c", "user.name=Mira", "-c", "user.email=mira@example.org"];
    for args in [&["init", "-q"][..], &["add", "a.rs"], &["commit", "-q", "-m", "begin"]] {
        let mut git = std::process::Command::new("git");
        let status = git.current_dir(place.path("work")).args(id).args(args).status();
        assert!(status.unwrap().success(), "git {args:?}");
    }
}

#[test]
fn the_version_names_what_programs_can_rely_on() {
    let place = Place::new();
    assert_eq!(place.done(&["version"]), "skein 0.1.0\n");
    let features = ["edit-was", "steps-was", "apply-token", "watch-code"];
    let expected = json!({ "version": "0.1.0", "json": 1, "features": features });
    assert_eq!(place.json(&["version", "--json"]), expected);
    assert!(!place.path("home/.local").exists());
}

#[test]
fn an_edit_of_a_comment_that_was_changed_since_is_refused() {
    let place = Place::with_store();
    place.file("work/a.rs", "fn a() {}\n");
    let added = place.json(&["review", "add", "a.rs:1", "--message=- Why?", "--json"]);
    let (id, comment) = (&added["threads"][0]["id"], &added["threads"][0]["comment"]);
    let (id, comment) = (id.as_str().unwrap(), comment.as_str().unwrap());
    let edit = |was, text| ["review", "edit", id, comment, "--was", was, "-m", text];
    place.done(&edit("- Why?", "Why twice?"));
    let changed = format!(
        "Error: the comment {comment} was changed in the meantime\n\
         Hint: nothing was changed; `skein review show {id}` shows the current text: edit that\n"
    );
    refused(&place, &edit("- Why?", "Why now?"), &changed);
    let body = || place.json(&["show", id, "--json"])["comments"][0]["body"].clone();
    assert_eq!(body(), "Why twice?");
    // A program that repeats an edit gets the same result.
    place.done(&edit("- Why?", "Why twice?"));
    place.done(&edit("Why twice?", "Why now?"));
    assert_eq!(body(), "Why now?");
}

#[test]
fn a_step_that_was_changed_since_is_not_closed() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("work/workspace/threads")).unwrap();
    let save =
        ["checkpoint", "save", "cache", "-m", "Half of it", "--step", "One", "--step", "Two"];
    place.done(&save);
    let change = |what, step, was| ["steps", what, step, "--was", was, "--json"];
    let action =
        |what, step, was| place.json(&change(what, step, was))["steps"][0]["action"].clone();
    assert_eq!(action("done", "cache#1", "One"), "done");
    assert_eq!(action("done", "cache#1", "One"), "unchanged");
    let closed = "Error: the step was changed in the meantime: cache#1\n\
         Hint: nothing was changed; look at the step as it is now: One (done)\n";
    refused(&place, &change("drop", "cache#1", "One"), closed);
    refused(&place, &change("reopen", "cache#1", "Two"), closed);
    assert_eq!(action("reopen", "cache#1", "One"), "reopened");
    let other = "Error: the step was changed in the meantime: cache#2\n\
         Hint: nothing was changed; look at the step as it is now: Two (open)\n";
    refused(&place, &change("done", "cache#2", "One"), other);
    let both = ["steps", "done", "cache#1", "cache#2", "--was", "One"];
    let one = "Error: `--was` is the text of one step, but 2 are named\n\
         Hint: run the command once for each step\n";
    refused(&place, &both, one);
}

#[test]
fn a_suggestion_is_applied_only_as_the_dry_run_showed_it() {
    let place = Place::with_store();
    let text = "use std::fmt;\n\n/// Adds two numbers.\nfn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\nconst LIMIT: u8 = 7;\n";
    place.file("work/a.rs", text);
    commit_all(&place);
    let suggestion = ["--suggest", "    a.saturating_add(b)", "--json"];
    let add = [&["review", "add", "a.rs:5", "-m", "No panic"][..], &suggestion].concat();
    let added = place.json(&add);
    let id = added["threads"][0]["id"].as_str().unwrap();
    let dry_run =
        || place.json(&["review", "apply", id, "--dry-run", "--json"])["applied"][0].clone();
    let token = || dry_run()["token"].as_str().unwrap().to_owned();
    let (first, again) = (token(), token());
    assert_eq!(first, again);
    place.file("work/a.rs", text.replace("7", "8"));
    let apply = |token: &str| place.skein(&["review", "apply", id, "--token", token, "--json"]);
    let output = apply(&first).output().unwrap();
    let expected = format!(
        "Error: the file or the suggestion in thread {id} was changed in the meantime\n\
         Hint: nothing was changed; `skein review apply {id} --dry-run` shows what would change now\n"
    );
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!(output.status.code(), Some(2));
    let output = apply(&token()).output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    let done: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(done["applied"][0]["outcome"], "applied");
    assert!(done["applied"][0].get("token").is_none(), "{done}");
    let expected = text.replace("7", "8").replace("a + b", "a.saturating_add(b)");
    assert_eq!(std::fs::read_to_string(place.path("work/a.rs")).unwrap(), expected);
    assert_eq!(dry_run()["outcome"], "there already");
}
