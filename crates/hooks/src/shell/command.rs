//! What one simple command does, as far as commits go.

use std::path::{Path, PathBuf};

use super::lex::Word;

/// A command that matters.
pub(super) enum Command {
    /// Makes a commit, in a directory below the current one for each `-C`.
    Commit { below: Vec<PathBuf> },
    /// Goes to another directory; none where it cannot be told which.
    Enter(Option<PathBuf>),
    /// Runs a script of its own.
    Script(String),
}

/// Words of the grammar that a command may follow.
const RESERVED: &[&str] =
    &["!", "{", "}", "if", "then", "elif", "else", "while", "until", "do", "time", "coproc"];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh", "ash", "fish"];

/// A program that runs the program that its arguments name.
struct Runner {
    name: &'static str,
    /// Its options that take a value.
    values: &'static [&'static str],
    /// How many arguments of its own come first.
    own: usize,
}

const fn runner(name: &'static str, values: &'static [&'static str], own: usize) -> Runner {
    Runner { name, values, own }
}

const RUNNERS: &[Runner] = &[
    runner("builtin", &[], 0),
    runner("caffeinate", &["-t", "-w"], 0),
    runner("command", &[], 0),
    runner("doas", &["-u", "-C"], 0),
    runner("env", &["-u", "-C", "-S"], 0),
    runner("exec", &["-a"], 0),
    runner("ionice", &["-c", "-n", "-p"], 0),
    runner("nice", &["-n"], 0),
    runner("nohup", &[], 0),
    runner("setsid", &[], 0),
    runner("stdbuf", &["-i", "-o", "-e"], 0),
    runner("sudo", &["-u", "-g", "-h", "-p", "-C", "-D", "-R", "-r", "-t", "-T", "-U"], 0),
    runner("time", &["-f", "-o"], 0),
    runner("timeout", &["-s", "-k"], 1),
    runner("xargs", &["-I", "-n", "-P", "-L", "-d", "-a", "-E", "-s"], 0),
];

/// Options of git itself that take their value from the next word.
const GIT_VALUES: &[&str] =
    &["-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"];

/// Options of `git commit` that take their value from the next word.
const COMMIT_VALUES: &[&str] = &[
    "--message",
    "--file",
    "--author",
    "--date",
    "--template",
    "--reuse-message",
    "--reedit-message",
    "--fixup",
    "--squash",
    "--trailer",
    "--cleanup",
    "--pathspec-from-file",
];

/// Options of `git commit` with which it makes none; the long ones may be cut short.
const SHOWS_ONLY: &[(&str, usize)] =
    &[("--dry-run", 4), ("--help", 4), ("--short", 4), ("--porcelain", 4), ("--long", 4)];

impl Command {
    /// Returns what a command does, for a user with this home directory.
    pub(super) fn from_words(words: &[Word], home: Option<&Path>) -> Option<Self> {
        let (name, args) = program(words)?;
        Self::named(name, args, home)
    }

    fn named(name: &str, args: &[Word], home: Option<&Path>) -> Option<Self> {
        match name {
            "git" | "git.exe" => commit(args, home),
            "cd" | "pushd" => Some(Self::Enter(directory(args, home))),
            "eval" => {
                let texts: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
                Some(Self::Script(texts.join(" ")))
            }
            shell if SHELLS.contains(&shell) => script(args).map(Self::Script),
            _ => None,
        }
    }
}

/// Returns whether a command is a shell that reads its script from its input.
pub(super) fn reads_script(words: &[Word]) -> bool {
    let Some((_, args)) = program(words).filter(|(name, _)| SHELLS.contains(name)) else {
        return false;
    };
    let mut args = args.iter().map(|word| word.text.as_str());
    while let Some(text) = args.next() {
        match text.strip_prefix('-').or_else(|| text.strip_prefix('+')) {
            Some(long) if long.starts_with('-') => {}
            Some(letters) if letters.contains('c') => return false,
            Some(letters) if letters.contains('s') => return true,
            Some(letters) if letters.ends_with('o') => drop(args.next()),
            Some(_) => {}
            None => return false,
        }
    }
    true
}

/// Returns the name of the program that a command runs, and its arguments.
fn program(words: &[Word]) -> Option<(&str, &[Word])> {
    let mut words = words;
    loop {
        let (first, rest) = words.split_first()?;
        let name = first.text.rsplit('/').next().unwrap_or_default();
        if RESERVED.contains(&first.text.as_str()) || is_assignment(&first.text) {
            words = rest;
        } else if let Some(runner) = RUNNERS.iter().find(|runner| runner.name == name) {
            words = runner.command(rest)?;
        } else {
            return Some((name, rest));
        }
    }
}

impl Runner {
    /// Returns the command that it runs.
    fn command<'w>(&self, args: &'w [Word]) -> Option<&'w [Word]> {
        let mut args = args;
        while let Some((first, rest)) = args.split_first() {
            let text = first.text.as_str();
            if !text.starts_with('-') && !is_assignment(text) {
                break;
            }
            // `command -v git` only asks where it is.
            if self.name == "command" && matches!(text, "-v" | "-V") {
                return None;
            }
            args = rest;
            if text == "--" {
                break;
            }
            if self.values.contains(&text) {
                args = args.get(1..)?;
            }
        }
        args.get(self.own..)
    }
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn directory(args: &[Word], home: Option<&Path>) -> Option<PathBuf> {
    args.iter().find(|word| !word.text.starts_with('-'))?.dir(home)
}

/// Returns the script that a shell is given as an argument.
fn script(args: &[Word]) -> Option<String> {
    let mut is_given = false;
    let mut args = args.iter();
    while let Some(word) = args.next() {
        let text = word.text.as_str();
        match text.strip_prefix('-').or_else(|| text.strip_prefix('+')) {
            Some(long) if long.starts_with('-') => {}
            Some(letters) => {
                is_given |= letters.contains('c');
                if letters.ends_with('o') {
                    args.next();
                }
            }
            None => return is_given.then(|| text.to_owned()),
        }
    }
    None
}

fn commit(args: &[Word], home: Option<&Path>) -> Option<Command> {
    let mut below = Vec::new();
    let mut words = args.iter();
    loop {
        match words.next()?.text.as_str() {
            "-C" => {
                let word = words.next()?;
                below.push(word.dir(home).unwrap_or_else(|| PathBuf::from(&word.text)));
            }
            "--help" | "-h" | "--version" | "-v" => return None,
            "commit" => break,
            option if GIT_VALUES.contains(&option) => drop(words.next()),
            option if option.starts_with('-') => {}
            _ => return None,
        }
    }
    let mut args = words.map(|word| word.text.as_str());
    while let Some(arg) = args.next() {
        if arg == "--" {
            break;
        }
        let shows = |(name, least): &(&str, usize)| {
            arg.len() > *least && (name.starts_with(arg) || arg.split('=').next() == Some(name))
        };
        if arg == "-h" || SHOWS_ONLY.iter().any(shows) {
            return None;
        }
        if COMMIT_VALUES.contains(&arg) || takes_next(arg) {
            args.next();
        }
    }
    Some(Command::Commit { below })
}

/// Returns whether letters such as `-am` end in one whose value is the next word.
fn takes_next(arg: &str) -> bool {
    let Some(letters) = arg.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
        return false;
    };
    letters.find(['m', 'F', 'C', 'c', 't']).is_some_and(|at| at + 1 == letters.len())
}
