//! The latest names of a directory of checkpoints, after one look at it.

use skein_format::checkpoint::{
    Checkpoint, CheckpointDoc, CheckpointFileKind, CheckpointType, is_thread_file,
};
use skein_format::id::CheckpointId;
use skein_format::time::Time;
use skein_model::date_filter::clock_tolerance;
use skein_workspace::CheckpointStore;
use skein_workspace::kept_state::entries;

/// How many of the latest names are kept, whatever they are called.
const ANY: usize = 32;
/// How many of the latest names are kept that are not those of auto-checkpoints.
const MAX_NAMES: usize = 32;

/// The latest checkpoints by their names, the latest first.
#[derive(Debug, Default)]
pub struct RecentNames {
    any: Vec<(u64, String)>,
    named: Vec<(u64, String)>,
}

impl RecentNames {
    /// Lists the directory up to the checkpoint `until`.
    ///
    /// A name with a time far in the future comes last.
    pub fn read(checkpoints: &CheckpointStore, until: Option<&str>, now: Time) -> Self {
        let mut latest = Self::default();
        let until = until.map_or(u64::MAX, moment);
        let possible = digits(clock_tolerance(now)).unwrap_or(u64::MAX);
        let names = checkpoints.thread_dirs().into_iter().flat_map(|dir| entries(&dir));
        for name in names.filter(|name| is_thread_file(name)) {
            let Some(id) = name.strip_suffix(".json") else { continue };
            let moment = moment(id);
            if moment > until {
                continue;
            }
            let entry = (if moment > possible { 0 } else { moment }, id);
            keep(&mut latest.any, entry, ANY, |_| true);
            keep(&mut latest.named, entry, MAX_NAMES, |id| !looks_automatic(id));
        }
        latest
    }

    /// Returns the latest names, whatever they are called, and behind them those of the others.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.named.iter().filter(|entry| !self.any.contains(entry));
        self.any.iter().chain(named).map(|(_, name)| name.as_str())
    }

    /// Reads the last checkpoint beside `id` that was asked for, or by which work was handed over, and that is not over.
    ///
    /// Older versions let an auto-checkpoint keep its name when it became a full one, so the very last ones are read
    /// whatever they are called.
    ///
    /// It is of the same branch or directory: what was done elsewhere does not come before it.
    pub fn full(
        &self,
        checkpoints: &CheckpointStore,
        id: &str,
        of: &Checkpoint,
    ) -> Option<CheckpointDoc> {
        let others = self.names().filter(|name| *name != id);
        let read = |name: &str| {
            let path = checkpoints.file(&format!("{name}.json"));
            let bytes = skein_store::read(&path).ok()?.bytes;
            let doc = CheckpointDoc::parse(bytes, name, CheckpointFileKind::Thread).0;
            let head = doc.head();
            let is_full = head.usable && head.kind != CheckpointType::Auto && !head.is_over();
            (is_full && is_same_place(head, of)).then_some(doc)
        };
        others.into_iter().find_map(read)
    }
}

/// Returns whether two checkpoints were made on one branch, or in one directory; those that say neither are.
fn is_same_place(a: &Checkpoint, b: &Checkpoint) -> bool {
    let branch = |head: &Checkpoint| head.git.as_ref().and_then(|git| git.branch.clone());
    let pairs = [(branch(a), branch(b)), (a.cwd.clone(), b.cwd.clone())];
    let known = pairs.iter().filter_map(|(a, b)| Some(a.as_ref()? == b.as_ref()?));
    let known: Vec<bool> = known.collect();
    known.is_empty() || known.contains(&true)
}

/// Puts an entry into a short list in the order of time, if it belongs there.
fn keep(
    list: &mut Vec<(u64, String)>,
    (moment, id): (u64, &str),
    most: usize,
    wanted: fn(&str) -> bool,
) {
    let at = list.partition_point(|(other, name)| (*other, name.as_str()) >= (moment, id));
    // Names are looked at more closely only where there is a place for them: there may be very many.
    let is_known = at > 0 && list.get(at - 1).is_some_and(|(_, name)| name == id);
    if at < most && !is_known && wanted(id) {
        list.insert(at, (moment, id.to_owned()));
        list.truncate(most);
    }
}

/// Returns whether an id is that of an auto-checkpoint.
pub fn looks_automatic(id: &str) -> bool {
    CheckpointId::parse(id).is_some_and(|id| id.looks_automatic())
}

/// Returns the digits of the time in a name; in the usual form they are at a fixed position.
fn moment(id: &str) -> u64 {
    let by_position = || {
        let rest = id.strip_prefix("T-")?;
        let (date, rest) = rest.split_at_checked(8)?;
        let time = rest.strip_prefix('-')?.get(..6)?;
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let moment = |text: &str| text.parse::<u64>().ok().filter(|_| digits(text));
        Some(moment(date)? * 1_000_000 + moment(time)?)
    };
    let other = || digits(CheckpointId::parse(id)?.time()?);
    by_position().or_else(other).unwrap_or_default()
}

fn digits(time: Time) -> Option<u64> {
    time.compact().replace('-', "").parse().ok()
}
