//! The second lock: what is not on the lists here does not pass, whoever wrote it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::Builder;

use super::href;

/// Returns HTML without anything that is not on the lists.
pub(super) fn sanitise(html: &str) -> String {
    SANITISER.clean(html).to_string()
}

const TAGS: [&str; 31] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "div",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "input",
    "ins",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "u",
    "ul",
    "span",
];

static SANITISER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(TAGS))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "title"])),
            ("input", HashSet::from(["checked", "disabled"])),
            ("ol", HashSet::from(["start"])),
        ]))
        .tag_attribute_values(HashMap::from([(
            "input",
            HashMap::from([("type", HashSet::from(["checkbox"]))]),
        )]))
        .allowed_classes(HashMap::from([
            ("div", HashSet::from(["suggestion"])),
            ("i", HashSet::from(["a", "c", "f", "k", "m", "n", "o", "s", "t"])),
            ("li", HashSet::from(["task"])),
            ("td", HashSet::from(["center", "right"])),
            ("th", HashSet::from(["center", "right"])),
        ]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .link_rel(Some("noopener noreferrer nofollow"))
        .attribute_filter(|_, attribute, value| match attribute {
            "href" if !href::is_allowed(value) => None,
            "start" if !value.bytes().all(|byte| byte.is_ascii_digit()) => None,
            _ => Some(Cow::Borrowed(value)),
        });
    builder
});
