//! Waits, for an agent, until the reviewer has finished for now.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use skein_catalog::drafts;
use skein_catalog::leases::Claims;
use skein_format::time::Time;
use skein_model::Turn;
use skein_model::view::ThreadRow;
use skein_workspace::{Actor, Workspace};

use super::{PollOutcome, RESCAN_INTERVAL, WaitOptions, waits_on};
use crate::next::is_for;
use crate::submission::mark_file;

pub(super) struct ForAgent {
    settle: Duration,
    token: Option<String>,
    /// The submit file at the start of the wait.
    begun: Option<Mark>,
    submitted: bool,
    /// The reviewer's last write, and the time at which it is long enough ago.
    quiet: Option<(Time, Instant)>,
}

/// The content of the submit file, and the time it was written.
#[derive(PartialEq, Eq)]
struct Mark {
    bytes: Vec<u8>,
    written: Time,
}

impl Mark {
    fn read(workspace: &Workspace) -> Option<Self> {
        let path = mark_file(workspace);
        let bytes = skein_store::read(&path).ok()?.bytes;
        Some(Self { bytes, written: modified(&path)? })
    }
}

impl ForAgent {
    pub(super) fn new(workspace: &Workspace, options: &WaitOptions) -> Self {
        let WaitOptions { settle, token, .. } = options.clone();
        let begun = Mark::read(workspace);
        Self { settle, token, begun, submitted: false, quiet: None }
    }

    pub(super) fn look(&mut self, workspace: &Workspace, mut rows: Vec<ThreadRow>) -> PollOutcome {
        let mark = Mark::read(workspace);
        self.submitted |= mark.is_some() && mark != self.begun;
        let last = last_write(workspace, &rows);
        let claims = Claims::read(workspace);
        let (token, now) = (self.token.as_deref(), workspace.env.clock.now());
        let actor = Actor::find(workspace, None);
        rows.retain(|row| waits_on(row, Turn::Agent) && is_for(row, &actor, &workspace.env));
        rows.retain(|row| !claims.is_taken(row, token));
        if rows.is_empty() {
            return PollOutcome::Later(RESCAN_INTERVAL);
        }
        // A submission ends the wait, even one just before it began.
        if self.submitted || mark.is_some_and(|mark| mark.written >= last) {
            return PollOutcome::Found { rows, reason: "submit" };
        }
        let left = self.left(last, now);
        if left.is_zero() {
            PollOutcome::Found { rows, reason: "settled" }
        } else {
            PollOutcome::Later(left)
        }
    }

    /// Returns the remaining time without writes by the reviewer.
    ///
    /// The clock is used for the age of a write when it is first seen. After that elapsed time is measured, so that setting the clock
    /// does not delay anything.
    fn left(&mut self, last: Time, now: Time) -> Duration {
        let seen = self.quiet.filter(|(write, _)| *write == last).map(|(_, until)| until);
        let until = seen.unwrap_or_else(|| {
            let age = now.as_millis().saturating_sub(last.as_millis());
            let age = Duration::from_millis(u64::try_from(age).unwrap_or(0));
            Instant::now() + self.settle.saturating_sub(age).min(super::MAX_WAIT)
        });
        self.quiet = Some((last, until));
        until.saturating_duration_since(Instant::now())
    }
}

/// Returns when the reviewer last wrote a thread or a draft.
///
/// A thread counts if it does not wait for the reviewer and was not resolved by an agent.
fn last_write(workspace: &Workspace, rows: &[ThreadRow]) -> Time {
    let now = workspace.env.clock.now();
    let by_agent = |row: &ThreadRow| row.review().is_some_and(|detail| detail.resolved_by_agent);
    let own = |row: &&ThreadRow| !waits_on(row, Turn::Reviewer) && !by_agent(row);
    let threads = rows.iter().filter(own).flat_map(|row| {
        // A time in the future is ignored: it would always be the latest write.
        let updated = row.updated_at.filter(|at| *at <= now);
        [updated, modified(&row.file)]
    });
    let drafts = drafts::dir(workspace).read_dir().into_iter().flatten();
    let drafts = drafts.filter_map(Result::ok).map(|entry| modified(&entry.path()));
    threads.chain(drafts).flatten().max().unwrap_or(Time::from_millis(0))
}

fn modified(path: &Path) -> Option<Time> {
    let at = path.metadata().ok()?.modified().ok()?;
    let since = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Some(Time::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX)))
}
