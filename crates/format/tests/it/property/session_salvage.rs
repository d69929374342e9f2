//! Properties of salvaging a damaged map.

use proptest::prelude::*;
use proptest::sample::Index;
use skein_format::session::{MapValidity, Mode, SessionMapDoc, salvage};

use super::session_merge::{entry, map};
use super::{cases, noise, now, spoiled};

/// Returns the number of sessions whose entries are complete in these bytes.
fn count_complete(file: &str, bytes: &[u8]) -> usize {
    let (doc, _) = SessionMapDoc::parse(file.as_bytes().to_vec());
    let loaded = doc.load(Mode::Lenient);
    loaded.mappings.iter().filter(|one| one.span.end <= bytes.len()).count()
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn any_bytes_give_a_valid_map(bytes in noise()) {
        let saved = salvage(&bytes, now());
        prop_assert_eq!(saved.doc.soundness(), MapValidity::Sound);
        prop_assert_eq!(saved.entries, 0);
    }

    #[test]
    fn every_salvaged_entry_is_in_the_file(bytes in spoiled(map())) {
        let saved = salvage(&bytes, now());
        let sound = saved.doc.soundness() != MapValidity::Corrupt;
        prop_assert!(sound);
        for one in saved.doc.load(Mode::Lenient).mappings {
            let entry = one.span.of(saved.doc.to_bytes());
            prop_assert!(bytes.windows(entry.len()).any(|part| part == entry));
        }
        // Salvaging the result again changes nothing.
        let again = salvage(saved.doc.to_bytes(), now());
        prop_assert_eq!(again.doc.to_bytes(), saved.doc.to_bytes());
        prop_assert_eq!((again.cut.len(), again.duplicates), (0, 0));
    }

    #[test]
    fn a_prefix_gives_the_entries_that_are_complete_in_it(file in map(), at in any::<Index>()) {
        let bytes = &file.as_bytes()[..at.index(file.len())];
        let saved = salvage(bytes, now());
        let found = saved.doc.load(Mode::Lenient).mappings.len();
        prop_assert!(found >= count_complete(&file, bytes), "{found}");
        prop_assert!(saved.cut.len() <= 1);
    }

    #[test]
    fn entries_are_found_between_garbage(
        entries in prop::collection::vec(entry(), 1..4),
        garbage in prop::collection::vec("[^{}\"]{0,9}", 4),
    ) {
        let file: String = garbage.iter().zip(&entries).map(|(a, b)| format!("?{a}{b}")).collect();
        let saved = salvage(file.as_bytes(), now());
        let list = format!("{{\"version\":1,\"mappings\":[{}]}}", entries.join(","));
        let (doc, _) = SessionMapDoc::parse(list.into_bytes());
        let ids = |doc: &SessionMapDoc| -> Vec<String> {
            doc.load(Mode::Lenient).mappings.iter().map(|one| one.session_id.to_string()).collect()
        };
        prop_assert_eq!(ids(&saved.doc), ids(&doc), "{}", file);
    }
}
