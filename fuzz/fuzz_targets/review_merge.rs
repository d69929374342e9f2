//! Merges arbitrary bytes as versions of a review thread, and merges conflicts in them.
#![no_main]

use skein_format::review::{
    MergedReview, NewComment, ReviewDoc, ReviewEditError, Status, conflict_count, merge,
    merge_conflict,
};
use skein_format::time::Time;

/// Separates the versions in one input.
const SEPARATOR: &[u8] = b"\n%%\n";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut versions = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(SEPARATOR.len()).position(|window| window == SEPARATOR) {
        versions.push(&rest[..at + 1]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    versions.push(rest);
    let base = versions.first().copied().unwrap_or_default();
    let (replied, resolved) = (edited(base, reply), edited(base, resolve));
    let ours = versions.get(1).copied().unwrap_or(&replied);
    let theirs = versions.get(2).copied().unwrap_or(&resolved);
    for version in [data, base, ours] {
        let merged_conflict = merge_conflict(version, "t", ".code-review");
        assert!(merged_conflict.is_none() || conflict_count(version) > 0);
    }
    check_identities(base, ours);
    check_identities(base, theirs);
    for base in [Some(base), None] {
        let merged = run(base, ours, theirs);
        if is_usable(ours) && is_usable(theirs) {
            assert!(is_usable(&merged.bytes));
        } else {
            assert!(merged.conflicted || [ours, theirs].contains(&merged.bytes.as_slice()));
        }
    }
});

type Edit = fn(&mut ReviewDoc) -> Result<(), ReviewEditError>;

fn reply(doc: &mut ReviewDoc) -> Result<(), ReviewEditError> {
    doc.append_comment(&NewComment {
        id: "c1-2".to_owned(),
        author: "a".to_owned(),
        created_at: Time::from_millis(1_900_000_000_000),
        body: "```\nb".to_owned(),
    })
}

fn resolve(doc: &mut ReviewDoc) -> Result<(), ReviewEditError> {
    doc.set_status(Status::Resolved, Time::from_millis(1_800_000_000_000))
}

/// Returns the edited bytes, or the same bytes if the edit is refused.
fn edited(bytes: &[u8], edit: Edit) -> Vec<u8> {
    let mut doc = ReviewDoc::parse(bytes.to_vec(), "t", ".code-review").0;
    let _ = edit(&mut doc);
    doc.into_bytes()
}

fn run(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> MergedReview {
    merge(base, ours, theirs, "t", ".code-review", ("ours", "theirs"))
}

/// Asserts that a merge in which only one side changed returns that side.
fn check_identities(base: &[u8], other: &[u8]) {
    for (ours, theirs) in [(other, other), (base, other), (other, base)] {
        let merged = run(Some(base), ours, theirs);
        assert_eq!(merged.bytes, other);
        assert!(!merged.conflicted);
    }
}

fn is_usable(bytes: &[u8]) -> bool {
    ReviewDoc::parse(bytes.to_vec(), "t", ".code-review").0.head().usable
}
