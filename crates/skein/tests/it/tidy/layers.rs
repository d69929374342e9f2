//! Which crate may import which, and where an async runtime may be.

use super::modules::Role;
use super::syntax::Syntax;
use super::workspace::{Dependency, Source, short_name};

/// For each crate the ones that it may import.
const LAYERS: &[(&str, &str)] = &[
    ("format", ""),
    ("anchor", ""),
    ("store", ""),
    ("git", ""),
    ("highlight", ""),
    ("opencode", ""),
    ("query", "format"),
    ("model", "format"),
    ("workspace", "format store git model"),
    ("catalog", "format anchor store git model workspace"),
    ("sessions", "format store model workspace catalog"),
    ("checkpoints", "format store git model workspace catalog"),
    ("review", "format store git model workspace catalog"),
    ("summary", "format store git model workspace catalog checkpoints"),
    ("import", "format store model workspace catalog review"),
    ("search", "format store query model workspace catalog"),
    ("install", "format store git model workspace catalog checkpoints review"),
    ("hooks", "format store git model workspace catalog checkpoints summary install"),
    ("live", "format anchor store git model workspace catalog sessions checkpoints review"),
    (
        "doctor",
        "format store git model workspace catalog sessions checkpoints review summary install",
    ),
    ("demo", "format store git workspace review"),
    ("delivery", "format store git model workspace catalog checkpoints review"),
    ("mattermost", ""),
    (
        "cli",
        "format model workspace catalog sessions checkpoints review summary import search install hooks live doctor demo \
        delivery",
    ),
    (
        "web",
        "format anchor highlight model workspace catalog sessions checkpoints review summary search live \
        doctor delivery",
    ),
    (
        "bridge",
        "format store model workspace catalog sessions checkpoints review summary mattermost opencode",
    ),
    ("mcp", "format model workspace catalog checkpoints review summary search live"),
    ("lsp", "format anchor model workspace catalog review live delivery"),
    ("skein", "store cli web bridge mcp lsp"),
    ("standin", ""),
    ("testkit", "store"),
    ("fixtures", "format store git workspace testkit"),
    ("bench", "format store git model workspace catalog sessions review summary search doctor"),
];

/// The crates that even tests may import only if the table allows it.
const FRONTENDS: [&str; 7] = ["cli", "web", "bridge", "mcp", "lsp", "skein", "bench"];

/// The crates that may be asynchronous.
const ASYNC: [&str; 6] = ["web", "mattermost", "opencode", "bridge", "mcp", "standin"];

/// Functions that take any text as an argument of git.
const GIT_COMMANDS: [[&str; 2]; 2] = [["skein_git", "command"], ["skein_git", "run"]];

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

/// Returns a finding for each path in a file to a crate that `from` may not import.
pub(crate) fn check_source(from: &str, source: &Source<'_>) -> Vec<String> {
    let mut findings = Vec::new();
    for path in Syntax::parse(source.text).paths {
        let to = path.parts.first().and_then(|part| part.strip_prefix("skein_"));
        let in_test = path.in_test || source.role == Role::Test;
        if let Some(problem) = to.and_then(|to| refuse(from, to, in_test)) {
            findings.push(format!("{}:{}: {problem}", source.path, path.line));
        }
        let is_bare = GIT_COMMANDS.iter().any(|command| path.parts == *command);
        if is_bare && !in_test && !["bench", "fixtures"].contains(&from) {
            let problem = "only `Repo` runs git, with a `GitCommand`";
            findings.push(format!("{}:{}: {problem}", source.path, path.line));
        }
    }
    findings
}

/// Returns why `from` may not import `to`.
fn refuse(from: &str, to: &str, in_test: bool) -> Option<String> {
    // A binary and the tests of a crate import its library.
    if to == from || (in_test && !FRONTENDS.contains(&to)) {
        return None;
    }
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == from) else {
        return Some(format!("the crate {from} is not in the table of layers"));
    };
    let allowed: Vec<_> = allowed.split_whitespace().collect();
    if allowed.contains(&to) {
        return None;
    }
    let allowed = if allowed.is_empty() { "nothing".to_owned() } else { allowed.join(", ") };
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
        check_table("query", "skein-format", false, None);
        check_table("store", "serde", false, None);
        check_table(
            "format",
            "skein-store",
            false,
            Some("format: format imports store, and may import only: nothing"),
        );
        check_table(
            "skein",
            "skein-git",
            false,
            Some(
                "skein: skein imports git, and may import only: store, cli, web, bridge, mcp, lsp",
            ),
        );
        check_table(
            "extra",
            "skein-format",
            false,
            Some("extra: the crate extra is not in the table of layers"),
        );
    }

    #[test]
    fn tests_may_import_every_crate_except_frontends() {
        check_table("query", "skein-testkit", true, None);
        check_table(
            "query",
            "skein-testkit",
            false,
            Some("query: query imports testkit, and may import only: format"),
        );
        check_table(
            "query",
            "skein-cli",
            true,
            Some("query: query imports cli, and may import only: format"),
        );
    }

    #[test]
    fn an_async_runtime_where_it_is_not_allowed_is_found() {
        check_table("web", "tokio", false, None);
        check_table(
            "store",
            "tokio",
            true,
            Some(
                "store: depends on tokio, which only these may: web, mattermost, opencode, bridge, mcp, standin",
            ),
        );
    }

    #[track_caller]
    fn check_text(role: Role, text: &str, expected: &[&str]) {
        let path = "a.rs";
        assert_eq!(check_source("query", &Source { path, text, role }), expected);
    }

    #[test]
    fn an_import_outside_the_table_is_found() {
        let finding = "query imports cli, and may import only: format";
        let use_line = format!("a.rs:2: {finding}");
        let open_line = format!("a.rs:1: {finding}");
        check_text(Role::Code, "use skein_format::A;\nuse skein_cli::B;", &[&use_line]);
        check_text(Role::Test, "fn f() { skein_cli::g() }", &[&open_line]);
        check_text(Role::Code, "// skein_cli::g()", &[]);
    }

    #[test]
    fn text_of_others_in_arguments_of_git_is_found() {
        let check = |from: &str, role: Role, text: &str, expected: &[&str]| {
            assert_eq!(check_source(from, &Source { path: "a.rs", text, role }), expected);
        };
        let finding = "a.rs:1: only `Repo` runs git, with a `GitCommand`";
        check("doctor", Role::Code, "fn f() { skein_git::run(&dir, [path]) }", &[finding]);
        check("doctor", Role::Code, "use skein_git::command;", &[finding]);
        check("doctor", Role::Test, "use skein_git::command;", &[]);
        check("bench", Role::Code, "use skein_git::run;", &[]);
        check("doctor", Role::Code, "fn f() { skein_git::version(&dir) }", &[]);
    }

    #[test]
    fn only_tests_import_testkit() {
        let inside = "#[cfg(test)]\nmod tests { use skein_testkit::A; }";
        check_text(Role::Code, inside, &[]);
        check_text(Role::Test, "use skein_testkit::A;", &[]);
        let finding = "a.rs:1: query imports testkit, and may import only: format";
        check_text(Role::Code, "use skein_testkit::A;", &[finding]);
    }
}
