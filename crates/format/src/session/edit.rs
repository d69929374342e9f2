//! Edits of the map: only added entries, changed fields and `lastModified` are written.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use serde::Serialize;

use super::SessionMapDoc;
use super::entry::{Entry, FIELDS, Slot};
use super::outline::MapValidity;
use super::session_index::SessionIndex;
use crate::json::{self, Container, Dialect, NewItem, Style};
use crate::span::Span;
use crate::splices::Splices;
use crate::time::Time;

/// Why an edit was refused; the document is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapEditError {
    /// The file is not a map, or has another version.
    #[error("the file is not a session map that can be written")]
    Unusable,
    /// The map has no usable entry for the session.
    #[error("no such session: {session_id}")]
    NoSession {
        /// The session.
        session_id: String,
    },
    /// The map already has an entry for the session.
    #[error("the map has an entry for the session already: {session_id}")]
    Taken {
        /// The session.
        session_id: String,
    },
}

/// A field that an edit may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingField {
    /// `threadRootPostId`
    ThreadRootPostId,
    /// `shortId`
    ShortId,
    /// `mattermostUserId`
    MattermostUserId,
    /// `dmChannelId`
    DmChannelId,
    /// `projectName`
    ProjectName,
    /// `directory`
    Directory,
    /// `sessionTitle`
    SessionTitle,
    /// `status`
    Status,
    /// `createdAt`
    CreatedAt,
    /// `lastActivityAt`
    LastActivityAt,
    /// `endedAt`
    EndedAt,
}

impl MappingField {
    /// Returns the key in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ThreadRootPostId => "threadRootPostId",
            Self::ShortId => "shortId",
            Self::MattermostUserId => "mattermostUserId",
            Self::DmChannelId => "dmChannelId",
            Self::ProjectName => "projectName",
            Self::Directory => "directory",
            Self::SessionTitle => "sessionTitle",
            Self::Status => "status",
            Self::CreatedAt => "createdAt",
            Self::LastActivityAt => "lastActivityAt",
            Self::EndedAt => "endedAt",
        }
    }

    /// Returns the index of the field in `FIELDS`.
    pub(super) fn number(self) -> usize {
        FIELDS.iter().position(|name| *name == self.as_str()).unwrap_or(FIELDS.len())
    }
}

/// An entry to add; the fields are written in this order.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the fields are those of `Mapping`")]
pub struct NewMapping {
    pub session_id: String,
    pub thread_root_post_id: String,
    pub short_id: String,
    pub mattermost_user_id: String,
    pub dm_channel_id: String,
    pub project_name: String,
    pub directory: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_title: Option<String>,
    pub status: String,
    pub created_at: String,
    pub last_activity_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
}

impl NewMapping {
    pub(super) fn set(&mut self, field: MappingField, value: &str) {
        let value = value.to_owned();
        match field {
            MappingField::ThreadRootPostId => self.thread_root_post_id = value,
            MappingField::ShortId => self.short_id = value,
            MappingField::MattermostUserId => self.mattermost_user_id = value,
            MappingField::DmChannelId => self.dm_channel_id = value,
            MappingField::ProjectName => self.project_name = value,
            MappingField::Directory => self.directory = value,
            MappingField::SessionTitle => self.session_title = Some(value),
            MappingField::Status => self.status = value,
            MappingField::CreatedAt => self.created_at = value,
            MappingField::LastActivityAt => self.last_activity_at = value,
            MappingField::EndedAt => self.ended_at = Some(value),
        }
    }
}

impl SessionMapDoc {
    /// Creates a map without entries.
    pub fn create(now: Time) -> Self {
        let text = format!(
            "{{\n  \"version\": 1,\n  \"mappings\": [],\n  \"lastModified\": \"{now}\"\n}}"
        );
        Self::parse(text.into_bytes()).0
    }

    /// Adds an entry at the end.
    pub fn insert(&mut self, mapping: &NewMapping, now: Time) -> Result<(), MapEditError> {
        self.apply(&[MapEdit::Insert(mapping)], now).map(|_| ())
    }

    /// Sets fields of the effective entry of a session.
    pub fn update(
        &mut self,
        session_id: &str,
        fields: &[(MappingField, &str)],
        now: Time,
    ) -> Result<(), MapEditError> {
        self.apply(&[MapEdit::Set { session_id, fields }], now).map(|_| ())
    }

    /// Returns an error if the document cannot be edited.
    pub(super) fn sound(&self) -> Result<(), MapEditError> {
        if self.layout().soundness == MapValidity::Sound {
            Ok(())
        } else {
            Err(MapEditError::Unusable)
        }
    }

    /// Applies changes, adds members to the top level and sets `lastModified`; true if there are any changes.
    pub(super) fn commit(
        &mut self,
        mut splices: Splices,
        mut top: Vec<NewItem>,
        now: Time,
    ) -> Result<bool, MapEditError> {
        if splices.is_empty() && top.is_empty() {
            return Ok(false);
        }
        let stamp = json::quote(&now.to_string());
        match self.layout().last_modified {
            Some(value) => splices.replace(value, &stamp),
            None => top.push(NewItem { key: Some(json::quote("lastModified")), value: stamp }),
        }
        if !top.is_empty() {
            let root = json::object_at(&self.bytes, self.layout().root, Dialect::Json)
                .map_err(|_| MapEditError::Unusable)?;
            let (at, text) =
                json::addition(&self.bytes, &root, Style::from_bytes(&self.bytes), top);
            splices.replace(at, &text);
        }
        self.bytes = splices.apply(&self.bytes);
        self.parsed = OnceLock::new();
        Ok(true)
    }
}

/// One edit of a map.
#[derive(Clone, Copy, Debug)]
pub enum MapEdit<'a> {
    /// Adds an entry at the end.
    Insert(&'a NewMapping),
    /// Sets fields of the effective entry of a session.
    Set {
        /// The session.
        session_id: &'a str,
        /// The fields and their new values.
        fields: &'a [(MappingField, &'a str)],
    },
}

impl SessionMapDoc {
    /// Applies several edits in order, all or none of them; true if something changed.
    ///
    /// Setting a field to the value that it has changes nothing, not even `lastModified`.
    pub fn apply(&mut self, edits: &[MapEdit<'_>], now: Time) -> Result<bool, MapEditError> {
        self.sound()?;
        let wanted: HashSet<&str> = edits.iter().map(MapEdit::session_id).collect();
        let index = SessionIndex::only(self, |id| wanted.contains(id));
        let plan = Plan::from_edits(edits, &index)?;
        let splices = plan.splices(self, &index)?;
        drop(index);
        self.commit(splices, Vec::new(), now)
    }
}

impl<'a> MapEdit<'a> {
    fn session_id(&self) -> &'a str {
        match self {
            Self::Insert(mapping) => &mapping.session_id,
            Self::Set { session_id, .. } => session_id,
        }
    }
}

/// The combined effect of edits; later ones override earlier ones.
#[derive(Default)]
struct Plan<'a> {
    /// The fields to set, by the number of their session.
    sets: BTreeMap<usize, Vec<(MappingField, &'a str)>>,
    inserts: Vec<Cow<'a, NewMapping>>,
    /// The indices in `inserts`, by session id.
    inserted: HashMap<&'a str, usize>,
}

impl<'a> Plan<'a> {
    fn from_edits(edits: &[MapEdit<'a>], index: &SessionIndex<'_>) -> Result<Self, MapEditError> {
        let mut plan = Self::default();
        for edit in edits {
            let id = edit.session_id();
            let existing = index.find(id);
            let fresh = plan.inserted.get(id).copied();
            match (edit, existing, fresh) {
                (MapEdit::Insert(mapping), None, None) => {
                    plan.inserted.insert(id, plan.inserts.len());
                    plan.inserts.push(Cow::Borrowed(*mapping));
                }
                (MapEdit::Insert(_), ..) => {
                    return Err(MapEditError::Taken { session_id: id.to_owned() });
                }
                (MapEdit::Set { fields, .. }, Some(number), _) => {
                    let sets = plan.sets.entry(number).or_default();
                    fields.iter().for_each(|set| override_field(sets, *set));
                }
                (MapEdit::Set { fields, .. }, None, Some(fresh)) => plan.complete(fresh, fields),
                (MapEdit::Set { .. }, None, None) => {
                    return Err(MapEditError::NoSession { session_id: id.to_owned() });
                }
            }
        }
        Ok(plan)
    }

    /// Sets fields of an entry that will be added.
    fn complete(&mut self, fresh: usize, fields: &[(MappingField, &str)]) {
        if let Some(mapping) = self.inserts.get_mut(fresh) {
            for (field, value) in fields {
                mapping.to_mut().set(*field, value);
            }
        }
    }

    fn splices(
        self,
        doc: &SessionMapDoc,
        index: &SessionIndex<'_>,
    ) -> Result<Splices, MapEditError> {
        let bytes = doc.to_bytes();
        let mut splices = Splices::default();
        let style = Style::from_bytes(bytes);
        for (number, fields) in &self.sets {
            let span = index.span(*number);
            set(bytes, span, style, fields, &mut splices).ok_or(MapEditError::Unusable)?;
        }
        let mut items = Vec::with_capacity(self.inserts.len());
        for mapping in &self.inserts {
            let value = serde_json::to_vec_pretty(mapping).map_err(|_| MapEditError::Unusable)?;
            items.push(NewItem { key: None, value });
        }
        if !items.is_empty() {
            let array = Container::array(doc.layout().mappings, doc.positions().last);
            let (at, text) = json::addition(bytes, &array, style, items);
            splices.replace(at, &text);
        }
        Ok(splices)
    }
}

fn override_field<'a>(sets: &mut Vec<(MappingField, &'a str)>, set: (MappingField, &'a str)) {
    match sets.iter_mut().find(|(field, _)| *field == set.0) {
        Some(known) => *known = set,
        None => sets.push(set),
    }
}

/// Sets fields of the entry at `span`; of duplicate keys the last one changes.
fn set(
    bytes: &[u8],
    span: Span,
    style: Style,
    fields: &[(MappingField, &str)],
    splices: &mut Splices,
) -> Option<()> {
    let entry = Entry::at(bytes, span, |_, _| ())?;
    let mut items = Vec::new();
    for (field, value) in fields {
        let slot = entry.slot(field.number());
        match slot.span() {
            Some(_) if has_text(slot, bytes, value) => {}
            Some(at) => splices.replace(at, &json::quote(value)),
            None => {
                let key = Some(json::quote(field.as_str()));
                items.push(NewItem { key, value: json::quote(value) });
            }
        }
    }
    if !items.is_empty() {
        let entry = json::object_at(bytes, span, Dialect::Json).ok()?;
        let (at, text) = json::addition(bytes, &entry, style, items);
        splices.replace(at, &text);
    }
    Some(())
}

fn has_text(slot: Slot, bytes: &[u8], value: &str) -> bool {
    let Slot::Text(text) = slot else {
        return false;
    };
    let text = text.decode(bytes);
    !text.lossy && text.text == value
}
