//! A user can edit only their own comments, and only in the version that they read.

use skein_review::{CommentError, edit, editable, find};
use skein_workspace::Actor;

use skein_fixtures::{Fixture, Review};

const FILE: &str = "w/.code-review/threads/t1.md";

fn mira() -> Actor {
    Actor { name: "Mira".to_owned(), agent: false }
}

#[test]
fn a_comment_that_changed_since_it_was_read_is_not_overwritten() {
    let it = Fixture::new();
    it.review("w", "t1", &Review { says: &[("Mira", "Why?")], ..Review::default() });
    let workspace = it.open("w");
    let thread = find(&workspace, "t1").unwrap();
    let old = editable(&workspace, &mira(), &thread, None).unwrap();
    it.review("w", "t1", &Review { says: &[("Mira", "By hand.")], ..Review::default() });
    let error = edit(&workspace, &mira(), &thread, &old, "In the editor.").unwrap_err();
    assert!(matches!(error, CommentError::Changed { .. }), "{error}");
    assert!(it.read(FILE).ends_with("By hand.\n"));
    let old = editable(&workspace, &mira(), &thread, None).unwrap();
    edit(&workspace, &mira(), &thread, &old, "In the editor.").unwrap();
    assert!(it.read(FILE).ends_with("In the editor.\n"));
}

#[test]
fn a_comment_of_another_author_with_the_same_id_is_not_changed() {
    let it = Fixture::new();
    let says = [("Codex", "Mine."), ("Mira", "Why?")];
    let path = it.review("w", "t1", &Review { says: &says, ..Review::default() });
    let text = it.read(FILE).replace("id=\"c1\"", "id=\"c0\"");
    std::fs::write(path, text).unwrap();
    let workspace = it.open("w");
    let thread = find(&workspace, "t1").unwrap();
    let old = editable(&workspace, &mira(), &thread, None).unwrap();
    edit(&workspace, &mira(), &thread, &old, "Why not?").unwrap();
    let text = it.read(FILE);
    assert!(text.contains("\nMine.\n") && text.ends_with("\nWhy not?\n"), "{text}");
}
