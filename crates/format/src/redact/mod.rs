//! Takes secrets out of what Skein writes and shows.
//!
//! It never touches source, diffs, suggestions or comments: that would falsify a review.

mod json;
mod rules;
mod shape;

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::span::Span;
pub use json::redact_json;
pub use rules::{RULES, Rule};

/// A place that looks like a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The rule that it follows.
    pub rule: &'static str,
    /// What is to be taken out.
    pub span: Span,
}

/// What every replaced secret starts with; it is never taken for a part of another one.
const MARK: &str = "[REDACTED:";

static STARTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    // The table is built once; the largest form of it is the one that reads the fastest.
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(RULES.iter().map(|rule| rule.start))
        .ok()
});

/// Finds what looks like a secret, from left to right.
pub fn find(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    let Some(starts) = STARTS.as_ref() else {
        return found;
    };
    let mut from = 0;
    while let Some(hit) = starts.find(text.as_bytes().get(from..).unwrap_or_default()) {
        let start = Span::new(from + hit.start(), from + hit.end());
        from = start.end;
        let Some(rule) = RULES.get(hit.pattern().as_usize()) else {
            continue;
        };
        let behind = found.last().map(|last| last.span.end);
        let Some(span) = shape::secret(rule, text.as_bytes(), start, behind) else {
            continue;
        };
        if behind.is_some_and(|end| end > span.start) {
            continue;
        }
        from = span.end.max(from);
        found.push(Found { rule: rule.name, span });
    }
    found
}

/// Replaces what looks like a secret by `[REDACTED:rule]`; doing so twice changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for secret in found {
        out.push_str(text.get(from..secret.span.start).unwrap_or_default());
        out.push_str(MARK);
        out.push_str(secret.rule);
        out.push(']');
        from = secret.span.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// Takes credentials, query and fragment out of the address of a remote.
///
/// The credentials end at the last `@` before the path; the user of `git@host:path` is none.
pub fn redact_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return redact(url).into_owned();
    };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = match rest.find('/') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let user = if scheme == "ssh" && authority.starts_with("git@") { "git@" } else { "" };
    format!("{scheme}://{user}{host}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let once = redact(text);
        assert_eq!(once, expected);
        assert_eq!(redact(&once), once);
    }

    #[test]
    fn every_rule_finds_its_example_and_only_once() {
        for rule in RULES {
            // The examples are cut in two, so that no scanner takes this file for a leak.
            let secret = rule.example.concat();
            let text = format!("see {secret} there");
            let found = find(&text);
            assert_eq!(found.len(), 1, "{}: {text}", rule.name);
            assert_eq!(found[0].rule, rule.name, "{text}");
            let redacted = redact(&text).into_owned();
            assert!(redacted.contains(&format!("[REDACTED:{}]", rule.name)), "{redacted}");
            assert!(redacted.starts_with("see ") && redacted.ends_with(" there"), "{redacted}");
            assert_eq!(redact(&redacted), redacted);
        }
    }

    #[test]
    fn leaves_hashes_ids_and_prose_alone() {
        for text in [
            "commit 9fceb02d0ae598e95dc970b74767f19372d61af8 and 9fceb02",
            "session fd7a841d-2f89-47e9-9778-4a1e108cb923",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "the token: it expires; password: see the vault; secret = yes",
            "git@github.com:user/repo.git",
            "ssh://git@example.org/x.git",
            "https://example.org/a@b/c?d=e",
            "PASSWORD=$PASSWORD token=${TOKEN} api_key=<your key>",
            "risk-ant-farm disk_live_test",
            "target/debug/deps/libserde-9fceb02d0ae598e9.rlib",
            ".git/objects/9f/ceb02d0ae598e95dc970b74767f19372d61af8",
            "assets/app.9fceb02d0ae598e95dc9.js and dist/token-9fceb02d.js",
            "/home/me/.claude/projects/x/fd7a841d-2f89-47e9-9778-4a1e108cb923.jsonl",
            "token=parser.next() and --token --verbose; the --token parameter is asked for; MAX_TOKENS=8192",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn takes_the_value_and_leaves_the_name() {
        let value = ["hunter", "2hunter2"].concat();
        check(&format!("DB_PASSWORD={value};"), "DB_PASSWORD=[REDACTED:assignment];");
        check(&format!("{{\"apiKey\": \"{value}\"}}"), "{\"apiKey\": \"[REDACTED:assignment]\"}");
        let url = ["https://u:p@", "ss@host.example/x"].concat();
        check(&url, "https://[REDACTED:url]@host.example/x");
        let words = ["correct", "horse"].concat();
        check(&format!("DB_PASSWORD={words} x"), "DB_PASSWORD=[REDACTED:assignment] x");
        check(&format!("login --db-password {value}"), "login --db-password [REDACTED:assignment]");
        check(&format!("login --token='{words}'"), "login --token='[REDACTED:assignment]'");
        let secret = ["gho_abcdefghijklmnopqrst", "0123456789abcdef"].concat();
        check(
            &format!("{secret}--token {value}"),
            "[REDACTED:github-oauth]--token [REDACTED:assignment]",
        );
    }

    #[test]
    fn cleans_remotes() {
        for (url, clean) in [
            (["https://u:p@", "ss@host/x.git?a=b"].concat(), "https://host/x.git"),
            (["https://tok", "en@host"].concat(), "https://host"),
            ("ssh://git@host/x".to_owned(), "ssh://git@host/x"),
            ("git@github.com:user/repo.git".to_owned(), "git@github.com:user/repo.git"),
            ("/srv/repo".to_owned(), "/srv/repo"),
        ] {
            assert_eq!(redact_url(&url), clean);
        }
    }
}
