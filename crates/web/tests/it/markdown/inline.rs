//! Inline elements.

use super::check;

#[test]
fn line_breaks_are_kept() {
    check("", "");
    check("one\ntwo  \nthree", "<p>one<br>\ntwo<br>\nthree</p>");
}

#[test]
fn emphasis_and_code() {
    check(
        "*a* **b** ~~c~~ `<d>`",
        "<p><em>a</em> <strong>b</strong> <del>c</del> <code>&lt;d&gt;</code></p>",
    );
}

#[test]
fn html_is_text() {
    check("a <b>c</b> &amp; <!-- d -->", "<p>a &lt;b&gt;c&lt;/b&gt; &amp; &lt;!-- d --&gt;</p>");
    check("<div class=x>\n*a*\n</div>", "<p>&lt;div class=x&gt;<br>\n*a*<br>\n&lt;/div&gt;</p>");
}

#[test]
fn only_web_mail_and_fragment_links_are_kept() {
    let rel = "rel=\"noopener noreferrer nofollow\"";
    check("[a](https://b.c/?d&e)", &format!("<p><a href=\"https://b.c/?d&amp;e\" {rel}>a</a></p>"));
    check("[a](#b \"c\")", &format!("<p><a href=\"#b\" title=\"c\" {rel}>a</a></p>"));
    check("a@b.c", &format!("<p><a href=\"mailto:a@b.c\" {rel}>a@b.c</a></p>"));
    check("www.a.b", &format!("<p><a href=\"http://www.a.b\" {rel}>www.a.b</a></p>"));
    check("[a](b/c.md) [d](//e.f) [g](file:///h) [i]()", "<p>a d g i</p>");
}

#[test]
fn an_image_is_a_link() {
    let rel = "rel=\"noopener noreferrer nofollow\"";
    check(
        "![a *b*](https://c/d.png)",
        &format!("<p><a href=\"https://c/d.png\" {rel}>a <em>b</em></a></p>"),
    );
    check(
        "![](https://c/d.png)",
        &format!("<p><a href=\"https://c/d.png\" {rel}>https://c/d.png</a></p>"),
    );
    check("[![a](https://b)](https://c)", &format!("<p><a href=\"https://c\" {rel}>a</a></p>"));
    check("![a](b.png)", "<p>a</p>");
}
