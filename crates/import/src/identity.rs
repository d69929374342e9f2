//! The identity of a finding.

use std::collections::{BTreeMap, BTreeSet};

use skein_store::Revision;
use skein_workspace::IdGenerator;

use super::finding::Finding;

/// Assigns ids to findings; the same findings get the same ids in every run.
///
/// An id is derived from the tool, the rule, the file, the message and the text of the line, but not from the line number, so that
/// edits elsewhere in the file do not change it. Findings that share all of these are numbered.
#[derive(Debug, Default)]
pub(super) struct FindingIds {
    seen: BTreeMap<Revision, BTreeSet<Position>>,
}

type Position = (Option<(u32, u32)>, Option<u32>);

impl FindingIds {
    /// Returns the id of the thread for a finding; `None` if the finding is repeated in this run.
    pub(super) fn id_of(&mut self, finding: &Finding, path: &str, line: &str) -> Option<String> {
        let known = match &finding.key {
            Some(key) => hash(&["key", &finding.tool, key]),
            None => {
                let rule = finding.rule.as_deref().unwrap_or_default();
                let message = normalised(&finding.message);
                hash(&["finding", &finding.tool, rule, path, &message, line.trim()])
            }
        };
        let position = (finding.lines, finding.column);
        let seen = self.seen.entry(known).or_default();
        if finding.key.is_some() && !seen.is_empty() || !seen.insert(position) {
            return None;
        }
        Some(uuid(&hash(&[&known.to_string(), &seen.len().to_string()])))
    }
}

/// Removes the parts that differ between runs: spaces, and numbers such as line numbers.
fn normalised(message: &str) -> String {
    let mut out = String::new();
    for word in message.split_whitespace() {
        let mut digits = false;
        for c in word.chars() {
            let digit = c.is_ascii_digit();
            if !(digit && digits) {
                out.push(if digit { '#' } else { c });
            }
            digits = digit;
        }
        out.push(' ');
    }
    out
}

/// Hashes a list of texts. Their lengths are included, so that different lists have different hashes.
fn hash(parts: &[&str]) -> Revision {
    let text: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    Revision::from_bytes(text.as_bytes())
}

/// Formats the start of a hash as a thread id.
fn uuid(hash: &Revision) -> String {
    let digits = hash.to_string();
    // A revision has more than 32 hexadecimal digits.
    let bits = u128::from_str_radix(digits.get(..32).unwrap_or_default(), 16).unwrap_or_default();
    IdGenerator::new(move || bits).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(message: &str, line: u32) -> Finding {
        let (tool, message) = ("lint".to_owned(), message.to_owned());
        Finding { tool, message, lines: Some((line, line)), ..Finding::default() }
    }

    #[test]
    fn line_numbers_do_not_change_an_id() {
        let finding_id = |message: &str, line: u32, text: &str| {
            FindingIds::default().id_of(&finding(message, line), "a.rs", text)
        };
        let id = finding_id("unused since line 12", 3, "let a;").unwrap();
        assert_eq!(id.len(), 36);
        assert_eq!(finding_id("unused  since line 7", 9, "  let a;"), Some(id.clone()));
        assert_ne!(finding_id("unused since line 12", 3, "let b;"), Some(id.clone()));
        assert_ne!(finding_id("unused since", 3, "let a;"), Some(id));
    }

    #[test]
    fn equal_findings_get_different_ids() {
        let mut all = FindingIds::default();
        let one = all.id_of(&finding("x", 1), "a.rs", "}").unwrap();
        let two = all.id_of(&finding("x", 2), "a.rs", "}").unwrap();
        assert_ne!(one, two);
        assert_eq!(all.id_of(&finding("x", 2), "a.rs", "}"), None);
    }
}
