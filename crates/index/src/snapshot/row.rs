/// The size of what is kept on each file besides its name and its facts.
pub(crate) const ROW: usize = 72;

/// How a file looked when it was read; what looks the same is not read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// When the content was written last, in nanoseconds.
    pub modified: i64,
    /// When anything about the file changed last, in nanoseconds; programs cannot set it.
    pub changed: i64,
    /// The number of bytes.
    pub size: u64,
    /// Which file it is, where one was put in the place of another.
    pub inode: u64,
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
    pub facts: Vec<&'a str>,
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
        let known = u32::from(self.stamp.is_some());
        let small = [
            self.name_end,
            self.facts_end,
            self.doc.segment,
            self.doc.doc,
            title,
            label,
            body,
            known,
        ];
        for number in small {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let stamp = self.stamp.unwrap_or(Stamp { modified: 0, changed: 0, size: 0, inode: 0 });
        out.extend_from_slice(&stamp.modified.to_le_bytes());
        out.extend_from_slice(&stamp.changed.to_le_bytes());
        out.extend_from_slice(&stamp.size.to_le_bytes());
        out.extend_from_slice(&stamp.inode.to_le_bytes());
        out.extend_from_slice(&self.time.to_le_bytes());
    }

    pub(crate) fn read(row: &[u8; ROW]) -> Self {
        let (small, large) = row.split_at(32);
        let mut numbers = small.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut number = || numbers.next().unwrap_or_default();
        let (name_end, facts_end) = (number(), number());
        let doc = DocId { segment: number(), doc: number() };
        let lengths = [number(), number(), number()];
        let known = number() != 0;
        let mut words = large.as_chunks::<8>().0.iter().copied();
        let mut word = || words.next().unwrap_or_default();
        let stamp = Stamp {
            modified: i64::from_le_bytes(word()),
            changed: i64::from_le_bytes(word()),
            size: u64::from_le_bytes(word()),
            inode: u64::from_le_bytes(word()),
        };
        let time = i64::from_le_bytes(word());
        Self { name_end, facts_end, doc, lengths, stamp: known.then_some(stamp), time }
    }
}
