//! Searches within one process, as the server and the watcher have them.

use std::time::Duration;

use skein_engine::search::{Page, Query, Searcher};
use skein_engine::{Dirs, Env, discover};
use skein_format::time::Time;

use super::scene::{Cache, Scene};
use super::walk::timed_walk;
use crate::Outcome;
use crate::measure::{NOW, env};
use crate::timing::{Pair, best_of, percentile, timed};

/// How often each query is asked, of which the best time counts.
const ROUNDS: usize = 4;
const PAGE: Page = Page { offset: 0, limit: 20, width: 160 };

/// The times of many queries.
pub(super) struct Asked {
    pub(super) median: Duration,
    /// What one of a hundred exceeds.
    pub(super) slowest: Duration,
}

/// Times the look whether anything changed, against a walk over the same files, and then the queries.
pub(super) fn times(scene: &Scene, queries: &[String]) -> Outcome<(Pair, Asked)> {
    let env = Env {
        home: Some(scene.home().to_owned()),
        dirs: Dirs::new(
            scene.home().join("state/skein"),
            scene.cache(Cache::Indexed).join("skein"),
        ),
        ..env(&scene.corpus.root)
    };
    let mut searcher = Searcher::new(vec![discover(&env)], &env, false);
    let size = scene.corpus.paths.len();
    let rounds = (300_000 / size).clamp(9, 60);
    let baseline = || timed_walk(&scene.corpus.folder, size);
    let unchanged = best_of(rounds, baseline, || Ok(timed(|| searcher.refresh()).0))?;
    let mut times = Vec::new();
    for text in queries {
        let query = Query::parse(text, Time::from_millis(NOW))?;
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let (time, hits) = timed(|| searcher.query(&query, PAGE, &env, &()));
            if hits.hits.is_empty() {
                return Err(format!("nothing is found for {text}").into());
            }
            best = best.min(time);
        }
        times.push(best);
    }
    Ok((unchanged, Asked { median: percentile(&times, 50), slowest: percentile(&times, 99) }))
}
