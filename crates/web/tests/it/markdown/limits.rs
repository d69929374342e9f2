//! What a comment cannot do to a reader.

use std::time::{Duration, Instant};

use skein_web::markdown::{html, plain};

#[test]
fn a_comment_that_no_person_wrote_is_shown_as_it_is() {
    let text = format!("**{}", "<".repeat(65_536));
    let shown = html(&text);
    assert!(shown.starts_with("<pre>**&lt;&lt;"), "{}", &shown[..20]);
    assert!(shown.ends_with("&lt;&lt;</pre>"));
}

#[test]
fn what_is_nested_too_deeply_keeps_its_text() {
    let shown = html(&format!("{} a *b*", ">".repeat(100)));
    assert_eq!(shown.matches("<blockquote>").count(), 39);
    assert!(shown.contains("a b"), "{shown}");
}

#[test]
fn a_table_has_no_more_cells_than_a_page_can_show() {
    let text = format!("{}\n{}\n{}", "a|".repeat(500), "-|".repeat(500), "|q\n".repeat(1_000));
    let shown = html(&text);
    assert!(shown.matches("<td").count() < 7_000);
    assert_eq!(shown.matches('q').count(), 1_000);
}

#[test]
fn what_repeats_a_beginning_is_read_in_no_time() {
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
        // The square of this length would take minutes. It is tenths of a second, without optimisation.
        assert!(elapsed < Duration::from_secs(10), "{beginning:?}: {elapsed:?}");
    }
}
