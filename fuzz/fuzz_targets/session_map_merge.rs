//! Merges arbitrary bytes as two session maps, and saves what can be saved of them.
#![no_main]

use std::collections::BTreeSet;

use skein_format::session::{
    MapValidity, MappingField, MergeReason, Mode, SessionMapDoc, SessionStatus, salvage,
};
use skein_format::time::Time;

/// Parts the two maps of one input.
const BETWEEN: &[u8] = b"\n%%\n";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    save(data);
    let parted = data.windows(BETWEEN.len()).position(|window| window == BETWEEN);
    let (disk, memory) = match parted {
        Some(at) => (parse(&data[..at]), parse(&data[at + BETWEEN.len()..])),
        None => (parse(data), edited(parse(data))),
    };
    itself(&disk);
    both(&disk, &memory);
    both(&memory, &disk);
});

fn now() -> Time {
    Time::from_millis(1_900_000_000_000)
}

fn parse(bytes: &[u8]) -> SessionMapDoc {
    SessionMapDoc::parse(bytes.to_vec()).0
}

/// Returns the sessions, each with whether it has ended.
fn sessions(doc: &SessionMapDoc) -> BTreeSet<(String, bool)> {
    let loaded = doc.load(Mode::Lenient);
    let session = |id: &str, ended| (id.to_owned(), ended);
    let ended = |status: &SessionStatus| *status == SessionStatus::Ended;
    loaded.mappings.iter().map(|one| session(&one.session_id, ended(&one.status))).collect()
}

/// Ends the first session of a map.
fn edited(mut doc: SessionMapDoc) -> SessionMapDoc {
    let first = sessions(&doc).into_iter().next();
    if let Some((id, _)) = first {
        let fields =
            [(MappingField::Status, "ended"), (MappingField::EndedAt, "2026-01-01T00:00:00Z")];
        doc.update(&id, &fields, now()).expect("the session is in the map");
    }
    doc
}

fn itself(doc: &SessionMapDoc) {
    let mut merged = doc.clone();
    let Ok(said) = merged.merge(doc, now()) else {
        assert_ne!(doc.soundness(), MapValidity::Sound);
        return;
    };
    assert_eq!(merged.to_bytes(), doc.to_bytes());
    assert!(said.verdicts.iter().all(|one| one.reason == MergeReason::Equal));
}

fn both(disk: &SessionMapDoc, memory: &SessionMapDoc) {
    let mut merged = disk.clone();
    let Ok(said) = merged.merge(memory, now()) else {
        assert_eq!(merged.to_bytes(), disk.to_bytes());
        return;
    };
    assert_eq!(said.changed, merged.to_bytes() != disk.to_bytes());
    let after = sessions(&merged);
    assert_eq!(after, sessions(&parse(merged.to_bytes())));
    assert_eq!(after.len(), said.verdicts.len());
    for (id, ended) in sessions(disk).into_iter().chain(sessions(memory)) {
        assert!(after.contains(&(id.clone(), true)) || (!ended && after.contains(&(id, false))));
    }
    assert!(!merged.merge(memory, now()).expect("it was merged before").changed);
}

/// What is saved is a map of entries that stand in the file, and there is no more to be saved of it.
fn save(data: &[u8]) {
    let saved = salvage(data, now());
    assert_ne!(saved.doc.soundness(), MapValidity::Corrupt);
    for one in saved.doc.load(Mode::Lenient).mappings {
        let entry = one.span.of(saved.doc.to_bytes());
        assert!(data.windows(entry.len()).any(|part| part == entry));
    }
    let again = salvage(saved.doc.to_bytes(), now());
    assert_eq!(again.doc.to_bytes(), saved.doc.to_bytes());
    let whole = parse(data);
    for (n, one) in whole.load(Mode::Lenient).mappings.iter().enumerate().take(4) {
        let cut = salvage(&data[..one.span.end], now());
        assert!(cut.entries > 0, "entry {n} is whole");
    }
}
