use std::borrow::Cow;

use crate::checksum::mix;

/// The size of what is kept on each file besides its name and its facts.
pub(crate) const ROW: usize = 48;

/// How a file looked when it was read; what looks the same is not read again.
///
/// Of the many bits of that as many are kept as tell any two looks apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp([u64; 2]);

impl Stamp {
    /// Takes when the content was written last, when anything about the file changed last, which programs cannot set, the
    /// number of bytes, and which file it is, where one was put in the place of another. Times are in nanoseconds.
    pub fn new(modified: i64, changed: i64, size: u64, inode: u64) -> Self {
        let look = [modified.cast_unsigned(), changed.cast_unsigned(), size, inode];
        let forth = look.iter().fold(1, |sum, part| mix(sum ^ part));
        let back = look.iter().rev().fold(2, |sum, part| mix(sum ^ part));
        // Zero says that nothing is known.
        Self([forth, back.max(1)])
    }
}

/// A document in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocId {
    pub(crate) segment: u32,
    pub(crate) doc: u32,
}

/// A file, and the document that its text has become.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    /// The name of the file.
    pub name: &'a str,
    /// How the file looked; `None` where it may have changed in the very moment that it was read,
    /// so that it is read again.
    pub stamp: Option<Stamp>,
    /// When the content says that it was written, in milliseconds.
    pub time: i64,
    /// What the caller wants to know of the file without reading it.
    pub facts: Vec<Cow<'a, str>>,
    /// What [`Writer::add`](crate::Writer::add) gave back, or
    /// [`Snapshot::doc`](crate::Snapshot::doc) of the base.
    pub doc: DocId,
}

/// A row as it is stored; names and facts are told by where they end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name_end: u32,
    pub(crate) facts_end: u32,
    pub(crate) doc: DocId,
    pub(crate) lengths: [u32; 3],
    pub(crate) stamp: Option<Stamp>,
    pub(crate) time: i64,
}

impl Row {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let [title, label, body] = self.lengths;
        for number in [self.name_end, self.facts_end, self.doc.segment, self.doc.doc, body] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for length in [title, label] {
            let length = u16::try_from(length).unwrap_or(u16::MAX);
            out.extend_from_slice(&length.to_le_bytes());
        }
        let Stamp(stamp) = self.stamp.unwrap_or(Stamp([0; 2]));
        for part in stamp {
            out.extend_from_slice(&part.to_le_bytes());
        }
        out.extend_from_slice(&self.time.to_le_bytes());
    }

    #[inline]
    pub(crate) fn read(row: &[u8; ROW]) -> Self {
        let (small, large) = row.split_at(24);
        let mut numbers = small.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut number = || numbers.next().unwrap_or_default();
        let (name_end, facts_end) = (number(), number());
        let doc = DocId { segment: number(), doc: number() };
        let (body, short) = (number(), number());
        let lengths = [short & 0xFFFF, short >> 16, body];
        let mut words = large.as_chunks::<8>().0.iter().copied();
        let mut word = || words.next().unwrap_or_default();
        let stamp = [u64::from_le_bytes(word()), u64::from_le_bytes(word())];
        let stamp = Some(Stamp(stamp)).filter(|_| stamp[1] != 0);
        Self { name_end, facts_end, doc, lengths, stamp, time: i64::from_le_bytes(word()) }
    }
}
