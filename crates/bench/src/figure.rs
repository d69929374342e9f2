//! One row of the table.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::programs::Program;
use crate::timing::Pair;

/// One row of the table.
#[derive(Serialize)]
pub(crate) struct Figure {
    /// The name of the group that it was measured with.
    pub(crate) group: &'static str,
    pub(crate) name: String,
    pub(crate) corpus: String,
    /// How many threads the corpus has, where the row is measured at several sizes.
    pub(crate) size: Option<usize>,
    /// The baseline's time in milliseconds; none where the figure is an amount.
    pub(crate) baseline_ms: Option<f64>,
    /// Skein's time in milliseconds.
    pub(crate) skein_ms: Option<f64>,
    /// What is judged: the ratio of the two times, or an amount.
    pub(crate) value: f64,
    pub(crate) unit: Unit,
    /// What the value may be at most; none where the figure is only told.
    pub(crate) bound: Option<f64>,
    /// Whether it is; none without a bound.
    ok: Option<bool>,
    /// What the exponent of its growth may be at most; such rows are in the table of growth alone.
    pub(crate) exponent_bound: Option<f64>,
    /// What other programs take for the same, in milliseconds, or in the unit of an amount.
    pub(crate) programs: BTreeMap<Program, f64>,
    /// What the name cannot say about how it was measured.
    pub(crate) note: Option<String>,
}

/// What a value counts.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    /// Of two times.
    Ratio,
    /// Of two amounts.
    Share,
    Milliseconds,
    /// Of 1,000 bytes.
    Kilobytes,
    Megabytes,
}

impl Figure {
    /// Holds a time against its baseline.
    pub(crate) fn ratio(name: impl Into<String>, corpus: String, pair: Pair) -> Self {
        let [baseline, skein] = [pair.baseline, pair.skein].map(milliseconds);
        Self {
            baseline_ms: Some(baseline),
            skein_ms: Some(skein),
            ..Self::amount(name, corpus, skein / baseline, Unit::Ratio)
        }
    }

    /// Tells a time for which a bound holds on any machine.
    pub(crate) fn milliseconds(name: impl Into<String>, corpus: &str, time: Duration) -> Self {
        let value = milliseconds(time);
        let figure = Self::amount(name, corpus.to_owned(), value, Unit::Milliseconds);
        Self { skein_ms: Some(value), ..figure }
    }

    /// Tells by how much a time is above its baseline.
    pub(crate) fn difference(name: impl Into<String>, corpus: String, pair: Pair) -> Self {
        let [baseline, skein] = [pair.baseline, pair.skein].map(milliseconds);
        Self {
            baseline_ms: Some(baseline),
            skein_ms: Some(skein),
            ..Self::amount(name, corpus, skein - baseline, Unit::Milliseconds)
        }
    }

    /// Tells what goes over the wire.
    pub(crate) fn kilobytes(name: impl Into<String>, corpus: &str, bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self::amount(name, corpus.to_owned(), f64::from(bytes) / 1e3, Unit::Kilobytes)
    }

    /// Tells an amount.
    pub(crate) fn amount(name: impl Into<String>, corpus: String, value: f64, unit: Unit) -> Self {
        Self {
            group: "",
            name: name.into(),
            corpus,
            size: None,
            baseline_ms: None,
            skein_ms: None,
            value,
            unit,
            bound: None,
            ok: None,
            exponent_bound: None,
            programs: BTreeMap::new(),
            note: None,
        }
    }

    /// Tells an amount of memory.
    pub(crate) fn megabytes(name: impl Into<String>, corpus: String, value: f64) -> Self {
        Self::amount(name, corpus, value, Unit::Megabytes)
    }

    /// Says which group it belongs to.
    pub(crate) fn of_group(self, group: &'static str) -> Self {
        Self { group, ..self }
    }

    /// Says what the value may be at most.
    pub(crate) fn at_most(mut self, bound: f64) -> Self {
        self.bound = Some(bound);
        self.ok = Some(self.value <= bound);
        self
    }

    /// Says what the value may be at most where the corpus is large enough for the bound to mean something.
    pub(crate) fn at_most_from(self, least: usize, bound: f64) -> Self {
        if self.size.is_some_and(|size| size >= least) { self.at_most(bound) } else { self }
    }

    /// Says that the row is measured at several sizes, and that this is one of them.
    pub(crate) fn sized(self, size: usize) -> Self {
        Self { size: Some(size), ..self }
    }

    /// Says by which power of its size the time above the baseline may grow.
    pub(crate) fn grows_at_most(self, bound: f64) -> Self {
        Self { exponent_bound: Some(bound), ..self }
    }

    /// Puts the time of another program beside it, if that is known.
    pub(crate) fn beside(self, program: Program, time: Option<Duration>) -> Self {
        self.beside_amount(program, time.map(milliseconds))
    }

    /// Puts another program's amount beside it, if that is known.
    pub(crate) fn beside_amount(mut self, program: Program, amount: Option<f64>) -> Self {
        self.programs.extend(amount.map(|amount| (program, amount)));
        self
    }

    /// Says what the name cannot say.
    pub(crate) fn noted(self, note: Option<String>) -> Self {
        Self { note, ..self }
    }

    /// Returns whether the value is above its bound.
    pub(crate) fn is_over(&self) -> bool {
        self.ok == Some(false)
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
