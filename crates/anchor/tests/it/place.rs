//! Code of which the whole old text is known.

use skein_anchor::{Old, place};

/// Places the lines that are marked with `>` in the old text, and says what came out.
#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    let marked: Vec<usize> =
        (0..).zip(old.lines()).filter(|(_, line)| line.starts_with('>')).map(|(n, _)| n).collect();
    let text: String = old.lines().map(|line| format!("{}\n", line.get(1..).unwrap())).collect();
    let line = |n: usize| u32::try_from(n).unwrap();
    let (start, end) = (line(marked[0]), line(marked[marked.len() - 1]));
    let found = place(&Old::Whole { text: text.as_bytes(), start, end }, new.as_bytes());
    let said = match found.lines {
        Some((first, last)) if first == last => format!("{} {first}", found.state),
        Some((first, last)) => format!("{} {first}-{last}", found.state),
        None => found.state.to_string(),
    };
    assert_eq!(said, expected);
}

#[test]
fn the_same_text_is_exact() {
    check(" a\n>b\n c\n", "a\nb\nc\n", "exact 1");
}

#[test]
fn lines_above_shift() {
    check(" one();\n>two();\n three();\n", "zero();\none();\ntwo();\nthree();\n", "shifted 2");
}

#[test]
fn a_changed_line_is_edited() {
    check(
        " one();\n>let two = second(a, b);\n three();\n",
        "one();\nlet two = second(a, b, c);\nthree();\n",
        "edited 1",
    );
}

#[test]
fn a_deleted_line_is_gone() {
    check(" one();\n>two();\n three();\n", "one();\nthree();\n", "gone");
}
