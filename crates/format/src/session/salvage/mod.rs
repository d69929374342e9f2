//! Recovers the entries of a damaged map.

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

/// The result of a recovery.
#[derive(Debug)]
pub struct Salvage {
    /// A map of the complete entries, each byte for byte.
    ///
    /// It has the version of the file: a map of an unknown version must not be written.
    pub doc: SessionMapDoc,
    /// The number of entries in it.
    pub entries: usize,
    /// The lines where an entry is truncated or cannot be parsed, up to a limit.
    pub cut: Vec<u32>,
    /// The number of repeated entries that were dropped; white space is not compared.
    pub duplicates: usize,
}

/// Recovers every complete entry from a file that was truncated, duplicated or overwritten.
///
/// A file that is not damaged is returned unchanged. An entry is any element of a list of
/// `mappings`; outside of such a list, an object with a session and a thread.
pub fn salvage(bytes: &[u8], now: Time) -> Salvage {
    let (layout, positions) = MapLayout::read(bytes, &mut DiagnosticList::default());
    if layout.soundness != MapValidity::Corrupt {
        let entries = positions.keyed.len() + positions.keyless;
        let doc =
            SessionMapDoc { bytes: bytes.to_vec(), parsed: OnceLock::from((layout, positions)) };
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

/// Returns a map of the recovered entries and keys.
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

/// Returns each key once, with its last value.
fn last_of_each(bytes: &[u8], keys: &[(Str, Span)]) -> Vec<(Str, Span)> {
    let mut list: Vec<(Str, Span)> = Vec::new();
    let mut positions = HashMap::new();
    for (key, value) in keys {
        let position = *positions.entry(key.name(bytes)).or_insert(list.len());
        match list.get_mut(position) {
            Some(known) => *known = (*key, *value),
            None => list.push((*key, *value)),
        }
    }
    list
}
