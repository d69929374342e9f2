//! Numbers as a table shows them.

use crate::figure::Unit;

/// Writes a time with three digits or so.
pub(super) fn time(milliseconds: f64) -> String {
    match milliseconds.abs() {
        ..10.0 => format!("{milliseconds:.3} ms"),
        ..100.0 => format!("{milliseconds:.1} ms"),
        _ => format!("{milliseconds:.0} ms"),
    }
}

/// Writes a value with its unit; a small ratio is a fraction, because that is how bounds of that kind are given.
pub(super) fn value(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Ratio if value < 0.1 => format!("1/{:.0}", 1.0 / value),
        Unit::Ratio => format!("{value:.2}x"),
        Unit::Share => format!("{value:.2}"),
        Unit::Milliseconds => format!("{value:.1} ms"),
        Unit::Kilobytes => format!("{value:.0} KB"),
        Unit::Megabytes => format!("{value:.0} MB"),
    }
}

/// Writes a bound, with no more digits than it was given.
pub(super) fn bound(bound: f64, unit: Unit) -> String {
    match unit {
        Unit::Ratio if bound < 0.1 => value(bound, unit),
        Unit::Ratio => format!("{bound}x"),
        Unit::Share => value(bound, unit),
        Unit::Milliseconds => format!("{bound} ms"),
        Unit::Kilobytes | Unit::Megabytes => value(bound, unit),
    }
}
