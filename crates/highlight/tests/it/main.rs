//! Colours of code.
//!
//! A test shows a file with its colours written into it: `«k:fn»` is the text `fn`, coloured as a keyword.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets something unexpected has failed"
)]

mod c_like;
mod data;
mod files;
mod functional;
mod limits;
mod property;
mod script;
mod shell;
mod web;

use skein_highlight::{ColouredSpan, Language, lines};

/// Colours a file and compares the result with the colours that are written into it.
#[track_caller]
fn check(path: &str, marked: &str) {
    let text = remove_marks(marked);
    let lines: Vec<&str> = text.split('\n').collect();
    let language = Language::detect(path, lines[0]).unwrap();
    assert_eq!(show(language, &lines), marked);
}

/// Writes the colours into a file.
fn show(language: Language, text: &[&str]) -> String {
    let coloured = lines(language, text);
    assert_eq!(coloured.len(), text.len());
    let shown: Vec<String> =
        text.iter().zip(&coloured).map(|(line, spans)| mark(line, spans)).collect();
    shown.join("\n")
}

fn mark(line: &str, spans: &[ColouredSpan]) -> String {
    let mut marked = String::new();
    let mut at = 0;
    for ColouredSpan { class, range } in spans {
        marked.push_str(&line[at..range.start]);
        marked.extend(["«", class.css(), ":", &line[range.clone()], "»"]);
        at = range.end;
    }
    marked.push_str(&line[at..]);
    marked
}

fn remove_marks(marked: &str) -> String {
    let mut parts = marked.split('«');
    let first = parts.next().unwrap().to_owned();
    let rest = parts.map(|part| {
        let (_, text) = part.split_once(':').unwrap();
        text.replacen('»', "", 1)
    });
    first + &rest.collect::<String>()
}

/// Returns every language, found by one of its names.
fn every_language() -> Vec<Language> {
    let names = "c cmake cs clj cpp css dart diff dockerfile ex elm el erl fs fish go graphql hs hcl \
        html ini java js json jl kt tex less lisp lua make md nix ml objc pl php ps1 proto py r rb \
        rs scala scm scss sh sql swift toml ts tsx vim xml yaml zig";
    let languages: Vec<Language> =
        names.split_whitespace().map(|name| Language::named(name).unwrap()).collect();
    assert_eq!(languages.len(), 56);
    languages
}
