//! Merges objects member by member.

use std::collections::BTreeMap;

use super::shape::ValueShape;
use super::{Merge, Outcome, Value, moved, placed};
use crate::json::{self, eol_of, indent_at, quote};
use crate::span::Span;

/// Members that depend on another one and are taken from the same side as that one.
const FOLLOWERS: [(&str, &[&str]); 2] =
    [("status", &["closed_at", "closed_by"]), ("state", &["completed_at", "error"])];

/// A member with its location.
struct Member<'a> {
    name: String,
    key: Span,
    value: Value<'a>,
}

/// The members of an object by name; of duplicates the last one.
type Names<'m, 'a> = BTreeMap<&'m str, &'m Value<'a>>;

/// Merges two objects into the text of ours.
pub(super) fn merge(
    merge: &Merge,
    base: Option<&Value<'_>>,
    ours: &Value<'_>,
    theirs: &Value<'_>,
    depth: usize,
) -> Vec<u8> {
    let (mine, other) = (members(ours), members(theirs));
    let old = base.map(members).unwrap_or_default();
    let mut versions = Versions {
        merge,
        old: by_name(&old),
        mine: by_name(&mine),
        other: by_name(&other),
        led: Vec::new(),
        depth,
    };
    versions.led = versions.followers();
    let values: Vec<Option<Vec<u8>>> =
        mine.iter().map(|member| versions.merged_value(member)).collect();
    let is_added = |member: &&Member<'_>| {
        let last = versions.other.get(member.name.as_str());
        !versions.mine.contains_key(member.name.as_str())
            && last.is_some_and(|last| last.span == member.value.span)
            && versions.choose(&member.name).is_some()
    };
    let added: Vec<&Member<'_>> = other.iter().filter(is_added).collect();
    write(ours, &mine, &values, &added)
}

/// The three versions of an object.
struct Versions<'m, 'a> {
    merge: &'m Merge,
    old: Names<'m, 'a>,
    mine: Names<'m, 'a>,
    other: Names<'m, 'a>,
    /// The members that are taken from the later side, even if it does not have them.
    led: Vec<&'static str>,
    depth: usize,
}

impl Versions<'_, '_> {
    /// Returns where a member is taken from; none if it is removed.
    fn choose(&self, name: &str) -> Option<Outcome> {
        let (a, b) = (self.mine.get(name), self.other.get(name));
        let base = self.old.get(name).copied();
        if self.led.contains(&name) {
            let later = self.merge.later();
            let there = if matches!(later, Outcome::Theirs) { b } else { a };
            return there.map(|_| later);
        }
        // A member that one side removed is kept only if the other side changed it.
        let keeps = |value: &Value<'_>| base.is_none_or(|base| !base.reads_as(value));
        match (a, b) {
            (Some(a), Some(b)) => Some(self.merge.value(base, a, b, self.depth + 1)),
            (Some(one), None) => keeps(one).then_some(Outcome::Ours),
            (None, Some(one)) => keeps(one).then_some(Outcome::Theirs),
            (None, None) => None,
        }
    }

    /// Returns the merged value of a member of ours; none if the member is removed.
    fn merged_value(&self, member: &Member<'_>) -> Option<Vec<u8>> {
        let outcome = self.choose(&member.name)?;
        let own = &member.value;
        let counts = self.mine.get(member.name.as_str()).is_some_and(|last| last.span == own.span);
        if !counts {
            return Some(own.span.of(own.bytes).to_vec());
        }
        let indent = indent_at(own.bytes, member.key.start);
        let other = self.other.get(member.name.as_str()).copied().unwrap_or(own);
        Some(placed(outcome, own, other, &indent))
    }

    /// Returns the members that depend on one that both sides changed.
    fn followers(&self) -> Vec<&'static str> {
        let both_changed = |leader: &str| {
            let (Some(a), Some(b)) = (self.mine.get(leader), self.other.get(leader)) else {
                return false;
            };
            let changed =
                |value: &Value<'_>| self.old.get(leader).is_none_or(|old| !old.reads_as(value));
            !a.reads_as(b) && changed(a) && changed(b)
        };
        let led = FOLLOWERS.iter().filter(|(leader, _)| both_changed(leader));
        led.flat_map(|(_, names)| names.iter().copied()).collect()
    }
}

fn members<'a>(object: &Value<'a>) -> Vec<Member<'a>> {
    let bytes = object.bytes;
    let mut found = Vec::new();
    json::for_each_member(bytes, object.span, |reader, key| {
        let value = Value::new(bytes, reader.skip()?);
        found.push(Member { name: key.to_text(bytes), key: key.span, value });
        Ok(())
    });
    found
}

fn by_name<'m, 'a>(members: &'m [Member<'a>]) -> Names<'m, 'a> {
    members.iter().map(|member| (member.name.as_str(), &member.value)).collect()
}

/// Writes our object with its merged members and the added ones.
fn write(
    ours: &Value<'_>,
    mine: &[Member<'_>],
    values: &[Option<Vec<u8>>],
    added: &[&Member<'_>],
) -> Vec<u8> {
    let bytes = ours.bytes;
    let mut shape = ValueShape::from_items(
        ours,
        mine.iter().map(|member| Span::new(member.key.start, member.value.span.end)),
    );
    for (member, value) in mine.iter().zip(values) {
        let Some(value) = value else {
            shape.skip();
            continue;
        };
        let key = Span::new(member.key.start, member.value.span.start).of(bytes);
        shape.keep(&[key, value].concat());
    }
    let colon = mine.last().map(|last| Span::new(last.key.end, last.value.span.start).of(bytes));
    let colon = colon.filter(|colon| colon.iter().all(|byte| b": \t".contains(byte)));
    for member in added {
        let value = moved(&member.value, &shape.indent, eol_of(bytes));
        let colon = colon.unwrap_or(if shape.many_lines { b": " } else { b":" });
        shape.add(&[&quote(&member.name), colon, &value].concat());
    }
    shape.close(b'{', b'}')
}
