use std::fs;

use skein_git::{DiffOptions, DiffSide, FileDiff, FileStatus, Repo, init};

use crate::sandbox::{Sandbox, commit, git, head, repo, strings, write};

const UNTRACKED: DiffOptions<'static> =
    DiffOptions { paths: &[], untracked: true, exclude: &[], context: 3 };

/// Shows a difference as a line with the status, the paths and the modes, and the hunks below it.
fn show(file: &FileDiff) -> String {
    let path = |path: &Option<String>| path.clone().unwrap_or_else(|| "-".to_owned());
    let mode = |mode: Option<u32>| mode.map(|mode| format!(" {mode:o}")).unwrap_or_default();
    let binary = match (file.binary, file.is_diff_disabled) {
        (true, _) => " binary",
        (false, true) => " disabled",
        (false, false) => "",
    };
    let paths = format!("{} {}", path(&file.old_path), path(&file.new_path));
    let modes = mode(file.old_mode) + &mode(file.new_mode);
    let mut text = format!("{:?} {paths}{modes}{binary}\n", file.status);
    text.extend(file.hunks.iter().map(skein_git::Hunk::text));
    text
}

#[track_caller]
fn check(repo: &Repo, old: &DiffSide, new: &DiffSide, options: &DiffOptions<'_>, expected: &str) {
    let files = repo.diff(old, new, options).expect("git compares");
    assert_eq!(files.iter().map(show).collect::<String>(), expected);
}

#[test]
fn all_pairs_of_sides_can_be_compared() {
    let sandbox = Sandbox::new();
    sandbox.file("r/a", "committed\n");
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let commit = DiffSide::Commit(head(&repo));
    sandbox.file("r/a", "staged\n");
    git(&top, &["add", "a"]);
    sandbox.file("r/a", "on disk\n");
    let tree = DiffSide::Tree(repo.snapshot(&[]).unwrap());
    let sides =
        [(&commit, "committed"), (&DiffSide::Index, "staged"), (&DiffSide::Worktree, "on disk")];
    for (old, old_text) in sides {
        for (new, new_text) in sides {
            let expected = match old_text == new_text {
                true => String::new(),
                false => format!("Modified a a\n@@ -1 +1 @@\n-{old_text}\n+{new_text}\n"),
            };
            check(&repo, old, new, &UNTRACKED, &expected);
        }
    }
    check(&repo, &tree, &DiffSide::Worktree, &UNTRACKED, "");
    let expected = "Modified a a\n@@ -1 +1 @@\n-on disk\n+committed\n";
    check(&repo, &tree, &commit, &UNTRACKED, expected);
}

#[test]
fn untracked_files_are_added_and_renames_to_them_detected() {
    let sandbox = Sandbox::new();
    sandbox.file("r/.gitignore", "*.log\n");
    sandbox.file("r/moved", "1\n2\n3\n4\n5\n6\n7\n8\n");
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let base = DiffSide::Commit(head(&repo));
    fs::remove_file(top.join("moved")).unwrap();
    sandbox.file("r/to/here", "1\n2\n3\n4\n5\n6\n7\neight\n");
    sandbox.file("r/new", "one\r\ntwo");
    sandbox.file("r/empty", "");
    sandbox.file("r/x.log", "ignored\n");
    sandbox.file("r/.code-review/threads/t.md", "thread\n");
    write(&top.join("binary"), b"\0\x01");
    write(&top.join("large"), "x\n".repeat(1_100_000));
    let exclude = strings(&[".code-review"]);
    let options = DiffOptions { exclude: &exclude, ..UNTRACKED };
    check(
        &repo,
        &base,
        &DiffSide::Worktree,
        &options,
        "Added - binary 100644 binary\n\
         Added - empty 100644\n\
         Added - large binary\n\
         Added - new 100644\n@@ -0,0 +1,2 @@\n+one\r\n+two\n\\ No newline at end of file\n\
         Renamed moved to/here\n@@ -5,4 +5,4 @@\n 5\n 6\n 7\n-8\n+eight\n",
    );
    let options = DiffOptions { untracked: false, ..options };
    let files = repo.diff(&base, &DiffSide::Worktree, &options).unwrap();
    assert_eq!(files.len(), 1);
    assert_eq!(files[0].status, FileStatus::Deleted);
    assert_eq!(git(&top, &["count-objects"]).split(' ').next(), Some("4"), "no object was written");
}

#[test]
fn text_of_which_attributes_disable_the_diff_is_compared() {
    let sandbox = Sandbox::new();
    sandbox.file("r/.gitattributes", "*.lock -diff\n*.bin binary\n");
    sandbox.file("r/a.lock", "1\n");
    sandbox.file("r/gone.lock", "1\n");
    write(&sandbox.path("r/a.bin"), b"\0\x01");
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let base = DiffSide::Commit(head(&repo));
    sandbox.file("r/a.lock", "2\n");
    sandbox.file("r/new.lock", "3\n");
    write(&top.join("a.bin"), b"text now\n");
    fs::remove_file(top.join("gone.lock")).unwrap();
    let expected = "Modified a.bin a.bin binary\n\
         Modified a.lock a.lock disabled\n@@ -1 +1 @@\n-1\n+2\n\
         Deleted gone.lock - 100644 disabled\n@@ -1 +0,0 @@\n-1\n\
         Added - new.lock 100644 disabled\n@@ -0,0 +1 @@\n+3\n";
    check(&repo, &base, &DiffSide::Worktree, &UNTRACKED, expected);
    git(&top, &["add", "--all"]);
    check(&repo, &base, &DiffSide::Index, &UNTRACKED, expected);
    let tree = DiffSide::Tree(repo.snapshot(&[]).unwrap());
    check(&repo, &base, &tree, &UNTRACKED, expected);
    check(&repo, &base, &DiffSide::Commit(commit(&top)), &UNTRACKED, expected);
}

#[test]
fn the_first_commit_is_compared_with_the_empty_tree() {
    let sandbox = Sandbox::new();
    let top = sandbox.dir("r");
    init(&top, "main").unwrap();
    sandbox.file("r/a", "a\n");
    let repo = repo(&top);
    let empty = DiffSide::Tree(repo.empty_tree().unwrap());
    let expected = "Added - a 100644\n@@ -0,0 +1 @@\n+a\n";
    check(&repo, &empty, &DiffSide::Worktree, &UNTRACKED, expected);
    check(&repo, &DiffSide::Index, &DiffSide::Worktree, &UNTRACKED, expected);
    let commit = DiffSide::Commit(commit(&top));
    check(&repo, &empty, &commit, &UNTRACKED, expected);
    check(&repo, &commit, &empty, &UNTRACKED, "Deleted a - 100644\n@@ -1 +0,0 @@\n-a\n");
}

#[test]
fn paths_are_literal_and_the_context_can_be_set() {
    let sandbox = Sandbox::new();
    for name in ["a*", "ab", "dir/c", ":(top)x"] {
        sandbox.file(&format!("r/{name}"), "1\n2\n3\n");
    }
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let base = DiffSide::Commit(head(&repo));
    for name in ["a*", "ab", "dir/c", ":(top)x"] {
        sandbox.file(&format!("r/{name}"), "1\n2\nthree\n");
    }
    let paths = strings(&["a*", "dir", ":(top)x", "--output=x"]);
    let options = DiffOptions { paths: &paths, context: 0, ..UNTRACKED };
    let hunk = "@@ -3 +3 @@\n-3\n+three\n";
    let expected = [":(top)x", "a*", "dir/c"].map(|name| format!("Modified {name} {name}\n{hunk}"));
    check(&repo, &base, &DiffSide::Worktree, &options, &expected.concat());
    let paths = strings(&["../outside"]);
    let options = DiffOptions { paths: &paths, ..UNTRACKED };
    check(&repo, &base, &DiffSide::Worktree, &options, "");
}

#[test]
fn the_changed_lines_of_a_file_are_known() {
    let sandbox = Sandbox::new();
    let lines: Vec<_> = (1..=20).map(|number| format!("{number}\n")).collect();
    sandbox.file("r/a", &lines.concat());
    let top = sandbox.repository("r");
    let repo = repo(&top);
    let base = DiffSide::Commit(head(&repo));
    let mut changed = lines;
    changed[1] = "two\nand more\n".to_owned();
    changed[18].clear();
    sandbox.file("r/a", &changed.concat());
    let files = repo.diff(&base, &DiffSide::Worktree, &UNTRACKED).unwrap();
    let changed: Vec<_> = (0..30).filter(|&line| files[0].is_changed_line(line)).collect();
    assert_eq!(changed, [1, 2]);
    let header = |line| files[0].hunk_at_new_line(line).map(skein_git::Hunk::header);
    assert_eq!(header(0).as_deref(), Some("@@ -1,5 +1,6 @@"));
    assert_eq!(header(5).as_deref(), Some("@@ -1,5 +1,6 @@"));
    assert_eq!(header(6), None);
    assert_eq!(header(19).as_deref(), Some("@@ -16,5 +17,4 @@"));
    assert_eq!(header(20), None);
}

#[test]
fn a_submodule_is_compared_by_its_commit() {
    let sandbox = Sandbox::new();
    sandbox.repository("library");
    let top = sandbox.repository("r");
    git(&top, &["submodule", "--quiet", "add", "../library", "sub"]);
    commit(&top);
    let repo = repo(&top);
    let base = DiffSide::Commit(head(&repo));
    sandbox.file("r/sub/new", "untracked in the submodule\n");
    check(&repo, &base, &DiffSide::Worktree, &UNTRACKED, "");
    let old = git(&sandbox.path("r/sub"), &["rev-parse", "HEAD"]);
    let new = commit(&sandbox.path("r/sub"));
    let expected = format!(
        "Modified sub sub\n@@ -1 +1 @@\n-Subproject commit {old}\n+Subproject commit {new}\n"
    );
    check(&repo, &base, &DiffSide::Worktree, &UNTRACKED, &expected);
}

#[cfg(unix)]
#[test]
fn unusual_names_modes_and_links_are_compared() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let sandbox = Sandbox::new();
    for name in ["script", "a b", "\"q\"\n\\", "ünï", "link"] {
        sandbox.file(&format!("r/{name}"), "1\n");
    }
    let top = sandbox.repository("r");
    write(&top.join(OsStr::from_bytes(b"\xff")), "");
    let repo = repo(&top);
    let base = DiffSide::Commit(head(&repo));
    fs::set_permissions(top.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(top.join("a b"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(top.join("\"q\"\n\\")).unwrap();
    sandbox.file("r/ünï", "2\n");
    fs::remove_file(top.join("link")).unwrap();
    symlink("ünï", top.join("link")).unwrap();
    check(
        &repo,
        &base,
        &DiffSide::Worktree,
        &UNTRACKED,
        "Deleted \"q\"\n\\ - 100644\n@@ -1 +0,0 @@\n-1\n\
         Modified a b a b 100644 100755\n\
         TypeChanged link link 100644 120000\n@@ -1 +0,0 @@\n-1\n\
         @@ -0,0 +1 @@\n+ünï\n\\ No newline at end of file\n\
         Modified script script 100644 100755\n\
         Modified ünï ünï\n@@ -1 +1 @@\n-1\n+2\n\
         Added - \u{fffd} 100644\n",
    );
}
