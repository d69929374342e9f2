//! What a file cannot do to a reader.

use std::time::{Duration, Instant};

use skein_highlight::{Language, lines};

use super::{check, every_language};

#[test]
fn a_line_that_no_person_wrote_has_no_colours() {
    let long = "let ".repeat(1_250);
    let longer = format!("{long} ");
    assert_eq!(lines(Language::Rust, &[long])[0].len(), 1_250);
    assert_eq!(lines(Language::Rust, &[longer]), [vec![]]);
}

#[test]
fn what_repeats_a_beginning_is_read_in_no_time() {
    let beginnings = [
        "\"", "'", "`", "'\\", "\"\\", "/", "/[", "//", "/*", "(*", "{-", "<", "<<", "<<A ",
        "<<<A", "<!--", "<a ", "</", "${", "$(", "\"${", "`${", "\"#{", "#[", "[[", "[", "](",
        "[](", "r#\"", "r#", "R\"(", "%w[", "~r/", "qw(", "s/", "q'", "``", "` `` ", "a:", "a: ",
        "- ", "&", "\\", "#", "@", ":", "::", "{", "(", "\"\"\"", "'''", "$'", "?\"", "a=", "= ",
        "url(", "type ", "-- ", "|", ">", "\u{e9}", "\\\u{e9}",
    ];
    for language in every_language() {
        let start = Instant::now();
        for beginning in beginnings {
            lines(language, &[beginning.repeat(4_900 / beginning.len())]);
        }
        // A second would be a hundred times as long as it takes, without optimisation.
        assert!(start.elapsed() < Duration::from_secs(1), "{language:?}: {:?}", start.elapsed());
    }
}

#[test]
fn what_a_line_leaves_open_ends_with_it() {
    check("a.c", "«t:int» x = \"open;\n«t:int» y = 'open;\n«t:int» z;");
    check("a.js", "«k:const» a = \"open\n«k:const» b = 'open");
    check("a.kt", "«k:val» a = «s:\"x »${ «s:\"y\"»\n«k:val» b = «o:null»");
}

#[test]
fn a_quote_that_was_none_does_no_harm_for_long() {
    check("a.rb", "x = ?a «s:'»\n«s:y = 1»\nputs «s:'b'», «s:\"c\"»\n«k:def» «f:f»");
}
