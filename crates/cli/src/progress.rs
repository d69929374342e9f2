//! A progress bar on a terminal.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use skein_model::Progress;
use unicode_width::UnicodeWidthStr as _;

use crate::machine::ProcessEnv;
use crate::terminal::is_dumb;

/// The bar is shown only after this time.
const SHOW_AFTER: Duration = Duration::from_secs(1);
/// Minimum time between two updates.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// The columns of a terminal of unknown width.
const DEFAULT_WIDTH: usize = 80;
/// Maximum length of the bar.
const MAX_BAR: usize = 40;
/// The bar is left out if there is less room than this.
const MIN_BAR: usize = 5;
/// Clears the line.
const CLEAR: &str = "\r\x1b[2K";

/// Draws a progress bar, which is cleared when it is dropped.
pub(crate) struct ProgressBar<'a> {
    what: &'static str,
    width: usize,
    /// None without a terminal.
    drawn: Option<Mutex<Drawn<'a>>>,
}

struct Drawn<'a> {
    err: Box<dyn Write + Send + 'a>,
    /// The earliest time of the next update.
    next: Instant,
    is_visible: bool,
}

impl ProgressBar<'static> {
    /// Creates the bar for some work, such as `Searching`; without a terminal it draws nothing.
    pub(crate) fn new(machine: &ProcessEnv, what: &'static str) -> Self {
        let err =
            (machine.stderr_is_terminal && !is_dumb(machine)).then(|| Box::new(io::stderr()) as _);
        Self::on(err, machine.width, what, SHOW_AFTER)
    }
}

impl<'a> ProgressBar<'a> {
    fn on(
        err: Option<Box<dyn Write + Send + 'a>>,
        width: Option<usize>,
        what: &'static str,
        delay: Duration,
    ) -> Self {
        let next = Instant::now() + delay;
        let drawn = err.map(|err| Mutex::new(Drawn { err, next, is_visible: false }));
        Self { what, width: width.unwrap_or(DEFAULT_WIDTH), drawn }
    }
}

impl Progress for ProgressBar<'_> {
    fn is_shown(&self) -> bool {
        self.drawn.is_some()
    }

    fn step(&self, done: usize, total: usize) {
        // If another thread is drawing, this update is skipped.
        let Some(Ok(mut drawn)) = self.drawn.as_ref().map(Mutex::try_lock) else { return };
        let now = Instant::now();
        if now < drawn.next {
            return;
        }
        drawn.next = now + UPDATE_INTERVAL;
        drawn.is_visible = true;
        let text = format!("{CLEAR}{}", line(self.what, done, total, self.width));
        // A progress bar that cannot be drawn does not stop the work.
        drop(drawn.err.write_all(text.as_bytes()).and_then(|()| drawn.err.flush()));
    }
}

impl Drop for ProgressBar<'_> {
    fn drop(&mut self) {
        let Some(drawn) = &mut self.drawn else { return };
        let drawn = drawn.get_mut().unwrap_or_else(PoisonError::into_inner);
        if drawn.is_visible {
            drop(drawn.err.write_all(CLEAR.as_bytes()).and_then(|()| drawn.err.flush()));
        }
    }
}

/// Returns the line, truncated to the width of the terminal.
fn line(what: &str, done: usize, total: usize, width: usize) -> String {
    if total == 0 {
        return cut(&format!("{what}  {}", grouped(done)), width);
    }
    let done = done.min(total);
    let percent = done * 100 / total;
    let text = format!("{what}  {percent:>3}%  {} of {}", grouped(done), grouped(total));
    // The last column is left empty, because some terminals would wrap there.
    let room = width.saturating_sub(text.width() + 3).min(MAX_BAR);
    if room < MIN_BAR {
        return cut(&text, width);
    }
    let full = done * room / total;
    format!("{text}  {}{}", "━".repeat(full), "─".repeat(room - full))
}

fn cut(text: &str, width: usize) -> String {
    text.chars().take(width.saturating_sub(1)).collect()
}

/// Formats a number with commas between thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(done: usize, total: usize, width: usize, expected: &str) {
        assert_eq!(line("Indexing", done, total, width), expected);
        assert!(expected.width() < width);
    }

    fn draw(delay: Duration, steps: &[(usize, usize)]) -> String {
        let mut screen = Vec::new();
        let bar = ProgressBar::on(Some(Box::new(&mut screen)), Some(40), "Reading", delay);
        for (done, total) in steps {
            bar.step(*done, *total);
        }
        drop(bar);
        String::from_utf8(screen).unwrap()
    }

    #[test]
    fn the_line_fits_the_terminal() {
        check(0, 4, 50, "Indexing    0%  0 of 4  ─────────────────────────");
        check(1, 4, 50, "Indexing   25%  1 of 4  ━━━━━━───────────────────");
        check(4, 4, 50, "Indexing  100%  4 of 4  ━━━━━━━━━━━━━━━━━━━━━━━━━");
        check(99_999, 1_234_567, 36, "Indexing    8%  99,999 of 1,234,567");
        check(99_999, 1_234_567, 12, "Indexing   ");
        check(1000, 0, 40, "Indexing  1,000");
        check(9, 4, 50, "Indexing  100%  4 of 4  ━━━━━━━━━━━━━━━━━━━━━━━━━");
    }

    #[test]
    fn the_bar_is_removed_at_the_end_and_not_drawn_too_often() {
        let drawn = draw(Duration::ZERO, &[(1, 2), (2, 2)]);
        assert_eq!(drawn, format!("{CLEAR}{}{CLEAR}", line("Reading", 1, 2, 40)));
    }

    #[test]
    fn short_work_shows_no_bar() {
        assert_eq!(draw(Duration::from_secs(3600), &[(1, 2), (2, 2)]), "");
        assert_eq!(draw(Duration::ZERO, &[]), "");
    }

    #[test]
    fn nothing_is_drawn_without_a_terminal() {
        let bar = ProgressBar::on(None, None, "Reading", Duration::ZERO);
        bar.step(1, 2);
        assert!(bar.drawn.is_none());
    }
}
