//! What files and people call the languages.

use super::Language;

/// Returns the language of a file that has a well-known name, in lower case.
pub(crate) fn by_file_name(name: &str) -> Option<Language> {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let is_env = name == ".env" || name.starts_with(".env.");
    find(FILES, name)
        .or_else(|| is_env.then_some(Language::Ini))
        .or_else(|| find(STEMS, stem).filter(|_| by_extension(extension(name)).is_none()))
}

/// Returns the language of files with this extension, in lower case.
pub(crate) fn by_extension(extension: &str) -> Option<Language> {
    find(EXTENSIONS, extension)
}

/// Returns the language that has this name among people, in lower case.
pub(crate) fn by_alias(name: &str) -> Option<Language> {
    find(ALIASES, name)
}

/// Returns the language of a script, by the line that names its interpreter or its editor mode.
pub(crate) fn by_interpreter(first_line: &str) -> Option<Language> {
    if first_line.starts_with("<?php") {
        return Some(Language::Php);
    }
    let command = first_line.strip_prefix("#!")?;
    let mut words = command.split_whitespace().filter_map(|word| word.rsplit('/').next());
    let program = words.find(|word| *word != "env" && !word.starts_with('-'))?;
    // A version is no part of the name: python3.12, ruby2.7.
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    find(INTERPRETERS, name)
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Looks for a name in lists that blanks separate.
fn find(table: &[(&str, Language)], name: &str) -> Option<Language> {
    let row = table.iter().find(|(names, _)| names.split(' ').any(|known| known == name))?;
    Some(row.1).filter(|_| !name.is_empty())
}

const EXTENSIONS: &[(&str, Language)] = &[
    ("rs", Language::Rust),
    ("c glsl vert frag", Language::C),
    ("cc cpp cxx c++ h hh hpp hxx h++ inl ipp tpp ino cu cuh hlsl", Language::Cpp),
    ("m mm", Language::ObjectiveC),
    ("cs csx", Language::CSharp),
    ("java gradle groovy", Language::Java),
    ("kt kts", Language::Kotlin),
    ("scala sc sbt", Language::Scala),
    ("swift", Language::Swift),
    ("go", Language::Go),
    ("zig zon", Language::Zig),
    ("dart", Language::Dart),
    ("js mjs cjs jsx", Language::JavaScript),
    ("ts mts cts", Language::TypeScript),
    ("tsx", Language::Tsx),
    (
        "html htm xhtml vue svelte astro hbs handlebars ejs erb j2 jinja jinja2 mustache",
        Language::Html,
    ),
    (
        "xml svg xsd xsl xslt rss atom plist csproj fsproj vbproj props targets xaml resx wsdl pom ui storyboard xib",
        Language::Xml,
    ),
    ("css pcss", Language::Css),
    ("scss sass", Language::Scss),
    ("less", Language::Less),
    (
        "json jsonc json5 jsonl ndjson geojson webmanifest ipynb code-workspace avsc har",
        Language::Json,
    ),
    ("yaml yml", Language::Yaml),
    ("toml", Language::Toml),
    (
        "ini cfg conf config properties desktop service socket timer editorconfig gitconfig",
        Language::Ini,
    ),
    ("py pyi pyw pyx bzl star bazel", Language::Python),
    ("rb rake gemspec ru podspec", Language::Ruby),
    ("php phtml php3 php4 php5 phps", Language::Php),
    ("pl pm t pod", Language::Perl),
    ("lua luau", Language::Lua),
    ("r", Language::R),
    ("jl", Language::Julia),
    ("ex exs", Language::Elixir),
    ("erl hrl", Language::Erlang),
    ("hs lhs hsc cabal", Language::Haskell),
    ("elm", Language::Elm),
    ("ml mli mll mly", Language::OCaml),
    ("fs fsi fsx", Language::FSharp),
    ("clj cljs cljc edn bb", Language::Clojure),
    ("lisp lsp cl asd", Language::Lisp),
    ("scm ss sld rkt", Language::Scheme),
    ("el", Language::EmacsLisp),
    ("sh bash zsh ksh bats ebuild zshrc bashrc command", Language::Shell),
    ("fish", Language::Fish),
    ("ps1 psm1 psd1", Language::PowerShell),
    ("sql psql pgsql mysql ddl dml", Language::Sql),
    ("graphql gql graphqls", Language::GraphQl),
    ("proto", Language::Protobuf),
    ("dockerfile containerfile", Language::Dockerfile),
    ("mk mak make", Language::Makefile),
    ("cmake", Language::CMake),
    ("nix", Language::Nix),
    ("tf tfvars hcl nomad", Language::Hcl),
    ("md markdown mdx mkd mdown qmd rmd", Language::Markdown),
    ("tex sty cls ltx bib", Language::Latex),
    ("vim vimrc", Language::Vim),
    ("diff patch", Language::Diff),
];

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

const ALIASES: &[(&str, Language)] = &[
    ("rust", Language::Rust),
    ("c++", Language::Cpp),
    ("objective-c objectivec objc obj-c", Language::ObjectiveC),
    ("csharp c#", Language::CSharp),
    ("kotlin", Language::Kotlin),
    ("golang", Language::Go),
    ("javascript node", Language::JavaScript),
    ("typescript", Language::TypeScript),
    ("python python3 py3 starlark", Language::Python),
    ("ruby", Language::Ruby),
    ("perl", Language::Perl),
    ("julia", Language::Julia),
    ("elixir", Language::Elixir),
    ("erlang", Language::Erlang),
    ("haskell", Language::Haskell),
    ("ocaml", Language::OCaml),
    ("fsharp f#", Language::FSharp),
    ("clojure", Language::Clojure),
    ("common-lisp", Language::Lisp),
    ("scheme racket", Language::Scheme),
    ("elisp emacs-lisp", Language::EmacsLisp),
    ("shell console shell-session shellscript", Language::Shell),
    ("powershell pwsh", Language::PowerShell),
    ("postgres postgresql sqlite", Language::Sql),
    ("protobuf", Language::Protobuf),
    ("docker", Language::Dockerfile),
    ("makefile", Language::Makefile),
    ("terraform", Language::Hcl),
    ("latex", Language::Latex),
    ("viml vimscript", Language::Vim),
    ("udiff", Language::Diff),
];

const INTERPRETERS: &[(&str, Language)] = &[
    ("sh bash zsh ksh dash ash bats", Language::Shell),
    ("fish", Language::Fish),
    ("python pypy uv", Language::Python),
    ("ruby", Language::Ruby),
    ("perl", Language::Perl),
    ("php", Language::Php),
    ("lua luajit", Language::Lua),
    ("node bun nodejs", Language::JavaScript),
    ("deno ts-node tsx", Language::TypeScript),
    ("Rscript", Language::R),
    ("julia", Language::Julia),
    ("elixir", Language::Elixir),
    ("escript", Language::Erlang),
    ("runghc runhaskell stack", Language::Haskell),
    ("ocaml", Language::OCaml),
    ("clojure bb", Language::Clojure),
    ("sbcl clisp", Language::Lisp),
    ("guile racket", Language::Scheme),
    ("emacs", Language::EmacsLisp),
    ("pwsh", Language::PowerShell),
    ("make", Language::Makefile),
    ("swift", Language::Swift),
    ("kotlin", Language::Kotlin),
    ("scala", Language::Scala),
    ("dart", Language::Dart),
    ("rust-script cargo", Language::Rust),
];
