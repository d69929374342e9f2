//! Merges arbitrary bytes as versions of a checkpoint.
#![no_main]

use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, Closing, StepStatus, merge};
use skein_format::time::Time;

/// Separates the versions in one input.
const SEPARATOR: &[u8] = b"\n%%\n";
const STEM: &str = "T-20260101-000000-x";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut versions = Vec::new();
    let mut rest = data;
    while let Some(at) = rest.windows(SEPARATOR.len()).position(|window| window == SEPARATOR) {
        versions.push(&rest[..at + 1]);
        rest = &rest[at + SEPARATOR.len()..];
    }
    versions.push(rest);
    let base = versions.first().copied().unwrap_or_default();
    let (closed, titled) = (edited(base, close), edited(base, title));
    let ours = versions.get(1).copied().unwrap_or(&closed);
    let theirs = versions.get(2).copied().unwrap_or(&titled);
    check_identities(base, ours);
    check_identities(base, theirs);
    for base in [Some(base), None] {
        if let Some(merged) = merge(base, ours, theirs, STEM) {
            let trivial = [ours, theirs].contains(&merged.as_slice());
            assert!(trivial || is_usable(&merged));
            // Merging the same side again changes nothing.
            assert_eq!(merge(Some(theirs), &merged, theirs, STEM), Some(merged));
        }
    }
});

type Edit = fn(&mut CheckpointDoc);

fn close(doc: &mut CheckpointDoc) {
    let closing = Closing { status: StepStatus::Done, by: "a".to_owned(), note: None };
    let _ = doc.close_steps(&[0], &closing, Time::from_millis(1_900_000_000_000));
}

fn title(doc: &mut CheckpointDoc) {
    let _ = doc.set_text(&["metadata", "title"], "\"}", Time::from_millis(1_800_000_000_000));
}

/// Returns the edited bytes, or the same bytes if the edit is refused.
fn edited(bytes: &[u8], edit: Edit) -> Vec<u8> {
    let mut doc = CheckpointDoc::parse(bytes.to_vec(), STEM, CheckpointFileKind::Thread).0;
    edit(&mut doc);
    doc.into_bytes()
}

/// Asserts that a merge in which only one side changed returns that side.
fn check_identities(base: &[u8], other: &[u8]) {
    for (ours, theirs) in [(other, other), (base, other), (other, base)] {
        assert_eq!(merge(Some(base), ours, theirs, STEM).as_deref(), Some(other));
    }
}

fn is_usable(bytes: &[u8]) -> bool {
    CheckpointDoc::parse(bytes.to_vec(), STEM, CheckpointFileKind::Thread).0.head().usable
}
