//! Properties of every merge of session maps.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use skein_format::json::{self, Dialect, Reader};
use skein_format::session::{
    Mapping, MergeReason, MergeSide, Mode, SessionMapDoc, SessionStatus, merge,
};
use skein_format::span::Span;
use skein_format::time::{self, Time};

use super::{cases, now};

fn times() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        r#""lastActivityAt": "2026-01-02T00:00:00Z","#,
        r#""lastActivityAt": "2026-01-02T02:00:00+02:00","#,
        r#""lastActivityAt": "2026-01-03T00:00:00.5Z","#,
        r#""lastActivityAt": "2026-01-01T00:00:00Z", "lastActivityAt": "2026-01-04T00:00:00Z","#,
        r#""lastActivityAt": "soon","#,
        r#""lastActivityAt": 7,"#,
    ])
}

/// Generates an entry; most entries have one of three session ids.
pub(super) fn entry() -> impl Strategy<Value = String> {
    let odd = select(vec!["null", "[]", "{}", "7", "\"x\"", "{\"sessionId\": \"s1\"}", "{ }"]);
    let fields = (
        select(vec!["s1", "s2", "s3", "s\\u0031", "", "\\ud800"]),
        select(vec!["r1", "r2"]),
        select(vec!["", r#""status": "active","#, r#""status": "ended","#, r#""status": null,"#]),
        times(),
        select(vec![
            "",
            r#""endedAt": "2026-01-02T00:00:00Z","#,
            r#""endedAt": "2026-01-01T00:00:00Z","#,
            r#""endedAt": "late","#,
        ]),
        select(vec![
            "",
            r#""sessionTitle": "one","#,
            "\n\"sessionTitle\": \"\",",
            r#""shortId": "","#,
            r#""shortId": 7,"#,
            r#""shortId": [ 7 ],"#,
        ]),
        select(vec![
            "",
            r#""x": 1,"#,
            r#""x": 1.0, "y": {"a": []},"#,
            "\"y\": {\n  \"a\": [ ]\n},",
        ]),
    );
    let whole = fields.prop_map(|(id, root, status, at, ended, title, other)| {
        format!(
            "{{{title}{at} \"sessionId\": \"{id}\", {status}{ended}{other}\n \"threadRootPostId\": \"{root}\"}}"
        )
    });
    prop_oneof![1 => odd.prop_map(str::to_owned), 6 => whole]
}

/// Generates a map of entries in several layouts.
pub(super) fn map() -> impl Strategy<Value = String> {
    let top = select(vec!["", ",\n  \"top\": 1", ",\"other\": [2]", ",\"lastModified\": \"x\""]);
    let style = select(vec![",\n    ", ",", " ,\r\n\t"]);
    (prop::collection::vec(entry(), 0..6), top, style).prop_map(|(entries, top, style)| {
        format!("{{\"version\": 1, \"mappings\": [{}]{top}}}", entries.join(style))
    })
}

fn parse(text: &str) -> SessionMapDoc {
    SessionMapDoc::parse(text.as_bytes().to_vec()).0
}

/// Returns the entries as they are written.
fn elements(bytes: &[u8]) -> Vec<Vec<u8>> {
    let root = Span::new(0, bytes.len());
    let list = json::member(bytes, root, Dialect::Json, "mappings").unwrap().unwrap();
    let mut found = Vec::new();
    let mut reader = Reader::new(bytes, list.value, Dialect::Json);
    let read = reader.array(|reader| {
        found.push(reader.skip()?.of(bytes).to_vec());
        Ok(())
    });
    read.unwrap();
    found
}

/// Returns the keys of an object; keys with an empty value only if `all` is set.
fn keys(object: &[u8], all: bool) -> BTreeSet<Vec<u8>> {
    let mut found = BTreeSet::new();
    let mut reader = Reader::new(object, Span::new(0, object.len()), Dialect::Json);
    let read = reader.object(|reader, key| {
        let value = reader.skip()?.of(object);
        if all || ![b"\"\"".as_slice(), b"null", b"7"].contains(&value) {
            found.insert(key.name(object).into_owned());
        }
        Ok(())
    });
    read.map_or_else(|_| BTreeSet::new(), |_| found)
}

/// Returns the effective entry of each session, without its position in the file.
fn sessions(doc: &SessionMapDoc) -> Vec<Mapping<'_>> {
    doc.load(Mode::Lenient).mappings.into_iter().map(without_position).collect()
}

fn without_position(mapping: Mapping<'_>) -> Mapping<'_> {
    Mapping { span: Span::default(), breach: None, ..mapping }
}

fn by_id<'a>(mappings: &'a [Mapping<'a>]) -> BTreeMap<&'a str, &'a Mapping<'a>> {
    mappings.iter().map(|one| (one.session_id.as_ref(), one)).collect()
}

fn merged(disk: &str, memory: &str) -> SessionMapDoc {
    let mut doc = parse(disk);
    doc.merge(&parse(memory), now()).unwrap();
    doc
}

fn instant(text: Option<&str>) -> Option<Time> {
    text.and_then(time::parse).map(|parsed| parsed.time)
}

/// Returns the keys of the effective entry of each session.
fn keys_of(doc: &SessionMapDoc) -> BTreeMap<String, BTreeSet<Vec<u8>>> {
    let loaded = doc.load(Mode::Lenient);
    let keys =
        |one: &Mapping<'_>| (one.session_id.to_string(), keys(one.span.of(doc.to_bytes()), false));
    loaded.mappings.iter().map(keys).collect()
}

/// Returns the keys of all entries of each session.
fn all_keys_of(doc: &SessionMapDoc) -> BTreeMap<String, BTreeSet<Vec<u8>>> {
    let mut found: BTreeMap<String, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for element in elements(doc.to_bytes()) {
        if let Some(id) = session_of(&element) {
            found.entry(id).or_default().extend(keys(&element, true));
        }
    }
    found
}

fn session_of(element: &[u8]) -> Option<String> {
    let alone = [b"{\"version\":1,\"mappings\":[", element, b"]}"].concat();
    let (doc, _) = SessionMapDoc::parse(alone);
    doc.load(Mode::Lenient).mappings.first().map(|one| one.session_id.to_string())
}

/// Returns the entries without a session id, with white space removed.
fn entries_without_id(doc: &SessionMapDoc) -> BTreeSet<String> {
    let elements = elements(doc.to_bytes());
    let nameless = elements.iter().filter(|one| session_of(one).is_none());
    nameless.map(|one| String::from_utf8_lossy(one).replace([' ', '\n', '\t', '\r'], "")).collect()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn merging_a_map_with_itself_changes_no_byte(file in map()) {
        let mut doc = parse(&file);
        let merged = doc.merge(&parse(&file), now()).unwrap();
        prop_assert_eq!(doc.to_bytes(), file.as_bytes());
        prop_assert!(!merged.changed && merged.restored == 0);
        prop_assert!(merged.verdicts.iter().all(|one| one.reason == MergeReason::Equal));
    }

    #[test]
    fn merging_a_second_time_changes_nothing(disk in map(), memory in map()) {
        let once = merged(&disk, &memory);
        let mut twice = once.clone();
        let again = twice.merge(&parse(&memory), now()).unwrap();
        prop_assert!(!again.changed, "{again:?}");
        prop_assert_eq!(once.to_bytes(), twice.to_bytes());
    }

    #[test]
    fn merging_documents_and_merging_lists_agree(disk in map(), memory in map()) {
        let doc = merged(&disk, &memory);
        let (disk, memory) = (parse(&disk), parse(&memory));
        let list =
            merge(&memory.load(Mode::Lenient).mappings, &disk.load(Mode::Lenient).mappings);
        let list: Vec<_> = list.into_iter().map(without_position).collect();
        prop_assert_eq!(sessions(&doc), list);
        let (again, _) = SessionMapDoc::parse(doc.to_bytes().to_vec());
        prop_assert_eq!(sessions(&again), sessions(&doc));
    }

    #[test]
    fn the_sides_may_be_swapped_if_there_is_no_tie(disk in map(), memory in map()) {
        let (mut one, mut other) = (parse(&disk), parse(&memory));
        let there = one.merge(&parse(&memory), now()).unwrap();
        let back = other.merge(&parse(&disk), now()).unwrap();
        let (one, other) = (sessions(&one), sessions(&other));
        let (one, other) = (by_id(&one), by_id(&other));
        prop_assert_eq!(one.len(), other.len());
        for verdict in &there.verdicts {
            let swapped = back.verdicts.iter().find(|one| one.session_id == verdict.session_id);
            let swapped = swapped.unwrap();
            prop_assert_eq!(verdict.reason, swapped.reason);
            if verdict.reason == MergeReason::Tie {
                prop_assert_eq!((verdict.won, swapped.won), (MergeSide::Memory, MergeSide::Memory));
                continue;
            }
            let id = verdict.session_id.as_str();
            prop_assert_eq!(one[id], other[id]);
            prop_assert_eq!(verdict.won == swapped.won, verdict.reason == MergeReason::Equal);
            prop_assert_eq!(verdict.ended_kept, swapped.ended_kept);
            prop_assert_eq!(&verdict.other_root, &swapped.other_root);
            prop_assert_eq!(
                verdict.filled.iter().collect::<BTreeSet<_>>(),
                swapped.filled.iter().collect::<BTreeSet<_>>()
            );
        }
    }

    #[test]
    fn nothing_is_lost(disk in map(), memory in map()) {
        let doc = merged(&disk, &memory);
        let after = all_keys_of(&doc);
        for side in [parse(&disk), parse(&memory)] {
            for (id, keys) in keys_of(&side) {
                prop_assert!(after[&id].is_superset(&keys), "{id}");
            }
            prop_assert!(entries_without_id(&doc).is_superset(&entries_without_id(&side)));
            let mut top = keys(side.to_bytes(), true);
            top.remove(b"lastModified".as_slice());
            prop_assert!(keys(doc.to_bytes(), true).is_superset(&top));
        }
    }

    #[test]
    fn unchanged_entries_keep_their_bytes_and_their_position(disk in map(), memory in map()) {
        let mut doc = parse(&disk);
        let report = doc.merge(&parse(&memory), now()).unwrap();
        let (before, after) = (elements(disk.as_bytes()), elements(doc.to_bytes()));
        let touched: BTreeSet<_> = report
            .verdicts
            .iter()
            .filter(|one| match one.reason {
                MergeReason::OnlyOne | MergeReason::Equal => false,
                MergeReason::Tie | MergeReason::LaterActivity => {
                    one.won == MergeSide::Memory || one.ended_kept || !one.filled.is_empty()
                }
            })
            .map(|one| one.session_id.as_str())
            .collect();
        let changed = before.iter().zip(&after).filter(|(old, new)| old != new).count();
        prop_assert!(after.len() >= before.len());
        prop_assert!(changed <= touched.len(), "{changed} of {touched:?}");
        prop_assert_eq!(report.changed, doc.to_bytes() != disk.as_bytes());
        let added = report.verdicts.iter().filter(|one| one.won == MergeSide::Memory && one.reason == MergeReason::OnlyOne);
        prop_assert_eq!(after.len(), before.len() + added.count() + report.restored);
    }

    #[test]
    fn an_ended_session_stays_ended_at_the_earliest_end(disk in map(), memory in map()) {
        let doc = merged(&disk, &memory);
        let after = sessions(&doc);
        let after = by_id(&after);
        let sides = [parse(&disk), parse(&memory)];
        let mut ends: BTreeMap<String, Option<Time>> = BTreeMap::new();
        for one in sides.iter().flat_map(sessions) {
            let (id, result) = (one.session_id.to_string(), after[one.session_id.as_ref()]);
            prop_assert!(one.status != SessionStatus::Ended || result.status == SessionStatus::Ended);
            let known = ends.entry(id).or_default();
            let end = instant(one.ended_at.as_deref());
            let end = end.filter(|_| one.status == SessionStatus::Ended);
            *known = known.iter().copied().chain(end).min();
        }
        for (id, result) in after {
            if let Some(end) = ends[id] {
                prop_assert_eq!(instant(result.ended_at.as_deref()), Some(end));
            }
        }
    }

    #[test]
    fn after_a_merge_in_both_directions_the_maps_agree(disk in map(), memory in map()) {
        let doc = merged(&disk, &memory);
        let mut back = parse(&memory);
        back.merge(&doc, now()).unwrap();
        let (one, other) = (sessions(&doc), sessions(&back));
        prop_assert_eq!(by_id(&one), by_id(&other));
    }

    #[test]
    fn without_ties_and_gaps_the_order_of_merges_does_not_matter(
        versions in prop::collection::vec((0..3_u8, 0..3_u8, 0..2_u8), 1..5),
        order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let files: Vec<String> = versions.iter().enumerate().map(|(n, one)| version(n, *one)).collect();
        let fold = |order: &[usize]| {
            let mut doc = SessionMapDoc::create(now());
            for file in order.iter().filter_map(|n| files.get(*n)) {
                doc.merge(&parse(file), now()).unwrap();
            }
            doc
        };
        let (one, other) = (fold(&[0, 1, 2, 3, 4]), fold(&order));
        let (one, other) = (sessions(&one), sessions(&other));
        prop_assert_eq!(by_id(&one), by_id(&other));
    }
}

/// Returns a map of one session with every field and a distinct time.
fn version(n: usize, (id, status, root): (u8, u8, u8)) -> String {
    let status = match status {
        0 => "\"active\"".to_owned(),
        1 => "\"disconnected\"".to_owned(),
        _ => format!("\"ended\", \"endedAt\": \"2026-01-0{}T00:00:00Z\"", 9 - n),
    };
    format!(
        "{{\"version\": 1, \"mappings\": [{{\"sessionId\": \"s{id}\", \"threadRootPostId\": \"r{root}\", \
         \"shortId\": \"short{n}\", \"mattermostUserId\": \"u{n}\", \"dmChannelId\": \"c{n}\", \
         \"projectName\": \"p{n}\", \"directory\": \"/{n}\", \"sessionTitle\": \"t{n}\", \
         \"createdAt\": \"2026-01-0{n}\", \"lastActivityAt\": \"2026-01-1{n}T00:00:00Z\", \
         \"status\": {status}, \"x\": {n}}}]}}"
    )
}
