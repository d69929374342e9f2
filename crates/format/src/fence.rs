//! Fenced code blocks, as defined by CommonMark.

/// The line that opens a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    mark: u8,
    len: usize,
    /// The number of spaces before it, which are removed from the lines inside.
    pub(crate) indent: usize,
    /// The text after the fence.
    pub(crate) info: &'a [u8],
}

impl<'a> Fence<'a> {
    /// Reads a line, without its end, as an opening fence.
    pub(crate) fn open(line: &'a [u8]) -> Option<Self> {
        let (indent, mark, len) = run(line)?;
        let info = line.get(indent + len..).unwrap_or_default().trim_ascii();
        if mark == b'`' && info.contains(&b'`') {
            return None;
        }
        Some(Self { mark, len, indent, info })
    }

    /// Returns the byte that the fence is made of.
    pub(crate) fn mark(&self) -> u8 {
        self.mark
    }

    /// Returns the first word after the fence.
    pub(crate) fn language(&self) -> &'a [u8] {
        self.info.split(u8::is_ascii_whitespace).next().unwrap_or_default()
    }

    /// Returns whether the line, without its end, closes the block.
    pub(crate) fn is_closed_by(&self, line: &[u8]) -> bool {
        run(line).is_some_and(|(indent, mark, len)| {
            let rest = line.get(indent + len..).unwrap_or_default();
            mark == self.mark && len >= self.len && rest.trim_ascii().is_empty()
        })
    }
}

/// Returns the indent, the mark and its count if a line starts with three marks or more.
fn run(line: &[u8]) -> Option<(usize, u8, usize)> {
    let indent = line.iter().take_while(|byte| **byte == b' ').count();
    let mark = *line.get(indent).filter(|byte| indent < 4 && b"`~".contains(byte))?;
    let len = line.iter().skip(indent).take_while(|byte| **byte == mark).count();
    (len >= 3).then_some((indent, mark, len))
}
