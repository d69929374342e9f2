//! Waits, for a reviewer, until there is an answer.

use std::collections::BTreeSet;

use skein_model::Turn;
use skein_model::view::ThreadRow;
use skein_workspace::{Actor, Workspace};

use super::{PollOutcome, RESCAN_INTERVAL, waits_on};

pub(super) struct ForReviewer {
    /// The name of the waiting person; none for an agent that waits for any person.
    person: Option<String>,
    /// The threads that agents had resolved at the start of the wait.
    resolved: Option<BTreeSet<String>>,
}

impl ForReviewer {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let actor = Actor::find(workspace, None);
        Self { person: (!actor.agent).then_some(actor.name), resolved: None }
    }

    /// Returns whether it is the waiting person's turn, and not that of another person who was asked.
    fn is_meant(&self, row: &ThreadRow) -> bool {
        let is_asked = |person: &String| row.review().is_some_and(|detail| detail.waits_on(person));
        waits_on(row, Turn::Reviewer) && self.person.as_ref().is_none_or(is_asked)
    }

    pub(super) fn look(&mut self, mut rows: Vec<ThreadRow>) -> PollOutcome {
        let by_agent =
            |row: &ThreadRow| row.review().is_some_and(|detail| detail.resolved_by_agent);
        let first = self.resolved.is_none();
        let known = self.resolved.get_or_insert_with(|| {
            rows.iter().filter(|row| by_agent(row)).map(|row| row.id.clone()).collect()
        });
        let is_news = |row: &ThreadRow| by_agent(row) && !known.contains(&row.id);
        let news: BTreeSet<String> =
            rows.iter().filter(|row| is_news(row)).map(|row| row.id.clone()).collect();
        rows.retain(|row| self.is_meant(row) || news.contains(&row.id));
        if rows.is_empty() {
            return PollOutcome::Later(RESCAN_INTERVAL);
        }
        let reason = match rows.iter().any(|row| self.is_meant(row)) {
            _ if first => "waiting",
            true => "reply",
            false => "resolved",
        };
        PollOutcome::Found { rows, reason }
    }
}
