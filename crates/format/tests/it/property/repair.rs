//! Repairs of any thread.

use proptest::prelude::*;
use skein_format::review::{ReviewDoc, merge_conflict};

use super::review::thread;
use super::{cases, now, spoiled};

const STORE: &str = ".code-review";

fn parse(bytes: &[u8]) -> ReviewDoc {
    ReviewDoc::parse(bytes.to_vec(), "t", STORE).0
}

/// Returns the author and the body of each comment.
fn comments_of(doc: &ReviewDoc) -> Vec<(String, String)> {
    doc.comments().into_iter().map(|one| (one.author, one.body)).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_repair_keeps_every_comment_and_is_complete_after_one_run(bytes in spoiled(thread())) {
        let before = parse(&bytes);
        let mut doc = before.clone();
        let done = doc.repair(now());
        prop_assert_eq!(done.is_empty(), doc.to_bytes() == bytes);
        prop_assert_eq!(comments_of(&doc), comments_of(&before));
        prop_assert_eq!(doc.head().usable, before.head().usable);
        prop_assert_eq!(doc.patch(), before.patch());
        prop_assert_eq!(parse(doc.to_bytes()).repair(now()), []);
    }

    #[test]
    fn merging_a_conflict_after_the_metadata_loses_no_comment(base in thread(), other in thread()) {
        let end = "</local-code-review-thread>\n";
        let (head, ours) = base.split_once(end).unwrap();
        let (_, theirs) = other.split_once(end).unwrap();
        let ended = |text: &str| format!("{}\n", text.trim_end_matches(['\n', '\r']));
        let (ours, theirs) = (ended(ours), ended(theirs));
        let file = format!("{head}{end}<<<<<<< a\n{ours}=======\n{theirs}>>>>>>> b\n");
        let Some(merged) = merge_conflict(file.as_bytes(), "t", STORE) else { return Ok(()) };
        let all = comments_of(&parse(&merged.bytes));
        for side in [ours, theirs] {
            for one in comments_of(&parse(format!("{head}{end}{side}").as_bytes())) {
                prop_assert!(all.contains(&one), "{one:?} is lost");
            }
        }
    }
}
