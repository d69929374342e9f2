//! The program is killed while it writes.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use skein_testkit::size;

use crate::place::{Place, printed};

/// Runs a command in equal workspaces, kills it a little later each time, and checks the files.
///
/// `check` gets the workspace after the kill with `false`, and after the repeated command with `true`.
fn rounds(make: fn() -> Place, args: &[&str], check: fn(&Place, bool)) {
    let whole = make();
    let start = Instant::now();
    whole.done(args);
    let took = start.elapsed();
    check(&whole, true);
    let all = u32::try_from(size(8, 100)).unwrap();
    for round in 0..all {
        let place = make();
        let mut child = place.skein(args);
        let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(took * round / all + Duration::from_micros(300));
        child.kill().unwrap();
        child.wait().unwrap();
        check(&place, false);
        let again = place.skein(args).output().unwrap();
        let nothing =
            printed(&again).contains("no open thread") || printed(&again).contains("no thread");
        assert!(again.status.success() || nothing, "{}", printed(&again));
        check(&place, true);
    }
}

/// Returns the comments `text N` in these files, and checks that each file is a complete thread.
fn texts(files: &[PathBuf]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files.iter().filter(|file| !is_temp(file)) {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.starts_with("<local-code-review-thread>\n"), "{}", file.display());
        found.extend(text.lines().filter(|line| line.starts_with("text ")).map(str::to_owned));
    }
    found
}

fn is_temp(file: &std::path::Path) -> bool {
    file.file_name().unwrap().to_str().unwrap().starts_with(".skein-")
}

fn expected(count: usize) -> BTreeSet<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

/// Returns a workspace with this many threads, or drafts, on a file of numbered lines.
fn filled(count: usize, draft: bool, suggest: bool) -> Place {
    let place = Place::with_store();
    let lines: String = (0..count * 3).map(|number| format!("line {number}\n")).collect();
    place.file("work/a.rs", lines);
    let comments: Vec<String> = (0..count)
        .map(|number| {
            let line = number * 3 + 1;
            let suggestion = if suggest { r#", "suggestion": "new\nlines""# } else { "" };
            format!(r#"{{"file": "a.rs", "line": {line}, "body": "text {number}"{suggestion}}}"#)
        })
        .collect();
    place.file("notes.json", format!("[{}]", comments.join(",")));
    let mut args = vec!["review", "add", "--from", "../notes.json"];
    args.extend(draft.then_some("--draft"));
    place.done(&args);
    place
}

#[test]
fn a_killed_command_adds_a_comment_completely_or_not_at_all() {
    fn make() -> Place {
        let place = Place::with_store();
        place.file("work/a.rs", "one\n");
        place
    }
    rounds(make, &["review", "add", "a.rs:1", "-m", "text 0"], |place, _| {
        assert!(texts(&place.threads()).is_subset(&expected(1)));
    });
}

#[test]
fn after_a_killed_submission_every_draft_is_a_draft_or_a_thread() {
    rounds(
        || filled(20, true, false),
        &["review", "submit"],
        |place, done| {
            let (drafts, threads) = (texts(&place.state("drafts")), texts(&place.threads()));
            assert_eq!(&drafts | &threads, expected(20));
            if done {
                assert_eq!(threads, expected(20));
                let files: Vec<_> =
                    place.threads().into_iter().filter(|file| !is_temp(file)).collect();
                assert_eq!(files.len(), 20, "each is published once");
                let drafts = place.state("drafts").into_iter().filter(|file| !is_temp(file));
                assert_eq!(drafts.count(), 0);
            }
        },
    );
}

#[test]
fn after_a_killed_delete_every_thread_is_in_the_store_or_in_the_trash() {
    fn check(place: &Place, done: bool) {
        let (threads, trash) = (texts(&place.threads()), texts(&place.state("trash/reviews")));
        assert_eq!(&threads | &trash, expected(6));
        if done {
            assert_eq!(trash, expected(6));
            assert_eq!(threads.len(), 0);
        }
    }
    rounds(|| filled(6, false, false), &["review", "clear", "--yes"], check);
    rounds(
        || filled(1, false, false),
        &["review", "delete", "a.rs:1"],
        |place, done| {
            let (threads, trash) = (texts(&place.threads()), texts(&place.state("trash/reviews")));
            assert_eq!(&threads | &trash, expected(1));
            assert_eq!(trash.len().min(1), usize::from(done || !trash.is_empty()));
        },
    );
}

#[test]
fn a_killed_command_applies_all_suggestions_to_a_file_or_none() {
    rounds(
        || filled(5, false, true),
        &["review", "apply", "--all"],
        |place, done| {
            let text = fs::read_to_string(place.path("work/a.rs")).unwrap();
            let new = text.matches("new\nlines\n").count();
            assert!(new == 5 || (new == 0 && !done), "{text}");
            assert_eq!(
                text.lines().filter(|line| line.starts_with("line ")).count(),
                15 - new,
                "{text}"
            );
            assert_eq!(texts(&place.threads()), expected(5));
            for thread in place.threads().iter().filter(|file| done && !is_temp(file)) {
                let text = fs::read_to_string(thread).unwrap();
                assert_eq!(text.matches("\nApplied").count(), 1, "{text}");
            }
        },
    );
}
