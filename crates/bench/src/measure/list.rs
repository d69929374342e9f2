//! Lists of many files against reading the same files.

use std::path::Path;
use std::time::Duration;

use skein_catalog::WorktreeScope;
use skein_model::Filter;
use skein_model::view::{Listing, ThreadRow};
use skein_workspace::discover;

use super::read::{Read, at_once, timed_read, to_end};
use super::{env, memory, process};
use crate::corpus::{Corpus, Kind};
use crate::figure::Figure;
use crate::options::shown;
use crate::programs::{Program, Programs};
use crate::timing::{best_of, timed};
use crate::{Ground, Outcome};

/// From this many files on the bounds hold; below it the start of the threads shows.
const JUDGED: usize = 10_000;

/// The names, the kinds and the bounds.
const LISTS: [(&str, Kind, f64); 2] = [
    ("list reviews / read", Kind::Review, 1.5),
    ("list checkpoints / read", Kind::Checkpoint, 2.2),
];

/// Measures lists of every size; of the largest one also the memory and the whole process.
pub(crate) fn figures(ground: &Ground) -> Outcome<Vec<Figure>> {
    let Ground { corpora, sizes, programs } = ground;
    let mut figures = Vec::new();
    for (name, kind, bound) in LISTS {
        for &size in sizes {
            let corpus = corpora.get(kind, size)?;
            let figure = against(name, kind, &corpus, to_end)?.sized(size);
            let figure = match kind {
                Kind::Review => figure.beside(Program::Rg, find_open(programs, &corpus)),
                Kind::Checkpoint => figure.beside(Program::Jq, take_titles(programs, &corpus)),
            };
            figures.push(figure.at_most_from(JUDGED, bound));
        }
    }
    if let Some(&largest) = sizes.last() {
        let corpus = corpora.get(Kind::Review, largest)?;
        let name = "list reviews / leanest read";
        figures.push(against(name, Kind::Review, &corpus, at_once)?);
        figures.push(memory::figure(&corpus)?);
        figures.extend(process::figure(&corpus)?);
    }
    Ok(figures)
}

/// Has ripgrep say which threads are open.
fn find_open(programs: &Programs, corpus: &Corpus) -> Option<Duration> {
    let args = ["--no-config", "-l", "\"status\": \"open\"", "."];
    programs.best(Program::Rg, &corpus.folder, &args)
}

/// Has jq print what a list shows of each checkpoint.
pub(super) fn take_titles(programs: &Programs, corpus: &Corpus) -> Option<Duration> {
    let args = ["-r", "[.thread_id, .updated_at, .metadata.title] | @tsv"];
    programs.best_over(Program::Jq, &corpus.folder, &args, &corpus.paths)
}

/// Lists the threads of a kind, discovery included.
pub(super) fn list(root: &Path, kind: Kind) -> Listing<Box<ThreadRow>> {
    let env = env(root);
    let kind = match kind {
        Kind::Review => skein_model::Kind::Review,
        Kind::Checkpoint => skein_model::Kind::Checkpoint,
    };
    let filter = Filter { kind: Some(kind), ..Filter::default() };
    let workspace = discover(&env);
    skein_catalog::list(&workspace, &env, &filter, WorktreeScope::ThisWorktree)
}

fn against(name: &'static str, kind: Kind, corpus: &Corpus, read: Read) -> Outcome<Figure> {
    let size = corpus.paths.len();
    let rounds = (300_000 / size).clamp(7, 60);
    let baseline = || timed_read(&corpus.paths, read);
    let pair = best_of(rounds, baseline, || timed_list(&corpus.root, kind, size))?;
    Ok(Figure::ratio(name, shown(size), pair))
}

fn timed_list(root: &Path, kind: Kind, size: usize) -> Outcome<Duration> {
    let (time, listing) = timed(|| list(root, kind));
    let usable = listing.threads.iter().filter(|row| row.usable).count();
    let sound = listing.threads.len() == size && listing.diagnostics.is_empty();
    if sound && usable == size {
        Ok(time)
    } else {
        Err(format!("the list of {} is not what was written", root.display()).into())
    }
}
