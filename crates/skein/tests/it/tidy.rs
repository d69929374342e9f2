//! The rules of the project that the compiler does not check.
//!
//! Each rule is a module with a check on plain text, so that its own tests can make it fail; here
//! the checks run on the real workspace.

mod cycles;
mod layers;
mod lints;
mod modules;
mod names;
mod purity;
mod size;
mod syntax;
mod workspace;

use modules::Role;
use syntax::Syntax;
use workspace::Workspace;

/// Fails with one line per finding.
#[track_caller]
fn report(findings: &[String]) {
    assert!(findings.is_empty(), "{} findings\n{}\n", findings.len(), findings.join("\n"));
}

#[test]
fn crates_depend_on_lower_layers_only() {
    let mut findings = Vec::new();
    for member in &Workspace::load().crates {
        for dependency in &member.dependencies {
            findings.extend(layers::check_dependency(&member.name, dependency));
        }
        for source in &member.sources() {
            findings.extend(layers::check_source(&member.name, source));
        }
    }
    report(&findings);
}

#[test]
fn pure_code_does_no_input_or_output() {
    let mut findings = Vec::new();
    for member in &Workspace::load().crates {
        for dependency in &member.dependencies {
            findings.extend(purity::check_dependency(&member.name, dependency));
        }
        for source in member.sources() {
            if source.role == Role::Code && purity::is_pure(&member.name, source.path) {
                findings.extend(purity::check_source(source.path, source.text));
            }
        }
    }
    report(&findings);
}

#[test]
fn modules_of_a_crate_have_no_cycles() {
    let mut findings = Vec::new();
    for member in &Workspace::load().crates {
        findings.extend(cycles::check(&member.folder, &member.modules()));
    }
    report(&findings);
}

#[test]
fn public_types_have_names_of_their_own() {
    let workspace = Workspace::load();
    let sources = workspace.crates.iter().flat_map(|member| member.sources());
    let code = sources.filter(|source| source.role == Role::Code);
    report(&names::check(code.flat_map(|source| {
        let types = Syntax::parse(source.text).public_types;
        types.into_iter().map(move |name| (source.path, name))
    })));
}

#[test]
fn source_files_and_crates_stay_short() {
    let workspace = Workspace::load();
    let (mut files, mut crates) = (Vec::new(), Vec::new());
    for member in &workspace.crates {
        let code = member.sources().into_iter().filter(|source| source.role == Role::Code);
        let sizes: Vec<_> = code.map(|source| (source.path, size::length(source.text))).collect();
        crates.push((member.name.as_str(), sizes.iter().map(|(_, lines)| lines).sum()));
        files.extend(sizes);
    }
    report(&size::check(&files, size::FILE_LIMIT, size::LONG_FILES));
    report(&size::check(&crates, size::CRATE_LIMIT, size::LARGE_CRATES));
}

#[test]
fn every_source_file_is_compiled() {
    let mut findings = Vec::new();
    for member in &Workspace::load().crates {
        findings.extend(modules::check_runner(&member.folder, &member.roots));
        findings.extend(modules::check_reach(&member.roots, &member.files));
    }
    report(&findings);
}

#[test]
fn every_crate_inherits_the_lints() {
    let workspace = Workspace::load();
    let findings: Vec<_> = workspace
        .crates
        .iter()
        .filter_map(|member| lints::check(&member.folder, &member.manifest))
        .collect();
    report(&findings);
}
