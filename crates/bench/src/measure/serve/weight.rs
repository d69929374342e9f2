//! What a browser fetches before it can show the first page.

use std::collections::BTreeSet;

use super::client::{As, Client};
use crate::Outcome;

/// Returns the bytes that go over the wire for a page with its stylesheet and all of its modules.
pub(super) fn weigh(client: &mut Client, address: &str) -> Outcome<usize> {
    let page = String::from_utf8(client.get(address, As::Plain)?.body)?;
    let linked = quoted(&page).filter(|text| text.starts_with("/assets/"));
    let mut waiting: Vec<String> = linked.map(str::to_owned).collect();
    let mut seen = BTreeSet::new();
    let mut bytes = client.get(address, As::Browser)?.bytes;
    while let Some(asset) = waiting.pop() {
        let name = asset.split('?').next().unwrap_or_default().to_owned();
        if !seen.insert(name.clone()) {
            continue;
        }
        bytes += client.get(&asset, As::Browser)?.bytes;
        if name.ends_with(".js") {
            let text = String::from_utf8(client.get(&asset, As::Plain)?.body)?;
            let modules = quoted(&text).filter_map(|text| text.strip_prefix("./"));
            waiting.extend(modules.map(|module| format!("/assets/{module}")));
        }
    }
    match seen.len() {
        0..3 => Err("the page has no stylesheet or no modules".into()),
        _ => Ok(bytes),
    }
}

/// Returns whatever stands between double quotes, and what is between those.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"')
}
