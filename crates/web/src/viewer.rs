use skein_model::LocalClock;
use skein_model::view::ThreadRow;
use skein_workspace::Actor;

/// The person who views a page, and their permissions.
#[derive(Clone, Copy)]
pub(crate) struct PageViewer<'a> {
    pub(crate) actor: &'a Actor,
    pub(crate) read_only: bool,
    /// The clock for times in texts.
    pub(crate) clock: LocalClock,
}

impl PageViewer<'_> {
    /// Returns whether there is a proposal to resolve a thread that the viewer can accept.
    pub(crate) fn can_accept(&self, row: &ThreadRow) -> bool {
        let proposed = row.usable && row.review().is_some_and(|detail| detail.proposed_resolved);
        proposed && !self.read_only && !self.actor.agent
    }

    /// Returns the colour of the dot before a thread: whether it is the viewer's turn, or resolved.
    pub(crate) fn dot(&self, row: &ThreadRow) -> &'static str {
        let Some(detail) = row.review() else { return "none" };
        match row.status.as_deref() {
            Some("draft") => "draft",
            Some("resolved") => "settled",
            _ if detail.waits_on(&self.actor.name) => "reviewer",
            _ => "agent",
        }
    }
}
