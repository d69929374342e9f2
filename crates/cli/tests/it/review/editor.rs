//! Comments that are written in an editor.

use std::fs;

use super::repo::{comments, done, editor, refused, repo, state, threads};

#[test]
fn the_editor_shows_the_lines_and_its_text_becomes_the_comment() {
    let mut place = repo();
    let seen = place.path("seen");
    editor(
        &mut place,
        &format!(
            "cp \"$1\" {}\nprintf 'Wörter ✓\\n\\nmore  \\n' | cat - \"$1\" > \"$1.x\" && mv \"$1.x\" \"$1\"",
            seen.display()
        ),
    );
    done(&place, &["review", "add", "src/a.rs:2"]);
    let text = fs::read_to_string(seen).unwrap();
    assert!(text.contains("src/a.rs\n    2      let file = find_or_create(path);\n"), "{text}");
    assert_eq!(comments(&place)[0].1, "Wörter ✓\n\nmore");
    assert!(state(&place, "scratch").is_empty());
}

#[test]
fn a_reply_fails_if_the_editor_writes_nothing_or_fails() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:2", "-m", "Why?"]);
    editor(&mut place, "true");
    place.check(
        "review reply 7030",
        "
-- stderr
Error: the comment is empty, so nothing was written
Hint: enter a text with `-m TEXT`
-- exit 2
",
    );
    editor(&mut place, "exit 3");
    place.check(
        "review reply 7030",
        "
-- stderr
Error: the editor `sh ROOT/editor.sh` failed: exit status: 3
Hint: set `EDITOR` to one that works, or use `-m TEXT`
-- exit 2
",
    );
    editor(&mut place, ": > \"$1\"");
    place.check(
        "review reply 7030",
        "
-- stderr
Error: the comment is empty, so nothing was written
Hint: enter a text with `-m TEXT`
-- exit 2
",
    );
    editor(&mut place, "rm \"$1\"");
    assert_eq!(place.run("review reply 7030").code, 2);
    assert!(state(&place, "scratch").is_empty());
    assert_eq!(comments(&place).len(), 1);
}

#[test]
fn the_written_text_is_kept_when_the_command_fails() {
    let mut place = repo();
    editor(
        &mut place,
        "printf 'Long text\\n' | cat - \"$1\" > \"$1.x\" && mv \"$1.x\" \"$1\"; exit 1",
    );
    place.check("review add src/a.rs:2", "
-- stderr
Error: what you wrote is kept in ROOT/home/.local/state/skein/scratch/comment-20260123-143000-d13a0290.md
Caused by: the editor `sh ROOT/editor.sh` failed: exit status: 1
Hint: fix the problem, then reuse your text with `-F ROOT/home/.local/state/skein/scratch/comment-20260123-143000-d13a0290.md`
-- exit 2
");
    let kept = state(&place, "scratch").remove(0);
    assert!(fs::read_to_string(&kept).unwrap().starts_with("Long text\n"));
    // The command of the hint works, and uses only the text above the scissors line.
    done(&place, &["review", "add", "src/a.rs:2", "-F", kept.to_str().unwrap()]);
    assert_eq!(comments(&place)[0].1.trim_end(), "Long text");

    let mut place = repo();
    editor(&mut place, "printf 'Long text\\n' | cat - \"$1\" > \"$1.x\" && mv \"$1.x\" \"$1\"");
    let output = place.run("review add src/a.rs:1 --expect unheard");
    assert_eq!(output.code, 2, "{output}");
    let kept = state(&place, "scratch").remove(0);
    assert!(output.err.starts_with("Error: what you wrote is kept in"), "{output}");
    assert!(fs::read_to_string(&kept).unwrap().starts_with("Long text\n"));
    assert!(threads(&place).is_empty());
}

#[test]
fn a_comment_may_contain_a_scissors_line() {
    let mut place = repo();
    let cut = "------------------------ >8 ------------------------";
    let text = format!("above\n{cut}\nbelow");
    done(&place, &["review", "add", "src/a.rs:2", "-m", &text]);
    editor(&mut place, "sed -i s/above/changed/ \"$1\"");
    done(&place, &["review", "edit", "7030"]);
    assert_eq!(comments(&place)[0].1, format!("changed\n{cut}\nbelow"));
}

#[test]
fn bytes_that_are_not_utf8_are_replaced_in_a_comment() {
    let mut place = repo();
    editor(
        &mut place,
        "printf 'caf\\351 <local-code-review-comment id=\"x\"/>\\n<local-code-review-comment id=\"y\"/>\\n' > \"$1\"",
    );
    done(&place, &["review", "add", "src/a.rs:2"]);
    assert_eq!(comments(&place).len(), 1);
    assert!(comments(&place)[0].1.starts_with("caf\u{fffd} <local"));
}

#[test]
fn open_starts_the_editor_at_the_current_location_of_the_code() {
    let mut place = repo();
    done(&place, &["review", "add", "src/a.rs:8", "-m", "Why?"]);
    place.file("src/a.rs", format!("// one\n// two\n{}", super::repo::NEW));
    let seen = place.path("seen");
    let vi = place.path("vi");
    fs::write(&vi, format!("#!/bin/sh\necho \"$@\" > {}\n", seen.display())).unwrap();
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(&vi, fs::Permissions::from_mode(0o755)).unwrap();
    super::repo::set(&mut place, "EDITOR", &vi.display().to_string());
    done(&place, &["review", "open", "7030"]);
    let text = place.shorten(&fs::read_to_string(&seen).unwrap());
    assert_eq!(text, "+10 ROOT/here/src/a.rs\n");
    done(&place, &["review", "open", "7030", "--thread"]);
    assert!(fs::read_to_string(&seen).unwrap().ends_with(".md\n"));
    fs::remove_file(place.machine.dir.join("src/a.rs")).unwrap();
    refused(
        &place,
        "review open 7030",
        "Error: the code of this thread does not exist any more: 7030\nHint: `skein review show 7030` shows the text that was commented on\n",
    );
}
