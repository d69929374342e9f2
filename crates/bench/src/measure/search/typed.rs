//! Searches within one process, as the page has them for each key that is typed.

use std::time::Duration;

use skein_format::time::Time;
use skein_search::{Page, Query, SearchScope, Searcher, TextCache};
use skein_workspace::{Env, discover};

use super::scene::Scene;
use crate::Outcome;
use crate::measure::{NOW, env};
use crate::timing::{percentile, timed};

/// How often each query is asked, of which the best time counts.
const ROUNDS: usize = 4;
/// Of more threads than this, one query of ten is asked: the time of one grows with their number.
const ALL_QUERIES: usize = 20_000;
const PAGE: Page = Page { offset: 0, limit: 20, width: 160 };

/// The times of many queries.
pub(super) struct Times {
    pub(super) median: Duration,
    /// What one of a hundred exceeds.
    pub(super) slowest: Duration,
}

/// Times queries whose last word may be incomplete, as while it is being typed.
pub(super) fn times(scene: &Scene, queries: &[String]) -> Outcome<Times> {
    let env = Env { home: Some(scene.home().to_owned()), ..env(&scene.corpus.root) };
    let workspace = discover(&env);
    let cache = TextCache::default();
    let mut times = Vec::new();
    let step = if scene.corpus.paths.len() > ALL_QUERIES { 10 } else { 1 };
    for text in queries.iter().step_by(step) {
        let query = Query::parse_typed(text, Time::from_millis(NOW), &|_, _| false)?;
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let (time, hits) = timed(|| {
                let searcher = Searcher::new(workspace.clone(), SearchScope::Here, &env, false);
                searcher.query_cached(&query, PAGE, &env, &cache)
            });
            if hits.hits.is_empty() {
                return Err(format!("nothing is found for {text}").into());
            }
            best = best.min(time);
        }
        times.push(best);
    }
    Ok(Times { median: percentile(&times, 50), slowest: percentile(&times, 99) })
}
