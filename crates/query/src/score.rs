//! Scores threads: BM25 over weighted fields.

use crate::field::TextRole;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Statistics of all searched threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of threads.
    pub docs: u64,
    /// The total number of bytes, by role.
    pub lengths: [u64; 3],
    /// The number of threads that contain each positive clause.
    pub frequencies: Vec<u64>,
}

/// Scores threads.
#[derive(Clone, Debug)]
pub struct Scorer {
    /// The weight of each positive clause: its rarity.
    rarities: Vec<f64>,
    /// The reciprocal of the average length, by role.
    scales: [f64; 3],
}

impl Scorer {
    /// Creates a scorer from the statistics of all threads.
    pub fn new(stats: &Stats) -> Self {
        let rarity = |frequency: &u64| rarity(stats.docs, *frequency);
        let scale = |all| if all == 0 { 0.0 } else { stats.docs as f64 / all as f64 };
        Self {
            rarities: stats.frequencies.iter().map(rarity).collect(),
            scales: stats.lengths.map(scale),
        }
    }

    /// Returns the score of a thread, at least 0; higher is better.
    ///
    /// `counts` has the number of matches of each positive clause, by role; `lengths` the bytes of
    /// each role.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a rank needs no more than the digits of f32"
    )]
    pub fn score(&self, counts: &[[u32; 3]], lengths: [u32; 3]) -> f32 {
        let mut sum = 0.0;
        for (counts, rarity) in counts.iter().zip(&self.rarities) {
            sum += rarity * self.clause_score(*counts, lengths);
        }
        sum as f32
    }

    /// Returns the frequency of a clause, weighted by role and by relative length.
    fn clause_score(&self, counts: [u32; 3], lengths: [u32; 3]) -> f64 {
        let [title, label, body] = counts;
        let [title_length, label_length, body_length] = lengths;
        let [title_scale, label_scale, body_scale] = self.scales;
        damped(TextRole::Title, title, f64::from(title_length) * title_scale)
            + damped(TextRole::Label, label, f64::from(label_length) * label_scale)
            + damped(TextRole::Body, body, f64::from(body_length) * body_scale)
    }
}

/// Returns the weight of a count in a role whose length is `share` times the average.
#[inline]
fn damped(field: TextRole, count: u32, share: f64) -> f64 {
    if count == 0 {
        return 0.0;
    }
    let count = f64::from(count);
    f64::from(field.weight()) * count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * share))
}

/// Returns the inverse document frequency of a clause.
fn rarity(docs: u64, frequency: u64) -> f64 {
    let without = docs.saturating_sub(frequency) as f64;
    (1.0 + (without + 0.5) / (frequency as f64 + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(counts: &[[u32; 3]], lengths: [u32; 3], stats: &Stats) -> f32 {
        Scorer::new(stats).score(counts, lengths)
    }

    fn stats() -> Stats {
        Stats { docs: 100, lengths: [500, 300, 50_000], frequencies: vec![5, 80] }
    }

    #[test]
    fn a_rare_word_in_the_title_is_best() {
        let lengths = [5, 3, 500];
        let score = |counts| score(counts, lengths, &stats());
        let title = score(&[[1, 0, 0], [0, 0, 1]]);
        let label = score(&[[0, 1, 0], [0, 0, 1]]);
        let body = score(&[[0, 0, 1], [0, 0, 1]]);
        let common = score(&[[0, 0, 1], [1, 0, 0]]);
        assert!(title > label && label > body && common < title && common > body);
        assert!(score(&[[0, 0, 2]]) > score(&[[0, 0, 1]]));
        assert!(score(&[[0, 0, 1000]]) < 2.3 * score(&[[0, 0, 1]]));
    }

    #[test]
    fn a_match_in_a_short_text_scores_higher() {
        let counts = [[0, 0, 1]];
        assert!(score(&counts, [0, 0, 10], &stats()) > score(&counts, [0, 0, 5000], &stats()));
    }

    #[test]
    fn the_score_of_one_word_is_bm25() {
        // ln(1 + 95.5 / 5.5) times (1 × 2.2) / (1 + 1.2), in a field of average length.
        let expected = (1.0_f64 + 95.5 / 5.5).ln();
        assert!((f64::from(score(&[[0, 0, 1]], [5, 3, 500], &stats())) - expected).abs() < 1e-5);
    }

    #[test]
    fn invalid_statistics_give_a_finite_score() {
        let none = Stats::default();
        let wrong = Stats { docs: 1, lengths: [0, u64::MAX, 1], frequencies: vec![u64::MAX] };
        for stats in [none, wrong] {
            let score = score(&[[u32::MAX, 1, 0], [1, u32::MAX, 7]], [0, u32::MAX, 1], &stats);
            assert!(score.is_finite() && score >= 0.0, "{score}");
        }
    }
}
