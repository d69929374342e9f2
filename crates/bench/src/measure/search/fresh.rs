//! Whole commands, each in a process of its own, in turn with the baseline.

use std::time::Duration;

use super::find::Finding;
use super::scene::{Cache, Scene};
use crate::Outcome;

const ROUNDS: usize = 5;

/// What a search for some words takes on average.
pub(super) struct Times {
    pub(super) baseline: Duration,
    pub(super) indexed: Duration,
    pub(super) without: Duration,
}

/// Times the baseline and the program, with an index and without, and takes the best time of each for every word.
pub(super) fn times(scene: &Scene, finding: &Finding<'_>, words: &[String]) -> Outcome<Times> {
    let mut sums = [Duration::ZERO; 3];
    for word in words {
        let mut best = [Duration::MAX; 3];
        for _ in 0..=ROUNDS {
            let (indexed, found) = scene.search(word, Cache::Indexed)?;
            let (without, also) = scene.search(word, Cache::Empty)?;
            if found == 0 || found != also {
                return Err(format!("{word}: {found} with an index, {also} without").into());
            }
            let round = [finding.timed(word)?, indexed, without];
            best.iter_mut().zip(round).for_each(|(best, time)| *best = time.min(*best));
        }
        sums.iter_mut().zip(best).for_each(|(sum, best)| *sum += best);
    }
    let count = u32::try_from(words.len().max(1))?;
    let [baseline, indexed, without] = sums.map(|sum| sum / count);
    Ok(Times { baseline, indexed, without })
}
