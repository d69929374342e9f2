//! Comments between the lines of a diff.

use std::fs;

use super::repo::{done, editor, json, refused, repo, state, threads};
use crate::place::Place;

/// Runs `review write` with an editor that runs sed on the diff.
///
/// Returns the exit code, and the locations and bodies of all threads.
fn write(place: &mut Place, sed: &str) -> (u8, Vec<String>) {
    fs::write(place.path("edit.sed"), sed).unwrap();
    let script = format!(
        "sed -f {} \"$1\" > \"$1.x\" && mv \"$1.x\" \"$1\"",
        place.path("edit.sed").display()
    );
    editor(place, &script);
    let code = place.run("review write").code;
    (code, locations(place))
}

fn locations(place: &Place) -> Vec<String> {
    let list = json(place, &["review", "list", "--full", "--json"]);
    let threads = list["threads"].as_array().unwrap();
    let mut all: Vec<String> = threads
        .iter()
        .map(|one| {
            format!(
                "{} {}",
                one["at"].as_str().unwrap(),
                one["comments"][0]["body"].as_str().unwrap()
            )
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_comment_belongs_to_the_line_above_it() {
    let mut place = repo();
    place.file("b.txt", "one\n\ntwo\n");
    let sed = "/^+ .*find_or/a > On the added line.\\n> Second line ✓.\n/^ .*check/a > On a context line.\n/^- /a > On the removed line.\n/^=== mod/a > On the file.\n/^+two/a\\\n\\\n> After a free line.\\\n\n";
    let (code, locations) = write(&mut place, sed);
    assert_eq!(
        locations,
        [
            "b.txt:3 After a free line.",
            "src/a.rs On the file.",
            "src/a.rs:2 On the added line.\nSecond line ✓.",
            "src/a.rs:2 On the removed line `let file = find(path);`:\n\nOn the removed line.",
            "src/a.rs:3 On a context line.",
        ]
    );
    assert_eq!(code, 0);
    assert!(state(&place, "scratch").is_empty() && state(&place, "drafts").is_empty());
}

#[test]
fn an_empty_line_around_a_comment_does_not_lose_the_next_comment() {
    let mut place = repo();
    place.file("b.txt", "one\ntwo\n");
    place.file("c.txt", "one\ntwo\n");
    let (code, locations) = write(
        &mut place,
        "/^=== added: b/,/^+two/{\n/^+one/a\\\n\\\n> First.\\\n\n/^+two/a > Second.\n}\n",
    );
    assert_eq!(locations, ["b.txt:1 First.", "b.txt:2 Second."]);
    assert_eq!(code, 0);
}

#[test]
fn trailing_white_space_may_be_removed_and_lines_may_be_deleted() {
    let mut place = repo();
    place.file("src/a.rs", super::repo::NEW.replace("    file\n", "    file  \n\n"));
    let (code, locations) = write(&mut place, "s/[ \t]*$//\n/^@@/d\n/^+.*find_or/a > Fine.\n");
    assert_eq!((code, locations), (0, vec!["src/a.rs:2 Fine.".to_owned()]));
}

#[test]
fn a_comment_with_an_ambiguous_location_is_not_added_but_kept() {
    let mut place = repo();
    place.file("z.txt", "same\nsame\nsame\n");
    let (code, locations) = write(
        &mut place,
        "/^=== added: z/,$ {\n/^@@/d\n0,/^+same/ {\n/^+same/d\n}\n}\n$a > Which one?\n",
    );
    assert_eq!((code, locations), (2, vec![]));
    let kept = state(&place, "scratch").remove(0);
    assert!(fs::read_to_string(kept).unwrap().contains("> Which one?"));
}

#[test]
fn a_comment_on_a_line_that_changed_during_editing_is_not_added_but_kept() {
    let mut place = repo();
    let file = place.machine.dir.join("src/a.rs");
    let script = format!(
        "sed '/^+ /a > Late.' \"$1\" > \"$1.x\" && mv \"$1.x\" \"$1\"\nsed -i 2d {}",
        file.display()
    );
    editor(&mut place, &script);
    place.check("review write", "
-- stderr
Could not be placed, because line 2 of src/a.rs was changed in the meantime:
    Late.
Everything you wrote is kept in ROOT/home/.local/state/skein/scratch/review-20260123-143000-d13a0290.diff
-- exit 2
");
    assert_eq!(state(&place, "scratch").len(), 1);
    assert!(threads(&place).is_empty());
}

#[test]
fn without_comments_or_an_editor_nothing_is_submitted() {
    let mut place = repo();
    refused(
        &place,
        "review write",
        "Error: no editor is configured and stdin is not a terminal\nHint: set `EDITOR`, or comment with `skein review add FILE:LINE -m TEXT`\n",
    );
    editor(&mut place, "true");
    place.check(
        "review write",
        "
-- stderr
There are no comments, so nothing was submitted.
-- exit 0
",
    );
    assert!(state(&place, "scratch").is_empty());
    editor(&mut place, "echo 'A comment without its mark.' >> \"$1\"");
    place.check("review write", "
-- stderr
Ignored, because it does not start with >:
    A comment without its mark.
Everything you wrote is kept in ROOT/home/.local/state/skein/scratch/review-20260123-143000-d13a0290.diff
-- exit 2
");
    assert_eq!(state(&place, "scratch").len(), 1);
    editor(&mut place, "printf '\\377\\0garbage' > \"$1\"");
    assert_eq!(place.run("review write").code, 2);
    assert!(threads(&place).is_empty());
    refused(
        &place,
        "review write HEAD..HEAD",
        "Error: you can comment on the working tree, not on a commit\nHint: name one commit to compare the files with\n",
    );
}

#[test]
fn files_with_crlf_and_a_byte_order_mark_can_be_commented_on() {
    let mut place = repo();
    place.file("w.txt", "\u{feff}one\r\ntwo\r\n");
    let (code, locations) = write(&mut place, "/^+one/a > First.\n/^+two/a > Second.\n");
    assert_eq!(
        (code, locations),
        (0, vec!["w.txt:1 First.".to_owned(), "w.txt:2 Second.".to_owned()])
    );
    done(&place, &["review", "resolve", "w.txt:1", "w.txt:2"]);
}

#[test]
fn drafts_that_are_submitted_with_the_comments_are_mentioned() {
    let mut place = repo();
    place.file("b.txt", "one\n");
    done(&place, &["review", "add", "b.txt:1", "--draft", "-m", "Later."]);
    let copy = place.path("sheet");
    editor(&mut place, &format!("cp \"$1\" {}", copy.display()));
    done(&place, &["review", "write"]);
    let diff = fs::read_to_string(copy).unwrap();
    assert!(diff.contains("\n# Your draft is submitted with them.\n"), "{diff}");
}
