//! Finding entries by their fields.

use skein_format::session::{Lookup, Mapping, Mode};

use super::{entry, map, sound};

#[test]
fn finds_entries_by_every_field() {
    let entries = [
        entry("a", "1", "14:00"),
        entry("b", "2", "15:00").replace("\"u\"", "\"v\""),
        entry("c", "3", "13:00").replace("post_c", "post_b").replace("\"/d\"", "\"/e\""),
    ];
    let doc = sound(&map(&entries.join(",")));
    let loaded = doc.load(Mode::Strict);
    let lookup = Lookup::new(&loaded.mappings);
    let id = |one: &Mapping<'_>| one.session_id.to_string();
    assert_eq!(lookup.by_session("b").map(id).as_deref(), Some("b"));
    assert_eq!(lookup.by_session("ses_a1b2"), None);
    assert_eq!(lookup.by_thread("post_a").map(id).as_deref(), Some("a"));
    // Two sessions in one thread: the one that was active last.
    assert_eq!(lookup.by_thread("post_b").map(id).as_deref(), Some("b"));
    assert_eq!(lookup.by_thread("post_c"), None);
    assert_eq!(lookup.by_user("u").map(id).collect::<Vec<_>>(), ["a", "c"]);
    assert_eq!(lookup.by_user("nobody").count(), 0);
    assert_eq!(lookup.by_directory("/d").map(id).collect::<Vec<_>>(), ["a", "b"]);
    let short: Vec<_> = lookup.by_short_id("ses_a1b2").into_iter().map(id).collect();
    assert_eq!(short, ["a", "b", "c"]);
}

#[test]
fn nothing_is_found_in_an_empty_map() {
    let lookup = Lookup::new(&[]);
    assert_eq!(lookup.by_session(""), None);
    assert_eq!(lookup.by_short_id("").len(), 0);
}
