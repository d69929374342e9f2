//! Merges the metadata block key by key.

use std::collections::BTreeMap;

use super::parts::Parts;
use crate::json::{self, Dialect, Member, compact, outdented};
use crate::span::{Span, splice};

/// A side of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
}

/// Merges the blocks, tags included.
///
/// A key that one side changed is taken from that side; one that both changed, from the side with the
/// later `updatedAt`. `target` is one key: the range of one side does not match the context of the
/// other.
pub(super) fn merge(
    base: Option<&Parts<'_>>,
    ours: &Parts<'_>,
    theirs: &Parts<'_>,
    notes: &mut Vec<String>,
) -> Vec<u8> {
    let (mine, other) = (ours.block.of(ours.bytes), theirs.block.of(theirs.bytes));
    let old = base.map(|base| base.block.of(base.bytes));
    if mine == other || old == Some(other) {
        return mine.to_vec();
    }
    if old == Some(mine) {
        return other.to_vec();
    }
    let later =
        if theirs.head.updated_at > ours.head.updated_at { Side::Theirs } else { Side::Ours };
    let mut block = Block::new(ours);
    let old = base.map(members);
    let (mine, other) = (members(ours), members(theirs));
    let added = other.names.iter().filter(|name| !mine.values.contains_key(*name));
    for name in mine.names.iter().chain(added) {
        let (a, b) = (mine.values.get(name), other.values.get(name));
        let base = old.as_ref().map(|old| old.values.get(name));
        let side = match wins(name, base, (a, b), later) {
            Verdict::Side(side) => side,
            Verdict::Conflict(side) => {
                notes.push(format!("`{name}` differs on both sides; the later one is kept"));
                side
            }
        };
        if side == Side::Theirs {
            block.take(name, b, theirs);
        }
    }
    block.bytes
}

enum Verdict {
    Side(Side),
    /// Both sides changed the value; this one is kept.
    Conflict(Side),
}

/// A value and its text without white space.
type Value = (Span, Vec<u8>);

/// The members of an object: the names, each once and in order, and their last values.
#[derive(Default)]
struct Members {
    names: Vec<String>,
    values: BTreeMap<String, Value>,
}

fn wins(
    name: &str,
    base: Option<Option<&Value>>,
    (ours, theirs): (Option<&Value>, Option<&Value>),
    later: Side,
) -> Verdict {
    let text = |value: Option<&Value>| value.map(|(_, text)| text.clone());
    let (mine, other) = (text(ours), text(theirs));
    if mine == other {
        return Verdict::Side(Side::Ours);
    }
    // If one side has no value, the other one is preferred.
    let preferred = match (&mine, &other) {
        (None, _) => Side::Theirs,
        (_, None) => Side::Ours,
        _ => later,
    };
    if name == "updatedAt" {
        return Verdict::Side(preferred);
    }
    match base.map(text) {
        Some(old) if old == mine => Verdict::Side(Side::Theirs),
        Some(old) if old == other => Verdict::Side(Side::Ours),
        None if mine.is_none() || other.is_none() => Verdict::Side(preferred),
        _ if name == "status" => Verdict::Side(preferred),
        _ => Verdict::Conflict(preferred),
    }
}

fn members(parts: &Parts<'_>) -> Members {
    let bytes = parts.bytes;
    let mut found = Members::default();
    json::for_each_member(bytes, parts.root, |reader, key| {
        let value = reader.skip()?;
        let name = key.to_text(bytes);
        if found.values.insert(name.clone(), (value, compact(value.of(bytes)))).is_none() {
            found.names.push(name);
        }
        Ok(())
    });
    found
}

/// The block of ours, with the values taken over from theirs.
struct Block {
    bytes: Vec<u8>,
    root: Span,
}

impl Block {
    fn new(ours: &Parts<'_>) -> Self {
        let start = ours.block.start;
        let root = Span::new(ours.root.start - start, ours.root.end - start);
        Self { bytes: ours.block.of(ours.bytes).to_vec(), root }
    }

    /// Takes over a value of theirs, or its removal.
    fn take(&mut self, name: &str, value: Option<&Value>, theirs: &Parts<'_>) {
        let before = self.bytes.len();
        match (value, self.member(name)) {
            (Some((value, _)), Some(old)) => {
                splice(&mut self.bytes, old.value, value.of(theirs.bytes));
            }
            (Some((value, _)), None) => {
                let value = outdented(theirs.bytes, *value);
                let added = json::set(&mut self.bytes, self.root, Dialect::Json, &[name], &value);
                added.expect("the block was read before without an error");
            }
            (None, _) => {
                // A key may occur more than once.
                while self.member(name).is_some() {
                    let before = self.bytes.len();
                    let removed = json::remove(&mut self.bytes, self.root, Dialect::Json, &[name]);
                    removed.expect("the block was read before without an error");
                    self.root.end -= before - self.bytes.len();
                }
                return;
            }
        }
        self.root.end = self.root.end + self.bytes.len() - before;
    }

    fn member(&self, name: &str) -> Option<Member> {
        json::member(&self.bytes, self.root, Dialect::Json, name).ok()?
    }
}
