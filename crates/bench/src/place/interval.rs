//! How far a share may be off by chance.

use std::collections::BTreeMap;

use super::case::Verdict;
use super::tally::Judged;
use crate::corpus::random::Random;

/// How many samples are drawn.
const SAMPLES: usize = 1000;

/// How many of the cases of a pair of commits are meant, and how many of those have the verdict.
type Cluster = (usize, usize);

/// Returns the share of cases with a verdict among those that pass, with the bounds of its 95 % interval, in percent.
///
/// Cases of one pair of commits are not independent of each other: pairs of commits are drawn, with all their cases.
pub(crate) fn share(
    judged: &[Judged<'_>],
    verdict: Verdict,
    is_meant: impl Fn(&Judged<'_>) -> bool,
) -> (f64, f64, f64) {
    let mut clusters: BTreeMap<&(String, String), Cluster> = BTreeMap::new();
    for one in judged.iter().filter(|one| is_meant(one)) {
        let cluster = clusters.entry(&one.case.ends).or_default();
        cluster.0 += 1;
        cluster.1 += usize::from(one.verdict == verdict);
    }
    let clusters: Vec<Cluster> = clusters.into_values().collect();
    let mut random = Random::seeded(1, 0);
    let mut shares: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let last = u64::try_from(clusters.len().saturating_sub(1)).unwrap_or_default();
            let mut draw = || usize::try_from(random.between(0, last)).unwrap_or_default();
            percent((0..clusters.len()).filter_map(|_| clusters.get(draw())))
        })
        .collect();
    shares.sort_unstable_by(f64::total_cmp);
    let bound = |index: usize| shares.get(index).copied().unwrap_or_default();
    (percent(clusters.iter()), bound(SAMPLES / 40), bound(SAMPLES - 1 - SAMPLES / 40))
}

fn percent<'c>(clusters: impl Iterator<Item = &'c Cluster>) -> f64 {
    let (all, hits) = clusters.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    100.0 * hits as f64 / (all.max(1)) as f64
}
