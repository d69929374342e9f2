//! Session maps.

use proptest::prelude::*;
use proptest::sample::select;
use skein_format::session::{
    MapEditError, MapValidity, MappingField, Mode, NewMapping, SessionMapDoc,
};

use super::{cases, noise, now, spoiled, text};
use crate::change::changes;
use crate::show;

fn parse(bytes: &[u8]) -> SessionMapDoc {
    SessionMapDoc::parse(bytes.to_vec()).0
}

fn entry() -> impl Strategy<Value = String> {
    let odd = select(vec!["null", "[]", "{}", "7", "\"x\"", "{\"sessionId\": \"s1\"}"]);
    let fields = (
        select(vec!["s1", "s2", "s3", "", "\\ud800", "s\\u0031"]),
        select(vec!["r1", "r2", ""]),
        select(vec!["short1", "merry-otter-lake", "x"]),
        select(vec!["active", "ended", "paused"]),
        select(vec!["2026-01-02T00:00:00Z", "2026-01-03T00:00:00.5Z", "soon"]),
        select(vec![
            "",
            ",\n \"endedAt\": \"2026-01-02T00:00:00Z\"",
            ", \"extra\": [{\"status\": 1}]",
        ]),
    );
    let whole = fields.prop_map(|(id, root, short, status, at, rest)| {
        format!(
            "{{\"sessionId\": \"{id}\", \"threadRootPostId\": \"{root}\", \"shortId\": \"{short}\", \
             \"mattermostUserId\": \"u\", \"dmChannelId\": \"c\",\n \"projectName\": \"p\", \
             \"directory\": \"/\", \"status\": \"{status}\", \
             \"createdAt\": \"2026-01-01T00:00:00Z\", \"lastActivityAt\": \"{at}\"{rest}}}"
        )
    });
    prop_oneof![1 => odd.prop_map(str::to_owned), 5 => whole]
}

fn map() -> impl Strategy<Value = String> {
    let modified = select(vec![
        ", \"lastModified\": \"2026-01-01T00:00:00Z\"",
        ",\n  \"lastModified\": 7,\n  \"x\": {\"lastModified\": 1}",
        "",
    ]);
    (prop::collection::vec(entry(), 0..5), modified).prop_map(|(entries, modified)| {
        let entries = entries.join(",\n    ");
        format!("{{\n  \"version\": 1, \"mappings\": [{entries}]{modified}\n}}\n")
    })
}

fn field() -> impl Strategy<Value = (MappingField, String)> {
    let field = select(vec![
        MappingField::ThreadRootPostId,
        MappingField::SessionTitle,
        MappingField::Status,
        MappingField::LastActivityAt,
        MappingField::EndedAt,
        MappingField::ProjectName,
        MappingField::Directory,
        MappingField::ShortId,
        MappingField::MattermostUserId,
        MappingField::DmChannelId,
        MappingField::CreatedAt,
    ]);
    (field, text())
}

fn new_mapping(session_id: &str, title: &str) -> NewMapping {
    NewMapping {
        session_id: session_id.to_owned(),
        thread_root_post_id: "r".to_owned(),
        short_id: "short1".to_owned(),
        mattermost_user_id: "u".to_owned(),
        dm_channel_id: "c".to_owned(),
        project_name: "p".to_owned(),
        directory: "/".to_owned(),
        session_title: Some(title.to_owned()),
        status: "active".to_owned(),
        created_at: now().to_string(),
        last_activity_at: now().to_string(),
        ended_at: None,
    }
}

fn views(doc: &SessionMapDoc) -> [String; 2] {
    [Mode::Strict, Mode::Lenient].map(|mode| show::session_map(doc, mode))
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_bytes_are_kept(bytes in noise()) {
        let doc = parse(&bytes);
        prop_assert_eq!(doc.to_bytes(), &bytes);
        prop_assert!(doc.load(Mode::Lenient).mappings.is_empty());
    }

    #[test]
    fn any_map_is_kept_and_its_edits_are_read_back(
        bytes in spoiled(map()),
        title in text(),
        fields in prop::collection::vec(field(), 0..4),
    ) {
        let mut doc = parse(&bytes);
        prop_assert_eq!(doc.to_bytes(), &bytes);
        let ids: Vec<String> =
            doc.load(Mode::Lenient).mappings.iter().map(|one| one.session_id.to_string()).collect();
        let strict = doc.load(Mode::Strict).mappings.len();
        prop_assert!(strict <= ids.len());
        let fields: Vec<(MappingField, &str)> =
            fields.iter().map(|(field, value)| (*field, value.as_str())).collect();
        let id = ids.first().map_or("nobody", String::as_str);
        let before = doc.to_bytes().to_vec();
        let updated = doc.update(id, &fields, now());
        prop_assert_eq!(updated.is_ok(), !ids.is_empty());
        prop_assert!(updated.is_ok() || doc.to_bytes() == before);
        prop_assert_eq!(views(&parse(doc.to_bytes())), views(&doc));
        let inserted = doc.insert(&new_mapping("new", &title), now());
        prop_assert_eq!(inserted.is_ok(), doc.soundness() == MapValidity::Sound);
        prop_assert_eq!(views(&parse(doc.to_bytes())), views(&doc));
    }

    #[test]
    fn an_insert_adds_one_entry_and_changes_no_other(file in map(), title in text()) {
        let before = parse(file.as_bytes());
        let mut doc = before.clone();
        doc.insert(&new_mapping("new", &title), now()).unwrap();
        for (old, new) in views(&before).iter().zip(views(&doc)) {
            let added = new.strip_prefix(old.as_str()).unwrap();
            prop_assert!(added.starts_with("session: \"new\""));
        }
        let title_read = doc.load(Mode::Strict).mappings.pop().unwrap().session_title;
        prop_assert_eq!(title_read.as_deref(), Some(title.as_str()));
        let lost: usize = changes(file.as_bytes(), doc.to_bytes())
            .iter()
            .map(|one| one.removed.len())
            .sum();
        prop_assert!(lost <= "\"2026-01-01T00:00:00Z\"".len(), "{lost}");
        let again = doc.insert(&new_mapping("new", ""), now());
        prop_assert_eq!(again, Err(MapEditError::Taken { session_id: "new".to_owned() }));
    }

    #[test]
    fn an_update_changes_only_its_entry(file in map(), title in text()) {
        let before = parse(file.as_bytes());
        let loaded = before.load(Mode::Lenient);
        prop_assume!(!loaded.mappings.is_empty());
        let id = loaded.mappings[0].session_id.clone();
        let mut doc = before.clone();
        doc.update(&id, &[(MappingField::SessionTitle, &title)], now()).unwrap();
        let after = doc.load(Mode::Lenient);
        for (old, new) in loaded.mappings.iter().zip(&after.mappings) {
            let mut new = new.clone();
            if new.session_id == id {
                prop_assert_eq!(new.session_title.as_deref(), Some(title.as_str()));
                new.session_title = old.session_title.clone();
            }
            new.span = old.span;
            prop_assert_eq!(&new, old);
        }
        let found = changes(file.as_bytes(), doc.to_bytes());
        let lost: usize = found.iter().map(|one| one.removed.len()).sum();
        prop_assert!(lost <= "\"2026-01-01T00:00:00Z\"".len() + 4, "{found:?}");
    }
}
