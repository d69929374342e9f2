//! Every Rust file is reached from a target, and a crate has one test binary.

use std::collections::BTreeMap;

use super::syntax::Syntax;

/// What a file is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Code,
    Test,
}

/// The file that cargo hands to the compiler for a target.
pub(crate) struct Root {
    pub(crate) path: String,
    pub(crate) role: Role,
}

/// Returns a finding for each file that no target compiles.
pub(crate) fn check_reach(roots: &[Root], files: &BTreeMap<String, String>) -> Vec<String> {
    let reached = reach(roots, files);
    files
        .keys()
        .filter(|path| !reached.contains_key(*path))
        .map(|path| format!("{path}: no `mod` leads to this file"))
        .collect()
}

/// Returns a finding for each test binary that is not `tests/it/main.rs`.
pub(crate) fn check_runner(folder: &str, roots: &[Root]) -> Vec<String> {
    let tests = format!("{folder}/tests/");
    let runner = format!("{folder}/tests/it/main.rs");
    roots
        .iter()
        .filter(|root| root.path.starts_with(&tests) && root.path != runner)
        .map(|root| format!("{}: a second test binary; make it a module of {runner}", root.path))
        .collect()
}

/// Returns the files that are reachable from the roots. A file that serves both roles is code.
pub(crate) fn reach(roots: &[Root], files: &BTreeMap<String, String>) -> BTreeMap<String, Role> {
    let mut reached: BTreeMap<String, Role> = BTreeMap::new();
    let mut waiting: Vec<(String, String, Role)> =
        roots.iter().map(|root| (root.path.clone(), folder_of(&root.path), root.role)).collect();
    while let Some((path, folder, role)) = waiting.pop() {
        let Some(text) = files.get(&path) else {
            continue;
        };
        if reached.get(&path).is_some_and(|&known| known <= role) {
            continue;
        }
        reached.insert(path, role);
        for module in Syntax::parse(text).modules {
            let role = if module.in_test { Role::Test } else { role };
            let below = format!("{folder}/{}", module.name);
            waiting.push((format!("{below}.rs"), below.clone(), role));
            waiting.push((format!("{below}/mod.rs"), below, role));
        }
    }
    reached
}

fn folder_of(path: &str) -> String {
    path.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(path: &str, role: Role) -> Root {
        Root { path: path.to_owned(), role }
    }

    fn files(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn a_file_without_a_mod_is_found() {
        let files = files(&[
            ("c/src/lib.rs", "mod a; pub mod b;"),
            ("c/src/a.rs", "mod deep; // mod lost;"),
            ("c/src/a/deep.rs", ""),
            ("c/src/b/mod.rs", "mod below;"),
            ("c/src/b/below.rs", ""),
            ("c/src/lost.rs", ""),
            ("c/tests/it/main.rs", "mod one;"),
            ("c/tests/it/one.rs", ""),
            ("c/tests/it/two.rs", ""),
        ]);
        let roots = [root("c/src/lib.rs", Role::Code), root("c/tests/it/main.rs", Role::Test)];
        assert_eq!(
            check_reach(&roots, &files),
            [
                "c/src/lost.rs: no `mod` leads to this file",
                "c/tests/it/two.rs: no `mod` leads to this file",
            ]
        );
    }

    #[test]
    fn a_second_test_binary_is_found() {
        let roots = [
            root("c/src/lib.rs", Role::Code),
            root("c/tests/it/main.rs", Role::Test),
            root("c/tests/more.rs", Role::Test),
        ];
        assert_eq!(
            check_runner("c", &roots),
            ["c/tests/more.rs: a second test binary; make it a module of c/tests/it/main.rs"]
        );
    }

    #[test]
    fn a_module_for_tests_has_that_role() {
        let files = files(&[
            ("c/src/lib.rs", "mod a;\n#[cfg(test)]\nmod tests;"),
            ("c/src/a.rs", ""),
            ("c/src/tests.rs", "mod more;"),
            ("c/src/tests/more.rs", ""),
        ]);
        let reached = reach(&[root("c/src/lib.rs", Role::Code)], &files);
        let tests: Vec<_> = reached
            .iter()
            .filter(|(_, role)| **role == Role::Test)
            .map(|(path, _)| path.as_str())
            .collect();
        assert_eq!(tests, ["c/src/tests.rs", "c/src/tests/more.rs"]);
    }
}
