//! Pages of a list whose entries come and go while it is read.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use skein_format::time::Time;
use skein_model::view::ThreadRow;

use crate::failure::Failure;

/// The characters of an id that are encoded in a cursor: the name of a file can contain anything.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// The place of an entry in a list: the newest first, and equal ones by id.
///
/// It never changes, so that each entry is on exactly one page, also when others are added, changed or removed between two pages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PageKey {
    reversed_millis: i64,
    id: String,
}

impl PageKey {
    pub(crate) fn new(created_at: Option<Time>, id: &str) -> Self {
        let millis = created_at.map_or(i64::MIN, Time::as_millis);
        Self { reversed_millis: millis.saturating_neg(), id: id.to_owned() }
    }

    pub(crate) fn of_row(row: &ThreadRow) -> Self {
        Self::new(row.created_at, &row.id)
    }

    /// Returns the text with which the next page is asked for. `filters` are the other parameters.
    pub(crate) fn cursor(&self, filters: &impl Hash) -> String {
        let id = utf8_percent_encode(&self.id, ESCAPED);
        format!("{}.{}.{id}", hash(filters), self.reversed_millis)
    }

    /// Reads a cursor that was made for the same filters.
    pub(crate) fn from_cursor(cursor: &str, filters: &impl Hash) -> Result<Self, Failure> {
        let begin_again = "leave cursor out to begin again";
        let mut parts = cursor.trim().splitn(3, '.');
        let mut next = || parts.next().unwrap_or_default();
        let (of, millis, id) = (next(), next(), next());
        let Ok(reversed_millis) = millis.parse() else {
            return Err(Failure::new("not a cursor of an earlier answer").hint(begin_again));
        };
        if of != hash(filters) {
            return Err(Failure::new("this cursor belongs to other parameters").hint(begin_again));
        }
        let id = percent_decode_str(id).decode_utf8_lossy().into_owned();
        Ok(Self { reversed_millis, id })
    }
}

fn hash(filters: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    filters.hash(&mut hasher);
    format!("{:08x}", hasher.finish() & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_again_and_only_with_its_filters() {
        let key = PageKey::new(Some(Time::from_millis(1_794_919_695_749)), "a.b\n`é");
        let cursor = key.cursor(&("open", 1));
        assert_eq!(PageKey::from_cursor(&cursor, &("open", 1)).ok(), Some(key));
        assert!(PageKey::from_cursor(&cursor, &("all", 1)).is_err());
        assert!(PageKey::from_cursor("junk", &("open", 1)).is_err());
    }

    #[test]
    fn the_newest_comes_first_and_one_without_a_time_last() {
        let key = |millis: i64, id| PageKey::new(Some(Time::from_millis(millis)), id);
        let mut keys = [PageKey::new(None, "x"), key(1, "b"), key(2, "c"), key(1, "a")];
        keys.sort();
        let ids: Vec<_> = keys.iter().map(|key| key.id.as_str()).collect();
        assert_eq!(ids, ["c", "a", "b", "x"]);
    }
}
