//! The rows of a run, printed as a table or as JSON.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use crate::timing::TimePair;

/// Times above the baseline up to this, in milliseconds and as a share of the baseline, are noise.
const NOISE_MS: f64 = 3.0;
const NOISE_SHARE: f64 = 0.25;

/// What Skein and the baseline need, and how much it may be.
#[derive(Serialize)]
pub(crate) struct ResultRow {
    name: String,
    corpus: String,
    /// The number of threads, if the row is measured at several sizes.
    size: Option<usize>,
    skein: f64,
    /// In the same unit.
    baseline: Option<f64>,
    unit: Unit,
    /// The maximum of the amount.
    max: Option<f64>,
    /// The maximum of the ratio to the baseline.
    max_ratio: Option<f64>,
}

/// The unit of an amount.
#[derive(Clone, Copy, Serialize)]
pub(crate) enum Unit {
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "KB")]
    Kilobytes,
    #[serde(rename = "MB")]
    Megabytes,
}

impl ResultRow {
    pub(crate) fn amount(
        name: impl Into<String>,
        corpus: impl Into<String>,
        skein: f64,
        unit: Unit,
    ) -> Self {
        let (name, corpus) = (name.into(), corpus.into());
        let (size, baseline, max, max_ratio) = (None, None, None, None);
        Self { name, corpus, size, skein, baseline, unit, max, max_ratio }
    }

    pub(crate) fn time(name: impl Into<String>, corpus: impl Into<String>, time: Duration) -> Self {
        Self::amount(name, corpus, milliseconds(time), Unit::Milliseconds)
    }

    pub(crate) fn pair(name: impl Into<String>, corpus: impl Into<String>, pair: TimePair) -> Self {
        Self::time(name, corpus, pair.skein).with_baseline(milliseconds(pair.baseline))
    }

    pub(crate) fn with_baseline(self, baseline: f64) -> Self {
        Self { baseline: Some(baseline), ..self }
    }

    pub(crate) fn at_most(self, max: f64) -> Self {
        Self { max: Some(max), ..self }
    }

    pub(crate) fn at_most_ratio(self, max_ratio: f64) -> Self {
        Self { max_ratio: Some(max_ratio), ..self }
    }

    /// Sets the size, and judges the row only if the corpus has at least `judged_from` threads.
    pub(crate) fn sized(self, size: usize, judged_from: usize) -> Self {
        let (max, max_ratio) = match size < judged_from {
            true => (None, None),
            false => (self.max, self.max_ratio),
        };
        Self { size: Some(size), max, max_ratio, ..self }
    }

    fn ratio(&self) -> Option<f64> {
        self.baseline.map(|baseline| self.skein / baseline)
    }

    fn is_over(&self) -> bool {
        let exceeds = |value: Option<f64>, max: Option<f64>| {
            value.zip(max).is_some_and(|(value, max)| value > max)
        };
        exceeds(Some(self.skein), self.max) || exceeds(self.ratio(), self.max_ratio)
    }

    fn line(&self, is_judged: bool) -> String {
        let ratio = self.ratio().map_or("-".to_owned(), show_ratio);
        let baseline = self.baseline.map_or("-".to_owned(), |amount| show(amount, self.unit));
        let target = match (self.max_ratio, self.max) {
            (Some(ratio), _) => format!("{ratio}x"),
            (_, Some(max)) => show(max, self.unit),
            _ => "-".to_owned(),
        };
        let has_target = self.max_ratio.is_some() || self.max.is_some();
        let (name, corpus, skein) = (&self.name, &self.corpus, show(self.skein, self.unit));
        let verdict = verdict(has_target, self.is_over(), is_judged);
        let line = format!(
            "  {name:<42} {corpus:<15} {skein:>10} {baseline:>10} {ratio:>8} {target:>8}  {verdict}"
        );
        format!("{}\n", line.trim_end())
    }
}

/// How a cost grows with the size of its corpus.
#[derive(Serialize)]
pub(crate) struct Growth {
    name: String,
    /// Each size with its cost in milliseconds.
    points: Vec<(usize, f64)>,
    /// 0 if the size does not matter, 1 if twice the size costs twice as much.
    exponent: f64,
    max: Option<f64>,
}

impl Growth {
    /// Fits the exponent of the time above a baseline, without the sizes at which that is noise.
    pub(crate) fn above(
        baseline: Duration,
        name: String,
        times: &[(usize, Duration)],
        max: f64,
    ) -> Self {
        let baseline = milliseconds(baseline);
        let noise = NOISE_MS.max(NOISE_SHARE * baseline);
        let points: Vec<(usize, f64)> =
            times.iter().map(|(size, time)| (*size, milliseconds(*time))).collect();
        let above: Vec<(usize, f64)> =
            points.iter().map(|(size, time)| (*size, time - baseline)).collect();
        // Sizes before the last one that is noise would hide how fast the time grows after it.
        let first = above.iter().rposition(|(_, cost)| *cost <= noise).unwrap_or_default();
        let fitted: Vec<(usize, f64)> =
            above.iter().skip(first).map(|(size, cost)| (*size, cost.max(noise))).collect();
        Self { name, points, exponent: exponent(&fitted).unwrap_or_default(), max: Some(max) }
    }

    fn is_over(&self) -> bool {
        self.max.is_some_and(|max| self.exponent > max)
    }

    fn line(&self, is_judged: bool) -> String {
        let points = self.points.iter().map(|(size, cost)| {
            format!(" {:>5} {:>9}", show_size(*size), show(*cost, Unit::Milliseconds))
        });
        let points: String = points.collect();
        let (name, exponent) = (&self.name, self.exponent);
        let max = self.max.map(|max| max.to_string()).unwrap_or_default();
        let verdict = verdict(self.max.is_some(), self.is_over(), is_judged);
        let line = format!("  {name:<42}{points:<64} {exponent:>8.2} {max:>7}  {verdict}");
        format!("{}\n", line.trim_end())
    }
}

/// Returns the growth of each row that was measured at several sizes.
pub(crate) fn growth_of(rows: &[ResultRow]) -> Vec<Growth> {
    let mut seen = BTreeSet::new();
    let names = rows.iter().map(|row| &row.name).filter(|name| seen.insert(*name));
    let growth = |name: &String| {
        let same = rows.iter().filter(|row| row.name == *name);
        let points: Vec<_> = same.filter_map(|row| Some((row.size?, row.skein))).collect();
        Some(Growth { name: name.clone(), exponent: exponent(&points)?, points, max: None })
    };
    names.filter_map(growth).collect()
}

/// Fits a line to the logarithms of size and cost by least squares, and returns its slope.
fn exponent(points: &[(usize, f64)]) -> Option<f64> {
    let count = u32::try_from(points.len()).ok().filter(|count| *count > 1)?;
    let logs = points.iter().map(|(size, cost)| ((*size as f64).ln(), cost.ln()));
    let logs: Vec<(f64, f64)> = logs.collect();
    let mean = |sum: f64| sum / f64::from(count);
    let x_mean = mean(logs.iter().map(|(x, _)| x).sum());
    let y_mean = mean(logs.iter().map(|(_, y)| y).sum());
    let rise: f64 = logs.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let run: f64 = logs.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    Some(rise / run).filter(|exponent| exponent.is_finite())
}

/// All results of a run.
#[derive(Serialize)]
pub(crate) struct RunReport {
    /// The load average, before or after, whichever is higher.
    pub(crate) load: f64,
    /// Whether the machine was idle enough to judge the rows.
    pub(crate) is_judged: bool,
    /// The rows of each group, with its title.
    pub(crate) groups: Vec<(&'static str, Vec<ResultRow>)>,
    pub(crate) growth: Vec<Growth>,
}

impl RunReport {
    /// Returns whether a target was exceeded.
    pub(crate) fn is_over(&self) -> bool {
        let rows = self.groups.iter().flat_map(|(_, rows)| rows);
        self.is_judged
            && (rows.into_iter().any(ResultRow::is_over) || self.growth.iter().any(Growth::is_over))
    }

    pub(crate) fn table(&self) -> String {
        let mut lines = vec![format!(
            "{:<44} {:<15} {:>10} {:>10} {:>8} {:>8}  verdict\n",
            "row", "corpus", "skein", "baseline", "ratio", "target"
        )];
        for (title, rows) in &self.groups {
            lines.push(format!("{title}\n"));
            lines.extend(rows.iter().map(|row| row.line(self.is_judged)));
        }
        if !self.growth.is_empty() {
            let [name, times, exponent] = ["growth", "size and time", "exponent"];
            lines.push(format!("\n{name:<46}{times:<62} {exponent:>8}  target  verdict\n"));
            lines.extend(self.growth.iter().map(|growth| growth.line(self.is_judged)));
        }
        let note = if self.is_judged { "" } else { " (too high: nothing is judged)" };
        lines.push(format!("\nload average {:.2}{note}\n", self.load));
        lines.concat()
    }
}

fn verdict(has_target: bool, is_over: bool, is_judged: bool) -> &'static str {
    match (has_target, is_judged, is_over) {
        (false, ..) => "",
        (true, false, _) => "not judged",
        (true, true, true) => "OVER",
        (true, true, false) => "ok",
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn show(amount: f64, unit: Unit) -> String {
    let digits = match amount.abs() {
        _ if amount.fract() == 0.0 => 0,
        ..10.0 => 3,
        ..100.0 => 1,
        _ => 0,
    };
    match unit {
        Unit::Milliseconds => format!("{amount:.digits$} ms"),
        Unit::Kilobytes => format!("{amount:.0} KB"),
        Unit::Megabytes => format!("{amount:.0} MB"),
    }
}

fn show_ratio(ratio: f64) -> String {
    if ratio < 0.1 { format!("1/{:.0}", 1.0 / ratio) } else { format!("{ratio:.2}x") }
}

/// Writes a number of threads, such as `10k`.
pub(crate) fn show_size(size: usize) -> String {
    if size.is_multiple_of(1_000) { format!("{}k", size / 1_000) } else { size.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(is_judged: bool) -> RunReport {
        let row = |name, size: usize, [baseline, skein]: [u64; 2]| {
            let [baseline, skein] = [baseline, skein].map(Duration::from_micros);
            ResultRow::pair(name, show_size(size), TimePair { baseline, skein }).at_most_ratio(1.5)
        };
        let rows = vec![
            row("list / read", 1_000, [1_000, 1_100]).sized(1_000, 10_000),
            row("list / read", 10_000, [10_000, 20_000]).sized(10_000, 10_000),
            row("page / `git diff`", 500, [500_000, 1_000]).at_most(60.0),
            ResultRow::amount("memory", "100k", 101.7, Unit::Megabytes).at_most(400.0),
        ];
        let growth = growth_of(&rows);
        RunReport { load: 0.5, is_judged, groups: vec![("Lists", rows)], growth }
    }

    #[test]
    fn a_table_has_the_rows_and_their_growth() {
        let expected = "\
row                                          corpus               skein   baseline    ratio   target  verdict
Lists
  list / read                                1k                1.100 ms       1 ms    1.10x        -
  list / read                                10k                  20 ms      10 ms    2.00x     1.5x  OVER
  page / `git diff`                          500                   1 ms     500 ms    1/500     1.5x  ok
  memory                                     100k                102 MB          -        -   400 MB  ok

growth                                        size and time                                                  exponent  target  verdict
  list / read                                   1k  1.100 ms   10k     20 ms                                     1.26

load average 0.50
";
        assert_eq!(report(true).table(), expected);
    }

    #[test]
    fn rows_of_a_busy_machine_are_not_judged() {
        let text = report(false).table();
        assert!(text.contains("not judged") && !text.contains("OVER"), "{text}");
        assert!(!report(false).is_over() && report(true).is_over());
    }

    /// Fits times at 1x, 2x, 4x, 8x above a baseline.
    #[track_caller]
    fn check(baseline: u64, times: [f64; 4], expected: f64) {
        let times = [100, 200, 400, 800].into_iter().zip(times);
        let times: Vec<(usize, Duration)> =
            times.map(|(size, time)| (size, Duration::from_secs_f64(time / 1e3))).collect();
        let growth = Growth::above(Duration::from_millis(baseline), String::new(), &times, 1.3);
        assert!((growth.exponent - expected).abs() < 0.01, "{}", growth.exponent);
    }

    #[test]
    fn the_exponent_is_that_of_the_time_above_the_baseline() {
        check(10, [20.0, 30.0, 50.0, 90.0], 1.0);
        check(10, [20.0, 50.0, 170.0, 650.0], 2.0);
        check(10, [20.0, 20.0, 20.0, 20.0], 0.0);
    }

    #[test]
    fn noise_does_not_count_as_growth() {
        check(10, [10.1, 9.0, 12.0, 12.5], 0.0);
        check(10, [9.0, 10.1, 13.0, 22.0], 2.0);
        check(100, [101.0, 99.0, 101.0, 120.0], 0.0);
    }
}
