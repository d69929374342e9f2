//! What is known of files besides their text: lists of short texts, each of which is kept once.

use std::collections::HashMap;

use crate::index::error::IndexError;

/// Lists of texts that were read.
#[derive(Debug)]
pub(crate) struct Facts {
    bytes: Vec<u8>,
    count: usize,
    texts_at: usize,
    lists_at: usize,
}

impl Facts {
    /// Takes what [`FactsDraft::into_bytes`] gave; `None` where it cannot be that.
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Self> {
        let count = number(&bytes, 0)? as usize;
        let texts_at = count.checked_add(1)?.checked_mul(NUMBER)?;
        let length = match count {
            0 => 0,
            _ => number(&bytes, count)? as usize,
        };
        let lists_at = texts_at.checked_add(length)?;
        (lists_at <= bytes.len()).then_some(Self { bytes, count, texts_at, lists_at })
    }

    /// Gives the texts of the list between two places.
    pub(crate) fn list(&self, from: u32, to: u32) -> impl Iterator<Item = &str> {
        let range = self.lists_at + from as usize..self.lists_at + to as usize;
        let mut rest = self.bytes.get(range).unwrap_or_default();
        std::iter::from_fn(move || {
            let (id, behind) = short(rest)?;
            rest = behind;
            Some(self.text(id as usize))
        })
    }

    fn text(&self, id: usize) -> &str {
        if id >= self.count {
            return "";
        }
        let end = number(&self.bytes, id + 1).unwrap_or_default() as usize;
        let start = match id {
            0 => 0,
            _ => number(&self.bytes, id).unwrap_or_default() as usize,
        };
        let text = self.bytes.get(self.texts_at + start..self.texts_at + end);
        str::from_utf8(text.unwrap_or_default()).unwrap_or_default()
    }
}

/// Lists of texts in the making.
#[derive(Debug, Default)]
pub(crate) struct FactsDraft<'a> {
    ids: HashMap<&'a str, u32>,
    ends: Vec<u32>,
    texts: Vec<u8>,
    lists: Vec<u8>,
}

impl<'a> FactsDraft<'a> {
    /// Adds a list, and returns where it ends.
    pub(crate) fn push(&mut self, list: &[&'a str]) -> Result<u32, IndexError> {
        for text in list {
            let next = length(self.ends.len())?;
            let id = match self.ids.get(text) {
                Some(id) => *id,
                None => {
                    self.texts.extend_from_slice(text.as_bytes());
                    self.ends.push(length(self.texts.len())?);
                    self.ids.insert(text, next);
                    next
                }
            };
            write_short(id, &mut self.lists);
        }
        length(self.lists.len())
    }

    /// Returns the bytes to be kept.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let room = (self.ends.len() + 1) * NUMBER + self.texts.len() + self.lists.len();
        let mut bytes = Vec::with_capacity(room);
        // There are no more than their numbers tell apart.
        let count = u32::try_from(self.ends.len()).unwrap_or_default();
        bytes.extend_from_slice(&count.to_le_bytes());
        for end in &self.ends {
            bytes.extend_from_slice(&end.to_le_bytes());
        }
        bytes.extend_from_slice(&self.texts);
        bytes.extend_from_slice(&self.lists);
        bytes
    }
}

/// The bytes of a number of fixed size.
const NUMBER: usize = 4;

fn number(bytes: &[u8], index: usize) -> Option<u32> {
    let at = index.checked_mul(NUMBER)?;
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
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
        let mut draft = FactsDraft::default();
        let end = draft.push(&["one", "", "two", "one"]).unwrap();
        let bytes = draft.into_bytes();
        for cut in 0..bytes.len() {
            if let Some(facts) = Facts::parse(bytes[..cut].to_vec()) {
                assert!(facts.list(0, end).count() <= 4);
            }
        }
        for (at, value) in (0..bytes.len()).flat_map(|at| [(at, 0xFF), (at, 0x80), (at, 0)]) {
            let mut garbled = bytes.clone();
            garbled[at] = value;
            if let Some(facts) = Facts::parse(garbled) {
                assert!(facts.list(0, end).count() <= 4);
            }
        }
    }

    proptest! {
        #[test]
        fn lists_come_back_as_they_went(
            lists in prop::collection::vec(prop::collection::vec("[a-c]{0,2}|[é漢]{1,3}", 0..300), 0..20),
        ) {
            let mut draft = FactsDraft::default();
            let lists: Vec<Vec<&str>> =
                lists.iter().map(|list| list.iter().map(String::as_str).collect()).collect();
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
