//! What is known of files besides their text: lists of short texts, of which each part is kept once.
//!
//! A text is cut behind its slashes, because there are many paths and few names of directories.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use crate::index::error::IndexError;

/// How many texts lie between two whose places are known.
const STEP: usize = 16;

/// A directory that is named so often is one part of a path.
const FREQUENT: u32 = 16;

/// Lists of texts that were read.
#[derive(Debug)]
pub(crate) struct Facts {
    bytes: Vec<u8>,
    /// Where every [`STEP`]th text is.
    places: Vec<u32>,
    count: usize,
    lists_at: usize,
}

impl Facts {
    /// Takes what [`FactsDraft::into_bytes`] gave; `None` where it cannot be that.
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Self> {
        let (&head, mut rest) = bytes.split_first_chunk()?;
        let count = u32::from_le_bytes(head) as usize;
        let mut places = Vec::with_capacity((count / STEP + 1).min(bytes.len()));
        for id in 0..count {
            if id % STEP == 0 {
                places.push(u32::try_from(bytes.len() - rest.len()).ok()?);
            }
            rest = text(rest)?.1;
        }
        let lists_at = bytes.len() - rest.len();
        Some(Self { bytes, places, count, lists_at })
    }

    /// Gives the texts of the list between two places.
    pub(crate) fn list(&self, from: u32, to: u32) -> impl Iterator<Item = Cow<'_, str>> + Clone {
        let range = self.lists_at + from as usize..self.lists_at + to as usize;
        let mut rest = self.bytes.get(range).unwrap_or_default();
        std::iter::from_fn(move || {
            let mut part = self.part(&mut rest)?;
            let mut text = Cow::Borrowed(part);
            while part.ends_with('/') {
                part = self.part(&mut rest)?;
                text += part;
            }
            Some(text)
        })
    }

    /// Gives what tells lists apart up to the first text that is empty.
    pub(crate) fn head(&self, (from, to): (u32, u32)) -> &[u8] {
        let range = self.lists_at + from as usize..self.lists_at + to as usize;
        let list = self.bytes.get(range).unwrap_or_default();
        let end = list.iter().position(|byte| *byte == 0).unwrap_or(list.len());
        list.get(..end).unwrap_or_default()
    }

    fn part(&self, rest: &mut &[u8]) -> Option<&str> {
        let (number, behind) = short(rest)?;
        *rest = behind;
        self.text(number as usize)
    }

    fn text(&self, id: usize) -> Option<&str> {
        let at = self.places.get(id / STEP).filter(|_| id < self.count)?;
        let mut rest = self.bytes.get(*at as usize..)?;
        for _ in 0..id % STEP {
            rest = text(rest)?.1;
        }
        str::from_utf8(text(rest)?.0).ok()
    }
}

/// Reads a text behind its length, and returns what follows it.
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = short(bytes)?;
    rest.split_at_checked(length as usize)
}

/// Lists of texts in the making.
#[derive(Debug)]
pub(crate) struct FactsDraft<'a> {
    directories: HashSet<&'a str>,
    ids: HashMap<&'a str, u32>,
    texts: Vec<u8>,
    lists: Vec<u8>,
}

impl<'a> FactsDraft<'a> {
    /// Numbers the parts of all texts that will come: the more often one comes, the shorter its number. The one without
    /// letters has the number zero, which no other number has in it.
    pub(crate) fn of(
        lists: &(impl Iterator<Item = &'a [Cow<'a, str>]> + Clone),
    ) -> Result<Self, IndexError> {
        let texts = || lists.clone().flatten();
        let directories = counted(texts().map(|text| cut(text).0));
        let directories: HashSet<&str> = directories
            .into_iter()
            .filter(|(_, count)| *count >= FREQUENT)
            .map(|(directory, _)| directory)
            .collect();
        let mut counts = counted(texts().flat_map(|text| parts(text, &directories)));
        counts.remove("");
        let mut known: Vec<(&str, u32)> = counts.into_iter().collect();
        known.sort_unstable_by_key(|(part, count)| (Reverse(*count), *part));
        let mut draft =
            Self { directories, ids: HashMap::new(), texts: Vec::new(), lists: Vec::new() };
        for part in std::iter::once("").chain(known.into_iter().map(|(part, _)| part)) {
            draft.ids.insert(part, length(draft.ids.len())?);
            write_short(length(part.len())?, &mut draft.texts);
            draft.texts.extend_from_slice(part.as_bytes());
        }
        Ok(draft)
    }

    /// Adds a list, and returns where it ends.
    pub(crate) fn push(&mut self, list: &[Cow<'_, str>]) -> Result<u32, IndexError> {
        for part in list.iter().flat_map(|text| parts(text, &self.directories)) {
            let id = self.ids.get(part).copied().unwrap_or_default();
            write_short(id, &mut self.lists);
        }
        length(self.lists.len())
    }

    /// Returns the bytes to be kept.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        // There are no more than their numbers tell apart.
        let count = u32::try_from(self.ids.len()).unwrap_or_default();
        [&count.to_le_bytes(), self.texts.as_slice(), &self.lists].concat()
    }
}

fn counted<'a>(texts: impl Iterator<Item = &'a str>) -> HashMap<&'a str, u32> {
    let mut counts = HashMap::new();
    for text in texts {
        *counts.entry(text).or_default() += 1;
    }
    counts
}

/// Cuts a text behind its last slash.
fn cut(text: &str) -> (&str, &str) {
    match text.rfind('/') {
        Some(at) => text.split_at(at + 1),
        None => ("", text),
    }
}

/// Cuts a text behind its slashes; what follows the last one is a part, whatever it is.
fn parts<'a>(text: &'a str, directories: &HashSet<&str>) -> impl Iterator<Item = &'a str> {
    let (start, end) = cut(text);
    let (whole, rest) = if directories.contains(start) { (start, "") } else { ("", start) };
    let whole = Some(whole).filter(|whole| !whole.is_empty());
    whole.into_iter().chain(rest.split_inclusive('/')).chain(std::iter::once(end))
}

fn length(length: usize) -> Result<u32, IndexError> {
    u32::try_from(length).map_err(|_| IndexError::TooMuch)
}

/// Writes a number, seven bits to a byte, the low ones first.
fn write_short(mut number: u32, out: &mut Vec<u8>) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Reads a number that was written so, and returns what follows it.
fn short(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut number = 0;
    let mut rest = bytes;
    for shift in [0, 7, 14, 21, 28] {
        let (byte, behind) = rest.split_first()?;
        rest = behind;
        number |= u32::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some((number, rest));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_cut_or_garbled_is_refused_or_harmless() {
        let list = ["one", "", "two/three", "one"].map(Cow::Borrowed);
        let mut draft = FactsDraft::of(&[list.as_slice()].into_iter()).unwrap();
        let end = draft.push(&list).unwrap();
        let bytes = draft.into_bytes();
        for cut in 0..bytes.len() {
            if let Some(facts) = Facts::parse(bytes[..cut].to_vec()) {
                assert!(facts.list(0, end).count() <= end as usize);
            }
        }
        for (at, value) in (0..bytes.len()).flat_map(|at| [(at, 0xFF), (at, 0x80), (at, 0)]) {
            let mut garbled = bytes.clone();
            garbled[at] = value;
            if let Some(facts) = Facts::parse(garbled) {
                assert!(facts.list(0, end).count() <= end as usize);
            }
        }
    }

    proptest! {
        #[test]
        fn lists_come_back_as_they_went(
            lists in prop::collection::vec(prop::collection::vec("[a-c/]{0,5}|[é漢]{1,3}", 0..300), 0..20),
        ) {
            let lists: Vec<Vec<Cow<'_, str>>> =
                lists.into_iter().map(|list| list.into_iter().map(Cow::Owned).collect()).collect();
            let mut draft = FactsDraft::of(&lists.iter().map(Vec::as_slice)).unwrap();
            let ends: Vec<u32> = lists.iter().map(|list| draft.push(list).unwrap()).collect();
            let facts = Facts::parse(draft.into_bytes()).unwrap();
            let mut start = 0;
            for (list, end) in lists.iter().zip(ends) {
                prop_assert_eq!(&facts.list(start, end).collect::<Vec<_>>(), list);
                start = end;
            }
        }
    }
}
