//! What somebody's work does to a file.

use super::super::random::Random;
use super::source::Language;
use super::words::tweak;

/// Changes a file in about so many lines, counting both what is removed and what is added, all over it.
pub(super) fn change(
    old: &[String],
    changed: usize,
    language: &Language,
    random: &mut Random,
) -> Vec<String> {
    // One place is about four removed and added lines.
    let places = u64::try_from((changed / 4).max(1)).unwrap_or(1);
    let every = u64::try_from(old.len()).unwrap_or(1).checked_div(places).unwrap_or(1).max(3);
    let mut left = changed;
    let mut lines = Vec::with_capacity(old.len() + changed);
    let mut rest = old.iter();
    while let Some(line) = rest.next() {
        if left == 0 || random.between(1, every) > 1 {
            lines.push(line.clone());
            continue;
        }
        let done = match random.between(0, 9) {
            0..=4 => {
                lines.push(tweak(line, language.mark, random));
                2
            }
            5..=7 => {
                let mut steps = language.steps(random);
                steps.truncate(left.max(1));
                lines.push(line.clone());
                lines.extend_from_slice(&steps);
                steps.len()
            }
            _ => {
                let count = usize::try_from(random.between(0, 5)).unwrap_or_default();
                rest.by_ref().take(count).count() + 1
            }
        };
        left = left.saturating_sub(done);
    }
    while left > 0 {
        let mut more = language.function(random);
        more.truncate(left);
        left -= more.len();
        lines.extend(more);
    }
    lines
}
