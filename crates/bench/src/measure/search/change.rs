//! A thread that another program changes between two searches.

use std::fs;
use std::path::{Path, PathBuf};

use super::scene::{Cache, Scene};
use crate::Outcome;
use crate::corpus::put;
use crate::timing::Pair;

const CHANGES: usize = 6;
/// How often an unchanged corpus is searched before a change.
const BEFORE: usize = 3;

/// Times a search before a change and the first one after it, which must find what was written.
pub(super) fn times(scene: &Scene) -> Outcome<Pair> {
    let mut pair: Option<Pair> = None;
    let step = (scene.corpus.paths.len() / CHANGES).max(1);
    for (number, path) in scene.corpus.paths.iter().step_by(step).take(CHANGES).enumerate() {
        let word = format!("quxzebra{number}");
        bring_up_to_date(scene)?;
        let mut unchanged = Vec::new();
        for _ in 0..BEFORE {
            let (time, found) = scene.search(&word, Cache::Indexed)?;
            unchanged.push(time);
            expect(found, 0, &word)?;
        }
        let changed = Changed::new(path, &word)?;
        let (time, found) = scene.search(&word, Cache::Indexed)?;
        drop(changed);
        expect(found, 1, &word)?;
        let baseline = unchanged.into_iter().min().unwrap_or_default();
        let best = pair.unwrap_or(Pair { baseline, skein: time });
        pair = Some(Pair { baseline: best.baseline.min(baseline), skein: best.skein.min(time) });
    }
    bring_up_to_date(scene)?;
    pair.ok_or("there is nothing to change".into())
}

/// Runs `skein index`, so that one change and not several are found.
fn bring_up_to_date(scene: &Scene) -> Outcome<()> {
    match scene.command(&["index"], Cache::Indexed).status()?.success() {
        true => Ok(()),
        false => Err("`skein index` failed".into()),
    }
}

fn expect(found: usize, expected: usize, word: &str) -> Outcome<()> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("{word} is found {found} times, not {expected}").into()),
    }
}

/// A file with one more word, which is taken out again when this is dropped.
struct Changed {
    path: PathBuf,
    text: Vec<u8>,
}

impl Changed {
    fn new(path: &Path, word: &str) -> Outcome<Self> {
        let text = fs::read(path)?;
        let changed = Self { path: path.to_owned(), text };
        put(path, with_word(std::str::from_utf8(&changed.text)?, word).as_bytes())?;
        Ok(changed)
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        if let Err(error) = put(&self.path, &self.text) {
            eprintln!("{} keeps a word of a measurement: {error}", self.path.display());
        }
    }
}

/// Puts a word into the summary of a checkpoint, or else behind the last comment of a review.
fn with_word(text: &str, word: &str) -> String {
    let summary = "\"conversation_summary\": \"";
    match text.split_once(summary) {
        Some((before, after)) => format!("{before}{summary}{word} {after}"),
        None => format!("{text}\n{word}\n"),
    }
}
