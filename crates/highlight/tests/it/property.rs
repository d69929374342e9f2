//! Properties that hold for every text in every language.

use proptest::prelude::*;
use skein_highlight::{Class, ColouredSpan, Language, lines};

use super::every_language;

/// Tokens with a meaning in some language, so that combinations of them reach every branch of the scanners.
const PIECES: &[&str] = &[
    "\"",
    "'",
    "`",
    "\"\"\"",
    "'''",
    "\\",
    "/",
    "//",
    "/*",
    "*/",
    "#",
    "#[",
    "]",
    "[",
    "[[",
    "]]",
    "{",
    "}",
    "(",
    ")",
    "${",
    "#{",
    "\\(",
    "$(",
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<?php",
    "?>",
    "<script>",
    "</script>",
    "<style>",
    "<<EOF",
    "EOF",
    "<<~A",
    "A",
    "r#\"",
    "\"#",
    "R\"x(",
    ")x\"",
    "%w[",
    "~r/",
    "qw(",
    "s{",
    "=begin",
    "=end",
    "=cut",
    "{-",
    "-}",
    "(*",
    "*)",
    "--[[",
    "--",
    ";",
    "%",
    "@",
    "@\"",
    "$",
    "$'",
    "?",
    "!",
    ":",
    "::",
    ".",
    "..",
    "=",
    "- ",
    "---",
    "|",
    ">-",
    "&",
    "&amp;",
    "```",
    "```rust",
    "~~~",
    "# ",
    "](",
    "é",
    "😀",
    "\u{301}",
    " ",
    "\t",
    "\r",
    "\n",
    "0x1F",
    "1'000",
    "1e-5",
    "fn",
    "class",
    "def",
    "new",
    "type",
    "await",
    "Foo",
    "MAX",
    "x",
    "url(",
    "+",
    "@@ ",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(PIECES).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Asserts the properties of the coloured spans of a line.
fn check(line: &str, spans: &[ColouredSpan]) {
    let mut end = 0;
    let mut class: Option<Class> = None;
    for span in spans {
        assert!(span.range.start < span.range.end, "empty: {span:?} of {line:?}");
        assert!(span.range.start >= end, "out of order: {span:?} of {line:?}");
        assert!(
            span.range.start > end || class != Some(span.class),
            "split in two: {span:?} of {line:?}"
        );
        assert!(line.get(span.range.clone()).is_some(), "inside a character: {span:?} of {line:?}");
        end = span.range.end;
        class = Some(span.class);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn spans_are_ordered_do_not_overlap_and_split_no_character(text in text()) {
        let text: Vec<&str> = text.split('\n').collect();
        for language in every_language() {
            let coloured = lines(language, &text);
            prop_assert_eq!(coloured.len(), text.len());
            for (line, spans) in text.iter().zip(&coloured) {
                check(line, spans);
            }
        }
    }

    #[test]
    fn a_language_can_be_detected_from_any_text(path in any::<String>(), first in any::<String>()) {
        Language::detect(&path, &first);
        Language::detect(&path, &format!("#!{first}"));
        Language::named(&path);
    }
}
