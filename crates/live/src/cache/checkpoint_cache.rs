//! The checkpoints, kept current after the first request.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use skein_catalog::checkpoint_state::States;
use skein_catalog::handoff_pointer;
use skein_catalog::rows::checkpoint::scanning;
use skein_format::checkpoint::{CheckpointFileKind, HandoffDoc, is_legacy_file, is_thread_file};
use skein_format::redact::redacted;
use skein_model::normalize_path::stem;
use skein_workspace::{Env, Workspace};

use super::change_set::ChangeSet;
use super::checkpoint_parser::CheckpointParser;
use super::locked;
use super::timeline::{Timeline, TimelineEntry};
use crate::tracked_dir::TrackedDir;

/// The checkpoints of a workspace; none are read before the first request.
#[derive(Default)]
pub(super) struct CheckpointCache {
    dirs: Mutex<Option<CheckpointDirs>>,
    shown: Mutex<Option<Shown>>,
}

/// The checkpoints as they were last given out, and what was known of them apart from their files.
#[derive(Clone)]
struct Shown {
    timeline: Arc<Timeline>,
    states: States,
}

struct CheckpointDirs {
    threads: TrackedDir<Arc<TimelineEntry>>,
    legacy: TrackedDir<Arc<TimelineEntry>>,
    handoff: Option<HandoffTarget>,
    /// What is known apart from the files, as of the last event.
    reported: States,
}

/// The target of the handoff, and its message.
#[derive(Clone, PartialEq)]
struct HandoffTarget {
    id: String,
    message: String,
}

impl CheckpointCache {
    /// Returns the checkpoints, which are read at the first call.
    pub(super) fn get(&self, workspace: &Workspace, env: &Env) -> Arc<Timeline> {
        let checkpoints = &workspace.checkpoints;
        // A lock is in no file of a checkpoint, and ends without a write.
        let states = States::read(checkpoints, env.clock.now());
        let known = || {
            let shown = locked(&self.shown).clone();
            shown.filter(|shown| shown.states == states).map(|shown| shown.timeline)
        };
        if let Some(timeline) = known() {
            return timeline;
        }
        let mut dirs = locked(&self.dirs);
        // Another thread may have been faster.
        if let Some(timeline) = known() {
            return timeline;
        }
        let load = |kind| {
            let (dir, options) = scanning(checkpoints, kind);
            let mut files = TrackedDir::new(dir, options);
            files.load(&CheckpointParser(kind));
            files
        };
        let dirs = dirs.get_or_insert_with(|| CheckpointDirs {
            threads: load(CheckpointFileKind::Thread),
            legacy: load(CheckpointFileKind::Legacy),
            handoff: handoff_target(workspace),
            reported: states.clone(),
        });
        self.publish(dirs, states, env)
    }

    /// Forgets everything, because it may be elsewhere.
    pub(super) fn clear(&self) {
        let mut dirs = locked(&self.dirs);
        *dirs = None;
        *locked(&self.shown) = None;
    }

    /// Returns whether some files should be read again soon.
    pub(super) fn is_unsettled(&self) -> bool {
        let dirs = locked(&self.dirs);
        dirs.as_ref().is_some_and(|dirs| !dirs.threads.is_settled() || !dirs.legacy.is_settled())
    }

    /// Applies changes; returns the ids of the checkpoints that changed, were created or deleted.
    pub(super) fn update(
        &self,
        workspace: &Workspace,
        env: &Env,
        change_set: &ChangeSet,
    ) -> BTreeSet<String> {
        let mut guard = locked(&self.dirs);
        let id = |name: &String| name.strip_suffix(".json").unwrap_or(name).to_owned();
        let Some(dirs) = guard.as_mut() else {
            // Their earlier content is not known, so every write is reported.
            let is_one = |(legacy, name): &&(bool, String)| match legacy {
                true => is_legacy_file(name),
                false => is_thread_file(name),
            };
            return change_set
                .checkpoints
                .iter()
                .filter(is_one)
                .map(|(_, name)| id(name))
                .collect();
        };
        let mut changed = BTreeSet::new();
        for (legacy, files) in [(false, &mut dirs.threads), (true, &mut dirs.legacy)] {
            let kind = if legacy { CheckpointFileKind::Legacy } else { CheckpointFileKind::Thread };
            let reported = change_set
                .checkpoints
                .iter()
                .filter(|(is_legacy_file, _)| *is_legacy_file == legacy);
            let mut names: BTreeSet<String> = reported.map(|(_, name)| name.clone()).collect();
            names.extend(files.unsettled());
            if change_set.any_checkpoint {
                names.extend(files.suspects());
            }
            changed.extend(
                names
                    .iter()
                    .filter(|name| files.read(name, change_set.is_own, &CheckpointParser(kind)))
                    .map(id),
            );
        }
        let points = (false, HandoffDoc::FILE_NAME.to_owned());
        if change_set.any_checkpoint || change_set.checkpoints.contains(&points) {
            let now = handoff_target(workspace);
            if now != dirs.handoff {
                let before = std::mem::replace(&mut dirs.handoff, now.clone());
                changed
                    .extend(before.into_iter().chain(now).map(|handoff_target| handoff_target.id));
            }
        }
        let states = States::read(&workspace.checkpoints, env.clock.now());
        let reported = std::mem::replace(&mut dirs.reported, states.clone());
        changed.extend(states.changed_from(&reported));
        if !changed.is_empty() {
            self.publish(dirs, states, env);
        }
        changed
    }

    fn publish(&self, dirs: &CheckpointDirs, states: States, env: &Env) -> Arc<Timeline> {
        // A thread hides a legacy checkpoint of the same id.
        let is_shown = |entry: &&Arc<TimelineEntry>| {
            dirs.threads.get(&format!("{}.json", entry.row.id)).is_none()
        };
        let legacy = dirs.legacy.values().filter(is_shown);
        let marked = |entry: &Arc<TimelineEntry>| {
            if !states.concerns(&entry.row.id) {
                return entry.clone();
            }
            let mut entry = TimelineEntry::clone(entry);
            states.mark(&mut entry.row);
            Arc::new(entry)
        };
        let entries = dirs.threads.values().chain(legacy).map(marked).collect();
        let mut timeline = Timeline::new(entries, env.clock.now());
        let is_open = |handoff_target: &&HandoffTarget| {
            let entry = timeline.get(&handoff_target.id);
            let detail = entry.and_then(|entry| entry.row.checkpoint());
            !detail.is_some_and(|detail| detail.is_over)
        };
        let open = dirs.handoff.as_ref().filter(is_open).cloned();
        timeline.handoff = open.as_ref().map(|handoff_target| handoff_target.id.clone());
        timeline.handoff_message = open.map(|handoff_target| handoff_target.message);
        let found = [&dirs.threads.diagnostic, &dirs.legacy.diagnostic];
        timeline.diagnostics.extend(found.into_iter().flatten().cloned());
        let timeline = Arc::new(timeline);
        *locked(&self.shown) = Some(Shown { timeline: timeline.clone(), states });
        timeline
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
