//! Whole commands, each in a process of its own, in turn with the baseline.

use super::find::Finding;
use super::scene::Scene;
use crate::Outcome;
use crate::timing::Pair;
use std::time::Duration;

const ROUNDS: usize = 6;

/// Times the baseline and the program, and takes the best time of each for every word.
pub(super) fn times(scene: &Scene, finding: &Finding<'_>, words: &[String]) -> Outcome<Pair> {
    let (mut baseline, mut skein) = (Duration::ZERO, Duration::ZERO);
    for word in words {
        let mut best = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            let (time, found) = scene.search(word)?;
            if found == 0 {
                return Err(format!("nothing is found for {word}").into());
            }
            let round = [finding.timed(word)?, time];
            best.iter_mut().zip(round).for_each(|(best, time)| *best = time.min(*best));
        }
        let [of_baseline, of_skein] = best;
        baseline += of_baseline;
        skein += of_skein;
    }
    let count = u32::try_from(words.len().max(1))?;
    Ok(Pair { baseline: baseline / count, skein: skein / count })
}
