//! Another program, which takes no lock, writes between any two operations.

use std::path::{Path, PathBuf};

use skein_store::{RemoveError, ReplaceError, Revision, remove, replace};
use skein_testkit::Foreign;

use crate::write_path::{COPY, DOC, NEW, OLD, WritePath, at, explain, temps};

const THEIRS: &[u8] = b"what another program wrote\n";
const LATER: &[u8] = b"what it wrote a moment later\n";

fn overwrite(bytes: &[u8]) -> Foreign {
    Foreign::Overwrite(PathBuf::from(DOC), bytes.to_vec())
}

fn rename_over(bytes: &[u8]) -> Foreign {
    Foreign::RenameOver(PathBuf::from(DOC), bytes.to_vec())
}

#[test]
fn bytes_of_other_programs_are_never_lost() {
    for path in WritePath::ALL {
        for (number, name) in path.operations() {
            if path == WritePath::ReplaceWithoutExchange && matches!(name, "exchange" | "rename") {
                // The documented race on systems that cannot exchange names.
                continue;
            }
            for foreign in [overwrite(THEIRS), rename_over(THEIRS)] {
                let (sim, guard) = path.start();
                sim.interfere_at(number, foreign.clone());
                let outcome = path.run(&sim, &guard);
                let files = sim.files();
                let context =
                    format!("{path:?}, {foreign:?} before {name}: {outcome:?}, {files:?}");
                let error = outcome.err().map(|error| explain(&*error)).unwrap_or_default();
                let named = |path: &Path| error.contains(path.to_str().unwrap());
                let safe = |path: &Path| [DOC, COPY].map(Path::new).contains(&path) || named(path);
                assert!(files.iter().any(|(p, bytes)| bytes == THEIRS && safe(p)), "{context}");
                assert!(temps(&files).into_iter().all(safe), "{context}");
            }
        }
    }
}

#[test]
fn a_file_removed_by_another_program_is_a_conflict_or_stays_removed() {
    for path in WritePath::ALL {
        for (number, name) in path.operations() {
            let (sim, guard) = path.start();
            sim.interfere_at(number, Foreign::Delete(PathBuf::from(DOC)));
            let outcome = path.run(&sim, &guard);
            let files = sim.files();
            let renamed_later = path == WritePath::ReplaceWithoutExchange
                && matches!(name, "exchange" | "rename")
                || path == WritePath::Create;
            assert!(temps(&files).is_empty(), "{path:?}, {name}: {files:?}");
            assert!(renamed_later || at(&files, DOC).is_none(), "{path:?}, {name}: {outcome:?}");
        }
    }
}

#[test]
fn a_conflict_reports_the_revision_that_was_found() {
    let (sim, guard) = WritePath::Replace.start();
    sim.interfere_at(sim.operations() + 1, overwrite(THEIRS));
    let error = replace(&sim, &guard, Path::new(DOC), &Revision::from_bytes(OLD), NEW).unwrap_err();
    let ReplaceError::Conflict { path, found, kept } = error else { panic!("{error}") };
    assert_eq!((&*path, found, kept), (Path::new(DOC), Some(Revision::from_bytes(THEIRS)), None));

    sim.interfere_at(sim.operations() + 1, Foreign::Delete(PathBuf::from(DOC)));
    let error = remove(&sim, &guard, Path::new(DOC), &Revision::from_bytes(OLD)).unwrap_err();
    assert!(matches!(error, RemoveError::Conflict { found: None, .. }), "{error}");
}

/// The other program writes before the exchange, and again before the exchange is undone.
#[test]
fn a_second_write_during_the_undo_is_kept() {
    let exchange = number_of("exchange");
    let (sim, guard) = WritePath::Replace.start();
    sim.interfere_at(exchange, overwrite(THEIRS));
    sim.interfere_at(exchange + 1, overwrite(LATER));
    let error = replace(&sim, &guard, Path::new(DOC), &Revision::from_bytes(OLD), NEW).unwrap_err();
    let ReplaceError::Conflict { found, kept: Some(kept), .. } = error else { panic!("{error}") };
    assert_eq!(found, Some(Revision::from_bytes(THEIRS)));
    assert_eq!(at(&sim.files(), DOC), Some(THEIRS));
    assert_eq!(sim.files()[&kept], LATER);
}

/// The other program writes before the exchange, then removes the file that replaced its own.
#[test]
fn a_removal_during_the_undo_does_not_lose_the_displaced_bytes() {
    let exchange = number_of("exchange");
    let (sim, guard) = WritePath::Replace.start();
    sim.interfere_at(exchange, overwrite(THEIRS));
    sim.interfere_at(exchange + 1, Foreign::Delete(PathBuf::from(DOC)));
    let error = replace(&sim, &guard, Path::new(DOC), &Revision::from_bytes(OLD), NEW).unwrap_err();
    assert!(matches!(error, ReplaceError::Conflict { kept: None, .. }), "{error}");
    assert_eq!(at(&sim.files(), DOC), Some(THEIRS));
    assert!(temps(&sim.files()).is_empty());
}

/// A power cut during the undo loses neither the bytes of the other program nor their file name.
#[test]
fn a_power_cut_during_the_undo_leaves_complete_documents() {
    let exchange = number_of("exchange");
    for cut in exchange..exchange + 8 {
        let (sim, guard) = WritePath::Replace.start();
        sim.interfere_at(exchange, rename_over(THEIRS));
        sim.cut_after(cut);
        replace(&sim, &guard, Path::new(DOC), &Revision::from_bytes(OLD), NEW).unwrap_err();
        for files in sim.survivors() {
            // Half of `THEIRS` is possible: the other program did not sync it.
            let doc = at(&files, DOC).unwrap();
            assert!(doc == OLD || doc == NEW || THEIRS.starts_with(doc), "{files:?}");
        }
    }
}

fn number_of(operation: &str) -> usize {
    let operations = WritePath::Replace.operations();
    operations.into_iter().find(|(_, name)| *name == operation).unwrap().0
}
