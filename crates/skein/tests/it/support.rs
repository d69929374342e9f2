//! The log, and the bug report of `skein doctor --report`.

use std::fs;

use crate::place::{Place, files, printed};

const TEXT: &str = "only for the eyes of my team";
const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

/// Returns a workspace with a comment and a checkpoint.
fn workspace() -> Place {
    let place = Place::with_store();
    fs::create_dir_all(place.path("work/workspace/threads")).unwrap();
    place.file("work/a.rs", "fn a() {}\n");
    place.done(&["review", "add", "a.rs:1", "-m", TEXT]);
    place.done(&["checkpoint", "save", "only-for-the-eyes", "--title", TEXT, "--message", TEXT]);
    place
}

#[test]
fn the_log_names_the_written_files_without_their_text() {
    let place = workspace();
    let mut command = place.skein(&["review", "add", "a.rs:1", "-m", TEXT]);
    let output = command.env("SKEIN_LOG", "debug").output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", printed(&output));
    assert!(log.contains("DEBUG skein_store::real: lock "), "{log}");
    assert!(log.contains(".code-review/threads/"), "{log}");
    assert!(!log.contains(TEXT), "{log}");
}

#[test]
fn a_hook_logs_to_its_file_and_not_to_stderr() {
    let place = workspace();
    place.file("home/.local/state/skein/hook.log", "");
    let mut command = place.skein(&["hook", "claude-code", "stop"]);
    let output = command.env("SKEIN_LOG", "debug").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{}", printed(&output));
    let log = fs::read_to_string(place.path("home/.local/state/skein/hook.log")).unwrap();
    assert!(log.contains("called by claude-code for stop"), "{log}");
}

#[test]
fn an_unknown_log_level_gives_a_warning() {
    let place = workspace();
    let output = place.skein(&["review", "list"]).env("SKEIN_LOG", "loud").output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    let warning = "Warning: SKEIN_LOG is not one of error, warn, info, debug and trace: loud\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), warning);
}

#[test]
fn a_bug_report_has_no_private_data() {
    let place = workspace();
    place.file("work/.code-review/threads/broken.md", "no thread");
    let state = files(&place.path("home/.local/state/skein"));
    let state = state.iter().find(|path| path.is_dir()).unwrap();
    let log = format!(
        "cannot write {}: {SECRET}\ncannot read {}/drafts",
        place.path("work").display(),
        state.display()
    );
    place.file("home/.local/state/skein/hook.log", log);
    for args in [&["doctor", "--report"][..], &["doctor", "--report", "--json"]] {
        let report = place.done(args);
        for expected in ["0.1.0", "git version", "2 files", "cannot write WORKSPACE", "review-"] {
            assert!(report.contains(expected), "{expected}: {report}");
        }
        let title = "only-for-the-eyes";
        let folder = place.path("");
        for private in [TEXT, title, SECRET, "work-", folder.to_str().unwrap()] {
            assert!(!report.contains(private), "{private}: {report}");
        }
    }
}
