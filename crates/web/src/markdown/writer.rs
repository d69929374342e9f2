//! The HTML of a parsed comment.

use std::borrow::Cow;

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, ListType, NodeLink, NodeValue, TableAlignment};
use skein_highlight::Language;

use super::code;
use crate::escape::{escape_attribute, escape_code};

/// The maximum depth of nested elements. Deeper ones are left out, and their text is kept.
const MAX_DEPTH: usize = 40;

/// The maximum number of cells that are elements of their own. Short rows are filled with empty cells, so a short text can have very
/// many of them.
const MAX_CELLS: usize = 5_000;

/// Writes safe HTML: every tag is a constant of this module, and every text and address is escaped.
pub(super) struct HtmlWriter {
    html: String,
    language: Option<Language>,
    /// The closing tags of the open nodes, innermost last. A node without an element has an empty one.
    closing: Vec<Cow<'static, str>>,
    /// The column of the next cell.
    column: usize,
    /// The number of cells in all tables.
    cells: usize,
    /// Whether all cells of the row are written as one.
    is_flat: bool,
}

impl HtmlWriter {
    /// Returns the HTML of a comment on code of a language.
    pub(super) fn write<'a>(root: &'a AstNode<'a>, language: Option<Language>) -> String {
        let (html, closing) = (String::new(), Vec::new());
        let mut writer = Self { html, language, closing, column: 0, cells: 0, is_flat: false };
        for edge in root.traverse() {
            match edge {
                NodeEdge::Start(node) => {
                    writer.leaf(&node.data().value);
                    let is_shown = writer.closing.len() < MAX_DEPTH;
                    let closing = if is_shown { writer.open(node) } else { "".into() };
                    writer.closing.push(closing);
                }
                NodeEdge::End(_) => {
                    let closing = writer.closing.pop().unwrap_or_default();
                    writer.html.push_str(&closing);
                }
            }
        }
        writer.html
    }

    /// Writes a node that has no children.
    fn leaf(&mut self, value: &NodeValue) {
        match value {
            NodeValue::Text(text) => escape_code(text, &mut self.html),
            NodeValue::SoftBreak | NodeValue::LineBreak => self.html.push_str("<br>\n"),
            NodeValue::ThematicBreak => self.html.push_str("<hr>\n"),
            NodeValue::HtmlInline(text) | NodeValue::Raw(text) => escape_code(text, &mut self.html),
            NodeValue::Code(code) => {
                self.html.push_str("<code>");
                escape_code(&code.literal, &mut self.html);
                self.html.push_str("</code>");
            }
            NodeValue::CodeBlock(block) => {
                code::push_block(&block.info, &block.literal, self.language, &mut self.html);
            }
            NodeValue::HtmlBlock(block) => {
                let mut separator = "<p>";
                for line in block.literal.trim_end().lines() {
                    self.html.push_str(separator);
                    escape_code(line, &mut self.html);
                    separator = "<br>\n";
                }
                self.html.push_str("</p>\n");
            }
            _ => {}
        }
    }

    /// Writes the opening tag of a node, and returns the closing one.
    fn open<'a>(&mut self, node: &'a AstNode<'a>) -> Cow<'static, str> {
        let (opening, closing) = match &node.data().value {
            NodeValue::Paragraph if is_tight(node) => return "".into(),
            NodeValue::Paragraph => ("<p>", "</p>\n"),
            NodeValue::BlockQuote => ("<blockquote>\n", "</blockquote>\n"),
            NodeValue::List(list) if list.list_type == ListType::Bullet => ("<ul>\n", "</ul>\n"),
            NodeValue::List(list) if list.start == 1 => ("<ol>\n", "</ol>\n"),
            NodeValue::List(list) => {
                self.html.extend(["<ol start=\"", &list.start.to_string(), "\">\n"]);
                return "</ol>\n".into();
            }
            NodeValue::Item(_) => ("<li>", "</li>\n"),
            NodeValue::TaskItem(task) => {
                self.html.push_str("<li class=\"task\"><input type=\"checkbox\" disabled=\"\"");
                (if task.symbol.is_some() { " checked=\"\"> " } else { "> " }, "</li>\n")
            }
            NodeValue::Heading(heading) => {
                let level = heading.level.clamp(1, 6);
                self.html.extend(["<h", &level.to_string(), ">"]);
                return format!("</h{level}>\n").into();
            }
            NodeValue::Table(_) => ("<table>\n", "</table>\n"),
            NodeValue::TableRow(is_head) => return self.open_row(node, *is_head),
            NodeValue::TableCell => return self.open_cell(node),
            NodeValue::Emph => ("<em>", "</em>"),
            NodeValue::Strong => ("<strong>", "</strong>"),
            NodeValue::Strikethrough => ("<del>", "</del>"),
            NodeValue::Link(link) => return self.open_link(link),
            NodeValue::Image(link) => {
                let closing = self.open_link(link);
                if node.first_child().is_none() {
                    escape_code(&link.url, &mut self.html);
                }
                return closing;
            }
            _ => return "".into(),
        };
        self.html.push_str(opening);
        closing.into()
    }

    fn open_row<'a>(&mut self, node: &'a AstNode<'a>, is_head: bool) -> Cow<'static, str> {
        self.column = 0;
        self.is_flat = self.cells > MAX_CELLS;
        let is_first = node.previous_sibling().is_some_and(is_head_row);
        let is_last = node.next_sibling().is_none();
        let cell = if self.is_flat { ("<td>", "</td>") } else { ("", "") };
        let group = match is_head {
            true => ("<thead>", "</thead>\n"),
            false => {
                (if is_first { "<tbody>" } else { "" }, if is_last { "\n</tbody>" } else { "\n" })
            }
        };
        self.html.extend([group.0, "<tr>", cell.0]);
        format!("{}</tr>{}", cell.1, group.1).into()
    }

    fn open_cell<'a>(&mut self, node: &'a AstNode<'a>) -> Cow<'static, str> {
        self.cells += 1;
        if self.is_flat {
            return " ".into();
        }
        let is_head = node.parent().is_some_and(is_head_row);
        let (opening, closing) = if is_head { ("<th", "</th>") } else { ("<td", "</td>") };
        let class = match alignment(node, self.column) {
            Some(TableAlignment::Center) => " class=\"center\">",
            Some(TableAlignment::Right) => " class=\"right\">",
            _ => ">",
        };
        self.html.extend([opening, class]);
        self.column += 1;
        closing.into()
    }

    /// Opens a link, unless the address is not allowed, or the link is inside of another one.
    fn open_link(&mut self, link: &NodeLink) -> Cow<'static, str> {
        if !is_allowed(&link.url) || self.closing.iter().any(|closing| closing == "</a>") {
            return "".into();
        }
        self.html.push_str("<a href=\"");
        escape_attribute(&link.url, &mut self.html);
        if !link.title.is_empty() {
            self.html.push_str("\" title=\"");
            escape_attribute(&link.title, &mut self.html);
        }
        self.html.push_str("\" rel=\"noopener noreferrer nofollow\">");
        "</a>".into()
    }
}

/// Returns whether a paragraph is in a list without empty lines between the items.
fn is_tight<'a>(node: &'a AstNode<'a>) -> bool {
    let list = node.parent().and_then(AstNode::parent);
    list.is_some_and(|list| matches!(&list.data().value, NodeValue::List(list) if list.tight))
}

fn is_head_row<'a>(row: &'a AstNode<'a>) -> bool {
    matches!(row.data().value, NodeValue::TableRow(true))
}

fn alignment<'a>(cell: &'a AstNode<'a>, column: usize) -> Option<TableAlignment> {
    let table = cell.parent().and_then(AstNode::parent)?;
    match &table.data().value {
        NodeValue::Table(table) => table.alignments.get(column).copied(),
        _ => None,
    }
}

/// Returns whether a comment may link to an address: a web page, a mailbox, or a part of the page.
fn is_allowed(address: &str) -> bool {
    if address.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return false;
    }
    if address.starts_with('#') {
        return true;
    }
    let Some((scheme, rest)) = address.split_once(':') else {
        return false;
    };
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    (is_web && rest.starts_with("//")) || scheme.eq_ignore_ascii_case("mailto")
}
