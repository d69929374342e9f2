//! Which checkpoints are meant.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use skein_live::links::Links;
use skein_live::{Timeline, TimelineEntry};
use skein_model::Filter;
use skein_model::sanitize::visible;
use skein_model::view::RowDetail;

use crate::encode::encode;
use crate::request::QueryParams;

/// Which checkpoints are meant, and in which words that was asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkFilter {
    filter: Filter,
    pub(super) kind: String,
    pub(super) branch: String,
    pub(super) tag: String,
    pub(super) worker: String,
    /// Only those with something left to do.
    pub(super) open: bool,
    /// Only those that touched this file, by its path from the root of the reviews.
    pub(super) file: String,
    /// Only those that made this commit.
    pub(super) commit: String,
    /// Only those of this session of an agent.
    pub(super) session: String,
}

/// Returns the texts that can be chosen from, each with how much has it of what is shown beside it; the chosen one is always there.
pub(super) fn counted(
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

/// Returns the branch that a checkpoint names, without secrets.
pub(super) fn branch_of(entry: &TimelineEntry) -> Option<String> {
    let RowDetail::Checkpoint(detail) = &entry.row.detail else { return None };
    detail.git.as_ref()?.branch.as_ref().map(|branch| branch.redacted().into_owned())
}

/// Returns the tags of a checkpoint, without secrets.
pub(super) fn tags_of(entry: &TimelineEntry) -> BTreeSet<String> {
    let RowDetail::Checkpoint(detail) = &entry.row.detail else { return BTreeSet::new() };
    detail.tags.iter().map(|tag| tag.redacted().into_owned()).collect()
}

impl WorkFilter {
    /// The parameters that are texts.
    const TEXTS: [&str; 7] = ["type", "branch", "tag", "worker", "file", "commit", "session"];

    /// Reads the parameters of an address.
    pub(crate) fn from_params(pairs: &QueryParams) -> Self {
        let [kind, branch, tag, worker, file, commit, session] = Self::TEXTS
            .map(|name| pairs.get(name).unwrap_or_default().trim())
            // What cannot be seen is in no list that one could choose from.
            .map(visible);
        let some = |text: &String| (!text.is_empty()).then(|| text.clone());
        let filter = Filter {
            type_name: some(&kind),
            branch: some(&branch),
            tag: some(&tag),
            status: some(&worker),
            ..Filter::default()
        };
        let open = pairs.get("steps") == Some("open");
        Self { filter, kind, branch, tag, worker, open, file, commit, session }
    }

    /// Returns the checkpoints that are meant, in the order of the timeline.
    pub(crate) fn of_all(&self, timeline: &Timeline, links: &Links) -> Vec<Arc<TimelineEntry>> {
        let mut all = match self.is_linked() {
            true => self.linked(links),
            false => timeline.entries.clone(),
        };
        all.retain(|entry| self.takes(entry));
        all
    }

    /// Returns whether a checkpoint is meant, whatever it is linked with.
    fn takes(&self, entry: &TimelineEntry) -> bool {
        (!self.open || entry.open_steps() > 0) && entry.passes(&self.filter)
    }

    fn is_linked(&self) -> bool {
        [&self.file, &self.commit, &self.session].iter().any(|text| !text.is_empty())
    }

    /// Returns the checkpoints that have to do with everything that is asked for.
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

    /// Returns the same with another type.
    pub(super) fn with_kind(&self, kind: &str) -> Self {
        let type_name = (!kind.is_empty()).then(|| kind.to_owned());
        let filter = Filter { type_name, ..self.filter.clone() };
        Self { filter, kind: kind.to_owned(), ..self.clone() }
    }

    /// Returns the same for any branch, and for any tag.
    pub(super) fn without_branch(&self) -> Self {
        let filter = Filter { branch: None, ..self.filter.clone() };
        Self { filter, branch: String::new(), ..self.clone() }
    }

    pub(super) fn without_tag(&self) -> Self {
        let filter = Filter { tag: None, ..self.filter.clone() };
        Self { filter, tag: String::new(), ..self.clone() }
    }

    /// Returns whether auto-checkpoints are asked for, which are folded otherwise.
    pub(super) fn wants_autos(&self) -> bool {
        self.kind == "auto" || !self.session.is_empty()
    }

    /// Returns whether something is asked besides the type.
    pub(super) fn is_narrow(&self) -> bool {
        let texts = [&self.branch, &self.tag, &self.worker];
        self.open || self.is_linked() || texts.iter().any(|text| !text.is_empty())
    }

    /// Returns what they are linked with: the name of the parameter, what it says, and the address without it.
    pub(super) fn ties(&self, page: &str) -> Vec<(&'static str, &'static str, &str, String)> {
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
        let asked = all.into_iter().filter(|(_, _, text, _)| !text.is_empty());
        asked.map(|(name, says, text, href)| (name, says, text.as_str(), href)).collect()
    }

    /// Writes the address of a page that shows what is meant.
    pub(super) fn href(&self, page: &str, more: &[(&str, String)]) -> String {
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
        let more = more.iter().map(|(name, value)| (*name, value.as_str()));
        let pairs = own.into_iter().chain(more).filter(|(_, value)| !value.is_empty());
        let pairs: Vec<String> =
            pairs.map(|(name, value)| format!("{name}={}", encode(value))).collect();
        match pairs.is_empty() {
            true => page.to_owned(),
            false => format!("{page}?{}", pairs.join("&")),
        }
    }
}
