//! The checkpoints, kept current once somebody has asked for them.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use skein_catalog::checkpoint_state::States;
use skein_catalog::handoff_pointer;
use skein_format::checkpoint::{CheckpointFileKind, HandoffDoc, is_legacy_file, is_thread_file};
use skein_format::redact::redacted;
use skein_model::normalize_path::stem;
use skein_model::view::RowDetail;
use skein_workspace::{Env, Workspace};

use super::change_set::ChangeSet;
use super::checkpoint_dir::CheckpointDir;
use super::locked;
use super::timeline::{Timeline, TimelineEntry};

/// The checkpoints of a workspace; none are read before somebody asks.
#[derive(Default)]
pub(super) struct CheckpointCache {
    piles: Mutex<Option<CheckpointDirs>>,
    shown: Mutex<Option<Shown>>,
}

/// The checkpoints as they were last given out, and what was known of them apart from their files.
#[derive(Clone)]
struct Shown {
    timeline: Arc<Timeline>,
    states: States,
}

struct CheckpointDirs {
    threads: CheckpointDir,
    legacy: CheckpointDir,
    handoff: Option<Handed>,
    /// What is known apart from the files, as of the last event.
    told: States,
}

/// The checkpoint that the handoff leads to, and the message that came with it.
#[derive(Clone, PartialEq)]
struct Handed {
    id: String,
    message: String,
}

impl CheckpointCache {
    /// Returns the checkpoints, which are read where nobody has asked before.
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
        let mut piles = locked(&self.piles);
        // Another thread may have been faster.
        if let Some(timeline) = known() {
            return timeline;
        }
        let piles = piles.get_or_insert_with(|| CheckpointDirs {
            threads: CheckpointDir::load(checkpoints, CheckpointFileKind::Thread),
            legacy: CheckpointDir::load(checkpoints, CheckpointFileKind::Legacy),
            handoff: handed(workspace),
            told: states.clone(),
        });
        self.publish(piles, states, env)
    }

    /// Forgets everything, because it may be elsewhere.
    pub(super) fn clear(&self) {
        let mut piles = locked(&self.piles);
        *piles = None;
        *locked(&self.shown) = None;
    }

    /// Returns whether some files should be read again soon.
    pub(super) fn is_unsettled(&self) -> bool {
        let is_waiting = |pile: &CheckpointDir| !pile.unsettled().is_empty();
        let piles = locked(&self.piles);
        piles.as_ref().is_some_and(|all| is_waiting(&all.threads) || is_waiting(&all.legacy))
    }

    /// Takes in what changed; returns the ids of the checkpoints that say something else, came or went.
    pub(super) fn update(
        &self,
        workspace: &Workspace,
        env: &Env,
        news: &ChangeSet,
    ) -> BTreeSet<String> {
        let mut guard = locked(&self.piles);
        let id = |name: &String| name.strip_suffix(".json").unwrap_or(name).to_owned();
        let Some(piles) = guard.as_mut() else {
            // Nobody knows what they said before, so that whatever was written counts.
            let is_one = |(legacy, name): &&(bool, String)| match legacy {
                true => is_legacy_file(name),
                false => is_thread_file(name),
            };
            return news.checkpoints.iter().filter(is_one).map(|(_, name)| id(name)).collect();
        };
        let mut changed = BTreeSet::new();
        for (legacy, pile) in [(false, &mut piles.threads), (true, &mut piles.legacy)] {
            let told =
                news.checkpoints.iter().filter(|(is_legacy_file, _)| *is_legacy_file == legacy);
            let mut names: BTreeSet<String> = told.map(|(_, name)| name.clone()).collect();
            names.extend(pile.unsettled());
            if news.any_checkpoint {
                names.extend(pile.suspects());
            }
            changed.extend(names.iter().filter(|name| pile.read(name, news.is_own)).map(id));
        }
        let points = (false, HandoffDoc::FILE_NAME.to_owned());
        if news.any_checkpoint || news.checkpoints.contains(&points) {
            let now = handed(workspace);
            if now != piles.handoff {
                let before = std::mem::replace(&mut piles.handoff, now.clone());
                changed.extend(before.into_iter().chain(now).map(|handed| handed.id));
            }
        }
        let states = States::read(&workspace.checkpoints, env.clock.now());
        let told = std::mem::replace(&mut piles.told, states.clone());
        changed.extend(states.changed_from(&told));
        if !changed.is_empty() {
            self.publish(piles, states, env);
        }
        changed
    }

    fn publish(&self, piles: &CheckpointDirs, states: States, env: &Env) -> Arc<Timeline> {
        // A thread hides a legacy checkpoint of the same id.
        let is_shown = |entry: &&Arc<TimelineEntry>| !piles.threads.has(&entry.row.id);
        let legacy = piles.legacy.entries().filter(is_shown);
        let marked = |entry: &Arc<TimelineEntry>| {
            if !states.concerns(&entry.row.id) {
                return entry.clone();
            }
            let mut entry = TimelineEntry::clone(entry);
            states.mark(&mut entry.row);
            Arc::new(entry)
        };
        let entries = piles.threads.entries().chain(legacy).map(marked).collect();
        let mut timeline = Timeline::new(entries, env.clock.now());
        let is_open = |handed: &&Handed| {
            let entry = timeline.get(&handed.id);
            !entry.is_some_and(
                |entry| matches!(&entry.row.detail, RowDetail::Checkpoint(detail) if detail.is_over),
            )
        };
        let open = piles.handoff.as_ref().filter(is_open).cloned();
        timeline.handoff = open.as_ref().map(|handed| handed.id.clone());
        timeline.handoff_message = open.map(|handed| handed.message);
        let found = [&piles.threads.diagnostic, &piles.legacy.diagnostic];
        timeline.diagnostics.extend(found.into_iter().flatten().cloned());
        let timeline = Arc::new(timeline);
        *locked(&self.shown) = Some(Shown { timeline: timeline.clone(), states });
        timeline
    }
}

fn handed(workspace: &Workspace) -> Option<Handed> {
    let pointer =
        handoff_pointer::pointer(&workspace.checkpoints).filter(|pointer| !pointer.is_over())?;
    let target =
        handoff_pointer::target(&workspace.checkpoints, &pointer).map(|(_, path)| stem(&path));
    let message = pointer.message.map(redacted).unwrap_or_default();
    Some(Handed { id: redacted(target.or(pointer.last_thread)?), message })
}
