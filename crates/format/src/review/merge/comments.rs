//! Merges comments by id.

use std::collections::BTreeMap;

use super::parts::Parts;
use crate::diagnostic::brief;
use crate::review::unique_ids::Ids;
use crate::span::{Span, splice};
use crate::time::Time;

/// A comment of one side.
#[derive(Clone, Debug)]
pub(super) struct Item<'a> {
    key: Key<'a>,
    /// The id as written, and its location in the text.
    id: Option<(&'a [u8], Span)>,
    /// The marker and the body, without trailing white space.
    pub(super) text: Vec<u8>,
    /// The white space up to the next comment; none after the last one.
    pub(super) gap: Option<&'a [u8]>,
    author: String,
    body: &'a [u8],
    time: Option<Time>,
    /// The time that it is ordered by: its own, or that of the previous comment.
    order: Option<Time>,
}

/// Identifies the same comment on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    /// The id, or the whole text of a comment that has none.
    name: &'a [u8],
    has_id: bool,
    /// The number of earlier comments with the same name.
    nth: usize,
}

impl Item<'_> {
    /// Returns whether both have the same content, even if their markers are written differently.
    fn has_same_content(&self, other: &Self) -> bool {
        self.body == other.body && self.author == other.author && self.time == other.time
    }
}

/// Merges the comments of both sides.
///
/// Those of the base come first and in its order, then added ones by time. The format has no record of a deleted comment, so one that
/// is missing on one side is kept: a program that rewrites the file from memory drops comments that it has not read.
pub(super) fn merge<'a>(
    base: Option<&Parts<'a>>,
    ours: &Parts<'a>,
    theirs: &Parts<'a>,
    notes: &mut Vec<String>,
) -> Vec<Item<'a>> {
    let base = base.map(items).unwrap_or_default();
    let (ours, theirs) = (items(ours), items(theirs));
    let mut union = Union {
        ids: Ids::new([&base, &ours, &theirs].into_iter().flatten().filter_map(Item::owned_id)),
        ours: by_key(&ours),
        theirs: by_key(&theirs),
        numbered: (numbered(&ours), numbered(&theirs)),
        second: BTreeMap::new(),
        notes,
    };
    let mut merged: Vec<Item<'a>> = base.iter().filter_map(|old| union.settle(old)).collect();
    let old = by_key(&base);
    let added: Vec<Item<'a>> =
        ours.iter().filter(|item| !old.contains_key(&item.key)).cloned().collect();
    for item in &added {
        if let Some(other) = union.theirs.get(&item.key).copied() {
            union.keep_both(item, other);
        }
    }
    let mut second = union.second;
    let more: Vec<Item<'a>> = theirs
        .iter()
        .filter_map(|item| match second.remove(&item.key) {
            Some(renamed) => renamed,
            None if old.contains_key(&item.key) => None,
            None => Some(item.clone()),
        })
        .collect();
    merged.extend(by_time(added, more));
    merged
}

struct Union<'a, 'b> {
    /// Every id in use.
    ids: Ids,
    ours: BTreeMap<Key<'a>, &'b Item<'a>>,
    theirs: BTreeMap<Key<'a>, &'b Item<'a>>,
    /// Comments of ours and of theirs that an earlier merge may have renamed.
    numbered: (Numbered<'a, 'b>, Numbered<'a, 'b>),
    /// The results for comments of theirs with the key of one of ours: a renamed copy, or none.
    second: BTreeMap<Key<'a>, Option<Item<'a>>>,
    notes: &'b mut Vec<String>,
}

impl<'a> Union<'a, '_> {
    /// Returns the merged version of a comment of the base; none if both sides deleted it.
    fn settle(&mut self, old: &Item<'a>) -> Option<Item<'a>> {
        let ours = self.ours.get(&old.key).copied();
        let theirs = self.theirs.get(&old.key).copied();
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                let kept = if ours.text == theirs.text {
                    ours.clone()
                } else if theirs.text == old.text {
                    self.note_edit(old, ours);
                    ours.clone()
                } else if ours.text == old.text {
                    self.note_edit(old, theirs);
                    theirs.clone()
                } else {
                    self.keep_both(ours, theirs)
                };
                // The last comment of a side has no gap.
                Some(Item { gap: ours.gap.or(theirs.gap), ..kept })
            }
            (Some(kept), None) | (None, Some(kept)) => {
                let name = kept.shown();
                self.notes.push(format!("{name} is missing on one side, and is kept"));
                Some(kept.clone())
            }
            (None, None) => None,
        }
    }

    /// Notes that one side edited a comment: anyone can write in the name of its author.
    fn note_edit(&mut self, old: &Item<'a>, edited: &Item<'a>) {
        if !edited.has_same_content(old) {
            let (name, author) = (old.shown(), brief(&old.author));
            self.notes
                .push(format!("{name} by {author} was edited on one side; its new text is used"));
        }
    }

    /// Keeps both of two comments with the same id, and returns the first.
    fn keep_both(&mut self, ours: &Item<'a>, theirs: &Item<'a>) -> Item<'a> {
        if ours.has_same_content(theirs) {
            self.second.insert(theirs.key, None);
            return ours.clone();
        }
        if is_renamed(ours, &self.numbered.1) {
            self.second.insert(theirs.key, None);
            return theirs.clone();
        }
        let is_there = is_renamed(theirs, &self.numbered.0);
        let renamed = if is_there { None } else { self.rename(theirs) };
        self.second.insert(theirs.key, renamed);
        ours.clone()
    }

    fn rename(&mut self, item: &Item<'a>) -> Option<Item<'a>> {
        let (id, span) = item.id?;
        let fresh = self.ids.next(id);
        let mut renamed = item.clone();
        splice(&mut renamed.text, span, &fresh);
        let fresh = String::from_utf8_lossy(&fresh);
        let note = format!("{} differs on both sides; theirs is kept as `{fresh}`", item.shown());
        self.notes.push(note);
        Some(renamed)
    }
}

/// The comments whose id ends in a number, by the id without the number.
type Numbered<'a, 'b> = BTreeMap<&'a [u8], Vec<&'b Item<'a>>>;

fn numbered<'a, 'b>(items: &'b [Item<'a>]) -> Numbered<'a, 'b> {
    let mut found = Numbered::new();
    for item in items {
        let Some((id, _)) = item.id else { continue };
        let digits = id.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let stem = id.get(..id.len() - digits).and_then(|stem| stem.strip_suffix(b"-"));
        if let Some(stem) = stem.filter(|_| digits > 0) {
            found.entry(stem).or_default().push(item);
        }
    }
    found
}

/// Returns whether an earlier merge already kept the comment under another id.
fn is_renamed<'a>(item: &Item<'a>, among: &Numbered<'a, '_>) -> bool {
    let others = item.id.and_then(|(id, _)| among.get(id));
    others.is_some_and(|others| others.iter().any(|other| other.has_same_content(item)))
}

impl Item<'_> {
    fn owned_id(&self) -> Option<Vec<u8>> {
        self.id.map(|(id, _)| id.to_vec())
    }

    fn shown(&self) -> String {
        let id = self.id.map(|(id, _)| String::from_utf8_lossy(id));
        id.map_or_else(|| "a comment".to_owned(), |id| format!("the comment `{}`", brief(&id)))
    }
}

/// Merges two lists by time; each keeps its own order, and ours comes first on a tie.
fn by_time<'a>(ours: Vec<Item<'a>>, theirs: Vec<Item<'a>>) -> Vec<Item<'a>> {
    let mut merged = Vec::with_capacity(ours.len() + theirs.len());
    let mut theirs = theirs.into_iter().peekable();
    for item in ours {
        while let Some(earlier) = theirs.next_if(|other| other.order < item.order) {
            merged.push(earlier);
        }
        merged.push(item);
    }
    merged.extend(theirs);
    merged
}

fn by_key<'a, 'b>(items: &'b [Item<'a>]) -> BTreeMap<Key<'a>, &'b Item<'a>> {
    items.iter().map(|item| (item.key, item)).collect()
}

fn items<'a>(parts: &Parts<'a>) -> Vec<Item<'a>> {
    let bytes = parts.bytes;
    let mut seen: BTreeMap<(&[u8], bool), usize> = BTreeMap::new();
    let mut order = None;
    let mut found = Vec::with_capacity(parts.comments.len());
    for (n, comment) in parts.comments.iter().enumerate() {
        let Some((span, gap)) = parts.comment(n) else { continue };
        let id = comment
            .id_span()
            .map(|id| (id.of(bytes), Span::new(id.start - span.start, id.end - span.start)));
        let (name, has_id) = (id.map_or(span.of(bytes), |(id, _)| id), id.is_some());
        let nth = seen.entry((name, has_id)).or_default();
        let time = comment.time(bytes);
        order = time.or(order);
        found.push(Item {
            key: Key { name, has_id, nth: *nth },
            id,
            text: span.of(bytes).to_vec(),
            gap: (n + 1 < parts.comments.len()).then(|| gap.of(bytes)),
            author: comment.author(bytes).into_owned(),
            body: comment.body.of(bytes),
            time,
            order,
        });
        *nth += 1;
    }
    found
}
