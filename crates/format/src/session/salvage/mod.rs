//! Saves the entries of a map that is damaged.

mod attempt;
mod damage;
mod scan;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::SessionMapDoc;
use super::outline::{MapLayout, MapValidity};
use super::value_set::ValueSet;
use crate::diagnostic::DiagnosticList;
use crate::json::{self, Str};
use crate::span::Span;
use crate::time::Time;
use scan::SalvageScan;

/// What could be saved.
#[derive(Debug)]
pub struct Salvage {
    /// A map of the entries that are whole, each byte for byte.
    ///
    /// It has the version that the file names: one that is not known may not be written.
    pub doc: SessionMapDoc,
    /// The number of entries in it.
    pub entries: usize,
    /// The lines where an entry is cut off or cannot be read, as many as a person would look at.
    pub cut: Vec<u32>,
    /// The number of entries that were there more than once, apart from white space, and were taken once.
    pub duplicates: usize,
}

/// Saves every entry that is whole from a file that was cut off, doubled or written over.
///
/// A file that is not damaged is returned unchanged. An entry is any element of a list of
/// `mappings`; where the list is broken, an object that names its session and its thread.
pub fn salvage(bytes: &[u8], now: Time) -> Salvage {
    let (layout, places) = MapLayout::read(bytes, &mut DiagnosticList::default());
    if layout.soundness != MapValidity::Corrupt {
        let entries = places.keyed.len() + places.keyless;
        let doc = SessionMapDoc { bytes: bytes.to_vec(), parsed: OnceLock::from((layout, places)) };
        return Salvage { doc, entries, cut: Vec::new(), duplicates: 0 };
    }
    let mut scan = SalvageScan::run(bytes);
    let found = scan.entries.len();
    let mut seen = ValueSet::default();
    scan.entries.retain(|span| seen.insert(span.of(bytes)));
    let entries = scan.entries.len();
    let (doc, _) = SessionMapDoc::parse(write(bytes, &scan, now));
    Salvage { doc, entries, cut: scan.damage.into_lines(), duplicates: found - entries }
}

/// Writes a map of what was found.
fn write(bytes: &[u8], scan: &SalvageScan<'_>, now: Time) -> Vec<u8> {
    let eol = json::eol_of(bytes);
    let version = scan.version.map_or(b"1".as_slice(), |version| version.of(bytes));
    let mut out =
        [b"{", eol, b"  \"version\": ", version, b",", eol, b"  \"mappings\": ["].concat();
    for (n, entry) in scan.entries.iter().enumerate() {
        out.extend_from_slice(if n > 0 { b"," } else { b"" });
        out.extend_from_slice(eol);
        out.extend_from_slice(b"    ");
        out.extend_from_slice(entry.of(bytes));
    }
    if !scan.entries.is_empty() {
        out.extend_from_slice(eol);
        out.extend_from_slice(b"  ");
    }
    out.extend_from_slice(b"],");
    for (key, value) in last_of_each(bytes, &scan.top) {
        out.extend([eol, b"  ", key.span.of(bytes), b": ", value.of(bytes), b","].concat());
    }
    out.extend([eol, b"  \"lastModified\": ", &json::quote(&now.to_string()), eol, b"}"].concat());
    out
}

/// Returns each key once, with the value that counts.
fn last_of_each(bytes: &[u8], keys: &[(Str, Span)]) -> Vec<(Str, Span)> {
    let mut list: Vec<(Str, Span)> = Vec::new();
    let mut places = HashMap::new();
    for (key, value) in keys {
        let place = *places.entry(key.name(bytes)).or_insert(list.len());
        match list.get_mut(place) {
            Some(known) => *known = (*key, *value),
            None => list.push((*key, *value)),
        }
    }
    list
}
