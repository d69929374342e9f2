//! Rows of checkpoints, with what became of their work.

use skein_format::checkpoint::CheckpointFileKind;
use skein_format::time::Time;
use skein_model::view::ThreadRow;
use skein_model::{Filter, Kind};
use skein_store::{Chunk, Visit, scan};
use skein_workspace::CheckpointStore;

use crate::checkpoint_state::States;
use crate::rows::Rows;
use crate::rows::checkpoint::{is_hidden, is_wanted, row, scans};

/// Lists the checkpoints that pass; a thread hides a legacy checkpoint of the same id.
pub(crate) fn rows(checkpoints: &CheckpointStore, filter: &Filter, now: Time) -> Rows {
    let mut all = Rows::default();
    let found = rows_with(checkpoints, filter, now, &|_, _, _| (), &mut all);
    all.rows.extend(found.into_iter().map(|(row, ())| row));
    all
}

/// What is made of a checkpoint that passes, besides its row.
pub(crate) type MakeOfRow<'a, T> = &'a (dyn Fn(&ThreadRow, &[u8], CheckpointFileKind) -> T + Sync);

/// Reads the checkpoints that pass as `rows` does, and makes something else of each as well.
///
/// Files that cannot be read, and what else is wrong, go to `odd`.
pub fn rows_with<T: Send>(
    checkpoints: &CheckpointStore,
    filter: &Filter,
    now: Time,
    make: MakeOfRow<'_, T>,
    odd: &mut Rows,
) -> Vec<(Box<ThreadRow>, T)> {
    let states = &States::read(checkpoints, now);
    let mut all = read((checkpoints, states), CheckpointFileKind::Thread, filter, make, odd);
    let mut odd_legacy = Rows::default();
    let legacy =
        read((checkpoints, states), CheckpointFileKind::Legacy, filter, make, &mut odd_legacy);
    odd_legacy.rows.retain(|row| !checkpoints.replaces_legacy(&row.id));
    odd.add(odd_legacy);
    all.extend(legacy.into_iter().filter(|(row, _)| !checkpoints.replaces_legacy(&row.id)));
    all
}

fn read<T: Send>(
    (checkpoints, states): (&CheckpointStore, &States),
    form: CheckpointFileKind,
    filter: &Filter,
    make: MakeOfRow<'_, T>,
    odd: &mut Rows,
) -> Vec<(Box<ThreadRow>, T)> {
    let mut all = Vec::new();
    for (form, dir, options) in scans(checkpoints, &[form]) {
        let visit = |name: &str, chunk: Chunk<'_>| {
            if !chunk.whole {
                return Visit::More;
            }
            if is_hidden(checkpoints, &dir, name) {
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
        all.append(&mut odd.take_found(&dir, scan(&dir, &options, &visit), Kind::Checkpoint));
    }
    all
}
