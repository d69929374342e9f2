//! Makes texts safe to display.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// Escapes invisible characters, such as `\u{202e}`: a file must neither control the terminal nor
/// pass text to an agent that the user cannot see.
pub fn escape_control(text: &str) -> Cow<'_, str> {
    escaped(text, |character, out| out.extend(character.escape_default()))
}

/// Joins the words of a text into one line, and escapes invisible characters.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    escape_control(&words.join(" ")).into_owned()
}

/// Writes a value as JSON with invisible characters escaped; a JSON parser reads the same value.
pub fn write_json(out: impl io::Write, value: &impl Serialize) -> serde_json::Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Visible(CompactFormatter)))
}

/// Returns a value as JSON, as [`write_json`] writes it.
pub fn to_json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    write_json(&mut bytes, value)?;
    Ok(bytes)
}

/// Writes compact JSON with invisible characters escaped.
struct Visible(CompactFormatter);

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        self.0.write_string_fragment(out, &safe_json(fragment))
    }
}

/// Escapes the invisible characters in serialized JSON, where they occur only in strings.
pub fn safe_json(text: &str) -> Cow<'_, str> {
    escaped(text, |character, out| {
        out.extend(character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
    })
}

/// Escapes the invisible characters of a text.
fn escaped(text: &str, escape: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let mut out = String::new();
    let mut kept = 0;
    for (at, character) in hidden(text) {
        out.push_str(text.get(kept..at).unwrap_or_default());
        escape(character, &mut out);
        kept = at + character.len_utf8();
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns the characters of a text that are invisible and do not affect the characters around
/// them.
///
/// These are control characters other than tab and line feed, those that change the direction of
/// text, and zero-width ones, such as tag characters. A joiner or a variation selector is kept in
/// emoji sequences and in the scripts that use it; only one at a time, so that no text can be
/// hidden in a sequence of them.
pub fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    // A fast check for the common case.
    let is_plain = text.bytes().all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'));
    let mut before = '\0';
    let mut characters = if is_plain { "" } else { text }.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, character) = characters.next()?;
            let after = characters.peek().map_or('\0', |(_, after)| *after);
            let is_shown = !is_hidden(character) || is_needed(before, character, after);
            before = character;
            if !is_shown {
                return Some((at, character));
            }
        }
    })
}

/// Removes the invisible characters.
pub fn visible(text: &str) -> String {
    let mut hidden = hidden(text).map(|(at, _)| at).peekable();
    let shown = text.char_indices().filter(|(at, _)| hidden.next_if_eq(at).is_none());
    shown.map(|(_, character)| character).collect()
}

/// Returns whether a character is invisible by itself.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' | ' '..='~' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => {
            true
        }
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => true,
        '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' => true,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        other => other.is_control(),
    }
}

/// Returns whether an invisible character affects its neighbours, as intended in its script.
fn is_needed(before: char, character: char, after: char) -> bool {
    match character {
        '\u{200d}' if is_pictograph(after) => is_pictograph(before) || before == '\u{fe0f}',
        '\u{200c}' | '\u{200d}' => is_joined(before) && (is_joined(after) || is_virama(before)),
        '\u{fe0e}' | '\u{fe0f}' if after == '\u{20e3}' => matches!(before, '0'..='9' | '#' | '*'),
        '\u{fe0e}' | '\u{fe0f}' => is_pictograph(before),
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        '\u{180b}'..='\u{180d}' | '\u{180f}' => matches!(before, '\u{1820}'..='\u{18aa}'),
        _ => false,
    }
}

/// Returns whether a character may be part of an emoji sequence.
fn is_pictograph(character: char) -> bool {
    matches!(character,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
        | '\u{1f000}'..='\u{1faff}')
}

/// Returns whether a character belongs to a script whose letters join: from Arabic to Sinhala, Myanmar, Khmer, Mongolian.
fn is_joined(character: char) -> bool {
    matches!(character,
        '\u{620}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17b3}' | '\u{17b6}'..='\u{17ff}'
        | '\u{1820}'..='\u{18aa}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

/// Returns whether a character is a virama, after which a joiner may end a word.
fn is_virama(character: char) -> bool {
    matches!(
        character,
        '\u{94d}'
            | '\u{9cd}'
            | '\u{a4d}'
            | '\u{acd}'
            | '\u{b4d}'
            | '\u{bcd}'
            | '\u{c4d}'
            | '\u{ccd}'
            | '\u{d4d}'
            | '\u{dca}'
            | '\u{1039}'
            | '\u{17d2}'
    )
}

fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns a text as one word for a shell, quoted if it has other characters than letters, digits and a few signs.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(escape_control("a\u{1b}[2Jb\r\u{202e}"), "a\\u{1b}[2Jb\\r\\u{202e}");
        assert_eq!(escape_control("tab\there\n"), "tab\there\n");
        assert_eq!(one_line("  two\n lines\t\u{7} "), "two lines \\u{7}");
    }

    #[test]
    fn zero_width_characters_are_escaped() {
        for hidden in [
            '\u{ad}',
            '\u{61c}',
            '\u{180e}',
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2060}',
            '\u{2063}',
            '\u{2066}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{e0041}',
            '\u{e007f}',
            '\u{e0100}',
            '\u{9b}',
        ] {
            let shown = format!("a{}b", hidden.escape_default());
            assert_eq!(escape_control(&format!("a{hidden}b")), shown);
        }
        assert_eq!(
            escape_control("\u{1f642}\u{fe0f}\u{fe01}\u{fe02}"),
            "\u{1f642}\u{fe0f}\\u{fe01}\\u{fe02}"
        );
        assert_eq!(
            escape_control("\u{6cc}\u{200c}\u{200c}\u{6cc}"),
            "\u{6cc}\\u{200c}\\u{200c}\u{6cc}"
        );
    }

    #[test]
    fn scripts_and_emoji_keep_their_joiners() {
        for text in [
            // A family, a flag, a keycap, a heart, a woman running to the right.
            "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}",
            "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
            "1\u{fe0f}\u{20e3}",
            "\u{2764}\u{fe0f} \u{2764}\u{fe0f}\u{200d}\u{1f525}",
            "\u{1f3c3}\u{1f3fd}\u{200d}\u{2640}\u{fe0f}\u{200d}\u{27a1}\u{fe0f}",
            // Persian, Hindi, Bengali, Sinhala, an old form of Malayalam.
            "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
            "\u{915}\u{94d}\u{200d}\u{937}",
            "\u{9b0}\u{200d}\u{9cd}\u{9af}",
            "\u{dc1}\u{dca}\u{200d}\u{dbb}\u{dd3}",
            "\u{d28}\u{d4d}\u{200d} x",
            // A form of a Japanese character, and one of Mongolian.
            "\u{845b}\u{e0100}",
            "\u{1820}\u{180b}",
        ] {
            assert_eq!(escape_control(text), text);
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let text = "a\u{9b}31m\u{202e}\"\\\u{e0041}\u{200b}\u{1b}\u{645}\u{6cc}\u{200c}\u{62e}z";
        let json = String::from_utf8(to_json(&[text]).unwrap()).unwrap();
        assert_eq!(
            json,
            "[\"a\\u009b31m\\u202e\\\"\\\\\\udb40\\udc41\\u200b\\u001b\u{645}\u{6cc}\u{200c}\u{62e}z\"]"
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [text]);
    }
}
