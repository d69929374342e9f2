//! The HTML of a parsed comment.

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, ListType, NodeLink, NodeValue};

use crate::escape::escape;
use skein_highlight::Language;

use super::tag::{is_container, is_inline, tag};
use super::{code, href, table};

/// How many elements may be nested. What is deeper loses its shape and keeps its text.
const MAX_DEPTH: usize = 40;

/// How many cells may be elements of their own. A row that is too short is filled up with empty cells, so that a short
/// text can have very many of them.
const MAX_CELLS: usize = 5_000;

/// The HTML of a parsed comment, as far as it is written.
pub(super) struct Writer {
    html: String,
    language: Option<Language>,
    depth: usize,
    /// How many links are open, in which no other link may stand.
    links: usize,
    table: Table,
}

/// How far the tables are written.
#[derive(Default)]
struct Table {
    /// The column of the next cell.
    column: usize,
    /// How many cells there are so far, in all tables.
    cells: usize,
    /// Whether the cells of a row are written as one.
    is_flat: bool,
}

impl Writer {
    /// Begins the HTML of a comment on code of a language.
    pub(super) fn new(language: Option<Language>) -> Self {
        Self { html: String::new(), language, depth: 0, links: 0, table: Table::default() }
    }

    pub(super) fn into_html(self) -> String {
        self.html
    }

    pub(super) fn write<'a>(&mut self, root: &'a AstNode<'a>) {
        for edge in root.traverse() {
            match edge {
                NodeEdge::Start(node) => {
                    self.depth += 1;
                    self.leaf(&node.data().value);
                    if self.depth <= MAX_DEPTH {
                        self.open(node);
                    }
                }
                NodeEdge::End(node) => {
                    if self.depth <= MAX_DEPTH {
                        self.close(node);
                    }
                    self.depth -= 1;
                }
            }
        }
    }

    /// Writes what has no children.
    fn leaf(&mut self, value: &NodeValue) {
        match value {
            NodeValue::Text(text) => self.text(text),
            NodeValue::SoftBreak | NodeValue::LineBreak => self.raw("<br>\n"),
            NodeValue::ThematicBreak => self.raw("<hr>\n"),
            NodeValue::HtmlInline(text) | NodeValue::Raw(text) => self.text(text),
            NodeValue::Code(code) => {
                self.raw("<code>");
                self.text(&code.literal);
                self.raw("</code>");
            }
            NodeValue::CodeBlock(block) => {
                code::block(&block.info, &block.literal, self.language, &mut self.html);
            }
            NodeValue::HtmlBlock(block) => {
                self.raw("<p>");
                let mut lines = block.literal.trim_end().lines();
                self.text(lines.next().unwrap_or_default());
                for line in lines {
                    self.raw("<br>\n");
                    self.text(line);
                }
                self.raw("</p>\n");
            }
            _ => {}
        }
    }

    fn open<'a>(&mut self, node: &'a AstNode<'a>) {
        match &node.data().value {
            NodeValue::Paragraph if is_tight(node) => {}
            NodeValue::List(list) if list.list_type == ListType::Ordered && list.start != 1 => {
                self.html.extend(["<ol start=\"", &list.start.to_string(), "\">\n"]);
            }
            NodeValue::TaskItem(task) => {
                let checked = if task.symbol.is_some() { " checked" } else { "" };
                self.html.extend([
                    "<li class=\"task\"><input type=\"checkbox\" disabled",
                    checked,
                    "> ",
                ]);
            }
            NodeValue::TableRow(is_head) => self.open_row(node, *is_head),
            NodeValue::TableCell => self.open_cell(node),
            NodeValue::Link(link) => self.open_link(link),
            NodeValue::Image(link) => {
                self.open_link(link);
                if node.first_child().is_none() {
                    self.text(&link.url);
                }
            }
            value => {
                if let Some(tag) = tag(value) {
                    self.html.extend(["<", tag, ">"]);
                    self.raw(if is_container(value) { "\n" } else { "" });
                }
            }
        }
    }

    fn close<'a>(&mut self, node: &'a AstNode<'a>) {
        match &node.data().value {
            NodeValue::Paragraph if is_tight(node) => {}
            NodeValue::TableRow(is_head) => self.close_row(node, *is_head),
            NodeValue::TableCell if self.table.is_flat => self.raw(" "),
            NodeValue::TableCell => self.html.extend(["</", table::tag(node), ">"]),
            NodeValue::Link(link) | NodeValue::Image(link) => self.close_link(link),
            value => {
                if let Some(tag) = tag(value) {
                    self.html.extend(["</", tag, ">"]);
                    self.raw(if is_inline(value) { "" } else { "\n" });
                }
            }
        }
    }

    fn open_row<'a>(&mut self, node: &'a AstNode<'a>, is_head: bool) {
        if is_head {
            self.raw("<thead>");
        } else if node.previous_sibling().is_some_and(table::is_head) {
            self.raw("<tbody>");
        }
        self.raw("<tr>");
        self.table.column = 0;
        self.table.is_flat = self.table.cells > MAX_CELLS;
        if self.table.is_flat {
            self.raw("<td>");
        }
    }

    fn close_row<'a>(&mut self, node: &'a AstNode<'a>, is_head: bool) {
        if self.table.is_flat {
            self.raw("</td>");
        }
        self.raw(if is_head { "</tr></thead>\n" } else { "</tr>\n" });
        if !is_head && node.next_sibling().is_none() {
            self.raw("</tbody>");
        }
    }

    fn open_cell<'a>(&mut self, node: &'a AstNode<'a>) {
        self.table.cells += 1;
        if self.table.is_flat {
            return;
        }
        self.html.extend(["<", table::tag(node)]);
        if let Some(class) = table::class(node, self.table.column) {
            self.html.extend([" class=\"", class, "\""]);
        }
        self.raw(">");
        self.table.column += 1;
    }

    /// Opens a link, unless it leads where none may, or stands in another one.
    fn open_link(&mut self, link: &NodeLink) {
        if !href::is_allowed(&link.url) {
            return;
        }
        self.links += 1;
        if self.links > 1 {
            return;
        }
        self.raw("<a href=\"");
        self.text(&link.url);
        if !link.title.is_empty() {
            self.raw("\" title=\"");
            self.text(&link.title);
        }
        self.raw("\">");
    }

    fn close_link(&mut self, link: &NodeLink) {
        if !href::is_allowed(&link.url) {
            return;
        }
        self.links -= 1;
        if self.links == 0 {
            self.raw("</a>");
        }
    }

    fn text(&mut self, text: &str) {
        escape(text, &mut self.html);
    }

    fn raw(&mut self, html: &str) {
        self.html.push_str(html);
    }
}

/// Tells whether a paragraph stands in a list whose items are not apart from each other.
fn is_tight<'a>(node: &'a AstNode<'a>) -> bool {
    let list = node.parent().and_then(AstNode::parent);
    list.is_some_and(|list| match &list.data().value {
        NodeValue::List(list) => list.tight,
        _ => false,
    })
}
