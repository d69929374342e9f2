use skein_format::time::Time;
use skein_model::view::{Listing, RowDetail, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::Workspace;

use crate::branches;
use crate::checkpoint_rows;
use crate::drafts::visible_drafts;
use crate::leases::mark_claims;
use crate::origins::mark_origins;
use crate::other_stores::other_rows;
use crate::placed::retain;
use crate::removed_reviews::removed_rows;
use crate::rows::{Depth, Rows, review, session};
use crate::worktree_states;

/// Which worktrees to include.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorktreeScope {
    /// The current one.
    ThisWorktree,
    /// All worktrees of the repository.
    AllWorktrees,
}

/// Lists the threads that match a filter, the last changed first.
///
/// An unusable file is listed as such; it never hides the others.
///
/// The diagnostics of a review thread are those of its metadata; [`crate::show()`] and the doctor have all.
pub fn list(
    workspace: &Workspace,
    filter: &Filter,
    scope: WorktreeScope,
) -> Listing<Box<ThreadRow>> {
    list_at_depth(Depth::Summary, workspace, filter, scope)
}

/// Lists threads as [`list`] does, with the diagnostics of the given depth.
pub fn list_at_depth(
    depth: Depth,
    workspace: &Workspace,
    filter: &Filter,
    scope: WorktreeScope,
) -> Listing<Box<ThreadRow>> {
    let mut all = Rows { rows: Vec::new(), diagnostics: workspace.diagnostics.clone() };
    if filter.wants(Kind::Review) {
        let places = match scope {
            WorktreeScope::ThisWorktree => vec![workspace.reviews.clone()],
            WorktreeScope::AllWorktrees => workspace.reviews_of_all_worktrees(),
        };
        let wanted = filter.of_review_file();
        for reviews in places.iter().filter(|reviews| reviews.exists) {
            all.add(review::rows(reviews, &wanted, &workspace.settings, depth));
        }
        retain(workspace, filter, &mut all.rows);
        if scope == WorktreeScope::AllWorktrees {
            worktree_states::join(workspace, &places, &mut all);
            let mut removed = removed_rows(workspace, &wanted);
            retain(workspace, filter, &mut removed);
            all.rows.extend(removed.into_iter().map(Box::new));
        }
        mark_claims(workspace, all.rows.iter_mut().map(|row| &mut **row));
        mark_origins(workspace, all.rows.iter_mut().map(|row| &mut **row));
        branches::mark(workspace, all.rows.iter_mut().map(|row| &mut **row));
    }
    if filter.wants(Kind::Checkpoint) {
        if workspace.checkpoints.exists {
            all.add(checkpoint_rows::rows(
                &workspace.checkpoints,
                filter,
                workspace.env.clock.now(),
            ));
        }
        if scope == WorktreeScope::AllWorktrees {
            all.add(other_rows(workspace, filter, workspace.env.clock.now()));
        }
    }
    if let Some(file) = workspace.sessions.file().filter(|_| filter.wants(Kind::Session)) {
        all.add(session::rows(file, filter, &workspace.settings));
    }
    if filter.asks() {
        all.rows.retain(|row| !row.is_unreadable());
    }
    Listing { threads: sorted(all.rows, workspace.env.clock.now()), diagnostics: all.diagnostics }
}

/// Returns whether a thread has this status or type, even if the formats do not define it.
pub fn occurs(workspace: &Workspace, key: &str, value: &str) -> bool {
    has_thread(workspace, &value_filter(key, value))
}

/// Returns the filter that accepts the threads with this status, type or turn.
pub fn value_filter(key: &str, value: &str) -> Filter {
    let mut filter = Filter::default();
    let place = match key {
        "type" => &mut filter.type_name,
        "waiting" => &mut filter.waiting_name,
        _ => &mut filter.status,
    };
    *place = Some(value.to_owned());
    filter
}

/// Returns whether any thread matches, including invalid sessions.
pub fn has_thread(workspace: &Workspace, filter: &Filter) -> bool {
    let mut workspace = workspace.clone();
    workspace.settings.be_lenient();
    !list(&workspace, filter, WorktreeScope::ThisWorktree).threads.is_empty()
}

/// Sorts by the time in the content, clamped to now, then by the commented code, then by id; never by the time of the file.
pub fn sorted(rows: Vec<Box<ThreadRow>>, now: Time) -> Vec<Box<ThreadRow>> {
    // The time is stored next to the row, so that comparing rarely accesses a row.
    let time = |row: &ThreadRow| row.effective_time(now).map_or(i64::MIN, Time::as_millis);
    let mut rows: Vec<(i64, Box<ThreadRow>)> =
        rows.into_iter().map(|row| (time(&row), row)).collect();
    // Files are read in no particular order, so the order must be total.
    rows.sort_unstable_by(|(at, a), (other, b)| {
        let same_time =
            || (code(a), &a.id, a.kind, &a.file).cmp(&(code(b), &b.id, b.kind, &b.file));
        other.cmp(at).then_with(same_time)
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Returns the path and first line of the commented code.
fn code(row: &ThreadRow) -> Option<(&str, Option<u32>)> {
    let target = row.review()?.target.as_ref()?;
    Some((&target.path, target.range.map(|range| range.start_line)))
}

/// Lists the drafts that match a filter; none for an agent.
pub fn drafts_matching(workspace: &Workspace, filter: &Filter) -> Vec<ThreadRow> {
    let mut rows = visible_drafts(workspace);
    rows.retain(|row| is_draft_wanted(row, filter));
    retain(workspace, filter, &mut rows);
    branches::mark(workspace, &mut rows);
    rows
}

/// Returns whether the row of a draft matches the parts of a filter that its file decides.
pub fn is_draft_wanted(row: &ThreadRow, filter: &Filter) -> bool {
    let of_others = filter.asks_for_turn() || filter.commit.is_some();
    if of_others || filter.tag.is_some() || filter.type_name.is_some() {
        return false;
    }
    let RowDetail::Review(detail) = &row.detail else { return false };
    let by = detail.last_author.as_deref().unwrap_or_default().to_lowercase();
    let is_by = |author: &String| by.contains(&author.to_lowercase());
    filter.passes(row.status.as_deref(), row.updated_at) && filter.author.as_ref().is_none_or(is_by)
}
