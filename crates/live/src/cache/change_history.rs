//! The files that changed recently.

use std::collections::{BTreeSet, VecDeque};

/// Maximum number of history entries.
const REMEMBERED: usize = 64;

/// The history of changed files.
#[derive(Default)]
pub(super) struct ChangeHistory {
    /// How often files have changed.
    count: u64,
    /// The files of the last changes; none if it is not known.
    last: VecDeque<Option<BTreeSet<String>>>,
}

impl ChangeHistory {
    /// Returns how often files have changed.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Adds changed files; none means any file.
    pub(super) fn add(&mut self, changed: Option<BTreeSet<String>>) {
        self.count += 1;
        self.last.push_back(changed);
        if self.last.len() > REMEMBERED {
            self.last.pop_front();
        }
    }

    /// Returns the files that changed since an earlier value of [`Self::count`]; none if that is not known.
    pub(super) fn since(&self, count: u64) -> Option<BTreeSet<String>> {
        let missed = usize::try_from(self.count - count).ok()?;
        let from = self.last.len().checked_sub(missed)?;
        let mut all = BTreeSet::new();
        for changed in self.last.iter().skip(from) {
            all.extend(changed.as_ref()?.iter().cloned());
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(past: &ChangeHistory, count: u64, expected: Option<&str>) {
        let since = past.since(count);
        let shown = since.map(|all| all.into_iter().collect::<Vec<_>>().join(" "));
        assert_eq!(shown.as_deref(), expected);
    }

    #[test]
    fn what_is_too_long_ago_is_not_known() {
        let mut past = ChangeHistory::default();
        let file = |name: &str| Some(BTreeSet::from([name.to_owned()]));
        past.add(None);
        past.add(file("a"));
        past.add(file("b"));
        check(&past, 3, Some(""));
        check(&past, 2, Some("b"));
        check(&past, 1, Some("a b"));
        check(&past, 0, None);
        for _ in 0..REMEMBERED - 1 {
            past.add(file("c"));
        }
        check(&past, 2, Some("b c"));
        check(&past, 1, None);
    }
}
