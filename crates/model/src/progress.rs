/// Receives the progress of a long operation.
///
/// Several threads may call it at once and often, so it must be fast.
pub trait Progress: Sync {
    /// Reports progress; a total of zero is not known yet.
    fn step(&self, done: usize, total: usize);

    /// Returns whether progress is shown; if not, it need not be counted.
    fn is_heard(&self) -> bool {
        true
    }
}

/// Progress is not shown.
impl Progress for () {
    fn step(&self, _done: usize, _total: usize) {}

    fn is_heard(&self) -> bool {
        false
    }
}
