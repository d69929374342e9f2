//! Collapses the auto-checkpoints of a session, which would otherwise fill a list.

use std::collections::HashMap;

use crate::view::ThreadRow;

/// Keeps the first auto-checkpoint of each session, with the number of the others; the order is
/// unchanged.
///
/// Auto-checkpoints without a session are kept too.
pub fn fold_autos<T>(all: Vec<T>, row: impl Fn(&T) -> &ThreadRow) -> Vec<(T, usize)> {
    let mut folded: Vec<(T, usize)> = Vec::new();
    let mut first: HashMap<String, usize> = HashMap::new();
    for one in all {
        let session = session(row(&one)).map(str::to_owned);
        let known = session.as_ref().and_then(|session| first.get(session));
        if let Some((_, more)) = known.and_then(|at| folded.get_mut(*at)) {
            *more += 1;
            continue;
        }
        if let Some(session) = session {
            first.insert(session, folded.len());
        }
        folded.push((one, 0));
    }
    folded
}

fn session(row: &ThreadRow) -> Option<&str> {
    let detail = row.checkpoint()?;
    let is_auto = row.usable && detail.kind == "auto-checkpoint";
    detail.session_id.as_deref().filter(|id| is_auto && !id.trim().is_empty())
}
