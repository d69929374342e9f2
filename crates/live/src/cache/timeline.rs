//! All checkpoints of a workspace in the order in which they were made.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use skein_catalog::rows::checkpoint::{row, row_passes};
use skein_catalog::rows::unreadable;
use skein_checkpoints::{Cleanup, CleanupFacts, plan_cleanup};
use skein_format::checkpoint::{CheckpointDoc, CheckpointFileKind};
use skein_format::id::CheckpointId;
use skein_format::redact::{redact, redacted};
use skein_format::time::Time;
use skein_model::view::{FileDiagnostic, StepView, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::Workspace;

use crate::tracked_dir::FileParser;

/// Maximum number of files of one checkpoint that are followed.
const MAX_FOLLOWED_FILES: usize = 300;

/// The trigger of a checkpoint of a commit, which names the commit as the one that is checked out.
const COMMIT_TRIGGER: &str = "git-commit";

/// A checkpoint with its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelineEntry {
    /// What a list shows of it.
    pub row: ThreadRow,
    /// What is or was left to do, in the order of the file.
    pub steps: Vec<StepView>,
    /// What connects it to other things.
    pub refs: CheckpointRefs,
    /// Facts for a cleanup; none if the file cannot be read.
    pub(crate) facts: Option<CleanupFacts>,
}

/// The checkpoints of a workspace.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    /// The checkpoints, the last made first, those that cannot be used among them.
    pub entries: Vec<Arc<TimelineEntry>>,
    /// The branches that they name, those of most checkpoints first.
    pub branches: Vec<(String, usize)>,
    /// The tags that they have, the most frequent first.
    pub tags: Vec<(String, usize)>,
    /// The target of the handoff.
    pub handoff: Option<HandoffTarget>,
    /// What is wrong apart from the checkpoints.
    pub diagnostics: Vec<FileDiagnostic>,
}

/// The target of the handoff.
#[derive(Clone, Debug, PartialEq)]
pub struct HandoffTarget {
    /// The id of the checkpoint.
    pub id: String,
    /// The message, without secrets.
    pub message: String,
}

impl TimelineEntry {
    /// Returns when it was made, where that is known.
    pub fn made(&self) -> Option<Time> {
        let named = || CheckpointId::parse(&self.row.id)?.time();
        self.row.created_at.or(self.row.updated_at).or_else(named)
    }

    /// Returns whether it passes a filter; files and commits are not checked.
    pub fn passes(&self, filter: &Filter) -> bool {
        row_passes(&self.row, filter)
    }

    /// Returns how many steps are left.
    pub fn open_steps(&self) -> usize {
        let open = self.row.checkpoint().filter(|detail| !detail.is_over);
        open.map_or(0, |detail| detail.open_steps)
    }
}

impl Timeline {
    /// Returns what a cleanup would remove; full checkpoints are archived where they are older than `archive_days`.
    pub fn preview_cleanup(&self, workspace: &Workspace, archive_days: Option<u32>) -> Cleanup {
        let all = self.entries.iter().map(|entry| (&entry.row, entry.facts.as_ref()));
        plan_cleanup(workspace, archive_days, self.diagnostics.clone(), all)
    }

    /// Puts checkpoints in order.
    pub(super) fn new(mut entries: Vec<Arc<TimelineEntry>>, now: Time) -> Self {
        // A time in the future does not keep a checkpoint first.
        entries.sort_by_cached_key(|entry| {
            let at = entry.made().map_or(i64::MIN, |at| at.min(now).as_millis());
            (std::cmp::Reverse(at), std::cmp::Reverse(entry.row.id.clone()))
        });
        let (mut branches, mut tags) = (Counts::default(), Counts::default());
        for entry in &entries {
            let Some(detail) = entry.row.checkpoint() else { continue };
            let branch = detail.git.as_ref().and_then(|git| git.branch.as_ref());
            branches.add(branch.map(skein_model::Sensitive::unredacted));
            let own: HashSet<&str> =
                detail.tags.iter().map(skein_model::Sensitive::unredacted).collect();
            let mut own: Vec<&str> = own.into_iter().collect();
            own.sort_unstable();
            own.into_iter().for_each(|tag| tags.add(Some(tag)));
        }
        let (branches, tags) = (branches.most(), tags.most());
        Self { entries, branches, tags, ..Self::default() }
    }

    /// Returns how many steps are left in all checkpoints.
    pub fn open_steps(&self) -> usize {
        self.entries.iter().map(|entry| entry.open_steps()).sum()
    }

    /// Returns the checkpoint with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<TimelineEntry>> {
        self.entries.iter().find(|entry| entry.row.id == id)
    }
}

/// How often each text occurs.
#[derive(Default)]
struct Counts<'a>(HashMap<&'a str, usize>);

impl<'a> Counts<'a> {
    /// Counts a text that can be chosen from a list.
    fn add(&mut self, text: Option<&'a str>) {
        if let Some(text) =
            text.filter(|text| !text.trim().is_empty() && !text.chars().any(char::is_control))
        {
            *self.0.entry(text).or_default() += 1;
        }
    }

    /// Returns the most frequent texts without secrets.
    fn most(self) -> Vec<(String, usize)> {
        const MAX_SHOWN: usize = 200;
        let mut all: Vec<(&str, usize)> = self.0.into_iter().collect();
        all.sort_unstable_by(|(a, many), (b, more)| more.cmp(many).then_with(|| a.cmp(b)));
        all.into_iter()
            .take(MAX_SHOWN)
            .map(|(text, count)| (redact(text).into_owned(), count))
            .collect()
    }
}

/// The files, commits and session that a checkpoint refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckpointRefs {
    /// The files that it touched, as written and without secrets.
    pub files: Vec<String>,
    /// The commits that were made, as written: the digits and the subject.
    pub commits: Vec<String>,
    /// The agent's session.
    pub session: Option<String>,
}

impl CheckpointRefs {
    /// Collects the references of a checkpoint.
    fn from_doc(doc: &CheckpointDoc) -> Self {
        let files = doc.files().into_iter().take(MAX_FOLLOWED_FILES);
        let mut commits: Vec<String> = doc.commits().into_iter().map(redacted).collect();
        if doc.head().trigger.as_deref() == Some(COMMIT_TRIGGER) {
            let git = doc.head().git.as_ref();
            commits.extend(git.and_then(|git| git.current_commit.clone()));
        }
        Self {
            files: files.map(|file| redacted(file.path)).collect(),
            commits,
            session: doc.head().session_id.clone().filter(|id| !id.trim().is_empty()),
        }
    }
}

/// Reads checkpoint files for the timeline.
pub(super) struct CheckpointParser(pub(super) CheckpointFileKind);

impl FileParser<Arc<TimelineEntry>> for CheckpointParser {
    fn parse(&self, path: &Path, bytes: &[u8]) -> (Arc<TimelineEntry>, bool) {
        let row = row(bytes, path, self.0);
        let doc = CheckpointDoc::parse(bytes.to_vec(), &row.id, self.0).0;
        let steps = if row.usable { doc.steps() } else { Vec::new() };
        let is_usable = row.usable;
        let entry = TimelineEntry {
            row,
            steps: steps.into_iter().map(Into::into).collect(),
            refs: CheckpointRefs::from_doc(&doc),
            facts: Some(CleanupFacts::from_doc(&doc)),
        };
        (Arc::new(entry), is_usable)
    }

    fn unreadable(&self, path: &Path, reason: &str) -> Arc<TimelineEntry> {
        let row = unreadable(Kind::Checkpoint, path, &reason);
        let (steps, refs) = (Vec::new(), CheckpointRefs::default());
        Arc::new(TimelineEntry { row, steps, refs, facts: None })
    }
}
