//! The table of versions, tested with an invented older version.

use skein_format::Code;
use skein_format::session::{MapValidity, MapVersion, Mode, SessionMapDoc, VERSIONS};

use super::{entry, loaded, map, now, text, titles};

/// Version 0 had `threads` where version 1 has `mappings`.
fn lift_0(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let lifted = text.replace("\"threads\"", "\"mappings\"");
    (lifted != text).then(|| lifted.replace("\"version\":0", "\"version\":1").into_bytes())
}

fn table() -> Vec<MapVersion> {
    [&[MapVersion { number: 0, lift: Some(lift_0) }], VERSIONS].concat()
}

fn old() -> String {
    map(&entry("a", "one", "14:00")).replace("mappings", "threads").replace(":1,", ":0,")
}

fn parse(text: &str) -> (SessionMapDoc, Vec<Code>) {
    let (doc, findings) = SessionMapDoc::parse_through(text.as_bytes().to_vec(), &table());
    (doc, findings.into_iter().map(|one| one.code).collect())
}

#[test]
fn the_table_has_one_row() {
    let rows: Vec<_> = VERSIONS.iter().map(|one| (one.number, one.lift.is_some())).collect();
    assert_eq!(rows, [(1, false)]);
}

#[test]
fn an_older_version_is_lifted_and_can_be_written() {
    let (mut doc, findings) = parse(&old());
    assert_eq!(findings, []);
    assert_eq!(loaded(&doc), ["a one"]);
    assert_eq!(text(&doc), map(&entry("a", "one", "14:00")));
    let edit = [(skein_format::session::MappingField::SessionTitle, "two")];
    doc.update("a", &edit, now()).unwrap();
    assert_eq!(loaded(&doc), ["a two"]);
}

#[test]
fn the_current_version_is_not_changed() {
    let current = map(&entry("a", "one", "14:00"));
    let (doc, findings) = parse(&current);
    assert_eq!((text(&doc), findings), (current, vec![]));
}

#[test]
fn a_version_that_cannot_be_lifted_is_neither_read_nor_written() {
    for text in [r#"{"version":0}"#, r#"{"version":2,"mappings":[]}"#, r#"{"version":-1}"#] {
        let (mut doc, findings) = parse(text);
        assert_eq!(findings, [Code::SessionVersion], "{text}");
        assert_eq!(doc.soundness(), MapValidity::UnknownVersion);
        assert!(doc.load(Mode::Lenient).mappings.is_empty());
        assert!(doc.apply(&[], now()).is_err());
    }
    let (doc, _) = SessionMapDoc::parse(old().into_bytes());
    assert_eq!(doc.soundness(), MapValidity::UnknownVersion);
}

#[test]
fn a_lift_that_does_not_change_the_version_ends() {
    let stuck = MapVersion { number: 0, lift: Some(|bytes| Some(bytes.to_vec())) };
    let table = [&[stuck], VERSIONS].concat();
    let (doc, _) = SessionMapDoc::parse_through(old().into_bytes(), &table);
    assert_eq!(doc.soundness(), MapValidity::UnknownVersion);
}

#[test]
fn several_lifts_are_applied_in_sequence() {
    let earlier = MapVersion {
        number: 7,
        lift: Some(|bytes| {
            let text = std::str::from_utf8(bytes).ok()?;
            Some(text.replace("\"version\":7", "\"version\":0").into_bytes())
        }),
    };
    let table = [&[earlier], table().as_slice()].concat();
    let text = old().replace("\"version\":0", "\"version\":7");
    let (doc, _) = SessionMapDoc::parse_through(text.into_bytes(), &table);
    assert_eq!(titles(&doc.load(Mode::Strict).mappings), ["a one"]);
}
