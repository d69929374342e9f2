//! The rows of a run, printed as a table or as JSON.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use crate::timing::TimePair;

/// Differences from the baseline up to this are noise, in milliseconds and as a share of the baseline.
const NOISE_MS: f64 = 3.0;
const NOISE_SHARE: f64 = 0.25;

/// The result of Skein and of the baseline, with their limits.
#[derive(Serialize)]
pub(crate) struct ResultRow {
    name: String,
    corpus: String,
    /// The number of threads, if the row is measured at several sizes.
    size: Option<usize>,
    skein: f64,
    /// The result of the baseline, in the same unit.
    baseline: Option<f64>,
    unit: Unit,
    /// The maximum of Skein's result.
    max: Option<f64>,
    /// The maximum of the ratio to the baseline.
    max_ratio: Option<f64>,
}

/// The unit of a result.
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
        Self { name, corpus, size: None, skein, baseline: None, unit, max: None, max_ratio: None }
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
        let limit = |max: Option<f64>| max.filter(|_| size >= judged_from);
        Self { size: Some(size), max: limit(self.max), max_ratio: limit(self.max_ratio), ..self }
    }

    fn ratio(&self) -> Option<f64> {
        self.baseline.map(|baseline| self.skein / baseline)
    }

    fn is_over(&self) -> bool {
        self.max.is_some_and(|max| self.skein > max)
            || self.max_ratio.zip(self.ratio()).is_some_and(|(max, ratio)| ratio > max)
    }

    fn line(&self, is_judged: bool) -> String {
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let show = |amount| show(amount, self.unit);
        let ratio = or_dash(self.ratio().map(show_ratio));
        let baseline = or_dash(self.baseline.map(show));
        let target = self.max_ratio.map(|ratio| format!("{ratio}x")).or(self.max.map(show));
        let verdict = verdict(target.is_some(), self.is_over(), is_judged);
        let (name, corpus, skein) = (&self.name, &self.corpus, show(self.skein));
        let target = or_dash(target);
        let line = format!(
            "  {name:<42} {corpus:<15} {skein:>10} {baseline:>10} {ratio:>8} {target:>8}  {verdict}"
        );
        format!("{}\n", line.trim_end())
    }
}

/// The growth of a time with the size of its corpus.
#[derive(Serialize)]
pub(crate) struct Growth {
    name: String,
    /// Each size with its time in milliseconds.
    points: Vec<(usize, f64)>,
    /// 0 if the time does not depend on the size, 1 if it is proportional to the size.
    exponent: f64,
    max: Option<f64>,
}

impl Growth {
    /// Fits the exponent of the time above a baseline, without the sizes at which that time is noise.
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
        // Sizes before the last one with noise are left out, because they would hide the growth after it.
        let first = points.iter().rposition(|(_, time)| time - baseline <= noise);
        let above = points.iter().map(|(size, time)| (*size, (time - baseline).max(noise)));
        let exponent = exponent(&above.skip(first.unwrap_or_default()).collect::<Vec<_>>());
        Self { name, points, exponent: exponent.unwrap_or_default(), max: Some(max) }
    }

    fn is_over(&self) -> bool {
        self.max.is_some_and(|max| self.exponent > max)
    }

    fn line(&self, is_judged: bool) -> String {
        let point = |(size, cost): &(usize, f64)| {
            format!(" {:>5} {:>9}", show_size(*size), show(*cost, Unit::Milliseconds))
        };
        let points: String = self.points.iter().map(point).collect();
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

/// Returns the slope of a line fitted to the logarithms of size and time by least squares.
fn exponent(points: &[(usize, f64)]) -> Option<f64> {
    let count = u32::try_from(points.len()).ok().filter(|count| *count > 1)?;
    let logs = || points.iter().map(|(size, cost)| ((*size as f64).ln(), cost.ln()));
    let mean = |sum: f64| sum / f64::from(count);
    let (x_mean, y_mean) = (mean(logs().map(|(x, _)| x).sum()), mean(logs().map(|(_, y)| y).sum()));
    let rise: f64 = logs().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    Some(rise / logs().map(|(x, _)| (x - x_mean).powi(2)).sum::<f64>())
        .filter(|exponent| exponent.is_finite())
}

/// All results of a run.
#[derive(Serialize)]
pub(crate) struct RunReport {
    /// The higher one of the load averages before and after the run.
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

/// Formats a number of threads, such as `10k`.
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
    fn rows_measured_on_a_busy_machine_are_not_judged() {
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
