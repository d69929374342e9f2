//! Ugly session maps.

use std::fmt::Write as _;

use skein_format::session::{
    MapEditError, MapValidity, MappingField, Mode, NewMapping, SessionMapDoc, salvage,
};

use super::{Tried, now, show_edits, walk};
use crate::show;

#[test]
fn ugly_session_maps_keep_their_bytes_and_match_their_snapshots() {
    walk("session-map", 20, |_, bytes| {
        let (doc, findings) = SessionMapDoc::parse(bytes.to_vec());
        assert_eq!(doc.to_bytes(), bytes);
        let findings = show::findings(&findings);
        let mut out = format!("--- the file\n{findings}");
        for (name, mode) in [("strict", Mode::Strict), ("lenient", Mode::Lenient)] {
            let view = show::session_map(&doc, mode);
            let findings = show::findings(&doc.load(mode).diagnostics);
            write!(out, "\n--- {name}\n{view}\n{findings}").unwrap();
        }
        let edits = show_edits(bytes, &edits(&doc));
        let saved = saved(&doc);
        format!("{out}\n--- edits\n{edits}{saved}")
    });
}

/// Shows what is salvaged from a file that is not a map.
fn saved(doc: &SessionMapDoc) -> String {
    let saved = salvage(doc.to_bytes(), now());
    if doc.soundness() != MapValidity::Corrupt {
        assert_eq!(saved.doc.to_bytes(), doc.to_bytes());
        return String::new();
    }
    let view = show::session_map(&saved.doc, Mode::Lenient);
    let (entries, cut) = (saved.entries, saved.cut);
    format!("\n--- saved\n{view}entries: {entries}\ncut: {cut:?}\n")
}

fn edits(doc: &SessionMapDoc) -> Vec<Tried> {
    let sound = doc.soundness() == MapValidity::Sound;
    let known: Vec<String> = doc
        .load(Mode::Lenient)
        .mappings
        .iter()
        .map(|one| one.session_id.clone().into_owned())
        .collect();
    let mut tried = Vec::new();
    let inserted =
        edit(&mut tried, doc, "insert", 3, |doc| doc.insert(&new_mapping("ses_new"), now()));
    if sound {
        assert_one_more(doc, &inserted);
    }
    if let Some(first) = known.first() {
        edit(&mut tried, doc, "insert what is there", 0, |doc| {
            doc.insert(&new_mapping(first), now())
        });
        let fields =
            [(MappingField::Status, "ended"), (MappingField::EndedAt, "2031-05-06T07:08:00.000Z")];
        let ended =
            edit(&mut tried, doc, "end the first", 4, |doc| doc.update(first, &fields, now()));
        let loaded = ended.load(Mode::Lenient);
        let found = loaded.mappings.iter().find(|one| one.session_id == *first);
        assert_eq!(found.unwrap().status.as_str(), "ended");
    }
    edit(&mut tried, doc, "update what is not there", 0, |doc| doc.update("nobody", &[], now()));
    tried
}

fn edit(
    tried: &mut Vec<Tried>,
    doc: &SessionMapDoc,
    name: &'static str,
    places: usize,
    apply: impl FnOnce(&mut SessionMapDoc) -> Result<(), MapEditError>,
) -> SessionMapDoc {
    let mut doc = doc.clone();
    let result = apply(&mut doc).map_err(|error| error.to_string());
    let (again, findings) = SessionMapDoc::parse(doc.to_bytes().to_vec());
    for mode in [Mode::Strict, Mode::Lenient] {
        let (one, other) = (show::session_map(&doc, mode), show::session_map(&again, mode));
        assert_eq!(one, other, "{name}: differs from what was written");
    }
    if result.is_ok() {
        let is_time_set = !show::findings(&findings).contains("session-last-modified");
        assert!(is_time_set, "{name}: the time of the write is not set");
    }
    let after = doc.to_bytes().to_vec();
    tried.push(Tried { name, result, after, places });
    doc
}

/// Asserts that one entry was added after the existing ones.
fn assert_one_more(before: &SessionMapDoc, after: &SessionMapDoc) {
    let old = show::session_map(before, Mode::Strict);
    let new = show::session_map(after, Mode::Strict);
    let added = new.strip_prefix(&old).unwrap();
    assert!(added.starts_with("session: \"ses_new\""), "{added}");
}

fn new_mapping(session_id: &str) -> NewMapping {
    let text = str::to_owned;
    NewMapping {
        session_id: text(session_id),
        thread_root_post_id: text("post_new"),
        short_id: text("ses_new1"),
        mattermost_user_id: text("user_new"),
        dm_channel_id: text("chan_new"),
        project_name: text("wheel"),
        directory: text("/srv/wheel \"x\""),
        session_title: None,
        status: text("active"),
        created_at: now().to_string(),
        last_activity_at: now().to_string(),
        ended_at: None,
    }
}
