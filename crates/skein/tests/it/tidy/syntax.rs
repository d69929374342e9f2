//! The parts of a Rust file that the checks need: its paths, its modules and the lines of its tests.

use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};

/// One Rust file. Comments and literals are not in it.
#[derive(Default)]
pub(crate) struct Syntax {
    /// The paths of two parts or more, and everything that `use` imports.
    pub(crate) paths: Vec<NamedPath>,
    /// The names after a dot.
    pub(crate) members: Vec<Member>,
    /// The modules that have a file of their own.
    pub(crate) modules: Vec<DeclaredModule>,
    /// The names of public types and traits, without those in tests.
    pub(crate) public_types: Vec<String>,
    /// Number of lines of the items under `#[cfg(test)]`.
    pub(crate) test_lines: usize,
}

/// A path such as `std::fs::read`.
pub(crate) struct NamedPath {
    pub(crate) parts: Vec<String>,
    /// The name that it has in its file, when `use` imports it.
    pub(crate) imported_as: Option<String>,
    pub(crate) line: usize,
    pub(crate) in_test: bool,
}

/// A field or method that is used: `name` of `value.name`.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) in_test: bool,
}

/// `mod name;`
pub(crate) struct DeclaredModule {
    pub(crate) name: String,
    pub(crate) in_test: bool,
}

impl Syntax {
    pub(crate) fn parse(text: &str) -> Self {
        let stream: TokenStream = text.parse().expect("the compiler has accepted this file");
        let mut syntax = Self::default();
        syntax.read(&trees(stream), false);
        syntax
    }

    fn read(&mut self, tokens: &[TokenTree], in_test: bool) {
        let mut rest = tokens;
        while let [first, tail @ ..] = rest {
            rest = tail;
            match (first, tail) {
                (TokenTree::Punct(hash), [TokenTree::Group(attribute), after @ ..])
                    if hash.as_char() == '#' && is_cfg_test(&attribute.stream()) =>
                {
                    let (item, after) = after.split_at(item_length(after));
                    let last = item.last().unwrap_or(first);
                    self.test_lines += last.span().end().line - first.span().start().line + 1;
                    self.read(item, true);
                    rest = after;
                }
                (TokenTree::Group(group), _) => self.read(&trees(group.stream()), in_test),
                (TokenTree::Punct(dot), [TokenTree::Ident(name), ..])
                    if dot.as_char() == '.' && dot.spacing() == Spacing::Alone =>
                {
                    let line = name.span().start().line;
                    self.members.push(Member { name: name.to_string(), line, in_test });
                }
                (
                    TokenTree::Ident(keyword),
                    [TokenTree::Ident(name), TokenTree::Punct(end), ..],
                ) if keyword == "mod" && end.as_char() == ';' => {
                    self.modules.push(DeclaredModule { name: name.to_string(), in_test });
                }
                (
                    TokenTree::Ident(visibility),
                    [TokenTree::Ident(keyword), TokenTree::Ident(name), ..],
                ) if visibility == "pub" && is_type_keyword(keyword) && !in_test => {
                    self.public_types.push(name.to_string());
                }
                (TokenTree::Ident(keyword), _) if keyword == "use" => {
                    let (import, after) = tail.split_at(item_length(tail));
                    self.read_import(import, &[], in_test);
                    rest = after;
                }
                (TokenTree::Ident(name), _) => rest = self.read_path(name, tail, in_test),
                _ => {}
            }
        }
    }

    /// Reads the path that starts with `first`, and returns what is after it.
    fn read_path<'t>(
        &mut self,
        first: &Ident,
        tail: &'t [TokenTree],
        in_test: bool,
    ) -> &'t [TokenTree] {
        let mut parts = vec![first.to_string()];
        let mut rest = tail;
        while let [TokenTree::Punct(a), TokenTree::Punct(b), TokenTree::Ident(part), tail @ ..] =
            rest
            && (a.as_char(), b.as_char()) == (':', ':')
        {
            parts.push(part.to_string());
            rest = tail;
        }
        if parts.len() > 1 {
            let line = first.span().start().line;
            self.paths.push(NamedPath { parts, imported_as: None, line, in_test });
        }
        rest
    }

    /// Reads the tree of a `use`, one branch after the other.
    fn read_import(&mut self, tree: &[TokenTree], prefix: &[String], in_test: bool) {
        for branch in tree.split(|token| is_punct(token, ',')) {
            let mut parts = prefix.to_vec();
            let mut alias = None;
            let mut rest = branch;
            while let [first, tail @ ..] = rest {
                rest = tail;
                match (first, tail) {
                    (TokenTree::Group(group), _) if group.delimiter() == Delimiter::Brace => {
                        self.read_import(&trees(group.stream()), &parts, in_test);
                        parts.clear();
                        break;
                    }
                    (TokenTree::Ident(keyword), [name, ..]) if keyword == "as" => {
                        alias = Some(name.to_string());
                        break;
                    }
                    (TokenTree::Ident(part), _) => parts.push(part.to_string()),
                    (TokenTree::Punct(star), _) if star.as_char() == '*' => {
                        parts.push("*".to_owned());
                    }
                    _ => {}
                }
            }
            if let (Some(last), Some(first)) = (parts.last().cloned(), branch.first()) {
                let line = first.span().start().line;
                let imported_as = alias.or(Some(last));
                self.paths.push(NamedPath { parts, imported_as, line, in_test });
            }
        }
    }
}

fn trees(stream: TokenStream) -> Vec<TokenTree> {
    stream.into_iter().collect()
}

fn is_cfg_test(attribute: &TokenStream) -> bool {
    let text: String = attribute.to_string().split_whitespace().collect();
    text == "cfg(test)" || text.starts_with("cfg(all(test,")
}

fn is_type_keyword(keyword: &Ident) -> bool {
    ["struct", "enum", "union", "trait", "type"].iter().any(|one| keyword == one)
}

/// Returns the number of tokens up to the end of an item: its `;` or its body.
fn item_length(tokens: &[TokenTree]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => is_punct(token, ';'),
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |at| at + 1)
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

#[test]
fn paths_are_expanded() {
    let source = "use std::{fs, io::{self, Read as _}}; use a; // x::y\nb::c::<D>(x.e); ::f::g!();";
    let syntax = Syntax::parse(source);
    let paths: Vec<_> = syntax.paths.iter().map(|path| path.parts.join("::")).collect();
    assert_eq!(paths, ["std::fs", "std::io::self", "std::io::Read", "a", "b::c", "f::g"]);
    let members: Vec<_> = syntax.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(members, ["e"]);
}

#[test]
fn tests_are_marked_and_counted() {
    let syntax = Syntax::parse(
        "use a;\n#[cfg(test)]\n#[expect(x)]\nmod tests {\n    use b;\n}\n#[cfg(unix)] mod c;",
    );
    let paths: Vec<_> =
        syntax.paths.iter().map(|path| (path.parts.join("::"), path.in_test)).collect();
    assert_eq!(paths, [("a".to_owned(), false), ("b".to_owned(), true)]);
    assert_eq!(syntax.test_lines, 5);
    assert_eq!(syntax.modules.len(), 1);
}
