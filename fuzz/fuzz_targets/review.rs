//! Feeds arbitrary bytes to the review thread parser.
#![no_main]

use skein_format::review::{
    Anchor, NewComment, Range, ReviewDoc, ReviewEditError, ReviewRef, Status, has_whole_head,
    suggestions,
};
use skein_format::time::Time;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (doc, findings) = parse(data);
    assert_eq!(doc.to_bytes(), data);
    assert!(findings <= 51);
    let (borrowed, _) = ReviewRef::parse(data, "t", ".code-review");
    assert_eq!(borrowed.authors().count(), doc.comment_count());
    assert!(borrowed.bodies().eq(doc.comments().iter().map(|comment| comment.body.as_str())));
    assert_eq!(borrowed.patch().as_deref(), doc.patch().as_deref());
    let (summary, _) = ReviewRef::parse_summary(data, "t", ".code-review");
    assert_eq!(summary.head().usable, doc.head().usable);
    assert_eq!(summary.comment_count(), doc.comment_count());
    assert!(summary.authors().eq(borrowed.authors()));
    assert_eq!(summary.first_line(), borrowed.first_line());
    let _ = has_whole_head(data);
    for comment in doc.comments() {
        let _ = suggestions(&comment.body);
    }
    for edit in EDITS {
        check(&doc, edit);
    }
    let mut repaired = doc.clone();
    let done = repaired.repair(now());
    assert_eq!(done.is_empty(), repaired.to_bytes() == data);
    let bodies = |doc: &ReviewDoc| doc.comments().into_iter().map(|one| (one.author, one.body));
    assert!(bodies(&repaired).eq(bodies(&doc)));
    assert_eq!(repaired.repair(now()), []);
});

type Edit = fn(&mut ReviewDoc) -> Result<(), ReviewEditError>;

/// One edit of each kind.
const EDITS: [Edit; 7] = [
    |doc| doc.touch(now()),
    |doc| doc.set_status(Status::Resolved, now()),
    |doc| doc.append_comment(&comment()),
    |doc| doc.edit_body(0, "one\n<local-code-review-comment/>\n```", now()),
    |doc| doc.set_place(Some(RANGE), &Anchor::default(), now()),
    |doc| doc.set_patch(Some("-a\n+```\n ```"), now()),
    |doc| doc.set_patch(None, now()),
];

const RANGE: Range = Range { start_line: 3, start_character: 1, end_line: 4, end_character: 0 };

fn now() -> Time {
    Time::from_millis(1_900_000_000_000)
}

fn comment() -> NewComment {
    NewComment {
        id: "fuzz-fuzz".to_owned(),
        author: "a \"b\" <c>".to_owned(),
        created_at: now(),
        body: "\n</local-code-review-thread>\r\n".to_owned(),
    }
}

fn parse(data: &[u8]) -> (ReviewDoc, usize) {
    let (doc, findings) = ReviewDoc::parse(data.to_vec(), "t", ".code-review");
    (doc, findings.len())
}

fn describe(doc: &ReviewDoc) -> String {
    format!("{:?} {:?} {:?} {:?}", doc.head(), doc.context(), doc.patch(), doc.comments())
}

/// Applies an edit; the document must match its bytes, or be unchanged if the edit is refused.
fn check(before: &ReviewDoc, edit: Edit) {
    let mut doc = before.clone();
    if edit(&mut doc).is_err() {
        assert_eq!(doc.to_bytes(), before.to_bytes());
        return;
    }
    assert!(before.head().usable && doc.head().usable);
    // If the clock is behind the time of the last change, that time is kept.
    let changed = doc.head().updated_at;
    let is_ahead = changed > Some(now()) && changed == before.head().updated_at;
    assert!(changed == Some(now()) || is_ahead, "{changed:?}");
    let (again, _) = parse(doc.to_bytes());
    assert_eq!(describe(&again), describe(&doc));
    let added = doc.comment_count() - before.comment_count();
    assert!(added <= 1, "an edit adds at most one comment");
}
