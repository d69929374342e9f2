//! Several edits of a map, in one pass over it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::SessionMapDoc;
use super::edit::{EditError, Field, NewMapping};
use super::entry::{Entry, Slot};
use super::patch::Patch;
use super::session_index::SessionIndex;
use crate::json::{self, Container, Dialect, Item, Style};
use crate::span::Span;
use crate::time::Time;

/// One edit of a map.
#[derive(Clone, Copy, Debug)]
pub enum Edit<'a> {
    /// Adds an entry at the end.
    Insert(&'a NewMapping),
    /// Sets fields of the entry that counts for a session.
    Set {
        /// The session.
        session_id: &'a str,
        /// The fields and what they are to say.
        fields: &'a [(Field, &'a str)],
    },
}

impl SessionMapDoc {
    /// Makes several edits, all or none of them, one after the other; true when something changed.
    ///
    /// A value that is there already changes nothing, and neither the time of the last write.
    pub fn apply(&mut self, edits: &[Edit<'_>], now: Time) -> Result<bool, EditError> {
        self.sound()?;
        let wanted: HashSet<&str> = edits.iter().map(Edit::session_id).collect();
        let census = SessionIndex::only(self, |id| wanted.contains(id));
        let plan = Plan::from_edits(edits, &census)?;
        let patch = plan.patch(self, &census)?;
        drop(census);
        self.commit(patch, Vec::new(), now)
    }
}

impl<'a> Edit<'a> {
    fn session_id(&self) -> &'a str {
        match self {
            Self::Insert(mapping) => &mapping.session_id,
            Self::Set { session_id, .. } => session_id,
        }
    }
}

/// What edits come to, once the later ones have overruled the earlier.
#[derive(Default)]
struct Plan<'a> {
    /// The fields to be set, under the number of their session.
    sets: BTreeMap<usize, Vec<(Field, &'a str)>>,
    inserts: Vec<Cow<'a, NewMapping>>,
    /// The places in `inserts`.
    inserted: HashMap<&'a str, usize>,
}

impl<'a> Plan<'a> {
    fn from_edits(edits: &[Edit<'a>], census: &SessionIndex<'_>) -> Result<Self, EditError> {
        let mut plan = Self::default();
        for edit in edits {
            let id = edit.session_id();
            let seat = census.find(id);
            let fresh = plan.inserted.get(id).copied();
            match (edit, seat, fresh) {
                (Edit::Insert(mapping), None, None) => {
                    plan.inserted.insert(id, plan.inserts.len());
                    plan.inserts.push(Cow::Borrowed(*mapping));
                }
                (Edit::Insert(_), ..) => {
                    return Err(EditError::Taken { session_id: id.to_owned() });
                }
                (Edit::Set { fields, .. }, Some(number), _) => {
                    let sets = plan.sets.entry(number).or_default();
                    fields.iter().for_each(|set| overrule(sets, *set));
                }
                (Edit::Set { fields, .. }, None, Some(fresh)) => plan.complete(fresh, fields),
                (Edit::Set { .. }, None, None) => {
                    return Err(EditError::NoSession { session_id: id.to_owned() });
                }
            }
        }
        Ok(plan)
    }

    /// Sets fields of an entry that is about to be added.
    fn complete(&mut self, fresh: usize, fields: &[(Field, &str)]) {
        if let Some(mapping) = self.inserts.get_mut(fresh) {
            for (field, value) in fields {
                mapping.to_mut().set(*field, value);
            }
        }
    }

    fn patch(self, doc: &SessionMapDoc, census: &SessionIndex<'_>) -> Result<Patch, EditError> {
        let bytes = doc.to_bytes();
        let mut patch = Patch::default();
        let style = Style::from_bytes(bytes);
        for (number, fields) in &self.sets {
            let span = census.span(*number);
            set(bytes, span, style, fields, &mut patch).ok_or(EditError::Unusable)?;
        }
        let mut items = Vec::with_capacity(self.inserts.len());
        for mapping in &self.inserts {
            let value = serde_json::to_vec_pretty(mapping).map_err(|_| EditError::Unusable)?;
            items.push(Item { key: None, value });
        }
        if !items.is_empty() {
            let array = Container::array(doc.layout().mappings, doc.positions().last);
            let (at, text) = json::addition(bytes, &array, style, items);
            patch.replace(at, &text);
        }
        Ok(patch)
    }
}

fn overrule<'a>(sets: &mut Vec<(Field, &'a str)>, set: (Field, &'a str)) {
    match sets.iter_mut().find(|(field, _)| *field == set.0) {
        Some(known) => *known = set,
        None => sets.push(set),
    }
}

/// Sets fields of the entry at `span`, each at the key that counts.
fn set(
    bytes: &[u8],
    span: Span,
    style: Style,
    fields: &[(Field, &str)],
    patch: &mut Patch,
) -> Option<()> {
    let entry = Entry::at(bytes, span, |_, _| ())?;
    let mut items = Vec::new();
    for (field, value) in fields {
        let slot = entry.slot(field.number());
        match slot.span() {
            Some(_) if says(slot, bytes, value) => {}
            Some(at) => patch.replace(at, &json::quote(value)),
            None => {
                let key = Some(json::quote(field.as_str()));
                items.push(Item { key, value: json::quote(value) });
            }
        }
    }
    if !items.is_empty() {
        let entry = json::object_at(bytes, span, Dialect::Json).ok()?;
        let (at, text) = json::addition(bytes, &entry, style, items);
        patch.replace(at, &text);
    }
    Some(())
}

fn says(slot: Slot, bytes: &[u8], value: &str) -> bool {
    let Slot::Text(text) = slot else {
        return false;
    };
    let text = text.decode(bytes);
    !text.lossy && text.text == value
}
