//! `skein review apply`, which applies suggestions to files.

use std::fs;
use std::os::unix::fs::symlink;

use super::repo::{
    NEW, comments, commit, done, files, git, json, refused, refused_args, repo, threads, tree,
};
use crate::place::Place;

fn suggest(place: &Place, at: &str, text: &str) {
    done(place, &["review", "add", at, "--suggest", text]);
}

fn read(place: &Place, name: &str) -> String {
    String::from_utf8(fs::read(place.machine.dir.join(name)).unwrap()).unwrap()
}

/// Applies one suggestion to a file and compares the content of the file with `new`.
#[track_caller]
fn check(old: &str, lines: &str, suggestion: &str, new: &str) {
    let place = repo();
    place.file("f.txt", old);
    suggest(&place, &format!("f.txt:{lines}"), suggestion);
    done(&place, &["review", "apply", "--all"]);
    assert_eq!(read(&place, "f.txt"), new);
    let after = tree(&place);
    if !suggestion.is_empty() {
        // Applying it again changes nothing and adds no comment.
        done(&place, &["review", "apply", "--all"]);
        assert_eq!(tree(&place), after);
    }
}

#[test]
fn line_endings_and_byte_order_marks_are_kept() {
    check("a\nb\nc\n", "2", "x", "a\nx\nc\n");
    check("a\nb\nc\n", "1-2", "x", "x\nc\n");
    check("a\nb\nc\n", "2", "x\ny\nz", "a\nx\ny\nz\nc\n");
    check("a\nb\nc\n", "2", "", "a\nc\n");
    check("a\nb\nc\n", "2", "```\nx\n```", "a\n```\nx\n```\nc\n");
    check("a\nb", "2", "x\ny", "a\nx\ny");
    check("a\r\nb\r\nc\r\n", "2", "x\ny", "a\r\nx\r\ny\r\nc\r\n");
    check("a\r\nb", "2", "x\ny", "a\r\nx\r\ny");
    check("\u{feff}a\nb\n", "1", "x", "\u{feff}x\nb\n");
    check("\u{feff}a\nb\n", "1", "", "\u{feff}b\n");
    check("ä\nb ✓\n", "2", "ö ✓", "ä\nö ✓\n");
}

#[test]
fn a_dry_run_prints_the_same_change_and_writes_nothing() {
    let place = repo();
    suggest(&place, "src/a.rs:2", "    let file = find(path)?;");
    let before = tree(&place);
    place.check(
        "review apply 7030 --dry-run",
        "
Would apply to src/a.rs:2  7030916e
  -    let file = find_or_create(path);
  +    let file = find(path)?;
-- exit 0
",
    );
    assert_eq!(tree(&place), before);
    place.check(
        "review apply 7030 --resolve",
        "
Applied to src/a.rs:2  7030916e
  -    let file = find_or_create(path);
  +    let file = find(path)?;
-- exit 0
",
    );
    place.check(
        "review apply 7030",
        "
Already applied: src/a.rs:2  7030916e
-- exit 0
",
    );
    assert_eq!(comments(&place).pop().unwrap().1, "Applied; not committed yet.");
    assert!(read(&place, "src/a.rs").contains("find(path)?;"));
}

#[test]
fn several_suggestions_in_one_file_are_applied_together() {
    let place = repo();
    let text: String = (1..=12).map(|number| format!("line {number}\n")).collect();
    place.file("f.txt", &text);
    suggest(&place, "f.txt:2", "a\nb\nc");
    suggest(&place, "f.txt:5", "");
    suggest(&place, "f.txt:8-9", "d");
    suggest(&place, "f.txt:11", "e\nf");
    done(&place, &["review", "apply", "--all"]);
    let expected = "line 1\na\nb\nc\nline 3\nline 4\nline 6\nline 7\nd\nline 10\ne\nf\nline 12\n";
    assert_eq!(read(&place, "f.txt"), expected);
    done(&place, &["review", "apply", "--all"]);
    assert_eq!(read(&place, "f.txt"), expected);
    let list = json(&place, &["review", "list", "file:f.txt", "--json"]);
    let mut at: Vec<&str> =
        list["threads"].as_array().unwrap().iter().map(|one| one["at"].as_str().unwrap()).collect();
    at.sort_unstable();
    assert_eq!(at, ["f.txt", "f.txt:11-12", "f.txt:2-4", "f.txt:9"]);
}

#[test]
fn a_thread_whose_suggestion_a_person_applied_waits_on_the_reviewer() {
    let place = repo();
    suggest(&place, "src/a.rs:2", "    let file = find(path)?;");
    done(&place, &["review", "apply", "7030"]);
    let list = json(&place, &["review", "list", "--json"]);
    assert_eq!(list["threads"][0]["waiting_on"], "reviewer");
    assert_eq!(place.run("review next").code, 1);
    assert_eq!(place.run("search waiting:agent").code, 1);
    assert_eq!(place.run("search waiting:reviewer").code, 0);
}

#[test]
fn code_that_may_be_a_copy_is_refused_with_its_own_error() {
    let place = repo();
    place.file("f.txt", "one\ntwo\none\n");
    place.file(".code-review/threads/ext.md", "<local-code-review-thread>\n{\"schemaVersion\": 1, \"id\": \"ext\", \"target\": {\"workspaceRelativePath\": \"f.txt\", \"range\": {\"startLine\": 0, \"startCharacter\": 0, \"endLine\": 0, \"endCharacter\": 3}, \"anchor\": {\"kind\": \"lineRange\", \"context\": {\"before\": [], \"selection\": \"one\", \"after\": []}}}, \"status\": \"open\", \"createdAt\": \"2026-01-20T10:00:00.000Z\", \"updatedAt\": \"2026-01-20T10:00:00.000Z\"}\n</local-code-review-thread>\n\n<local-code-review-comment id=\"c1\" author=\"You\" createdAt=\"2026-01-20T10:00:00.000Z\"/>\n\n```suggestion\nONE\n```\n");
    refused(
        &place,
        "review apply ext",
        "Error: the code at f.txt:1 equals the commented code, but may be a copy of it\nHint: nothing was changed; `skein review show ext` shows the place: change the code by hand\n",
    );
}

#[test]
fn overlapping_suggestions_are_refused() {
    let place = repo();
    suggest(&place, "src/a.rs:2-3", "x");
    suggest(&place, "src/a.rs:3", "y");
    refused(
        &place,
        "review apply --all",
        "Error: two suggestions change the same lines of src/a.rs: 7030916e-7f09-440d-985c-cf1fe0d9dc85 and 8be23e91-f66f-4392-8ef6-92b3f2174c2c\nHint: nothing was changed; apply one of them, then look at the other\n",
    );
}

#[test]
fn a_suggestion_is_applied_where_the_code_is_now() {
    let place = repo();
    suggest(&place, "src/a.rs:8", "    file.sync();");
    place.file("src/a.rs", format!("// a\n// b\n{NEW}"));
    done(&place, &["review", "apply", "--all"]);
    assert_eq!(read(&place, "src/a.rs"), format!("// a\n// b\n{NEW}").replace("flush", "sync"));

    let place = repo();
    commit(&place.machine.dir, "two");
    suggest(&place, "src/a.rs:2", "    let file = find(path)?;");
    let (opens, closes) = NEW.split_at(NEW.find("fn close").unwrap());
    place.file("src/b.rs", opens);
    place.file("src/a.rs", closes);
    git(&place.machine.dir, "add src/b.rs");
    done(&place, &["review", "apply", "--all"]);
    assert_eq!(read(&place, "src/b.rs"), opens.replace("find_or_create(path)", "find(path)?"));
}

#[test]
fn changed_code_is_not_overwritten() {
    let place = repo();
    suggest(&place, "src/a.rs:8", "    file.sync();");
    place.file("src/a.rs", NEW.replace("file.flush()", "file.flush_all()"));
    refused(
        &place,
        "review apply 7030",
        "Error: the code at src/a.rs:8 is not what was commented on (edited)\nHint: nothing was changed; `skein review show 7030916e-7f09-440d-985c-cf1fe0d9dc85` shows both texts: change the code by hand\n",
    );
    place.file("src/a.rs", NEW.replace("    file.flush();\n", "    unlike(\"it\");\n"));
    assert_eq!(place.run("review apply 7030").code, 2);
    fs::remove_file(place.machine.dir.join("src/a.rs")).unwrap();
    refused(
        &place,
        "review apply 7030",
        "Error: the code at src/a.rs is not what was commented on (gone)\nHint: nothing was changed; `skein review show 7030916e-7f09-440d-985c-cf1fe0d9dc85` shows both texts: change the code by hand\n",
    );
}

#[test]
fn a_symlink_out_of_the_workspace_is_not_written() {
    let place = repo();
    suggest(&place, "src/a.rs:8", "    file.sync();");
    fs::write(place.path("outside.rs"), NEW).unwrap();
    let file = place.machine.dir.join("src/a.rs");
    fs::remove_file(&file).unwrap();
    symlink(place.path("outside.rs"), &file).unwrap();
    refused(
        &place,
        "review apply 7030",
        "Error: the code at src/a.rs:8 is not what was commented on (unverified)\nHint: nothing was changed; `skein review show 7030916e-7f09-440d-985c-cf1fe0d9dc85` shows both texts: change the code by hand\n",
    );
}

#[test]
fn threads_without_a_usable_suggestion_are_refused() {
    let place = repo();
    let nothing =
        "\n-- stderr\nNo open thread has a suggestion that is not applied yet.\n-- exit 0\n";
    place.check("review apply --all", nothing);
    done(&place, &["review", "add", "src/a.rs:8", "-m", "Why?"]);
    refused(
        &place,
        "review apply 7030",
        "Error: no comment suggests a change in thread 7030916e-7f09-440d-985c-cf1fe0d9dc85\nHint: `skein review show 7030916e-7f09-440d-985c-cf1fe0d9dc85` shows the thread\n",
    );
    place.check("review apply --all", nothing);
    refused_args(
        &place,
        &["review", "apply"],
        "Error: the following required arguments were not provided:\n  <ID>...\n\nUsage: skein review apply <ID>...\n\nHint: `--help` shows more\n",
    );
    done(&place, &["review", "reply", "7030", "-m", "```suggestion\nnever closed"]);
    refused(
        &place,
        "review apply 7030",
        "Error: the suggestion in thread 7030916e-7f09-440d-985c-cf1fe0d9dc85 is not closed\nHint: close the block in the thread file with a line of backticks\n",
    );
    done(&place, &["review", "add", "src/a.rs", "-m", "```suggestion\nx\n```"]);
    refused(
        &place,
        "review apply 8be2",
        "Error: thread 8be23e91-f66f-4392-8ef6-92b3f2174c2c is about a whole file; there are no lines to replace\n",
    );
}

#[test]
fn the_file_mode_is_kept_and_no_temporary_file_is_left() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = repo();
    let file = place.file("run.sh", "#!/bin/sh\necho a\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    suggest(&place, "run.sh:2", "echo b");
    done(&place, &["review", "apply", "--all"]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    let hidden = files(&place.machine.dir)
        .into_iter()
        .filter(|path| path.display().to_string().contains("tmp/.skein-"));
    assert_eq!(hidden.count(), 0);
    assert_eq!(threads(&place).len(), 1);
}

#[test]
fn applying_to_a_renamed_file_updates_the_location_of_the_thread() {
    let place = repo();
    let dir = &place.machine.dir;
    let text: String = (1..=20).map(|number| format!("line_number_{number}\n")).collect();
    place.file("f.txt", &text);
    commit(dir, "f");
    suggest(&place, "f.txt:10", "CHANGED");
    place.file(
        "f.txt",
        text.split_once("line_number_5").map(|(_, rest)| format!("line_number_5{rest}")).unwrap(),
    );
    git(dir, "mv f.txt g.txt");
    commit(dir, "mv");
    let applied = json(&place, &["review", "apply", "7030", "--json"]);
    assert_eq!(applied["applied"][0]["reply"]["at"], "g.txt:6");
    assert!(read(&place, "g.txt").contains("line_number_9\nCHANGED\nline_number_11\n"));
    let thread = json(&place, &["review", "show", "7030", "--json"]);
    assert_eq!((&thread["at"], &thread["target"]["path"]), (&"g.txt:6".into(), &"g.txt".into()));
    assert!(super::repo::thread(&place).contains("# g.txt:L6 "));
}
