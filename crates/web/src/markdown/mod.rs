//! Comments, which are Markdown that anybody wrote, as HTML that cannot do anything.
//!
//! HTML in a comment is shown as the text that it is. The page requests nothing from other hosts, so that an image is
//! a link to it. What is written here passes a sanitiser besides, which knows the few elements and attributes that
//! this module writes.

mod code;
mod href;
mod plain;
mod sanitise;
mod table;
mod tag;
mod writer;

pub use plain::plain;

use comrak::options::{Extension, Options};
use comrak::{Arena, parse_document};

use crate::escape::escape;
use skein_highlight::Language;
use writer::Writer;

/// The length from which a comment is shown as it was written.
const MAX_COMMENT_LEN: usize = 65_536;

/// Returns the HTML of a comment.
pub fn html(text: &str) -> String {
    html_for(text, None)
}

/// Returns the HTML of a comment on code of a language, in which its suggestions are coloured.
pub fn html_for(text: &str, language: Option<Language>) -> String {
    if text.len() > MAX_COMMENT_LEN {
        return as_written(text);
    }
    let arena = Arena::new();
    let root = parse_document(&arena, text, &options());
    let mut writer = Writer::new(language);
    writer.write(root);
    sanitise::sanitise(&writer.into_html())
}

fn as_written(text: &str) -> String {
    let mut html = String::from("<pre>");
    escape(text, &mut html);
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
