//! Applies a stored patch to the text that it was made for.

use crate::lines::split;

/// The line numbers in the header of a hunk.
struct Header {
    /// The first line of the old text that the hunk covers, counted from 0.
    start: usize,
    old: usize,
    new: usize,
}

/// Applies the hunks of a unified diff to a text; `None` if a line is not the one that the patch
/// expects.
///
/// Lines outside of hunks are skipped. The result uses the line endings of the text.
pub fn apply_patch(base: &[u8], patch: &str) -> Option<Vec<u8>> {
    let base_lines = split(base);
    let mut rest = split(patch.as_bytes()).into_iter();
    let mut applied = Applied { base: &base_lines, done: 0, result: Vec::new() };
    let mut hunks = 0;
    while let Some(line) = rest.next() {
        if let Some(header) = header(line) {
            applied.hunk(&header, &mut rest)?;
            hunks += 1;
        }
    }
    applied.copy_to(base_lines.len())?;
    (hunks > 0).then(|| joined(&applied.result, base))
}

/// A patch that is being applied.
struct Applied<'l, 't> {
    base: &'l [&'t [u8]],
    /// The number of lines of the base that were processed.
    done: usize,
    result: Vec<&'t [u8]>,
}

impl<'t> Applied<'_, 't> {
    /// Applies the lines of one hunk.
    fn hunk(&mut self, header: &Header, rest: &mut impl Iterator<Item = &'t [u8]>) -> Option<()> {
        self.copy_to(header.start)?;
        let (mut old, mut new) = (header.old, header.new);
        while old > 0 || new > 0 {
            // An empty context line may have lost its leading space.
            let (sign, text) = rest.next()?.split_first().unwrap_or((&b' ', &[]));
            match sign {
                b' ' => {
                    self.expect(text)?;
                    self.result.push(text);
                    (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?);
                }
                b'-' => {
                    self.expect(text)?;
                    old = old.checked_sub(1)?;
                }
                b'+' => {
                    self.result.push(text);
                    new = new.checked_sub(1)?;
                }
                b'\\' => {}
                _ => return None,
            }
        }
        Some(())
    }

    /// Skips the next line of the base; `None` if it is not `text`.
    fn expect(&mut self, text: &[u8]) -> Option<()> {
        (*self.base.get(self.done)? == text).then_some(())?;
        self.done += 1;
        Some(())
    }

    /// Copies the lines of the base up to `line`.
    fn copy_to(&mut self, line: usize) -> Option<()> {
        self.result.extend(self.base.get(self.done..line)?);
        self.done = line;
        Some(())
    }
}

/// Parses `@@ -1,2 +3,4 @@`.
fn header(line: &[u8]) -> Option<Header> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("@@ -")?;
    let (old, rest) = line.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let (start, old) = numbers(old)?;
    let (_, new) = numbers(new)?;
    // If a hunk has no old lines, the number is that of the line before it.
    let start = if old == 0 { start } else { start.checked_sub(1)? };
    Some(Header { start, old, new })
}

fn numbers(text: &str) -> Option<(usize, usize)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

fn joined(lines: &[&[u8]], base: &[u8]) -> Vec<u8> {
    let end: &[u8] =
        if base.windows(2).take(4096).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let mut text = Vec::with_capacity(base.len() + lines.len());
    for line in lines {
        text.extend_from_slice(line);
        text.extend_from_slice(end);
    }
    text
}
