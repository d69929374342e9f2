//! The HTML of one line of code.

use std::ops::Range;

use crate::escape::escape_code;
use skein_highlight::ColouredSpan;

/// Writes a line with its colours, and marks the words that changed.
///
/// Colours are `<i>` with a class, changed words are `<b>`. Both are given in order and do not overlap among themselves.
pub(crate) fn cell(text: &str, colours: &[ColouredSpan], words: &[Range<usize>]) -> String {
    let mut html = String::with_capacity(text.len() + 16 * (colours.len() + words.len()));
    let mut at = 0;
    let mut words = words.iter().peekable();
    let mut colours = colours.iter().peekable();
    while at < text.len() {
        while words.next_if(|word| word.end <= at).is_some() {}
        while colours.next_if(|span| span.range.end <= at).is_some() {}
        let word = words.peek().map(|word| (*word).clone());
        let colour = colours.peek().map(|span| (span.range.clone(), span.class.css()));
        let in_word = word.as_ref().is_some_and(|word| word.start <= at);
        let in_colour = colour.as_ref().filter(|(range, _)| range.start <= at).map(|(_, css)| *css);
        let ends = [
            word.map(|word| if in_word { word.end } else { word.start }),
            colour.map(|(range, _)| if in_colour.is_some() { range.end } else { range.start }),
        ];
        let end = ends.into_iter().flatten().min().unwrap_or(text.len()).min(text.len());
        let Some(part) = text.get(at..end) else {
            // A range that splits a character is ignored.
            escape_code(text.get(at..).unwrap_or_default(), &mut html);
            break;
        };
        piece(&mut html, part, in_colour, in_word);
        at = end;
    }
    html
}

fn piece(html: &mut String, part: &str, colour: Option<&str>, changed: bool) {
    if changed {
        html.push_str("<b>");
    }
    if let Some(css) = colour {
        html.push_str("<i class=");
        html.push_str(css);
        html.push('>');
    }
    escape_code(part, html);
    if colour.is_some() {
        html.push_str("</i>");
    }
    if changed {
        html.push_str("</b>");
    }
}

#[cfg(test)]
mod tests {
    use super::cell;
    use skein_highlight::{Class, ColouredSpan};

    #[test]
    fn colours_and_changed_words_can_overlap() {
        let colours = [ColouredSpan { class: Class::Keyword, range: 0..3 }];
        let words = std::slice::from_ref;
        assert_eq!(
            cell("let a<b", &colours, words(&(2..5))),
            "<i class=k>le</i><b><i class=k>t</i></b><b> a</b>&lt;b"
        );
        assert_eq!(cell("", &[], &[]), "");
        assert_eq!(cell("é", &[], words(&(1..2))), "é");
    }

    #[test]
    fn invisible_characters_are_shown() {
        assert_eq!(cell("a\u{202e}b\t\u{7}", &[], &[]), "a<u>\\u{202e}</u>b\t<u>\\u{7}</u>");
    }
}
