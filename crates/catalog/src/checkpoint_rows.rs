//! Rows of checkpoints, with the state of their work.

use skein_format::checkpoint::CheckpointFileKind;
use skein_format::time::Time;
use skein_model::view::ThreadRow;
use skein_model::{Filter, Kind};
use skein_store::{Chunk, Visit, scan};
use skein_workspace::CheckpointStore;

use crate::checkpoint_state::States;
use crate::rows::Rows;
use crate::rows::checkpoint::{is_hidden, is_wanted, row, scans};

/// Lists the checkpoints that match; a thread hides a legacy checkpoint of the same id.
pub(crate) fn rows(checkpoints: &CheckpointStore, filter: &Filter, now: Time) -> Rows {
    let mut all = Rows::default();
    let found = rows_with(checkpoints, filter, now, &|_, _, _| (), &mut all);
    all.rows.extend(found.into_iter().map(|(row, ())| row));
    all
}

/// Computes a value for a matching checkpoint, in addition to its row.
pub(crate) type MakeOfRow<'a, T> = &'a (dyn Fn(&ThreadRow, &[u8], CheckpointFileKind) -> T + Sync);

/// Reads the checkpoints that match, as `rows` does, and computes a value for each.
///
/// Unreadable files and diagnostics are added to `unread`.
pub fn rows_with<T: Send>(
    checkpoints: &CheckpointStore,
    filter: &Filter,
    now: Time,
    make: MakeOfRow<'_, T>,
    unread: &mut Rows,
) -> Vec<(Box<ThreadRow>, T)> {
    let states = States::read(checkpoints, now);
    let mut all = Vec::new();
    for (form, dir, options) in scans(checkpoints) {
        let visit = |name: &str, chunk: Chunk<'_>| {
            if !chunk.whole {
                return Visit::More;
            }
            if is_hidden(checkpoints, form, &dir, name) {
                return Visit::Done(None);
            }
            let mut row = row(chunk.bytes, &dir.join(name), form);
            states.mark(&mut row);
            let usable = row.usable;
            let passes = is_wanted(&row, chunk.bytes, form, filter);
            let found = passes.then(|| {
                let made = make(&row, chunk.bytes, form);
                (Box::new(row), made)
            });
            if usable { Visit::Done(found) } else { Visit::Broken(found) }
        };
        all.append(&mut unread.take_found(&dir, scan(&dir, &options, &visit), Kind::Checkpoint));
    }
    let legacy = checkpoints.legacy();
    let is_legacy = |row: &ThreadRow| row.file.parent() == Some(legacy.as_path());
    unread.rows.retain(|row| !(is_legacy(row) && checkpoints.replaces_legacy(&row.id)));
    all
}
