//! The HTML of comments.

mod blocks;
mod harmless;
mod inline;
mod limits;
mod plain;
mod suggestion;

use skein_web::markdown::html;

/// Compares the HTML of a comment.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(html(text).trim_end(), expected);
}
