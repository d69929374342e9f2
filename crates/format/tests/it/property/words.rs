//! Names, paths, times and secrets.

use std::path::{Component, Path};

use proptest::prelude::*;
use proptest::sample::select;
use skein_format::id::{CheckpointId, Origin, is_plain_name};
use skein_format::path::WorkspacePath;
use skein_format::redact::{self, rules};
use skein_format::time::{self, Time};

use super::{cases, text};

fn path() -> impl Strategy<Value = String> {
    let part = select(vec![
        "a",
        "..",
        ".",
        "/",
        "//",
        "\\",
        "C:",
        ":",
        "~",
        "\0",
        "\n",
        ".git",
        ".GIT",
        "GIT~1",
        ".code-review",
        "\u{200c}",
        " ",
        "...",
        "x.rs",
        "\u{ff0e}",
        "%2e%2e",
        "\u{2024}",
    ]);
    let parts = prop::collection::vec(part, 0..7).prop_map(|parts| parts.concat());
    prop_oneof![4 => parts, 1 => any::<String>()]
}

/// Generates texts in which secrets are next to each other and next to text that only resembles a secret.
fn leaky() -> impl Strategy<Value = String> {
    let known = rules().flat_map(|rule| {
        let example = rule.example();
        let rest = example.split_once(rule.start).map_or("", |(_, rest)| rest).to_owned();
        [rule.start.to_owned(), rest, example]
    });
    let other = [
        " ",
        "\n",
        "=",
        ": ",
        "\"",
        "'",
        "@",
        "/",
        ":",
        ".",
        "-",
        "_",
        "]",
        "[REDACTED:",
        "://",
        "https://",
        "password",
        "PASSWORD=",
        "a1b2c3d4e5",
        "x",
        "-----END ",
        "-----",
        "\u{e9}",
    ];
    let parts: Vec<String> = known.chain(other.map(str::to_owned)).collect();
    prop::collection::vec(select(parts), 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(cases(512))]

    #[test]
    fn redacting_twice_changes_nothing(text in prop_oneof![4 => leaky(), 1 => text()]) {
        let once = redact::redact(&text).into_owned();
        prop_assert_eq!(redact::redact(&once), once.as_str(), "{}", text);
    }

    #[test]
    fn found_spans_are_valid_and_redacting_a_url_twice_changes_nothing(text in leaky()) {
        for found in redact::find(&text) {
            prop_assert!(!found.span.is_empty() && found.span.end <= text.len());
        }
        let clean = redact::redact_url(&text);
        prop_assert_eq!(redact::redact_url(&clean), clean);
    }

    #[test]
    fn ids_are_short_plain_and_read_back(text in text(), auto in any::<bool>(), second in 0..4_000_000_000_i64) {
        let origin = if auto { Origin::Auto } else { Origin::Manual };
        let at = Time::from_millis(second * 1000);
        let id = CheckpointId::make(at, &text, origin);
        prop_assert!(id.as_str().is_ascii() && is_plain_name(id.as_str()));
        prop_assert!(id.numbered(9998).as_str().len() <= CheckpointId::MAX);
        prop_assert_eq!(CheckpointId::parse(id.as_str()), Some(id.clone()));
        prop_assert_eq!(id.looks_automatic(), auto);
        prop_assert_eq!(id.time(), Some(at));
        prop_assert!(!id.slug().is_empty() && !id.slug().contains("--"));
        prop_assert!(auto || !id.slug().starts_with("auto"));
        prop_assert!(auto || !id.numbered(1).is_reserved_for_auto(), "{}", id);
    }

    #[test]
    fn only_a_plain_name_is_accepted_as_an_id(text in path()) {
        if is_plain_name(&text) {
            let parts: Vec<_> = Path::new(&text).components().collect();
            prop_assert!(matches!(parts[..], [Component::Normal(_)]));
        }
        if let Some(id) = CheckpointId::parse(&format!("T-{text}")) {
            let _ = (id.slug(), id.time(), id.looks_automatic());
            let parts: Vec<_> = Path::new(id.as_str()).components().collect();
            prop_assert!(matches!(parts[..], [Component::Normal(_)]));
        }
    }

    #[test]
    fn a_path_never_leaves_the_workspace(text in path()) {
        let Ok(path) = WorkspacePath::parse(&text, ".code-review") else {
            return Ok(());
        };
        let joined = Path::new("/root").join(path.as_str());
        let mut parts = joined.components();
        prop_assert_eq!(parts.next(), Some(Component::RootDir));
        prop_assert_eq!(parts.next(), Some(Component::Normal("root".as_ref())));
        let rest: Vec<Component<'_>> = parts.collect();
        prop_assert!(!rest.is_empty());
        prop_assert!(rest.iter().all(|part| matches!(part, Component::Normal(_))));
        prop_assert!(!path.as_str().contains(['\\', '\0', '\n']));
        let lower = path.as_str().to_lowercase();
        prop_assert!(!lower.split('/').any(|part| part == ".git"));
        prop_assert!(lower != ".code-review" && !lower.starts_with(".code-review/"));
        prop_assert_eq!(WorkspacePath::parse(path.as_str(), ".code-review"), Ok(path));
    }

    #[test]
    fn a_time_is_read_as_it_was_written(millis in -62_135_596_800_000..253_402_207_200_000_i64) {
        let at = Time::from_millis(millis);
        let read = time::parse(&at.to_string()).unwrap();
        prop_assert_eq!((read.time, read.naive), (at, false));
    }

    #[test]
    fn any_time_that_is_read_can_be_written(text in "[0-9TZ:.+\\- ]{0,30}") {
        if let Some(read) = time::parse(&text) {
            prop_assert!(time::parse(&read.time.to_string()).is_some());
        }
    }

    #[test]
    fn any_number_can_be_shown_as_a_time(number in any::<i64>()) {
        let at = Time::from_millis(number);
        prop_assert!(!at.to_string().is_empty() && !at.compact().is_empty());
        let epoch = u64::try_from(number).ok().and_then(time::from_epoch);
        prop_assert!(epoch.is_none_or(|at| !at.to_string().is_empty()));
    }
}
