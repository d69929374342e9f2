//! The session map: the cases of the contract, merging, editing, lookup and salvaging.

mod apply;
mod contract;
mod lookup;
mod merge;
mod salvage;
mod status;
mod version;

use skein_format::session::{MapValidity, Mapping, Mode, SessionMapDoc};
use skein_format::time::{self, Time};

fn now() -> Time {
    time::parse("2031-05-06T07:08:09Z").unwrap().time
}

#[track_caller]
fn sound(text: &str) -> SessionMapDoc {
    let (doc, _) = SessionMapDoc::parse(text.as_bytes().to_vec());
    assert_eq!(doc.soundness(), MapValidity::Sound, "{text}");
    doc
}

fn text(doc: &SessionMapDoc) -> String {
    String::from_utf8(doc.to_bytes().to_vec()).unwrap()
}

/// Puts entries into a map on one line.
fn map(entries: &str) -> String {
    format!(r#"{{"version":1,"mappings":[{entries}],"lastModified":"2026-01-01T00:00:00.000Z"}}"#)
}

/// The same map, as if it were written at the time of these tests.
fn written(entries: &str) -> String {
    map(entries).replace("2026-01-01T00:00:00.000Z", "2031-05-06T07:08:09.000Z")
}

/// An entry that is valid according to the contract.
fn entry(id: &str, title: &str, at: &str) -> String {
    format!(
        r#"{{"sessionId":"{id}","threadRootPostId":"post_{id}","shortId":"ses_a1b2","mattermostUserId":"u","dmChannelId":"c","projectName":"p","directory":"/d","sessionTitle":"{title}","status":"active","createdAt":"2026-01-15T10:00:00.000Z","lastActivityAt":"2026-01-15T{at}:00.000Z"}}"#
    )
}

/// Shows the sessions with their titles.
fn titles(mappings: &[Mapping<'_>]) -> Vec<String> {
    let title = |one: &Mapping<'_>| {
        format!("{} {}", one.session_id, one.session_title.as_deref().unwrap_or_default())
    };
    mappings.iter().map(title).collect()
}

fn loaded(doc: &SessionMapDoc) -> Vec<String> {
    titles(&doc.load(Mode::Strict).mappings)
}
