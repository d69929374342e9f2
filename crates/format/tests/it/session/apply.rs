//! Several edits at once.

use skein_format::session::{MapEdit, MapEditError, MappingField, NewMapping, SessionMapDoc};

use super::{entry, loaded, map, now, sound, text, written};

fn fresh(id: &str) -> NewMapping {
    let text = str::to_owned;
    NewMapping {
        session_id: text(id),
        thread_root_post_id: text("r"),
        short_id: text("short1"),
        mattermost_user_id: text("u"),
        dm_channel_id: text("c"),
        project_name: text("p"),
        directory: text("/"),
        session_title: None,
        status: text("active"),
        created_at: text("2026-01-01T00:00:00.000Z"),
        last_activity_at: text("2026-01-01T00:00:00.000Z"),
        ended_at: None,
    }
}

/// Sets fields of sessions, one after the other.
#[track_caller]
fn check(before: &str, sets: &[(&str, MappingField, &str)], after: &str) {
    let mut doc = sound(&map(before));
    let fields: Vec<_> = sets.iter().map(|(_, field, value)| [(*field, *value)]).collect();
    let edits: Vec<_> = sets
        .iter()
        .zip(&fields)
        .map(|((session_id, ..), fields)| MapEdit::Set { session_id, fields })
        .collect();
    let changed = doc.apply(&edits, now()).unwrap();
    let expected = if before == after { map(after) } else { written(after) };
    assert_eq!(text(&doc), expected);
    assert_eq!(changed, before != after);
}

#[test]
fn sets_fields_of_several_sessions() {
    let two = r#"{"sessionId":"a","threadRootPostId":"r","status":"active"}, {"threadRootPostId":"r","status":7,"sessionId":"b"}"#;
    check(
        two,
        &[
            ("b", MappingField::Status, "ended"),
            ("a", MappingField::SessionTitle, "x"),
            ("a", MappingField::Status, "ended"),
        ],
        r#"{"sessionId":"a","threadRootPostId":"r","status":"ended","sessionTitle":"x"}, {"threadRootPostId":"r","status":"ended","sessionId":"b"}"#,
    );
}

#[test]
fn the_last_of_several_values_is_used() {
    let one = r#"{"sessionId":"a","threadRootPostId":"r"}"#;
    check(
        one,
        &[("a", MappingField::Status, "active"), ("a", MappingField::Status, "ended")],
        r#"{"sessionId":"a","threadRootPostId":"r","status":"ended"}"#,
    );
}

#[test]
fn setting_the_same_value_changes_nothing() {
    let one = r#"{"sessionId":"a","threadRootPostId":"r","status":"\u0065nded"}"#;
    check(one, &[("a", MappingField::Status, "ended")], one);
    check(one, &[], one);
}

#[test]
fn the_last_of_duplicate_keys_is_changed() {
    check(
        r#"{"sessionId":"x","sessionId":"a","threadRootPostId":"r","status":"1","status":"2"}"#,
        &[("a", MappingField::Status, "ended")],
        r#"{"sessionId":"x","sessionId":"a","threadRootPostId":"r","status":"1","status":"ended"}"#,
    );
}

#[test]
fn the_effective_one_of_duplicate_entries_is_changed() {
    let entries =
        [entry("a", "old", "13:00"), entry("a", "new", "14:00"), entry("a", "old", "12:00")];
    let mut after = entries.clone();
    after[1] = after[1].replace("new", "newer");
    check(&entries.join(","), &[("a", MappingField::SessionTitle, "newer")], &after.join(","));
}

#[test]
fn an_entry_that_was_just_added_can_be_set() {
    let mut doc = SessionMapDoc::create(now());
    let (one, two) = (fresh("a"), fresh("b"));
    let fields =
        [(MappingField::SessionTitle, "x"), (MappingField::EndedAt, "2026-01-01T00:00:00.000Z")];
    let edits = [
        MapEdit::Insert(&one),
        MapEdit::Insert(&two),
        MapEdit::Set { session_id: "a", fields: &fields },
    ];
    assert_eq!(doc.apply(&edits, now()), Ok(true));
    assert_eq!(loaded(&doc), ["a x", "b "]);
    let mut single = SessionMapDoc::create(now());
    let whole = NewMapping {
        session_title: Some("x".to_owned()),
        ended_at: Some("2026-01-01T00:00:00.000Z".to_owned()),
        ..one.clone()
    };
    single.insert(&whole, now()).unwrap();
    single.insert(&two, now()).unwrap();
    assert_eq!(text(&doc), text(&single));
}

#[test]
fn all_edits_are_made_or_none() {
    let mut doc = sound(&map(&entry("a", "one", "14:00")));
    let before = text(&doc);
    let (one, two) = (fresh("b"), fresh("a"));
    let fields = [(MappingField::SessionTitle, "x")];
    let set = |session_id| MapEdit::Set { session_id, fields: &fields };
    let taken = Err(MapEditError::Taken { session_id: "a".to_owned() });
    assert_eq!(doc.apply(&[set("a"), MapEdit::Insert(&one), MapEdit::Insert(&two)], now()), taken);
    let taken = Err(MapEditError::Taken { session_id: "b".to_owned() });
    assert_eq!(doc.apply(&[MapEdit::Insert(&one), MapEdit::Insert(&one)], now()), taken);
    let missing = Err(MapEditError::NoSession { session_id: "b".to_owned() });
    assert_eq!(doc.apply(&[set("a"), set("b"), MapEdit::Insert(&one)], now()), missing);
    assert_eq!(text(&doc), before);
}
