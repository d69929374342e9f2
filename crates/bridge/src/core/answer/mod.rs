//! Shows the answers of an agent in posts.

mod plan;
mod render;
mod split;

pub(super) use render::{code_block, inline_code, shorten};
