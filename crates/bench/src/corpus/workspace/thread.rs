//! The threads of the repository under review, added as a reviewer adds them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use skein_format::path::WorkspacePath;
use skein_format::review::{ReviewDoc, Status};
use skein_format::time::Time;
use skein_review::{AddOptions, CodeLocation, NewThread, add};
use skein_store::Dirs;
use skein_workspace::{Actor, Clock, Env, IdGenerator, discover};

use super::super::put;
use super::super::random::Random;
use super::{CHANGED, File, STILL, remark};
use crate::Outcome;

/// How many threads there are.
pub(super) const COUNT: usize = 2_000;

/// How many of them are on the file of 10,000 lines, and how many on other files that hardly change.
const ON_WHOLE: usize = 100;
const ON_STILL: usize = 200;
/// How many are on the files that change, before they do; the rest is written afterwards.
const BEFORE: usize = 900;

const STORE: &str = ".code-review";

/// Adds the threads that were there before the work on the files; their code is somewhere else by now, or gone.
pub(super) fn add_before(root: &Path, home: &Path, files: &[File]) -> Outcome<()> {
    let text =
        |number: usize| files.get(number).and_then(|file| Some((&file.path, file.old.as_ref()?)));
    let changed = (0..CHANGED).cycle().filter_map(text).take(BEFORE);
    let still = (CHANGED..CHANGED + STILL).cycle().filter_map(text).take(ON_STILL);
    let whole = std::iter::repeat(CHANGED + STILL).filter_map(text).take(ON_WHOLE);
    add_on(root, home, ("before", 7), changed.chain(still).chain(whole))
}

/// Adds the threads on the files as they are.
pub(super) fn add_after(root: &Path, home: &Path, files: &[File]) -> Outcome<()> {
    let text = |number: usize| {
        files.get(number).and_then(|file| Some((&file.new_path, file.new.as_ref()?)))
    };
    let count = COUNT - BEFORE - ON_STILL - ON_WHOLE;
    add_on(root, home, ("after", 8), (0..CHANGED).cycle().filter_map(text).take(count))
}

fn add_on<'a>(
    root: &Path,
    home: &Path,
    (seed, corpus): (&str, u64),
    places: impl Iterator<Item = (&'a String, &'a Vec<String>)>,
) -> Outcome<()> {
    let env = env(root, home, seed);
    let workspace = discover(&env);
    let mut threads = Vec::new();
    for (number, (path, lines)) in places.enumerate() {
        let mut random = Random::seeded(corpus, number);
        let last = u64::try_from(lines.len())?;
        let first = random.between(1, last);
        let end = (first + random.between(0, 5)).min(last);
        let path =
            WorkspacePath::parse(path, STORE).map_err(|problem| format!("{path} {problem}"))?;
        let lines = Some((u32::try_from(first)?, u32::try_from(end)?));
        threads.push(NewThread {
            place: CodeLocation { path, lines, column: None },
            body: remark::first(&mut random),
            suggestion: None,
            expect: None,
        });
    }
    let actor = Actor { name: "Ana".to_owned(), agent: false };
    add(&workspace, &env, &actor, &threads, AddOptions { draft: false, changed_only: false })?;
    Ok(())
}

/// Adds replies to the threads, and resolves some.
pub(super) fn discuss(root: &Path) -> Outcome<()> {
    let dir = root.join(STORE).join("threads");
    let mut paths = BTreeMap::new();
    for entry in fs::read_dir(&dir)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        paths.insert(stem.to_owned(), path);
    }
    for (number, (stem, path)) in paths.iter().enumerate() {
        let mut random = Random::seeded(9, number);
        let (mut doc, _) = ReviewDoc::parse(fs::read(path)?, stem, STORE);
        let mut now = doc.head().created_at.unwrap_or(Time::from_millis(0));
        for _ in 0..random.between(0, 4) {
            let reply = remark::reply(now, &mut random);
            now = reply.created_at;
            doc.append_comment(&reply)?;
        }
        if random.chance(35) {
            doc.set_status(Status::Resolved, now)?;
        }
        put(path, doc.to_bytes())?;
    }
    Ok(())
}

fn env(root: &Path, home: &Path, seed: &str) -> Env {
    Env {
        dir: root.to_owned(),
        home: Some(home.to_owned()),
        config_home: None,
        dirs: Dirs::new(home.join("state"), home.join("cache")),
        variables: BTreeMap::new(),
        users: vec![rustix::process::geteuid().as_raw()],
        fs: std::sync::Arc::new(skein_store::RealFs),
        deadline_factor: 1,
        clock: Clock::new(|| Time::from_millis(1_779_000_000_000)),
        ids: IdGenerator::seeded(seed),
    }
}
