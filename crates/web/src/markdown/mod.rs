//! Converts comments to safe HTML, also if the Markdown is from an untrusted author.
//!
//! HTML in a comment is shown as text. The page requests nothing from other hosts, so an image becomes a link to it.

mod code;
mod plain;
mod writer;

pub use plain::plain;

use comrak::options::{Extension, Options};
use comrak::{Arena, parse_document};

use crate::escape::escape_code;
use skein_highlight::Language;
use writer::HtmlWriter;

/// Longer comments are shown as plain text.
const MAX_COMMENT_LEN: usize = 65_536;

/// Returns the HTML of a comment.
pub fn html(text: &str) -> String {
    html_for(text, None)
}

/// Returns the HTML of a comment on code of a language, which is used to highlight suggestions.
pub fn html_for(text: &str, language: Option<Language>) -> String {
    if text.len() > MAX_COMMENT_LEN {
        return preformatted(text);
    }
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options());
    HtmlWriter::write(root, language)
}

fn preformatted(text: &str) -> String {
    let mut html = String::from("<pre>");
    escape_code(text, &mut html);
    html.push_str("</pre>");
    html
}

fn options() -> Options<'static> {
    let extension = Extension {
        strikethrough: true,
        table: true,
        autolink: true,
        tasklist: true,
        ..Extension::default()
    };
    Options { extension, ..Options::default() }
}
