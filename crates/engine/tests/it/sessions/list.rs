//! Sessions in a list.

use skein_engine::sessions::{SessionFilter, session_list};
use skein_engine::view::Detail;

use super::MAP;
use crate::fixture::{Fixture, session};

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    let there = fixture.dir("project").display().to_string();
    let at = |hour: u32| format!("2026-01-16T{hour}:00:00.000Z");
    fixture.sessions(&[
        session("ses_one", "active", &at(10)).replace("/srv/lantern", &there),
        session("ses_two", "ended", &at(12)).replace("\"user\"", "\"other\""),
        session("ses_long", "active", &at(11)).replace("abcdef", "far-too-long-for-it"),
        session("ses_torch", "active", &at(13)).replace("\"lantern\"", "\"torch\""),
    ]);
    fixture
}

#[track_caller]
fn check(filter: &SessionFilter, expected: &[&str]) {
    let fixture = fixture();
    let before = fixture.tree();
    let (workspace, env) = fixture.open("");
    let listing = session_list(&workspace, &env, filter).unwrap();
    let shown = listing.threads.iter().map(|row| {
        let Detail::Session(session) = &row.detail else { panic!("{row:?}") };
        let dir = if session.directory_exists == Some(true) { "" } else { " (gone)" };
        format!("{}{dir}", row.id)
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn sessions_are_listed_by_what_is_asked_for() {
    let all = SessionFilter::default();
    check(&all, &["ses_torch (gone)", "ses_two (gone)", "ses_one"]);
    let status = Some("active".to_owned());
    check(&SessionFilter { status, ..all.clone() }, &["ses_torch (gone)", "ses_one"]);
    let project = Some("torch".to_owned());
    check(&SessionFilter { project, ..all.clone() }, &["ses_torch (gone)"]);
    let user = Some("other".to_owned());
    check(&SessionFilter { user, ..all.clone() }, &["ses_two (gone)"]);
    let lenient = SessionFilter { lenient: true, ..all };
    check(&lenient, &["ses_torch (gone)", "ses_two (gone)", "ses_long (gone)", "ses_one"]);
}

#[test]
fn a_map_that_was_named_must_be_there() {
    let fixture = Fixture::new();
    let (workspace, env) = fixture.open("");
    assert_eq!(session_list(&workspace, &env, &SessionFilter::default()).unwrap().threads.len(), 0);
    let file = Some(fixture.path(MAP));
    let error = session_list(&workspace, &env, &SessionFilter { file, ..SessionFilter::default() });
    let said = fixture.shorten(&error.unwrap_err().to_string());
    assert_eq!(said, format!("there is no session map: {MAP}"));
}

#[test]
fn a_link_that_leads_nowhere_is_no_empty_map() {
    let fixture = Fixture::new();
    fixture.link(MAP, fixture.path("nowhere.json"));
    let (workspace, env) = fixture.open("");
    for file in [None, Some(fixture.path(MAP))] {
        let filter = SessionFilter { file, ..SessionFilter::default() };
        let said = session_list(&workspace, &env, &filter).unwrap_err().to_string();
        let expected = format!("the session map is a link that leads nowhere: {MAP}");
        assert_eq!(fixture.shorten(&said), expected);
    }
}
