//! Compares names that are mentioned in comments with names of authors.

/// Returns the length of the name, or of its first word, at the start of a text; `None` if it is
/// not there.
pub fn matched(text: &str, name: &str) -> Option<usize> {
    let name = name.strip_suffix(" [agent]").unwrap_or(name);
    let text: String = text.chars().map(folded).collect();
    let starts = |name: &str| {
        let name: String = name.chars().map(folded).collect();
        let rest = text.strip_prefix(&name).filter(|_| !name.is_empty())?;
        let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        ends.then_some(name.len())
    };
    starts(name).or_else(|| starts(name.split_whitespace().next()?))
}

/// Returns whether a mentioned name is that of an author: the whole name, or its first word.
pub fn is_name_of(name: &str, author: &str) -> bool {
    let name = name.strip_suffix(" [agent]").unwrap_or(name);
    matched(name, author) == Some(name.chars().map(folded).map(char::len_utf8).sum())
}

fn folded(character: char) -> char {
    match character {
        '-' | '_' => ' ',
        other => other.to_lowercase().next().unwrap_or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_author_matches_by_the_whole_name_or_its_first_word() {
        assert!(is_name_of("Mira", "Mira Okafor") && is_name_of("mira-okafor", "Mira Okafor"));
        assert!(is_name_of("claude code", "Claude Code [agent]"));
        assert!(is_name_of("lint [agent]", "lint [agent]"));
        assert!(!is_name_of("Mira Silva", "Mira Okafor") && !is_name_of("Mir", "Mira Okafor"));
        assert!(!is_name_of("Mira Okafor", "Mira") && !is_name_of("", "Mira"));
    }
}
