//! Feeds arbitrary bytes to the session map parser.
#![no_main]

use skein_format::session::{MapValidity, MappingField, Mode, NewMapping, SessionMapDoc};
use skein_format::time::Time;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (doc, _) = SessionMapDoc::parse(data.to_vec());
    assert_eq!(doc.to_bytes(), data);
    let sound = doc.soundness() == MapValidity::Sound;
    let ids = sessions(&doc, Mode::Lenient);
    assert!(sound || ids.is_empty());
    assert!(sessions(&doc, Mode::Strict).len() <= ids.len());

    let mut inserted = doc.clone();
    if inserted.insert(&mapping(), now()).is_ok() {
        check(&inserted);
        assert_eq!(sessions(&inserted, Mode::Lenient).len(), ids.len() + 1);
    } else {
        assert!(!sound || ids.iter().any(|id| id == "fuzz"));
        assert_eq!(inserted.to_bytes(), data);
    }
    let Some(id) = ids.first() else { return };
    let mut updated = doc.clone();
    let fields = [(MappingField::SessionTitle, "a \"b\"\n"), (MappingField::Status, "ended")];
    updated.update(id, &fields, now()).expect("the session is in the map");
    check(&updated);
    assert_eq!(sessions(&updated, Mode::Lenient), ids);
});

fn now() -> Time {
    Time::from_millis(1_900_000_000_000)
}

fn sessions(doc: &SessionMapDoc, mode: Mode) -> Vec<String> {
    let loaded = doc.load(mode);
    assert!(loaded.diagnostics.len() <= 51);
    loaded.mappings.iter().map(|one| one.session_id.to_string()).collect()
}

/// Asserts that the document matches its bytes.
fn check(doc: &SessionMapDoc) {
    let (again, _) = SessionMapDoc::parse(doc.to_bytes().to_vec());
    assert_eq!(again.soundness(), MapValidity::Sound);
    for mode in [Mode::Strict, Mode::Lenient] {
        assert_eq!(again.load(mode).mappings, doc.load(mode).mappings);
    }
}

fn mapping() -> NewMapping {
    NewMapping {
        session_id: "fuzz".to_owned(),
        thread_root_post_id: "r".to_owned(),
        short_id: "short1".to_owned(),
        mattermost_user_id: "u".to_owned(),
        dm_channel_id: "c".to_owned(),
        project_name: "p".to_owned(),
        directory: "/".to_owned(),
        session_title: None,
        status: "active".to_owned(),
        created_at: now().to_string(),
        last_activity_at: now().to_string(),
        ended_at: None,
    }
}
