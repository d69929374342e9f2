//! Some crates, and the core of the bridge, do no input or output.

use super::syntax::Syntax;
use super::workspace::Dependency;

/// The crates that must be pure.
const PURE: [&str; 4] = ["format", "anchor", "highlight", "model"];

/// A folder that must be pure in a crate that is not.
const PURE_FOLDER: &str = "crates/bridge/src/core/";

/// Returns whether a source file of a crate must be pure.
pub(crate) fn is_pure(from: &str, path: &str) -> bool {
    PURE.contains(&from) || path.starts_with(PURE_FOLDER)
}

/// What a path in a pure crate must not start with.
const FORBIDDEN_STARTS: &[&[&str]] = &[
    &["std", "env"],
    &["std", "fs"],
    &["std", "net"],
    &["std", "process"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
];

/// What must not be anywhere in a path: ways to a clock, and threads other than those of a scope,
/// which end before the function that starts them returns.
const FORBIDDEN_PARTS: &[&[&str]] = &[
    &["Instant", "now"],
    &["SystemTime"],
    &["TimeZone", "system"],
    &["TimeZone", "try_system"],
    &["Timestamp", "now"],
    &["Zoned", "now"],
    &["thread", "available_parallelism"],
    &["thread", "current"],
    &["thread", "sleep"],
    &["thread", "spawn"],
];

/// Methods of `Path` that ask the file system.
const FORBIDDEN_METHODS: [&str; 9] = [
    "canonicalize",
    "exists",
    "is_dir",
    "is_file",
    "is_symlink",
    "read_dir",
    "read_link",
    "symlink_metadata",
    "try_exists",
];

/// Crates that bring randomness, an async runtime, logging or a way around `std::fs`.
const FORBIDDEN_CRATES: [&str; 7] =
    ["fastrand", "getrandom", "log", "rand", "tokio", "tracing", "walkdir"];

/// Returns a finding when a pure crate may not have this dependency.
pub(crate) fn check_dependency(from: &str, dependency: &Dependency) -> Option<String> {
    let name = dependency.name.as_str();
    let is_forbidden =
        PURE.contains(&from) && FORBIDDEN_CRATES.contains(&name) && !dependency.is_dev;
    is_forbidden.then(|| format!("{from}: must be pure, and depends on {name}"))
}

/// Returns a finding for each use of files, clocks, threads or the environment outside of tests.
pub(crate) fn check_source(file: &str, text: &str) -> Vec<String> {
    let syntax = Syntax::parse(text);
    let paths = syntax.paths.iter().filter(|path| !path.in_test && is_forbidden(&path.parts));
    let members = syntax
        .members
        .iter()
        .filter(|member| !member.in_test && FORBIDDEN_METHODS.contains(&member.name.as_str()));
    paths
        .map(|path| (path.line, path.parts.join("::")))
        .chain(members.map(|member| (member.line, member.name.clone())))
        .map(|(line, name)| format!("{file}:{line}: must be pure, and uses {name}"))
        .collect()
}

fn is_forbidden(parts: &[String]) -> bool {
    let parts: Vec<_> = parts.iter().map(String::as_str).collect();
    let starts = FORBIDDEN_STARTS.iter().any(|start| parts.starts_with(start));
    let holds = FORBIDDEN_PARTS
        .iter()
        .any(|inner| parts.windows(inner.len()).any(|window| window == *inner));
    let is_crate = parts.first().is_some_and(|first| FORBIDDEN_CRATES.contains(first));
    starts || holds || is_crate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let findings = check_source("a.rs", text);
        let expected: Vec<_> = expected.iter().map(|end| format!("a.rs:{end}")).collect();
        assert_eq!(findings, expected);
    }

    #[test]
    fn files_clocks_and_the_environment_are_found() {
        check("use std::fs;", &["1: must be pure, and uses std::fs"]);
        check(
            "use std::{\n    env, fmt,\n    time::SystemTime,\n};",
            &[
                "2: must be pure, and uses std::env",
                "3: must be pure, and uses std::time::SystemTime",
            ],
        );
        check(
            "fn f() { std::thread::spawn(g) }",
            &["1: must be pure, and uses std::thread::spawn"],
        );
        check("use std::thread;\nfn f() { thread::scope(g) }", &[]);
        check(
            "let now = jiff::Timestamp::now();",
            &["1: must be pure, and uses jiff::Timestamp::now"],
        );
        check(
            "use jiff::Zoned;\nlet now = Zoned::now();",
            &["2: must be pure, and uses Zoned::now"],
        );
        check(
            "use std::time;\nlet now = time::Instant::now();",
            &["2: must be pure, and uses time::Instant::now"],
        );
    }

    #[test]
    fn methods_that_ask_the_file_system_are_found() {
        check("let a = Path::new(p)\n    .exists();", &["2: must be pure, and uses exists"]);
    }

    #[test]
    fn randomness_async_and_logging_are_found() {
        check("use rand::Rng;", &["1: must be pure, and uses rand::Rng"]);
        check("fn f() { tracing::info!(\"x\") }", &["1: must be pure, and uses tracing::info"]);
        let name = "tokio".to_owned();
        let dependency = Dependency { name, is_dev: false };
        assert_eq!(
            check_dependency("format", &dependency).as_deref(),
            Some("format: must be pure, and depends on tokio")
        );
    }

    #[test]
    fn the_core_of_the_bridge_is_pure() {
        assert!(is_pure("bridge", "crates/bridge/src/core/mod.rs"));
        assert!(!is_pure("bridge", "crates/bridge/src/runner/mod.rs"));
    }

    #[test]
    fn tests_comments_and_similar_names_give_no_findings() {
        check("// use std::fs;\nlet s = \"std::fs\";", &[]);
        check("#[cfg(test)]\nmod tests { use std::fs; }", &[]);
        check("let log = self.log; let d = std::time::Duration::ZERO;", &[]);
        check("const V: &str = env!(\"CARGO_PKG_VERSION\");", &[]);
    }
}
