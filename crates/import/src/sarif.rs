//! Parses SARIF 2.1.0, the format of many analysers.

use serde_json::Value;
use skein_review::quote::inline;
use skein_workspace::agent_names::is_agent;
use skein_workspace::settings::Settings;

use super::finding::{Failed, Finding};
use super::fix::Fix;
use super::uri;
use super::value::{at, list, number, text};

/// The content of a document.
#[derive(Debug, Default)]
pub(super) struct ParsedReport {
    pub(super) findings: Vec<Result<Finding, Failed>>,
    /// The number of results that are not findings: passed, suppressed, or absent since the last run.
    pub(super) ignored: usize,
}

/// Reads the results of every run; an invalid one does not affect the others.
pub(super) fn read(document: &Value, settings: &Settings) -> ParsedReport {
    let mut read = ParsedReport::default();
    let mut number = 0;
    for run in list(document, "/runs") {
        let tool = text(run, "/tool/driver/name")
            .map(|name| one_line(&name))
            .filter(|name| !name.is_empty());
        let tool = tool.unwrap_or_else(|| "unknown tool".to_owned());
        for result in list(run, "/results") {
            number += 1;
            if is_ignored(result) {
                read.ignored += 1;
            } else {
                read.findings.push(finding(run, (number, result), &tool, settings));
            }
        }
    }
    read
}

fn one_line(text: &str) -> String {
    const MAX_LEN: usize = 100;
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(MAX_LEN).collect()
}

fn is_ignored(result: &Value) -> bool {
    let is = |pointer: &str, word: &str| result.pointer(pointer).is_some_and(|value| value == word);
    // A suppression without a status is accepted.
    let accepted = |one: &Value| one.get("status").is_none_or(|status| status == "accepted");
    is("/kind", "pass")
        || is("/kind", "notApplicable")
        || is("/baselineState", "absent")
        || list(result, "/suppressions").iter().any(accepted)
}

fn finding(
    run: &Value,
    (number, result): (usize, &Value),
    tool: &str,
    settings: &Settings,
) -> Result<Finding, Failed> {
    let rule = rule(run, result);
    let rule_id = text(result, "/ruleId")
        .or_else(|| text(result, "/rule/id"))
        .or_else(|| text(rule?, "/id"))
        .map(|id| one_line(&id));
    let level = text(result, "/level").or_else(|| text(rule?, "/defaultConfiguration/level"));
    let level = level.map_or("warning".to_owned(), |level| one_line(&level));
    let remark = match &rule_id {
        Some(id) => format!("{}, {level}", inline(id)),
        None => level,
    };
    let place = result.pointer("/locations/0/physicalLocation").unwrap_or(&Value::Null);
    let (lines, column) = region(place.get("region").unwrap_or(&Value::Null));
    let location = place.get("artifactLocation").unwrap_or(&Value::Null);
    let file = uri::path(run, location).map_err(|reason| Failed {
        number,
        rule: rule_id.clone(),
        path: text(location, "/uri").unwrap_or_default(),
        line: lines.map(|(first, _)| first),
        reason,
    })?;
    let author = if is_agent(tool, settings) { tool.to_owned() } else { format!("{tool} [agent]") };
    Ok(Finding {
        number,
        file,
        from_root: true,
        lines,
        column,
        author: Some(author),
        tool: tool.to_owned(),
        rule: rule_id,
        message: message(result.get("message").unwrap_or(&Value::Null), rule),
        remark,
        fix: Fix::from_result(result),
        ..Finding::default()
    })
}

/// Finds the rule of a result: by its id, else by its index.
fn rule<'a>(run: &'a Value, result: &Value) -> Option<&'a Value> {
    let rules = list(run, "/tool/driver/rules");
    let id = result.get("ruleId").or_else(|| result.pointer("/rule/id"));
    let named = id.and_then(|id| rules.iter().find(|rule| rule.get("id") == Some(id)));
    named.or_else(|| at(rules, result, "/ruleIndex")).or_else(|| at(rules, result, "/rule/index"))
}

/// Returns the lines and the first column; a region without lines means the whole file.
fn region(region: &Value) -> (Option<(u32, u32)>, Option<u32>) {
    let Some(start) = number(region, "/startLine") else { return (None, None) };
    let mut end = number(region, "/endLine").unwrap_or(start).max(start);
    // A region may end at the start of the next line.
    if end > start && number(region, "/endColumn") == Some(1) {
        end -= 1;
    }
    (Some((start, end)), number(region, "/startColumn").filter(|column| *column > 1))
}

/// Returns the message of the result, or else the text of the rule, with the arguments filled in.
fn message(message: &Value, rule: Option<&Value>) -> String {
    let own = |value: &Value| text(value, "/markdown").or_else(|| text(value, "/text"));
    let words = own(message).or_else(|| {
        let id = message.get("id")?.as_str()?;
        own(rule?.get("messageStrings")?.get(id)?)
    });
    let described =
        || own(rule?.get("shortDescription")?).or_else(|| own(rule?.get("fullDescription")?));
    let words = words.or_else(described).unwrap_or_default();
    filled(&words, list(message, "/arguments"))
}

/// Replaces `{0}`, `{1}` and so on by arguments; placeholders in arguments are not replaced.
///
/// Stops when the text is much longer than the maximum length of a comment.
fn filled(words: &str, arguments: &[Value]) -> String {
    const MAX_LEN: usize = 1024 * 1024;
    let mut out = String::new();
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{').filter(|_| out.len() < MAX_LEN) {
        out.push_str(before);
        let argument = || {
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let (number, tail) = after.split_at_checked(digits)?;
            let argument = arguments.get(number.parse::<usize>().ok()?)?;
            Some((argument.as_str().unwrap_or_default(), tail.strip_prefix('}')?))
        };
        let (text, tail) = argument().unwrap_or(("{", after));
        out.push_str(text);
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(words: &str, arguments: &[&str], expected: &str) {
        let arguments: Vec<Value> = arguments.iter().map(|&text| text.into()).collect();
        assert_eq!(filled(words, &arguments), expected);
    }

    #[test]
    fn placeholders_are_replaced_once() {
        check("{0} is {1}, {0}", &["a", "b"], "a is b, a");
        check("{0}", &["{1}{1}", "x"], "{1}{1}");
        check("{} {x} {2} {0 {{0}", &["a"], "{} {x} {2} {0 {a");
    }

    #[test]
    fn the_length_of_a_filled_text_is_limited() {
        let argument = "x".repeat(10_000);
        let filled = filled(&"{0}".repeat(10_000), &[argument.as_str().into()]);
        assert!(filled.len() < 2_000_000);
    }
}
