//! What a reviewer waits for: an answer.

use std::collections::BTreeSet;

use super::{Look, RECHECK, detail, waits_on};
use crate::filter::Waiting;
use crate::view::Row;

#[derive(Default)]
pub(super) struct ForReviewer {
    /// The threads that agents had resolved when the wait began.
    resolved: Option<BTreeSet<String>>,
}

impl ForReviewer {
    pub(super) fn look(&mut self, mut rows: Vec<Row>) -> Look {
        let by_agent = |row: &Row| detail(row).is_some_and(|detail| detail.resolved_by_agent);
        let first = self.resolved.is_none();
        let known = self.resolved.get_or_insert_with(|| {
            rows.iter().filter(|row| by_agent(row)).map(|row| row.id.clone()).collect()
        });
        let is_news = |row: &Row| by_agent(row) && !known.contains(&row.id);
        rows.retain(|row| waits_on(row, Waiting::Reviewer) || is_news(row));
        if rows.is_empty() {
            return Look::Later(RECHECK);
        }
        let reason = match rows.iter().any(|row| waits_on(row, Waiting::Reviewer)) {
            _ if first => "waiting",
            true => "reply",
            false => "resolved",
        };
        Look::Found { rows, reason }
    }
}
