//! The HTML of a comment has no active content.

use proptest::prelude::*;
use skein_highlight::Language;
use skein_web::markdown::{html, html_for};

/// The elements that a comment may have, and their attributes.
const ELEMENTS: &[(&str, &[&str])] = &[
    ("a", &["href", "rel", "title"]),
    ("blockquote", &[]),
    ("br", &[]),
    ("code", &[]),
    ("del", &[]),
    ("div", &["class"]),
    ("em", &[]),
    ("h1", &[]),
    ("h2", &[]),
    ("h3", &[]),
    ("h4", &[]),
    ("h5", &[]),
    ("h6", &[]),
    ("hr", &[]),
    ("i", &["class"]),
    ("input", &["checked", "disabled", "type"]),
    ("ins", &[]),
    ("li", &["class"]),
    ("ol", &["start"]),
    ("p", &[]),
    ("pre", &[]),
    ("strong", &[]),
    ("table", &[]),
    ("tbody", &[]),
    ("td", &["class"]),
    ("th", &["class"]),
    ("thead", &[]),
    ("tr", &[]),
    ("u", &[]),
    ("ul", &[]),
];

const CLASSES: &[&str] =
    &["a", "c", "f", "k", "m", "n", "o", "s", "t", "suggestion", "task", "center", "right"];

/// Asserts that HTML consists of harmless elements and text.
#[track_caller]
fn check_html(source: &str, html: &str) {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '/').unwrap();
        let name = rest[..end].trim_start_matches('/');
        let element = ELEMENTS.iter().find(|(known, _)| *known == name);
        assert!(element.is_some(), "<{name}> in {html:?} of {source:?}");
        let (_, allowed) = element.unwrap();
        rest = &rest[end..];
        while !rest.starts_with('>') {
            let (attribute, after) = rest.trim_start().split_once("=\"").unwrap();
            let (value, after) = after.split_once('"').unwrap();
            assert!(allowed.contains(&attribute), "{attribute} in {html:?} of {source:?}");
            check_value(attribute, value);
            rest = after;
        }
    }
}

#[track_caller]
fn check_value(attribute: &str, value: &str) {
    let is_harmless = match attribute {
        "href" => ["http://", "https://", "mailto:", "#"]
            .iter()
            .any(|start| value.to_ascii_lowercase().starts_with(start)),
        "class" => CLASSES.contains(&value),
        "rel" => value == "noopener noreferrer nofollow",
        "type" => value == "checkbox",
        "start" => value.bytes().all(|byte| byte.is_ascii_digit()),
        _ => true,
    };
    assert!(is_harmless, "{attribute}={value:?}");
}

const VECTORS: &[&str] = &[
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img/src/onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert&#40;1)</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<math href=\"javascript:alert(1)\">x</math>",
    "<iframe src=\"javascript:alert(1)\"></iframe>",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<object data=\"data:text/html,<script>alert(1)</script>\">",
    "<embed src=javascript:alert(1)>",
    "<style>@import 'https://evil/x.css'; body{background:url(//evil)}</style>",
    "<p style=\"background:url(javascript:alert(1))\">x</p>",
    "<link rel=stylesheet href=//evil/x.css>",
    "<meta http-equiv=refresh content=\"0;url=javascript:alert(1)\">",
    "<base href=\"javascript:alert(1)//\">",
    "<form action=javascript:alert(1)><button>x</button></form>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<a href=\"https://a\" onclick=\"alert(1)\" target=_blank class=btn id=x name=y>x</a>",
    "<details open ontoggle=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<textarea><script>alert(1)</script></textarea>",
    "<!--><script>alert(1)</script-->",
    "<!-- --!><img src=x onerror=alert(1)> -->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml-stylesheet href=\"javascript:alert(1)\"?>",
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\tscript:alert(1))",
    "[a](<java\u{0}script:alert(1)>)",
    "[a](<  javascript:alert(1)>)",
    "[a](&#106;avascript:alert(1))",
    "[a](&#x6A&#x61;vascript:alert(1))",
    "[a](javascript&colon;alert(1))",
    "[a](\\javascript:alert(1))",
    "[a](\u{1}javascript:alert(1))",
    "[a](vbscript:msgbox(1))",
    "[a](data:text/html;base64,PHNjcmlwdD4=)",
    "[a](//evil/x)",
    "[a](https:javascript:alert(1))",
    "[a](https://x\" onmouseover=\"alert(1))",
    "[a](https://x 'title\" onmouseover=\"alert(1)')",
    "[a](https://x \"*b* <img src=x onerror=alert(1)>\")",
    "[a]: javascript:alert(1)\n\n[a]",
    "[a]: https://x\n  \"t\" onclick=\"alert(1)\"\n\n[a]",
    "![a](javascript:alert(1))",
    "![a\" onerror=\"alert(1)](https://x)",
    "![a](https://evil/pixel.gif?\"onload=\"alert(1))",
    "[![a](javascript:alert(1))](javascript:alert(2))",
    "<javascript:alert(1)>",
    "<https://x\"onclick=\"alert(1)>",
    "https://x\"onmouseover=\"alert(1)",
    "www.x.y/\"><script>alert(1)</script>",
    "a@b.c\"onclick=alert(1)",
    "`<script>alert(1)</script>`",
    "```\"><script>alert(1)</script>\nx\n```",
    "```rust\" onclick=\"alert(1)\nx\n```",
    "```html\n<script>alert(1)</script>\n```",
    "```suggestion\n</ins></code><script>alert(1)</script>\n```",
    "|<script>|\n|-|\n|<img src=x onerror=alert(1)>|",
    "- [x] <input autofocus onfocus=alert(1)>",
    "1000000000. <ol start=x onclick=y>",
    "<x:script xmlns:x=\"http://www.w3.org/1999/xhtml\">alert(1)</x:script>",
    "\u{feff}<script>alert(1)</script>",
    "<div>\n\n<script>\nalert(1)\n</script>\n\n</div>",
];

#[test]
fn known_attack_vectors_are_escaped() {
    for vector in VECTORS {
        for text in [(*vector).to_owned(), format!("> - *{vector}*"), format!("a\n{vector}\nb")] {
            for language in [None, Some(Language::Html)] {
                let html = html_for(&text, language);
                check_html(&text, &html);
                assert!(!html.contains("<script"), "{html}");
            }
        }
    }
}

fn text() -> impl Strategy<Value = String> {
    let pieces = [
        "<",
        ">",
        "\"",
        "'",
        "&",
        ";",
        "=",
        "/",
        "\\",
        "*",
        "_",
        "`",
        "```",
        "~~",
        "[",
        "]",
        "(",
        ")",
        "![",
        "](",
        "](<",
        "|",
        "|-|",
        "- ",
        "1. ",
        "> ",
        "# ",
        "\n",
        "\n\n",
        " ",
        "\t",
        "\0",
        "a",
        "é",
        "<script>",
        "</script>",
        "<a href=",
        "<img ",
        "onerror=",
        "javascript:",
        "https://a",
        "#a",
        "&lt;",
        "&quot;",
        "&#x3c;",
        "```suggestion\n",
        "```rust\n",
        "<!--",
        "-->",
        "www.a.b",
        "a@b.c",
        "- [x] ",
        "[a]: ",
        "<style>",
        "<svg>",
        "<math>",
        "</p>",
        "<table>",
    ];
    let piece = prop_oneof![
        6 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..50).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_comment_is_harmless(text in text()) {
        check_html(&text, &html(&text));
    }

    #[test]
    fn any_comment_has_a_first_line(text in text(), limit in 0_usize..40) {
        let line = skein_web::markdown::plain(&text, limit);
        prop_assert!(line.chars().count() <= limit.max(1));
        prop_assert!(!line.contains('\n'));
    }
}
