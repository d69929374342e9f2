//! The modules of a crate do not depend on each other in a cycle, except for parent and child.

use std::collections::{BTreeMap, BTreeSet};

use super::syntax::Syntax;

/// The names from the root of the crate to a module or an item.
type Name = Vec<String>;

/// References between the modules below one parent, each with an example.
type References = BTreeMap<(String, String), String>;

/// Returns a finding for each parent of modules that depend on each other in a cycle.
///
/// A method call names no module, so it is not counted.
pub(crate) fn check(folder: &str, modules: &BTreeMap<Name, Syntax>) -> Vec<String> {
    let mut by_parent: BTreeMap<Name, References> = BTreeMap::new();
    for (module, syntax) in modules {
        for path in syntax.paths.iter().filter(|path| !path.in_test) {
            let Some(target) = resolve(modules, module, &path.parts, 0) else {
                continue;
            };
            let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
            if let (Some(from), Some(to)) = (module.get(common), target.get(common)) {
                let example = format!("{} uses {}", module.join("::"), path.parts.join("::"));
                let parent = by_parent.entry(target[..common].to_vec()).or_default();
                parent.entry((from.clone(), to.clone())).or_insert(example);
            }
        }
    }
    by_parent
        .into_iter()
        .filter_map(|(parent, references)| {
            let examples = in_cycles(references);
            let parent = if parent.is_empty() { "the crate".to_owned() } else { parent.join("::") };
            (!examples.is_empty()).then(|| {
                format!("{folder}: cycle between modules of {parent}:\n  {}", examples.join("\n  "))
            })
        })
        .collect()
}

/// Returns the module of a path, following re-exports; `None` outside of the crate.
fn resolve(
    modules: &BTreeMap<Name, Syntax>,
    from: &Name,
    parts: &[String],
    depth: usize,
) -> Option<Name> {
    let (first, rest) = parts.split_first()?;
    let mut name = match first.as_str() {
        "crate" => Vec::new(),
        "self" => from.clone(),
        "super" => from.split_last()?.1.to_vec(),
        _ if modules.contains_key(&child(from, first)) => child(from, first),
        _ => return follow(modules, from, first, rest, depth),
    };
    for (index, part) in rest.iter().enumerate() {
        if part == "super" {
            name.pop();
        } else if part == "self" || modules.contains_key(&child(&name, part)) {
            name = if part == "self" { name } else { child(&name, part) };
        } else {
            let after = rest.get(index + 1..).unwrap_or_default();
            return follow(modules, &name, part, after, depth).or(Some(name));
        }
    }
    Some(name)
}

/// Resolves a path that starts with a name that the module imports.
fn follow(
    modules: &BTreeMap<Name, Syntax>,
    module: &Name,
    imported: &str,
    rest: &[String],
    depth: usize,
) -> Option<Name> {
    // A name can be imported from a crate of the same name.
    const MAX_DEPTH: usize = 8;
    let paths = &modules.get(module)?.paths;
    let import = paths.iter().find(|path| path.imported_as.as_deref() == Some(imported))?;
    let parts: Vec<_> = import.parts.iter().chain(rest).cloned().collect();
    if depth == MAX_DEPTH { None } else { resolve(modules, module, &parts, depth + 1) }
}

fn child(module: &Name, name: &str) -> Name {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// Returns the examples of the references that are part of a cycle, or lead from one cycle to another.
fn in_cycles(mut references: References) -> Vec<String> {
    loop {
        let used: BTreeSet<_> = references.keys().map(|(_, to)| to.clone()).collect();
        let using: BTreeSet<_> = references.keys().map(|(from, _)| from.clone()).collect();
        let before = references.len();
        references.retain(|(from, to), _| used.contains(from) && using.contains(to));
        if references.len() == before {
            return references.into_values().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_modules(files: &[(&str, &str)], expected: &[&str]) {
        let modules = files
            .iter()
            .map(|(name, text)| {
                let name = name.split("::").filter(|part| !part.is_empty());
                (name.map(str::to_owned).collect(), Syntax::parse(text))
            })
            .collect();
        assert_eq!(check("c", &modules), expected);
    }

    #[test]
    fn a_cycle_is_found() {
        check_modules(
            &[
                ("", "mod a; mod b; mod c;"),
                ("a", "use crate::b::B;"),
                ("b", "fn f() { super::c::g() }"),
                ("c", "use super::{a::A, d};"),
                ("d", ""),
            ],
            &["c: cycle between modules of the crate:\n  a uses crate::b::B\n  \
               b uses super::c::g\n  c uses super::a::A"],
        );
    }

    #[test]
    fn a_cycle_through_a_re_export_is_found() {
        check_modules(
            &[
                ("", "mod a; mod p; pub use p::x::X;"),
                ("p", "pub mod x; mod y;"),
                ("p::x", "use super::y; fn f() { y::g() }"),
                ("p::y", "use crate::X;"),
            ],
            &["c: cycle between modules of p:\n  p::x uses super::y\n  p::y uses crate::X"],
        );
    }

    #[test]
    fn parent_and_child_tests_and_other_crates_are_not_cycles() {
        check_modules(
            &[
                ("", "mod a; mod b; use a::f; fn g() { b::h() }"),
                ("a", "use crate::g; use super::b;"),
                ("b", "use other::a; #[cfg(test)] mod tests { use crate::a; }"),
            ],
            &[],
        );
    }
}
