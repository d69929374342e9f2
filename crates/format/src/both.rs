//! Two computations at once.

use std::thread;

/// Runs two computations, the second on a thread of its own where one can be had, and returns what both give.
///
/// The thread has ended when this returns.
pub(crate) fn both<A, B: Send>(one: impl FnOnce() -> A, other: impl Fn() -> B + Sync) -> (A, B) {
    thread::scope(|scope| {
        let started = thread::Builder::new().spawn_scoped(scope, &other);
        let one = one();
        let done = started.ok().and_then(|started| started.join().ok());
        (one, done.unwrap_or_else(&other))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_done() {
        let text = "a b".to_owned();
        assert_eq!(both(|| text.len(), || text.split(' ').count()), (3, 2));
    }
}
