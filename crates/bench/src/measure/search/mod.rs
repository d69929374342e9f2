//! Searches of many threads, of one kind at a time.

mod build;
mod change;
mod find;
mod fresh;
mod scene;
mod sqlite;
mod walk;
mod warm;
mod words;

use crate::corpus::Kind;
use crate::figure::Figure;
use crate::options::shown;
use crate::programs::Program;
use crate::timing::Pair;
use crate::{Ground, Outcome};
use find::Finding;
use scene::Scene;
use sqlite::Database;
use words::Words;

/// From this many threads on all bounds hold, and from fewer on those that do not depend on there being many.
const MANY: usize = 100_000;
const SOME: usize = 10_000;

const UNCHANGED: f64 = 1.5;
const USUAL: f64 = 1.0 / 150.0;
const SLOWEST: f64 = 1.0 / 40.0;
const PROCESS: f64 = 0.5;
const WITHOUT: f64 = 1.0;
/// In milliseconds.
const CHANGED: f64 = 40.0;

/// Measures corpora of every size, first all of reviews and then all of checkpoints.
pub(crate) fn figures(ground: &Ground) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for kind in [Kind::Review, Kind::Checkpoint] {
        let mut of_kind = Vec::new();
        for &size in &ground.sizes {
            let Some(scene) = Scene::new(&ground.corpora, kind, size)? else {
                eprintln!("passing over search: build `skein` beside this program");
                return Ok(Vec::new());
            };
            of_kind.extend(of_scene(ground, &scene)?);
        }
        // The sizes of a row stand together.
        let names: Vec<String> = of_kind.iter().map(|figure| figure.name.clone()).collect();
        of_kind.sort_by_key(|figure| names.iter().position(|name| *name == figure.name));
        figures.extend(of_kind);
    }
    Ok(figures)
}

fn of_scene(ground: &Ground, scene: &Scene) -> Outcome<Vec<Figure>> {
    let size = scene.corpus.paths.len();
    let words = Words::of(&scene.corpus)?;
    let few = words.few();
    let database = Database::new(scene, &ground.programs)?;
    let built = build::figures(scene, database.as_ref())?;
    let finding = Finding::new(&scene.corpus, &ground.programs);
    let (unchanged, asked) = warm::times(scene, &words.queries(scene.kind))?;
    let fresh = fresh::times(scene, &finding, &few)?;
    let asked_sqlite = database.map(|database| database.average(&few)).transpose()?;
    let changed = change::times(scene)?;
    let name = |what: &str| format!("{}: {what}", scene.kind.name());
    let against = |what, skein| {
        let pair = Pair { baseline: fresh.baseline, skein };
        Figure::ratio(name(what), shown(size), pair)
            .sized(size)
            .beside(Program::Rg, finding.column(fresh.baseline))
            .noted(finding.note())
    };
    let mut figures = Vec::new();
    // Without an index nothing is compared: all files are read.
    figures.extend((!built.is_empty()).then(|| {
        Figure::ratio(name("no change / stat walk"), shown(size), unchanged)
            .sized(size)
            .at_most_from(SOME, UNCHANGED)
    }));
    figures.extend([
        against("warm query, p50 / rg -l", asked.median).at_most_from(MANY, USUAL),
        against("warm query, p99 / rg -l", asked.slowest).at_most_from(MANY, SLOWEST),
        against("process `search` / rg -l", fresh.indexed)
            .at_most_from(MANY, PROCESS)
            .beside(Program::Sqlite3, asked_sqlite),
        against("the same, no index / rg -l", fresh.without)
            .at_most_from(SOME, WITHOUT)
            .beside(Program::Sqlite3, asked_sqlite),
        Figure::difference(name("one changed thread, more"), shown(size), changed)
            .sized(size)
            .at_most_from(SOME, CHANGED),
    ]);
    figures.extend(built);
    Ok(figures)
}
