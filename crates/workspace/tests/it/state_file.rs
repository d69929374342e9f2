//! State files that another version of Skein, or a crash of the machine, has left.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use skein_fixtures::Fixture;
use skein_workspace::{Env, FileError, state_file, trust};

/// What this version knows.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct Content {
    threads: BTreeMap<String, Entry>,
    #[serde(default)]
    list: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Entry {
    name: String,
}

/// Writes a file as another program does that has ended.
fn store(fixture: &Fixture, path: &Path, text: &str) {
    let below = path.strip_prefix(fixture.path("")).unwrap();
    fixture.file(below.to_str().unwrap(), text);
}

/// Stores a file, updates it, and returns what it contains then.
fn updated(stored: &Value, change: impl Fn(&mut Content)) -> Result<Value, FileError> {
    let fixture = Fixture::new();
    fixture.dir("w");
    let workspace = fixture.open("w");
    let dirs = workspace.dirs();
    let path = dirs.state.join("test.json");
    store(&fixture, &path, &stored.to_string());
    state_file::update(&workspace.env, &dirs, "test.json", &|content: Option<Content>| {
        let mut content = content.unwrap_or_default();
        change(&mut content);
        Some(content)
    })?;
    Ok(serde_json::from_slice(&fs::read(path).unwrap()).unwrap())
}

#[test]
fn keys_of_another_version_survive_an_update() {
    let stored = json!({
        "version": 2,
        "threads": {"a": {"name": "A", "colour": "red"}, "b": {"name": "B", "colour": "blue"}},
        "list": [{"name": "one", "size": 1}, {"name": "two", "size": 2}],
    });
    let written = updated(&stored, |content| {
        content.threads.remove("b");
        content.threads.insert("c".to_owned(), Entry { name: "C".to_owned() });
        content.list.remove(0);
    });
    let expected = json!({
        "version": 2,
        "threads": {"a": {"name": "A", "colour": "red"}, "c": {"name": "C"}},
        "list": [{"name": "two", "size": 2}],
    });
    assert_eq!(written.unwrap(), expected);
}

/// Returns the files that were replaced because this version could not read them.
fn replaced(env: &Env) -> Vec<String> {
    let entries = fs::read_dir(env.dirs.state.join("trash/state")).unwrap();
    entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn a_file_that_cannot_be_read_is_kept_in_the_trash() {
    for stored in ["{\"threads\": {", "{\"threads\": [\"a\"]}"] {
        let fixture = Fixture::new();
        fixture.dir("w");
        let workspace = fixture.open("w");
        let dirs = workspace.dirs();
        store(&fixture, &dirs.state.join("test.json"), stored);
        let change = |content: Option<Content>| {
            assert!(content.is_none());
            Some(Content::default())
        };
        state_file::update(&workspace.env, &dirs, "test.json", &change).unwrap();
        assert_eq!(replaced(&workspace.env), [stored]);
    }
}

#[test]
fn trust_in_the_format_of_another_version_is_not_believed_and_not_lost() {
    let fixture = Fixture::new();
    fixture.repository("repo");
    let workspace = fixture.open("repo");
    let state = workspace.env.dirs.user_state().to_owned();
    let newer = json!({"accepted": {"/elsewhere": {"until": "2027-01-01"}}}).to_string();
    store(&fixture, &state.join("trust.json"), &newer);
    let root = &workspace.reviews.root;
    assert!(!trust::is_accepted(&workspace.env, root));
    trust::accept(&workspace.env, root).unwrap();
    assert!(trust::is_accepted(&workspace.env, root));
    assert_eq!(replaced(&workspace.env), [newer]);
}
