//! The languages that have colours.

use super::names;

/// A language that has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is called by its name")]
pub enum Language {
    C,
    CMake,
    CSharp,
    Clojure,
    Cpp,
    Css,
    Dart,
    Diff,
    Dockerfile,
    Elixir,
    Elm,
    EmacsLisp,
    Erlang,
    FSharp,
    Fish,
    Go,
    GraphQl,
    Haskell,
    Hcl,
    Html,
    Ini,
    Java,
    JavaScript,
    Json,
    Julia,
    Kotlin,
    Latex,
    Less,
    Lisp,
    Lua,
    Makefile,
    Markdown,
    Nix,
    OCaml,
    ObjectiveC,
    Perl,
    Php,
    PowerShell,
    Protobuf,
    Python,
    R,
    Ruby,
    Rust,
    Scala,
    Scheme,
    Scss,
    Shell,
    Sql,
    Swift,
    Toml,
    Tsx,
    TypeScript,
    Vim,
    Xml,
    Yaml,
    Zig,
}

impl Language {
    /// Returns the language of a file, by its name, its extension or the interpreter that its first line names.
    pub fn detect(path: &str, first_line: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        // Settings of many programs are XML, whatever their names say.
        if first_line.starts_with("<?xml") {
            return Some(Self::Xml);
        }
        names::by_file_name(&name)
            .or_else(|| names::by_extension(name.rsplit_once('.')?.1))
            .or_else(|| names::by_interpreter(first_line))
    }

    /// Returns the language that people call by this name, as after a fence in Markdown.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        names::by_alias(&name).or_else(|| names::by_extension(&name))
    }
}
