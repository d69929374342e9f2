//! The filter of the pages of checkpoints.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use skein_live::links::Links;
use skein_live::{Timeline, TimelineEntry};
use skein_model::Filter;
use skein_model::sanitize::visible;

use crate::request::QueryParams;

/// A filter of checkpoints, with its parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckpointFilter {
    filter: Filter,
    pub(super) kind: String,
    pub(super) branch: String,
    pub(super) tag: String,
    pub(super) worker: String,
    /// Only those with open steps.
    pub(super) open: bool,
    /// Only those that touched this file, by its path in the workspace.
    pub(super) file: String,
    /// Only those that made this commit.
    pub(super) commit: String,
    /// Only those of this agent session.
    pub(super) session: String,
}

/// Returns the values that can be chosen, each with its count among the checkpoints shown. The chosen one is always included.
pub(super) fn count_values(
    known: &[(String, usize)],
    chosen: &str,
    shown: impl Iterator<Item = (String, usize)>,
) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (text, count) in shown {
        *counts.entry(text).or_default() += count;
    }
    let count = |text: &String| counts.get(text).copied().unwrap_or_default();
    let missing = !chosen.is_empty() && known.iter().all(|(text, _)| text != chosen);
    let missing = missing.then(|| (chosen.to_owned(), count(&chosen.to_owned())));
    let known = known.iter().map(|(text, _)| (text.clone(), count(text)));
    let known = known.filter(|(text, count)| *count > 0 || text == chosen);
    missing.into_iter().chain(known).collect()
}

/// Returns the branch in a checkpoint, without secrets.
pub(super) fn branch_of(entry: &TimelineEntry) -> Option<String> {
    entry
        .row
        .checkpoint()?
        .git
        .as_ref()?
        .branch
        .as_ref()
        .map(|branch| branch.redacted().into_owned())
}

/// Returns the tags of a checkpoint, without secrets.
pub(super) fn tags_of(entry: &TimelineEntry) -> BTreeSet<String> {
    let tags = entry.row.checkpoint().into_iter().flat_map(|detail| &detail.tags);
    tags.map(|tag| tag.redacted().into_owned()).collect()
}

impl CheckpointFilter {
    /// The parameters that are texts.
    const TEXTS: [&str; 7] = ["type", "branch", "tag", "worker", "file", "commit", "session"];

    /// Reads the parameters of an address.
    pub(crate) fn from_params(params: &QueryParams) -> Self {
        let [kind, branch, tag, worker, file, commit, session] = Self::TEXTS
            .map(|name| params.get(name).unwrap_or_default().trim())
            // Lists of values do not contain invisible characters.
            .map(visible);
        let some = |text: &String| (!text.is_empty()).then(|| text.clone());
        let filter = Filter {
            type_name: some(&kind),
            branch: some(&branch),
            tag: some(&tag),
            status: some(&worker),
            ..Filter::default()
        };
        let open = params.get("steps") == Some("open");
        Self { filter, kind, branch, tag, worker, open, file, commit, session }
    }

    /// Returns the matching checkpoints, in the order of the timeline.
    pub(crate) fn apply(&self, timeline: &Timeline, links: &Links) -> Vec<Arc<TimelineEntry>> {
        let mut all = match self.is_linked() {
            true => self.linked(links),
            false => timeline.entries.clone(),
        };
        all.retain(|entry| self.matches(entry));
        all
    }

    /// Checks everything except file, commit and session.
    fn matches(&self, entry: &TimelineEntry) -> bool {
        (!self.open || entry.open_steps() > 0) && entry.passes(&self.filter)
    }

    fn is_linked(&self) -> bool {
        [&self.file, &self.commit, &self.session].iter().any(|text| !text.is_empty())
    }

    /// Returns the checkpoints that are linked with the file, the commit and the session.
    fn linked(&self, links: &Links) -> Vec<Arc<TimelineEntry>> {
        let lists = [
            (&self.file, links.touched(&self.file).to_vec()),
            (&self.commit, links.made(&self.commit)),
            (&self.session, links.of_session(&self.session).to_vec()),
        ];
        let mut lists = lists.into_iter().filter(|(text, _)| !text.is_empty());
        let Some((_, mut all)) = lists.next() else { return Vec::new() };
        for (_, list) in lists {
            all.retain(|entry| list.iter().any(|one| Arc::ptr_eq(one, entry)));
        }
        all
    }

    pub(super) fn with_kind(&self, kind: &str) -> Self {
        let type_name = (!kind.is_empty()).then(|| kind.to_owned());
        let filter = Filter { type_name, ..self.filter.clone() };
        Self { filter, kind: kind.to_owned(), ..self.clone() }
    }

    pub(super) fn without_branch(&self) -> Self {
        let filter = Filter { branch: None, ..self.filter.clone() };
        Self { filter, branch: String::new(), ..self.clone() }
    }

    pub(super) fn without_tag(&self) -> Self {
        let filter = Filter { tag: None, ..self.filter.clone() };
        Self { filter, tag: String::new(), ..self.clone() }
    }

    /// Returns whether auto-checkpoints are requested, which are folded otherwise.
    pub(super) fn wants_autos(&self) -> bool {
        self.kind == "auto" || !self.session.is_empty()
    }

    /// Returns whether there is a condition other than the type.
    pub(super) fn is_narrow(&self) -> bool {
        let texts = [&self.branch, &self.tag, &self.worker];
        self.open || self.is_linked() || texts.iter().any(|text| !text.is_empty())
    }

    /// Returns the conditions on links: the name of the parameter, a label, the value, and the address without it.
    pub(super) fn link_conditions(
        &self,
        page: &str,
    ) -> Vec<(&'static str, &'static str, &str, String)> {
        let without = |change: fn(&mut Self)| {
            let mut other = self.clone();
            change(&mut other);
            other.href(page, &[])
        };
        let all = [
            ("file", "touched", &self.file, without(|filter| filter.file.clear())),
            ("commit", "made", &self.commit, without(|filter| filter.commit.clear())),
            ("session", "of session", &self.session, without(|filter| filter.session.clear())),
        ];
        let given = all.into_iter().filter(|(_, _, text, _)| !text.is_empty());
        given.map(|(name, label, text, href)| (name, label, text.as_str(), href)).collect()
    }

    /// Returns the address of a page with this filter.
    pub(super) fn href(&self, page: &str, more: &[(&str, &str)]) -> String {
        let own = [
            ("type", self.kind.as_str()),
            ("branch", &self.branch),
            ("tag", &self.tag),
            ("worker", &self.worker),
            ("steps", if self.open { "open" } else { "" }),
            ("file", &self.file),
            ("commit", &self.commit),
            ("session", &self.session),
        ];
        crate::page::address(page, own.into_iter().chain(more.iter().copied()))
    }
}
