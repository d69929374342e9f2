//! Block elements.

use super::check;

#[test]
fn lists() {
    check("- a\n- b\n  1. c", "<ul>\n<li>a</li>\n<li>b<ol>\n<li>c</li>\n</ol>\n</li>\n</ul>");
    check("3. a\n\n4. b", "<ol start=\"3\">\n<li><p>a</p>\n</li>\n<li><p>b</p>\n</li>\n</ol>");
}

#[test]
fn tasks() {
    check(
        "- [x] a\n- [ ] b",
        "<ul>\n<li class=\"task\"><input type=\"checkbox\" disabled=\"\" checked=\"\"> a</li>\n\
         <li class=\"task\"><input type=\"checkbox\" disabled=\"\"> b</li>\n</ul>",
    );
}

#[test]
fn tables() {
    check(
        "|a|b|c|\n|-|:-:|-:|\n|*d*|e|",
        "<table>\n<thead><tr><th>a</th><th class=\"center\">b</th><th class=\"right\">c</th></tr></thead>\n\
         <tbody><tr><td><em>d</em></td><td class=\"center\">e</td><td class=\"right\"></td></tr>\n\
         </tbody></table>",
    );
}

#[test]
fn headings_quotes_and_rules() {
    check("## a\n> b\n\n---", "<h2>a</h2>\n<blockquote>\n<p>b</p>\n</blockquote>\n<hr>");
}

#[test]
fn a_code_block_with_a_known_language_is_highlighted() {
    check(
        "```rust,ignore\nfn a() {} // <b>\n```",
        "<pre><code><i class=\"k\">fn</i> <i class=\"f\">a</i>() {} <i class=\"c\">// &lt;b&gt;</i>\n</code></pre>",
    );
    check("```\nfn <a>\n```", "<pre><code>fn &lt;a&gt;\n</code></pre>");
    check("``` \"><x>\nfn\n```", "<pre><code>fn\n</code></pre>");
    check("    fn", "<pre><code>fn\n</code></pre>");
}
