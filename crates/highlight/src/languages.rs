//! All languages: their names, file extensions and scanners.

use crate::code::{CodeScanner, LazyGrammar};
use crate::css::CssScanner;
use crate::diff::DiffScanner;
use crate::make::MakeScanner;
use crate::markdown::MarkdownScanner;
use crate::markup::MarkupScanner;
use crate::scan::LineScanner;
use crate::tables::{c_like, functional, script, shell, web};
use crate::yaml::YamlScanner;

impl Language {
    /// Returns the language of a file, by its name, its extension or the interpreter in its first line.
    pub fn detect(path: &str, first_line: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
        // Many programs store settings as XML, with any extension.
        if first_line.starts_with("<?xml") {
            return Some(Self::Xml);
        }
        let extension = name.rsplit_once('.').and_then(|(_, extension)| Self::named(extension));
        let stem = name.split_once('.').map_or(&*name, |(stem, _)| stem);
        let is_env = name == ".env" || name.starts_with(".env.");
        find(FILES, &name)
            .or_else(|| is_env.then_some(Self::Ini))
            .or(extension)
            .or_else(|| find(STEMS, stem))
            .or_else(|| by_interpreter(first_line))
    }

    /// Returns the language with this name, as in the info string of a Markdown fence.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let row = LANGUAGES.iter().find(|(names, ..)| contains(names, &name))?;
        Some(row.1)
    }
}

/// Returns a scanner for a file from its start.
pub(crate) fn scanner(language: Language) -> Box<dyn LineScanner> {
    let row = LANGUAGES.iter().find(|row| row.1 == language);
    row.map_or_else(|| words(&shell::INI), |row| row.2())
}

/// Returns a scanner for a code block in Markdown. Nested Markdown is not coloured.
fn scanner_named(name: &str) -> Option<Box<dyn LineScanner>> {
    Language::named(name).filter(|language| *language != Language::Markdown).map(scanner)
}

fn words(grammar: &'static LazyGrammar) -> Box<dyn LineScanner> {
    Box::new(CodeScanner::new(grammar))
}

/// Returns the language of a script, by its shebang line.
fn by_interpreter(first_line: &str) -> Option<Language> {
    if first_line.starts_with("<?php") {
        return Some(Language::Php);
    }
    let command = first_line.strip_prefix("#!")?;
    let mut words = command.split_whitespace().filter_map(|word| word.rsplit('/').next());
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    // The name without a version: python3.12, ruby2.7.
    Language::named(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-'))
}

fn find(table: &[(&str, Language)], name: &str) -> Option<Language> {
    table.iter().find(|(names, _)| contains(names, name)).map(|row| row.1)
}

/// Returns whether a name is in a list separated by spaces.
fn contains(names: &str, name: &str) -> bool {
    !name.is_empty() && names.split(' ').any(|known| known == name)
}

/// Defines the languages and their table, one row each: the variant, its names (extensions, common
/// names, interpreters), and its scanner.
macro_rules! languages {
    ($($language:ident $names:literal => $scanner:expr,)*) => {
        /// A supported language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Language {
            $($language,)*
        }

        const LANGUAGES: &[(&str, Language, fn() -> Box<dyn LineScanner>)] =
            &[$(($names, Language::$language, || $scanner),)*];
    };
}

languages! {
    Rust "rs rust rust-script cargo" => words(&c_like::RUST),
    C "c glsl vert frag" => words(&c_like::C),
    Cpp "cc cpp cxx c++ h hh hpp hxx h++ inl ipp tpp ino cu cuh hlsl" => words(&c_like::CPP),
    ObjectiveC "m mm objective-c objectivec objc obj-c" => words(&c_like::OBJECTIVE_C),
    CSharp "cs csx csharp c#" => words(&c_like::CSHARP),
    Java "java gradle groovy" => words(&c_like::JAVA),
    Kotlin "kt kts kotlin" => words(&c_like::KOTLIN),
    Scala "scala sc sbt" => words(&c_like::SCALA),
    Swift "swift" => words(&c_like::SWIFT),
    Go "go golang" => words(&c_like::GO),
    Zig "zig zon" => words(&c_like::ZIG),
    Dart "dart" => words(&c_like::DART),
    JavaScript "js mjs cjs jsx javascript node bun nodejs" => words(&web::JAVASCRIPT),
    TypeScript "ts mts cts typescript deno ts-node" => words(&web::TYPESCRIPT),
    Tsx "tsx" => words(&web::TSX),
    Html
        "html htm xhtml vue svelte astro hbs handlebars ejs erb j2 jinja jinja2 mustache"
        => Box::new(MarkupScanner::html()),
    Xml
        "xml svg xsd xsl xslt rss atom plist csproj fsproj vbproj props targets xaml resx wsdl pom ui storyboard xib"
        => Box::new(MarkupScanner::xml()),
    Css "css pcss" => Box::new(CssScanner::plain()),
    Scss "scss sass" => Box::new(CssScanner::extended()),
    Less "less" => Box::new(CssScanner::extended()),
    Json
        "json jsonc json5 jsonl ndjson geojson webmanifest ipynb code-workspace avsc har"
        => words(&web::JSON),
    Yaml "yaml yml" => Box::new(YamlScanner::default()),
    Toml "toml" => words(&shell::TOML),
    Ini
        "ini cfg conf config properties desktop service socket timer editorconfig gitconfig"
        => words(&shell::INI),
    Python
        "py pyi pyw pyx bzl star bazel python python3 py3 starlark pypy uv"
        => words(&script::PYTHON),
    Ruby "rb rake gemspec ru podspec ruby" => words(&script::RUBY),
    Php "php phtml php3 php4 php5 phps" => Box::new(MarkupScanner::php()),
    Perl "pl pm t pod perl" => words(&script::PERL),
    Lua "lua luau luajit" => words(&script::LUA),
    R "r rscript" => words(&script::R),
    Julia "jl julia" => words(&script::JULIA),
    Elixir "ex exs elixir" => words(&functional::ELIXIR),
    Erlang "erl hrl erlang escript" => words(&functional::ERLANG),
    Haskell "hs lhs hsc cabal haskell runghc runhaskell stack" => words(&functional::HASKELL),
    Elm "elm" => words(&functional::ELM),
    OCaml "ml mli mll mly ocaml" => words(&functional::OCAML),
    FSharp "fs fsi fsx fsharp f#" => words(&functional::FSHARP),
    Clojure "clj cljs cljc edn bb clojure" => words(&functional::CLOJURE),
    Lisp "lisp lsp cl asd common-lisp sbcl clisp" => words(&functional::LISP),
    Scheme "scm ss sld rkt scheme racket guile" => words(&functional::SCHEME),
    EmacsLisp "el elisp emacs-lisp emacs" => words(&functional::EMACS_LISP),
    Shell
        "sh bash zsh ksh bats ebuild zshrc bashrc command shell console shell-session shellscript dash ash"
        => words(&shell::SHELL),
    Fish "fish" => words(&shell::FISH),
    PowerShell "ps1 psm1 psd1 powershell pwsh" => words(&shell::POWERSHELL),
    Sql "sql psql pgsql mysql ddl dml postgres postgresql sqlite" => words(&shell::SQL),
    GraphQl "graphql gql graphqls" => words(&web::GRAPHQL),
    Protobuf "proto protobuf" => words(&c_like::PROTOBUF),
    Dockerfile "dockerfile containerfile docker" => words(&shell::DOCKERFILE),
    Makefile "mk mak make makefile" => Box::new(MakeScanner::default()),
    CMake "cmake" => words(&shell::CMAKE),
    Nix "nix" => words(&shell::NIX),
    Hcl "tf tfvars hcl nomad terraform" => words(&shell::HCL),
    Markdown "md markdown mdx mkd mdown qmd rmd" => Box::new(MarkdownScanner::new(scanner_named)),
    Latex "tex sty cls ltx bib latex" => words(&shell::LATEX),
    Vim "vim vimrc viml vimscript" => words(&shell::VIM),
    Diff "diff patch udiff" => Box::new(DiffScanner),
}

/// Languages by the whole name of a file.
const FILES: &[(&str, Language)] = &[
    ("cmakelists.txt", Language::CMake),
    ("cargo.lock poetry.lock uv.lock pipfile gopkg.lock", Language::Toml),
    ("composer.lock flake.lock .babelrc .eslintrc .prettierrc .swcrc .jshintrc", Language::Json),
    (".gitconfig .gitmodules .editorconfig .npmrc .flake8 .pylintrc", Language::Ini),
    (
        ".bashrc .bash_profile .bash_aliases .profile .zshrc .zshenv .zprofile .envrc",
        Language::Shell,
    ),
    ("apkbuild pkgbuild configure gradlew", Language::Shell),
    (".vimrc .gvimrc .exrc", Language::Vim),
    (".emacs", Language::EmacsLisp),
    ("go.mod go.work", Language::Go),
    (".clang-format .clang-tidy .clangd", Language::Yaml),
    ("commit_editmsg", Language::Diff),
];

/// Languages by the name of a file up to its first dot, if the extension is unknown.
const STEMS: &[(&str, Language)] = &[
    ("dockerfile containerfile", Language::Dockerfile),
    ("makefile gnumakefile kbuild", Language::Makefile),
    (
        "gemfile rakefile vagrantfile guardfile podfile fastfile brewfile capfile berksfile",
        Language::Ruby,
    ),
    ("build workspace sconstruct sconscript tiltfile snakefile wscript", Language::Python),
    ("jenkinsfile", Language::Java),
    ("justfile", Language::Makefile),
];
