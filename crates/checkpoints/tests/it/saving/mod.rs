//! Writing checkpoints.

mod auto;
mod handoff;
mod knowledge;
mod repositories;
mod save;
mod tables;
mod unfinished;

use serde_json::Value;
use skein_checkpoints::{Save, SaveResult};

use skein_fixtures::Fixture;

pub(crate) fn summary(text: &str) -> Save {
    Save { summary: text.to_owned(), ..Save::default() }
}

/// Saves a checkpoint in a directory and returns the content of its file.
#[track_caller]
pub(crate) fn saved(fixture: &Fixture, dir: &str, save: &Save) -> (SaveResult, Value) {
    let workspace = fixture.open(dir);
    let saved = skein_checkpoints::save(&workspace, save).unwrap();
    let value = value(&saved);
    (saved, value)
}

pub(crate) fn value(saved: &SaveResult) -> Value {
    serde_json::from_slice(&std::fs::read(&saved.file).unwrap()).unwrap()
}

/// Returns the names of the thread files.
pub(crate) fn names(fixture: &Fixture, root: &str) -> Vec<String> {
    let Ok(entries) = fixture.path(&format!("{root}/workspace/threads")).read_dir() else {
        return Vec::new();
    };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.ends_with(".json"));
    names.sort();
    names
}
