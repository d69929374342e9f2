//! Ends a thread also when the test fails.

use std::sync::atomic::{AtomicBool, Ordering};

/// Sets a flag when it is dropped, so that a thread that waits for the flag also ends after a panic.
///
/// `std::thread::scope` waits for all threads, so that the test would hang otherwise.
pub struct SetOnDrop<'a>(pub &'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
