//! The session map: several programs write it at once, and none may damage it.

mod bad_input;
mod contract;
mod cuts;
mod files;
mod list;
mod merge;
mod other_writers;
mod processes;

mod repair;
mod save;
mod set;
mod untrusted;

use std::path::Path;

use skein_format::session::{Mode, NewMapping, SessionMapDoc};
use skein_format::time::Time;
use skein_sessions::{MapPath, SessionMap};
use skein_store::RealFs;

use skein_fixtures::NOW;

/// The path of the map in a fixture.
pub(super) const MAP: &str = "home/.config/opencode/mattermost-threads.json";

pub(super) fn now() -> Time {
    skein_fixtures::at(NOW)
}

/// An entry whose last activity was at this time of day.
pub(super) fn entry(id: &str, clock: &str) -> NewMapping {
    NewMapping {
        session_id: id.to_owned(),
        thread_root_post_id: format!("post-{id}"),
        short_id: "abcdef".to_owned(),
        mattermost_user_id: "user".to_owned(),
        dm_channel_id: "dm".to_owned(),
        project_name: "lantern".to_owned(),
        directory: "/srv/lantern".to_owned(),
        session_title: Some(format!("Title of {id}")),
        status: "active".to_owned(),
        created_at: "2026-01-15T10:00:00.000Z".to_owned(),
        last_activity_at: format!("2026-01-15T{clock}:00.000Z"),
        ended_at: None,
    }
}

/// The bytes of a map with these entries.
pub(super) fn map_of(entries: &[NewMapping]) -> Vec<u8> {
    let mut doc = SessionMapDoc::create(skein_fixtures::at("2026-01-15T09:00:00.000Z"));
    for entry in entries {
        doc.insert(entry, skein_fixtures::at("2026-01-15T09:00:00.000Z")).unwrap();
    }
    doc.into_bytes()
}

pub(super) fn load(path: &Path) -> SessionMap {
    SessionMap::load(&MapPath::named(path), Mode::Strict).unwrap()
}

/// Saves to the real file system and returns what was done.
pub(super) fn save(map: &mut SessionMap) -> &'static str {
    map.save(&RealFs, now()).unwrap().action.as_str()
}

/// The ids of the sessions in memory, with the time of their last activity.
pub(super) fn shown(map: &SessionMap) -> Vec<String> {
    let clock = |at: &str| at.get(11..16).unwrap_or(at).to_owned();
    let mappings = map.mappings();
    let shown =
        mappings.iter().map(|one| format!("{} {}", one.session_id, clock(&one.last_activity_at)));
    shown.collect()
}

/// The sessions in a file.
pub(super) fn in_file(path: &Path) -> Vec<String> {
    shown(&load(path))
}
