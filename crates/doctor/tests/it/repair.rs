//! Thread files that the doctor repairs.

use std::fs;
use std::path::Path;

use skein_catalog::WorktreeScope;
use skein_doctor::repair;
use skein_format::review::ReviewDoc;

use crate::doctor::{check, check_repo, repair_all};
use skein_fixtures::{Fixture, Review, git};

const FILE: &str = "repo/.code-review/threads/r1.md";
const INDEX: &str = "repo/.code-review/index.json";

/// Returns a store with one thread and its index; `tail` is appended to the thread file.
fn appended(tail: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.review("repo", "r1", &Review::default());
    repair_all(&fixture);
    let text = fixture.read(FILE) + tail;
    fixture.file(FILE, text);
    fixture
}

/// Repairs everything, checks that the old thread is in the trash, and returns the repaired thread.
fn repair_thread(fixture: &Fixture) -> String {
    let before = fixture.read(FILE);
    let messages = repair_all(fixture);
    let (_, copy) = messages[0].split_once("; the old file is ").unwrap();
    assert_eq!(fixture.read(copy), before);
    assert_eq!(messages[1..], [format!("wrote {INDEX}")]);
    fixture.read(FILE)
}

fn comment(id: &str, at: &str, body: &str) -> String {
    format!(
        "\n<local-code-review-comment id=\"{id}\" author=\"Codex\" createdAt=\"{at}\"/>\n\n{body}\n"
    )
}

#[test]
fn mistakes_of_an_edit_by_hand_are_repaired() {
    let reply = comment("c0", "2026-01-21T09:00:00Z", "Because.");
    let fixture = appended(reply.trim_end());
    let before = fixture.read(FILE);
    check(
        &fixture,
        &[
            &format!(
                "{FILE}: review-updated-at-behind a comment is later than `updatedAt`: 2026-01-21T09:00:00.000Z"
            ),
            &format!(
                "{FILE}:20: review-comment-duplicate-id an earlier comment has the id `c0` too"
            ),
            &format!("{FILE}:22: review-no-final-newline the last line of the file has no end"),
        ],
    );
    let repaired = repair_thread(&fixture);
    let expected = before.replace("id=\"c0\" author=\"Codex\"", "id=\"c0-2\" author=\"Codex\"");
    let (old, new) = ("2026-01-20T10:00:00.000Z\"\n}", "2026-01-21T09:00:00.000Z\"\n}");
    assert_eq!(repaired, expected.replace(old, new) + "\n");
    check(&fixture, &[]);
}

#[test]
fn a_finding_without_a_repair_is_not_fixable() {
    let fixture = appended(&comment("c1", "yesterday", "Because."));
    let report = check_repo(&fixture);
    assert_eq!((report.diagnostics.len(), report.repairs.len()), (1, 0));
    assert!(!report.diagnostics[0].fixable);
}

#[test]
fn a_conflict_that_git_left_is_merged() {
    for style in ["merge", "diff3", "zdiff3"] {
        let fixture = Fixture::new();
        let top = fixture.repository("repo");
        fixture.review("repo", "r1", &Review::default());
        commit(&top, "start");
        git(&top, &["branch", "topic"]);
        let reply = |id: &str, at: &str, body: &str| {
            let text =
                fixture.read(FILE).replace("2026-01-20T10:00:00.000Z\"\n}", &format!("{at}\"\n}}"));
            fixture.file(FILE, text + &comment(id, at, body));
            commit(&top, body);
        };
        reply("a1", "2026-01-21T09:00:00.000Z", "Ours.");
        git(&top, &["checkout", "--quiet", "topic"]);
        reply("a2", "2026-01-21T08:00:00.000Z", "Theirs.");
        git(&top, &["checkout", "--quiet", "main"]);
        let merge = format!("-c merge.conflictStyle={style} {AUTHOR} merge --quiet topic");
        let merge: Vec<&str> = merge.split(' ').collect();
        let output = skein_git::command(&top).args(merge).output().unwrap();
        assert!(!output.status.success(), "git merges this by itself");
        let found = check_repo(&fixture);
        let codes: Vec<&str> = found.diagnostics.iter().map(|diag| diag.code).collect();
        assert_eq!(
            codes,
            ["review-conflict", "index-stale"].get(..codes.len()).unwrap(),
            "{style}"
        );
        assert!(found.diagnostics[0].fixable);
        let (doc, findings) =
            ReviewDoc::parse(repair_thread(&fixture).into_bytes(), "r1", ".code-review");
        assert_eq!(findings, []);
        let bodies: Vec<String> = doc.comments().into_iter().map(|one| one.body).collect();
        assert_eq!(bodies, ["Why?", "Theirs.", "Ours."]);
        assert_eq!(doc.head().updated_at.unwrap().to_string(), "2026-01-21T09:00:00.000Z");
    }
}

const AUTHOR: &str = "-c user.name=Ada -c user.email=ada@example.org";

fn commit(top: &Path, message: &str) {
    git(top, &["add", "--all"]);
    let mut args: Vec<&str> = AUTHOR.split(' ').collect();
    args.extend(["commit", "--quiet", "-m", message]);
    git(top, &args);
}

#[test]
fn a_conflict_in_the_prose_is_not_repaired() {
    let fixture = appended("");
    let conflict = "</local-code-review-thread>\n<<<<<<< a\nmine\n=======\nyours\n>>>>>>> b\n";
    let text = fixture.read(FILE).replace("</local-code-review-thread>\n", conflict);
    fixture.file(FILE, &text);
    let message = "git left conflict text here; a person must decide";
    check(&fixture, &[&format!("{FILE}:15: review-conflict-text {message}")]);
    assert_eq!(check_repo(&fixture).repairs.len(), 0);
    // The conflict in the comments is still merged.
    let (one, other) =
        (comment("a", "2026-01-20T09:00:00Z", "A"), comment("b", "2026-01-20T10:00:00Z", "B"));
    fixture.file(FILE, format!("{text}<<<<<<< a\n{one}=======\n{other}>>>>>>> b\n"));
    let repaired = repair_thread(&fixture);
    assert_eq!(repaired, format!("{text}{one}{other}"));
    check(&fixture, &[&format!("{FILE}:15: review-conflict-text {message}")]);
}

#[test]
fn conflict_markers_in_a_quoted_block_are_not_a_conflict() {
    let quoted = "```\n<<<<<<< a\nmine\n=======\nyours\n>>>>>>> b\n```";
    let fixture = appended(&comment("c1", "2026-01-20T10:00:00Z", quoted));
    check(&fixture, &[]);
}

#[test]
fn a_repaired_thread_is_not_changed_again() {
    let fixture = appended("more");
    let workspace = fixture.open("repo");
    let report = skein_doctor::check(&workspace, WorktreeScope::ThisWorktree);
    let text = fixture.read(FILE) + " and more\n";
    fixture.file(FILE, &text);
    let message = repair(&workspace, &report.repairs[0]).unwrap();
    assert!(message.contains("it needs no repair"), "{message}");
    assert_eq!(fixture.read(FILE), text);
}

#[test]
fn a_symlink_out_of_the_workspace_is_not_written_through() {
    let fixture = appended("more");
    let outside = fixture.path("outside.md");
    fs::rename(fixture.path(FILE), &outside).unwrap();
    fixture.link(FILE, &outside);
    let report = check_repo(&fixture);
    assert_eq!(report.diagnostics[0].code, "review-no-final-newline");
    assert!(!report.diagnostics[0].fixable && report.repairs.is_empty());
}
