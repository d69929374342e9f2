//! The first line of a comment as plain text.

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, parse_document};

/// The maximum length of a comment that is read, in bytes.
const MAX_READ_LEN: usize = 2_000;

/// Returns the first line of a comment that has text, without Markdown syntax and with at most `limit` characters.
pub fn plain(text: &str, limit: usize) -> String {
    let is_end = |end: &usize| text.is_char_boundary(*end);
    let end = (0..=MAX_READ_LEN.min(text.len())).rev().find(is_end).unwrap_or(0);
    let arena = Arena::new();
    let root = parse_document(&arena, text.get(..end).unwrap_or_default(), &super::options());
    let line = first_line(root, false).or_else(|| first_line(root, true)).unwrap_or_default();
    shorten(line.trim(), limit)
}

/// Returns the first line of text, or of code.
fn first_line<'a>(root: &'a AstNode<'a>, is_code: bool) -> Option<String> {
    let mut line = String::new();
    for node in root.descendants() {
        let value = &node.data().value;
        if is_break(value) && !line.trim().is_empty() {
            break;
        }
        match value {
            NodeValue::Text(text) => line.push_str(text),
            NodeValue::Code(code) => line.push_str(&code.literal),
            // A tag may span lines.
            NodeValue::HtmlInline(text) => line.push_str(&text.replace('\n', " ")),
            NodeValue::HtmlBlock(block) => line.push_str(first_of(&block.literal)),
            NodeValue::CodeBlock(block) if is_code => line.push_str(first_of(&block.literal)),
            _ => {}
        }
    }
    Some(line).filter(|line| !line.trim().is_empty())
}

/// Returns whether another line or another block begins.
fn is_break(value: &NodeValue) -> bool {
    value.block() || matches!(value, NodeValue::SoftBreak | NodeValue::LineBreak)
}

fn first_of(lines: &str) -> &str {
    lines.trim().lines().next().unwrap_or_default()
}

fn shorten(line: &str, limit: usize) -> String {
    match line.char_indices().nth(limit) {
        None => line.to_owned(),
        Some(_) => {
            let kept: String = line.chars().take(limit.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
    }
}
