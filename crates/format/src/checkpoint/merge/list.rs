//! Merges lists.

use std::collections::HashMap;

use super::shape::ValueShape;
use super::{Merge, Outcome, Value, moved, placed};
use crate::json::{self, JsonKind, Str, eol_of};

/// Maximum number of entries with the same id or text that are compared.
const MAX_CANDIDATES: usize = 16;
/// The keys for the text of an entry that is an object; the first one present is used.
const TEXTS: [&str; 4] = ["path", "step", "text", "title"];

/// An entry of a list, and the id and text that identify it.
struct Element<'a> {
    value: Value<'a>,
    id: Option<String>,
    text: String,
}

/// An entry in up to three versions.
#[derive(Default)]
struct Item {
    /// The positions in the base, ours and theirs.
    at: [Option<usize>; 3],
}

/// Merges two lists: the entries of the base in its order, then those of ours, then those of theirs.
pub(super) fn merge(
    merge: &Merge,
    base: Option<&Value<'_>>,
    ours: &Value<'_>,
    theirs: &Value<'_>,
    depth: usize,
) -> Vec<u8> {
    let sides = [base.map(elements).unwrap_or_default(), elements(ours), elements(theirs)];
    let items = pair(&sides);
    let [old, mine, other] = &sides;
    let mut shape = ValueShape::from_items(ours, mine.iter().map(|element| element.value.span));
    let indent = shape.indent.clone();
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for item in &items {
        let [b, a, t] = item.at;
        let base = b.and_then(|at| old.get(at)).map(|element| &element.value);
        let mine = a.and_then(|at| mine.get(at)).map(|element| &element.value);
        let other = t.and_then(|at| other.get(at)).map(|element| &element.value);
        let untouched = |value: &Value<'_>| base.is_some_and(|base| base.reads_as(value));
        match (mine, other) {
            (Some(a), Some(t)) => {
                let outcome = merge.value(base, a, t, depth + 1);
                kept.push(placed(outcome, a, t, &indent));
            }
            (Some(a), None) if !untouched(a) => kept.push(placed(Outcome::Ours, a, a, &indent)),
            (None, Some(t)) if !untouched(t) => {
                kept.push(moved(t, &indent, eol_of(ours.bytes)));
            }
            _ => {}
        }
    }
    for (n, entry) in kept.iter().enumerate() {
        if n < mine.len() { shape.keep(entry) } else { shape.add(entry) }
    }
    shape.close(b'[', b']')
}

/// Matches the entries of the three versions.
fn pair(sides: &[Vec<Element<'_>>; 3]) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    let mut by_id: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
    // How many of the entries with a text are already matched by a side.
    let mut used: HashMap<(&str, usize), usize> = HashMap::new();
    for (side, elements) in sides.iter().enumerate() {
        for (at, element) in elements.iter().enumerate() {
            let free = |item: &&usize| {
                items.get(**item).is_some_and(|item| item.at.get(side) == Some(&None))
            };
            let same_id = element.id.as_deref().and_then(|id| by_id.get(id));
            let found =
                same_id.and_then(|same| same.iter().take(MAX_CANDIDATES).find(free)).copied();
            let found = found.or_else(|| {
                let same = by_text.get(element.text.as_str())?;
                let from = used.entry((&element.text, side)).or_default();
                while same.get(*from).is_some_and(|item| !free(&item)) {
                    *from += 1;
                }
                let fits = |item: &&usize| free(item) && !differ(sides, items.get(**item), element);
                same.iter().skip(*from).take(MAX_CANDIDATES).find(fits).copied()
            });
            let item = found.unwrap_or_else(|| {
                items.push(Item::default());
                items.len() - 1
            });
            if let Some(slot) = items.get_mut(item).and_then(|item| item.at.get_mut(side)) {
                *slot = Some(at);
            }
            if let Some(id) = element.id.as_deref() {
                note(by_id.entry(id).or_default(), item);
            }
            note(by_text.entry(&element.text).or_default(), item);
        }
    }
    items
}

fn note(list: &mut Vec<usize>, item: usize) {
    if list.last() != Some(&item) {
        list.push(item);
    }
}

/// Returns whether an item has another id than an entry of the same text.
fn differ(sides: &[Vec<Element<'_>>; 3], item: Option<&Item>, element: &Element<'_>) -> bool {
    let Some(item) = item else { return true };
    let ids = item.at.iter().zip(sides).filter_map(|(at, side)| side.get((*at)?)?.id.as_deref());
    element.id.as_deref().is_some_and(|own| ids.into_iter().any(|id| id != own))
}

fn elements<'a>(list: &Value<'a>) -> Vec<Element<'a>> {
    let bytes = list.bytes;
    let mut found = Vec::new();
    json::for_each_element(bytes, list.span, |reader| {
        let kind = reader.peek()?;
        let value = Value::new(bytes, reader.skip()?);
        found.push(identified(value, kind));
        Ok(())
    });
    found
}

/// Returns an entry with its id and its text; without a text, the id or else the JSON is used.
fn identified(value: Value<'_>, kind: JsonKind) -> Element<'_> {
    let bytes = value.bytes;
    let (mut id, mut texts) = (None, [const { None }; TEXTS.len()]);
    match kind {
        JsonKind::String => {
            let text = Some(Str::at(bytes, value.span).to_text(bytes));
            texts = [text, None, None, None];
        }
        JsonKind::Object => {
            json::for_each_member(bytes, value.span, |reader, key| {
                let name = key.to_text(bytes);
                let slot = TEXTS.iter().position(|text| *text == name);
                let text = reader.string_or_skip()?.map(|text| text.to_text(bytes));
                match slot.and_then(|slot| texts.get_mut(slot)) {
                    Some(slot) => *slot = text,
                    None if name == "id" => id = text,
                    None => {}
                }
                Ok(())
            });
        }
        _ => {}
    }
    let text = texts.into_iter().flatten().next();
    let text = text.or_else(|| id.clone());
    let text = text.unwrap_or_else(|| String::from_utf8_lossy(&value.plain).into_owned());
    Element { value, id, text }
}
