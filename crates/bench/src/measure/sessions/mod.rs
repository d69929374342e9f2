//! A session map against plain parsing and against Node.js.

mod node;

use std::path::Path;
use std::time::Duration;

use skein_format::session::{Edit, Field, Mode, SessionMapDoc};
use skein_format::time::Time;
use skein_sessions::{MapPath, SessionMap};
use skein_store::RealFs;

use self::node::Node;
use super::{NOW, memory};
use crate::corpus::put;
use crate::corpus::session::{self, Map};
use crate::figure::Figure;
use crate::options::shown;
use crate::programs::Program;
use crate::timing::{Pair, best_of, timed};
use crate::{Ground, Outcome};

const ROUNDS: usize = 9;
/// How often a program on Node.js and this one take turns, for some rounds each.
const TURNS: usize = 4;
/// Full validation against a parse that validates nothing.
const PARSE: f64 = 4.0;
const LOAD: f64 = 0.2;
const SAVE: f64 = 1.0;
const GROWTH: f64 = 30.0;
/// Times the size of the file.
const MEMORY: f64 = 4.0;
const JUDGED: usize = 100_000;
/// The file that other programs read.
const PLAIN: &str = "plain.json";

/// Measures the check of maps of every size, and all else with the largest one.
pub(crate) fn figures(ground: &Ground) -> Outcome<Vec<Figure>> {
    let Ground { corpora, sizes, programs } = ground;
    let Some(&entries) = sizes.last() else {
        return Ok(Vec::new());
    };
    let dir = corpora.scratch()?;
    let dir = dir.path();
    let mut figures = Vec::new();
    for &size in sizes {
        let bytes = session::file(size)?;
        let figure = parse(&bytes, size)?.sized(size).at_most_from(entries, PARSE);
        put(&dir.join(PLAIN), &bytes)?;
        let counted = programs.best(Program::Jq, dir, &[".mappings | length", PLAIN]);
        let figure = figure.beside(Program::Jq, counted);
        figures.push(figure.beside(Program::Node, node::parse(programs, dir, PLAIN)));
    }
    for &size in sizes {
        let bytes = session::file(size)?;
        let time = (0..ROUNDS).map(|_| merge(&bytes)).collect::<Outcome<Vec<_>>>()?;
        let time = time.into_iter().min().unwrap_or_default();
        let figure = Figure::milliseconds("session map: merge", &shown(size), time).sized(size);
        figures.push(figure);
    }
    let bytes = session::file(entries)?;
    if let Some(node) = Node::install(dir, &bytes, entries)? {
        figures.extend(against(&node, dir, &bytes, entries)?);
    }
    let smaller = session::file((entries / 10).max(1))?;
    let pair = best_of(ROUNDS, || merge(&smaller), || merge(&bytes))?;
    let name = "session map: merge / a tenth of it";
    figures.push(Figure::ratio(name, shown(entries), pair).at_most(GROWTH));
    figures.extend(peaks(dir, &bytes, entries)?);
    Ok(figures)
}

/// Holds loading and saving against a program on Node.js; both take turns, and the best time of each counts.
fn against(node: &Node<'_>, dir: &Path, bytes: &[u8], entries: usize) -> Outcome<[Figure; 2]> {
    let none = Pair { baseline: Duration::MAX, skein: Duration::MAX };
    let (mut loads, mut saves) = (none, none);
    for _ in 0..TURNS {
        let times = node.times()?;
        loads.baseline = loads.baseline.min(times.load);
        saves.baseline = saves.baseline.min(times.save);
        loads.skein = loads.skein.min(load(dir, bytes, entries)?);
        saves.skein = saves.skein.min(save(dir, bytes)?);
    }
    let [load, save] = ["session map: load / Node.js, zod", "session map: merge and save / Node"];
    Ok([
        Figure::ratio(load, shown(entries), loads)
            .at_most(LOAD)
            .beside(Program::Node, Some(loads.baseline)),
        Figure::ratio(save, shown(entries), saves)
            .at_most(SAVE)
            .beside(Program::Node, Some(saves.baseline)),
    ])
}

/// Holds the check of every entry against a plain parse; the bytes are in memory for both.
fn parse(bytes: &[u8], entries: usize) -> Outcome<Figure> {
    let baseline = || {
        let (time, count) = timed(|| {
            let map: Map<'_> = serde_json::from_slice(bytes)?;
            Ok::<_, serde_json::Error>(map.mappings.len())
        });
        if count? == entries { Ok(time) } else { Err("the baseline lost entries".into()) }
    };
    let mut kept = bytes.to_vec();
    let skein = || {
        let taken = std::mem::take(&mut kept);
        let (time, (doc, count)) = timed(|| {
            let (doc, _) = SessionMapDoc::parse(taken);
            let count = doc.load(Mode::Strict).mappings.len();
            (doc, count)
        });
        kept = doc.into_bytes();
        if count == entries { Ok(time) } else { Err("the session map lost entries".into()) }
    };
    let pair = best_of(ROUNDS, baseline, skein)?;
    Ok(Figure::ratio("session map / serde_json", shown(entries), pair))
}

/// Loads a map from its file.
fn load(dir: &Path, bytes: &[u8], entries: usize) -> Outcome<Duration> {
    let file = dir.join("loaded.json");
    put(&file, bytes)?;
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS / 2 {
        // As on the other side, what was loaded is not given up within the time.
        let (time, map) = timed(|| SessionMap::load(&MapPath::named(&file), Mode::Strict));
        let map = map?;
        let (more, loaded) = timed(|| map.entries());
        if loaded.mappings.len() != entries {
            return Err("the session map lost entries".into());
        }
        best = best.min(time + more);
    }
    Ok(best)
}

/// Changes one entry and saves it after another program has changed another one.
fn save(dir: &Path, bytes: &[u8]) -> Outcome<Duration> {
    let file = dir.join("saved.json");
    let (ours, theirs) = ends(bytes)?;
    let changed = titled(bytes, &theirs, "Theirs", NOW)?;
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS / 2 {
        put(&file, bytes)?;
        let mut map = SessionMap::load(&MapPath::named(&file), Mode::Strict)?;
        put(&file, changed.to_bytes())?;
        let now = Time::from_millis(NOW);
        let (time, saved) = timed(|| {
            map.set(&ours, &[(Field::SessionTitle, "Ours")], now)?;
            map.save(&RealFs, now)
        });
        let titles = map.entries();
        let titles = titles.mappings.iter().filter_map(|entry| entry.session_title.as_deref());
        let kept = titles.filter(|title| ["Ours", "Theirs"].contains(title)).count();
        if saved?.merged.is_none() || kept != 2 {
            return Err("the two changes were not merged".into());
        }
        best = best.min(time);
    }
    Ok(best)
}

/// Merges a map with itself after every tenth entry was active again.
fn merge(bytes: &[u8]) -> Outcome<Duration> {
    let mut disk = SessionMapDoc::parse(bytes.to_vec()).0;
    let mut memory = SessionMapDoc::parse(bytes.to_vec()).0;
    let now = Time::from_millis(NOW);
    let ids: Vec<String> = {
        let loaded = memory.load(Mode::Strict);
        loaded.mappings.iter().step_by(10).map(|entry| entry.session_id.to_string()).collect()
    };
    let later = now.to_string();
    let fields = [(Field::LastActivityAt, later.as_str())];
    let edits: Vec<_> =
        ids.iter().map(|session_id| Edit::Set { session_id, fields: &fields }).collect();
    memory.apply(&edits, now)?;
    let (time, merged) = timed(|| disk.merge(&memory, now));
    if merged?.changed { Ok(time) } else { Err("the merge changed nothing".into()) }
}

/// Measures the memory of a load, and of a save that has to merge.
fn peaks(dir: &Path, bytes: &[u8], entries: usize) -> Outcome<Vec<Figure>> {
    let [file, other] = ["peak.json", "other.json"].map(|name| dir.join(name));
    let (_, theirs) = ends(bytes)?;
    put(&file, bytes)?;
    put(&other, titled(bytes, &theirs, "Theirs", NOW)?.to_bytes())?;
    let size = f64::from(u32::try_from(bytes.len())?) / 1024.0 / 1024.0;
    let load = memory::megabytes(&["load".as_ref(), file.as_os_str()])?;
    let save = memory::megabytes(&["save".as_ref(), file.as_os_str(), other.as_os_str()])?;
    let figure = |name, megabytes| {
        // In a smaller map the program itself shows.
        let figure = Figure::megabytes(name, shown(entries), megabytes).sized(entries);
        figure.at_most_from(JUDGED, (MEMORY * size).floor())
    };
    Ok(vec![
        figure("session map: memory of a load", load),
        figure("session map: memory of a save", save),
    ])
}

/// Returns the first session and the last one.
fn ends(bytes: &[u8]) -> Outcome<(String, String)> {
    let doc = SessionMapDoc::parse(bytes.to_vec()).0;
    let loaded = doc.load(Mode::Strict);
    match loaded.mappings.as_slice() {
        [first, .., last] => Ok((first.session_id.to_string(), last.session_id.to_string())),
        _ => Err("the map is too small".into()),
    }
}

/// Returns the map with another title for a session.
fn titled(bytes: &[u8], session_id: &str, title: &str, now: i64) -> Outcome<SessionMapDoc> {
    let now = Time::from_millis(now);
    let mut doc = SessionMapDoc::parse(bytes.to_vec()).0;
    let later = now.to_string();
    let fields = [(Field::SessionTitle, title), (Field::LastActivityAt, later.as_str())];
    doc.apply(&[Edit::Set { session_id, fields: &fields }], now)?;
    Ok(doc)
}
