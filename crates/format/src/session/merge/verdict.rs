//! What a merge says of each session.

use serde::Serialize;

/// The two sides of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeSide {
    /// What the program knows.
    Memory,
    /// What the file says.
    Disk,
}

/// How the side was chosen that supplies the fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MergeReason {
    /// Only one side has the session.
    OnlyOne,
    /// Both sides say the same.
    Equal,
    /// Its activity is later, or is the only one that can be read.
    LaterActivity,
    /// The activity decides nothing, and memory is taken.
    Tie,
}

/// The result of the merge for one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The session.
    pub session_id: String,
    /// The side that supplies the fields; the disk where both say the same.
    pub won: MergeSide,
    /// How it was chosen.
    #[serde(rename = "why")]
    pub reason: MergeReason,
    /// Whether the session has ended, or ended earlier, because it has on the other side.
    pub ended_kept: bool,
    /// The other side's thread, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_root: Option<String>,
    /// The fields that only the other side has, and that stay.
    pub filled: Vec<String>,
}

/// What a merge did to a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MergedMap {
    /// Whether any byte changed.
    pub changed: bool,
    /// One verdict for each session: those on disk in their order, then those only in memory.
    pub verdicts: Vec<Verdict>,
    /// The number of entries without a key that only memory had.
    pub restored: usize,
}
