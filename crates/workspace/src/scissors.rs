//! The line in an editor's file below which text is ignored.

/// The middle of the line.
const MIDDLE: &str = " >8 ";

/// Returns a text to edit: the start of the comment, the line, and below it a note and what the comment is about.
///
/// The line is longer than any such line in the texts.
pub fn join(start: &str, note: &str, about: &str) -> String {
    let longest = [start, about].iter().flat_map(|text| text.lines()).filter_map(dashes).max();
    let dashes = "-".repeat(longest.map_or(24, |longest| longest + 1));
    format!("{start}\n\n{dashes}{MIDDLE}{dashes}\n{note}\n\n{about}\n")
}

/// Splits a text at the longest scissors line; without such a line, nothing is below it.
pub fn split(text: &str) -> (&str, &str) {
    find(text).unwrap_or((text, ""))
}

/// Splits a text at the longest scissors line, if there is one.
pub fn find(text: &str) -> Option<(&str, &str)> {
    let longest = text.lines().filter_map(dashes).max()?;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\r', '\n']).len();
        if dashes(line) == Some(longest) {
            return Some((text.get(..start)?, text.get(start + end..)?));
        }
        start += line.len();
    }
    None
}

/// Returns the number of dashes on each side of a scissors line.
fn dashes(line: &str) -> Option<usize> {
    let (left, right) = line.trim_end().split_once(MIDDLE)?;
    let only = |side: &str| side.len() >= 8 && side.bytes().all(|byte| byte == b'-');
    (only(left) && left == right).then_some(left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_line_ends_the_comment() {
        let (short, long) = ("-------- >8 --------", "---------- >8 ----------");
        assert_eq!(split("a\nb"), ("a\nb", ""));
        assert_eq!(split(&format!("a\n{long}\nb")), ("a\n", "\nb"));
        assert_eq!(
            split(&format!("{short}\na\n{long}\n{short}")),
            (format!("{short}\na\n").as_str(), format!("\n{short}").as_str())
        );
        assert_eq!(split("-- >8 --\na"), ("-- >8 --\na", ""));
        assert_eq!(split(&join(long, "", short)).0.trim(), long);
        assert_eq!(split(&format!("> {long}\n{long}\nb")).0, format!("> {long}\n"));
        assert_eq!((find("a"), find(long)), (None, Some(("", ""))));
    }
}
