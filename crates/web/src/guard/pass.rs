//! Addresses that open the page once.
//!
//! What a browser is started with can be seen by everybody on the machine, so that the token has no place there.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use skein_format::time::Time;

use super::keys::{digest, is_same};

/// How long a pass is good, in milliseconds.
const GOOD: i64 = 60_000;

/// The passes that were used, as long as they would be good.
#[derive(Clone, Debug, Default)]
pub(super) struct Used(Arc<Mutex<BTreeSet<(i64, String)>>>);

/// Makes a pass; `nonce` tells it from any other of the same moment.
pub(super) fn make(token: &str, port: u16, now: Time, nonce: &str) -> String {
    let (until, nonce) = (now.as_millis().saturating_add(GOOD), nonce.replace('-', ""));
    format!("{until}-{nonce}-{}", sign(token, port, until, &nonce))
}

fn sign(token: &str, port: u16, until: i64, nonce: &str) -> String {
    let (port, until) = (port.to_string(), until.to_string());
    digest(&[b"pass", token.as_bytes(), port.as_bytes(), until.as_bytes(), nonce.as_bytes()])
}

impl Used {
    /// Returns whether a pass opens the page, which it does once.
    pub(super) fn take(&self, token: &str, port: u16, now: Time, pass: &str) -> bool {
        let parts: Vec<&str> = pass.split('-').collect();
        let [until, nonce, signature] = parts[..] else { return false };
        let Ok(until) = until.parse::<i64>() else { return false };
        let now = now.as_millis();
        let good = (now..=now.saturating_add(GOOD)).contains(&until);
        if !good || !is_same(signature, &sign(token, port, until, nonce)) {
            return false;
        }
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|(until, _)| *until >= now);
        used.insert((until, nonce.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn a_pass_is_good_once_and_for_a_minute() {
        let used = Used::default();
        let take = |pass: &str, now: i64| used.take("token", 1, at(now), pass);
        let pass = make("token", 1, at(1_000), "a-b");
        assert!(!take(&pass, 61_001));
        assert!(take(&pass, 61_000));
        assert!(!take(&pass, 61_000));
        assert!(take(&make("token", 1, at(1_000), "c"), 1_000));
    }

    #[test]
    fn a_pass_cannot_be_made_up() {
        let used = Used::default();
        let pass = make("token", 1, at(0), "a");
        assert!(!used.take("other", 1, at(0), &pass));
        assert!(!used.take("token", 2, at(0), &pass));
        let longer = pass.replacen("60000-", "60001-", 1);
        for bad in [longer.as_str(), "", "--", "60000-a-", "x-y-z", "1-2-3-4"] {
            assert!(!used.take("token", 1, at(1), bad), "{bad}");
        }
        assert!(used.take("token", 1, at(1), &pass));
    }
}
