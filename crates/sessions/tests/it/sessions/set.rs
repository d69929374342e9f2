//! Changes from the command line.

use skein_format::session::MappingField;
use skein_sessions::{SessionError, SetRequest, set_session};

use super::{MAP, load};
use skein_fixtures::{Fixture, session};

/// Sets fields of a session and describes what was done or why it was refused.
fn set(fixture: &Fixture, id: &str, fields: &[(MappingField, &str)]) -> String {
    let workspace = fixture.open("");
    let fields = fields.iter().map(|(field, value)| (*field, (*value).to_owned())).collect();
    let request = SetRequest { file: None, lenient: false, expect: None, fields };
    match set_session(&workspace, id, &request) {
        Ok(done) => format!("{} {}: {}", done.row.id, done.action, done.changed.join(" ")),
        Err(SessionError::Ambiguous { candidates, .. }) => {
            format!("either {}", candidates.join(" or "))
        }
        Err(error) => fixture.shorten(&error.to_string()),
    }
}

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.sessions(&[
        session("ses_one", "active", "2026-01-16T10:00:00.000Z").replace("abcdef", "lantern"),
        session("ses_two", "ended", "2026-01-16T10:00:00.000Z"),
        session("ses_future", "active", "2030-01-01T00:00:00.000Z"),
    ]);
    fixture
}

#[test]
fn a_session_is_found_by_its_id_a_prefix_its_short_id_or_its_thread() {
    let fixture = fixture();
    let check = |id: &str, expected: &str| {
        assert_eq!(set(&fixture, id, &[(MappingField::ProjectName, "lantern")]), expected);
    };
    check("ses_one", "ses_one unchanged: ");
    check("ses_t", "ses_two unchanged: ");
    check("lantern", "ses_one unchanged: ");
    check("post-ses_two", "ses_two unchanged: ");
    check("abcdef", "either ses_two or ses_future");
    check("ses_", "either ses_one or ses_two or ses_future");
    check("nobody", "no such session: nobody");
    check("", "no such session: ");
}

#[test]
fn a_session_whose_latest_entry_is_invalid_is_not_changed() {
    let fixture = Fixture::new();
    let kept = session("ses_one", "active", "2026-01-16T10:00:00.000Z");
    let left_out =
        session("ses_one", "active", "2026-01-16T11:00:00.000Z").replace("\"abcdef\"", "\"otter\"");
    fixture.sessions(&[kept, left_out.clone()]);
    let before = fixture.tree();
    let outcome = set(&fixture, "ses_one", &[(MappingField::Status, "ended")]);
    assert_eq!(outcome, "no such session: ses_one");
    assert_eq!(fixture.tree(), before);
    let earlier = left_out.replace("11:00", "09:00");
    fixture.sessions(&[session("ses_one", "active", "2026-01-16T10:00:00.000Z"), earlier]);
    let outcome = set(&fixture, "ses_one", &[(MappingField::Status, "ended")]);
    assert_eq!(outcome, "ses_one updated: status endedAt lastActivityAt");
}

#[test]
fn a_change_counts_as_activity_and_unchanged_values_write_nothing() {
    let fixture = fixture();
    let before = fixture.tree();
    assert_eq!(
        set(&fixture, "ses_one", &[(MappingField::Status, "active")]),
        "ses_one unchanged: "
    );
    assert_eq!(fixture.tree(), before);
    let outcome = set(&fixture, "ses_one", &[(MappingField::SessionTitle, "Other")]);
    assert_eq!(outcome, "ses_one updated: sessionTitle lastActivityAt");
    let outcome = set(&fixture, "ses_future", &[(MappingField::Status, "orphaned")]);
    assert_eq!(outcome, "ses_future updated: status lastActivityAt");
    let map = load(&fixture.path(MAP));
    let mappings = map.mappings();
    let times: Vec<_> = mappings.iter().map(|one| one.last_activity_at.as_ref()).collect();
    let expected =
        ["2026-01-23T14:30:00.000Z", "2026-01-16T10:00:00.000Z", "2030-01-01T00:00:00.001Z"];
    assert_eq!(times, expected);
}

#[test]
fn ended_is_final() {
    let fixture = fixture();
    let outcome = set(&fixture, "ses_two", &[(MappingField::Status, "active")]);
    assert_eq!(outcome, "the session has ended and cannot be changed: ses_two");
    assert_eq!(set(&fixture, "ses_two", &[(MappingField::Status, "ended")]), "ses_two unchanged: ");
    let outcome = set(&fixture, "ses_one", &[(MappingField::Status, "ended")]);
    assert_eq!(outcome, "ses_one updated: status endedAt lastActivityAt");
    let map = load(&fixture.path(MAP));
    assert_eq!(map.mappings()[0].ended_at.as_deref(), Some("2026-01-23T14:30:00.000Z"));
    let outcome = set(&fixture, "ses_one", &[(MappingField::Status, "disconnected")]);
    assert_eq!(outcome, "the session has ended and cannot be changed: ses_one");
}

#[test]
fn an_invalid_value_of_a_field_is_refused() {
    let fixture = fixture();
    let before = fixture.tree();
    let check = |field: MappingField, value: &str, expected: &str| {
        assert_eq!(set(&fixture, "ses_one", &[(field, value)]), expected);
    };
    check(
        MappingField::Status,
        "gone",
        "`status` takes active, ended, disconnected or orphaned: gone",
    );
    check(MappingField::Directory, "", "`directory` must not be empty: ");
    let rule = "`endedAt` takes a time such as 2026-01-15T14:30:00.000Z: yesterday";
    check(MappingField::EndedAt, "yesterday", rule);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_missing_or_damaged_map_is_reported_and_not_written() {
    let empty = Fixture::new();
    let outcome = set(&empty, "ses_one", &[(MappingField::Status, "ended")]);
    assert_eq!(outcome, format!("there is no session map: {MAP}"));
    assert_eq!(empty.tree(), "");
    let damaged = Fixture::new();
    damaged.file(MAP, "{");
    let before = damaged.tree();
    let outcome = set(&damaged, "ses_one", &[(MappingField::Status, "ended")]);
    assert!(outcome.starts_with("the session map is damaged: the file is not JSON"), "{outcome}");
    assert_eq!(damaged.tree(), before);
    let without_home = Fixture::new();
    let mut env = without_home.env("");
    env.home = None;
    let workspace = skein_workspace::discover(&env);
    let request = SetRequest { file: None, lenient: false, expect: None, fields: Vec::new() };
    let error = set_session(&workspace, "ses_one", &request).unwrap_err();
    assert_eq!(error.to_string(), "cannot find the session map: no home directory");
}
