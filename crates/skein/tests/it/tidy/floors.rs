//! Which crate may import which, and where an async runtime may be.

use super::modules::{Role, without_tests};
use super::token::{Token, paths, tokens};
use super::workspace::{Dependency, Source, short_name};

/// For each crate the ones that it may import.
const FLOORS: &[(&str, &[&str])] = &[
    ("format", &[]),
    ("anchor", &["format"]),
    ("store", &["format"]),
    ("git", &["format"]),
    ("query", &["format"]),
    ("engine", &["format", "anchor", "store", "git", "query"]),
    ("cli", &["engine", "format"]),
    ("web", &["engine", "format"]),
    ("mcp", &["engine", "format"]),
    ("lsp", &["engine", "format"]),
    ("tui", &["engine", "format"]),
    ("bridge", &["engine", "format"]),
    ("skein", &["cli", "web", "mcp", "lsp", "tui", "bridge"]),
    ("testkit", &["store"]),
    (
        "bench",
        &[
            "format", "anchor", "store", "git", "query", "engine", "cli", "web", "mcp", "lsp",
            "tui", "bridge", "skein", "testkit",
        ],
    ),
];

/// What the tests of every crate may import besides.
const FOR_TESTS: &str = "testkit";

/// The crates that may be asynchronous.
const ASYNC: [&str; 3] = ["web", "mcp", "bridge"];

/// Returns a finding when `from` may not have this dependency.
pub(crate) fn check_dependency(from: &str, dependency: &Dependency) -> Option<String> {
    let to = dependency.name.as_str();
    if to == "tokio" && !ASYNC.contains(&from) {
        let allowed = ASYNC.join(", ");
        return Some(format!("{from}: depends on tokio, which only these may: {allowed}"));
    }
    if to != "skein" && !to.starts_with("skein-") {
        return None;
    }
    let problem = refuse(from, short_name(to), dependency.is_dev)?;
    Some(format!("{from}: {problem}"))
}

/// Returns a finding for each path in a file that leads to a crate that `from` may not import.
pub(crate) fn check_source(from: &str, source: &Source<'_>) -> Vec<String> {
    let code = without_tests(source.text).tokens;
    let all = tokens(source.text);
    let mut findings = check_paths(from, source.path, &all, true);
    if source.role == Role::Code {
        findings.extend(check_paths(from, source.path, &code, false));
    }
    findings.sort();
    findings.dedup();
    findings
}

fn check_paths(from: &str, file: &str, tokens: &[Token<'_>], in_test: bool) -> Vec<String> {
    let mut findings = Vec::new();
    for path in paths(tokens) {
        let to = path.parts.first().and_then(|part| part.strip_prefix("skein_"));
        if let Some(problem) = to.and_then(|to| refuse(from, to, in_test)) {
            findings.push(format!("{file}:{}: {problem}", path.line));
        }
    }
    findings
}

/// Returns why `from` may not import `to`.
fn refuse(from: &str, to: &str, in_test: bool) -> Option<String> {
    // A binary and the tests of a crate import its library.
    if to == from || (in_test && to == FOR_TESTS) {
        return None;
    }
    let Some((_, allowed)) = FLOORS.iter().find(|(name, _)| *name == from) else {
        return Some(format!("the crate {from} is not in the table of floors"));
    };
    if allowed.contains(&to) {
        return None;
    }
    let allowed = match allowed {
        [] => "nothing".to_owned(),
        names => names.join(", "),
    };
    Some(format!("{from} imports {to}, and may import only: {allowed}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_table(from: &str, to: &str, is_dev: bool, expected: Option<&str>) {
        let name = to.to_owned();
        let finding = check_dependency(from, &Dependency { name, is_dev });
        assert_eq!(finding.as_deref(), expected);
    }

    #[test]
    fn a_dependency_outside_the_table_is_found() {
        check_table("store", "skein-format", false, None);
        check_table("store", "serde", false, None);
        check_table(
            "format",
            "skein-store",
            false,
            Some("format: format imports store, and may import only: nothing"),
        );
        check_table(
            "cli",
            "skein-git",
            true,
            Some("cli: cli imports git, and may import only: engine, format"),
        );
        check_table(
            "extra",
            "skein-format",
            false,
            Some("extra: the crate extra is not in the table of floors"),
        );
    }

    #[test]
    fn testkit_is_for_tests() {
        check_table("store", "skein-testkit", true, None);
        check_table(
            "store",
            "skein-testkit",
            false,
            Some("store: store imports testkit, and may import only: format"),
        );
    }

    #[test]
    fn an_async_runtime_below_the_faces_is_found() {
        check_table("web", "tokio", false, None);
        check_table(
            "store",
            "tokio",
            true,
            Some("store: depends on tokio, which only these may: web, mcp, bridge"),
        );
    }

    #[track_caller]
    fn check_text(role: Role, text: &str, expected: &[&str]) {
        let path = "a.rs";
        assert_eq!(check_source("cli", &Source { path, text, role }), expected);
    }

    #[test]
    fn an_import_outside_the_table_is_found() {
        let finding = "cli imports store, and may import only: engine, format";
        let use_line = format!("a.rs:2: {finding}");
        let open_line = format!("a.rs:1: {finding}");
        check_text(Role::Code, "use skein_engine::A;\nuse skein_store::B;", &[&use_line]);
        check_text(Role::Test, "fn f() { skein_store::g() }", &[&open_line]);
        check_text(Role::Code, "// skein_store::g()", &[]);
    }

    #[test]
    fn only_tests_import_testkit() {
        let inside = "#[cfg(test)]\nmod tests { use skein_testkit::A; }";
        check_text(Role::Code, inside, &[]);
        check_text(Role::Test, "use skein_testkit::A;", &[]);
        let finding = "a.rs:1: cli imports testkit, and may import only: engine, format";
        check_text(Role::Code, "use skein_testkit::A;", &[finding]);
    }
}
