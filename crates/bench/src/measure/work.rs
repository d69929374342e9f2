//! Checkpoints: the brief of the newest one against a list of them all, and one that names very many files.

use std::fs;
use std::time::Duration;

use skein_workspace::discover;

use super::list::{list, take_titles};
use super::{env, read};
use crate::corpus::{Corpora, Corpus, Kind, put};
use crate::figure::Figure;
use crate::options::shown;
use crate::programs::Program;
use crate::timing::{best_of, timed};
use crate::{Ground, Outcome};

const ROUNDS: usize = 9;
const RESUME: f64 = 1.5;
const WIDE: f64 = 2.0;
/// The number of files that one checkpoint names.
const PATHS: usize = 200_000;

/// Measures what is done with checkpoints, but for writing them.
pub(crate) fn figures(ground: &Ground) -> Outcome<Vec<Figure>> {
    let Ground { corpora, sizes, programs } = ground;
    let mut figures = Vec::new();
    for &size in sizes {
        let corpus = corpora.get(Kind::Checkpoint, size)?;
        let figure = resume(&corpus)?.sized(size).at_most(RESUME);
        figures.push(figure.beside(Program::Jq, take_titles(programs, &corpus)));
    }
    figures.push(wide(corpora)?.at_most(WIDE));
    Ok(figures)
}

/// Without a handoff the newest checkpoint is meant, and its file can be known only from all of them.
fn resume(corpus: &Corpus) -> Outcome<Figure> {
    let baseline = || {
        let (time, listing) = timed(|| list(&corpus.root, Kind::Checkpoint));
        expect(listing.threads.len() == corpus.paths.len(), time)
    };
    let skein = || {
        let env = env(&corpus.root);
        let (time, brief) = timed(|| skein_summary::brief(&discover(&env), &env, None));
        let text = brief?.text(10_000);
        expect(text.len() > 100, time)
    };
    let pair = best_of(ROUNDS, baseline, skein)?;
    Ok(Figure::ratio("resume / list checkpoints", shown(corpus.paths.len()), pair))
}

/// One file, which both read on one thread; its texts are checked on two.
fn wide(corpora: &Corpora) -> Outcome<Figure> {
    let root = corpora.scratch()?;
    let dir = root.path().join("workspace/threads");
    fs::create_dir_all(&dir)?;
    let path = dir.join("T-20260123-143052-wide.json");
    let files = (0..PATHS).map(|n| format!("    \"packages/part-{}/src/module_{n}.ts\"", n % 977));
    let files = files.collect::<Vec<_>>().join(",\n");
    let text = format!(
        "{{\n  \"thread_id\": \"T-20260123-143052-wide\",\n  \"version\": 1,\n  \"type\": \"checkpoint\",\n  \
         \"created_at\": \"2026-01-23T14:30:52.000Z\",\n  \"updated_at\": \"2026-01-23T14:30:52.000Z\",\n  \
         \"conversation_summary\": \"Moved every module.\",\n  \"files_touched\": [\n{files}\n  ]\n}}\n"
    );
    put(&path, text.as_bytes())?;
    let paths = [path];
    let baseline = || read::timed_read(&paths, read::to_end);
    let skein = || {
        let (time, listing) = timed(|| list(root.path(), Kind::Checkpoint));
        expect(listing.threads.iter().any(|row| row.usable), time)
    };
    let pair = best_of(ROUNDS * 5, baseline, skein)?;
    Ok(Figure::ratio("list of one wide checkpoint / read", format!("{} paths", shown(PATHS)), pair))
}

fn expect(sound: bool, time: Duration) -> Outcome<Duration> {
    if sound { Ok(time) } else { Err("the checkpoints are not what was written".into()) }
}
