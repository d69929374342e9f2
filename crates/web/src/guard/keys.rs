use sha2::{Digest as _, Sha256};
use skein_format::time::Time;

use super::pass::{self, Used};

/// What lets a request in; all of it comes from the token of the workspace.
#[derive(Clone)]
pub(crate) struct Keys {
    /// The port that the server listens on.
    pub(crate) port: u16,
    /// Proves that a program may ask.
    pub(crate) token: String,
    /// Proves that a browser was given the token once.
    pub(crate) cookie: String,
    /// Proves that a write comes from a page of ours; pages carry it in a `meta` element.
    pub(crate) page: String,
    used: Used,
}

impl std::fmt::Debug for Keys {
    /// Keeps the secrets out of what is printed.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Keys {
    /// Derives the keys of a server.
    ///
    /// A cookie goes to every port of the host, so that it is worth nothing at another one.
    pub(crate) fn new(token: &str, port: u16) -> Self {
        let derive =
            |what: &str| digest(&[what.as_bytes(), token.as_bytes(), port.to_string().as_bytes()]);
        let used = Used::default();
        Self { port, token: token.to_owned(), cookie: derive("cookie"), page: derive("page"), used }
    }

    /// Returns the name of the cookie; two servers on one machine must not overwrite each other's.
    pub(crate) fn cookie_name(&self) -> String {
        format!("skein-{}", self.port)
    }

    /// Makes a pass, with which an address opens the page once.
    pub(crate) fn pass(&self, now: Time, nonce: &str) -> String {
        pass::make(&self.token, self.port, now, nonce)
    }

    /// Returns whether a pass opens the page, which it does once.
    pub(super) fn take(&self, pass: &str, now: Time) -> bool {
        self.used.take(&self.token, self.port, now, pass)
    }

    /// Answers a challenge, so that the token need not be told to a stranger.
    pub(crate) fn prove(&self, nonce: &str, read_only: bool) -> String {
        prove(&self.token, self.port, nonce, read_only)
    }
}

/// Returns what a server with this token answers to a challenge.
pub(crate) fn prove(token: &str, port: u16, nonce: &str, read_only: bool) -> String {
    let mode = if read_only { "read-only" } else { "writes" };
    let port = port.to_string();
    digest(&[b"hello", token.as_bytes(), port.as_bytes(), nonce.as_bytes(), mode.as_bytes()])
}

/// Hashes parts such that no other parts give the same; in hexadecimal digits.
pub(crate) fn digest(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
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

    #[test]
    fn no_key_opens_what_another_does() {
        let keys = Keys::new("token", 20_000);
        let all = [&keys.token, &keys.cookie, &keys.page, &keys.prove("page", false)];
        for (index, key) in all.iter().enumerate() {
            assert!(all.iter().skip(index + 1).all(|other| !is_same(key, other)));
        }
        assert_ne!(Keys::new("token", 20_001).cookie, keys.cookie);
    }

    #[test]
    fn secrets_are_compared_whole() {
        assert!(is_same("abc", "abc"));
        assert!(!is_same("abc", "abcd"));
        assert!(!is_same("", "abc"));
    }
}
