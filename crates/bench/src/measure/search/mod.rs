//! Searches of many threads, of one kind at a time.

mod find;
mod process;
mod scene;
mod typed;
mod words;

use crate::corpus::Kind;
use crate::figure::Figure;
use crate::options::shown;
use crate::programs::Program;
use crate::timing::Pair;
use crate::{Ground, Outcome};
use find::Finding;
use scene::Scene;
use words::Words;

/// The bounds hold from this many threads on: below it, starting a process takes most of the time.
const BOUND_THRESHOLD: usize = 10_000;
/// The largest number of threads for which the bound of a query within the server holds.
const SERVED: usize = 12_000;

const PROCESS_RATIO: f64 = 1.3;
const TYPED_MS: f64 = 100.0;

/// Measures corpora of every size, first all of reviews and then all of checkpoints.
pub(crate) fn figures(ground: &Ground) -> Outcome<Vec<Figure>> {
    let mut figures = Vec::new();
    for kind in [Kind::Review, Kind::Checkpoint] {
        let mut of_kind = Vec::new();
        for &size in &ground.sizes {
            let Some(scene) = Scene::new(&ground.corpora, kind, size)? else {
                eprintln!("skipping search: build `skein` beside this program");
                return Ok(Vec::new());
            };
            of_kind.extend(of_scene(ground, &scene)?);
        }
        // The sizes of a row are shown together.
        let names: Vec<String> = of_kind.iter().map(|figure| figure.name.clone()).collect();
        of_kind.sort_by_key(|figure| names.iter().position(|name| *name == figure.name));
        figures.extend(of_kind);
    }
    Ok(figures)
}

fn of_scene(ground: &Ground, scene: &Scene) -> Outcome<Vec<Figure>> {
    let size = scene.corpus.paths.len();
    let words = Words::from_corpus(&scene.corpus)?;
    let finding = Finding::new(&scene.corpus, &ground.programs);
    let process = process::times(scene, &finding, &words.few())?;
    let typed = typed::times(scene, &words.queries(scene.kind))?;
    let name = |what: &str| format!("{}: {what}", scene.kind.name());
    let ratio = |what, skein| {
        let pair = Pair { baseline: process.baseline, skein };
        Figure::ratio(name(what), shown(size), pair)
            .sized(size)
            .beside(Program::Rg, finding.column(process.baseline))
            .noted(finding.note())
    };
    let typed_p99 = Figure::milliseconds(name("query, p99"), &shown(size), typed.slowest);
    Ok(vec![
        ratio("process `search` / rg -l", process.skein)
            .at_most_from(BOUND_THRESHOLD, PROCESS_RATIO),
        ratio("query, p50 / rg -l", typed.median),
        if size <= SERVED {
            typed_p99.sized(size).at_most(TYPED_MS)
        } else {
            typed_p99.sized(size)
        },
    ])
}
