//! Cuts Rust source into words and punctuation, without comments and literals.

/// A word, `::`, or one character of punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    /// Counted from 1.
    pub(crate) line: usize,
}

impl Token<'_> {
    pub(crate) fn is_word(&self) -> bool {
        self.text.starts_with(is_word_start)
    }
}

/// A path such as `std::fs::read`, from a `use` or in the open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamedPath<'a> {
    pub(crate) parts: Vec<&'a str>,
    pub(crate) line: usize,
}

/// Returns the tokens of a file.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let (is_token, length) = piece(rest, first);
        let (text, tail) = rest.split_at(length);
        if is_token {
            tokens.push(Token { text, line });
        }
        line += text.matches('\n').count();
        rest = tail;
    }
    tokens
}

/// Returns the paths of two parts or more, and all that `use` imports.
pub(crate) fn paths<'a>(tokens: &[Token<'a>]) -> Vec<NamedPath<'a>> {
    let mut paths = Vec::new();
    let mut rest = tokens;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if first.text == "use" {
            rest = use_tree(tail, &[], &mut paths);
        } else if first.is_word() {
            let mut parts = vec![first.text];
            while let [colons, part, tail @ ..] = rest
                && colons.text == "::"
                && part.is_word()
            {
                parts.push(part.text);
                rest = tail;
            }
            if parts.len() > 1 {
                let line = first.line;
                paths.push(NamedPath { parts, line });
            }
        }
    }
    paths
}

/// Returns the number of tokens of the item at the start, up to its `;` or its closing brace.
pub(crate) fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return index,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(token.text, ";" | "}") {
            return index + 1;
        }
    }
    tokens.len()
}

/// Adds what the tree at the start imports, and returns the tokens after it.
fn use_tree<'a, 't>(
    tokens: &'t [Token<'a>],
    prefix: &[&'a str],
    paths: &mut Vec<NamedPath<'a>>,
) -> &'t [Token<'a>] {
    let mut parts = prefix.to_vec();
    let line = tokens.first().map_or(0, |token| token.line);
    let mut rest = tokens;
    while let [token, tail @ ..] = rest {
        match token.text {
            "::" => rest = tail,
            "{" => return use_group(tail, &parts, paths),
            "as" => rest = tail.get(1..).unwrap_or_default(),
            _ if token.is_word() || token.text == "*" => {
                parts.push(token.text);
                rest = tail;
            }
            _ => break,
        }
    }
    paths.push(NamedPath { parts, line });
    rest
}

fn use_group<'a, 't>(
    tokens: &'t [Token<'a>],
    prefix: &[&'a str],
    paths: &mut Vec<NamedPath<'a>>,
) -> &'t [Token<'a>] {
    let mut rest = tokens;
    while let [token, tail @ ..] = rest {
        match token.text {
            "}" => return tail,
            "," => rest = tail,
            _ if token.is_word() || matches!(token.text, "*" | "{" | "::") => {
                rest = use_tree(rest, prefix, paths);
            }
            _ => break,
        }
    }
    rest
}

/// Returns whether the piece at the start of `rest` is a token, and its length in bytes.
fn piece(rest: &str, first: char) -> (bool, usize) {
    if rest.starts_with("//") {
        return (false, rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (false, block_comment(rest));
    }
    if rest.starts_with("::") {
        return (true, 2);
    }
    match first {
        '"' => (false, quoted(rest)),
        '\'' => (false, character(rest)),
        _ if is_word_start(first) => word(rest),
        _ if first.is_ascii_digit() => (false, word_length(rest)),
        _ => (!first.is_whitespace(), first.len_utf8()),
    }
}

/// Returns the piece at a word, which may be the prefix of a literal.
fn word(rest: &str) -> (bool, usize) {
    let (word, tail) = rest.split_at(word_length(rest));
    match word {
        "b" | "c" if tail.starts_with('"') => (false, word.len() + quoted(tail)),
        "b" if tail.starts_with('\'') => (false, word.len() + character(tail)),
        "r" | "br" | "cr" => match raw(tail) {
            Some(length) => (false, word.len() + length),
            None => (true, word.len()),
        },
        _ => (true, word.len()),
    }
}

/// Returns the length of the rest of a raw string; `None` when it is none.
fn raw(tail: &str) -> Option<usize> {
    let hashes: String = tail.chars().take_while(|&c| c == '#').collect();
    let body = tail.strip_prefix(&hashes)?.strip_prefix('"')?;
    let end = format!("\"{hashes}");
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(hashes.len() + 1 + length)
}

fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of a character literal or a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    let inside = chars.next().map(|(_, c)| c);
    let after = chars.next();
    match (inside, after) {
        (Some('\\'), Some((at, c))) => {
            let body = at + c.len_utf8();
            let tail = rest.get(body..).unwrap_or_default();
            tail.find('\'').map_or(rest.len(), |end| body + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        if tail.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if tail.starts_with("*/") {
            depth -= 1;
            at += 2;
        } else {
            at += tail.chars().next().map_or(1, char::len_utf8);
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn word_length(rest: &str) -> usize {
    rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

#[test]
fn comments_and_literals_are_no_tokens() {
    let source = r##"
        let a /* std /* fs */ */ = 'x'; // tokio
        f("std::fs \" }", b'\'', r#"""#, '\u{1f}', 1_u8);
        fn g<'a>(r: &'a str) {}
    "##;
    let words: Vec<_> = tokens(source)
        .into_iter()
        .filter(Token::is_word)
        .map(|token| (token.text, token.line))
        .collect();
    let expected = [
        ("let", 2),
        ("a", 2),
        ("f", 3),
        ("fn", 4),
        ("g", 4),
        ("a", 4),
        ("r", 4),
        ("a", 4),
        ("str", 4),
    ];
    assert_eq!(words, expected);
}

#[test]
fn paths_are_written_out() {
    let source = "use std::{fs, io::{self, Read as _}}; use a; b::c::<D>(x.e); ::f::g!();";
    let tokens = tokens(source);
    let paths: Vec<_> = paths(&tokens).iter().map(|path| path.parts.join("::")).collect();
    let expected = ["std::fs", "std::io::self", "std::io::Read", "a", "b::c", "f::g"];
    assert_eq!(paths, expected);
}

#[test]
fn an_item_ends_with_its_body_or_its_semicolon() {
    let length = |source| item_length(&tokens(source));
    assert_eq!(length("mod a; mod b;"), 3);
    assert_eq!(length("fn f(a: [u8; 1]) { g(); } fn h() {}"), 16);
    assert_eq!(length("a: u8 } fn f() {}"), 3);
}
