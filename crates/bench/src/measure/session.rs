//! The session map, compared with plain parsing and with Node.js.

use std::path::Path;
use std::time::Duration;
use std::{fs, thread};

use serde::Deserialize;
use skein_format::session::{MapEdit, MappingField, Mode, SessionMapDoc};
use skein_sessions::{MapPath, SessionMap};
use skein_store::RealFs;

use super::memory::peak_of_action;
use super::{Bench, check, now};
use crate::Outcome;
use crate::corpus::put;
use crate::corpus::session::{BorrowedMap, file};
use crate::program::run;
use crate::table::{ResultRow, Unit, show_size};
use crate::timing::{TimePair, Turns, timed};

const ROUNDS: (usize, usize) = (9, 1);
/// How often the Node.js program and Skein take turns, and how often each loads and saves in a turn.
const NODE_TURNS: usize = 4;
const NODE_ROUNDS: usize = 6;
/// Smaller maps are not judged: the memory of the program itself counts too much.
const JUDGED_FROM: usize = 100_000;
/// More than the interval in which the system counts the times of files.
const CLOCK_TICK: Duration = Duration::from_millis(20);
const SCRIPT: &str = include_str!("node.mjs");
/// The library for which the format of the map is defined.
const LIBRARY: &str = "zod@4.6.7";

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let (entries, dir) = (bench.largest(), bench.corpora.scratch()?);
    let dir = dir.path();
    let mut rows = Vec::new();
    for &size in &bench.sizes {
        let row = parse_row(&file(size), size)?;
        rows.push(row.at_most_ratio(4.0).sized(size, entries));
    }
    for &size in &bench.sizes {
        let bytes = file(size);
        let pair = Turns::run(ROUNDS, || Ok(Duration::ZERO), || merge(&bytes))?.best();
        let row = ResultRow::time("session map: merge", show_size(size), pair.skein);
        rows.push(row.sized(size, 0));
    }
    let bytes = file(entries);
    rows.extend(node_rows(dir, &bytes, entries)?);
    let tenth = file((entries / 10).max(1));
    let pair = Turns::run(ROUNDS, || merge(&tenth), || merge(&bytes))?.best();
    let name = "session map: merge / a tenth of it";
    rows.push(ResultRow::pair(name, show_size(entries), pair).at_most_ratio(30.0));
    rows.extend(memory_rows(dir, &bytes, entries)?);
    Ok(rows)
}

/// Parses and checks a map in memory.
fn parse_row(bytes: &[u8], entries: usize) -> Outcome<ResultRow> {
    let message = "entries are missing";
    let baseline = || {
        let (time, count) = timed(|| {
            let map: BorrowedMap<'_> = serde_json::from_slice(bytes)?;
            Ok::<_, serde_json::Error>(map.mappings.len())
        });
        check(count? == entries, message, time)
    };
    let mut buffer = bytes.to_vec();
    let skein = || {
        let taken = std::mem::take(&mut buffer);
        let (time, (doc, count)) = timed(|| {
            let (doc, _) = SessionMapDoc::parse(taken);
            let count = doc.load(Mode::Strict).mappings.len();
            (doc, count)
        });
        buffer = doc.into_bytes();
        check(count == entries, message, time)
    };
    let pair = Turns::run(ROUNDS, baseline, skein)?.best();
    Ok(ResultRow::pair("session map / serde_json", show_size(entries), pair))
}

/// Merges a map with itself after every tenth entry has changed.
fn merge(bytes: &[u8]) -> Outcome<Duration> {
    let [mut disk, mut memory] = [bytes, bytes].map(|bytes| SessionMapDoc::parse(bytes.to_vec()).0);
    let loaded = memory.load(Mode::Strict);
    let ids = loaded.mappings.iter().step_by(10).map(|entry| entry.session_id.to_string());
    let (ids, later) = (ids.collect::<Vec<String>>(), now().to_string());
    let fields = [(MappingField::LastActivityAt, later.as_str())];
    let edit = |session_id| MapEdit::Set { session_id, fields: &fields };
    memory.apply(&ids.iter().map(|id| edit(id)).collect::<Vec<_>>(), now())?;
    let (time, merged) = timed(|| disk.merge(&memory, now()));
    check(merged?.changed, "the merge changed nothing", time)
}

/// The times in milliseconds, as the script prints them.
#[derive(Deserialize)]
struct NodeTimes {
    load: Vec<f64>,
    save: Vec<f64>,
}

/// Compares loading and saving with a Node.js program; no rows if its library cannot be installed.
fn node_rows(dir: &Path, bytes: &[u8], entries: usize) -> Outcome<Vec<ResultRow>> {
    put(&dir.join("package.json"), b"{\"private\": true}\n")?;
    put(&dir.join("node.mjs"), SCRIPT.as_bytes())?;
    put(&dir.join("map.json"), bytes)?;
    let install = ["install", "--no-audit", "--no-fund", "--no-package-lock", LIBRARY];
    if run(dir, "npm", &install).is_err() {
        eprintln!("skipping Node.js: `npm install {LIBRARY}` fails");
        return Ok(Vec::new());
    }
    let max = TimePair { baseline: Duration::MAX, skein: Duration::MAX };
    let (mut loads, mut saves) = (max, max);
    let [count, rounds] = [entries, NODE_ROUNDS].map(|number| number.to_string());
    let script = ["--max-old-space-size=8192", "node.mjs", "map.json", &count, &rounds];
    let best = |times: Vec<f64>| {
        let best = times.into_iter().fold(f64::INFINITY, f64::min);
        Duration::from_secs_f64(best / 1e3)
    };
    for _ in 0..NODE_TURNS {
        let NodeTimes { load: node_load, save: node_save } =
            serde_json::from_slice(&run(dir, "node", &script)?.1)?;
        loads.baseline = loads.baseline.min(best(node_load));
        saves.baseline = saves.baseline.min(best(node_save));
        for _ in 0..NODE_ROUNDS {
            loads.skein = loads.skein.min(load(dir, bytes, entries)?);
            saves.skein = saves.skein.min(save(dir, bytes)?);
        }
    }
    let size = show_size(entries);
    Ok(vec![
        ResultRow::pair("session map: load / Node.js, zod", &size, loads).at_most_ratio(0.2),
        ResultRow::pair("session map: merge and save / Node", &size, saves).at_most_ratio(1.0),
    ])
}

fn load(dir: &Path, bytes: &[u8], entries: usize) -> Outcome<Duration> {
    let file = dir.join("loaded.json");
    put(&file, bytes)?;
    let (time, map) = timed(|| SessionMap::load(&MapPath::named(&file), Mode::Strict));
    let map = map?;
    let (more, loaded) = timed(|| map.entries());
    check(loaded.mappings.len() == entries, "entries are missing", time + more)
}

/// Changes an entry and saves the map after another program has changed another entry.
fn save(dir: &Path, bytes: &[u8]) -> Outcome<Duration> {
    let file = dir.join("saved.json");
    let (ours, theirs) = first_and_last(bytes)?;
    put(&file, bytes)?;
    let mut map = SessionMap::load(&MapPath::named(&file), Mode::Strict)?;
    // The other program renames its file into place; Skein would wait for one that is written in place.
    let staged = dir.join("staged.json");
    put(&staged, with_title(bytes, &theirs, "Theirs")?.to_bytes())?;
    thread::sleep(CLOCK_TICK);
    #[expect(clippy::disallowed_methods, reason = "it is what the other program does")]
    fs::rename(&staged, &file)?;
    let (time, saved) = timed(|| {
        map.set(&ours, &[(MappingField::SessionTitle, "Ours")], now())?;
        map.save(&RealFs, now())
    });
    let entries = map.entries();
    let titles = entries.mappings.iter().filter_map(|entry| entry.session_title.as_deref());
    let changed = titles.filter(|title| ["Ours", "Theirs"].contains(title)).count();
    check(saved?.merged.is_some() && changed == 2, "the changes were not merged", time)
}

/// Measures the memory of a load, and of a save that merges.
fn memory_rows(dir: &Path, bytes: &[u8], entries: usize) -> Outcome<Vec<ResultRow>> {
    let [file, changed] = ["peak.json", "changed.json"].map(|name| dir.join(name));
    let (_, theirs) = first_and_last(bytes)?;
    put(&file, bytes)?;
    put(&changed, with_title(bytes, &theirs, "Theirs")?.to_bytes())?;
    let megabytes = bytes.len() as f64 / 1024.0 / 1024.0;
    let load = peak_of_action(&["load".as_ref(), file.as_os_str()])?;
    let save = peak_of_action(&["save".as_ref(), file.as_os_str(), changed.as_os_str()])?;
    let row = |name, peak| {
        let row = ResultRow::amount(name, show_size(entries), peak, Unit::Megabytes);
        row.with_baseline(megabytes).at_most_ratio(4.0).sized(entries, JUDGED_FROM)
    };
    Ok(vec![
        row("session map: memory of a load / file", load),
        row("session map: memory of a save / file", save),
    ])
}

/// Returns the ids of the first and the last session.
fn first_and_last(bytes: &[u8]) -> Outcome<(String, String)> {
    let doc = SessionMapDoc::parse(bytes.to_vec()).0;
    match doc.load(Mode::Strict).mappings.as_slice() {
        [first, .., last] => Ok((first.session_id.to_string(), last.session_id.to_string())),
        _ => Err("the map is too small".into()),
    }
}

/// Returns the map with another title of a session.
fn with_title(bytes: &[u8], session_id: &str, title: &str) -> Outcome<SessionMapDoc> {
    let mut doc = SessionMapDoc::parse(bytes.to_vec()).0;
    let later = now().to_string();
    let fields =
        [(MappingField::SessionTitle, title), (MappingField::LastActivityAt, later.as_str())];
    doc.apply(&[MapEdit::Set { session_id, fields: &fields }], now())?;
    Ok(doc)
}
