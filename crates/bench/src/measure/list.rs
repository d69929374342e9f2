//! Lists of many files against reading the same files.

use std::path::Path;
use std::time::Duration;

use skein_engine::view::{Listing, Row};
use skein_engine::{Filter, Scope, discover};

use super::read::{Read, at_once, timed_read, to_end};
use super::{env, memory, process};
use crate::Outcome;
use crate::corpus::{Corpora, Corpus, Kind};
use crate::figure::Figure;
use crate::options::shown;
use crate::timing::{best_of, timed};

/// From this many files on the bounds hold; below it the start of the threads shows.
const JUDGED: usize = 10_000;

/// The names, the kinds and the bounds.
const LISTS: [(&str, Kind, f64); 2] = [
    ("list reviews / read", Kind::Review, 1.5),
    ("list checkpoints / read", Kind::Checkpoint, 2.2),
];

/// Measures lists of every size; of the largest one also the memory and the whole process.
pub(crate) fn figures(corpora: &Corpora, sizes: &[usize]) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for (name, kind, bound) in LISTS {
        for &size in sizes {
            let corpus = corpora.get(kind, size)?;
            let figure = against(name, kind, &corpus, to_end)?;
            figures.push(if size < JUDGED { figure } else { figure.at_most(bound) });
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

/// Lists the threads of a kind, discovery included.
pub(super) fn list(root: &Path, kind: Kind) -> Listing<Box<Row>> {
    let env = env(root);
    let kind = match kind {
        Kind::Review => skein_engine::Kind::Review,
        Kind::Checkpoint => skein_engine::Kind::Checkpoint,
    };
    let filter = Filter { kind: Some(kind), ..Filter::default() };
    let workspace = discover(&env);
    skein_engine::list(&workspace, &env, &filter, Scope::ThisWorktree)
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
