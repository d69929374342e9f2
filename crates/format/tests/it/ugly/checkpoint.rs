//! Ugly checkpoints, and the pointers to them.

use skein_format::checkpoint::{
    CheckpointDoc, CheckpointEditError, CheckpointFileKind, CheckpointRef, HandoffDoc, StepStatus,
};

use super::{Tried, assert_same_but, now, show_edits, walk};
use crate::show;

#[test]
fn ugly_checkpoints_keep_their_bytes_and_match_their_snapshots() {
    walk("checkpoint", 20, |stem, bytes| {
        if stem.starts_with("pointer") {
            return pointer(bytes);
        }
        let form = if stem.starts_with("legacy") {
            CheckpointFileKind::Legacy
        } else {
            CheckpointFileKind::Thread
        };
        let (doc, findings) = CheckpointDoc::parse(bytes.to_vec(), stem, form);
        assert_eq!(doc.to_bytes(), bytes);
        let head = CheckpointRef::parse(bytes, stem, form).0.into_head();
        assert_eq!(format!("{head:?}"), format!("{:?}", doc.head()));
        check_counts(&doc);
        let view = show::checkpoint(&doc);
        let findings = show::findings(&findings);
        let edits = show_edits(bytes, &edits(stem, form, &doc, &view));
        format!("{view}\n--- findings\n{findings}\n--- edits\n{edits}")
    });
}

fn pointer(bytes: &[u8]) -> String {
    let (doc, findings) = HandoffDoc::parse(bytes.to_vec());
    assert_eq!(doc.to_bytes(), bytes);
    assert!(doc.usable || !findings.is_empty(), "unusable without a diagnostic");
    let (view, findings) = (show::handoff(&doc), show::findings(&findings));
    format!("{view}\n--- findings\n{findings}")
}

/// Asserts that the counts of a list are those of its entries.
fn check_counts(doc: &CheckpointDoc) {
    assert_eq!(doc.head().file_count, doc.files().len());
    let open = doc.steps().iter().filter(|step| step.status.is_open()).count();
    assert_eq!(doc.head().open_steps, open);
}

fn edits(stem: &str, form: CheckpointFileKind, doc: &CheckpointDoc, view: &str) -> Vec<Tried> {
    let mut tried = Vec::new();
    let mut edit =
        |name,
         places,
         lines: &[&str],
         apply: &dyn Fn(&mut CheckpointDoc) -> Result<(), CheckpointEditError>| {
            let mut doc = doc.clone();
            let result = apply(&mut doc).map_err(|error| error.to_string());
            let after = doc.to_bytes().to_vec();
            let (again, _) = CheckpointDoc::parse(after.clone(), stem, form);
            let new = show::checkpoint(&doc);
            assert_eq!(show::checkpoint(&again), new, "{name}: differs from what was written");
            // A file without a creation time shows the time of the last change.
            assert_same_but(view, &new, &[lines, &["updated:", "created:"]].concat());
            if result.is_ok() {
                assert_eq!(doc.head().updated_at, Some(now()), "{name}");
                check_counts(&doc);
            }
            tried.push(Tried { name, result, after, places });
            doc
        };
    let edited = edit("summary", 2, &["summary:"], &|doc| {
        doc.set_text(&["conversation_summary"], "\"Said\"\nanew", now())
    });
    assert!(is_refused(&edited) || edited.head().summary.as_deref() == Some("\"Said\"\nanew"));
    edit("title", 2, &["title:"], &|doc| doc.set_text(&["metadata", "title"], "Anew", now()));
    let git = ["dirty:", "branch:", "remote:", "initial:", "current:"];
    edit("dirty", 2, &git, &|doc| doc.set(&["git", "dirty"], b"false", now()));
    let lists = ["files:", "  file:", "open steps:", "  step:"];
    edit("files", 5, &lists, &|doc| doc.set(&["files_touched"], b"[\n  \"a.rs\"\n]", now()));
    edit("first step", 3, &lists, &|doc| doc.set_step(0, &StepStatus::Done, now()));
    edit("second step", 3, &lists, &|doc| doc.set_step(1, &StepStatus::Dropped, now()));
    edit("a key of our own", 2, &[], &|doc| doc.set(&["own", "key"], b"{\n  \"a\": []\n}", now()));
    tried
}

/// Returns whether the edit of the document was refused.
fn is_refused(doc: &CheckpointDoc) -> bool {
    doc.head().updated_at != Some(now())
}
