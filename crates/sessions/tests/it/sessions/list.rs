//! Sessions in a list.

use std::fs;

use skein_format::session::{MappingField, Mode};
use skein_model::view::{RowDetail, ThreadRow};
use skein_search::{Page, Query, SearchScope, Searcher};
use skein_sessions::{
    SessionFilter, SessionMap, SetRequest, session_list, session_show, set_session,
};

use super::MAP;
use skein_fixtures::{Fixture, session};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let there = fixture.dir("project").display().to_string();
    let at = |hour: u32| format!("2026-01-16T{hour}:00:00.000Z");
    fixture.sessions(&[
        session("ses_one", "active", &at(10)).replace("/srv/lantern", &there),
        session("ses_two", "ended", &at(12)).replace("\"user\"", "\"other\""),
        session("ses_odd", "active", &at(11)).replace("abcdef", "few"),
        session("ses_torch", "active", &at(13)).replace("\"lantern\"", "\"torch\""),
    ]);
    fixture
}

#[track_caller]
fn check(filter: &SessionFilter, expected: &[&str]) {
    let fixture = fixture();
    let before = fixture.tree();
    let workspace = fixture.open("");
    let listing = session_list(&workspace, filter).unwrap();
    let shown = listing.threads.iter().map(|row| {
        let RowDetail::Session(session) = &row.detail else { panic!("{row:?}") };
        let dir = if session.directory_exists == Some(true) { "" } else { " (gone)" };
        format!("{}{dir}", row.id)
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn sessions_are_listed_by_filter() {
    let all = SessionFilter::default();
    check(&all, &["ses_torch (gone)", "ses_two (gone)", "ses_one"]);
    let status = Some("active".to_owned());
    check(&SessionFilter { status, ..all.clone() }, &["ses_torch (gone)", "ses_one"]);
    let project = Some("torch".to_owned());
    check(&SessionFilter { project, ..all.clone() }, &["ses_torch (gone)"]);
    let user = Some("other".to_owned());
    check(&SessionFilter { user, ..all.clone() }, &["ses_two (gone)"]);
    let lenient = SessionFilter { lenient: true, ..all };
    check(&lenient, &["ses_torch (gone)", "ses_two (gone)", "ses_odd (gone)", "ses_one"]);
}

#[test]
fn a_map_that_was_named_explicitly_must_exist() {
    let fixture = Fixture::new();
    let workspace = fixture.open("");
    assert_eq!(session_list(&workspace, &SessionFilter::default()).unwrap().threads.len(), 0);
    let file = Some(fixture.path(MAP));
    let error = session_list(&workspace, &SessionFilter { file, ..SessionFilter::default() });
    let message = fixture.shorten(&error.unwrap_err().to_string());
    assert_eq!(message, format!("there is no session map: {MAP}"));
}

#[test]
fn a_dangling_link_is_not_an_empty_map() {
    let fixture = Fixture::new();
    fixture.link(MAP, fixture.path("nowhere.json"));
    let workspace = fixture.open("");
    for file in [None, Some(fixture.path(MAP))] {
        let filter = SessionFilter { file, ..SessionFilter::default() };
        let message = session_list(&workspace, &filter).unwrap_err().to_string();
        let expected = format!("the session map is a dangling symlink: {MAP}");
        assert_eq!(fixture.shorten(&message), expected);
    }
}

/// OpenCode's own names for sessions are mostly longer than the contract allows.
#[test]
fn a_session_with_a_long_short_id_is_listed_shown_and_set_with_a_warning() {
    let fixture = Fixture::new();
    let entry = session("ses_long", "active", "2026-01-16T11:00:00.000Z");
    fixture.sessions(&[entry.replace("abcdef", "merry-otter-lake")]);
    let workspace = fixture.open("");
    let rule = Some("`shortId` must have 6 to 10 characters");
    let breach = |row: &ThreadRow| match &row.detail {
        RowDetail::Session(session) => session.breach.clone(),
        _ => None,
    };
    let listing = session_list(&workspace, &SessionFilter::default()).unwrap();
    assert_eq!(listing.threads.len(), 1);
    assert_eq!(breach(&listing.threads[0]).as_deref(), rule);
    assert_eq!(listing.diagnostics[0].code, "session-lenient");
    let shown = session_show(&workspace, "merry-otter-lake", None, false).unwrap();
    assert_eq!(breach(&shown.row).as_deref(), rule);
    let sum = skein_summary::overview(&workspace);
    assert_eq!((sum.sessions, sum.active_sessions.len()), (1, 1));
    assert_eq!(breach(&sum.active_sessions[0]).as_deref(), rule);
    let query = Query::parse("lantern", workspace.env.clock.now()).unwrap();
    let page = Page { offset: 0, limit: 5, width: 80 };
    let searcher = Searcher::new(workspace.clone(), SearchScope::Here, false);
    let hits = searcher.query(&query, page, &());
    assert_eq!(hits.hits.len(), 1);
    assert_eq!(breach(&hits.hits[0].row).as_deref(), rule);
    let fields = vec![(MappingField::Status, "ended".to_owned())];
    let request = SetRequest { file: None, lenient: false, expect: None, fields };
    let written = set_session(&workspace, "ses_long", &request).unwrap();
    assert_eq!(
        (written.action.as_str(), written.row.status.as_deref()),
        ("updated", Some("ended"))
    );
    // A strict load drops entries that violate the contract.
    let map = SessionMap::load(workspace.sessions.map.as_ref().unwrap(), Mode::Strict).unwrap();
    assert_eq!(map.mappings().len(), 0);
    assert_eq!(map.entries().diagnostics[0].code.as_str(), "session-entry");
}

#[test]
fn a_broken_character_in_a_title_does_not_hide_the_session() {
    let fixture = Fixture::new();
    let entry = session("ses_a", "active", "2026-01-16T11:00:00.000Z");
    fixture.sessions(&[
        entry.replace("Title of", "\\ud800 of"),
        entry.replace("ses_a", "ses_b").replace("Title of", "INVALID of"),
    ]);
    let path = fixture.path(MAP);
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.windows(7).position(|window| window == b"INVALID").unwrap();
    bytes[at] = 0xff;
    fs::write(&path, &bytes).unwrap();
    let workspace = fixture.open("");
    let listing = session_list(&workspace, &SessionFilter::default()).unwrap();
    let titles: Vec<&str> = listing.threads.iter().map(|row| row.title.as_str()).collect();
    assert_eq!(titles, ["\u{fffd} of ses_a", "\u{fffd}NVALID of ses_b"]);
    assert!(listing.diagnostics.is_empty(), "{:?}", listing.diagnostics);
    let map = SessionMap::load(workspace.sessions.map.as_ref().unwrap(), Mode::Strict).unwrap();
    assert_eq!(map.mappings().len(), 2);
}
