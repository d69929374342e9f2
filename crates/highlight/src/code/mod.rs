//! Languages that consist of words and literals, described by tables.

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

pub(crate) use compiled::LazyGrammar;
pub(crate) use grammar::{
    BlockComment, Calls, Capitals, CommentPlace, Grammar, Inlay, Keys, LineComment, Numbers,
    Prefix, Quote,
};
pub(crate) use mark::Mark;
pub(crate) use state::CodeScanner;
