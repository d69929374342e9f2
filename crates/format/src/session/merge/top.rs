//! The unknown keys of the top level.

use std::collections::HashSet;

use crate::json::{self, Dialect, NewItem, Reader, Str};
use crate::session::SessionMapDoc;
use crate::span::Span;

/// Returns the unknown keys of the top level that only one document has.
pub(super) fn only_in(one: &SessionMapDoc, other: &SessionMapDoc) -> Option<Vec<NewItem>> {
    if !one.layout().others {
        return Some(Vec::new());
    }
    let keys = keys(one)?;
    let others = self::keys(other)?;
    let known: HashSet<_> = others.iter().map(|(key, _)| key.name(&other.bytes)).collect();
    let mut seen = HashSet::new();
    // Of duplicates, the last one is used.
    let missing = keys.iter().rev().filter(|(key, _)| {
        let name = key.name(&one.bytes);
        !known.contains(&name) && seen.insert(name)
    });
    let mut items: Vec<NewItem> = missing
        .map(|(key, value)| NewItem {
            key: Some(key.span.of(&one.bytes).to_vec()),
            value: json::outdented(&one.bytes, *value),
        })
        .collect();
    items.reverse();
    Some(items)
}

fn keys(doc: &SessionMapDoc) -> Option<Vec<(Str, Span)>> {
    let mut keys = Vec::new();
    let mut reader = Reader::new(&doc.bytes, doc.layout().root, Dialect::Json);
    let read = reader.object(|reader, key| {
        let known = ["version", "mappings", "lastModified"];
        let value = reader.skip()?;
        if !known.iter().any(|name| key.is(&doc.bytes, name)) {
            keys.push((key, value));
        }
        Ok(())
    });
    read.ok().map(|_| keys)
}
