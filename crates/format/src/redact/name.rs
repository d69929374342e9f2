//! Names such as `password`, which indicate a secret value.

use super::hit::Hit;
use super::judge::{NameKind, is_one_of};
use super::rules::{Chars, Name};
use crate::span::Span;

/// Maximum number of bytes of a name before and after its keyword.
///
/// Without a limit, a long line that consists of keywords would be read once for each of them.
const MAX_NAME_LEN: usize = 64;

/// A name in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Identifier<'a> {
    /// The whole name.
    pub(super) span: Span,
    /// The part before the keyword.
    before: &'a [u8],
    /// The keyword, such as `password`.
    word: &'a [u8],
    /// The part after the keyword.
    after: &'a [u8],
}

impl<'a> Identifier<'a> {
    pub(super) fn around(hit: Hit<'a>) -> Self {
        let Hit { bytes, start, floor } = hit;
        let floor = start.start.saturating_sub(MAX_NAME_LEN).max(floor);
        let left = bytes.get(floor..start.start).unwrap_or_default();
        let count = left.iter().rev().take_while(|byte| Chars::Word.has(**byte)).count();
        let from = start.start - count;
        let to = Chars::Word.run(bytes.get(..start.end + MAX_NAME_LEN).unwrap_or(bytes), start.end);
        Self {
            span: Span::new(from, to),
            before: Span::new(from, start.start).of(bytes),
            word: start.of(bytes),
            after: Span::new(start.end, to).of(bytes),
        }
    }

    /// Returns whether it is written in upper case, like an environment variable.
    pub(super) fn is_upper_case(&self) -> bool {
        !self.word.iter().chain(self.after).any(u8::is_ascii_lowercase)
    }

    /// Returns whether it is an option, such as `--db-password`.
    pub(super) fn is_option(&self, bytes: &[u8]) -> bool {
        let before = self.span.start.checked_sub(1).and_then(|at| bytes.get(at));
        let is_alone =
            before.is_none_or(|byte| byte.is_ascii_whitespace() || b"\"'`[(".contains(byte));
        let name = self.span.of(bytes);
        name.starts_with(b"--") || name.starts_with(b"-") && is_alone
    }

    /// Returns whether it is the name of a header, such as `X-Api-Key`.
    pub(super) fn is_header(&self, bytes: &[u8]) -> bool {
        let name = self.span.of(bytes);
        let is_capital = name.first().is_some_and(u8::is_ascii_uppercase);
        name.contains(&b'-') && (is_capital || name.starts_with(b"x-"))
    }

    /// Returns the kind of the value, or none if the name does not indicate a secret.
    pub(super) fn kind(&self, bytes: &[u8], name: Name) -> Option<NameKind> {
        if self.is_other_word() {
            return None;
        }
        let after = parts(self.after);
        let is_secret_id = after == ["id"] && self.word.eq_ignore_ascii_case(b"secret");
        if after.iter().any(|part| is_one_of(OTHER_THINGS, part.as_bytes()) && !is_secret_id) {
            return None;
        }
        let before = parts(self.before);
        let last = before.last().map(String::as_str).unwrap_or_default();
        let is_start = self.before.last().is_none_or(|byte| !byte.is_ascii_lowercase())
            || self.word.first().is_some_and(u8::is_ascii_uppercase);
        match name {
            Name::Password => Some(NameKind::Password),
            Name::Pat => is_start.then_some(NameKind::OtherKey),
            Name::Service => {
                let names_another = |part: &String| is_one_of(OTHER_SETTINGS, part.as_bytes());
                let is_token = is_start && !after.iter().any(names_another);
                is_token.then_some(NameKind::Service)
            }
            Name::Short => {
                let is_whole = after.iter().all(|part| is_one_of(SHORT_ENDS, part.as_bytes()));
                let is_known = is_start || is_one_of(SHORT_STARTS, last.as_bytes());
                (is_whole && is_known).then_some(NameKind::Password)
            }
            Name::Token => (!is_one_of(OTHER_TOKENS, last.as_bytes())).then_some(NameKind::Token),
            Name::Key => {
                let apart = self.word_apart(bytes);
                let last = if self.before.is_empty() { apart.as_str() } else { last };
                let is_key = is_one_of(KEYS, last.as_bytes()) || last.ends_with("api");
                if apart == "rsa" && self.is_before_fingerprint(bytes) {
                    return None;
                }
                let is_compound = !self.before.is_empty() && (is_start || self.is_upper_case());
                let is_other = (is_compound || self.is_parameter(bytes))
                    && !is_one_of(OTHER_KEYS, last.as_bytes());
                if is_key { Some(NameKind::Key) } else { is_other.then_some(NameKind::OtherKey) }
            }
        }
    }

    /// Returns whether the keyword is the start of another word, as in `tokenizer`; the plural is the same word.
    fn is_other_word(&self) -> bool {
        let is_lower = self.word.last().is_some_and(u8::is_ascii_lowercase);
        let goes_on = |byte: &&u8| match is_lower {
            true => byte.is_ascii_lowercase(),
            false => byte.is_ascii_uppercase(),
        };
        let more: Vec<&u8> = self.after.iter().take_while(goes_on).collect();
        !matches!(more.as_slice(), [] | [b's' | b'S'])
    }

    /// Returns whether it is alone before a value, as in `?key=…` and `key = "…"`.
    fn is_parameter(&self, bytes: &[u8]) -> bool {
        let rest = bytes.get(self.span.end..).unwrap_or_default();
        let is_assigned = matches!(rest, [b'=', ..] | [b' ', b'=', b' ', ..]);
        self.before.is_empty() && self.after.is_empty() && is_assigned
    }

    /// Returns whether the fingerprint of a public key follows, as `gpg` prints it: `RSA key 8F3A…`.
    fn is_before_fingerprint(&self, bytes: &[u8]) -> bool {
        let from = self.span.end + 1;
        let len = Chars::Upper.run(bytes, from) - from;
        let value = Span::new(from, from + len).of(bytes);
        matches!(len, 16 | 40) && value.iter().all(u8::is_ascii_hexdigit)
    }

    /// Returns the word that is separated from the name by a space, as in `API key`.
    fn word_apart(&self, bytes: &[u8]) -> String {
        let before = bytes.get(..self.span.start).unwrap_or_default();
        let Some(before) = before.strip_suffix(b" ") else { return String::new() };
        let count = before.iter().rev().take(16).take_while(|byte| byte.is_ascii_alphabetic());
        let word = before.get(before.len() - count.count()..).unwrap_or_default();
        String::from_utf8_lossy(word).to_ascii_lowercase()
    }
}

/// Splits a name into its words, in lower case; numbers are left out.
fn parts(name: &[u8]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut before = b'_';
    for byte in name {
        let is_new = !before.is_ascii_alphabetic()
            || before.is_ascii_lowercase() && byte.is_ascii_uppercase();
        if byte.is_ascii_alphabetic() {
            match parts.last_mut().filter(|_| !is_new) {
                Some(part) => part.push(char::from(byte.to_ascii_lowercase())),
                None => parts.push(char::from(byte.to_ascii_lowercase()).to_string()),
            }
        }
        before = *byte;
    }
    parts
}

/// Words that may be directly before `pass` or `pwd`.
const SHORT_STARTS: &str = "\
    db user smtp mysql root admin ftp my";

/// Words that may follow `pass` or `pwd`.
const SHORT_ENDS: &str = "\
    word phrase code wd prod dev s";

/// Words before `key` that make it a secret.
const KEYS: &str = "\
    access account activation admin aes api app application auth authentication client consumer data dd \
    decryption deploy encrypt encryption function functions hmac ingest ingestion integration licence license \
    mailchimp mailgun management master openai preshared private recovery root rsa secret server service session shared sign signing ssh \
    storage subscription unseal webhook write";

/// Words after the name of a service for settings that are not secret.
const OTHER_SETTINGS: &str = "\
    board domain from gid list message project sender sid stream task team template to webhook workspace";

/// Words before `key` for keys that are not secret.
const OTHER_KEYS: &str = "\
    build cache composite dedup foreign group hash host idempotency index join key lookup map object order partition \
    primary public query registry route row sort trace translation unique";

/// Words before `token` and similar keywords for values that are not secret.
const OTHER_TOKENS: &str = "\
    bos cancel cancellation cls continuation design eos lookahead mask next pad page prev previous public sep \
    unk";

/// Words after the keyword with which the name does not mean the secret itself.
const OTHER_THINGS: &str = "\
    age algorithm alias arn attempts audience available budget cache callback changed check checker checking \
    class cost count counter created digest dir directory enabled endpoint error errors exists expiration \
    expired expires expiry field file filename fingerprint form format formatter generator handler hash hashed \
    header help hint host icon id ids index input invalid issuer kind label len length lifetime limit link list \
    loader location manager map max message min mode model mount name names namespace num number offset options \
    order page param parser path paths pattern placeholder policy position prefix prompt provider range rate \
    reader ref reference refs regex region required reset resolver review rotation rule rules scope scopes \
    service size source span state status store strategy strength suffix table tests text title tree ttl \
    type types uri url urls usage used validation validator valid version visible";
