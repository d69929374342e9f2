//! The limits of very large comments.

use std::time::{Duration, Instant};

use skein_web::markdown::{html, plain};

#[test]
fn a_very_long_comment_is_shown_as_plain_text() {
    let text = format!("**{}", "<".repeat(65_536));
    let shown = html(&text);
    assert!(shown.starts_with("<pre>**&lt;&lt;"), "{}", &shown[..20]);
    assert!(shown.ends_with("&lt;&lt;</pre>"));
}

#[test]
fn blocks_that_are_nested_too_deeply_keep_their_text() {
    let shown = html(&format!("{} a *b*", ">".repeat(100)));
    assert_eq!(shown.matches("<blockquote>").count(), 39);
    assert!(shown.contains("a b"), "{shown}");
}

#[test]
fn the_number_of_table_cells_is_limited() {
    let text = format!("{}\n{}\n{}", "a|".repeat(500), "-|".repeat(500), "|q\n".repeat(1_000));
    let shown = html(&text);
    assert!(shown.matches("<td").count() < 7_000);
    assert_eq!(shown.matches('q').count(), 1_000);
}

#[test]
fn repeated_syntax_is_parsed_in_linear_time() {
    let beginnings = [
        ">",
        "> ",
        "[",
        "![",
        "*",
        "**",
        "_",
        "`",
        "` `` ",
        "<",
        "<a ",
        "<!--",
        "<?",
        "<![CDATA[",
        "&",
        "\\",
        "](",
        "[]()",
        "[a](",
        "[a](<b",
        "[a]: ",
        "[a]: b\n",
        "[a]:b\n[a]\n",
        "|",
        "|-",
        "~",
        "~a",
        "- ",
        "1. ",
        "* * ",
        "#",
        "```\n",
        "www.",
        "http://",
        "https://a.",
        "a@",
        "a@b.",
        ":",
        "**a *a ",
        "a*b_c*d_",
        "x\n",
        "> - ",
        "- [ ] ",
        "![[]()",
        "[[]()",
        "<a@b.c>",
        "[^a]:",
        "'\"",
        "*_~`[<",
        "\0",
        "```suggestion\n",
    ];
    for beginning in beginnings {
        let text = beginning.repeat(65_536 / beginning.len());
        let start = Instant::now();
        html(&text);
        plain(&text, 80);
        let elapsed = start.elapsed();
        // Quadratic time would be minutes; linear time is tenths of a second, without optimisation.
        assert!(elapsed < Duration::from_secs(10), "{beginning:?}: {elapsed:?}");
    }
}
