/// Is told how far long work has come.
///
/// Several threads may tell at once, and each of them often: who listens must be quick.
pub trait Progress: Sync {
    /// So much of all is done; a total of zero is not known yet.
    fn step(&self, done: usize, total: usize);

    /// Returns whether anybody listens; who counts for nobody need not count.
    fn is_heard(&self) -> bool {
        true
    }
}

/// Nobody wants to know.
impl Progress for () {
    fn step(&self, _done: usize, _total: usize) {}

    fn is_heard(&self) -> bool {
        false
    }
}
