//! The unified diff of two versions of a file.

use std::ops::Range;
use std::path::Path;

use imara_diff::{Algorithm, Diff, InternedInput};

const CONTEXT_LINES: usize = 3;

/// Returns the diff of a file; `None` is a file that does not exist.
pub(super) fn unified(path: &Path, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let name = |side: &str, there: bool| match there {
        true => format!("{side}/{}", path.display().to_string().trim_start_matches('/')),
        false => "/dev/null".to_owned(),
    };
    let (old, new) = (name("a", before.is_some()), name("b", after.is_some()));
    let mut out = format!("--- {old}\n+++ {new}\n");
    let (before, after) = (lines(before.unwrap_or_default()), lines(after.unwrap_or_default()));
    let mut input = InternedInput::default();
    input.update_before(before.iter().copied());
    input.update_after(after.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let changes: Vec<(Range<usize>, Range<usize>)> =
        diff.hunks().map(|hunk| (wide(&hunk.before), wide(&hunk.after))).collect();
    for hunk in hunks(&changes) {
        write_hunk(&mut out, hunk, &before, &after);
    }
    out
}

/// Joins changes whose context lines touch or overlap.
fn hunks(
    changes: &[(Range<usize>, Range<usize>)],
) -> impl Iterator<Item = &[(Range<usize>, Range<usize>)]> {
    changes.chunk_by(|one, next| next.0.start - one.0.end <= 2 * CONTEXT_LINES)
}

fn write_hunk(
    out: &mut String,
    part: &[(Range<usize>, Range<usize>)],
    before: &[&[u8]],
    after: &[&[u8]],
) {
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return };
    let lead = first.0.start.min(CONTEXT_LINES);
    let tail = (before.len() - last.0.end).min(CONTEXT_LINES);
    let old = first.0.start - lead..last.0.end + tail;
    let new = first.1.start - lead..last.1.end + tail;
    let start = |range: &Range<usize>| if range.is_empty() { range.start } else { range.start + 1 };
    let place = |range: &Range<usize>| format!("{},{}", start(range), range.len());
    out.extend(["@@ -", &place(&old), " +", &place(&new), " @@\n"]);
    let mut at = old.start;
    for (gone, come) in part {
        put(out, ' ', before, at..gone.start);
        put(out, '-', before, gone.clone());
        put(out, '+', after, come.clone());
        at = gone.end;
    }
    put(out, ' ', before, at..old.end);
}

fn put(out: &mut String, sign: char, lines: &[&[u8]], range: Range<usize>) {
    for line in lines.get(range).unwrap_or_default() {
        let text = String::from_utf8_lossy(line);
        out.push(sign);
        out.push_str(text.trim_end_matches(['\n', '\r']));
        out.push('\n');
        if !line.ends_with(b"\n") {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

fn wide(range: &Range<u32>) -> Range<usize> {
    let wide = |end: u32| usize::try_from(end).unwrap_or(usize::MAX);
    wide(range.start)..wide(range.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(before: Option<&str>, after: Option<&str>, expected: &str) {
        let text =
            unified(Path::new("/home/a.json"), before.map(str::as_bytes), after.map(str::as_bytes));
        assert_eq!(text, expected);
    }

    #[test]
    fn changes_have_three_lines_of_context() {
        check(
            Some("1\n2\n3\n4\n5\n6\n7\n8\n9\n"),
            Some("1\n2\n3\n4\nfive\n6\n7\n8\n9\n"),
            "--- a/home/a.json\n+++ b/home/a.json\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
        );
        check(
            None,
            Some("1\n2"),
            "--- /dev/null\n+++ b/home/a.json\n@@ -0,0 +1,2 @@\n+1\n+2\n\\ No newline at end of file\n",
        );
        check(Some("1\n"), None, "--- a/home/a.json\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-1\n");
        let long: String = (1..30).map(|n| format!("{n}\n")).collect();
        let other = long.replacen("2\n", "two\n", 1).replace("28\n", "twenty-eight\n");
        let text = unified(Path::new("a"), Some(long.as_bytes()), Some(other.as_bytes()));
        assert_eq!(text.matches("@@ -").count(), 2, "{text}");
    }
}
