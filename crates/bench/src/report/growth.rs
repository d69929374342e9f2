//! How the cost of a row grows with the size of its corpus.

use std::collections::BTreeSet;

use serde::Serialize;

use super::number;
use crate::figure::{Figure, Unit};
use crate::options::shown;

/// A cost that grows by this much more than its corpus, from one size to the next, grows faster than linearly; less
/// is within what a run differs from another one.
const TOLERANCE: f64 = 1.25;

/// A row at several sizes.
#[derive(Serialize)]
pub(super) struct Growth {
    group: &'static str,
    name: String,
    points: Vec<Point>,
    /// The power of the size by which the cost grows, from the smallest size to the largest: 0 where the size does not
    /// matter, 1 where twice as much costs twice as much.
    exponent: f64,
    baseline_exponent: Option<f64>,
    faster_than_linear: bool,
    #[serde(skip)]
    unit: Unit,
}

#[derive(Clone, Copy, Serialize)]
struct Point {
    size: usize,
    cost: f64,
    baseline: Option<f64>,
}

/// Returns the rows that were measured at several sizes, in their order.
pub(super) fn of(figures: &[Figure]) -> Vec<Growth> {
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
    let exponent = exponent(&points, |point| Some(point.cost))?;
    let steps = points.iter().zip(points.iter().skip(1));
    let faster = |(small, large): (&Point, &Point)| {
        large.cost / small.cost > TOLERANCE * ratio(small.size, large.size)
    };
    Some(Growth {
        group: first.group,
        name: first.name.clone(),
        exponent,
        baseline_exponent: self::exponent(&points, |point| point.baseline),
        faster_than_linear: steps.into_iter().any(faster),
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

fn exponent(points: &[Point], cost: impl Fn(&Point) -> Option<f64>) -> Option<f64> {
    let (small, large) = (points.first()?, points.last()?);
    let exponent = (cost(large)? / cost(small)?).ln() / ratio(small.size, large.size).ln();
    exponent.is_finite().then_some(exponent)
}

fn ratio(small: usize, large: usize) -> f64 {
    let [small, large] = [small, large].map(|size| u32::try_from(size).unwrap_or(u32::MAX));
    f64::from(large) / f64::from(small)
}

/// Writes a line for each row.
pub(super) fn table(grown: &[Growth]) -> String {
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

fn shown_cost(cost: f64, unit: Unit) -> String {
    match unit {
        Unit::Ratio | Unit::Milliseconds => number::time(cost),
        unit => number::value(cost, unit),
    }
}
