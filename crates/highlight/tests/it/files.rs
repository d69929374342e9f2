//! Which language a file is written in.

use skein_highlight::Language;

#[track_caller]
fn check(path: &str, first_line: &str, expected: Option<Language>) {
    assert_eq!(Language::detect(path, first_line), expected, "{path} {first_line}");
}

#[test]
fn a_file_is_recognised_by_its_extension() {
    check("src/a.rs", "", Some(Language::Rust));
    check("A.CPP", "", Some(Language::Cpp));
    check("a/b.d.ts", "", Some(Language::TypeScript));
    check("page.vue", "", Some(Language::Html));
    check("a.unknown", "", None);
    check("rs", "", None);
    check("a.", "", None);
    check("", "", None);
}

#[test]
fn a_file_is_recognised_by_its_name() {
    check("docker/Dockerfile", "", Some(Language::Dockerfile));
    check("Dockerfile.dev", "", Some(Language::Dockerfile));
    check("Makefile", "", Some(Language::Makefile));
    check("Makefile.py", "", Some(Language::Python));
    check("CMakeLists.txt", "", Some(Language::CMake));
    check("Cargo.lock", "", Some(Language::Toml));
    check("Gemfile", "", Some(Language::Ruby));
    check(".env.local", "", Some(Language::Ini));
    check("home/.bashrc", "", Some(Language::Shell));
    check("build.rs", "", Some(Language::Rust));
    check("BUILD", "", Some(Language::Python));
}

#[test]
fn a_script_is_recognised_by_its_interpreter() {
    check("run", "#!/bin/sh", Some(Language::Shell));
    check("run", "#!/usr/bin/env -S python3.12 -u", Some(Language::Python));
    check("run", "#! /usr/bin/perl -w", Some(Language::Perl));
    check("run", "#!/usr/bin/env node", Some(Language::JavaScript));
    check("run", "#!", None);
    check("web.config", "<?xml version=\"1.0\"?>", Some(Language::Xml));
    check("index", "<?php", Some(Language::Php));
    check("LICENSE", "MIT License", None);
}

#[test]
fn a_code_fence_names_a_language() {
    let named = |name| Language::named(name);
    assert_eq!(named("rust"), Some(Language::Rust));
    assert_eq!(named("C++"), Some(Language::Cpp));
    assert_eq!(named("py"), Some(Language::Python));
    assert_eq!(named("tsx"), Some(Language::Tsx));
    assert_eq!(named(""), None);
    assert_eq!(named("suggestion"), None);
}
