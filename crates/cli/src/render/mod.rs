//! Prints threads, tables and diffs on a terminal.

pub(crate) mod diff;
pub(crate) mod findings;
pub(crate) mod hit;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod view;

pub(crate) use skein_model::relative_time as age;

pub(crate) use crate::style;
