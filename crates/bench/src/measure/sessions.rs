//! A session map with full validation against a plain parse of it.

use skein_format::session::{Mode, SessionMapDoc};

use crate::Outcome;
use crate::corpus::session::{self, Map};
use crate::figure::Figure;
use crate::options::shown;
use crate::timing::{best_of, timed};

const ROUNDS: usize = 9;
const BOUND: f64 = 4.0;

/// Measures a map of the largest size; its bytes are in memory for both.
pub(crate) fn figures(sizes: &[usize]) -> Outcome<Vec<Figure>> {
    let Some(&entries) = sizes.last() else {
        return Ok(Vec::new());
    };
    let bytes = session::file(entries)?;
    let baseline = || {
        let (time, count) = timed(|| {
            let map: Map<'_> = serde_json::from_slice(&bytes)?;
            Ok::<_, serde_json::Error>(map.mappings.len())
        });
        if count? == entries { Ok(time) } else { Err("the baseline lost entries".into()) }
    };
    let mut kept = bytes.clone();
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
    let name = "session map / serde_json";
    Ok(vec![Figure::ratio(name, shown(entries), pair).at_most(BOUND)])
}
