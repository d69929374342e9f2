//! How the cost of a row grows with the size of its corpus.

use std::collections::BTreeSet;

use serde::Serialize;

use super::number;
use crate::figure::{Figure, Unit};
use crate::options::shown;

/// A cost that grows by this much more than its corpus, from one size to the next, grows faster than linearly; less
/// is within what a run differs from another one.
const TOLERANCE: f64 = 1.25;

/// Times above the baseline count from here on: in milliseconds, and as a share of the baseline. Less is noise.
const NOISE_MS: f64 = 3.0;
const NOISE_SHARE: f64 = 0.25;

/// A row at several sizes.
#[derive(Serialize)]
pub(super) struct Growth {
    group: &'static str,
    name: String,
    points: Vec<Point>,
    /// The power of the size by which the cost grows, a line fitted to the logarithms by least squares: 0 where the
    /// size does not matter, 1 where twice as much costs twice as much.
    exponent: f64,
    baseline_exponent: Option<f64>,
    faster_than_linear: bool,
    /// What the exponent may be at most; then the cost is the time above the baseline.
    bound: Option<f64>,
    ok: Option<bool>,
    #[serde(skip)]
    unit: Unit,
}

#[derive(Clone, Copy, Serialize)]
struct Point {
    size: usize,
    cost: f64,
    baseline: Option<f64>,
}

impl Growth {
    pub(super) fn has_bound(&self) -> bool {
        self.bound.is_some()
    }

    /// Returns whether the exponent is above its bound.
    pub(super) fn is_over(&self) -> bool {
        self.ok == Some(false)
    }
}

/// Returns the rows that were measured at several sizes, in their order.
pub(super) fn from_figures(figures: &[Figure]) -> Vec<Growth> {
    let mut seen = BTreeSet::new();
    let sized = figures.iter().filter(|figure| figure.size.is_some());
    let first = sized.filter(|figure| seen.insert((figure.group, &figure.name)));
    first.filter_map(|figure| growth(figure, figures)).collect()
}

fn growth(first: &Figure, figures: &[Figure]) -> Option<Growth> {
    let same =
        figures.iter().filter(|other| (other.group, &other.name) == (first.group, &first.name));
    let mut points: Vec<Point> = same.filter_map(point).collect();
    points.sort_by_key(|point| point.size);
    let bound = first.exponent_bound;
    let exponent = match bound {
        Some(_) => exponent(&above_noise(&points))?,
        None => exponent(&costs(&points, |point| Some(point.cost)))?,
    };
    let steps = points.iter().zip(points.iter().skip(1));
    let faster = |(small, large): (&Point, &Point)| {
        large.cost / small.cost > TOLERANCE * ratio(small.size, large.size)
    };
    Some(Growth {
        group: first.group,
        name: first.name.clone(),
        exponent,
        baseline_exponent: self::exponent(&costs(&points, |point| point.baseline)),
        faster_than_linear: steps.into_iter().any(faster),
        bound,
        ok: bound.map(|bound| exponent <= bound),
        points,
        unit: if first.skein_ms.is_some() { Unit::Milliseconds } else { first.unit },
    })
}

/// Returns what the row costs at its size; a share of something is no cost.
fn point(figure: &Figure) -> Option<Point> {
    let amount = (figure.unit != Unit::Share).then_some(figure.value);
    let cost = figure.skein_ms.or(amount)?;
    Some(Point { size: figure.size?, cost, baseline: figure.baseline_ms })
}

fn costs(points: &[Point], cost: impl Fn(&Point) -> Option<f64>) -> Vec<(usize, f64)> {
    points.iter().filter_map(|point| Some((point.size, cost(point)?))).collect()
}

/// Returns the times above the baseline, from the last size on at which that is noise.
///
/// The sizes before would hide how fast the time grows once it does.
fn above_noise(points: &[Point]) -> Vec<(usize, f64)> {
    let noise = |point: &Point| NOISE_MS.max(point.baseline.unwrap_or_default() * NOISE_SHARE);
    let above = |point: &Point| point.cost - point.baseline.unwrap_or_default();
    let quiet = points.iter().rposition(|point| above(point) <= noise(point));
    let costs = points.iter().skip(quiet.unwrap_or_default());
    let mut costs: Vec<_> =
        costs.map(|point| (point.size, above(point).max(noise(point)))).collect();
    if let (1, Some(last)) = (costs.len(), costs.last().copied()) {
        // Not even the largest size takes longer.
        costs.insert(0, (last.0 / 2, last.1));
    }
    costs
}

/// Fits a line to the logarithms of sizes and costs, and returns its slope.
fn exponent(costs: &[(usize, f64)]) -> Option<f64> {
    let count = u32::try_from(costs.len()).ok().filter(|count| *count > 1)?;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / f64::from(count);
    let sizes: Vec<f64> = costs.iter().map(|(size, _)| ratio(1, *size).ln()).collect();
    let logs: Vec<f64> = costs.iter().map(|(_, cost)| cost.ln()).collect();
    let (middle, level) = (mean(&sizes), mean(&logs));
    let rise: f64 = sizes.iter().zip(&logs).map(|(x, y)| (x - middle) * (y - level)).sum();
    let run: f64 = sizes.iter().map(|x| (x - middle).powi(2)).sum();
    Some(rise / run).filter(|exponent| exponent.is_finite())
}

fn ratio(small: usize, large: usize) -> f64 {
    let [small, large] = [small, large].map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    f64::from(large) / f64::from(small)
}

/// Writes a line for each row.
pub(super) fn table(grown: &[&Growth]) -> String {
    let sizes: BTreeSet<usize> =
        grown.iter().flat_map(|growth| growth.points.iter().map(|point| point.size)).collect();
    let columns: String = sizes.iter().map(|size| format!(" {:>10}", shown(*size))).collect();
    let heading = "growth of the cost with the corpus";
    let mut text = format!("{heading:<43}{columns} {:>9} {:>16}\n", "exponent", "the baseline's");
    for growth in grown {
        text += &line(growth, &sizes);
    }
    text
}

fn line(growth: &Growth, sizes: &BTreeSet<usize>) -> String {
    let cost = |size: &usize| {
        let point = growth.points.iter().find(|point| point.size == *size);
        point.map(|point| shown_cost(point.cost, growth.unit)).unwrap_or_default()
    };
    let costs: String = sizes.iter().map(|size| format!(" {:>10}", cost(size))).collect();
    let baseline = growth.baseline_exponent.map(|exponent| format!("{exponent:.2}"));
    let mark = if growth.faster_than_linear { "FASTER THAN LINEAR" } else { "" };
    let (name, exponent) = (&growth.name, growth.exponent);
    let baseline = baseline.unwrap_or_default();
    let line = format!("  {name:<41}{costs} {exponent:>9.2} {baseline:>16}  {mark}");
    format!("{}\n", line.trim_end())
}

/// Writes a line for each row whose exponent has a bound, with the times at the multiples of its first size.
pub(super) fn bounded_table(grown: &[&Growth], busy: bool) -> String {
    let columns: String =
        ["baseline", "1x", "2x", "4x", "8x"].map(|name| format!(" {name:>10}")).concat();
    let heading = "growth of the time above the baseline";
    let mut text = format!(
        "{heading:<43} {:>5}{columns} {:>9} {:>7}  verdict\n",
        "1x is", "exponent", "target"
    );
    text.extend(grown.iter().map(|growth| bounded_line(growth, busy)));
    text
}

fn bounded_line(growth: &Growth, busy: bool) -> String {
    let first = growth.points.first();
    let baseline = first.and_then(|point| point.baseline).unwrap_or_default();
    let times = std::iter::once(baseline).chain(growth.points.iter().map(|point| point.cost));
    let times: String = times.map(|time| format!(" {:>10}", number::time(time))).collect();
    let verdict = match (busy, growth.is_over()) {
        (true, _) => "not judged",
        (false, true) => "OVER",
        (false, false) => "ok",
    };
    let (name, exponent, bound) = (&growth.name, growth.exponent, growth.bound.unwrap_or_default());
    let size = first.map(|point| shown(point.size)).unwrap_or_default();
    format!("  {name:<41} {size:>5}{times} {exponent:>9.2} {bound:>7}  {verdict}\n")
}

fn shown_cost(cost: f64, unit: Unit) -> String {
    match unit {
        Unit::Ratio | Unit::Milliseconds => number::time(cost),
        unit => number::value(cost, unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fits times at 1x, 2x, 4x, 8x above a baseline.
    #[track_caller]
    fn check(baseline: f64, times: [f64; 4], expected: f64) {
        let points: Vec<Point> = [100, 200, 400, 800]
            .into_iter()
            .zip(times)
            .map(|(size, cost)| Point { size, cost, baseline: Some(baseline) })
            .collect();
        let exponent = exponent(&above_noise(&points)).unwrap();
        assert!((exponent - expected).abs() < 0.01, "{exponent}");
    }

    #[test]
    fn the_exponent_is_that_of_the_time_above_the_baseline() {
        check(10.0, [20.0, 30.0, 50.0, 90.0], 1.0);
        check(10.0, [20.0, 50.0, 170.0, 650.0], 2.0);
        check(10.0, [20.0, 20.0, 20.0, 20.0], 0.0);
    }

    #[test]
    fn noise_is_no_growth_and_hides_none() {
        check(10.0, [10.1, 9.0, 12.0, 12.5], 0.0);
        check(10.0, [9.0, 10.1, 13.0, 22.0], 2.0);
        check(100.0, [101.0, 99.0, 101.0, 120.0], 0.0);
    }
}
