//! Cuts long Markdown at the borders of paragraphs and code blocks.

/// A code block that is open at some place of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fence {
    /// The characters that open and close it.
    marker: String,
    /// The whole first line.
    opening: String,
}

impl Fence {
    /// Returns the code block that is open at `offset`.
    pub(super) fn open_at(text: &str, offset: usize) -> Option<Self> {
        let mut open = None;
        for line in text.get(..offset).unwrap_or(text).split_inclusive('\n') {
            Self::read_line(&mut open, line);
        }
        open
    }

    fn read_line(open: &mut Option<Self>, line: &str) {
        let trimmed = line.trim_end();
        let inner = trimmed.trim_start_matches(' ');
        if trimmed.len() - inner.len() > 3 {
            return;
        }
        let first = inner.chars().next().filter(|c| matches!(c, '`' | '~'));
        let Some(character) = first else { return };
        let rest = inner.trim_start_matches(character);
        let length = inner.len() - rest.len();
        match open {
            Some(fence) => {
                let closes = fence.marker.starts_with(character) && length >= fence.marker.len();
                if closes && rest.is_empty() {
                    *open = None;
                }
            }
            None if length >= 3 && !(character == '`' && rest.contains('`')) => {
                let marker = character.to_string().repeat(length);
                *open = Some(Self { marker, opening: inner.to_owned() });
            }
            None => {}
        }
    }

    /// Returns the number of characters that closing and opening it again costs.
    fn cost(&self) -> usize {
        self.marker.chars().count() + self.opening.chars().count() + 2
    }
}

/// Returns the text from `start` to `end` as Markdown of its own: a code block that is cut is
/// closed at the end, and opened again at the start.
pub(super) fn piece(text: &str, start: usize, end: usize) -> String {
    let mut result = String::new();
    let inner = text.get(start..end).unwrap_or_default();
    if let Some(fence) = Fence::open_at(text, start) {
        result.push_str(&fence.opening);
        result.push('\n');
        result.push_str(inner);
    } else {
        result.push_str(inner.trim_start_matches('\n'));
    }
    let Some(fence) = Fence::open_at(text, end) else {
        result.truncate(result.trim_end().len());
        return result;
    };
    if !result.ends_with('\n') {
        result.push('\n');
    }
    result.push_str(&fence.marker);
    result
}

/// Returns the largest offset at which the text from `start` can be cut, so that the piece before
/// has at most `budget` characters, or `None` if not even one line or word fits.
pub(super) fn find_cut(text: &str, start: usize, budget: usize) -> Option<usize> {
    let fence = Fence::open_at(text, start);
    let budget = budget.checked_sub(fence.as_ref().map_or(4, Fence::cost))?;
    let limit = nth_char(text, start, budget);
    if limit == text.len() {
        return Some(limit);
    }
    let least = nth_char(text, start, budget / 2);
    let mut best = Borders::default();
    let mut open = fence;
    let mut at = start;
    for line in text.get(start..).unwrap_or_default().split_inclusive('\n') {
        // Closing a block that is open here must fit as well.
        let reserve = open.as_ref().map_or(0, Fence::cost);
        if at > start && nth_char(text, at, reserve) <= limit {
            match (&open, text.get(..at).is_some_and(|before| before.ends_with("\n\n"))) {
                (None, true) => best.paragraph = Some(at),
                (None, false) => best.line = Some(at),
                (Some(_), _) => best.code = Some(at),
            }
        }
        at += line.len();
        if at > limit {
            break;
        }
        Fence::read_line(&mut open, line);
    }
    best.choose(least).or_else(|| {
        let reserve = open.as_ref().map_or(0, Fence::cost);
        let limit = nth_char(text, start, budget.saturating_sub(reserve));
        let word = text.get(start..limit)?.rfind(' ').map(|space| start + space + 1);
        Some(word.filter(|at| *at >= least).unwrap_or(limit)).filter(|at| *at > start)
    })
}

/// Returns a text of at most `max` characters. A code block that is cut is closed.
pub(in super::super) fn shorten_markdown(text: &str, max: usize) -> String {
    if nth_char(text, 0, max) == text.len() {
        return text.to_owned();
    }
    let start = |reserve: usize| {
        let end = nth_char(text, 0, max.saturating_sub(reserve));
        (text.get(..end).unwrap_or_default(), Fence::open_at(text, end))
    };
    let (plain, fence) = start(2);
    let marker = fence.map(|fence| fence.marker).filter(|marker| marker.len() < max / 2);
    match marker.map(|marker| (start(marker.len() + 3), marker)) {
        Some(((inner, Some(_)), marker)) => format!("{inner}\n{marker}\n…"),
        Some(((inner, None), _)) => format!("{inner}\n…"),
        None => format!("{plain}\n…"),
    }
}

/// The last places of each kind at which a text can be cut.
#[derive(Default)]
struct Borders {
    paragraph: Option<usize>,
    line: Option<usize>,
    code: Option<usize>,
}

impl Borders {
    /// Prefers paragraphs to lines and lines to places in code, if the piece is not too short.
    fn choose(self, least: usize) -> Option<usize> {
        let long = |at: &usize| *at >= least;
        let all = [self.paragraph, self.line, self.code];
        let first = all.into_iter().flatten().find(long);
        first.or_else(|| all.into_iter().flatten().max())
    }
}

/// Returns the offset of the character that is `count` characters after `start`.
fn nth_char(text: &str, start: usize, count: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    rest.char_indices().nth(count).map_or(text.len(), |(offset, _)| start + offset)
}

#[cfg(test)]
mod tests {
    use super::{find_cut, piece, shorten_markdown};

    fn split(text: &str, budget: usize) -> Vec<String> {
        let mut pieces = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let end = find_cut(text, start, budget).unwrap();
            assert!(end > start);
            pieces.push(piece(text, start, end));
            start = end;
        }
        for piece in &pieces {
            assert!(
                piece.chars().count() <= budget,
                "{} characters: {piece}",
                piece.chars().count()
            );
        }
        pieces
    }

    #[test]
    fn a_text_is_cut_between_paragraphs() {
        assert_eq!(split("aaaa bbbb\n\ncccc dddd\n\neeee", 28), ["aaaa bbbb\n\ncccc dddd", "eeee"]);
    }

    #[test]
    fn a_cut_code_block_is_closed_and_opened_again_with_its_language() {
        let text = format!("```rust\n{}```\nend", "let a = 1;\n".repeat(4));
        let pieces = split(&text, 50);
        assert_eq!(
            pieces,
            ["```rust\nlet a = 1;\nlet a = 1;\n```", "```rust\nlet a = 1;\nlet a = 1;\n```\nend"]
        );
    }

    #[test]
    fn a_text_without_borders_is_cut_between_words_or_characters() {
        assert_eq!(split("aaa bbb ccc ddd", 12), ["aaa bbb", "ccc ddd"]);
        let text = "é".repeat(50);
        assert_eq!(split(&text, 24).concat(), text);
    }

    #[test]
    fn a_text_that_is_shortened_has_the_wanted_length_and_no_open_block() {
        assert_eq!(shorten_markdown("abcdef", 6), "abcdef");
        assert_eq!(shorten_markdown("äbcdefg", 6), "äbcd\n…");
        let text = format!("```rust\n{}```", "é".repeat(40));
        let short = shorten_markdown(&text, 30);
        assert_eq!(short, format!("```rust\n{}\n```\n…", "é".repeat(16)));
        assert_eq!(short.chars().count(), 30);
    }

    #[test]
    fn backticks_inside_a_line_open_no_block() {
        assert_eq!(piece("```a``` b\nc", 0, 10), "```a``` b");
        assert_eq!(piece("    ```\nc", 0, 9), "    ```\nc");
    }
}
