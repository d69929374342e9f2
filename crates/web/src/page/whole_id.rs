//! Ids that are given by their first characters, as the command line prints them.

/// What some characters stand for.
pub(crate) enum Whole<'a> {
    /// The id itself.
    Same,
    /// The one id that begins with them.
    Other(&'a str),
    /// Several ids begin with them.
    Ambiguous,
    /// No id begins with them.
    None,
}

/// Finds the id that begins with some characters.
pub(crate) fn whole_id<'a>(start: &str, ids: impl Iterator<Item = &'a str>) -> Whole<'a> {
    let mut found = Whole::None;
    for id in ids.filter(|id| !start.is_empty() && id.starts_with(start)) {
        found = match found {
            _ if id == start => return Whole::Same,
            Whole::None => Whole::Other(id),
            _ => Whole::Ambiguous,
        };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(start: &str, expected: &str) {
        let found = match whole_id(start, ["a1b2", "a1c3", "a1", "d4"].into_iter()) {
            Whole::Same => "same".to_owned(),
            Whole::Other(id) => id.to_owned(),
            Whole::Ambiguous => "ambiguous".to_owned(),
            Whole::None => "none".to_owned(),
        };
        assert_eq!(found, expected, "{start}");
    }

    #[test]
    fn an_id_is_found_by_its_start_where_no_other_begins_so() {
        check("a1b", "a1b2");
        check("a1", "same");
        check("a", "ambiguous");
        check("d4", "same");
        check("x", "none");
        check("", "none");
    }
}
