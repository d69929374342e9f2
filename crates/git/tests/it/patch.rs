use proptest::prelude::*;
use skein_git::{FileDiff, Hunk, parse_patch};

/// Checks the files of a patch, each as the status with the paths, and the hunks below it.
#[track_caller]
fn check(patch: &str, expected: &str) {
    let shown: String = parse_patch(patch.as_bytes()).iter().map(show).collect();
    assert_eq!(shown, expected);
}

fn show(file: &FileDiff) -> String {
    let hunks: String = file.hunks.iter().map(Hunk::text).collect();
    let binary = if file.binary { " binary" } else { "" };
    let paths = format!("{:?} {:?}", file.old_path, file.new_path);
    format!("{:?} {paths}{binary}\n{hunks}", file.status)
}

#[test]
fn lines_that_look_like_headers_stay_in_their_hunk() {
    let hunk = "@@ -1,3 +1,3 @@ fn x\n--- a/y\n+++ b/y\n diff --git a/z b/z\n-@@ -1 +1 @@\n+\r\n";
    let patch = format!("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n{hunk}");
    check(&patch, &format!("Modified Some(\"x\") Some(\"x\")\n{hunk}"));
}

#[test]
fn paths_are_taken_from_the_most_reliable_header_line() {
    check(
        "diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n",
        "Modified Some(\"a b\") Some(\"a b\")\n",
    );
    check(
        "diff --git \"a/\\303\\244\" \"b/\\303\\244\"\nindex 1..2 100644\n",
        "Modified Some(\"ä\") Some(\"ä\")\n",
    );
    check(
        "diff --git a/x \"b/\\t\"\nsimilarity index 100%\nrename from x\nrename to \"\\t\"\n",
        "Renamed Some(\"x\") Some(\"\\t\")\n",
    );
    check(
        "diff --git a/b b/b b b\ncopy from b b\ncopy to b\n",
        "Copied Some(\"b b\") Some(\"b\")\n",
    );
    check(
        "diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n@@ -1 +1 @@\n-a\n+b\n",
        "Modified Some(\"a b\") Some(\"a b\")\n@@ -1 +1 @@\n-a\n+b\n",
    );
    check(
        "diff --git a/a b/a\nnew file mode 100644\nBinary files /dev/null and b/a differ\n",
        "Added None Some(\"a\") binary\n",
    );
}

#[test]
fn the_end_of_a_file_without_a_line_feed_is_marked() {
    let hunk = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n";
    let patch = format!("diff --git a/x b/x\n{hunk}diff --git a/y b/y\n{hunk}");
    let expected = ["x", "y"].map(|name| format!("Modified Some({name:?}) Some({name:?})\n{hunk}"));
    check(&patch, &expected.concat());
}

#[test]
fn a_truncated_or_too_long_hunk_is_parsed() {
    let file = "Modified Some(\"x\") Some(\"x\")\n";
    check(
        "diff --git a/x b/x\n@@ -1,9 +1,4294967295 @@\n a\n\n",
        &format!("{file}@@ -1,9 +1,4294967295 @@\n a\n \n"),
    );
    check("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n+c\n", &format!("{file}@@ -1 +1 @@\n-a\n+b\n"));
    check("diff --git a/x b/x\n@@ -1 +4294967296 @@\n-a\n", file);
    check("no patch\n@@ -1 +1 @@\n", "");
    check("", "");
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        exercise(&bytes);
    }

    #[test]
    fn shuffled_lines_of_patches_do_not_panic(
        lines in proptest::collection::vec(proptest::sample::select(LINES), 0..30),
    ) {
        exercise(lines.join("\n").as_bytes());
    }
}

const LINES: &[&str] = &[
    "diff --git a/x b/x",
    "diff --git \"a/\\303\" b/x",
    "diff --git ",
    "new file mode 100644",
    "deleted file mode 9",
    "rename from \"",
    "--- a/x",
    "+++ \"b/x\\\"",
    "@@ -1,2 +1,2 @@ é",
    "@@ -0,0 +4294967295,4294967295 @@",
    "@@ -1 +0,0 @@",
    "+a",
    "-a",
    " a",
    "",
    "\\ No newline at end of file",
    "Binary files a/x and b/x differ",
];

/// Calls everything that uses the line numbers of a hunk.
fn exercise(patch: &[u8]) {
    for file in parse_patch(patch) {
        for line in [0, 1, u32::MAX] {
            let hunk = file.hunk_at_new_line(line).is_some();
            assert!(hunk || !file.is_changed_line(line));
        }
        for hunk in &file.hunks {
            let patch = format!("diff --git a/x b/x\n{}", hunk.text());
            let again = parse_patch(patch.as_bytes());
            let text: String = again.iter().flat_map(|file| &file.hunks).map(Hunk::text).collect();
            assert_eq!(text, hunk.text());
        }
    }
}
