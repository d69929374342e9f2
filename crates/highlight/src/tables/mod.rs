//! The tables of languages that consist of words and literals, by family.

pub(crate) mod c_like;
pub(crate) mod functional;
pub(crate) mod script;
pub(crate) mod shell;
pub(crate) mod web;
