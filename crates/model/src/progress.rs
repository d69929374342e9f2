/// Receives the progress of a long operation.
///
/// Several threads may call it at once and often, so it must be fast.
pub trait Progress: Sync {
    /// Reports progress; a total of zero means that it is not known yet.
    fn step(&self, done: usize, total: usize);

    /// Returns whether progress is shown; if not, callers need not count it.
    fn is_shown(&self) -> bool {
        true
    }
}

/// Does not show progress.
impl Progress for () {
    fn step(&self, _done: usize, _total: usize) {}

    fn is_shown(&self) -> bool {
        false
    }
}
