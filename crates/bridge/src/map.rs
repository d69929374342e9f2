//! The entries of the bridge in the session map, which other programs write too.

mod writer;

use std::collections::BTreeMap;

use skein_format::session::{self, MapEdit, MappingField, Mode, NewMapping};
use skein_format::time::{self, Time};
use skein_sessions::{MapPath, SessionError, SessionMap, SessionResult};
use skein_store::Stamp;
use skein_workspace::Env;

use crate::core::action::{MappingStatus, ThreadMapping};
use crate::core::ids::{Millis, SessionId};

pub(crate) use writer::MapWriter;

const ENDED: &str = "ended";

/// A change of an entry of the bridge.
#[derive(Debug)]
pub(crate) enum MapChange {
    /// Adds an entry that is active, or replaces it.
    Set(ThreadMapping),
    /// Sets the time of the last activity.
    Touch { session: SessionId, at: Millis },
    /// Sets the status. A session that ended stays ended.
    Status { session: SessionId, status: MappingStatus },
}

/// The session map in memory, with the entries that the bridge has to restore when they are lost.
#[derive(Debug)]
pub(crate) struct BridgeMap {
    env: Env,
    path: MapPath,
    map: SessionMap,
    /// The file after the last save.
    stamp: Option<Stamp>,
    entries: BTreeMap<String, NewMapping>,
    /// Sessions that another program has ended, which was not reported yet.
    ended: Vec<SessionId>,
    /// Whether entries have changed since the last save that succeeded.
    is_changed: bool,
}

impl BridgeMap {
    /// Loads the map and adds the entries that it lacks, all in one write.
    pub(crate) fn open(
        env: &Env,
        path: MapPath,
        entries: &[(ThreadMapping, MappingStatus)],
    ) -> SessionResult<Self> {
        let map = SessionMap::load(&path, Mode::Lenient)?;
        let entry = |(mapping, status): &(ThreadMapping, MappingStatus)| {
            let entry =
                NewMapping { status: status_word(*status).to_owned(), ..new_mapping(mapping) };
            (entry.session_id.clone(), entry)
        };
        let entries = entries.iter().map(entry).collect();
        let env = env.clone();
        let ended = Vec::new();
        let mut own = Self { env, path, map, stamp: None, entries, ended, is_changed: true };
        own.save()?;
        Ok(own)
    }

    /// Changes an entry in memory.
    pub(crate) fn apply(&mut self, change: &MapChange) {
        match change {
            MapChange::Set(mapping) => {
                let entry = new_mapping(mapping);
                self.entries.insert(entry.session_id.clone(), entry);
            }
            MapChange::Touch { session, at } => {
                let Some(entry) = self.entries.get_mut(session.as_str()) else { return };
                entry.last_activity_at = map_time(*at).to_string();
            }
            MapChange::Status { session, status } => {
                let Some(entry) = self.entries.get_mut(session.as_str()) else { return };
                status_word(*status).clone_into(&mut entry.status);
            }
        }
        self.is_changed = true;
    }

    /// Writes the entries that changed, here or because another program has overwritten the file. After an error it has to
    /// be called again.
    pub(crate) fn save(&mut self) -> SessionResult {
        let now = Stamp::from_path(self.path.path());
        let is_current = match (&now, &self.stamp) {
            (Some(now), Some(before)) => now.proves(before),
            (None, None) => self.entries.is_empty(),
            _ => false,
        };
        if is_current && !self.is_changed {
            return Ok(());
        }
        self.restore()?;
        self.is_changed = false;
        Ok(())
    }

    /// Returns the sessions that another program has ended since the last call.
    pub(crate) fn take_ended(&mut self) -> Vec<SessionId> {
        std::mem::take(&mut self.ended)
    }

    /// Notes which sessions of the bridge another program has ended.
    fn note_ended(&mut self) {
        for mapping in self.map.mappings() {
            let Some(entry) = self.entries.get_mut(&*mapping.session_id) else { continue };
            if mapping.status.as_str() == ENDED && entry.status != ENDED {
                ENDED.clone_into(&mut entry.status);
                self.ended.push(SessionId::from(&*mapping.session_id));
            }
        }
    }

    /// Brings the own entries into the map in memory, then writes it.
    fn restore(&mut self) -> SessionResult {
        let now = self.env.clock.now();
        // Reads what other programs wrote, so that the comparison is with the current file.
        self.map.save(&*self.env.fs, now)?;
        self.note_ended();
        let mut missing: BTreeMap<&str, &NewMapping> =
            self.entries.iter().map(|(session, entry)| (session.as_str(), entry)).collect();
        let mut changes = Vec::new();
        for mapping in self.map.mappings() {
            if let Some(entry) = missing.remove(&*mapping.session_id) {
                changes.push((entry, outdated_fields(&mapping, entry)));
            }
        }
        let inserts: Vec<_> = missing.values().map(|entry| MapEdit::Insert(entry)).collect();
        if !inserts.is_empty() {
            self.map.apply(&inserts, now)?;
        }
        for (entry, fields) in changes.iter().filter(|(_, fields)| !fields.is_empty()) {
            match self.map.set(&entry.session_id, fields, now) {
                // It stays as it ended.
                Ok(()) | Err(SessionError::Ended { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.map.save(&*self.env.fs, now)?;
        self.stamp = Stamp::from_path(self.path.path());
        Ok(())
    }
}

/// Returns the fields of an entry that are not as the bridge knows them, with their right values.
fn outdated_fields<'e>(
    mapping: &session::Mapping<'_>,
    entry: &'e NewMapping,
) -> Vec<(MappingField, &'e str)> {
    use MappingField as Field;
    let title = mapping.session_title.as_deref().unwrap_or_default();
    let wanted_title = entry.session_title.as_deref().unwrap_or_default();
    let status = mapping.status.as_str();
    let is_ended = status == ENDED;
    let fields = [
        (Field::ThreadRootPostId, &*mapping.thread_root_post_id, &*entry.thread_root_post_id),
        (Field::ShortId, &*mapping.short_id, &*entry.short_id),
        (Field::MattermostUserId, &*mapping.mattermost_user_id, &*entry.mattermost_user_id),
        (Field::DmChannelId, &*mapping.dm_channel_id, &*entry.dm_channel_id),
        (Field::ProjectName, &*mapping.project_name, &*entry.project_name),
        (Field::Directory, &*mapping.directory, &*entry.directory),
        (Field::SessionTitle, title, wanted_title),
        (Field::Status, status, &*entry.status),
        (Field::CreatedAt, &*mapping.created_at, &*entry.created_at),
    ];
    // A session that ended stays ended.
    let is_final = |field: Field| field == Field::Status && is_ended;
    let outdated =
        fields.into_iter().filter(|(field, is, wanted)| is != wanted && !is_final(*field));
    let mut outdated: Vec<_> = outdated.map(|(field, _, wanted)| (field, wanted)).collect();
    // Any change counts as activity. A later time is that of another program.
    let active = time::parse(&entry.last_activity_at).map(|parsed| parsed.time);
    if outdated.is_empty() && mapping.last_activity() < active {
        outdated.push((Field::LastActivityAt, &entry.last_activity_at));
    }
    outdated
}

/// Returns the entry of a session as the map has it.
fn new_mapping(mapping: &ThreadMapping) -> NewMapping {
    NewMapping {
        session_id: mapping.session.to_string(),
        thread_root_post_id: mapping.root.to_string(),
        short_id: mapping.short_id.clone(),
        mattermost_user_id: mapping.user.to_string(),
        dm_channel_id: mapping.channel.to_string(),
        project_name: mapping.project.clone(),
        directory: mapping.directory.clone(),
        session_title: Some(mapping.title.clone()).filter(|title| !title.is_empty()),
        status: "active".to_owned(),
        created_at: map_time(mapping.created).to_string(),
        last_activity_at: map_time(mapping.active).to_string(),
        ended_at: None,
    }
}

/// Returns a time of the core as the map writes it.
fn map_time(time: Millis) -> Time {
    Time::from_millis(i64::try_from(time.0).unwrap_or(i64::MAX))
}

fn status_word(status: MappingStatus) -> &'static str {
    match status {
        MappingStatus::Active => "active",
        MappingStatus::Ended => ENDED,
        MappingStatus::Disconnected => "disconnected",
        MappingStatus::Orphaned => "orphaned",
    }
}

#[cfg(test)]
mod tests;
