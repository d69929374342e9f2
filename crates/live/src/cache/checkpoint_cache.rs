//! The checkpoints, kept current after the first request.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use skein_catalog::checkpoint_state::States;
use skein_catalog::handoff_pointer;
use skein_catalog::rows::checkpoint::scanning;
use skein_format::checkpoint::CheckpointFileKind;
use skein_format::redact::redacted;
use skein_format::time::Time;
use skein_model::normalize_path::stem;
use skein_workspace::Workspace;

use super::change_set::ChangeSet;
use super::locked;
use super::timeline::{CheckpointParser, HandoffTarget, Timeline, TimelineEntry};
use crate::tracked_dir::TrackedDir;

/// The checkpoints of a workspace; none are read before the first request.
#[derive(Default)]
pub(super) struct CheckpointCache(pub(super) Mutex<Option<CheckpointDirs>>);

pub(super) struct CheckpointDirs {
    /// The threads, and the legacy checkpoints.
    files: [(CheckpointFileKind, TrackedDir<Arc<TimelineEntry>>); 2],
    handoff: Option<HandoffTarget>,
    /// What is known apart from the files, as of the last event.
    reported: States,
    /// The checkpoints as they were last given out, and what was known of them apart from their files.
    shown: Option<(States, Arc<Timeline>)>,
}

impl CheckpointCache {
    /// Returns the checkpoints, which are read at the first call.
    pub(super) fn get(&self, workspace: &Workspace) -> Arc<Timeline> {
        let checkpoints = &workspace.checkpoints;
        // A lock is in no file of a checkpoint, and ends without a write.
        let states = States::read(checkpoints, workspace.env.clock.now());
        let load = |kind| {
            let (dir, options) = scanning(checkpoints, kind);
            let mut files = TrackedDir::new(dir, options);
            files.load(&CheckpointParser(kind));
            (kind, files)
        };
        let mut dirs = locked(&self.0);
        let dirs = dirs.get_or_insert_with(|| CheckpointDirs {
            files: [CheckpointFileKind::Thread, CheckpointFileKind::Legacy].map(load),
            handoff: handoff_target(workspace),
            reported: states.clone(),
            shown: None,
        });
        match &dirs.shown {
            Some((known, timeline)) if *known == states => timeline.clone(),
            _ => dirs.publish(states, workspace.env.clock.now()),
        }
    }

    /// Returns whether some files should be read again soon.
    pub(super) fn is_unsettled(&self) -> bool {
        let dirs = locked(&self.0);
        dirs.iter().flat_map(|dirs| &dirs.files).any(|(_, files)| !files.is_settled())
    }

    /// Applies changes; returns the ids of the checkpoints that changed, were created or deleted.
    pub(super) fn update(&self, workspace: &Workspace, change_set: &ChangeSet) -> BTreeSet<String> {
        let mut guard = locked(&self.0);
        // A stream of events reads them before it begins.
        let Some(dirs) = guard.as_mut() else { return BTreeSet::new() };
        let mut changed = BTreeSet::new();
        for (kind, files) in &mut dirs.files {
            let any = change_set.any_checkpoint;
            let read = change_set.refresh(files, any, &CheckpointParser(*kind));
            changed.extend(read.iter().map(|(name, _)| stem(Path::new(name))));
        }
        let handoff = handoff_target(workspace);
        if handoff != dirs.handoff {
            let before = std::mem::replace(&mut dirs.handoff, handoff.clone());
            changed.extend(before.into_iter().chain(handoff).map(|target| target.id));
        }
        let states = States::read(&workspace.checkpoints, workspace.env.clock.now());
        let reported = std::mem::replace(&mut dirs.reported, states.clone());
        changed.extend(states.changed_from(&reported));
        if !changed.is_empty() {
            dirs.publish(states, workspace.env.clock.now());
        }
        changed
    }
}

impl CheckpointDirs {
    fn publish(&mut self, states: States, now: Time) -> Arc<Timeline> {
        // A thread hides a legacy checkpoint of the same id.
        let [(_, threads), (_, legacy)] = &self.files;
        let is_shown =
            |entry: &&Arc<TimelineEntry>| threads.get(&format!("{}.json", entry.row.id)).is_none();
        let shown = legacy.values().filter(is_shown);
        let marked = |entry: &Arc<TimelineEntry>| {
            if !states.concerns(&entry.row.id) {
                return entry.clone();
            }
            let mut entry = TimelineEntry::clone(entry);
            states.mark(&mut entry.row);
            Arc::new(entry)
        };
        let entries = threads.values().chain(shown).map(marked).collect();
        let mut timeline = Timeline::new(entries, now);
        let is_open = |target: &&HandoffTarget| {
            let entry = timeline.get(&target.id);
            let detail = entry.and_then(|entry| entry.row.checkpoint());
            !detail.is_some_and(|detail| detail.is_over)
        };
        timeline.handoff = self.handoff.as_ref().filter(is_open).cloned();
        let found = [&threads.diagnostic, &legacy.diagnostic];
        timeline.diagnostics.extend(found.into_iter().flatten().cloned());
        self.shown.insert((states, Arc::new(timeline))).1.clone()
    }
}

fn handoff_target(workspace: &Workspace) -> Option<HandoffTarget> {
    let pointer =
        handoff_pointer::pointer(&workspace.checkpoints).filter(|pointer| !pointer.is_over())?;
    let target =
        handoff_pointer::target(&workspace.checkpoints, &pointer).map(|(_, path)| stem(&path));
    let message = pointer.message.map(redacted).unwrap_or_default();
    Some(HandoffTarget { id: redacted(target.or(pointer.last_thread)?), message })
}
