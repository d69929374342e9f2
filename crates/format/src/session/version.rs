//! The versions of the format, and their upgrades.

use crate::json;

/// Upgrades a file from one version to the next.
///
/// The input is valid JSON; the result is none if the file cannot be upgraded.
pub type UpgradeFn = fn(&[u8]) -> Option<Vec<u8>>;

/// A version that can be read.
#[derive(Clone, Copy, Debug)]
pub struct MapVersion {
    /// The number in the file.
    pub number: u32,
    /// The upgrade to the version of the next row; none for the current version.
    pub lift: Option<UpgradeFn>,
}

/// Every version that can be read, the oldest first; the last one is current.
pub const VERSIONS: &[MapVersion] = &[MapVersion { number: 1, lift: None }];

/// Returns the row of the version that is written as `raw`.
pub(super) fn row(versions: &[MapVersion], raw: &[u8]) -> Option<usize> {
    let number = json::as_u32(raw)?;
    versions.iter().position(|version| version.number == number)
}
