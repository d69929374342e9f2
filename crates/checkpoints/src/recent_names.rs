//! The latest checkpoints of a store, by the times in their names.

use skein_format::checkpoint::{
    Checkpoint, CheckpointDoc, CheckpointFileKind, CheckpointType, is_thread_file,
};
use skein_format::id::CheckpointId;
use skein_format::time::Time;
use skein_model::date_filter::clock_tolerance;
use skein_workspace::CheckpointStore;
use skein_workspace::kept_state::entries;

/// Maximum number of latest names of any kind.
const ANY: usize = 32;
/// Maximum number of latest names that are not of auto-checkpoints.
const MAX_NAMES: usize = 32;

/// The names of the latest checkpoints, latest first.
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

    /// Returns the latest names of any kind, followed by the other names that are not of auto-checkpoints.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.named.iter().filter(|entry| !self.any.contains(entry));
        self.any.iter().chain(named).map(|(_, name)| name.as_str())
    }

    /// Returns the latest other checkpoint that is not automatic and not over, of the same branch or directory as `of`.
    ///
    /// In older versions an auto-checkpoint kept its name when it became a full one, so the latest files are read whatever their names.
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

/// Returns whether two checkpoints have the same branch or directory; true if neither can be compared.
fn is_same_place(a: &Checkpoint, b: &Checkpoint) -> bool {
    let branch = |head: &Checkpoint| head.git.as_ref().and_then(|git| git.branch.clone());
    let pairs = [(branch(a), branch(b)), (a.cwd.clone(), b.cwd.clone())];
    let known = pairs.iter().filter_map(|(a, b)| Some(a.as_ref()? == b.as_ref()?));
    let known: Vec<bool> = known.collect();
    known.is_empty() || known.contains(&true)
}

/// Inserts an entry into a bounded list, latest first, if it is recent enough and wanted.
fn keep(
    list: &mut Vec<(u64, String)>,
    (moment, id): (u64, &str),
    most: usize,
    wanted: fn(&str) -> bool,
) {
    let at = list.partition_point(|(other, name)| (*other, name.as_str()) >= (moment, id));
    // `wanted` is called only if there is room in the list, because there may be very many names.
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

/// Returns the time in a name as a number; in the usual form it is at a fixed position.
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
