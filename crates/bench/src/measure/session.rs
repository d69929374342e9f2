//! Measures the session map, compared with plain parsing and with Node.js.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, thread};

use serde::Deserialize;
use skein_format::session::{MapEdit, MappingField, Mode, NewMapping, SessionMapDoc};
use skein_sessions::{MapPath, SessionMap};
use skein_store::RealFs;

use super::memory::peak_of_action;
use super::{Bench, check, now};
use crate::Outcome;
use crate::corpus::put;
use crate::corpus::session::{BorrowedMap, file};
use crate::program::run;
use crate::table::{ResultRow, Unit, show_size};
use crate::timing::{Turns, percentile, timed};

const TURNS: Turns = Turns::best_of(9);
/// The number of turns of the Node.js program and Skein, and the number of loads or saves in a turn.
const NODE_TURNS: Turns = Turns::best_of(4);
const NODE_ROUNDS: usize = 6;
/// Minimum size at which rows are judged: in smaller maps, the memory of the program itself is too large a part.
const JUDGED_FROM: usize = 100_000;
/// Maximum time of a change of one entry, in milliseconds: the chat bridge waits for it.
const MAX_CHANGE_TIME: f64 = 1_000.0;
/// Longer than the resolution of file times.
const CLOCK_TICK: Duration = Duration::from_millis(20);
const SCRIPT: &str = include_str!("node.mjs");
/// The library with which the format of the map is defined.
const LIBRARY: &str = "zod@4.6.7";

pub(super) fn rows(bench: &Bench) -> Outcome<Vec<ResultRow>> {
    let (entries, dir) = (bench.largest(), bench.corpora.scratch()?);
    let dir = dir.path();
    let (mut rows, mut merges) = (Vec::new(), Vec::new());
    for &size in &bench.sizes {
        let bytes = file(size);
        rows.push(parse_row(&bytes, size)?.at_most_ratio(4.0).sized(size, entries));
        let time = TURNS.run(|| Ok(Duration::ZERO), || merge(&bytes))?.skein;
        merges.push(ResultRow::time("session map: merge", show_size(size), time).sized(size, 0));
    }
    rows.extend(merges);
    let bytes = file(entries);
    rows.extend(node_rows(dir, &bytes, entries)?);
    let tenth = file((entries / 10).max(1));
    let pair = TURNS.run(|| merge(&tenth), || merge(&bytes))?;
    let name = "session map: merge / a tenth of it";
    rows.push(ResultRow::pair(name, show_size(entries), pair).at_most_ratio(30.0));
    let time = TURNS.run(|| Ok(Duration::ZERO), || add_entry(dir, &bytes))?.skein;
    let row = ResultRow::time("session map: add an entry and save", show_size(entries), time);
    rows.push(row.at_most(MAX_CHANGE_TIME).sized(entries, 0));
    rows.extend(memory_rows(dir, &bytes, entries)?);
    Ok(rows)
}

/// Measures parsing and checking a map in memory.
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
    let pair = TURNS.run(baseline, skein)?;
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

/// Compares loading and saving with a Node.js program; returns no rows if its library cannot be installed.
fn node_rows(dir: &Path, bytes: &[u8], entries: usize) -> Outcome<Vec<ResultRow>> {
    put(&dir.join("package.json"), b"{\"private\": true}\n")?;
    put(&dir.join("node.mjs"), SCRIPT.as_bytes())?;
    put(&dir.join("map.json"), bytes)?;
    let install = ["install", "--no-audit", "--no-fund", "--no-package-lock", LIBRARY];
    if run(dir, "npm", &install).is_err() {
        eprintln!("skipping Node.js: `npm install {LIBRARY}` fails");
        return Ok(Vec::new());
    }
    let [count, rounds] = [entries, NODE_ROUNDS].map(|number| number.to_string());
    let script = ["--max-old-space-size=8192", "node.mjs", "map.json", &count, &rounds];
    let node = |select: fn(NodeTimes) -> Vec<f64>| -> Outcome<Duration> {
        let times = select(serde_json::from_slice(&run(dir, "node", &script)?.1)?);
        Ok(Duration::from_secs_f64(times.into_iter().fold(f64::INFINITY, f64::min) / 1e3))
    };
    let best = |measure: &dyn Fn() -> Outcome<Duration>| {
        let times = (0..NODE_ROUNDS).map(|_| measure()).collect::<Outcome<Vec<_>>>()?;
        Ok(percentile(&times, 0))
    };
    let load = || best(&|| load(dir, bytes, entries));
    let save = || best(&|| save(dir, bytes));
    let loads = NODE_TURNS.run(|| node(|times| times.load), load)?;
    let saves = NODE_TURNS.run(|| node(|times| times.save), save)?;
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

fn save(dir: &Path, bytes: &[u8]) -> Outcome<Duration> {
    let [file, staged] = put_maps(dir, bytes)?;
    let (time, map) = save_map(&file, &staged)?;
    let entries = map.entries();
    let titles = entries.mappings.iter().filter_map(|entry| entry.session_title.as_deref());
    let changed = titles.filter(|title| ["Ours", "Theirs"].contains(title)).count();
    check(changed == 2, "the changes were not merged", time)
}

/// Loads a map, and returns the time to change and save its first entry after another program has replaced the file.
pub(super) fn save_map(file: &Path, staged: &Path) -> Outcome<(Duration, SessionMap)> {
    let mut map = SessionMap::load(&MapPath::named(file), Mode::Strict)?;
    let first = map.entries().mappings.first().map(|entry| entry.session_id.to_string());
    let first = first.ok_or("the map is empty")?;
    rename(staged, file)?;
    let (time, saved) = timed(|| {
        map.set(&first, &[(MappingField::SessionTitle, "Ours")], now())?;
        map.save(&RealFs, now())
    });
    let time = check(saved?.merged.is_some(), "the changes were not merged", time)?;
    Ok((time, map))
}

/// Replaces a file as another program does. Skein would wait for a file that is written in place.
fn rename(staged: &Path, file: &Path) -> Outcome<()> {
    thread::sleep(CLOCK_TICK);
    #[expect(clippy::disallowed_methods, reason = "it is what the other program does")]
    fs::rename(staged, file)?;
    Ok(())
}

/// Returns the time to add an entry as the chat bridge does: it reads what others wrote, looks for the entry, and saves.
fn add_entry(dir: &Path, bytes: &[u8]) -> Outcome<Duration> {
    let [file, staged] = ["changed.json", "staged.json"].map(|name| dir.join(name));
    put(&staged, bytes)?;
    rename(&staged, &file)?;
    let mut map = SessionMap::load(&MapPath::named(&file), Mode::Lenient)?;
    let entry = NewMapping {
        session_id: "ses_added".to_owned(),
        thread_root_post_id: "post_added".to_owned(),
        short_id: "ses_added".to_owned(),
        mattermost_user_id: "user".to_owned(),
        dm_channel_id: "channel".to_owned(),
        project_name: "project".to_owned(),
        directory: "/project".to_owned(),
        session_title: None,
        status: "active".to_owned(),
        created_at: now().to_string(),
        last_activity_at: now().to_string(),
        ended_at: None,
    };
    let (time, saved) = timed(|| {
        map.save(&RealFs, now())?;
        if !map.mappings().iter().any(|known| known.session_id == entry.session_id) {
            map.insert(&entry, now())?;
        }
        map.save(&RealFs, now())
    });
    saved?;
    let found = map.mappings().iter().any(|known| known.session_id == entry.session_id);
    check(found, "the entry was not added", time)
}

/// Measures the memory of a load, and of a save with a merge.
fn memory_rows(dir: &Path, bytes: &[u8], entries: usize) -> Outcome<Vec<ResultRow>> {
    let [file, staged] = put_maps(dir, bytes)?;
    let megabytes = bytes.len() as f64 / 1024.0 / 1024.0;
    let row = |action, files: &[&Path]| {
        let name = format!("session map: memory of a {action} / file");
        let peak = peak_of_action(action, files)?;
        let row = ResultRow::amount(name, show_size(entries), peak, Unit::Megabytes);
        Outcome::Ok(row.with_baseline(megabytes).at_most_ratio(4.0).sized(entries, JUDGED_FROM))
    };
    Ok(vec![row("load", &[&file])?, row("save", &[&file, &staged])?])
}

/// Writes two maps; in the second one, the last entry is changed as by another program.
fn put_maps(dir: &Path, bytes: &[u8]) -> Outcome<[PathBuf; 2]> {
    let mut doc = SessionMapDoc::parse(bytes.to_vec()).0;
    let last = doc.load(Mode::Strict).mappings.last().map(|entry| entry.session_id.to_string());
    let later = now().to_string();
    let fields =
        [(MappingField::SessionTitle, "Theirs"), (MappingField::LastActivityAt, later.as_str())];
    let session_id = last.as_deref().ok_or("the map is empty")?;
    doc.apply(&[MapEdit::Set { session_id, fields: &fields }], now())?;
    let [file, staged] = ["saved.json", "staged.json"].map(|name| dir.join(name));
    put(&file, bytes)?;
    put(&staged, doc.to_bytes())?;
    Ok([file, staged])
}
