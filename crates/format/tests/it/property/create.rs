//! Written checkpoints contain no secrets and have no diagnostics.

use proptest::prelude::*;
use proptest::sample::select;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, CheckpointType, Record};
use skein_format::redact::{find, redact, redact_json, rules};

use super::{cases, text};
use crate::create::{ID, whole};

/// Generates a text with a secret in it, and returns both.
fn secret() -> impl Strategy<Value = (String, String)> {
    (select(rules().collect::<Vec<_>>()), text(), text()).prop_map(|(rule, before, after)| {
        let example = rule.example();
        let span = find(&example).first().unwrap().span;
        (format!("{before} {example} {after}"), example[span.start..span.end].to_owned())
    })
}

fn kind() -> impl Strategy<Value = CheckpointType> {
    select(vec![CheckpointType::Checkpoint, CheckpointType::Auto, CheckpointType::Handoff])
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn no_secret_reaches_a_checkpoint((secret_text, hidden) in secret(), kind in kind()) {
        let mut new = whole(kind);
        new.summary = secret_text.clone();
        new.title = Some(secret_text.clone());
        new.files = vec![secret_text.clone()];
        new.steps = vec![secret_text.clone()];
        new.tags = vec![secret_text.clone()];
        new.cwd = Some(secret_text.clone());
        new.trigger = Some(secret_text.clone());
        let git = new.git.as_mut().unwrap();
        git.branch = Some(secret_text.clone());
        git.commits_made = Some(vec![secret_text]);
        let bytes = new.to_doc().into_bytes();
        let written = String::from_utf8(bytes.clone()).unwrap();
        let quoted = serde_json::to_string(&hidden).unwrap();
        prop_assert!(!written.contains(quoted.trim_matches('"')), "{written}");
        prop_assert_eq!(redact_json(&bytes).into_owned(), bytes);
    }

    #[test]
    fn a_written_checkpoint_has_no_diagnostics(summary in text(), title in text(), kind in kind()) {
        let mut new = whole(kind);
        new.summary = summary;
        new.title = Some(title.clone());
        new.steps = vec![title];
        let bytes = new.to_doc().into_bytes();
        let (doc, found) = CheckpointDoc::parse(bytes.clone(), ID, CheckpointFileKind::Thread);
        prop_assert_eq!(found, vec![]);
        prop_assert_eq!(&doc.head().kind, &new.kind);
        prop_assert_eq!(doc.head().summary.clone().unwrap_or_default(), redact(new.summary.trim()));
        prop_assert_eq!(bytes.iter().rev().take(3).collect::<Vec<_>>(), [&b'\n', &b'}', &b'\n']);
    }

    #[test]
    fn a_record_is_kept_without_its_secrets((secret_text, hidden) in secret(), deep in 0_usize..40) {
        let secret_text = serde_json::to_string(&secret_text).unwrap();
        let nested = format!("{}{secret_text}{}", "[{\"x\": ".repeat(deep), "}]".repeat(deep));
        let record = format!("{{\"conversation_summary\": {secret_text}, \"mine\": {nested}}}");
        let record = Record::parse(record.as_bytes()).unwrap();
        let doc = record.complete(&whole(CheckpointType::Checkpoint)).unwrap();
        let written = String::from_utf8(doc.to_bytes().to_vec()).unwrap();
        let quoted = serde_json::to_string(&hidden).unwrap();
        prop_assert!(!written.contains(quoted.trim_matches('"')), "{written}");
        prop_assert_eq!(redact_json(doc.to_bytes()).into_owned(), doc.to_bytes());
        let (_, found) = CheckpointDoc::parse(doc.to_bytes().to_vec(), ID, CheckpointFileKind::Thread);
        prop_assert_eq!(found, vec![]);
    }

    #[test]
    fn an_upgraded_checkpoint_is_valid(summary in text(), twice in any::<bool>()) {
        let mut auto = whole(CheckpointType::Auto);
        auto.summary = summary;
        let mut doc = auto.to_doc();
        let new = whole(CheckpointType::Checkpoint);
        doc.upgrade(&new).unwrap();
        if twice {
            doc.upgrade(&new).unwrap();
        }
        let (doc, found) = CheckpointDoc::parse(doc.to_bytes().to_vec(), ID, CheckpointFileKind::Thread);
        prop_assert_eq!(found, vec![]);
        prop_assert_eq!(&doc.head().kind, &CheckpointType::Checkpoint);
        prop_assert!(!doc.head().title.as_deref().unwrap_or_default().starts_with("Auto: "));
    }
}
