//! Sends the marks of files that have other ones than before.

use std::collections::{BTreeMap, BTreeSet};

use crate::client::Client;
use crate::diagnostics::{of_threads, of_unusable};
use crate::folder::Folder;
use crate::protocol::Diagnostic;
use crate::thread_line::waits_on_user;

/// Maximum number of files that are not open and have marks.
const MAX_FILES: usize = 300;
/// Maximum number of marks of thread files that cannot be used.
const MAX_UNUSABLE: usize = 100;
/// Maximum number of marks in files that are not open.
const MAX_DIAGNOSTICS: usize = 1_000;

/// The marks of a file, and the version of its text if it is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FileMarks {
    pub(crate) version: Option<i64>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What the client was sent, by the address of the file.
#[derive(Debug, Default)]
pub(crate) struct Publisher {
    sent: BTreeMap<String, FileMarks>,
}

impl Publisher {
    /// Returns the files whose marks are to be sent; `open` has the addresses and versions of open files by their address from us.
    pub(crate) fn changes(
        &mut self,
        folders: &[Folder],
        client: Client,
        open: &BTreeMap<String, Vec<(String, i64)>>,
    ) -> Vec<(String, FileMarks)> {
        let wanted = wanted(folders, client, open);
        let addresses: BTreeSet<&String> = self.sent.keys().chain(wanted.keys()).collect();
        let none = FileMarks::default();
        let mut changes = Vec::new();
        for address in addresses {
            let (before, now) = (self.sent.get(address), wanted.get(address));
            let now = now.unwrap_or(&none);
            // An editor moves marks while the user types, so those of a new version are always sent.
            if before.unwrap_or(&none) != now {
                changes.push((address.clone(), now.clone()));
            }
        }
        self.sent = wanted;
        changes
    }
}

fn wanted(
    folders: &[Folder],
    client: Client,
    open: &BTreeMap<String, Vec<(String, i64)>>,
) -> BTreeMap<String, FileMarks> {
    let mut wanted: BTreeMap<String, FileMarks> = BTreeMap::new();
    let mut others = Vec::new();
    for folder in folders {
        let Some(loaded) = &folder.loaded else { continue };
        for (path, views) in &loaded.shown {
            let found = of_threads(loaded, client, views);
            let address = folder.uri(&loaded.root.join(path));
            match open.get(&address) {
                Some(addresses) => wanted.extend(addresses.iter().map(|(address, version)| {
                    let diagnostics = found.clone();
                    (address.clone(), FileMarks { version: Some(*version), diagnostics })
                })),
                None if found.is_empty() => {}
                None => {
                    let own = views.iter().filter(|view| waits_on_user(loaded, view)).count();
                    others.push((std::cmp::Reverse(own), address, found));
                }
            }
        }
        for (address, found) in of_unusable(folder, loaded).into_iter().take(MAX_UNUSABLE) {
            wanted.entry(address).or_default().diagnostics.push(found);
        }
    }
    others.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let mut left = MAX_DIAGNOSTICS;
    for (_, address, mut found) in others.into_iter().take(MAX_FILES) {
        found.truncate(left);
        left -= found.len();
        wanted.entry(address).or_default().diagnostics = found;
    }
    wanted.retain(|_, marks| marks.version.is_some() || !marks.diagnostics.is_empty());
    wanted
}
