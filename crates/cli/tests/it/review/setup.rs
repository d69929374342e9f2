//! `init`, `share` and `uninstall`.

use std::fs;

use super::repo::{comments, done, git, refused, repo, threads, tree};

const MINE: &[u8] = b"# mine \xff\n*.o\n/build/";

#[test]
fn init_share_and_uninstall_in_one_repository() {
    let place = repo();
    let dir = place.machine.dir.clone();
    fs::create_dir_all(dir.join(".git/info")).unwrap();
    fs::write(dir.join(".git/info/exclude"), MINE).unwrap();
    place.check(
        "init",
        "
Created the store: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
-- stderr
`skein review add FILE:LINE -m TEXT` comments on a line
-- exit 0
",
    );
    assert_eq!(
        fs::read(dir.join(".git/info/exclude")).unwrap(),
        [MINE, b"\n/.code-review/"].concat()
    );
    place.check(
        "init",
        "
The store exists: ROOT/here/.code-review
-- stderr
`skein review add FILE:LINE -m TEXT` comments on a line
-- exit 0
",
    );
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.file(".code-review/.gitattributes", b"*.bin -diff # \xff\n");
    place.check(
        "share",
        r#"
Git sees the store: removed its line from .git/info/exclude
Wrote .code-review/.gitattributes
Wrote .code-review/.gitignore
Git merges threads comment by comment in this clone
-- stderr
`git add .code-review && git commit -m "Share review threads"` puts the threads into the repository
`skein init` sets up merging in every other clone, once
-- exit 0
"#,
    );
    assert_eq!(fs::read(dir.join(".git/info/exclude")).unwrap(), MINE);
    let attributes = b"*.bin -diff # \xff\nthreads/*.md merge=skein-review\n";
    assert_eq!(fs::read(dir.join(".code-review/.gitattributes")).unwrap(), attributes);
    let driver = git(&dir, "config merge.skein-review.driver");
    assert!(driver.contains("skein merge-driver -- %O %A %B %P;"), "{driver}");
    assert_eq!(
        git(&dir, "check-attr merge .code-review/threads/x.md"),
        ".code-review/threads/x.md: merge: skein-review\n"
    );
    let once = tree(&place);
    place.check(
        "share",
        r#"
Nothing to do.
-- stderr
`git add .code-review && git commit -m "Share review threads"` puts the threads into the repository
`skein init` sets up merging in every other clone, once
-- exit 0
"#,
    );
    assert_eq!(tree(&place), once);
    place.check(
        "uninstall",
        "
Removed the merge driver from git's configuration
Removed .code-review/.gitattributes
Removed .code-review/.gitignore
The threads stay: ROOT/here/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
-- exit 0
",
    );
    assert_eq!(fs::read(dir.join(".code-review/.gitattributes")).unwrap(), b"*.bin -diff # \xff\n");
    assert_eq!(
        fs::read(dir.join(".git/info/exclude")).unwrap(),
        [MINE, b"\n/.code-review/"].concat()
    );
    assert_eq!(threads(&place).len(), 1);
    fs::remove_file(dir.join(".code-review/.gitattributes")).unwrap();
    place.check(
        "uninstall --purge --yes",
        "
Moved 1 thread to the trash; `skein review restore --last` restores it
Removed ROOT/here/.code-review
Removed the line in .git/info/exclude
-- exit 0
",
    );
    assert!(!dir.join(".code-review").exists());
    assert_eq!(fs::read(dir.join(".git/info/exclude")).unwrap(), MINE);
    assert_eq!(git(&dir, "for-each-ref refs/skein"), "");
    place.check(
        "uninstall --purge --yes",
        "
Nothing to do.
-- exit 0
",
    );
    done(&place, &["review", "restore", "--last"]);
    assert_eq!(comments(&place).len(), 1);
}

#[test]
fn purge_keeps_files_in_the_store_that_skein_did_not_write() {
    let place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    place.file(".code-review/mine.txt", "mine");
    place.file(".code-review/AGENTS.md", "my own words");
    place.check(
        "uninstall --purge --yes",
        "
Moved 1 thread to the trash; `skein review restore --last` restores it
Left ROOT/here/.code-review, which has other files
Removed the line in .git/info/exclude
-- exit 0
",
    );
    assert_eq!(
        fs::read_to_string(place.machine.dir.join(".code-review/AGENTS.md")).unwrap(),
        "my own words"
    );
}

#[test]
fn worktrees_share_the_exclude_file_of_git() {
    let mut place = repo();
    let main = place.machine.dir.clone();
    let other = place.path("other");
    git(&main, &format!("worktree add -q -b topic {}", other.display()));
    place.machine.dir = other.clone();
    place.check(
        "init",
        "
Created the store: ROOT/other/.code-review
Git ignores /.code-review/ here (in .git/info/exclude); `skein share` undoes that.
-- stderr
`skein review add FILE:LINE -m TEXT` comments on a line
-- exit 0
",
    );
    assert_eq!(fs::read_to_string(main.join(".git/info/exclude")).unwrap(), "/.code-review/\n");
    assert_eq!(git(&other, "status --short"), "");
    place.check(
        "share",
        r#"
Git sees the store: removed its line from .git/info/exclude
Wrote .code-review/.gitattributes
Wrote .code-review/.gitignore
Git merges threads comment by comment in this clone
-- stderr
`git add .code-review && git commit -m "Share review threads"` puts the threads into the repository
`skein init` sets up merging in every other clone, once
-- exit 0
"#,
    );
    assert!(git(&other, "status --short").contains(".code-review/"));
    done(&place, &["uninstall"]);
    assert_eq!(git(&other, "status --short"), "");
}

#[test]
fn serve_refuses_an_unknown_commit() {
    refused(
        &repo(),
        "serve --no-open nope",
        "Error: unknown revision: nope\nHint: `git branch -a` and `git log --oneline` list what is available\n",
    );
}
