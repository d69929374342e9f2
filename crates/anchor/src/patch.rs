//! Applies a stored patch to the text that it was made for.

use crate::lines::split;

/// The numbers of a hunk's header, of which the old ones matter.
struct Header {
    /// The first line of the old text that the hunk covers, counted from 0.
    start: usize,
    old: usize,
    new: usize,
}

/// Applies the hunks of a unified diff to a text; none where a line is not the one that the patch expects.
///
/// Lines before the first hunk header are passed over. The result ends its lines as the text does.
#[must_use]
pub fn apply_patch(base: &[u8], patch: &str) -> Option<Vec<u8>> {
    let lines = split(base);
    let mut result: Vec<&[u8]> = Vec::with_capacity(lines.len());
    let mut done = 0;
    let mut rest = split(patch.as_bytes()).into_iter().peekable();
    let mut hunks = 0;
    while let Some(line) = rest.next() {
        let Some(header) = header(line) else { continue };
        result.extend(lines.get(done..header.start)?);
        done = header.start;
        hunks += 1;
        let (mut old, mut new) = (header.old, header.new);
        while old > 0 || new > 0 {
            let line = rest.next()?;
            let (sign, text) = line.split_first().unwrap_or((&b' ', &[]));
            match sign {
                b' ' => {
                    (lines.get(done) == Some(&text)).then_some(())?;
                    result.push(text);
                    done += 1;
                    (old, new) = (old.checked_sub(1)?, new.checked_sub(1)?);
                }
                b'-' => {
                    (lines.get(done) == Some(&text)).then_some(())?;
                    done += 1;
                    old = old.checked_sub(1)?;
                }
                b'+' => {
                    result.push(text);
                    new = new.checked_sub(1)?;
                }
                b'\\' => {}
                _ => return None,
            }
        }
    }
    result.extend(lines.get(done..)?);
    (hunks > 0).then(|| joined(&result, base))
}

/// Reads `@@ -1,2 +3,4 @@`.
fn header(line: &[u8]) -> Option<Header> {
    let line = std::str::from_utf8(line).ok()?.strip_prefix("@@ -")?;
    let (old, rest) = line.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let (start, old) = numbers(old)?;
    let (_, new) = numbers(new)?;
    // A hunk without old lines names the line before it.
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
