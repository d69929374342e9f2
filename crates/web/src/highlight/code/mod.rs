//! Languages of words and literals, read by tables.

mod comment;
mod compiled;
mod delimited;
mod element;
mod grammar;
mod heredoc;
mod inlay;
mod literal;
mod mark;
mod mode;
mod number;
mod opener;
mod quote;
mod regex;
mod special;
mod state;
mod word;

pub(crate) use compiled::Code;
pub(crate) use grammar::{
    Block, Calls, Capitals, Grammar, Inlay, Keys, Line, Numbers, Place, Prefix, Quote,
};
pub(crate) use mark::Mark;
pub(crate) use state::State;
