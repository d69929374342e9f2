//! Addresses that open the page once.
//!
//! What a browser is started with can be seen by everybody on the machine, so that the token has no place there.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use skein_format::time::Time;

use super::keys::is_same;

/// How long any pass is good, in milliseconds.
pub(crate) const MAX_LINK_AGE_MS: i64 = 24 * 60 * 60 * 1000;

/// How long one is good that a browser is started with.
pub(crate) const SHORT: i64 = 60_000;

/// The passes that were used, as long as they would be good.
#[derive(Clone, Debug, Default)]
pub(super) struct UsedLinks(Arc<Mutex<BTreeSet<(i64, String)>>>);

/// Makes a pass; `nonce` tells it from any other of the same moment.
pub(super) fn make(until: i64, nonce: &str, sign: impl Fn(&str, &str) -> String) -> String {
    let (until, nonce) = (until.to_string(), nonce.replace('-', ""));
    format!("{until}-{nonce}-{}", sign(&until, &nonce))
}

impl UsedLinks {
    /// Returns whether a pass opens the page, which it does once.
    pub(super) fn take(&self, pass: &str, now: Time, sign: impl Fn(&str, &str) -> String) -> bool {
        let parts: Vec<&str> = pass.split('-').collect();
        let [end, nonce, signature] = parts[..] else { return false };
        let Ok(until) = end.parse::<i64>() else { return false };
        let now = now.as_millis();
        let good = (now..=now.saturating_add(MAX_LINK_AGE_MS)).contains(&until);
        if !good || !is_same(signature, &sign(end, nonce)) {
            return false;
        }
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|(until, _)| *until >= now);
        used.insert((until, nonce.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Credentials;
    use super::*;

    fn at(millis: i64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn a_pass_is_good_once_and_for_a_while() {
        let keys = Credentials::new("token", 1, "start");
        let pass = keys.pass(at(1_000), SHORT, "a-b");
        assert!(!keys.take(&pass, at(61_001)));
        assert!(keys.take(&pass, at(61_000)));
        assert!(!keys.take(&pass, at(61_000)));
        assert!(keys.take(&keys.pass(at(1_000), MAX_LINK_AGE_MS, "c"), at(MAX_LINK_AGE_MS)));
    }

    #[test]
    fn a_pass_cannot_be_made_up() {
        let keys = Credentials::new("token", 1, "start");
        let pass = keys.pass(at(0), SHORT, "a");
        assert!(!Credentials::new("other", 1, "start").take(&pass, at(0)));
        assert!(!Credentials::new("token", 2, "start").take(&pass, at(0)));
        // One that was used is not good again after the server was started again.
        assert!(!Credentials::new("token", 1, "next").take(&pass, at(0)));
        let longer = pass.replacen("60000-", "60001-", 1);
        for bad in [longer.as_str(), "", "--", "60000-a-", "x-y-z", "1-2-3-4"] {
            assert!(!keys.take(bad, at(1)), "{bad}");
        }
        assert!(keys.take(&pass, at(1)));
    }
}
