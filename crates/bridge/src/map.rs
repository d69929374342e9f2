//! The entries of the bridge in the session map, which other programs write too.

use std::collections::BTreeMap;

use skein_format::session::{MappingField, Mode, NewMapping};
use skein_format::time::Time;
use skein_sessions::{MapPath, SessionError, SessionMap, SessionResult};
use skein_store::Stamp;
use skein_workspace::Env;

use crate::core::action::{Mapping, MappingStatus};

/// The session map in memory, with the entries that the bridge has to restore when they are lost.
#[derive(Debug)]
pub(crate) struct BridgeMap {
    env: Env,
    path: MapPath,
    map: SessionMap,
    /// The file after the last save.
    stamp: Option<Stamp>,
    entries: BTreeMap<String, NewMapping>,
}

impl BridgeMap {
    /// Loads the map and adds the entries that it lacks, all in one write.
    pub(crate) fn open(
        env: &Env,
        path: MapPath,
        entries: &[(Mapping, MappingStatus)],
    ) -> SessionResult<Self> {
        let map = SessionMap::load(&path, Mode::Lenient)?;
        let entry = |(mapping, status): &(Mapping, MappingStatus)| {
            let entry =
                NewMapping { status: status_word(*status).to_owned(), ..new_mapping(mapping) };
            (entry.session_id.clone(), entry)
        };
        let entries = entries.iter().map(entry).collect();
        let mut own = Self { env: env.clone(), path, map, stamp: None, entries };
        own.restore()?;
        Ok(own)
    }

    /// Adds an entry that is active, or sets its thread, title and directory.
    pub(crate) fn set(&mut self, mapping: &Mapping) -> SessionResult {
        let entry = new_mapping(mapping);
        self.entries.insert(entry.session_id.clone(), entry);
        self.restore()
    }

    /// Sets the time of the last activity.
    pub(crate) fn touch(&mut self, session: &str, at: Time) -> SessionResult {
        let at = at.to_string();
        self.change(session, &[(MappingField::LastActivityAt, &at)])
    }

    /// Sets the status. A session that ended stays ended.
    pub(crate) fn set_status(&mut self, session: &str, status: MappingStatus) -> SessionResult {
        match self.change(session, &[(MappingField::Status, status_word(status))]) {
            Err(SessionError::Ended { .. }) => Ok(()),
            result => result,
        }
    }

    /// Restores entries that another program has overwritten, if the file has changed since the last save.
    pub(crate) fn check(&mut self) -> SessionResult {
        let now = Stamp::from_path(self.path.path());
        let is_unchanged = match (&now, &self.stamp) {
            (Some(now), Some(before)) => now.proves(before),
            (None, None) => self.entries.is_empty(),
            _ => false,
        };
        if is_unchanged { Ok(()) } else { self.restore() }
    }

    fn change(&mut self, session: &str, fields: &[(MappingField, &str)]) -> SessionResult {
        let Some(entry) = self.entries.get_mut(session) else { return Ok(()) };
        for (field, value) in fields {
            match field {
                MappingField::Status => entry.status = (*value).to_owned(),
                MappingField::LastActivityAt => entry.last_activity_at = (*value).to_owned(),
                _ => {}
            }
        }
        self.map.set(session, fields, self.env.clock.now())?;
        self.save()
    }

    /// Brings the own entries into the map in memory, then saves it.
    fn restore(&mut self) -> SessionResult {
        let now = self.env.clock.now();
        // Reads what other programs wrote, so that the comparison is with the current file.
        self.map.save(&*self.env.fs, now)?;
        let known: BTreeMap<String, [String; 4]> = self
            .map
            .mappings()
            .iter()
            .filter(|mapping| self.entries.contains_key(&*mapping.session_id))
            .map(|mapping| {
                let title = mapping.session_title.as_deref().unwrap_or_default().to_owned();
                let root = mapping.thread_root_post_id.to_string();
                let status = mapping.status.as_str().to_owned();
                let fields = [root, mapping.directory.to_string(), title, status];
                (mapping.session_id.to_string(), fields)
            })
            .collect();
        for (session, entry) in &self.entries {
            let Some([root, directory, title, status]) = known.get(session) else {
                self.map.insert(entry, now)?;
                continue;
            };
            let wanted_title = entry.session_title.as_deref().unwrap_or_default();
            let changes: Vec<_> = [
                (MappingField::ThreadRootPostId, root.as_str(), entry.thread_root_post_id.as_str()),
                (MappingField::Directory, directory.as_str(), entry.directory.as_str()),
                (MappingField::SessionTitle, title.as_str(), wanted_title),
                (MappingField::Status, status.as_str(), entry.status.as_str()),
            ]
            .into_iter()
            // A session that ended stays ended.
            .filter(|(field, is, wanted)| {
                is != wanted && (*field != MappingField::Status || *is != "ended")
            })
            .map(|(field, _, wanted)| (field, wanted))
            .collect();
            if !changes.is_empty() {
                match self.map.set(session, &changes, now) {
                    // It stays as it ended.
                    Ok(()) | Err(SessionError::Ended { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        self.save()
    }

    fn save(&mut self) -> SessionResult {
        self.map.save(&*self.env.fs, self.env.clock.now())?;
        self.stamp = Stamp::from_path(self.path.path());
        Ok(())
    }
}

/// Returns the entry of a session as the map has it.
fn new_mapping(mapping: &Mapping) -> NewMapping {
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
        created_at: time(mapping.created.0).to_string(),
        last_activity_at: time(mapping.active.0).to_string(),
        ended_at: None,
    }
}

/// Returns a time of the core as the map writes it.
pub(crate) fn time(milliseconds: u64) -> Time {
    Time::from_millis(i64::try_from(milliseconds).unwrap_or(i64::MAX))
}

fn status_word(status: MappingStatus) -> &'static str {
    match status {
        MappingStatus::Active => "active",
        MappingStatus::Ended => "ended",
        MappingStatus::Disconnected => "disconnected",
        MappingStatus::Orphaned => "orphaned",
    }
}

#[cfg(test)]
mod tests;
