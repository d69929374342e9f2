//! An index that is built from nothing.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::scene::{Cache, Scene};
use super::sqlite::Database;
use crate::Outcome;
use crate::figure::{Figure, Unit};
use crate::load::Work;
use crate::measure::memory::peak_of;
use crate::options::shown;
use crate::programs::Program;

/// What the figures are told for, in bytes: the review corpus of 100k threads.
const USUAL: f64 = 600e6;
/// How often the system is asked for the peak, which it remembers.
const EVERY: Duration = Duration::from_millis(2);
/// From this many threads on the bounds hold.
const JUDGED: usize = 10_000;
const SECONDS: f64 = 60.0;
const MEGABYTES: f64 = 600.0;
const SHARE: f64 = 0.40;

/// Runs `skein index` in an empty cache directory, and leaves what it made for others.
///
/// There are no figures where the program finds the threads too few for an index.
pub(super) fn figures(scene: &Scene, database: Option<&Database>) -> Outcome<Vec<Figure>> {
    let size = scene.corpus.paths.len();
    let mut best: Option<Cost> = None;
    for _ in 0..(50_000 / size).clamp(1, 3) {
        let cost = build(scene)?;
        if best.as_ref().is_none_or(|best| cost.seconds < best.seconds) {
            best = Some(cost);
        }
    }
    let Some(cost) = best.filter(|cost| cost.bytes > 0) else { return Ok(Vec::new()) };
    let corpus = megabytes(scene.bytes) * 1e6;
    let (scaled, share) =
        (|seconds| seconds * USUAL / corpus, |bytes| megabytes(bytes) * 1e6 / corpus);
    let kind = scene.kind.name();
    let figure = |what, value, unit| {
        Figure::amount(format!("{kind}: {what}"), shown(size), value, unit).sized(size)
    };
    let mut seconds = figure("build, CPU for 600 MB", scaled(cost.seconds), Unit::Seconds);
    seconds.skein_ms = Some(cost.seconds * 1e3);
    let other = database.map(|database| database.cost);
    Ok(vec![
        seconds
            .at_most_from(JUDGED, SECONDS)
            .beside_amount(Program::Sqlite3, other.map(|cost| scaled(cost.seconds))),
        figure("build, peak of memory", cost.peak, Unit::Megabytes).at_most_from(JUDGED, MEGABYTES),
        figure("index / corpus", share(cost.bytes), Unit::Share)
            .at_most_from(JUDGED, SHARE)
            .beside_amount(Program::Sqlite3, other.map(|cost| share(cost.bytes))),
    ])
}

struct Cost {
    /// Of processors.
    seconds: f64,
    /// The most memory, in megabytes.
    peak: f64,
    /// What the cache directory holds afterwards.
    bytes: u64,
}

fn build(scene: &Scene) -> Outcome<Cost> {
    let cache = scene.cache(Cache::Indexed);
    if cache.exists() {
        fs::remove_dir_all(&cache)?;
    }
    let work = Work::now()?;
    let mut process = scene.command(&["index"], Cache::Indexed).spawn()?;
    let mut peak: f64 = 0.0;
    let status = loop {
        // A process that has just ended has no memory any more.
        peak = peak.max(peak_of(process.id()).unwrap_or_default());
        match process.try_wait()? {
            Some(status) => break status,
            None => thread::sleep(EVERY),
        }
    };
    match status.success() {
        true => Ok(Cost { seconds: work.own_seconds()?, peak, bytes: size_of(&cache)? }),
        false => Err("`skein index` failed".into()),
    }
}

/// Adds up the sizes of all files below a directory, which need not be there.
fn size_of(dir: &Path) -> Outcome<u64> {
    let mut bytes = 0;
    let mut waiting = vec![dir.to_owned()];
    while let Some(dir) = waiting.pop().filter(|dir| dir.exists()) {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => waiting.push(entry.path()),
                false => bytes += entry.metadata()?.len(),
            }
        }
    }
    Ok(bytes)
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1_000).unwrap_or(u32::MAX)) / 1e3
}
