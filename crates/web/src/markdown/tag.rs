//! The elements that are written as a tag alone.

use comrak::nodes::{ListType, NodeValue};

/// Returns the tag of what is written as a tag alone.
pub(super) const fn tag(value: &NodeValue) -> Option<&'static str> {
    Some(match value {
        NodeValue::BlockQuote => "blockquote",
        NodeValue::List(list) => match list.list_type {
            ListType::Bullet => "ul",
            ListType::Ordered => "ol",
        },
        NodeValue::Item(_) | NodeValue::TaskItem(_) => "li",
        NodeValue::Paragraph => "p",
        NodeValue::Heading(heading) => match heading.level {
            1 => "h1",
            2 => "h2",
            3 => "h3",
            4 => "h4",
            5 => "h5",
            _ => "h6",
        },
        NodeValue::Table(_) => "table",
        NodeValue::Emph => "em",
        NodeValue::Strong => "strong",
        NodeValue::Strikethrough => "del",
        _ => return None,
    })
}

/// Tells whether what is inside begins on a line of its own.
pub(super) const fn is_container(value: &NodeValue) -> bool {
    matches!(value, NodeValue::BlockQuote | NodeValue::List(_) | NodeValue::Table(_))
}

/// Tells whether text goes on behind the closing tag.
pub(super) const fn is_inline(value: &NodeValue) -> bool {
    matches!(value, NodeValue::Emph | NodeValue::Strong | NodeValue::Strikethrough)
}
