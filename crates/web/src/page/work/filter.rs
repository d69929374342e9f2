//! Which checkpoints are meant.

use skein_engine::plain::is_unsafe;
use skein_engine::{Entry, Filter};

use crate::ask::Pairs;
use crate::encode::encode;

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
}

impl WorkFilter {
    /// Reads the parameters of an address.
    pub(crate) fn of(pairs: &Pairs) -> Self {
        let [kind, branch, tag, worker] = ["type", "branch", "tag", "worker"]
            .map(|name| pairs.get(name).unwrap_or_default().trim())
            // What cannot be seen is in no list that one could choose from.
            .map(|text| text.chars().filter(|c| !is_unsafe(*c)).collect::<String>());
        let some = |text: &String| (!text.is_empty()).then(|| text.clone());
        let filter = Filter {
            type_name: some(&kind),
            branch: some(&branch),
            tag: some(&tag),
            status: some(&worker),
            ..Filter::default()
        };
        Self { filter, kind, branch, tag, worker, open: pairs.get("steps") == Some("open") }
    }

    /// Returns whether a checkpoint is meant.
    pub(crate) fn takes(&self, entry: &Entry) -> bool {
        (!self.open || entry.open_steps() > 0) && entry.passes(&self.filter)
    }

    /// Returns the same with another type.
    pub(super) fn with_kind(&self, kind: &str) -> Self {
        let type_name = (!kind.is_empty()).then(|| kind.to_owned());
        let filter = Filter { type_name, ..self.filter.clone() };
        Self { filter, kind: kind.to_owned(), ..self.clone() }
    }

    /// Returns whether something is asked besides the type.
    pub(super) fn is_narrow(&self) -> bool {
        let texts = [&self.branch, &self.tag, &self.worker];
        self.open || texts.iter().any(|text| !text.is_empty())
    }

    /// Writes the address of a page that shows what is meant.
    pub(super) fn href(&self, page: &str, more: &[(&str, String)]) -> String {
        let own = [
            ("type", self.kind.as_str()),
            ("branch", &self.branch),
            ("tag", &self.tag),
            ("worker", &self.worker),
            ("steps", if self.open { "open" } else { "" }),
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
