//! A set of JSON values, compared without white space.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use crate::json::compact;

/// The values seen so far, without copies of them.
#[derive(Default)]
pub(super) struct ValueSet<'a> {
    state: RandomState,
    seen: HashMap<u64, &'a [u8]>,
}

impl<'a> ValueSet<'a> {
    /// Adds a value; false if an equal one was added before.
    pub(super) fn insert(&mut self, value: &'a [u8]) -> bool {
        let text = compact(value);
        let mut tries = 0_u32;
        loop {
            let mark = self.state.hash_one((tries, &text));
            match self.seen.get(&mark) {
                None => {
                    self.seen.insert(mark, value);
                    return true;
                }
                Some(known) if compact(known) == text => return false,
                Some(_) => tries += 1,
            }
        }
    }
}
