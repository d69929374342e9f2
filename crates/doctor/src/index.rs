//! Compares `index.json` with the thread files.

use std::collections::BTreeMap;

use serde_json::Value;
use skein_format::diagnostic::Code;
use skein_review::index::{IndexEntry, entries, path};
use skein_workspace::ReviewStore;
use skein_workspace::settings::Settings;

use super::{CheckReport, Repair};

/// Compares the index with the thread files.
pub(super) fn examine(reviews: &ReviewStore, settings: &Settings, report: &mut CheckReport) {
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

/// Returns a description of the difference between the index and the thread files.
fn stale(bytes: &[u8], wanted: &[IndexEntry]) -> Option<String> {
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
    let differs = |entry: &&IndexEntry| {
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
