//! Finds the directories in which a shell script may commit.
//!
//! A script that only mentions a commit is harmless: the repository then has no new commit. Quoted text and the bodies of heredocs are
//! always read as scripts.

use std::path::{Path, PathBuf};

/// Maximum number of nested scripts that are read.
const MAX_SCRIPTS: usize = 32;

/// Options of git whose value is the next word.
const GIT_VALUES: [&str; 5] = ["-c", "--git-dir", "--work-tree", "--namespace", "--config-env"];

/// Returns the directory of every `git commit` in a script, relative to the directory in which the script starts.
///
/// The empty path is that directory itself; `~` is `home`.
pub(crate) fn commits(script: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let script = script.replace("\r\n", "\n").replace("\\\n", "");
    let mut scripts = vec![(script, PathBuf::new())];
    for _ in 0..MAX_SCRIPTS {
        let Some((script, dir)) = scripts.pop() else { break };
        if script.contains("commit") {
            let mut lexer = Lexer { rest: &script, dir, home, ..Lexer::default() };
            lexer.run();
            found.append(&mut lexer.found);
            scripts.append(&mut lexer.scripts);
        }
    }
    found
}

/// Returns a script that runs a program with arguments.
pub(crate) fn script_of(args: &[String]) -> String {
    let quoted: Vec<String> =
        args.iter().map(|arg| format!("'{}'", arg.replace('\'', "'\\''"))).collect();
    quoted.join(" ")
}

#[derive(Default)]
struct Lexer<'s> {
    rest: &'s str,
    home: Option<&'s Path>,
    dir: PathBuf,
    /// The directories to return to at the end of each subshell.
    outer: Vec<PathBuf>,
    words: Vec<String>,
    word: Option<String>,
    /// The lines that end the heredocs of the current line.
    heredocs: Vec<&'s str>,
    found: Vec<PathBuf>,
    scripts: Vec<(String, PathBuf)>,
}

impl<'s> Lexer<'s> {
    fn run(&mut self) {
        while let Some(next) = self.next() {
            match next {
                '\'' => {
                    let text = self.take_to('\'');
                    self.word.get_or_insert_default().push_str(text);
                }
                '"' => self.double_quoted(),
                '\\' => {
                    let escaped = self.next();
                    self.word.get_or_insert_default().extend(escaped);
                }
                '#' if self.word.is_none() => {
                    self.take_to('\n');
                    self.end_line();
                }
                '\n' => self.end_line(),
                ';' | '&' | '|' | '`' => self.end_command(),
                '(' => {
                    self.end_command();
                    self.outer.push(self.dir.clone());
                }
                ')' => {
                    self.end_command();
                    self.dir = self.outer.pop().unwrap_or_else(|| self.dir.clone());
                }
                '<' if self.rest.starts_with('<') && !self.rest.starts_with("<<") => self.heredoc(),
                '<' | '>' => {
                    self.end_word();
                    self.rest = self.rest.trim_start_matches('<');
                }
                space if space.is_whitespace() => self.end_word(),
                other => self.word.get_or_insert_default().push(other),
            }
        }
        self.end_command();
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// Returns the text up to the first `end`, and skips it and `end`.
    fn take_to(&mut self, end: char) -> &'s str {
        let (taken, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn double_quoted(&mut self) {
        self.word.get_or_insert_default();
        while let Some(next) = self.next().filter(|next| *next != '"') {
            let text = if next == '\\' { self.next() } else { Some(next) };
            self.word.get_or_insert_default().extend(text);
        }
    }

    fn heredoc(&mut self) {
        self.end_word();
        self.rest = self.rest.trim_start_matches(['<', '-', ' ', '\t', '\\']);
        let ends = |c: char| c.is_whitespace() || ";&|<>)".contains(c);
        let is_quote = |c: char| c == '\'' || c == '"';
        let end = match self.rest.strip_prefix(is_quote) {
            Some(inside) => inside.split(is_quote).next(),
            None => self.rest.split(ends).next(),
        };
        self.heredocs.extend(end);
    }

    fn end_line(&mut self) {
        let dir = self.dir.clone();
        self.end_command();
        for end in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            while !self.rest.is_empty() {
                let line = self.take_to('\n');
                if line.trim() == end {
                    break;
                }
                body.extend([line, "\n"]);
            }
            self.scripts.push((body, dir.clone()));
        }
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        // Quoted text may be a script, as in `bash -c '…'`.
        if word.contains(char::is_whitespace) {
            self.scripts.push((word.clone(), self.dir.clone()));
        }
        self.words.push(word);
    }

    fn end_command(&mut self) {
        self.end_word();
        let words = std::mem::take(&mut self.words);
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word.rsplit('/').next() {
                Some("git" | "git.exe") => self.git(&mut words),
                Some("cd" | "pushd") => {
                    let to = words.next().filter(|to| *to != "--").or_else(|| words.next());
                    self.dir = self.join(&self.dir, to.unwrap_or("~"));
                }
                _ => {}
            }
        }
    }

    fn git<'w>(&mut self, words: &mut impl Iterator<Item = &'w str>) {
        let mut dir = self.dir.clone();
        while let Some(word) = words.next() {
            match word {
                "-C" => dir = self.join(&dir, words.next().unwrap_or_default()),
                "commit" => return self.found.push(dir),
                option if GIT_VALUES.contains(&option) => drop(words.next()),
                option if option.starts_with('-') => {}
                _ => return,
            }
        }
    }

    /// Returns the path `to`, relative to `dir`; for a path with a variable, the directory in which the script starts.
    fn join(&self, dir: &Path, to: &str) -> PathBuf {
        match (to.strip_prefix('~'), self.home) {
            _ if to.contains('$') => PathBuf::new(),
            (Some(""), Some(home)) => home.to_owned(),
            (Some(below), Some(home)) if below.starts_with('/') => {
                home.join(below.trim_start_matches('/'))
            }
            _ => dir.join(to),
        }
    }
}

#[cfg(test)]
mod tests;
