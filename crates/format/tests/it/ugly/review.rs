//! Ugly review threads.

use skein_format::Diagnostic;
use skein_format::review::{
    Anchor, Context, GitAnchor, NewComment, Range, ReviewDoc, ReviewEditError, ReviewRef, Status,
};

use super::{Tried, assert_same_but, now, show_edits, walk};
use crate::show;

const STORE: &str = ".code-review";

#[test]
fn ugly_threads_keep_their_bytes_and_match_their_snapshots() {
    walk("review", 30, |stem, bytes| {
        let (doc, findings) = ReviewDoc::parse(bytes.to_vec(), stem, STORE);
        assert_eq!(doc.to_bytes(), bytes);
        check_borrowed(stem, bytes, &doc);
        let view = show::review(&doc);
        let findings = show::findings(&findings);
        let edits = show_edits(bytes, &edits(stem, &doc, &view));
        format!("{view}\n--- findings\n{findings}\n--- edits\n{edits}")
    });
}

fn check_borrowed(stem: &str, bytes: &[u8], doc: &ReviewDoc) {
    let (borrowed, _) = ReviewRef::parse(bytes, stem, STORE);
    let comments = doc.comments();
    let authors: Vec<_> = comments.iter().map(|one| one.author.clone()).collect();
    assert_eq!(borrowed.authors().collect::<Vec<_>>(), authors);
    assert_eq!(borrowed.head().id, doc.head().id);
    check_summary(stem, bytes, doc, &authors);
}

/// Checks that the summary of a thread matches the whole document.
fn check_summary(stem: &str, bytes: &[u8], doc: &ReviewDoc, authors: &[String]) {
    let (summary, found) = ReviewRef::parse_summary(bytes, stem, STORE);
    let head = doc.head();
    let short = summary.head();
    assert_eq!(short.usable, head.usable);
    assert_eq!(short.path, head.path);
    assert_eq!(short.path_text, head.path_text);
    assert_eq!((short.range, short.status), (head.range, head.status));
    assert_eq!((short.created_at, short.updated_at), (head.created_at, head.updated_at));
    assert_eq!(summary.comment_count(), doc.comment_count());
    assert_eq!(summary.authors().next_back().as_deref(), authors.last().map(String::as_str));
    let (_, all) = ReviewRef::parse(bytes, stem, STORE);
    let kept = |one: &&Diagnostic| found.contains(one);
    assert_eq!(all.iter().filter(kept).count(), found.len());
}

struct EditTester<'a> {
    stem: &'a str,
    doc: &'a ReviewDoc,
    view: &'a str,
    tried: Vec<Tried>,
}

impl EditTester<'_> {
    /// Tries an edit, which may change `places` and the lines of the view that start with `lines`.
    fn edit(
        &mut self,
        name: &'static str,
        places: usize,
        lines: &[&str],
        apply: impl FnOnce(&mut ReviewDoc) -> Result<(), ReviewEditError>,
    ) -> ReviewDoc {
        let mut doc = self.doc.clone();
        let result = apply(&mut doc).map_err(|error| error.to_string());
        let view = show::review(&doc);
        let (again, _) = ReviewDoc::parse(doc.to_bytes().to_vec(), self.stem, STORE);
        assert_eq!(show::review(&again), view, "{name}: differs from what was written");
        // A comment without a time shows that of the thread.
        let lines = [lines, &["updated:", "  at:"]].concat();
        assert_same_but(self.view, &view, &lines);
        if result.is_ok() {
            assert_eq!(doc.head().updated_at, Some(now()), "{name}");
        } else {
            assert!(!self.doc.head().usable || name.starts_with("edit"), "{name}");
        }
        let after = doc.to_bytes().to_vec();
        self.tried.push(Tried { name, result, after, places });
        doc
    }
}

fn edits(stem: &str, doc: &ReviewDoc, view: &str) -> Vec<Tried> {
    let tried = Vec::new();
    let mut tester = EditTester { stem, doc, view, tried };
    let usable = doc.head().usable;
    tester.edit("touch", 1, &[], |doc| doc.touch(now()));
    edit_status(&mut tester, usable);
    edit_comments(&mut tester, usable);
    edit_place(&mut tester, usable);
    edit_patch(&mut tester, usable);
    tester.tried
}

fn edit_status(tester: &mut EditTester<'_>, usable: bool) {
    for (name, status) in [("resolve", Status::Resolved), ("reopen", Status::Open)] {
        let doc = tester.edit(name, 3, &["status:"], |doc| doc.set_status(status, now()));
        assert!(!usable || doc.head().status == status);
    }
}

fn edit_comments(tester: &mut EditTester<'_>, usable: bool) {
    let before = tester.doc.comment_count();
    let comment = NewComment {
        id: "zz9".to_owned(),
        author: "Zoë \"Z\" <z@kiln>".to_owned(),
        created_at: now(),
        body: "\nAppended.\r\n<local-code-review-comment/>\n\n".to_owned(),
    };
    let mut doc = tester.doc.clone();
    if doc.append_comment(&comment).is_ok() {
        let comments = doc.comments();
        assert_eq!(comments.len(), before + 1);
        let last = comments.last().unwrap();
        assert_eq!(last.author, comment.author);
        assert_eq!(last.body, "Appended.\n\\<local-code-review-comment/>");
        assert!(doc.append_comment(&comment).is_err(), "the id is taken");
    } else {
        assert!(!usable);
    }
    tester.edit("append", 2, &["comment:", "  "], |doc| doc.append_comment(&comment));
    let last = before.saturating_sub(1);
    for (name, index) in [("edit the first", 0), ("edit the last", last)] {
        let lines = ["  body:", "  suggestion:"];
        let doc = tester.edit(name, 2, &lines, |doc| doc.edit_body(index, "Rewritten.", now()));
        if usable && before > 0 {
            assert_eq!(doc.comments()[index].body, "Rewritten.");
        }
    }
}

fn edit_place(tester: &mut EditTester<'_>, usable: bool) {
    let range = Range { start_line: 10, start_character: 2, end_line: 12, end_character: 30 };
    let anchor = Anchor {
        context: Some(Context {
            before: vec!["a \"b\"".to_owned()],
            selection: "one\ntwo".to_owned(),
            after: Vec::new(),
        }),
        git: GitAnchor { base_ref: Some("feed".to_owned()), hunk_header: None },
    };
    let lines = ["range:", "base:", "before:", "selection:", "after:"];
    let doc = tester.edit("place", 16, &lines, |doc| doc.set_place(Some(range), &anchor, now()));
    if usable {
        assert_eq!(doc.head().range, Some(range));
        assert_eq!(doc.context(), anchor.context);
        assert_eq!(doc.head().git.base_ref, anchor.git.base_ref);
    }
    let doc = tester.edit("place on the whole file", 3, &["range:"], |doc| {
        doc.set_place(None, &Anchor::default(), now())
    });
    assert!(!usable || doc.head().range.is_none());
}

fn edit_patch(tester: &mut EditTester<'_>, usable: bool) {
    let patch = "@@ -90 +90 @@\n-x\n+y\n";
    let doc = tester.edit("patch", 8, &["patch:"], |doc| doc.set_patch(Some(patch), now()));
    if usable {
        assert_eq!(doc.patch().as_deref(), patch.strip_suffix('\n'));
    }
    let doc = tester.edit("no patch", 3, &["patch:"], |doc| doc.set_patch(None, now()));
    if usable {
        assert!(doc.patch().is_none() || has_second_patch(tester.stem));
    }
}

/// Returns whether the file has a second patch, which is read once the first is removed.
fn has_second_patch(stem: &str) -> bool {
    stem == "patch-other-language"
}
