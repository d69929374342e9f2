//! One thread by its exact id, among few and among many.

use std::path::Path;
use std::time::Duration;

use skein_engine::{discover, show};

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

/// Measures the largest corpus against the smallest one, discovery included.
pub(crate) fn figures(corpora: &Corpora, sizes: &[usize]) -> Outcome<Vec<Figure>> {
    let (Some(&few), Some(&many)) = (sizes.first(), sizes.last()) else {
        return Ok(Vec::new());
    };
    let small = corpora.get(Kind::Review, few)?;
    let large = corpora.get(Kind::Review, many)?;
    let (ids, other_ids) = (ids(&small), ids(&large));
    let (mut times, mut other_times) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        for (id, other) in ids.iter().zip(&other_ids) {
            let pair = (timed_show(&small.root, id)?, timed_show(&large.root, other)?);
            if round > 0 {
                times.push(pair.0);
                other_times.push(pair.1);
            }
        }
    }
    let pair = Pair { baseline: median(times), skein: median(other_times) };
    let corpus = format!("{} to {}", shown(few), shown(many));
    let name = "show by id, many / few";
    Ok(vec![Figure::ratio(name, corpus, pair).at_most(BOUND)])
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
