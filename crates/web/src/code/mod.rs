//! Code as rows of a page: lines with their colours, the words that changed, folds, and threads between them.

mod cell;
mod diffed;
mod fold;
mod generated;
mod layout;
mod line;
mod paint;
mod row;

pub(crate) use cell::cell;
pub(crate) use diffed::DiffRows;
pub(crate) use generated::is_generated;
pub(crate) use row::{Chunk, Layout, Row, Shown, rows};
