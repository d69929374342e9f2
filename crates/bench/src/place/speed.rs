//! How many placements a second one core does.

use std::hint::black_box;
use std::time::Duration;

use skein_anchor::place;

use super::case::Case;
use super::method::{compare, whole};
use crate::timing::timed;

/// Times the placement of all cases against a bare comparison of the same texts.
pub(crate) fn measure(cases: &[Case]) -> String {
    let pairs: Vec<(&Case, &[u8])> =
        cases.iter().filter_map(|case| Some((case, case.new.as_ref()?.1.as_slice()))).collect();
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..3 {
        let (bare, ()) = timed(|| {
            for (case, new) in &pairs {
                black_box(compare(&case.old, new));
            }
        });
        let (placed, ()) = timed(|| {
            for (case, new) in &pairs {
                black_box(place(&whole(case), new));
            }
        });
        best = (best.0.min(bare), best.1.min(placed));
    }
    let rate = |time: Duration| pairs.len() as f64 / time.as_secs_f64();
    let ratio = best.1.as_secs_f64() / best.0.as_secs_f64();
    format!(
        "{:.0} placements a second; {:.0} bare comparisons; a placement takes {ratio:.2} times as long",
        rate(best.1),
        rate(best.0)
    )
}
