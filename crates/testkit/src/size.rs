//! How large a test with many processes is.

/// Returns the size of a test: `usual`, or `full` if `SKEIN_TEST_FULL` is set.
pub fn size(usual: usize, full: usize) -> usize {
    if std::env::var_os("SKEIN_TEST_FULL").is_some() { full } else { usual }
}
