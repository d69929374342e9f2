//! Checkpoints, and the pointers to them.

use proptest::prelude::*;
use proptest::sample::select;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, HandoffDoc, StepStatus};

use super::{assert_one_place, cases, noise, now, spoiled, text};
use crate::change::changes;
use crate::show;

const STEM: &str = "T-20260101-000000-x";

fn parse(bytes: &[u8]) -> CheckpointDoc {
    CheckpointDoc::parse(bytes.to_vec(), STEM, CheckpointFileKind::Thread).0
}

fn checkpoint() -> impl Strategy<Value = String> {
    let member = select(vec![
        "\"thread_id\": \"T-20260101-000000-x\"",
        "\"thread_id\": null",
        "\"version\": 1",
        "\"version\": 2",
        "\"type\": \"handoff\"",
        "\"created_at\": \"20260101T000000Z\"",
        "\"updated_at\": \"2026-01-01T00:00:00\"",
        "\"updated_at\": 1767225600",
        "\"updated_at\": []",
        "\"conversation_summary\": \"done\"",
        "\"conversation_summary\": null",
        "\"summary\": \"legacy\"",
        "\"files_touched\": [\"a\", {\"path\": \"b\", \"deleted\": true}, null, \"\"]",
        "\"files_touched\": {}",
        "\"next_steps\": [\"one\", {\"step\": \"two\", \"status\": \"done\"}, 7, {}]",
        "\"next_steps\": [\n    {\"text\": \"three\"},\n    \"four\"\n  ]",
        "\"git\": {\"branch\": \"main\", \"dirty\": true, \"commits_made\": [\"a: b\"]}",
        "\"git\": null",
        "\"worker\": {\"state\": \"idle\", \"updated_at\": \"no\"}",
        "\"metadata\": {\"title\": \"t\", \"tags\": [\"x\", 1]}",
        "\"extra\": {\"conversation_summary\": [[[]]]}",
        "\"\\u0063wd\": \"here\"",
    ]);
    let gap = select(vec![",", ",\n  ", " , "]);
    (prop::collection::vec(member, 0..10), gap)
        .prop_map(|(members, gap)| format!("{{\n  {}\n}}\n", members.join(gap)))
}

#[derive(Clone, Debug)]
enum Edit {
    Summary(String),
    Title(String),
    Dirty(bool),
    Step(usize, StepStatus),
}

impl Edit {
    fn apply(&self, doc: &mut CheckpointDoc) -> bool {
        let result = match self {
            Self::Summary(text) => doc.set_text(&["conversation_summary"], text, now()),
            Self::Title(text) => doc.set_text(&["metadata", "title"], text, now()),
            Self::Dirty(yes) => doc.set(&["git", "dirty"], yes.to_string().as_bytes(), now()),
            Self::Step(index, status) => doc.set_step(*index, status, now()),
        };
        result.is_ok()
    }
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        text().prop_map(Edit::Summary),
        text().prop_map(Edit::Title),
        any::<bool>().prop_map(Edit::Dirty),
        (0..4_usize, text()).prop_map(|(at, word)| Edit::Step(at, StepStatus::parse(&word))),
        (0..4_usize).prop_map(|at| Edit::Step(at, StepStatus::Done)),
    ]
}

fn same_but(doc: &CheckpointDoc, starts: &[&str]) -> Vec<String> {
    let view = show::checkpoint(doc);
    let other = |line: &&str| !starts.iter().any(|start| line.starts_with(start));
    view.lines().filter(other).map(str::to_owned).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_bytes_are_kept(bytes in noise()) {
        let doc = parse(&bytes);
        prop_assert_eq!(doc.to_bytes(), &bytes);
        let (pointer, _) = HandoffDoc::parse(bytes.clone());
        prop_assert_eq!(pointer.to_bytes(), &bytes);
    }

    #[test]
    fn any_pointer_is_kept(bytes in spoiled(checkpoint()), message in text()) {
        let (pointer, findings) = HandoffDoc::parse(bytes.clone());
        prop_assert_eq!(pointer.to_bytes(), &bytes);
        prop_assert!(pointer.usable || !findings.is_empty());
        let quoted = serde_json::to_string(&message).unwrap();
        let text = format!("{{\"message\": {quoted}, \"last_thread\": \"x\"}}");
        let (pointer, findings) = HandoffDoc::parse(text.into_bytes());
        prop_assert!(pointer.usable && findings.is_empty());
        prop_assert_eq!(pointer.message.as_deref(), Some(message.as_str()));
    }

    #[test]
    fn any_checkpoint_is_kept_and_its_edits_are_read_back(
        bytes in spoiled(checkpoint()),
        edits in prop::collection::vec(edit(), 0..5),
    ) {
        let mut doc = parse(&bytes);
        prop_assert_eq!(doc.to_bytes(), &bytes);
        for edit in edits {
            let before = doc.to_bytes().to_vec();
            if edit.apply(&mut doc) {
                prop_assert!(doc.head().usable);
                prop_assert_eq!(doc.head().updated_at, Some(now()));
            } else {
                prop_assert_eq!(doc.to_bytes(), &before);
            }
            prop_assert_eq!(show::checkpoint(&parse(doc.to_bytes())), show::checkpoint(&doc));
            prop_assert_eq!(doc.head().file_count, doc.files().len());
            let open = doc.steps().iter().filter(|step| step.status.is_open()).count();
            prop_assert_eq!(doc.head().open_steps, open);
        }
    }

    #[test]
    fn a_value_is_set_in_its_place(file in checkpoint(), summary in text()) {
        let before = parse(file.as_bytes());
        let mut doc = before.clone();
        prop_assume!(doc.set_text(&["conversation_summary"], &summary, now()).is_ok());
        prop_assert_eq!(doc.head().summary.as_deref(), Some(summary.as_str()));
        let starts = ["summary:", "updated:", "created:"];
        prop_assert_eq!(same_but(&doc, &starts), same_but(&before, &starts));
        // When it is set again, only the value differs.
        let first = doc.to_bytes().to_vec();
        let written = serde_json::to_string(&summary).unwrap().len();
        doc.set_text(&["conversation_summary"], "z", now()).unwrap();
        assert_one_place(&first, doc.to_bytes(), written);
    }

    #[test]
    fn a_step_is_set_and_no_other(file in checkpoint(), pick in any::<prop::sample::Index>()) {
        let before = parse(file.as_bytes());
        prop_assume!(!before.steps().is_empty());
        let index = pick.index(before.steps().len());
        let mut doc = before.clone();
        prop_assume!(doc.set_step(index, &StepStatus::Dropped, now()).is_ok());
        let mut old = before.steps();
        old[index].status = StepStatus::Dropped;
        let fields_of = |steps: Vec<skein_format::checkpoint::Step>| -> Vec<_> {
            steps.into_iter().map(|one| (one.id, one.step, one.status)).collect()
        };
        prop_assert_eq!(fields_of(doc.steps()), fields_of(old));
        let lost: usize =
            changes(file.as_bytes(), doc.to_bytes()).iter().map(|one| one.removed.len()).sum();
        prop_assert!(lost <= "\"2026-01-01T00:00:00\"".len() + "\"done\"".len(), "{lost}");
    }
}
