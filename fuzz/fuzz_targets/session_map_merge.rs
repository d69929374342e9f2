//! Merges arbitrary bytes as two session maps, and salvages entries from them.
#![no_main]

use std::collections::BTreeSet;

use skein_format::session::{
    MapValidity, MappingField, MergeReason, Mode, SessionMapDoc, SessionStatus, salvage,
};
use skein_format::time::Time;

/// Separates the two maps in one input.
const SEPARATOR: &[u8] = b"\n%%\n";

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    check_salvage(data);
    let separator_at = data.windows(SEPARATOR.len()).position(|window| window == SEPARATOR);
    let (disk, memory) = match separator_at {
        Some(at) => (parse(&data[..at]), parse(&data[at + SEPARATOR.len()..])),
        None => (parse(data), edited(parse(data))),
    };
    check_self_merge(&disk);
    check_merge(&disk, &memory);
    check_merge(&memory, &disk);
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

fn check_self_merge(doc: &SessionMapDoc) {
    let mut merged = doc.clone();
    let Ok(report) = merged.merge(doc, now()) else {
        assert_ne!(doc.soundness(), MapValidity::Sound);
        return;
    };
    assert_eq!(merged.to_bytes(), doc.to_bytes());
    assert!(report.verdicts.iter().all(|one| one.reason == MergeReason::Equal));
}

fn check_merge(disk: &SessionMapDoc, memory: &SessionMapDoc) {
    let mut merged = disk.clone();
    let Ok(report) = merged.merge(memory, now()) else {
        assert_eq!(merged.to_bytes(), disk.to_bytes());
        return;
    };
    assert_eq!(report.changed, merged.to_bytes() != disk.to_bytes());
    let after = sessions(&merged);
    assert_eq!(after, sessions(&parse(merged.to_bytes())));
    assert_eq!(after.len(), report.verdicts.len());
    for (id, ended) in sessions(disk).into_iter().chain(sessions(memory)) {
        assert!(after.contains(&(id.clone(), true)) || (!ended && after.contains(&(id, false))));
    }
    assert!(!merged.merge(memory, now()).expect("it was merged before").changed);
}

/// Asserts that the salvaged map has only entries of the file, and that salvaging it again changes nothing.
fn check_salvage(data: &[u8]) {
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
        assert!(cut.entries > 0, "entry {n} is complete");
    }
}
