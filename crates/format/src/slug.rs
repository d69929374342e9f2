//! Short ASCII names made from text in any script.

/// Makes a slug of at most `room` bytes: lower-case ASCII words joined by `-`.
///
/// Other scripts are transliterated, because programs that share the files accept ASCII only.
/// The slug ends before the first word that does not fit; a first word that is too long is cut. None if there is no word.
pub(crate) fn slug(text: &str, room: usize) -> Option<String> {
    // Characters after the first few hundred cannot get into the slug.
    let head: String = text.chars().take(400).collect();
    let ascii = deunicode::deunicode(&head).to_ascii_lowercase();
    let mut out = String::new();
    for word in ascii.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        let needed = word.len() + usize::from(!out.is_empty());
        if out.len() + needed > room {
            if out.is_empty() {
                out.extend(word.chars().take(room));
            }
            break;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(word);
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_any_script() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(slug(text, 24).as_deref(), expected, "{text}");
        };
        check("Fix: the  Scroll_Bug!", Some("fix-the-scroll-bug"));
        check("\u{c9}t\u{e9} \u{df}", Some("ete-ss"));
        check("\u{41f}\u{440}\u{438}\u{432}\u{435}\u{442}", Some("privet"));
        check("one two three four five six seven", Some("one-two-three-four-five"));
        check(&"a".repeat(99), Some(&"a".repeat(24)));
        check(" ../.. ", None);
    }
}
