//! The result of a merge for each session.

use serde::Serialize;

/// The two sides of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeSide {
    /// The map in the program's memory.
    Memory,
    /// The file on disk.
    Disk,
}

/// Why a side was chosen to supply the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeReason {
    /// Only one side has the session.
    OnlyOne,
    /// Both sides are equal.
    Equal,
    /// Its activity is later, or is the only one that can be parsed.
    LaterActivity,
    /// The activities are equal, or neither can be parsed; memory is taken.
    Tie,
}

/// The result of the merge for one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    pub session_id: String,
    /// The side that supplies the fields; the disk if both are equal.
    pub won: MergeSide,
    /// Why it was chosen.
    #[serde(rename = "why")]
    pub reason: MergeReason,
    /// Whether the end, or its earlier time, was taken from the other side.
    pub ended_kept: bool,
    /// The other side's thread, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_root: Option<String>,
    /// The fields that only the other side has, and that are kept.
    pub filled: Vec<String>,
}

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedMap {
    /// Whether any byte changed.
    pub changed: bool,
    /// One verdict for each session: those on disk in their order, then those only in memory.
    pub verdicts: Vec<Verdict>,
    /// The number of entries without a key that only memory had.
    pub restored: usize,
}
