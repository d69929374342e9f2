//! Merges of threads that were edited randomly.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::sample::select;
use skein_format::Code;
use skein_format::review::{
    Anchor, Comment, MergedReview, NewComment, Range, ReviewDoc, Status, merge,
};
use skein_format::time::Time;

use super::review::{place, thread};
use super::{cases, noise, spoiled, text};

const STORE: &str = ".code-review";

fn parse(bytes: &[u8]) -> ReviewDoc {
    ReviewDoc::parse(bytes.to_vec(), "t", STORE).0
}

fn run(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> MergedReview {
    merge(base, ours, theirs, "t", STORE, ("ours", "theirs"))
}

#[derive(Clone, Debug)]
enum Edit {
    Reply { id: &'static str, author: String, body: String },
    Body { index: usize, body: String },
    Delete { index: usize },
    Status(Status),
    Place(Option<Range>, Anchor),
    Patch(Option<String>),
    Note(&'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    let id = select(vec!["c1", "c2", "c1-2", "n1", "n2", "n3"]);
    prop_oneof![
        4 => (id, text(), text()).prop_map(|(id, author, body)| Edit::Reply { id, author, body }),
        2 => (0..4_usize, text()).prop_map(|(index, body)| Edit::Body { index, body }),
        1 => (0..4_usize).prop_map(|index| Edit::Delete { index }),
        1 => select(vec![Status::Open, Status::Resolved]).prop_map(Edit::Status),
        1 => place().prop_map(|(range, anchor)| Edit::Place(range, anchor)),
        1 => prop::option::of(text()).prop_map(Edit::Patch),
        1 => select(vec!["a note\n", "\n", "another\n\n"]).prop_map(Edit::Note),
    ]
}

fn edits() -> impl Strategy<Value = Vec<(u32, Edit)>> {
    prop::collection::vec((0..50_u32, edit()), 0..4)
}

/// Applies edits; one that is refused changes nothing.
fn edited(bytes: &[u8], edits: &[(u32, Edit)]) -> Vec<u8> {
    let mut doc = parse(bytes);
    for (minute, edit) in edits {
        let now = Time::from_millis(1_800_000_000_000 + i64::from(*minute) * 60_000);
        let mut next = doc.clone();
        let done = match edit.clone() {
            Edit::Reply { id, author, body } => {
                let id = id.to_owned();
                next.append_comment(&NewComment { id, author, created_at: now, body })
            }
            Edit::Body { index, body } => next.edit_body(index, &body, now),
            Edit::Status(status) => next.set_status(status, now),
            Edit::Place(range, anchor) => next.set_place(range, &anchor, now),
            Edit::Patch(patch) => next.set_patch(patch.as_deref(), now),
            Edit::Delete { index } => {
                next = parse(&without(doc.to_bytes(), index));
                Ok(())
            }
            Edit::Note(note) => {
                next = parse(&noted(doc.to_bytes(), note));
                Ok(())
            }
        };
        if done.is_ok() {
            doc = next;
        }
    }
    doc.into_bytes()
}

/// Removes a comment as a person would.
fn without(bytes: &[u8], index: usize) -> Vec<u8> {
    let starts = starts(bytes);
    let Some(start) = starts.get(index) else { return bytes.to_vec() };
    let end = starts.get(index + 1).copied().unwrap_or(bytes.len());
    [&bytes[..*start], &bytes[end..]].concat()
}

/// Inserts a line after the metadata block.
fn noted(bytes: &[u8], note: &str) -> Vec<u8> {
    let end = b"\n</local-code-review-thread>\n";
    let at = bytes.windows(end.len()).position(|window| window == end);
    let at = at.map_or(0, |at| at + end.len());
    [&bytes[..at], note.as_bytes(), &bytes[at..]].concat()
}

fn starts(bytes: &[u8]) -> Vec<usize> {
    let marker = b"\n<local-code-review-comment";
    let end = b"\n</local-code-review-thread>";
    let from = bytes.windows(end.len()).position(|window| window == end).unwrap_or(0);
    let all = bytes.windows(marker.len()).enumerate();
    all.filter(|(at, window)| *at >= from && window == marker).map(|(at, _)| at + 1).collect()
}

/// Returns whether every comment has a unique id.
fn named(bytes: &[u8]) -> bool {
    let (_, findings) = ReviewDoc::parse(bytes.to_vec(), "t", STORE);
    let nameless = [Code::ReviewCommentNoId, Code::ReviewCommentDuplicateId];
    !findings.iter().any(|one| nameless.contains(&one.code))
}

/// Counts comments by author and body.
fn comments_of(doc: &ReviewDoc) -> BTreeMap<(String, String), usize> {
    let mut found = BTreeMap::new();
    for Comment { author, body, .. } in doc.comments() {
        *found.entry((author, body)).or_default() += 1;
    }
    found
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_merge_with_an_unchanged_side_gives_the_other_side(
        base in prop_oneof![noise(), spoiled(thread())],
        other in prop_oneof![noise(), spoiled(thread())],
    ) {
        for (base, ours, theirs) in [
            (Some(base.as_slice()), &other, &other),
            (Some(&base), &base, &other),
            (Some(&base), &other, &base),
            (None, &other, &other),
        ] {
            let merged = run(base, ours, theirs);
            prop_assert_eq!(&merged.bytes, &other);
            prop_assert!(!merged.conflicted);
        }
    }

    #[test]
    fn any_three_files_are_merged(
        base in prop::option::of(prop_oneof![noise(), spoiled(thread())]),
        ours in prop_oneof![1 => noise(), 4 => spoiled(thread())],
        theirs in prop_oneof![1 => noise(), 4 => spoiled(thread())],
    ) {
        let merged = run(base.as_deref(), &ours, &theirs);
        let (ours, theirs) = (parse(&ours), parse(&theirs));
        if ours.head().usable && theirs.head().usable {
            prop_assert!(parse(&merged.bytes).head().usable);
        }
    }

    #[test]
    fn two_threads_without_a_base_lose_nothing(ours in thread(), theirs in thread()) {
        let merged = parse(&run(None, ours.as_bytes(), theirs.as_bytes()).bytes);
        let all = comments_of(&merged);
        for side in [parse(ours.as_bytes()), parse(theirs.as_bytes())] {
            for (what, _) in comments_of(&side) {
                prop_assert!(all.contains_key(&what), "{what:?} is lost");
            }
        }
    }

    #[test]
    fn two_edits_of_a_thread_merge(base in thread(), one in edits(), other in edits()) {
        let base = base.into_bytes();
        let (ours, theirs) = (edited(&base, &one), edited(&base, &other));
        let merged = run(Some(&base), &ours, &theirs);
        let doc = parse(&merged.bytes);
        prop_assert!(doc.head().usable);
        let all = comments_of(&doc);
        let old = comments_of(&parse(&base));
        for side in [parse(&ours), parse(&theirs)] {
            for (what, _) in comments_of(&side) {
                prop_assert!(old.contains_key(&what) || all.contains_key(&what), "{what:?} is lost");
            }
        }
        let times = [&ours, &theirs].map(|side| parse(side).head().updated_at);
        prop_assert_eq!(doc.head().updated_at, times.into_iter().max().flatten());
        if merged.conflicted {
            return Ok(());
        }
        // Equal lines may be matched at another position once there are more of them.
        let prose = |(_, edit): &(u32, Edit)| matches!(edit, Edit::Note(_) | Edit::Patch(_));
        let named = [&base, &ours, &theirs, &merged.bytes].into_iter().all(|one| named(one));
        if named && ours != base && theirs != base {
            for comment in [&ours, &theirs].into_iter().flat_map(|side| parse(side).comments()) {
                prop_assert!(doc.has_comment(&comment.id), "{} is lost", comment.id);
            }
        }
        for side in [&ours, &theirs].into_iter().filter(|_| named) {
            let again = run(Some(&base), &merged.bytes, side);
            prop_assert_eq!(parse(&again.bytes).comments(), doc.comments());
            if !one.iter().chain(&other).any(prose) {
                prop_assert_eq!(&again.bytes, &merged.bytes);
            }
        }
        let swapped = run(Some(&base), &theirs, &ours);
        prop_assert!(!swapped.conflicted);
        if times[0] != times[1] {
            let swapped = parse(&swapped.bytes);
            prop_assert_eq!(comments_of(&swapped), all);
            prop_assert_eq!(swapped.head().status, doc.head().status);
            prop_assert_eq!(swapped.head().range, doc.head().range);
        }
    }
}
