//! A location in code, in parts that a list can shorten.

use crate::escape::{escape, shown_name};

/// Returns a location as HTML: directories, name and lines are separate, so that a narrow list shortens the directories first and never
/// the lines.
pub(crate) fn location_html(at: &str) -> String {
    let at = shown_name(at);
    let (path, lines) = at.split_at(lines_start(&at));
    let (folders, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
    let mut html = String::new();
    for (class, text) in [("dir", folders), ("base", name), ("lines", lines)] {
        if !text.is_empty() {
            html.push_str("<span class=\"");
            html.push_str(class);
            html.push_str("\">");
            escape(text, &mut html);
            html.push_str("</span>");
        }
    }
    html
}

/// Returns the position of `:12` or `:12-14` at the end of a location, or its length.
fn lines_start(at: &str) -> usize {
    let is_lines = |lines: &str| {
        let mut numbers = lines.splitn(2, '-');
        numbers.all(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    at.rsplit_once(':')
        .filter(|(_, lines)| is_lines(lines))
        .map_or(at.len(), |(path, _)| path.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_has_folders_name_and_lines() {
        let span = |class: &str, text: &str| format!("<span class=\"{class}\">{text}</span>");
        let all = |parts: &[(&str, &str)]| -> String {
            parts.iter().map(|(class, text)| span(class, text)).collect()
        };
        let parts = [("dir", "src/a/"), ("base", "b.rs"), ("lines", ":12-14")];
        assert_eq!(location_html("src/a/b.rs:12-14"), all(&parts));
        assert_eq!(location_html("b.rs:3"), all(&[("base", "b.rs"), ("lines", ":3")]));
        assert_eq!(location_html("a:b/<c>"), all(&[("dir", "a:b/"), ("base", "&lt;c&gt;")]));
        assert_eq!(location_html("a:"), all(&[("base", "a:")]));
        assert_eq!(location_html(""), "");
        assert_eq!(location_html("a\u{202e}b\n\tc"), all(&[("base", "a\\u{202e}b\\n\\tc")]));
    }
}
