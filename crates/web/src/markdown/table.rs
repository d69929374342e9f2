//! Tables.

use comrak::nodes::{AstNode, NodeValue, TableAlignment};

/// Returns the tag of a cell.
pub(super) fn tag<'a>(cell: &'a AstNode<'a>) -> &'static str {
    if cell.parent().is_some_and(is_head) { "th" } else { "td" }
}

/// Returns the class of a cell in a column, if it has one.
pub(super) fn class<'a>(cell: &'a AstNode<'a>, column: usize) -> Option<&'static str> {
    let table = cell.parent().and_then(AstNode::parent)?;
    let NodeValue::Table(table) = &table.data().value else {
        return None;
    };
    match table.alignments.get(column)? {
        TableAlignment::Center => Some("center"),
        TableAlignment::Right => Some("right"),
        TableAlignment::None | TableAlignment::Left => None,
    }
}

/// Tells whether a row names the columns.
pub(super) fn is_head<'a>(row: &'a AstNode<'a>) -> bool {
    matches!(row.data().value, NodeValue::TableRow(true))
}
