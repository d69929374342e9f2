//! Suggestions for mistyped names.

use strsim::levenshtein;

/// Returns the name most similar to a mistyped one, if it is similar enough.
pub fn nearest<'n>(word: &str, names: &[&'n str]) -> Option<&'n str> {
    let word = word.to_lowercase();
    let apart = |name: &&str| levenshtein(&word, &name.to_lowercase());
    let part = || names.iter().copied().find(|name| word.len() >= 4 && name.contains(&word));
    let close = names.iter().copied().min_by_key(apart);
    close.filter(|name| apart(name) <= 4.min(word.len() / 2)).or_else(part)
}

/// Returns ids that contain a text, else those with a similar start; an id may have a second name.
pub fn similar_ids<'n>(
    text: &str,
    ids: impl Iterator<Item = (&'n str, Option<&'n str>)> + Clone,
) -> Vec<String> {
    const MAX_SUGGESTIONS: usize = 5;
    let wanted = text.to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let containing = ids.clone().filter(|(id, _)| id.to_lowercase().contains(&wanted));
    let found: Vec<String> =
        containing.take(MAX_SUGGESTIONS).map(|(id, _)| id.to_owned()).collect();
    if !found.is_empty() {
        return found;
    }
    let length = wanted.chars().count();
    let apart = |name: &str| {
        let start: String = name.to_lowercase().chars().take(length).collect();
        levenshtein(&wanted, &start)
    };
    let of =
        |(id, other): (&'n str, Option<&str>)| (apart(id).min(other.map_or(usize::MAX, apart)), id);
    let mut close: Vec<(usize, &str)> = ids.map(of).collect();
    close.retain(|(distance, _)| *distance <= length / 4);
    close.sort_by_key(|(distance, _)| *distance);
    close.into_iter().take(MAX_SUGGESTIONS).map(|(_, id)| id.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_has_a_similar_one() {
        let names = ["status", "title", "lastActivityAt"];
        let check = |word, name| assert_eq!(nearest(word, &names), name, "{word}");
        check("staus", Some("status"));
        check("Titel", Some("title"));
        check("lastactivity", Some("lastActivityAt"));
        check("colour", None);
        check("", None);
    }

    #[test]
    fn ids_that_contain_the_text_or_start_similarly_are_suggested() {
        let ids = [("ses_4f1c9a7b", Some("merry-otter")), ("ses_91d07f32", None)];
        let check = |text, near: &[&str]| assert_eq!(similar_ids(text, ids.iter().copied()), near);
        check("1C9A", &["ses_4f1c9a7b"]);
        check("ses_4f1d", &["ses_4f1c9a7b"]);
        check("mery-otter", &["ses_4f1c9a7b"]);
        check("nothing-like-it", &[]);
        check("", &[]);
    }
}
