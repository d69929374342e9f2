//! One thread by its exact id, among few and among many.

use std::path::Path;
use std::time::Duration;

use skein_catalog::show;
use skein_workspace::discover;

use super::env;
use crate::Outcome;
use crate::corpus::{Corpora, Corpus, Kind};
use crate::figure::Figure;
use crate::options::shown;
use crate::timing::{Pair, median, timed};

/// How many threads are asked for, in both corpora, so that their files are equally near.
const ASKED: usize = 200;
const ROUNDS: usize = 15;
const BOUND: f64 = 1.3;

/// Measures every corpus, discovery included, and holds the largest against the smallest.
pub(crate) fn figures(corpora: &Corpora, sizes: &[usize]) -> Outcome<Vec<Figure>> {
    let corpora = sizes.iter().map(|size| corpora.get(Kind::Review, *size));
    let corpora = corpora.collect::<Outcome<Vec<_>>>()?;
    let asked: Vec<(&Corpus, Vec<String>)> =
        corpora.iter().map(|corpus| (corpus, ids(corpus))).collect();
    let mut times: Vec<Vec<Duration>> = asked.iter().map(|_| Vec::new()).collect();
    // The corpora take turns with every id, and the first round warms the caches.
    for round in 0..=ROUNDS {
        for turn in 0..ASKED {
            for ((corpus, ids), times) in asked.iter().zip(&mut times) {
                let Some(id) = ids.get(turn % ids.len().max(1)) else { continue };
                let time = timed_show(&corpus.root, id)?;
                times.extend((round > 0).then_some(time));
            }
        }
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    let told = sizes.iter().zip(&medians).map(|(size, median)| {
        Figure::milliseconds("show by id", &shown(*size), *median).sized(*size)
    });
    let mut figures: Vec<Figure> = told.collect();
    if let ([few, .., many], [first, .., last]) = (sizes, medians.as_slice()) {
        let corpus = format!("{} to {}", shown(*few), shown(*many));
        let pair = Pair { baseline: *first, skein: *last };
        figures.push(Figure::ratio("show by id, many / few", corpus, pair).at_most(BOUND));
    }
    Ok(figures)
}

/// Returns ids from all over the corpus.
fn ids(corpus: &Corpus) -> Vec<String> {
    let step = (corpus.paths.len() / ASKED).max(1);
    corpus
        .paths
        .iter()
        .step_by(step)
        .take(ASKED)
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect()
}

fn timed_show(root: &Path, id: &str) -> Outcome<Duration> {
    let env = env(root);
    let (time, view) = timed(|| show(&discover(&env), &env, id));
    if view?.row.id == id {
        Ok(time)
    } else {
        Err(format!("another thread was shown than {id}").into())
    }
}
