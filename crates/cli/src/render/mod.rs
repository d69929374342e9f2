//! How things look on a terminal.

pub(crate) mod age;
pub(crate) mod diff;
pub(crate) mod findings;
pub(crate) mod hit;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod view;
