//! Decides for each checkpoint whether it is removed.

use std::collections::HashSet;

use skein_catalog::checkpoint_rows::rows_with;
use skein_catalog::handoff_pointer;
use skein_catalog::resume_lock::holder;
use skein_catalog::rows::Rows;
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind, CheckpointType};
use skein_format::diagnostic::Code;
use skein_format::id::CheckpointId;
use skein_format::time::Time;
use skein_model::Filter;
use skein_model::view::{FileDiagnostic, ThreadRow};
use skein_workspace::{CheckpointStore, Workspace};

use super::{AUTO_DAYS, DAY};

/// Whether a checkpoint is removed or kept.
pub(super) enum CleanupDecision {
    /// It is not old.
    Young,
    /// Old but kept, with the reason.
    Stays(String),
    /// Moved to `to`, with the reason.
    Goes { to: String, kind: String, reason: String },
}

/// The properties that decide about a cleanup, in addition to the row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CleanupFacts {
    kind: CheckpointType,
    version: Option<u64>,
    open_steps: usize,
    /// The ids that its open steps mention.
    mentions: Vec<String>,
}

/// Reads every checkpoint once; an unreadable one has no facts.
pub(super) fn read_all(
    checkpoints: &CheckpointStore,
    now: Time,
    diagnostics: &mut Vec<FileDiagnostic>,
) -> Vec<(Box<ThreadRow>, Option<CleanupFacts>)> {
    let mut unreadable = Rows::default();
    let all = rows_with(checkpoints, &Filter::default(), now, &facts, &mut unreadable);
    diagnostics.append(&mut unreadable.diagnostics);
    let readable = all.into_iter().map(|(row, facts)| (row, Some(facts)));
    readable.chain(unreadable.rows.into_iter().map(|row| (row, None))).collect()
}

/// All checkpoints, and the ids that the handoff pointer names.
pub(super) struct CleanupPlanner<'a> {
    checkpoints: &'a CheckpointStore,
    now: Time,
    archive_days: Option<u32>,
    all: Vec<(&'a ThreadRow, Option<&'a CleanupFacts>)>,
    handed: HashSet<String>,
}

impl<'a> CleanupPlanner<'a> {
    /// Collects the threads and the target of the handoff pointer; readable legacy checkpoints are ignored.
    pub(super) fn new(
        workspace: &'a Workspace,
        archive_days: Option<u32>,
        all: impl Iterator<Item = (&'a ThreadRow, Option<&'a CleanupFacts>)>,
    ) -> Self {
        let checkpoints = &workspace.checkpoints;
        let legacy = checkpoints.legacy();
        let is_old = |row: &ThreadRow| row.file.starts_with(&legacy);
        // Unreadable files are reported wherever they are.
        let all = all.filter(|(row, facts)| facts.is_none() || !is_old(row)).collect();
        let pointer = handoff_pointer::pointer(&workspace.checkpoints);
        let path = pointer.as_ref().and_then(|pointer| pointer.thread_path.as_deref());
        let name = path.and_then(|path| path.rsplit('/').next()?.strip_suffix(".json"));
        let last = pointer.as_ref().and_then(|pointer| pointer.last_thread.as_deref());
        let handed = last.into_iter().chain(name).map(str::to_owned).collect();
        Self { checkpoints, now: workspace.env.clock.now(), archive_days, all, handed }
    }

    /// Returns the decision for every thread.
    pub(super) fn all(&self) -> impl Iterator<Item = (&ThreadRow, CleanupDecision)> {
        let mut mentioned: HashSet<(&str, &str)> = HashSet::new();
        for (row, facts) in self.all.iter().filter_map(|(row, facts)| Some((row, (*facts)?))) {
            mentioned.extend(facts.mentions.iter().map(|id| (id.as_str(), row.id.as_str())));
        }
        let others: HashSet<&str> =
            mentioned.iter().filter(|(id, by)| id != by).map(|(id, _)| *id).collect();
        self.all.iter().map(move |(row, facts)| {
            let verdict = match facts {
                Some(facts) => self.judge(row, facts, others.contains(row.id.as_str())),
                None => CleanupDecision::Stays("cannot be read".to_owned()),
            };
            (*row, verdict)
        })
    }

    fn judge(&self, row: &ThreadRow, facts: &CleanupFacts, mentioned: bool) -> CleanupDecision {
        let auto = facts.kind == CheckpointType::Auto;
        let days = match (auto, self.archive_days) {
            (true, _) => AUTO_DAYS,
            (false, Some(days)) => i64::from(days),
            (false, None) if row.usable => return CleanupDecision::Young,
            (false, None) => return CleanupDecision::Stays("cannot be used".to_owned()),
        };
        if let Some(reason) = self.doubt(row, facts) {
            return CleanupDecision::Stays(reason.to_owned());
        }
        let id = CheckpointId::parse(&row.id);
        let named = id.as_ref().and_then(CheckpointId::time);
        // The latest of its times counts, so that a wrong clock does not remove it early.
        let Some(latest) = [row.created_at, row.updated_at, named].into_iter().flatten().max()
        else {
            return CleanupDecision::Stays("cannot be dated".to_owned());
        };
        if self.now.as_millis().saturating_sub(latest.as_millis()) <= days * DAY {
            return CleanupDecision::Young;
        }
        if let Some(reason) = self.need(row, facts, mentioned) {
            return CleanupDecision::Stays(reason);
        }
        let month = named.unwrap_or(latest).to_string();
        let month = month.get(..7).unwrap_or("undated").to_owned();
        let kind = facts.kind.as_str().to_owned();
        let reason = match auto {
            true => format!("an auto-checkpoint, older than {AUTO_DAYS} days"),
            false => format!("older than {days} days, nothing left to do"),
        };
        CleanupDecision::Goes { to: if auto { "trash".to_owned() } else { month }, kind, reason }
    }

    /// Returns why no decision is possible for a checkpoint.
    fn doubt(&self, row: &ThreadRow, facts: &CleanupFacts) -> Option<&'static str> {
        let undated =
            row.diagnostics.iter().any(|one| one.code == Code::CheckpointBadTime.as_str());
        match facts.version {
            _ if !row.usable => Some("cannot be used"),
            Some(version) if version > 1 => Some("has a newer version"),
            _ if undated => Some("cannot be dated"),
            _ => None,
        }
    }

    /// Returns why a checkpoint is still needed.
    fn need(&self, row: &ThreadRow, facts: &CleanupFacts, mentioned: bool) -> Option<String> {
        match facts.open_steps {
            _ if self.handed.contains(&row.id) => Some("the handoff points to it".to_owned()),
            1 => Some("has an open step".to_owned()),
            open if open > 1 => Some(format!("has {open} open steps")),
            _ if mentioned => Some("an open step of another checkpoint names it".to_owned()),
            _ => holder(self.checkpoints, &row.id, self.now).map(|by| format!("taken {by}")),
        }
    }
}

fn facts(row: &ThreadRow, bytes: &[u8], form: CheckpointFileKind) -> CleanupFacts {
    CleanupFacts::from_doc(&CheckpointDoc::parse(bytes.to_vec(), &row.id, form).0)
}

impl CleanupFacts {
    /// Extracts the facts from a checkpoint.
    pub fn from_doc(doc: &CheckpointDoc) -> Self {
        let head = doc.head();
        let open = doc.steps().into_iter().filter(|step| step.status.is_open());
        let mentions = open.flat_map(|step| ids_in(&step.step)).collect();
        Self {
            kind: head.kind.clone(),
            version: head.version,
            open_steps: head.open_steps,
            mentions,
        }
    }
}

/// Returns the ids of checkpoints that occur in a text.
fn ids_in(text: &str) -> Vec<String> {
    let part = |c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let words = text.split(part).map(|word| word.trim_end_matches(['.', '-', '_']));
    let words = words.map(|word| word.strip_suffix(".json").unwrap_or(word));
    words.filter(|word| CheckpointId::is_one(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_mentions_ids_in_any_form() {
        let check = |text: &str, expected: &[&str]| assert_eq!(ids_in(text), expected, "{text}");
        check("see T-20260101-000000-auto-x.", &["T-20260101-000000-auto-x"]);
        check("(workspace/threads/T-1.json), T-2#3", &["T-1", "T-2"]);
        check("T- and that-T-3", &[]);
    }
}
