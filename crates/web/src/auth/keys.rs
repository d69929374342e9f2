use sha2::{Digest as _, Sha256};
use skein_format::time::Time;

use super::one_time_link::{self, UsedLinks};

/// How long a browser is let in without being seen, in milliseconds: over a weekend.
pub(crate) const SESSION: i64 = 72 * 60 * 60 * 1000;
/// A cookie that is older than this is replaced by a fresh one.
const RENEWED_AFTER: i64 = 60 * 60 * 1000;

/// What lets a request in.
///
/// The token is the workspace's and lasts. What a browser is given is bound to one start of the server and to a time, so that it is worth
/// nothing to a program that listens on the same port afterwards.
#[derive(Clone)]
pub(crate) struct Credentials {
    /// The port that the server listens on.
    pub(crate) port: u16,
    /// Proves that a program may ask.
    pub(crate) token: String,
    /// Names this start of the server; it is no secret.
    pub(crate) start: String,
    /// Proves that a write comes from a page of ours; pages carry it in a `meta` element.
    pub(crate) page: String,
    used: UsedLinks,
}

impl std::fmt::Debug for Credentials {
    /// Keeps the secrets out of what is printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("port", &self.port).finish_non_exhaustive()
    }
}

/// What a cookie is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cookie {
    Good,
    /// It is good, and should be replaced by a fresh one.
    Old,
    Bad,
}

impl Credentials {
    /// Derives the keys of a server.
    ///
    /// A cookie goes to every port of the host, so that it is worth nothing at another one.
    pub(crate) fn new(token: &str, port: u16, start: &str) -> Self {
        let start = start.replace('-', "");
        let number = port.to_string();
        let page = digest(&[b"page", token.as_bytes(), number.as_bytes(), start.as_bytes()]);
        Self { port, token: token.to_owned(), start, page, used: UsedLinks::default() }
    }

    /// Returns the name of the cookie; two servers on one machine must not overwrite each other's.
    pub(crate) fn cookie_name(&self) -> String {
        format!("skein-{}", self.port)
    }

    /// Makes the cookie of a browser that was let in.
    pub(super) fn cookie(&self, now: Time) -> String {
        let until = now.as_millis().saturating_add(SESSION);
        format!("{until}-{}", self.cookie_until(until))
    }

    fn cookie_until(&self, until: i64) -> String {
        self.sign("cookie", &[&self.start, &until.to_string()])
    }

    /// Returns whether a cookie is of this start of the server, and not too old.
    pub(super) fn judge_cookie(&self, cookie: &str, now: Time) -> Cookie {
        let Some((until, signature)) = timed(cookie, now) else { return Cookie::Bad };
        if !is_same(signature, &self.cookie_until(until)) {
            return Cookie::Bad;
        }
        let age = now.as_millis().saturating_add(SESSION).saturating_sub(until);
        if age > RENEWED_AFTER { Cookie::Old } else { Cookie::Good }
    }

    /// Makes the secret with which a page that is open can go on after the server was started again.
    ///
    /// It stands in the page and is never sent: see [`Self::is_resumed`].
    pub(crate) fn resume_key(&self, now: Time) -> String {
        let until = now.as_millis().saturating_add(SESSION);
        format!("{until}-{}", self.resume_until(until))
    }

    fn resume_until(&self, until: i64) -> String {
        self.sign("resume", &[&until.to_string()])
    }

    /// Returns whether a proof was made with a resume key of this port, for this start of the server.
    ///
    /// A program that listens on the port while the server is away gets a proof for a start that it makes up, which is no proof for any
    /// other.
    pub(super) fn is_resumed(&self, proof: &str, now: Time) -> bool {
        let Some((until, proof)) = timed(proof, now) else { return false };
        let key = format!("{until}-{}", self.resume_until(until));
        is_same(proof, &digest(&[b"again", key.as_bytes(), self.start.as_bytes()]))
    }

    /// Makes a pass, with which an address opens the page once, until a time.
    pub(crate) fn pass(&self, now: Time, life: i64, nonce: &str) -> String {
        let until = now.as_millis().saturating_add(life);
        one_time_link::make(until, nonce, |until, nonce| self.sign_pass(until, nonce))
    }

    /// Returns whether a pass opens the page, which it does once.
    pub(super) fn take(&self, pass: &str, now: Time) -> bool {
        self.used.take(pass, now, |until, nonce| self.sign_pass(until, nonce))
    }

    fn sign_pass(&self, until: &str, nonce: &str) -> String {
        self.sign("pass", &[&self.start, until, nonce])
    }

    /// Answers a challenge, so that the token need not be told to a stranger.
    pub(crate) fn prove(&self, nonce: &str, read_only: bool) -> String {
        prove(&self.token, self.port, nonce, (&self.start, read_only))
    }

    fn sign(&self, what: &str, parts: &[&str]) -> String {
        let port = self.port.to_string();
        let own = [what.as_bytes(), self.token.as_bytes(), port.as_bytes()];
        let all: Vec<&[u8]> =
            own.into_iter().chain(parts.iter().map(|part| part.as_bytes())).collect();
        digest(&all)
    }
}

/// Parts a value that says until when it is good; none where that is past, or later than any that is made.
fn timed(value: &str, now: Time) -> Option<(i64, &str)> {
    let (until, rest) = value.split_once('-')?;
    let until = until.parse::<i64>().ok()?;
    let now = now.as_millis();
    (now..=now.saturating_add(SESSION)).contains(&until).then_some((until, rest))
}

/// Returns what a server with this token answers to a challenge.
pub(crate) fn prove(
    token: &str,
    port: u16,
    nonce: &str,
    (start, read_only): (&str, bool),
) -> String {
    let mode = if read_only { "read-only" } else { "writes" };
    let port = port.to_string();
    let parts = ["hello", token, &port, nonce, start, mode];
    digest(&parts.map(str::as_bytes))
}

/// Hashes parts such that no other parts give the same; in hexadecimal digits.
pub(crate) fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        // Eight bytes on every machine: the script of the page does the same.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Compares secrets in a time that does not tell how much of them is right.
pub(crate) fn is_same(given: &str, secret: &str) -> bool {
    let (given, secret) = (Sha256::digest(given), Sha256::digest(secret));
    let differences = given.iter().zip(secret.iter()).fold(0, |all, (a, b)| all | (a ^ b));
    std::hint::black_box(differences) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_into_each_other() {
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
    fn no_key_opens_what_another_does() {
        let keys = Credentials::new("token", 20_000, "a");
        let (proof, cookie) = (keys.prove("page", false), keys.cookie(now()));
        let all = [&keys.token, &cookie, &keys.page, &keys.resume_key(now()), &proof];
        for (index, key) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| !is_same(key, other)));
        }
    }

    #[test]
    fn a_cookie_is_good_for_one_start_one_port_and_a_while() {
        let keys = Credentials::new("token", 20_000, "a");
        let cookie = keys.cookie(now());
        assert_eq!(keys.judge_cookie(&cookie, now()), Cookie::Good);
        assert_eq!(keys.judge_cookie(&cookie, later(RENEWED_AFTER + 1)), Cookie::Old);
        assert_eq!(keys.judge_cookie(&cookie, later(SESSION)), Cookie::Old);
        assert_eq!(keys.judge_cookie(&cookie, later(SESSION + 1)), Cookie::Bad);
        assert_eq!(keys.judge_cookie(&cookie, later(-1)), Cookie::Bad);
        for other in
            [Credentials::new("token", 20_000, "b"), Credentials::new("token", 20_001, "a")]
        {
            assert_eq!(other.judge_cookie(&cookie, now()), Cookie::Bad);
        }
    }

    #[test]
    fn a_page_goes_on_at_the_next_start_with_what_it_was_given() {
        let resume = |key: &str, start: &str| {
            let until = key.split_once('-').unwrap().0;
            format!("{until}-{}", digest(&[b"again", key.as_bytes(), start.as_bytes()]))
        };
        let key = Credentials::new("token", 20_000, "a").resume_key(now());
        let next = Credentials::new("token", 20_000, "b");
        assert!(next.is_resumed(&resume(&key, "b"), now()));
        assert!(!next.is_resumed(&resume(&key, "made up"), now()));
        assert!(!next.is_resumed(&resume(&key, "b"), later(SESSION + 1)));
        assert!(!next.is_resumed(&key, now()));
        assert!(!Credentials::new("token", 20_001, "b").is_resumed(&resume(&key, "b"), now()));
        assert!(!Credentials::new("other", 20_000, "b").is_resumed(&resume(&key, "b"), now()));
    }

    #[test]
    fn secrets_are_compared_whole() {
        assert!(is_same("abc", "abc"));
        assert!(!is_same("abc", "abcd"));
        assert!(!is_same("", "abc"));
    }
}
