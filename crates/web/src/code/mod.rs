//! Code as rows of a page: colours, changed words, folds, and threads between the lines.

mod cell;
mod diffed;
mod fold;
mod generated;
mod layout;
mod line;
mod paint;
mod row;
mod rows;

pub(crate) use cell::cell;
pub(crate) use diffed::DiffRows;
pub(crate) use generated::is_generated;
pub(crate) use row::{CodeLayout, Row, RowChunk, RowOptions};
pub(crate) use rows::rows;
