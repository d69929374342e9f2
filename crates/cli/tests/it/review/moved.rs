//! Commented code is found wherever it moves, and no thread file is written for that.

use std::fs;
use std::path::Path;

use super::repo::{NEW, OLD, commit, done, folder, git, json, repo, threads};
use crate::place::Place;

/// Returns the state and the location of a thread, and checks that no thread file was written.
#[track_caller]
fn locate(place: &Place, id: &str) -> String {
    let stamp =
        |path: &Path| (fs::read(path).unwrap(), fs::metadata(path).unwrap().modified().unwrap());
    let before: Vec<_> = threads(place).iter().map(|path| stamp(path)).collect();
    let view = json(place, &["review", "show", id, "--json"]);
    done(place, &["review", "list"]);
    let after: Vec<_> = threads(place).iter().map(|path| stamp(path)).collect();
    assert!(before == after, "locating the code wrote a thread file");
    let state = view["placement"]["state"].as_str().unwrap().to_owned();
    format!("{state} {}", view["at"].as_str().unwrap())
}

/// Returns a repository where everything is committed, with a thread on `file.flush();`.
fn committed() -> Place {
    let place = repo();
    commit(&place.machine.dir, "two");
    done(&place, &["review", "add", "src/a.rs:8", "-m", "Why?"]);
    place
}

fn close() -> &'static str {
    &NEW[NEW.find("fn close").unwrap()..]
}

#[test]
fn unmoved_and_shifted_code_is_found() {
    let place = committed();
    assert_eq!(locate(&place, "7030"), "exact src/a.rs:8");
    place.file("src/a.rs", format!("// one\n// two\n{NEW}"));
    assert_eq!(locate(&place, "7030"), "shifted src/a.rs:10");
    commit(&place.machine.dir, "three");
    assert_eq!(locate(&place, "7030"), "shifted src/a.rs:10");
    place.file("src/a.rs", NEW.replace("\n", "\r\n"));
    assert_eq!(locate(&place, "7030"), "exact src/a.rs:8");
}

#[test]
fn replaced_code_is_shown_with_the_old_text_and_how_certain_it_is() {
    let place = committed();
    place.file("src/a.rs", NEW.replace("file.flush();", "self.evict(all);\n    log(&count)"));
    for _ in 0..2 {
        // The second one comes from the cache.
        assert_eq!(locate(&place, "7030"), "replaced src/a.rs:8-9");
    }
    let shown = place.run("review show 7030").out;
    assert!(shown.contains("% sure") && shown.contains("file.flush();"), "{shown}");
    let listed = place.run("review list").out;
    assert!(listed.contains("src/a.rs:8-9 (replaced)"), "{listed}");
    let exported = place.run("review export").out;
    assert!(exported.contains("this replaced it"), "{exported}");
    done(&place, &["review", "reply", "src/a.rs:9", "-m", "It is here."]);
}

#[test]
fn a_thread_without_its_code_names_the_branch_it_was_started_on() {
    let place = committed();
    git(&place.machine.dir, "switch -qc feature");
    place.file("src/new.rs", "fn only_on_this_branch() {}\n");
    commit(&place.machine.dir, "feature");
    done(&place, &["review", "add", "src/new.rs:1", "-m", "Why?"]);
    git(&place.machine.dir, "switch -q -");
    let shown = place.run("review show src/new.rs").out;
    let expected =
        "gone: the code is not in the working tree; the thread was started on the branch feature\n";
    assert!(shown.contains(expected), "{shown}");
    let reported = place.run("review export").out;
    assert!(
        reported.contains("The thread was started on the branch `feature`, which"),
        "{reported}"
    );
    for words in ["review list", "list", "", "search Why"] {
        let listed = place.run(words).out;
        assert!(listed.contains("src/new.rs (on feature)"), "{words}: {listed}");
    }
}

#[test]
fn edited_and_deleted_code_is_reported() {
    let place = committed();
    place.file("src/a.rs", format!("// one\n{}", NEW.replace("file.flush()", "file.flush_all()")));
    assert_eq!(locate(&place, "7030"), "edited src/a.rs:9");
    place.file("src/a.rs", &NEW[..NEW.find("fn close").unwrap()]);
    assert_eq!(locate(&place, "7030"), "gone src/a.rs");
    fs::remove_file(place.machine.dir.join("src/a.rs")).unwrap();
    assert_eq!(locate(&place, "7030"), "gone src/a.rs");
    place.check("review show 7030", "
src/a.rs  open, waiting on an agent
review 7030916e-7f09-440d-985c-cf1fe0d9dc85
started just now, changed just now, in ROOT/here/.code-review/threads/7030916e-7f09-440d-985c-cf1fe0d9dc85.md
gone: the code was not found in the files that git tracks

The commented text was:
      file.flush();

Mira, just now
  Why?
-- exit 0
");
}

#[test]
fn code_in_a_renamed_file_is_found() {
    let place = committed();
    git(&place.machine.dir, "mv src/a.rs src/b.rs");
    assert_eq!(locate(&place, "7030"), "moved src/b.rs:8");
    commit(&place.machine.dir, "renamed");
    assert_eq!(locate(&place, "7030"), "moved src/b.rs:8");

    let place = committed();
    fs::rename(place.machine.dir.join("src/a.rs"), place.machine.dir.join("c.rs")).unwrap();
    assert_eq!(locate(&place, "7030"), "gone src/a.rs", "git does not know c.rs");
    git(&place.machine.dir, "add --all");
    assert_eq!(locate(&place, "7030"), "moved c.rs:8");
}

#[test]
fn a_function_moved_to_another_file_is_found() {
    let place = committed();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.file("src/a.rs", close());
    place.file("src/b.rs", format!("// all that opens\n\n{}", NEW.replace(close(), "")));
    git(&place.machine.dir, "add src/b.rs");
    assert_eq!(locate(&place, "8be2"), "moved src/b.rs:4");
    commit(&place.machine.dir, "moved");
    assert_eq!(locate(&place, "8be2"), "moved src/b.rs:4");
    assert!(done(&place, &["review", "show", "src/b.rs:4"]).starts_with("src/b.rs:4"));
}

#[test]
fn code_is_found_after_its_commit_was_rewritten_and_pruned() {
    let place = committed();
    let dir = place.machine.dir.clone();
    git(&dir, "commit -q --amend -m other");
    place.file("src/a.rs", format!("// one\n{NEW}"));
    assert_eq!(locate(&place, "7030"), "shifted src/a.rs:9");
    git(&dir, "reflog expire --expire=now --all");
    git(&dir, "gc -q --prune=now");
    fs::remove_dir_all(place.path("home/.cache")).unwrap();
    let at = locate(&place, "7030");
    assert!(at.ends_with(" src/a.rs:9"), "{at}");
}

/// Rewrites the last commit, does `change`, and deletes the commit that the threads name.
fn rewritten(place: &Place, change: &dyn Fn(&Path)) {
    let dir = place.machine.dir.clone();
    git(&dir, "commit -q --amend -m other");
    change(&dir);
    git(&dir, "reflog expire --expire=now --all");
    git(&dir, "gc -q --prune=now");
}

#[test]
fn a_renamed_file_is_found_without_the_commit_that_the_thread_names() {
    let place = committed();
    done(&place, &["review", "add", "src/a.rs", "-m", "On the file"]);
    rewritten(&place, &|dir| {
        git(dir, "mv src/a.rs src/c.rs");
        commit(dir, "renamed");
        place.file("src/c.rs", format!("// one\n{NEW}"));
        commit(dir, "shifted");
    });
    let before = "moved src/c.rs:9";
    assert_eq!(locate(&place, "7030"), before);
    let view = json(&place, &["review", "show", "7030", "--json"]);
    let confidence = view["placement"]["confidence"].as_f64().unwrap();
    assert!(confidence < 0.9, "{confidence}");
    let of_file = place.run("review list");
    assert!(of_file.out.contains("src/c.rs (moved)"), "{}", of_file.out);
}

#[test]
fn an_uncommitted_rename_is_found_without_the_commit_that_the_thread_names() {
    let place = committed();
    rewritten(&place, &|dir| drop(git(dir, "mv src/a.rs src/c.rs")));
    assert_eq!(locate(&place, "7030"), "moved src/c.rs:8");
}

#[test]
fn without_the_commit_code_is_not_searched_in_other_files() {
    let place = committed();
    rewritten(&place, &|dir| {
        git(dir, "rm -q src/a.rs");
        commit(dir, "deleted");
        // Code in an untracked file does not match.
        place.file("src/copy.rs", NEW);
    });
    assert_eq!(locate(&place, "7030"), "gone src/a.rs");
}

#[test]
fn an_uncommitted_change_is_found_by_the_patch_in_the_thread() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.file("src/a.rs", format!("// one\n{NEW}"));
    assert_eq!(locate(&place, "7030"), "shifted src/a.rs:3");
    place.file("src/a.rs", OLD);
    let at = locate(&place, "7030");
    assert!(at == "edited src/a.rs:2" || at == "gone src/a.rs", "{at}");
}

#[test]
fn a_linked_worktree_has_its_own_threads_on_the_same_objects() {
    let mut place = committed();
    let other = place.path("other");
    git(&place.machine.dir, &format!("worktree add -q -b topic {}", other.display()));
    place.machine.dir = other;
    done(&place, &["review", "add", "src/a.rs:8", "-m", "There"]);
    place.file("src/a.rs", format!("// one\n{NEW}"));
    assert_eq!(threads(&place).len(), 1);
    assert!(locate(&place, "src/a.rs:9").ends_with("src/a.rs:9"));
    assert_eq!(git(&place.machine.dir, "status --short"), " M src/a.rs\n");
}

#[test]
fn code_is_found_with_a_store_in_a_subdirectory() {
    let mut place = repo();
    place.file("sub/src/a.rs", NEW);
    commit(&place.machine.dir, "two");
    place.machine.dir.push("sub");
    fs::create_dir_all(place.machine.dir.join(".code-review/threads")).unwrap();
    done(&place, &["review", "add", "src/a.rs:8", "-m", "Why?"]);
    place.file("src/a.rs", format!("// one\n{NEW}"));
    assert_eq!(locate(&place, "7030"), "shifted src/a.rs:9");
    git(&place.machine.dir, "mv src/a.rs b.rs");
    assert_eq!(locate(&place, "7030"), "moved b.rs:9");
}

#[test]
fn without_git_code_is_found_by_the_context_in_the_thread() {
    let place = folder();
    done(&place, &["review", "add", "src/a.rs:8", "--new-store", "-m", "Why?"]);
    assert_eq!(locate(&place, "7030"), "exact src/a.rs:8");
    place.file("src/a.rs", format!("// one\n// two\n{NEW}"));
    let at = locate(&place, "7030");
    assert!(at.ends_with(" src/a.rs:10"), "{at}");
    fs::remove_file(place.machine.dir.join("src/a.rs")).unwrap();
    assert_eq!(locate(&place, "7030"), "gone src/a.rs");
}

#[test]
fn code_is_found_for_a_thread_of_the_original_extension() {
    let place = committed();
    done(&place, &["review", "delete", "7030"]);
    place.file(".code-review/threads/ext.md", "<local-code-review-thread>\n{\n  \"schemaVersion\": 1,\n  \"id\": \"ext\",\n  \"target\": {\n    \"workspaceRelativePath\": \"src/a.rs\",\n    \"range\": {\n      \"startLine\": 7,\n      \"startCharacter\": 4,\n      \"endLine\": 7,\n      \"endCharacter\": 16\n    },\n    \"anchor\": {\n      \"kind\": \"lineRange\",\n      \"context\": {\n        \"before\": [\n          \"\",\n          \"fn close(file: File) {\"\n        ],\n        \"selection\": \"file.flush()\",\n        \"after\": [\n          \"}\"\n        ]\n      },\n      \"git\": {\n        \"baseRef\": \"main\"\n      }\n    }\n  },\n  \"status\": \"open\",\n  \"createdAt\": \"2026-01-20T10:00:00.000Z\",\n  \"updatedAt\": \"2026-01-20T10:00:00.000Z\"\n}\n</local-code-review-thread>\n\n# src/a.rs:L8 · open\n\n## Comments\n\n<local-code-review-comment id=\"c1\" author=\"You\" createdAt=\"2026-01-20T10:00:00.000Z\"/>\n\nWhy?\n");
    assert_eq!(locate(&place, "ext"), "exact src/a.rs:8");
    place.file("src/a.rs", format!("// one\n// two\n{NEW}"));
    let at = locate(&place, "ext");
    assert!(at.ends_with(" src/a.rs:10"), "{at}");
    commit(&place.machine.dir, "three");
    let at = locate(&place, "ext");
    assert!(at.ends_with(" src/a.rs:10"), "{at}");
}

#[test]
fn file_filters_match_the_file_that_the_code_is_in_now() {
    let place = committed();
    let rest = &NEW[..NEW.find("fn close").unwrap()];
    place.file("src/a.rs", rest);
    place.file("src/closing.rs", close());
    git(&place.machine.dir, "add --all");
    commit(&place.machine.dir, "three");
    assert_eq!(locate(&place, "7030"), "moved src/closing.rs:2");
    for file in ["src/closing.rs", "src/a.rs", "src"] {
        let listed = place.run(&format!("review list file:{file}")).out;
        assert!(listed.contains("src/closing.rs:2"), "{file}: {listed}");
        assert_eq!(place.run(&format!("review check --file {file}")).code, 1, "{file}");
        let found = place.run(&format!("search file:{file}")).out;
        assert!(found.contains("src/closing.rs:2"), "{file}: {found}");
        assert_eq!(place.run(&format!("search flush -file:{file}")).code, 1, "{file}");
    }
    place.file("src/other.rs", "fn other() {}\n");
    assert!(!place.run("review list file:src/other.rs").out.contains("closing"));
    assert_eq!(place.run("search file:src/other.rs").code, 1);
    assert_eq!(place.run("search kind:review -file:src/other.rs").code, 0);
    assert_eq!(place.run("review check --file src/other.rs").code, 0);
}

#[test]
fn a_thread_whose_code_is_gone_stays_with_its_file_under_its_new_name() {
    let place = committed();
    let dir = &place.machine.dir;
    place.file("src/a.rs", NEW.replace("    file.flush();\n", ""));
    git(dir, "mv src/a.rs src/z.rs");
    let check = |when: &str| {
        assert_eq!(locate(&place, "7030"), "gone src/z.rs", "{when}");
        let listed = place.run("review list file:src/z.rs").out;
        assert!(listed.contains("src/z.rs (gone)"), "{when}: {listed}");
        let shown = place.run("review show src/z.rs");
        assert_eq!(shown.code, 0, "{when}: {}", shown.err);
        let diff = place.run("review diff HEAD~1").out;
        assert!(diff.contains("7030"), "{when}: {diff}");
    };
    place.file("b.rs", "b\n");
    git(dir, "add b.rs");
    git(dir, "-c user.name=A -c user.email=a@x.org commit -q -m b -- b.rs");
    check("before");
    git(dir, "add --all");
    commit(dir, "three");
    check("after");
    git(dir, "mv src/z.rs src/y.rs");
    commit(dir, "four");
    git(dir, "mv src/y.rs src/z.rs");
    commit(dir, "five");
    check("renamed again");
}

#[test]
fn deleted_threads_are_listed_with_the_current_location_of_their_code() {
    let place = committed();
    done(&place, &["review", "delete", "7030"]);
    git(&place.machine.dir, "mv src/a.rs src/c.rs");
    place.file("src/c.rs", format!("// one\n{NEW}"));
    commit(&place.machine.dir, "moved");
    let listed = place.run("review restore").out;
    assert!(listed.contains("  src/c.rs:9  Why?"), "{listed}");
    let listed = json(&place, &["review", "restore", "--json"]);
    assert_eq!(listed["deleted"][0]["at"], "src/c.rs:9");
}

#[test]
fn review_next_prefers_threads_of_the_current_branch() {
    let place = committed();
    let dir = place.machine.dir.clone();
    done(&place, &["review", "resolve", "7030"]);
    git(&dir, "switch -qc feature");
    place.file("src/a-new.rs", "fn only_on_this_branch() {}\n");
    commit(&dir, "feature");
    done(&place, &["review", "add", "src/a-new.rs:1", "-m", "Of the branch"]);
    git(&dir, "switch -q -");
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Of main"]);
    let next = |place: &Place| {
        let next = json(place, &["review", "next", "--json"]);
        next["thread"]["title"].as_str().unwrap().to_owned()
    };
    assert_eq!(next(&place), "Of main");
    git(&dir, "switch -q feature");
    assert_eq!(next(&place), "Of the branch");
    // A merged branch does not count as another branch.
    git(&dir, "switch -q -");
    git(&dir, "merge -q --no-edit feature");
    assert_eq!(next(&place), "Of the branch");
    git(&dir, "rm -q src/a-new.rs");
    commit(&dir, "removed");
    let listed = place.run("review list").out;
    assert!(listed.contains("src/a-new.rs (gone)"), "{listed}");
}
