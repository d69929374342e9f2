//! A bar for work that takes long, for a person at a terminal.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use skein_model::Progress;
use unicode_width::UnicodeWidthStr as _;

use crate::machine::ProcessEnv;
use crate::terminal::is_dumb;

/// Work that is done by then needs no bar.
const SHOW_AFTER: Duration = Duration::from_secs(1);
/// More often nobody can read it.
const PAUSE: Duration = Duration::from_millis(100);
/// The columns of a terminal that does not tell.
const WIDTH: usize = 80;
/// A longer bar says no more.
const MAX_WIDTH: usize = 40;
/// A shorter one says nothing.
const MIN_WIDTH: usize = 5;
/// Goes to the beginning of the line and empties it.
const CLEAR: &str = "\r\x1b[2K";

/// Draws how far some work has come; it is gone from the screen when dropped.
pub(crate) struct ProgressBar<'a> {
    what: &'static str,
    width: usize,
    /// None where nobody looks at a terminal.
    drawn: Option<Mutex<Drawn<'a>>>,
}

struct Drawn<'a> {
    err: Box<dyn Write + Send + 'a>,
    /// Nothing is drawn before.
    next: Instant,
    is_there: bool,
}

impl ProgressBar<'static> {
    /// Makes the bar for some work, such as `Indexing`; it draws nothing where the messages go to no terminal.
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
        patience: Duration,
    ) -> Self {
        let next = Instant::now() + patience;
        let drawn = err.map(|err| Mutex::new(Drawn { err, next, is_there: false }));
        Self { what, width: width.unwrap_or(WIDTH), drawn }
    }
}

impl Progress for ProgressBar<'_> {
    fn is_heard(&self) -> bool {
        self.drawn.is_some()
    }

    fn step(&self, done: usize, total: usize) {
        // Another thread that is drawing at this moment draws as good a bar.
        let Some(Ok(mut drawn)) = self.drawn.as_ref().map(Mutex::try_lock) else { return };
        let now = Instant::now();
        if now < drawn.next {
            return;
        }
        drawn.next = now + PAUSE;
        drawn.is_there = true;
        let text = format!("{CLEAR}{}", line(self.what, done, total, self.width));
        // The work goes on whether or not somebody sees how far it has come.
        drop(drawn.err.write_all(text.as_bytes()).and_then(|()| drawn.err.flush()));
    }
}

impl Drop for ProgressBar<'_> {
    fn drop(&mut self) {
        let Some(drawn) = &mut self.drawn else { return };
        let drawn = drawn.get_mut().unwrap_or_else(PoisonError::into_inner);
        if drawn.is_there {
            drop(drawn.err.write_all(CLEAR.as_bytes()).and_then(|()| drawn.err.flush()));
        }
    }
}

/// Returns the line, which is shorter than the terminal is wide.
fn line(what: &str, done: usize, total: usize, width: usize) -> String {
    if total == 0 {
        return cut(&format!("{what}  {}", grouped(done)), width);
    }
    let done = done.min(total);
    let percent = done * 100 / total;
    let text = format!("{what}  {percent:>3}%  {} of {}", grouped(done), grouped(total));
    // The last column stays free, where some terminals would begin another line.
    let room = width.saturating_sub(text.width() + 3).min(MAX_WIDTH);
    if room < MIN_WIDTH {
        return cut(&text, width);
    }
    let full = done * room / total;
    format!("{text}  {}{}", "━".repeat(full), "─".repeat(room - full))
}

fn cut(text: &str, width: usize) -> String {
    text.chars().take(width.saturating_sub(1)).collect()
}

/// Writes a number with a comma at every thousand.
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

    fn draw(patience: Duration, steps: &[(usize, usize)]) -> String {
        let mut screen = Vec::new();
        let bar = ProgressBar::on(Some(Box::new(&mut screen)), Some(40), "Reading", patience);
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
    fn the_bar_is_gone_at_the_end_and_not_drawn_too_often() {
        let drawn = draw(Duration::ZERO, &[(1, 2), (2, 2)]);
        assert_eq!(drawn, format!("{CLEAR}{}{CLEAR}", line("Reading", 1, 2, 40)));
    }

    #[test]
    fn short_work_leaves_no_trace() {
        assert_eq!(draw(Duration::from_secs(3600), &[(1, 2), (2, 2)]), "");
        assert_eq!(draw(Duration::ZERO, &[]), "");
    }

    #[test]
    fn nothing_is_drawn_where_nobody_looks() {
        let bar = ProgressBar::on(None, None, "Reading", Duration::ZERO);
        bar.step(1, 2);
        assert!(bar.drawn.is_none());
    }
}
