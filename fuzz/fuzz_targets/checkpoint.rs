//! Feeds arbitrary bytes to the checkpoint parser.
#![no_main]

use skein_format::checkpoint::{
    CheckpointDoc, CheckpointEditError, CheckpointFileKind, CheckpointRef, HandoffDoc, StepStatus,
};
use skein_format::time::Time;

const STEM: &str = "T-20260101-000000-fuzz";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (pointer, _) = HandoffDoc::parse(data.to_vec());
    assert_eq!(pointer.to_bytes(), data);
    let (doc, findings) = CheckpointDoc::parse(data.to_vec(), STEM, CheckpointFileKind::Thread);
    assert_eq!(doc.to_bytes(), data);
    assert!(findings.len() <= 51);
    let (borrowed, _) = CheckpointRef::parse(data, STEM, CheckpointFileKind::Thread);
    assert_eq!(format!("{:?}", borrowed.into_head()), format!("{:?}", doc.head()));
    check_counts(&doc);
    for edit in EDITS {
        check(&doc, edit);
    }
    let (mut legacy, _) = CheckpointDoc::parse(data.to_vec(), STEM, CheckpointFileKind::Legacy);
    assert!(legacy.set_text(&["cwd"], "x", now()).is_err());
});

type Edit = fn(&mut CheckpointDoc) -> Result<(), CheckpointEditError>;

/// One edit of each kind.
const EDITS: [Edit; 4] = [
    |doc| doc.set_text(&["conversation_summary"], "a \"b\"\n", now()),
    |doc| doc.set_text(&["metadata", "title"], "t", now()),
    |doc| doc.set(&["files_touched"], b"[\n  \"a\"\n]", now()),
    |doc| doc.set_step(0, &StepStatus::Done, now()),
];

fn now() -> Time {
    Time::from_millis(1_900_000_000_000)
}

fn describe(doc: &CheckpointDoc) -> String {
    format!("{:?} {:?} {:?} {:?}", doc.head(), doc.files(), doc.steps(), doc.commits())
}

fn check_counts(doc: &CheckpointDoc) {
    assert_eq!(doc.head().file_count, doc.files().len());
    let open = doc.steps().iter().filter(|step| step.status.is_open()).count();
    assert_eq!(doc.head().open_steps, open);
}

/// Applies an edit; the document must match its bytes, or be unchanged if the edit is refused.
fn check(before: &CheckpointDoc, edit: Edit) {
    let mut doc = before.clone();
    if edit(&mut doc).is_err() {
        assert_eq!(doc.to_bytes(), before.to_bytes());
        return;
    }
    assert!(before.head().usable && doc.head().usable);
    assert_eq!(doc.head().updated_at, Some(now()));
    let (again, _) =
        CheckpointDoc::parse(doc.to_bytes().to_vec(), STEM, CheckpointFileKind::Thread);
    assert_eq!(describe(&again), describe(&doc));
    check_counts(&doc);
}
