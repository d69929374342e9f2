//! Filters that need more than the files of review threads: the current location of their code, and
//! their branch.

use std::collections::HashSet;
use std::path::PathBuf;

use skein_catalog::placed;
use skein_model::view::ThreadRow;

use super::folder::Folder;
use super::query::Query;
use super::scan::{Match, MatchOrigin};

/// Keeps the review threads that match the whole query; the others match only by their files.
pub(super) fn retain(folder: &Folder, query: &Query, matches: &mut Vec<Match<'_>>) {
    let row = |one: &Match<'_>| Some(folder.view(&one.name, folder.read(&one.name)?.ok()?).row);
    let readable = matches.iter().filter(|one| matches!(one.origin, MatchOrigin::File(_)));
    let mut rows: Vec<ThreadRow> = readable.filter_map(row).collect();
    placed::retain(&folder.workspace, &query.filter, &mut rows);
    for except in query.except.iter().filter(|except| except.asks_beyond_review_file()) {
        let mut excluded = rows.clone();
        placed::retain(&folder.workspace, except, &mut excluded);
        let excluded = files(excluded);
        rows.retain(|row| !excluded.contains(&row.file));
    }
    let kept = files(rows);
    matches.retain(|one| kept.contains(&folder.dir.join(&one.name)));
}

fn files(rows: Vec<ThreadRow>) -> HashSet<PathBuf> {
    rows.into_iter().map(|row| row.file).collect()
}
