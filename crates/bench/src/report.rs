//! The figures as a table for people and as JSON for programs.

use serde::Serialize;

use crate::figure::{Figure, Unit};
use crate::load;

/// All figures of a run.
#[derive(Serialize)]
pub(crate) struct Report {
    /// The load average, the higher one of before and after.
    pub(crate) load: f64,
    pub(crate) figures: Vec<Figure>,
}

impl Report {
    /// Returns whether a bound was exceeded on a machine that is quiet enough to tell.
    pub(crate) fn is_over(&self) -> bool {
        !self.is_busy() && self.figures.iter().any(Figure::is_over)
    }

    fn is_busy(&self) -> bool {
        self.load > load::HIGHEST
    }

    pub(crate) fn json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    pub(crate) fn table(&self) -> String {
        let mut text = format!(
            "{:<34} {:<14} {:>11} {:>11} {:>9} {:>7}\n",
            "figure", "corpus", "baseline ms", "skein ms", "value", "bound"
        );
        for figure in &self.figures {
            text.push_str(&line(figure));
        }
        let judgement = if self.is_busy() { " (above 3: the figures are not judged)" } else { "" };
        text + &format!("load average {:.2}{judgement}\n", self.load)
    }
}

fn line(figure: &Figure) -> String {
    let time = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.3}"));
    let value = match figure.unit {
        Unit::Ratio => format!("{:.2}x", figure.value),
        Unit::Milliseconds => format!("{:.1} ms", figure.value),
        Unit::Kilobytes => format!("{:.0} KB", figure.value),
        Unit::Megabytes => format!("{:.0} MB", figure.value),
    };
    let (bound, verdict) = match figure.bound {
        Some(bound) if figure.is_over() => (bound.to_string(), "over"),
        Some(bound) => (bound.to_string(), "ok"),
        None => ("-".to_owned(), ""),
    };
    let line = format!(
        "{:<34} {:<14} {:>11} {:>11} {value:>9} {bound:>7} {verdict}",
        figure.name,
        figure.corpus,
        time(figure.baseline_ms),
        time(figure.skein_ms),
    );
    format!("{}\n", line.trim_end())
}
