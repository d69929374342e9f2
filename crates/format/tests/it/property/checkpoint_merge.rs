//! Properties of every merge of checkpoints.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, merge};

use super::{cases, noise};

const STEM: &str = "T-20260101-000000-x";

fn run(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    merge(base, ours, theirs, STEM)
}

fn usable(bytes: &[u8]) -> bool {
    CheckpointDoc::parse(bytes.to_vec(), STEM, CheckpointFileKind::Thread).0.head().usable
}

fn leaf() -> impl Strategy<Value = Value> {
    let step = |n: u8, status: &str| json!({"id": format!("#{n}"), "step": format!("s{n}"), "status": status});
    prop_oneof![
        (0..5_u8).prop_map(|n| json!(n)),
        (0..5_u8).prop_map(|n| json!(format!("s{n}"))),
        select(vec![json!(null), json!(true), json!("2026-01-02T00:00:00Z")]),
        (0..4_u8, select(vec!["open", "done", "dropped"])).prop_map(move |(n, s)| step(n, s)),
        (0..4_u8).prop_map(|n| json!({"path": format!("s{n}"), "deleted": true})),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 24, 6, |inner| {
        let keys = select(vec!["a", "b", "status", "closed_at", "state"]).prop_map(str::to_owned);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(keys, inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn document() -> impl Strategy<Value = Vec<u8>> {
    let keys = select(vec!["updated_at", "next_steps", "files_touched", "git", "metadata", "x"]);
    let object = prop::collection::btree_map(keys.prop_map(str::to_owned), value(), 0..6);
    (object, select(vec![0, 1, 2])).prop_map(|(map, style)| {
        let value = Value::Object(map.into_iter().collect());
        match style {
            0 => serde_json::to_vec(&value).unwrap(),
            1 => serde_json::to_vec_pretty(&value).unwrap(),
            _ => serde_json::to_string_pretty(&value).unwrap().replace('\n', "\r\n").into_bytes(),
        }
    })
}

fn entries(bytes: &[u8], key: &str) -> Vec<Value> {
    let value: Value = serde_json::from_slice(bytes).unwrap();
    value.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
}

fn text(entry: &Value) -> Option<String> {
    match entry {
        Value::String(text) => Some(text.clone()),
        Value::Object(map) => {
            ["path", "step"].iter().find_map(|key| map.get(*key)?.as_str().map(str::to_owned))
        }
        _ => None,
    }
}

/// The texts in the list of one key, as strings or in objects.
fn texts(bytes: &[u8], key: &str) -> BTreeSet<String> {
    entries(bytes, key).iter().filter_map(text).collect()
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn a_merge_with_an_unchanged_side_gives_the_other_side(base in document(), other in document()) {
        for (ours, theirs) in [(&other, &other), (&base, &other), (&other, &base)] {
            let merged = run(Some(&base), ours, theirs);
            prop_assert_eq!(merged.as_deref(), Some(other.as_slice()));
        }
    }

    #[test]
    fn merged_checkpoints_are_valid(base in document(), ours in document(), theirs in document()) {
        for base in [Some(base.as_slice()), None] {
            let merged = run(base, &ours, &theirs).unwrap();
            prop_assert!(usable(&merged));
            prop_assert!(serde_json::from_slice::<Value>(&merged).is_ok());
        }
    }

    #[test]
    fn nothing_that_one_side_added_to_a_list_is_lost(
        base in prop::collection::vec(leaf(), 0..5),
        ours in prop::collection::vec(leaf(), 0..5),
        theirs in prop::collection::vec(leaf(), 0..5),
    ) {
        let doc = |list: &[Value]| serde_json::to_vec_pretty(&json!({"files_touched": list})).unwrap();
        let (base, ours, theirs) = (doc(&base), doc(&ours), doc(&theirs));
        let merged = run(Some(&base), &ours, &theirs).unwrap();
        let key = "files_touched";
        let (old, got) = (texts(&base, key), texts(&merged, key));
        for side in [&ours, &theirs] {
            for text in texts(side, key).difference(&old) {
                prop_assert!(got.contains(text), "{} is lost", text);
            }
        }
        let all: BTreeSet<String> = texts(&ours, key).union(&texts(&theirs, key)).cloned().collect();
        prop_assert!(got.is_subset(&all));
        // Of two entries with the same text, each side may have removed a different one.
        let theirs = entries(&theirs, key);
        let both = entries(&ours, key).into_iter().filter(|entry| theirs.contains(entry));
        for text in both.filter_map(|entry| text(&entry)) {
            prop_assert!(got.contains(&text), "{} is lost", text);
        }
    }

    #[test]
    fn random_bytes_never_panic(base in noise(), ours in noise(), theirs in document()) {
        run(Some(&base), &ours, &theirs);
        run(Some(&base), &theirs, &ours);
    }
}
