//! Takes a script apart into simple commands, in one pass and without recursion.

use std::path::{Path, PathBuf};

use super::command::reads_script;

/// A word of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// What it says when quotes and escapes are taken off.
    pub(super) text: String,
    /// Whether the shell would put something else into it, such as a variable.
    pub(super) expands: bool,
    /// Whether it begins with a `~` that is not quoted.
    tilde: bool,
}

impl Word {
    fn plain(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    /// Returns the directory that it names; none where that cannot be told.
    pub(super) fn dir(&self, home: Option<&Path>) -> Option<PathBuf> {
        match self.text.strip_prefix('~').filter(|_| self.tilde) {
            _ if self.expands => None,
            None => Some(PathBuf::from(&self.text)),
            Some("") => home.map(Path::to_owned),
            Some(rest) => Some(home?.join(rest.strip_prefix('/')?.trim_start_matches('/'))),
        }
    }
}

/// Deeper nesting than this is taken for ordinary text.
const MAX_DEPTH: usize = 100;

/// What a nested script ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Paren,
    Backtick,
}

/// A script that is being read, possibly in the middle of a word of the one around it.
struct Frame {
    end: End,
    words: Vec<Word>,
    word: Option<Word>,
    in_quotes: bool,
    /// Whether the next word is where output goes, and no argument.
    to_skip: bool,
    /// The heredocs whose bodies begin after this line.
    heredocs: Vec<Heredoc>,
    dir: Option<PathBuf>,
}

struct Heredoc {
    /// The line that ends it.
    end: String,
    /// Whether tabs before its lines do not count.
    tabs: bool,
    /// The directory of the shell that it is the script of; none where no shell reads it.
    script: Option<Option<PathBuf>>,
}

impl Frame {
    fn new(end: End, dir: Option<PathBuf>) -> Self {
        Self {
            end,
            words: Vec::new(),
            word: None,
            in_quotes: false,
            to_skip: false,
            heredocs: Vec::new(),
            dir,
        }
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            if self.to_skip {
                self.to_skip = false;
            } else {
                self.words.push(word);
            }
        }
    }
}

/// Who is told of each command, with the directory that it runs in, which it may change.
type Each<'e> = &'e mut dyn FnMut(&[Word], &mut Option<PathBuf>);

/// Calls `each` with the words of every simple command, starting in `dir`.
pub(super) fn each_command(script: &str, dir: Option<PathBuf>, each: Each<'_>) {
    let mut lexer =
        Lexer { rest: script, below: Vec::new(), top: Frame::new(End::Text, dir), each };
    while let Some(next) = lexer.next() {
        if lexer.top.in_quotes { lexer.quoted(next) } else { lexer.plain(next) }
    }
    while !lexer.below.is_empty() {
        lexer.leave();
    }
    lexer.end_command();
}

struct Lexer<'s, 'e> {
    rest: &'s str,
    below: Vec<Frame>,
    top: Frame,
    each: Each<'e>,
}

impl Lexer<'_, '_> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes everything up to the first `end`, and `end` itself.
    fn take_to(&mut self, end: char) -> &str {
        let (taken, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn enter(&mut self, end: End) {
        if self.below.len() < MAX_DEPTH {
            let inner = Frame::new(end, self.top.dir.clone());
            self.below.push(std::mem::replace(&mut self.top, inner));
        }
    }

    /// Ends a nested script; what it did to its directory ends with it.
    fn leave(&mut self) {
        self.end_command();
        if let Some(outer) = self.below.pop() {
            self.top = outer;
        }
    }

    fn end_command(&mut self) {
        self.top.end_word();
        self.top.to_skip = false;
        let words = std::mem::take(&mut self.top.words);
        if !words.is_empty() {
            (self.each)(&words, &mut self.top.dir);
        }
    }

    /// Reads on inside of double quotes.
    fn quoted(&mut self, next: char) {
        match next {
            '"' => self.top.in_quotes = false,
            '\\' => match self.next() {
                Some('\n') | None => {}
                Some(escaped @ ('"' | '\\' | '$' | '`')) => self.top.word().text.push(escaped),
                Some(other) => self.top.word().text.extend(['\\', other]),
            },
            '$' => self.dollar(),
            '`' => self.backtick(),
            other => self.top.word().text.push(other),
        }
    }

    fn plain(&mut self, next: char) {
        match next {
            '"' => {
                self.top.word();
                self.top.in_quotes = true;
            }
            '\'' => {
                let text = self.take_to('\'').to_owned();
                self.top.word().text.push_str(&text);
            }
            '\\' => match self.next() {
                Some('\n') | None => {}
                Some('\r') if self.eat("\n") => {}
                Some(escaped) => self.top.word().text.push(escaped),
            },
            '$' => self.dollar(),
            '`' => self.backtick(),
            '\n' => self.end_line(),
            '#' if self.top.word.is_none() => {
                self.take_to('\n');
                self.end_line();
            }
            '&' if self.rest.starts_with('>') => self.top.end_word(),
            ';' | '&' | '|' => self.end_command(),
            '(' => {
                self.end_command();
                self.enter(End::Paren);
            }
            ')' if self.top.end == End::Paren => self.leave(),
            ')' => self.end_command(),
            '<' | '>' => self.redirect(next),
            space if space.is_whitespace() => self.top.end_word(),
            '~' if self.top.word.is_none() => {
                let word = self.top.word();
                word.tilde = true;
                word.text.push('~');
            }
            other => self.top.word().text.push(other),
        }
    }

    fn dollar(&mut self) {
        self.top.word().expands = true;
        if self.eat("(") {
            self.enter(End::Paren);
        } else if self.eat("{") {
            self.take_to('}');
        } else if !self.top.in_quotes && self.eat("'") {
            self.top.word().expands = false;
            self.ansi_quoted();
        }
    }

    /// Reads `$'…'`, in which a quote can be escaped.
    fn ansi_quoted(&mut self) {
        while let Some(next) = self.next() {
            match next {
                '\'' => return,
                '\\' => {
                    let escaped = self.next();
                    self.top.word().text.extend(escaped);
                }
                other => self.top.word().text.push(other),
            }
        }
    }

    fn backtick(&mut self) {
        if self.top.end == End::Backtick && !self.top.in_quotes {
            self.leave();
        } else {
            self.top.word().expands = true;
            self.enter(End::Backtick);
        }
    }

    fn redirect(&mut self, sign: char) {
        // The number of what is redirected belongs to the sign.
        let number = |word: &Word| word.text.bytes().all(|byte| byte.is_ascii_digit());
        if self.top.word.as_ref().is_some_and(number) {
            self.top.word = None;
        }
        self.top.end_word();
        if self.eat("(") {
            self.enter(End::Paren);
        } else if sign == '<' && self.rest.starts_with('<') && !self.rest.starts_with("<<") {
            self.rest = self.rest.strip_prefix('<').unwrap_or(self.rest);
            self.heredoc();
        } else {
            self.rest = self.rest.trim_start_matches(['<', '>', '&', '|']);
            self.top.to_skip = true;
        }
    }

    /// Reads the word that ends a heredoc; its body begins with the next line.
    fn heredoc(&mut self) {
        let tabs = self.eat("-");
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let ends = |c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '<' | '>' | ')');
        let (word, rest) = match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                let inside = self.rest.strip_prefix(quote).unwrap_or_default();
                inside.split_once(quote).unwrap_or((inside, ""))
            }
            _ => self
                .rest
                .split_at_checked(self.rest.find(ends).unwrap_or(self.rest.len()))
                .unwrap_or((self.rest, "")),
        };
        self.rest = rest;
        let end = word.replace('\\', "");
        let script = reads_script(&self.top.words).then(|| self.top.dir.clone());
        self.top.heredocs.push(Heredoc { end, tabs, script });
    }

    fn end_line(&mut self) {
        self.end_command();
        for Heredoc { end, tabs, script } in std::mem::take(&mut self.top.heredocs) {
            let mut body = String::new();
            while !self.rest.is_empty() {
                let line = self.take_to('\n');
                let line = line.strip_suffix('\r').unwrap_or(line);
                let line = if tabs { line.trim_start_matches('\t') } else { line };
                if end == line {
                    break;
                }
                if script.is_some() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
            if let Some(mut dir) = script {
                (self.each)(&["sh", "-c", &body].map(Word::plain), &mut dir);
            }
        }
    }
}
