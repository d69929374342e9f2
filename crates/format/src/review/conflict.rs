//! Git conflicts in a thread file.

use super::marker::{COMMENT, THREAD, THREAD_END};
use super::metadata;
use crate::fence::Fence;
use crate::line::{Line, lines};
use crate::span::Span;

/// One conflict: two versions of some lines, and perhaps their common base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    /// The whole conflict, marker lines included.
    pub(super) whole: Span,
    pub(super) ours: Span,
    pub(super) base: Option<Span>,
    pub(super) theirs: Span,
    /// The labels of the two sides.
    pub(super) labels: (Span, Span),
}

/// The conflicts of a file.
#[derive(Debug, Default)]
pub(super) struct Conflicts {
    pub(super) list: Vec<Conflict>,
    /// Whether a marker line is not part of a complete conflict.
    pub(super) stray: bool,
}

/// Finds the conflicts of a thread file.
///
/// A conflict in a fenced block after the metadata is quoted text and not returned, unless it contains
/// a tag of the format or the end of the block.
pub(super) fn find(bytes: &[u8]) -> Conflicts {
    let mut found = Conflicts::default();
    let opens = memchr::memmem::find_iter(bytes, b"<<<<<<<");
    if !opens.into_iter().any(|at| at == 0 || bytes.get(at - 1) == Some(&b'\n')) {
        return found;
    }
    let fences_from = metadata::block(bytes).map_or(0, |(_, end)| end);
    let mut fence = None;
    let mut rest = Span::new(0, bytes.len());
    while let Some(line) = lines(bytes, rest).next() {
        rest.start = line.next;
        let text = line.text.of(bytes);
        if is_sign(text, b'<') {
            match read_conflict(bytes, line, rest.end) {
                Some(conflict) if !is_quoted(bytes, &conflict, fence) => {
                    rest.start = conflict.whole.end;
                    found.list.push(conflict);
                }
                None if fence.is_none() => found.stray = true,
                _ => {}
            }
        } else if is_sign(text, b'>') && fence.is_none() {
            found.stray = true;
        } else if line.text.start >= fences_from {
            fence = after(fence, text);
        }
    }
    found
}

/// Returns the block that is open after a line; a comment marker ends any block.
fn after<'a>(open: Option<Fence<'a>>, line: &'a [u8]) -> Option<Fence<'a>> {
    match open {
        _ if line.starts_with(COMMENT) => None,
        Some(fence) => Some(fence).filter(|fence| !fence.is_closed_by(line)),
        None => Fence::open(line),
    }
}

fn is_quoted(bytes: &[u8], conflict: &Conflict, fence: Option<Fence<'_>>) -> bool {
    let Some(fence) = fence else { return false };
    let parts = |line: &[u8]| {
        let tag = [COMMENT, THREAD, THREAD_END].iter().any(|tag| line.starts_with(tag));
        tag || fence.is_closed_by(line)
    };
    !lines(bytes, conflict.whole).any(|line| parts(line.text.of(bytes)))
}

/// Returns whether a line is seven of these signs, and then nothing or a label.
fn is_sign(line: &[u8], sign: u8) -> bool {
    let rest = line.strip_prefix(&[sign; 7]);
    rest.is_some_and(|rest| rest.is_empty() || sign != b'=' && rest.starts_with(b" "))
}

/// Reads the conflict that a line opens; none if its marker lines are incomplete or nested.
fn read_conflict(bytes: &[u8], open: Line, end: usize) -> Option<Conflict> {
    let (mut bar, mut middle): (Option<Line>, Option<Line>) = (None, None);
    for line in lines(bytes, Span::new(open.next, end)) {
        let text = line.text.of(bytes);
        if is_sign(text, b'>') {
            let middle = middle?;
            let ours_end = bar.unwrap_or(middle).text.start;
            return Some(Conflict {
                whole: Span::new(open.text.start, line.next),
                ours: Span::new(open.next, ours_end),
                base: bar.map(|bar| Span::new(bar.next, middle.text.start)),
                theirs: Span::new(middle.next, line.text.start),
                labels: (label(open), label(line)),
            });
        } else if is_sign(text, b'=') {
            if middle.replace(line).is_some() {
                return None;
            }
        } else if is_sign(text, b'|') && middle.is_none() {
            if bar.replace(line).is_some() {
                return None;
            }
        } else if is_sign(text, b'<') {
            return None;
        }
    }
    None
}

fn label(line: Line) -> Span {
    Span::new((line.text.start + 8).min(line.text.end), line.text.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shows each conflict as `ours|base|theirs`, with spaces for line ends.
    #[track_caller]
    fn check(text: &str, expected: &[&str], stray: bool) {
        let bytes = text.as_bytes();
        let found = find(bytes);
        let shown = |span: Span| {
            let text = text.get(span.start..span.end).unwrap();
            text.replace("\r\n", "\n").replace('\n', " ")
        };
        let list: Vec<String> = found
            .list
            .iter()
            .map(|one| {
                let base = one.base.map_or("-".to_owned(), shown);
                format!("{}|{base}|{}", shown(one.ours), shown(one.theirs))
            })
            .collect();
        assert_eq!(
            (list.iter().map(String::as_str).collect::<Vec<_>>(), found.stray),
            (expected.to_vec(), stray)
        );
    }

    #[test]
    fn finds_plain_and_diff3_conflicts() {
        check("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n", &["b |-|c "], false);
        check("<<<<<<< H\nb\n||||||| 1f\no\n=======\nc\n>>>>>>> x", &["b |o |c "], false);
        check("<<<<<<<\r\n=======\r\nc\r\n>>>>>>> x\r\n", &["|-|c "], false);
        let two = "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\nm\n<<<<<<< a\n3\n=======\n4\n>>>>>>> b\n";
        check(two, &["1 |-|2 ", "3 |-|4 "], false);
    }

    #[test]
    fn ignores_incomplete_conflicts() {
        check("<<<<<<< HEAD\nb\n", &[], true);
        check("<<<<<<< a\nb\n>>>>>>> b\n", &[], true);
        check("<<<<<<< a\nTitle\n=======\nb\n=======\nc\n>>>>>>> b\n", &[], true);
        check("Title\n=======\n", &[], false);
        check(" <<<<<<< a\n=======\n>>>>>>> b\n", &[], false);
        check("<<<<<<<< a\n========\n>>>>>>>> b\n", &[], false);
        check("<<<<<<< a\nx\n<<<<<<< b\n=======\n>>>>>>> c\n", &["|-|"], true);
    }

    #[test]
    fn quoted_text_is_not_a_conflict() {
        let quoted = "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n";
        check(&format!("```\n{quoted}```\n"), &[], false);
        check(&format!("```\n{quoted}"), &[], false);
        check(&format!("```\n```\n{quoted}"), &["1 |-|2 "], false);
        let marker = "<local-code-review-comment id=\"c2\"/>";
        check(&format!("```\n{marker}\n{quoted}"), &["1 |-|2 "], false);
        let torn = format!("```\n<<<<<<< a\n{marker}\n=======\n2\n>>>>>>> b\n");
        check(&torn, &[&format!("{marker} |-|2 ")], false);
        check("```\n<<<<<<< a\n1\n```\n=======\n2\n>>>>>>> b\n", &["1 ``` |-|2 "], false);
    }
}
