//! No two public types have the same name.

use std::collections::BTreeMap;

/// Returns a finding for each name that more than one file gives to a public type.
pub(crate) fn check<'a>(types: impl IntoIterator<Item = (&'a str, String)>) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (path, name) in types {
        places.entry(name).or_default().push(path);
    }
    places.retain(|_, paths| paths.len() > 1);
    places.into_iter().map(|(name, paths)| format!("{name}: {}", paths.join(", "))).collect()
}

#[test]
fn a_name_of_two_types_is_found() {
    let syntax = super::syntax::Syntax::parse(
        "pub struct A; pub(crate) struct B; pub enum B {} #[cfg(test)] mod t { pub struct C; }",
    );
    assert_eq!(syntax.public_types, ["A", "B"]);
    let types = [("a.rs", "A".to_owned()), ("a.rs", "B".to_owned()), ("b.rs", "A".to_owned())];
    assert_eq!(check(types), ["A: a.rs, b.rs"]);
}
