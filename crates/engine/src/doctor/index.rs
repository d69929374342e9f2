//! `index.json`: a cache that other programs read and nobody should believe.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::Value;
use skein_format::diagnostic::Code;
use skein_format::review::Range;

use super::{Repair, Report};
use crate::discover::Reviews;
use crate::filter::Filter;
use crate::read::{Depth, review};
use crate::settings::Settings;
use crate::view::{Detail, Row};

/// Compares the index with the thread files.
pub(super) fn examine(reviews: &Reviews, settings: &Settings, report: &mut Report) {
    let path = path(reviews);
    let wanted = entries(reviews, settings);
    let message = match skein_store::read(&path) {
        Ok(snapshot) => match stale(&snapshot.bytes, &wanted) {
            Some(message) => message,
            None => return,
        },
        Err(_) if wanted.is_empty() => return,
        Err(_) => "there is no index".to_owned(),
    };
    report.find(Code::IndexStale, &path, message);
    report.repairs.push(Repair::RebuildIndex { reviews: reviews.clone() });
}

pub(super) fn path(reviews: &Reviews) -> PathBuf {
    reviews.store().join("index.json")
}

/// Writes the index as it should be.
pub(crate) fn render(reviews: &Reviews, settings: &Settings) -> Vec<u8> {
    let index = Index { schema_version: 1, threads: entries(reviews, settings) };
    // Strings and numbers under string keys always serialise.
    let mut bytes = serde_json::to_vec_pretty(&index).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Index {
    schema_version: u32,
    threads: Vec<Entry>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    file: String,
    range: Option<Range>,
    status: String,
    updated_at: String,
}

/// Returns what the index should list, in the byte order of ids.
fn entries(reviews: &Reviews, settings: &Settings) -> Vec<Entry> {
    let rows = review::rows(reviews, &Filter::default(), settings, Depth::Gist).rows;
    let mut entries: Vec<Entry> =
        rows.into_iter().filter(|row| row.usable).filter_map(|row| entry(*row)).collect();
    entries.sort_by(|a, b| a.id.cmp(&b.id));
    entries
}

fn entry(row: Row) -> Option<Entry> {
    let Detail::Review(detail) = row.detail else {
        return None;
    };
    let target = detail.target?;
    Some(Entry {
        id: row.id,
        file: target.path,
        range: target.range.map(Into::into),
        status: row.status?.into_owned(),
        updated_at: row.updated_at.map(|at| at.to_string()).unwrap_or_default(),
    })
}

/// Says how the index differs from what it should be.
fn stale(bytes: &[u8], wanted: &[Entry]) -> Option<String> {
    let Ok(index) = serde_json::from_slice::<Value>(bytes) else {
        return Some("the index is not JSON".to_owned());
    };
    let listed: BTreeMap<&str, &Value> = index
        .get("threads")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.get("id").and_then(Value::as_str).map(|id| (id, entry)))
        .collect();
    let missing = wanted.iter().filter(|entry| !listed.contains_key(entry.id.as_str())).count();
    let differs = |entry: &&Entry| {
        let Some(listed) = listed.get(entry.id.as_str()) else {
            return false;
        };
        let is = |key: &str, text: &str| listed.get(key).and_then(Value::as_str) == Some(text);
        let range = serde_json::to_value(entry.range).unwrap_or_default();
        !is("file", &entry.file)
            || !is("status", &entry.status)
            || listed.get("range") != Some(&range)
    };
    let changed = wanted.iter().filter(differs).count();
    let gone = listed.len().saturating_sub(wanted.len() - missing);
    if missing + changed + gone == 0 {
        return None;
    }
    Some(format!(
        "missing in the index: {missing}, gone from the store: {gone}, changed: {changed}"
    ))
}
