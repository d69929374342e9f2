//! Which scanner reads a language.

use super::Language;
use super::code::{Code, State};
use super::css::Css;
use super::cursor::Cursor;
use super::diff::Diff;
use super::make::Make;
use super::markdown::Markdown;
use super::markup::Markup;
use super::tables::{c_like, functional, script, shell, web};
use super::yaml::Yaml;

/// Reads a file line by line.
pub(crate) trait Scan {
    /// Reads a line, or a part of it, to its end.
    fn line(&mut self, cursor: &mut Cursor<'_>);
}

/// Returns a scanner that stands at the beginning of a file.
pub(crate) fn scanner(language: Language) -> Box<dyn Scan> {
    match language {
        Language::Css => Box::new(Css::plain()),
        Language::Scss | Language::Less => Box::new(Css::extended()),
        Language::Diff => Box::new(Diff),
        Language::Html => Box::new(Markup::html()),
        Language::Makefile => Box::new(Make::default()),
        Language::Markdown => Box::new(Markdown::default()),
        Language::Php => Box::new(Markup::php()),
        Language::Xml => Box::new(Markup::xml()),
        Language::Yaml => Box::new(Yaml::default()),
        _ => Box::new(State::new(code(language))),
    }
}

/// Returns the table of a language of words and literals.
fn code(language: Language) -> &'static Code {
    match language {
        Language::C => &c_like::C,
        Language::CMake => &shell::CMAKE,
        Language::CSharp => &c_like::CSHARP,
        Language::Clojure => &functional::CLOJURE,
        Language::Cpp => &c_like::CPP,
        Language::Dart => &c_like::DART,
        Language::Dockerfile => &shell::DOCKERFILE,
        Language::Elixir => &functional::ELIXIR,
        Language::Elm => &functional::ELM,
        Language::EmacsLisp => &functional::EMACS_LISP,
        Language::Erlang => &functional::ERLANG,
        Language::FSharp => &functional::FSHARP,
        Language::Fish => &shell::FISH,
        Language::Go => &c_like::GO,
        Language::GraphQl => &web::GRAPHQL,
        Language::Haskell => &functional::HASKELL,
        Language::Hcl => &shell::HCL,
        Language::Java => &c_like::JAVA,
        Language::JavaScript => &web::JAVASCRIPT,
        Language::Json => &web::JSON,
        Language::Julia => &script::JULIA,
        Language::Kotlin => &c_like::KOTLIN,
        Language::Latex => &shell::LATEX,
        Language::Lisp => &functional::LISP,
        Language::Lua => &script::LUA,
        Language::Nix => &shell::NIX,
        Language::OCaml => &functional::OCAML,
        Language::ObjectiveC => &c_like::OBJECTIVE_C,
        Language::Perl => &script::PERL,
        Language::PowerShell => &shell::POWERSHELL,
        Language::Protobuf => &c_like::PROTOBUF,
        Language::Python => &script::PYTHON,
        Language::R => &script::R,
        Language::Ruby => &script::RUBY,
        Language::Rust => &c_like::RUST,
        Language::Scala => &c_like::SCALA,
        Language::Scheme => &functional::SCHEME,
        Language::Shell => &shell::SHELL,
        Language::Sql => &shell::SQL,
        Language::Swift => &c_like::SWIFT,
        Language::Toml => &shell::TOML,
        Language::Tsx => &web::TSX,
        Language::TypeScript => &web::TYPESCRIPT,
        Language::Vim => &shell::VIM,
        Language::Zig => &c_like::ZIG,
        _ => &shell::INI,
    }
}
