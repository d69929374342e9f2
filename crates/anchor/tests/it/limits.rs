//! Texts that are huge, or designed to be slow to compare.

use skein_anchor::{OldCode, State, place};

fn state(old: &[u8], line: u32, new: &[u8]) -> State {
    place(&OldCode::Whole { text: old, start: line, end: line }, new).state
}

#[test]
fn very_many_equal_lines_are_placed() {
    let old = "}\n".repeat(200_000);
    let new = format!("{}fn f() {{\n", "}\n".repeat(150_000));
    state(old.as_bytes(), 199_999, new.as_bytes());
    assert_eq!(state(old.as_bytes(), 10, new.as_bytes()), State::Exact);
}

#[test]
fn few_distinct_lines_in_irregular_order_are_placed() {
    let text = |step: usize| -> String {
        (0..100_000).map(|n| ["a();\n", "b();\n", "}\n", "\n"][(n * n / step) % 4]).collect()
    };
    state(text(7).as_bytes(), 50_000, text(11).as_bytes());
}

#[test]
fn a_line_of_a_megabyte_is_compared_by_its_beginning() {
    let old = format!("begin\n{}\nend\n", "let data = x; ".repeat(80_000));
    let new = format!("begin\n{}\nend\n", "let data = y; ".repeat(80_000));
    assert_eq!(state(old.as_bytes(), 1, new.as_bytes()), State::Edited);
}

#[test]
fn a_line_of_a_large_rewritten_block_is_placed() {
    let text = |word: &str| -> String {
        (0..20_000).map(|n| format!("let {word}_{n} = {word}({n});\n")).collect()
    };
    state(text("first").as_bytes(), 10_000, text("second").as_bytes());
}

#[test]
fn a_long_range_is_placed() {
    let text = |word: &str| -> String {
        (0..6_000).map(|n| format!("let {word}_{n} = {word}({});\n", n % 7)).collect()
    };
    let (old, new) = (text("first"), text("second"));
    let whole = OldCode::Whole { text: old.as_bytes(), start: 0, end: 5_999 };
    let found = place(&whole, new.as_bytes());
    assert_eq!((found.state, found.lines), (State::Replaced, Some((0, 5_999))));
    let new = format!("{new}{old}");
    assert_eq!(place(&whole, new.as_bytes()).lines, Some((6_000, 11_999)));
}
