use std::time::Duration;

use serde::Serialize;

use crate::timing::Pair;

/// One line of the report.
#[derive(Serialize)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) corpus: String,
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
}

/// What a value counts.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    Ratio,
    Milliseconds,
    /// Of 1,000 bytes.
    Kilobytes,
    Megabytes,
}

impl Figure {
    /// Holds a time against its baseline.
    pub(crate) fn ratio(name: &'static str, corpus: String, pair: Pair) -> Self {
        let [baseline, skein] = [pair.baseline, pair.skein].map(|time| time.as_secs_f64() * 1e3);
        Self {
            name,
            corpus,
            baseline_ms: Some(baseline),
            skein_ms: Some(skein),
            value: skein / baseline,
            unit: Unit::Ratio,
            bound: None,
            ok: None,
        }
    }

    /// Tells a time for which a bound holds on any machine.
    pub(crate) fn milliseconds(name: &'static str, corpus: &str, time: Duration) -> Self {
        let value = time.as_secs_f64() * 1e3;
        let figure = Self::amount(name, corpus.to_owned(), value, Unit::Milliseconds);
        Self { skein_ms: Some(value), ..figure }
    }

    /// Tells what goes over the wire.
    pub(crate) fn kilobytes(name: &'static str, corpus: &str, bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self::amount(name, corpus.to_owned(), f64::from(bytes) / 1e3, Unit::Kilobytes)
    }

    /// Tells an amount of memory.
    pub(crate) fn megabytes(name: &'static str, corpus: String, value: f64) -> Self {
        Self::amount(name, corpus, value, Unit::Megabytes)
    }

    fn amount(name: &'static str, corpus: String, value: f64, unit: Unit) -> Self {
        let (baseline_ms, skein_ms) = (None, None);
        Self { name, corpus, baseline_ms, skein_ms, value, unit, bound: None, ok: None }
    }

    /// Says what the value may be at most.
    pub(crate) fn at_most(mut self, bound: f64) -> Self {
        self.bound = Some(bound);
        self.ok = Some(self.value <= bound);
        self
    }

    /// Returns whether the value is above its bound.
    pub(crate) fn is_over(&self) -> bool {
        self.ok == Some(false)
    }
}
