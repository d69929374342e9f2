//! All languages: how files and people name them, and which scanner reads them.

use crate::Language;
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
        // The settings of many programs are XML, under any extension.
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

    /// Returns the language with this name, as after a fence in Markdown.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let row = LANGUAGES.iter().find(|(names, ..)| contains(names, &name))?;
        Some(row.1)
    }
}

/// Returns a scanner at the beginning of a file.
pub(crate) fn scanner(language: Language) -> Box<dyn LineScanner> {
    let row = LANGUAGES.iter().find(|row| row.1 == language);
    row.map_or_else(|| words(&shell::INI), |row| row.2())
}

/// Returns a scanner for code in a Markdown file. Markdown in Markdown has no colours.
fn scanner_named(name: &str) -> Option<Box<dyn LineScanner>> {
    Language::named(name).filter(|language| *language != Language::Markdown).map(scanner)
}

fn words(grammar: &'static LazyGrammar) -> Box<dyn LineScanner> {
    Box::new(CodeScanner::new(grammar))
}

/// Returns the language of a script, by the line that names its interpreter.
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

type Row = (&'static str, Language, fn() -> Box<dyn LineScanner>);

/// For each language its names (extensions of files, common names, interpreters) and its scanner.
const LANGUAGES: &[Row] = &[
    ("rs rust rust-script cargo", Language::Rust, || words(&c_like::RUST)),
    ("c glsl vert frag", Language::C, || words(&c_like::C)),
    ("cc cpp cxx c++ h hh hpp hxx h++ inl ipp tpp ino cu cuh hlsl", Language::Cpp, || {
        words(&c_like::CPP)
    }),
    ("m mm objective-c objectivec objc obj-c", Language::ObjectiveC, || {
        words(&c_like::OBJECTIVE_C)
    }),
    ("cs csx csharp c#", Language::CSharp, || words(&c_like::CSHARP)),
    ("java gradle groovy", Language::Java, || words(&c_like::JAVA)),
    ("kt kts kotlin", Language::Kotlin, || words(&c_like::KOTLIN)),
    ("scala sc sbt", Language::Scala, || words(&c_like::SCALA)),
    ("swift", Language::Swift, || words(&c_like::SWIFT)),
    ("go golang", Language::Go, || words(&c_like::GO)),
    ("zig zon", Language::Zig, || words(&c_like::ZIG)),
    ("dart", Language::Dart, || words(&c_like::DART)),
    ("js mjs cjs jsx javascript node bun nodejs", Language::JavaScript, || words(&web::JAVASCRIPT)),
    ("ts mts cts typescript deno ts-node", Language::TypeScript, || words(&web::TYPESCRIPT)),
    ("tsx", Language::Tsx, || words(&web::TSX)),
    (
        "html htm xhtml vue svelte astro hbs handlebars ejs erb j2 jinja jinja2 mustache",
        Language::Html,
        || Box::new(MarkupScanner::html()),
    ),
    (
        "xml svg xsd xsl xslt rss atom plist csproj fsproj vbproj props targets xaml resx wsdl pom ui storyboard xib",
        Language::Xml,
        || Box::new(MarkupScanner::xml()),
    ),
    ("css pcss", Language::Css, || Box::new(CssScanner::plain())),
    ("scss sass", Language::Scss, || Box::new(CssScanner::extended())),
    ("less", Language::Less, || Box::new(CssScanner::extended())),
    (
        "json jsonc json5 jsonl ndjson geojson webmanifest ipynb code-workspace avsc har",
        Language::Json,
        || words(&web::JSON),
    ),
    ("yaml yml", Language::Yaml, || Box::new(YamlScanner::default())),
    ("toml", Language::Toml, || words(&shell::TOML)),
    (
        "ini cfg conf config properties desktop service socket timer editorconfig gitconfig",
        Language::Ini,
        || words(&shell::INI),
    ),
    ("py pyi pyw pyx bzl star bazel python python3 py3 starlark pypy uv", Language::Python, || {
        words(&script::PYTHON)
    }),
    ("rb rake gemspec ru podspec ruby", Language::Ruby, || words(&script::RUBY)),
    ("php phtml php3 php4 php5 phps", Language::Php, || Box::new(MarkupScanner::php())),
    ("pl pm t pod perl", Language::Perl, || words(&script::PERL)),
    ("lua luau luajit", Language::Lua, || words(&script::LUA)),
    ("r rscript", Language::R, || words(&script::R)),
    ("jl julia", Language::Julia, || words(&script::JULIA)),
    ("ex exs elixir", Language::Elixir, || words(&functional::ELIXIR)),
    ("erl hrl erlang escript", Language::Erlang, || words(&functional::ERLANG)),
    ("hs lhs hsc cabal haskell runghc runhaskell stack", Language::Haskell, || {
        words(&functional::HASKELL)
    }),
    ("elm", Language::Elm, || words(&functional::ELM)),
    ("ml mli mll mly ocaml", Language::OCaml, || words(&functional::OCAML)),
    ("fs fsi fsx fsharp f#", Language::FSharp, || words(&functional::FSHARP)),
    ("clj cljs cljc edn bb clojure", Language::Clojure, || words(&functional::CLOJURE)),
    ("lisp lsp cl asd common-lisp sbcl clisp", Language::Lisp, || words(&functional::LISP)),
    ("scm ss sld rkt scheme racket guile", Language::Scheme, || words(&functional::SCHEME)),
    ("el elisp emacs-lisp emacs", Language::EmacsLisp, || words(&functional::EMACS_LISP)),
    (
        "sh bash zsh ksh bats ebuild zshrc bashrc command shell console shell-session shellscript dash ash",
        Language::Shell,
        || words(&shell::SHELL),
    ),
    ("fish", Language::Fish, || words(&shell::FISH)),
    ("ps1 psm1 psd1 powershell pwsh", Language::PowerShell, || words(&shell::POWERSHELL)),
    ("sql psql pgsql mysql ddl dml postgres postgresql sqlite", Language::Sql, || {
        words(&shell::SQL)
    }),
    ("graphql gql graphqls", Language::GraphQl, || words(&web::GRAPHQL)),
    ("proto protobuf", Language::Protobuf, || words(&c_like::PROTOBUF)),
    ("dockerfile containerfile docker", Language::Dockerfile, || words(&shell::DOCKERFILE)),
    ("mk mak make makefile", Language::Makefile, || Box::new(MakeScanner::default())),
    ("cmake", Language::CMake, || words(&shell::CMAKE)),
    ("nix", Language::Nix, || words(&shell::NIX)),
    ("tf tfvars hcl nomad terraform", Language::Hcl, || words(&shell::HCL)),
    ("md markdown mdx mkd mdown qmd rmd", Language::Markdown, || {
        Box::new(MarkdownScanner::new(scanner_named))
    }),
    ("tex sty cls ltx bib latex", Language::Latex, || words(&shell::LATEX)),
    ("vim vimrc viml vimscript", Language::Vim, || words(&shell::VIM)),
    ("diff patch udiff", Language::Diff, || Box::new(DiffScanner)),
];

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
