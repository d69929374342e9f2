//! Files that are unusual or hostile.

use std::time::{Duration, Instant};

use skein_highlight::{Language, lines};

use super::{check, every_language};

#[test]
fn a_very_long_line_has_no_colours() {
    let long = "let ".repeat(1_250);
    let longer = format!("{long} ");
    assert_eq!(lines(Language::Rust, &[long])[0].len(), 1_250);
    assert_eq!(lines(Language::Rust, &[longer]), [vec![]]);
}

#[test]
fn repeated_opening_tokens_are_scanned_quickly() {
    let openings = [
        "\"", "'", "`", "'\\", "\"\\", "/", "/[", "//", "/*", "(*", "{-", "<", "<<", "<<A ",
        "<<<A", "<!--", "<a ", "</", "${", "$(", "\"${", "`${", "\"#{", "#[", "[[", "[", "](",
        "[](", "r#\"", "r#", "R\"(", "%w[", "~r/", "qw(", "s/", "q'", "``", "` `` ", "a:", "a: ",
        "- ", "&", "\\", "#", "@", ":", "::", "{", "(", "\"\"\"", "'''", "$'", "?\"", "a=", "= ",
        "url(", "type ", "-- ", "|", ">", "\u{e9}", "\\\u{e9}",
    ];
    for language in every_language() {
        let start = Instant::now();
        for opening in openings {
            lines(language, &[opening.repeat(4_900 / opening.len())]);
        }
        // Without optimisation this takes a hundredth of a second.
        assert!(start.elapsed() < Duration::from_secs(1), "{language:?}: {:?}", start.elapsed());
    }
}

#[test]
fn an_unclosed_string_ends_with_its_line() {
    check("a.c", "«t:int» x = \"open;\n«t:int» y = 'open;\n«t:int» z;");
    check("a.js", "«k:const» a = \"open\n«k:const» b = 'open");
    check("a.kt", "«k:val» a = «s:\"x »${ «s:\"y\"»\n«k:val» b = «o:null»");
}

#[test]
fn a_misread_quote_affects_only_a_few_lines() {
    check("a.rb", "x = ?a «s:'»\n«s:y = 1»\nputs «s:'b'», «s:\"c\"»\n«k:def» «f:f»");
}
