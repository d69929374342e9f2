use crate::directory::file::Sealed;

/// What the snapshot knows of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SegmentEntry {
    /// The number that [`DocId`](crate::DocId) names; it is never given twice.
    pub(crate) number: u32,
    /// The number that the library names the files by.
    pub(crate) uuid: String,
    /// How many documents were added, whether they still count or not.
    pub(crate) docs: u32,
    pub(crate) files: Vec<Sealed>,
}

impl SegmentEntry {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put(out, self.number);
        put_text(out, &self.uuid);
        put(out, self.docs);
        put(out, count(self.files.len()));
        for file in &self.files {
            put_text(out, &file.name);
            out.extend_from_slice(&file.length.to_le_bytes());
            put(out, count(file.sums.len()));
            for sum in &file.sums {
                put(out, *sum);
            }
        }
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let number = from.u32()?;
        let uuid = from.text()?;
        let docs = from.u32()?;
        let files = (0..from.u32()?).map(|_| read_file(from)).collect::<Option<_>>()?;
        Some(Self { number, uuid, docs, files })
    }
}

fn read_file(from: &mut Reader<'_>) -> Option<Sealed> {
    let name = from.text()?;
    let length = from.u64()?;
    let blocks = from.u32()?;
    let sums = from.take(usize::try_from(blocks).ok()?.checked_mul(4)?)?;
    let sums = sums.as_chunks::<4>().0.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
    Some(Sealed { name, length, sums })
}

/// Reads numbers one after another; `None` where the bytes end too soon.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// Reads how many bytes follow, and those.
    pub(crate) fn bytes(&mut self) -> Option<Vec<u8>> {
        let length = self.u32()?;
        self.take(usize::try_from(length).ok()?).map(<[u8]>::to_vec)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }
}

fn put(out: &mut Vec<u8>, number: u32) {
    out.extend_from_slice(&number.to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, count(text.len()));
    out.extend_from_slice(text.as_bytes());
}

/// The counts here are of files, blocks and the bytes of a name, which are never near the limit;
/// one that were would be told from the right one by its checksum when it is read.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
