//! Where the code of a thread is, after the files around it changed.

use std::fs;

use skein_catalog::placed::place_rows;
use skein_catalog::{WorktreeScope, list, show};
use skein_git::{CommitAs, command, commit_all};
use skein_model::Filter;
use skein_model::view::{PlacementView, RowDetail, ThreadBody};
use skein_review::{
    AddOptions, ApplyOptions, CodeLocation, NewThread, add, apply, delete, find, submit,
};
use skein_workspace::Actor;

use skein_fixtures::Fixture;

fn mira() -> Actor {
    Actor { name: "Mira".to_owned(), agent: false }
}

/// Comments on a location and returns the id of the thread.
fn comment(it: &Fixture, dir: &str, place: &str) -> String {
    let workspace = it.open(dir);
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, place).unwrap(),
        body: "Why?".to_owned(),
        suggestion: None,
        expect: None,
    };
    let options = AddOptions { draft: false, changed_only: false };
    add(&workspace, &mira(), &[thread], options).unwrap().threads[0].id.clone()
}

fn placement(it: &Fixture, dir: &str, id: &str) -> PlacementView {
    let workspace = it.open(dir);
    match show(&workspace, id).unwrap().body {
        ThreadBody::Review(body) => body.placement.unwrap(),
        _ => panic!("not a review"),
    }
}

fn placed(it: &Fixture, dir: &str, id: &str) -> String {
    let found = placement(it, dir, id);
    format!("{} {}", found.state, found.at())
}

fn git(it: &Fixture, dir: &str, args: &[&str]) {
    assert!(command(&it.path(dir)).args(args).status().unwrap().success(), "git {args:?}");
}

fn commit(it: &Fixture, dir: &str) {
    let next = CommitAs {
        name: "Ada",
        email: "ada@example.org",
        date: "2026-01-02T09:00:00Z",
        message: "next",
    };
    commit_all(&it.path(dir), &next).unwrap();
}

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("    let value_{number} = compute({number});\n")).collect()
}

#[test]
fn a_thread_on_five_lines_keeps_its_location_when_two_lines_are_edited() {
    let it = Fixture::new();
    it.file("w/a.rs", numbered(20));
    it.repository("w");
    let id = comment(&it, "w", "a.rs:8-12");
    let text = it.read("w/a.rs");
    let text = text.replace("    let value_9 = compute(9);", "    stream.flush()?;");
    it.file("w/a.rs", text.replace("    let value_12 = compute(12);", "    drop(guard)"));
    let found = placement(&it, "w", &id);
    assert_eq!(found.state.as_str(), "edited");
    assert_eq!(found.start_line, Some(7));
    assert!(matches!(found.end_line, Some(10 | 11)), "{found:?}");
}

#[test]
fn a_thread_does_not_move_to_an_untracked_copy() {
    let it = Fixture::new();
    it.file("w/a.rs", numbered(20));
    it.repository("w");
    let id = comment(&it, "w", "a.rs:8");
    it.file("w/a.orig", it.read("w/a.rs"));
    it.file("w/a.rs", it.read("w/a.rs").replace("    let value_8 = compute(8);\n", ""));
    assert_eq!(placed(&it, "w", &id), "gone a.rs");
    fs::remove_file(it.path("w/a.rs")).unwrap();
    assert_eq!(placed(&it, "w", &id), "gone a.rs");
    git(&it, "w", &["add", "--all"]);
    assert_eq!(placed(&it, "w", &id), "moved a.orig:8");
}

#[test]
fn a_copy_at_the_old_line_is_not_mistaken_for_the_code() {
    let it = Fixture::new();
    let block = |name: &str| format!("<div>\n  <h2>{name}</h2>\n  <p>\n    text\n  </p>\n</div>\n");
    let page = |names: &[&str]| names.iter().map(|name| block(name)).collect::<String>();
    it.file("w/a.html", page(&["one", "two", "three", "four"]));
    it.repository("w");
    // The lines around this one are the same in each block.
    let id = comment(&it, "w", "a.html:16");
    it.file("w/a.html", page(&["zero", "one", "two", "three", "four"]));
    assert_eq!(placed(&it, "w", &id), "shifted a.html:22");
}

#[test]
fn a_deleted_line_is_gone_although_similar_lines_remain() {
    let it = Fixture::new();
    it.file("w/a.rs", numbered(20));
    it.repository("w");
    let id = comment(&it, "w", "a.rs:8");
    let text = it.read("w/a.rs").replace("    let value_8 = compute(8);\n", "");
    it.file("w/a.rs", text);
    assert_eq!(placed(&it, "w", &id), "gone a.rs");
}

#[test]
fn code_is_followed_through_every_commit() {
    let it = Fixture::new();
    let text = format!("fn first() {{\n{}}}\n", numbered(6));
    it.file("w/a.rs", &text);
    it.file("w/b.rs", "//! Other things.\n");
    it.repository("w");
    let id = comment(&it, "w", "a.rs:4");
    // Over three commits the line loses everything it had in common with its first version.
    for (old, new) in [
        ("let value_3 = compute(3);", "let total_3 = compute(3);"),
        ("let total_3 = compute(3);", "let total_3 = estimate(3);"),
        ("let total_3 = estimate(3);", "let total_of_all = estimate(limit);"),
    ] {
        it.file("w/a.rs", it.read("w/a.rs").replace(old, new));
        commit(&it, "w");
    }
    assert_eq!(placed(&it, "w", &id), "edited a.rs:4");
    // Then it is moved to another file, and an uncommitted line is added above it.
    it.file("w/b.rs", format!("//! Other things.\n\n{}", it.read("w/a.rs")));
    it.file("w/a.rs", "mod b;\n");
    commit(&it, "w");
    it.file("w/b.rs", format!("// First.\n{}", it.read("w/b.rs")));
    assert_eq!(placed(&it, "w", &id), "edited b.rs:7");
    assert_eq!(placed(&it, "w", &id), "edited b.rs:7", "the cached answer differs");
}

#[test]
fn a_file_is_followed_through_every_commit() {
    let it = Fixture::new();
    it.file("w/a.rs", numbered(20));
    it.file("w/sub/b.rs", "fn main() {}\n");
    it.repository("w");
    let id = comment(&it, "w", "a.rs");
    assert_eq!(placed(&it, "w", &id), "exact a.rs");
    git(&it, "w", &["mv", "a.rs", "sub/c.rs"]);
    commit(&it, "w");
    // Together, these commits change too much for git to compare the two files.
    for lines in [1..8, 8..16, 16..20] {
        let mut text = it.read("w/sub/c.rs");
        for number in lines {
            text = text.replace(&format!("value_{number} ="), &format!("{number}: u64 ="));
            text = text.replace(&format!("compute({number})"), "stream.flush()? + drop(guard)");
        }
        it.file("w/sub/c.rs", text);
        commit(&it, "w");
    }
    assert_eq!(placed(&it, "w", &id), "moved sub/c.rs");
    git(&it, "w", &["mv", "sub/c.rs", "d.rs"]);
    assert_eq!(placed(&it, "w", &id), "moved d.rs");
    fs::remove_file(it.path("w/d.rs")).unwrap();
    commit(&it, "w");
    assert_eq!(placed(&it, "w", &id), "gone a.rs");
}

#[test]
fn code_that_a_commit_removed_is_gone() {
    let it = Fixture::new();
    it.file("w/a.rs", numbered(9));
    it.repository("w");
    let id = comment(&it, "w", "a.rs:4-5");
    let lines = numbered(9);
    let (above, rest) = lines.split_at(lines.find("    let value_4").unwrap());
    let (_, below) = rest.split_at(rest.find("    let value_6").unwrap());
    it.file("w/a.rs", format!("{above}{below}"));
    commit(&it, "w");
    it.file("w/a.rs", format!("{above}    run();\n    stop();\n{below}"));
    commit(&it, "w");
    assert_eq!(placed(&it, "w", &id), "gone a.rs");
}

#[test]
fn threads_are_placed_in_the_files_of_their_own_worktree() {
    let it = Fixture::new();
    it.file("w/a.rs", numbered(20));
    it.repository("w");
    it.worktree("w", "other", "topic");
    let id = comment(&it, "other", "a.rs:8");
    // In the other worktree the code is shifted and edited; in this one the file is replaced.
    let text =
        it.read("other/a.rs").replace("let value_8 = compute(8)", "let value_8 = compute(80)");
    it.file("other/a.rs", format!("use std::fmt;\n{text}"));
    it.file("w/a.rs", "fn main() {}\n");
    let workspace = it.open("w");
    let mut rows = list(&workspace, &Filter::default(), WorktreeScope::AllWorktrees).threads;
    place_rows(&workspace, rows.iter_mut().map(|row| &mut **row));
    let places: Vec<_> = rows
        .iter()
        .map(|row| match &row.detail {
            RowDetail::Review(detail) => {
                (detail.at.clone().unwrap(), detail.state.unwrap().as_str())
            }
            _ => panic!("not a review"),
        })
        .collect();
    assert_eq!(places, [("a.rs:9".to_owned(), "edited")]);
    assert_eq!(placed(&it, "w", &id), "edited a.rs:9");
}

#[test]
fn deleting_a_thread_reports_its_current_location() {
    let it = Fixture::new();
    it.file("w/a.rs", numbered(9));
    it.repository("w");
    let id = comment(&it, "w", "a.rs:4");
    it.file("w/a.rs", format!("use std::fmt;\n\n{}", numbered(9)));
    let workspace = it.open("w");
    let done = delete(&workspace, &[find(&workspace, &id).unwrap()]).unwrap();
    assert_eq!(done[0].at, "a.rs:6");
}

#[test]
fn code_that_is_not_checked_out_is_placed_in_the_index() {
    let it = Fixture::new();
    it.file("w/src/a.rs", numbered(9));
    it.file("w/docs/b.md", "# Title\n");
    it.repository("w");
    let id = comment(&it, "w", "src/a.rs:4");
    it.file("w/src/a.rs", format!("use std::fmt;\n{}", numbered(9)));
    commit(&it, "w");
    let file = comment(&it, "w", "src/a.rs");
    git(&it, "w", &["sparse-checkout", "set", "--no-cone", "/docs/"]);
    assert!(!it.path("w/src/a.rs").exists());
    assert_eq!(placed(&it, "w", &id), "not_checked_out src/a.rs:5");
    assert_eq!(placed(&it, "w", &file), "not_checked_out src/a.rs");
    git(&it, "w", &["sparse-checkout", "disable"]);
    assert_eq!(placed(&it, "w", &id), "shifted src/a.rs:5");
    fs::remove_file(it.path("w/src/a.rs")).unwrap();
    assert_eq!(placed(&it, "w", &id), "gone src/a.rs");
}

/// A thread as the editor extension writes it: two lines of context, and the empty line after the final newline.
fn thread(id: &str, line: u32, context: (&[&str], &str, &[&str]), suggestion: &str) -> String {
    let (before, selection, after) = context;
    let context = serde_json::json!({ "before": before, "selection": selection, "after": after });
    let metadata = serde_json::json!({
        "schemaVersion": 1,
        "id": id,
        "createdAt": "2026-01-23T14:00:00.000Z",
        "updatedAt": "2026-01-23T14:00:00.000Z",
        "status": "open",
        "target": {
            "workspaceRelativePath": "a.rs",
            "range": {
                "startLine": line, "startCharacter": 0,
                "endLine": line, "endCharacter": selection.len(),
            },
            "anchor": { "kind": "lineRange", "context": context },
        },
    });
    format!(
        "<local-code-review-thread>\n{metadata:#}\n</local-code-review-thread>\n\n## Comments\n\n\
         <local-code-review-comment id=\"c1\" author=\"You\" createdAt=\"2026-01-23T14:00:00.000Z\">\n\n\
         ```suggestion\n{suggestion}\n```\n"
    )
}

/// Writes such a thread on a line, applies its suggestion, and returns the resulting file.
fn applied(it: &Fixture, text: &str, line: usize, change: impl Fn(&str) -> String) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if !text.ends_with('\n') {
        lines.push("not in the file");
        lines.pop();
    }
    let around =
        (&lines[line.saturating_sub(2)..line], &lines[line + 1..lines.len().min(line + 3)]);
    let id = format!("t{line}");
    let text_of =
        thread(&id, u32::try_from(line).unwrap(), (around.0, lines[line], around.1), "done();");
    it.file(&format!("w/.code-review/threads/{id}.md"), text_of);
    it.file("w/a.rs", change(text));
    let workspace = it.open("w");
    let options = ApplyOptions { dry_run: false, resolve: true };
    apply(&workspace, &mira(), &[find(&workspace, &id).unwrap()], options).unwrap();
    it.read("w/a.rs")
}

#[test]
fn a_suggestion_of_the_extension_on_the_last_lines_is_applied() {
    for line in [4, 5] {
        let it = Fixture::new();
        it.file("w/a.rs", numbered(6));
        it.repository("w");
        let after = applied(&it, &numbered(6), line, str::to_owned);
        assert_eq!(after.lines().nth(line), Some("done();"));
        assert_eq!(after.lines().count(), 6);
    }
}

#[test]
fn a_suggestion_of_the_extension_is_applied_below_an_inserted_line() {
    for line in 0..6 {
        let it = Fixture::new();
        it.file("w/a.rs", numbered(6));
        it.repository("w");
        let after = applied(&it, &numbered(6), line, |text| format!("use std::fmt;\n{text}"));
        assert_eq!(after.lines().nth(line + 1), Some("done();"));
        assert_eq!(after.lines().count(), 7);
    }
}

#[test]
fn a_hunk_header_that_would_move_the_comment_is_omitted() {
    let it = Fixture::new();
    it.file("w/b.rs", "fn main() {}\n");
    it.repository("w");
    // A file that is not committed is one hunk, which is cut to 40 lines above the comment.
    it.file("w/a.rs", "    case:\n        step();\n        break;\n\n".repeat(60));
    let id = comment(&it, "w", "a.rs:150");
    let text = it.read(&format!("w/.code-review/threads/{id}.md"));
    assert!(!text.contains("hunkHeader"), "{text}");
    assert!(text.contains("<local-code-review-patch"), "{text}");
    let id = comment(&it, "w", "a.rs:2");
    let text = it.read(&format!("w/.code-review/threads/{id}.md"));
    assert!(text.contains("\"hunkHeader\": \"@@ -0,0 +1,"), "{text}");
}

const FUNCTION: &str =
    "fn evict_all(&self) {\n    self.lock(all);\n    return;\n    self.unlock(all);\n}\n";

#[test]
fn an_answered_thread_is_where_the_answer_stands() {
    let it = Fixture::new();
    it.file("w/a.rs", FUNCTION);
    it.repository("w");
    let id = comment(&it, "w", "a.rs:3");
    let one = FUNCTION.replace("    return;", "    self.evict();");
    it.file("w/a.rs", &one);
    assert_eq!(placed(&it, "w", &id), "edited a.rs:3");
    let two = FUNCTION.replace("    return;", "    log(1);\n    self.evict();");
    it.file("w/a.rs", &two);
    assert_eq!(placed(&it, "w", &id), "replaced a.rs:3-4");
    let sure = placement(&it, "w", &id).certainty();
    assert_eq!(sure.as_deref(), Some("85 % sure"));
    commit(&it, "w");
    assert_eq!(placed(&it, "w", &id), "replaced a.rs:3-4");
    it.file("w/a.rs", format!("// a\n{two}"));
    assert_eq!(placed(&it, "w", &id), "replaced a.rs:4-5");
    it.file("w/a.rs", FUNCTION);
    assert_eq!(placed(&it, "w", &id), "exact a.rs:3");
    it.file("w/a.rs", FUNCTION.replace("    return;\n", ""));
    assert_eq!(placed(&it, "w", &id), "gone a.rs");
}

#[test]
fn an_answered_thread_on_uncommitted_text_is_where_the_answer_stands() {
    let it = Fixture::new();
    it.file("w/a.rs", FUNCTION);
    it.repository("w");
    let draft = FUNCTION.replace("    return;", "    todo!()");
    it.file("w/a.rs", &draft);
    let id = comment(&it, "w", "a.rs:3");
    it.file("w/a.rs", FUNCTION.replace("    return;", "    log(1);\n    self.evict();"));
    assert_eq!(placed(&it, "w", &id), "replaced a.rs:3-4");
    it.file("plain/a.rs", &draft);
    let id = comment(&it, "plain", "a.rs:3");
    it.file("plain/a.rs", FUNCTION.replace("    return;", "    log(1);\n    self.evict();"));
    assert_eq!(placed(&it, "plain", &id), "replaced a.rs:3-4");
}

#[test]
fn code_that_moved_to_another_file_is_not_what_stands_in_its_place() {
    let it = Fixture::new();
    let body = "    let total = sum(of, all);\n    print(total, country);\n";
    it.file("w/a.rs", format!("fn main() {{\n{body}}}\n"));
    it.file("w/b.rs", "fn other() {\n}\n");
    it.repository("w");
    let id = comment(&it, "w", "a.rs:2");
    it.file("w/a.rs", "fn main() {\n    b::other();\n}\n");
    it.file("w/b.rs", "fn other() {\n}\n");
    assert_eq!(placed(&it, "w", &id), "replaced a.rs:2");
    it.file("w/b.rs", format!("fn other() {{\n{body}}}\n"));
    assert_eq!(placed(&it, "w", &id), "moved b.rs:2");
    commit(&it, "w");
    assert_eq!(placed(&it, "w", &id), "moved b.rs:2");
}

#[test]
fn a_location_finds_what_stands_in_the_place_of_code_after_recognised_code() {
    let it = Fixture::new();
    it.file("w/a.rs", "begin(a);\nreturn;\nx = 5\nlet total = sum(of, all);\nend(a);\n");
    it.repository("w");
    let replaced = comment(&it, "w", "a.rs:2-3");
    let edited = comment(&it, "w", "a.rs:4");
    it.file("w/a.rs", "begin(a);\nself.evict();\nlet total = sum(of, both);\nend(a);\n");
    let found = |place: &str| find(&it.open("w"), place).unwrap().id();
    assert_eq!(found("a.rs:2"), replaced);
    assert_eq!(found("a.rs:3"), edited);
    it.file("w/a.rs", "begin(a);\nself.evict();\nlog(1);\nlimit(&y);\nz\nend(a);\n");
    assert_eq!(placed(&it, "w", &replaced), "replaced a.rs:2-5");
}

#[test]
fn a_suggestion_is_not_applied_to_what_stands_in_the_place_of_code() {
    let it = Fixture::new();
    it.file("w/a.rs", FUNCTION);
    it.repository("w");
    let workspace = it.open("w");
    let thread = NewThread {
        place: CodeLocation::parse(&workspace, "a.rs:3").unwrap(),
        body: "Evict.".to_owned(),
        suggestion: Some("    self.evict();\n    log(1);".to_owned()),
        expect: None,
    };
    let options = AddOptions { draft: false, changed_only: false };
    let id = add(&workspace, &mira(), &[thread], options).unwrap().threads[0].id.clone();
    let run = || {
        let workspace = it.open("w");
        let thread = find(&workspace, &id).unwrap();
        let options = ApplyOptions { resolve: false, dry_run: true };
        apply(&workspace, &mira(), &[thread], options).map(|applied| applied.len())
    };
    it.file("w/a.rs", FUNCTION.replace("    return;", "    log(1);\n    self.keep();\n    end();"));
    assert_eq!(placed(&it, "w", &id), "replaced a.rs:3-5");
    assert!(run().unwrap_err().to_string().contains("(replaced)"));
    it.file("w/a.rs", FUNCTION.replace("    return;", "    self.evict();\n    log(1);"));
    assert_eq!(run().unwrap(), 1);
}

#[test]
fn the_text_at_the_first_submission_after_a_comment_is_compared() {
    let it = Fixture::new();
    it.file("w/b.rs", "fn b() {}\n");
    it.repository("w");
    // The stored lines occur often, and the stored part of the hunk is not the whole new file.
    let part = "fn f() {\n    begin();\n    one();\n    return;\n    two();\n    end();\n}\n";
    it.file("w/a.rs", part.repeat(40));
    let id = comment(&it, "w", "a.rs:144");
    submit(&it.open("w")).unwrap();
    let answer = part.replace("    return;", "    log(1);\n    self.evict();");
    it.file("w/a.rs", format!("{}{answer}{}", part.repeat(20), part.repeat(19)));
    assert_eq!(placed(&it, "w", &id), "replaced a.rs:144-145");
}
