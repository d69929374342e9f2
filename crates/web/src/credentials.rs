//! The secrets of a server: the token for programs, and the secrets for browsers, which are derived from another secret.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};
use skein_format::time::Time;

/// How long a browser stays authorized without a request, in milliseconds: over a weekend.
pub(crate) const SESSION_AGE_MS: i64 = 72 * 60 * 60 * 1000;
/// A cookie that is older than this is replaced by a new one, in milliseconds.
const RENEW_AFTER_MS: i64 = 60 * 60 * 1000;
/// How long a printed one-time link is valid, in milliseconds.
pub(crate) const MAX_LINK_AGE_MS: i64 = 24 * 60 * 60 * 1000;
/// How long a one-time link that a browser is started with is valid, in milliseconds. Every process on the machine can see the
/// arguments of a program.
pub(crate) const SHORT_LINK_AGE_MS: i64 = 60_000;

/// The secrets that authorize a request.
///
/// The token belongs to the workspace and does not change; a program that has it signs as a program. The secrets for a browser are bound to one start of the server and to a
/// time, so that a program that listens on the same port later cannot use them.
#[derive(Clone)]
pub(crate) struct Credentials {
    /// The port of the server.
    pub(crate) port: u16,
    /// Authorizes a program.
    pub(crate) token: String,
    /// What the secrets of browsers are derived from.
    browser: String,
    /// Identifies this start of the server; not secret.
    pub(crate) start: String,
    /// Proves that a write comes from a page of this server. Pages have it in the storage of their origin, which includes the port; no page
    /// contains it, because the servers of other ports get the cookie and could request a page with it.
    pub(crate) page: String,
    /// One-time links that were used and have not expired: their expiry and nonce.
    used_links: Arc<Mutex<BTreeSet<(i64, String)>>>,
}

impl std::fmt::Debug for Credentials {
    /// Leaves out the secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Credentials").field("port", &self.port).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CookieState {
    Good,
    /// Valid, but should be replaced by a new one.
    Old,
    Bad,
}

impl Credentials {
    /// Derives the secrets of a server. Browsers send a cookie to every port of a host, so the port is part of them.
    pub(crate) fn new((token, browser): (&str, &str), port: u16, start: &str) -> Self {
        let start = start.replace('-', "");
        let number = port.to_string();
        let page = digest(&["page", browser, &number, &start].map(str::as_bytes));
        let (token, browser) = (token.to_owned(), browser.to_owned());
        Self { port, token, browser, start, page, used_links: Arc::default() }
    }

    /// Returns the name of the cookie; two servers on one machine must not overwrite each other's.
    pub(crate) fn cookie_name(&self) -> String {
        format!("skein-{}", self.port)
    }

    /// Returns a cookie for a browser that is authorized.
    pub(crate) fn cookie(&self, now: Time) -> String {
        let until = now.as_millis().saturating_add(SESSION_AGE_MS);
        format!("{until}-{}", self.sign("cookie", &[&self.start, &until.to_string()]))
    }

    /// Checks that a cookie is from this start of the server, and not too old.
    pub(crate) fn check_cookie(&self, cookie: &str, now: Time) -> CookieState {
        let Some((until, signature)) = unexpired(cookie, now, SESSION_AGE_MS) else {
            return CookieState::Bad;
        };
        if !is_same(signature, &self.sign("cookie", &[&self.start, &until.to_string()])) {
            return CookieState::Bad;
        }
        let age = now.as_millis().saturating_add(SESSION_AGE_MS).saturating_sub(until);
        if age > RENEW_AFTER_MS { CookieState::Old } else { CookieState::Good }
    }

    /// Returns the secret with which an open page can continue after a restart of the server.
    ///
    /// Pages store it and never send it: see [`Self::is_resumed`].
    pub(crate) fn resume_key(&self, now: Time) -> String {
        self.resume_key_until(now.as_millis().saturating_add(SESSION_AGE_MS))
    }

    fn resume_key_until(&self, until: i64) -> String {
        format!("{until}-{}", self.sign("resume", &[&until.to_string()]))
    }

    /// Checks that a proof was made with a resume key of this port, for this start of the server.
    ///
    /// A program that listens on the port while the server is down gets a proof for the start that it claims, which
    /// is invalid for any other.
    pub(crate) fn is_resumed(&self, proof: &str, now: Time) -> bool {
        let Some((until, proof)) = unexpired(proof, now, SESSION_AGE_MS) else { return false };
        let key = self.resume_key_until(until);
        is_same(proof, &digest(&["again", &key, &self.start].map(str::as_bytes)))
    }

    /// Returns the secret of a one-time link; `nonce` makes it unique.
    pub(crate) fn one_time_secret(&self, now: Time, age_ms: i64, nonce: &str) -> String {
        let until = now.as_millis().saturating_add(age_ms).to_string();
        let nonce = nonce.replace('-', "");
        format!("{until}-{nonce}-{}", self.sign("pass", &[&self.start, &until, &nonce]))
    }

    /// Checks the secret of a one-time link, and marks it as used.
    pub(crate) fn redeem(&self, secret: &str, now: Time) -> bool {
        let Some((until, rest)) = unexpired(secret, now, MAX_LINK_AGE_MS) else { return false };
        let Some((nonce, signature)) = rest.split_once('-') else { return false };
        if !is_same(signature, &self.sign("pass", &[&self.start, &until.to_string(), nonce])) {
            return false;
        }
        let mut used = self.used_links.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|(until, _)| *until >= now.as_millis());
        used.insert((until, nonce.to_owned()))
    }

    /// Answers a challenge, so that the token need not be sent to an unknown process.
    pub(crate) fn prove(&self, nonce: &str, mode: ServerMode) -> String {
        prove(&self.token, self.port, nonce, (&self.start, mode))
    }

    fn sign(&self, purpose: &str, parts: &[&str]) -> String {
        let port = self.port.to_string();
        let own = [purpose, &self.browser, &port];
        let all: Vec<&[u8]> = own.iter().chain(parts).map(|part| part.as_bytes()).collect();
        digest(&all)
    }
}

/// Splits a value that begins with its expiry time. Returns `None` if that is in the past, or later than this server can have set it.
fn unexpired(value: &str, now: Time, max_age_ms: i64) -> Option<(i64, &str)> {
    let (until, rest) = value.split_once('-')?;
    let until = until.parse::<i64>().ok()?;
    let now = now.as_millis();
    (now..=now.saturating_add(max_age_ms)).contains(&until).then_some((until, rest))
}

/// What a server does, by which processes of the same workspace tell servers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ServerMode {
    pub(crate) read_only: bool,
    /// Whether an agent started it, so that its pages sign as this agent.
    pub(crate) is_of_agent: bool,
}

impl ServerMode {
    /// Returns the secret from which the secrets for browsers are derived.
    ///
    /// An agent that starts a server gets the keys of its pages. They must not open a server that the user starts later on the same port.
    pub(crate) fn browser_secret(self, stored: &str) -> String {
        match self.is_of_agent {
            true => digest(&["agent", stored].map(str::as_bytes)),
            false => stored.to_owned(),
        }
    }
}

/// Returns the answer of a server with this token to a challenge.
pub(crate) fn prove(
    token: &str,
    port: u16,
    nonce: &str,
    (start, mode): (&str, ServerMode),
) -> String {
    let access = if mode.read_only { "read-only" } else { "writes" };
    let owner = if mode.is_of_agent { "agent" } else { "user" };
    let port = port.to_string();
    digest(&["hello", token, &port, nonce, start, access, owner].map(str::as_bytes))
}

/// Returns a hash of the parts, in hexadecimal digits. The length of each part is included, so that other parts have another hash.
pub(crate) fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Eight bytes on every machine: the script of the page computes the same hash.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares secrets in constant time.
pub(crate) fn is_same(given: &str, secret: &str) -> bool {
    let (given, secret) = (Sha256::digest(given), Sha256::digest(secret));
    let differences = given.iter().zip(secret.iter()).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_where_its_parts_end() {
        assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
        assert_ne!(digest(&[b"ab"]), digest(&[b"ab", b""]));
    }

    fn now() -> Time {
        Time::from_millis(1_000_000_000)
    }

    fn later(millis: i64) -> Time {
        Time::from_millis(now().as_millis() + millis)
    }

    #[test]
    fn all_credentials_are_different() {
        let keys = Credentials::new(("token", "browser"), 20_000, "a");
        let mode = ServerMode { read_only: false, is_of_agent: false };
        let (proof, cookie) = (keys.prove("page", mode), keys.cookie(now()));
        let all = [&keys.token, &cookie, &keys.page, &keys.resume_key(now()), &proof];
        for (index, key) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| !is_same(key, other)));
        }
    }

    #[test]
    fn a_cookie_is_valid_for_one_start_one_port_and_a_limited_time() {
        let keys = Credentials::new(("token", "browser"), 20_000, "a");
        let cookie = keys.cookie(now());
        assert_eq!(keys.check_cookie(&cookie, now()), CookieState::Good);
        assert_eq!(keys.check_cookie(&cookie, later(RENEW_AFTER_MS + 1)), CookieState::Old);
        assert_eq!(keys.check_cookie(&cookie, later(SESSION_AGE_MS)), CookieState::Old);
        assert_eq!(keys.check_cookie(&cookie, later(SESSION_AGE_MS + 1)), CookieState::Bad);
        assert_eq!(keys.check_cookie(&cookie, later(-1)), CookieState::Bad);
        for other in [
            Credentials::new(("token", "browser"), 20_000, "b"),
            Credentials::new(("token", "browser"), 20_001, "a"),
        ] {
            assert_eq!(other.check_cookie(&cookie, now()), CookieState::Bad);
        }
    }

    #[test]
    fn a_page_resumes_after_a_restart_with_its_resume_key() {
        let resume = |key: &str, start: &str| {
            let until = key.split_once('-').unwrap().0;
            format!("{until}-{}", digest(&[b"again", key.as_bytes(), start.as_bytes()]))
        };
        let key = Credentials::new(("token", "browser"), 20_000, "a").resume_key(now());
        let next = Credentials::new(("token", "browser"), 20_000, "b");
        assert!(next.is_resumed(&resume(&key, "b"), now()));
        assert!(!next.is_resumed(&resume(&key, "made up"), now()));
        assert!(!next.is_resumed(&resume(&key, "b"), later(SESSION_AGE_MS + 1)));
        assert!(!next.is_resumed(&key, now()));
        assert!(
            !Credentials::new(("token", "browser"), 20_001, "b")
                .is_resumed(&resume(&key, "b"), now())
        );
        assert!(
            !Credentials::new(("token", "other"), 20_000, "b")
                .is_resumed(&resume(&key, "b"), now())
        );
    }

    #[test]
    fn secrets_are_compared_whole() {
        assert!(is_same("abc", "abc"));
        assert!(!is_same("abc", "abcd"));
        assert!(!is_same("", "abc"));
    }

    fn at(millis: i64) -> Time {
        Time::from_millis(millis)
    }

    #[test]
    fn a_link_is_valid_once_and_for_a_limited_time() {
        let keys = Credentials::new(("token", "browser"), 1, "start");
        let secret = keys.one_time_secret(at(1_000), SHORT_LINK_AGE_MS, "a-b");
        assert!(!keys.redeem(&secret, at(61_001)));
        assert!(keys.redeem(&secret, at(61_000)));
        assert!(!keys.redeem(&secret, at(61_000)));
        assert!(
            keys.redeem(
                &keys.one_time_secret(at(1_000), MAX_LINK_AGE_MS, "c"),
                at(MAX_LINK_AGE_MS)
            )
        );
    }

    #[test]
    fn a_link_cannot_be_forged() {
        let keys = Credentials::new(("token", "browser"), 1, "start");
        let secret = keys.one_time_secret(at(0), SHORT_LINK_AGE_MS, "a");
        assert!(!Credentials::new(("token", "other"), 1, "start").redeem(&secret, at(0)));
        assert!(!Credentials::new(("token", "browser"), 2, "start").redeem(&secret, at(0)));
        // A used link is not valid again after a restart.
        assert!(!Credentials::new(("token", "browser"), 1, "next").redeem(&secret, at(0)));
        let longer = secret.replacen("60000-", "60001-", 1);
        for bad in [longer.as_str(), "", "--", "60000-a-", "x-y-z", "1-2-3-4"] {
            assert!(!keys.redeem(bad, at(1)), "{bad}");
        }
        assert!(keys.redeem(&secret, at(1)));
    }
}
