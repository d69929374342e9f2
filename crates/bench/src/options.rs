//! What to measure, from the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::place;

pub(crate) const USAGE: &str =
    "Usage: skein-bench [list|search|sessions|replace|reply|show|work|hook|serve|unread|growth|all]
           [--size 10k|100k] [--files 1k,10k,100k] [--dir DIR] [--json]
       skein-bench place REPO... [--program SKEIN] [--minutes N] [--anchors N] [--seed S] [--wrong N] [--given-up N]";

/// The word of the command line under which the program calls itself for [`Run::PeakOf`].
pub(crate) const PEAK: &str = "peak-of";

/// What to do.
pub(crate) enum Run {
    Measure(Options),
    /// Ask where lines of real repositories went.
    Place(place::Options),
    /// Do one thing and print the peak of this process's memory.
    PeakOf(Peak),
}

/// What the peak of a process's memory is wanted of.
pub(crate) enum Peak {
    /// A list of the reviews below a directory.
    List(PathBuf),
    /// A session map that is loaded.
    Load(PathBuf),
    /// One that is loaded, and saved after it has become a copy of the other file.
    Save(PathBuf, PathBuf),
}

/// What to measure.
pub(crate) struct Options {
    /// One group of figures; none for all.
    pub(crate) task: Option<Task>,
    /// The sizes of the corpora, the smallest first, at least one.
    pub(crate) sizes: Vec<usize>,
    /// Where corpora are kept; none for a temporary directory.
    pub(crate) dir: Option<PathBuf>,
    pub(crate) json: bool,
}

/// A group of figures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    List,
    Search,
    Sessions,
    Replace,
    Reply,
    Show,
    Work,
    Hook,
    Serve,
    Unread,
    Growth,
}

impl Task {
    pub(crate) const ALL: [Self; 11] = [
        Self::List,
        Self::Search,
        Self::Sessions,
        Self::Replace,
        Self::Reply,
        Self::Show,
        Self::Work,
        Self::Hook,
        Self::Serve,
        Self::Unread,
        Self::Growth,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Search => "search",
            Self::Sessions => "sessions",
            Self::Replace => "replace",
            Self::Reply => "reply",
            Self::Show => "show",
            Self::Work => "work",
            Self::Hook => "hook",
            Self::Serve => "serve",
            Self::Unread => "unread",
            Self::Growth => "growth",
        }
    }

    /// Returns the heading of the group.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::List => "Lists",
            Self::Search => "Search",
            Self::Sessions => "Session map",
            Self::Replace => "A durable write",
            Self::Reply => "A reply",
            Self::Show => "One thread by its id",
            Self::Work => "Checkpoints",
            Self::Hook => "Hooks",
            Self::Serve => "Pages",
            Self::Unread => "Clients that read nothing",
            Self::Growth => "Growth",
        }
    }
}

/// Reads the command line, without the program's name.
pub(crate) fn parse(mut args: impl Iterator<Item = OsString>) -> Result<Run, String> {
    let mut options =
        Options { task: None, sizes: vec![1_000, 10_000, 100_000], dir: None, json: false };
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        let mut value = || args.next().ok_or(format!("{text} needs a value"));
        match text.as_ref() {
            "all" => options.task = None,
            "--json" => options.json = true,
            "--dir" => options.dir = Some(value()?.into()),
            "--files" => options.sizes = sizes(&value()?.to_string_lossy())?,
            "--size" => options.sizes = sizes_up_to(size(&value()?.to_string_lossy())?),
            "place" => return parse_place(args).map(Run::Place),
            PEAK => return peak(args).map(Run::PeakOf).ok_or("no such peak".to_owned()),
            word => options.task = Some(task(word)?),
        }
    }
    Ok(Run::Measure(options))
}

/// Reads the command line behind `place`.
fn parse_place(mut args: impl Iterator<Item = OsString>) -> Result<place::Options, String> {
    let mut options = place::Options {
        repositories: Vec::new(),
        anchors: 2_000,
        seed: 1,
        wrong: 0,
        given_up: 0,
        program: None,
        minutes: 20,
    };
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy().into_owned();
        let mut value = || {
            let value = args.next().and_then(|value| value.into_string().ok());
            value.and_then(|value| value.parse().ok()).ok_or(format!("{text} needs a number"))
        };
        match text.as_str() {
            "--anchors" => options.anchors = value()?,
            "--seed" => options.seed = u64::try_from(value()?).unwrap_or_default(),
            "--wrong" => options.wrong = value()?,
            "--given-up" => options.given_up = value()?,
            "--minutes" => options.minutes = u64::try_from(value()?).unwrap_or_default(),
            "--program" => options.program = args.next().map(PathBuf::from),
            _ => options.repositories.push(arg.into()),
        }
    }
    match options.repositories.is_empty() {
        true => Err("place needs a repository".to_owned()),
        false => Ok(options),
    }
}

fn peak(mut args: impl Iterator<Item = OsString>) -> Option<Peak> {
    let what = args.next()?;
    let mut path = || args.next().map(PathBuf::from);
    match what.to_str()? {
        "list" => Some(Peak::List(path()?)),
        "load" => Some(Peak::Load(path()?)),
        "save" => Some(Peak::Save(path()?, path()?)),
        _ => None,
    }
}

fn task(word: &str) -> Result<Task, String> {
    let found = Task::ALL.into_iter().find(|task| task.name() == word);
    found.ok_or(format!("neither a group of figures nor an option: {word}"))
}

fn sizes(text: &str) -> Result<Vec<usize>, String> {
    let mut sizes = text.split(',').map(size).collect::<Result<Vec<_>, _>>()?;
    sizes.sort_unstable();
    sizes.dedup();
    Ok(sizes)
}

/// Returns a thousand, and ten times as much again and again, up to a size.
fn sizes_up_to(largest: usize) -> Vec<usize> {
    let steps = std::iter::successors(Some(1_000_usize), |size| size.checked_mul(10));
    steps.take_while(|size| *size < largest).chain([largest]).collect()
}

fn size(text: &str) -> Result<usize, String> {
    let (digits, unit) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => (text, 1),
    };
    let number = digits.parse::<usize>().ok().filter(|number| *number > 0);
    let size = number.and_then(|number| number.checked_mul(unit));
    size.ok_or(format!("not a number of files: {text}"))
}

/// Writes a number of files as `--files` takes it.
pub(crate) fn shown(size: usize) -> String {
    if size.is_multiple_of(1_000) { format!("{}k", size / 1_000) } else { size.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(args: &[&str], expected: &str) {
        let said = match parse(args.iter().map(OsString::from)) {
            Ok(Run::Measure(options)) => {
                let task = options.task.map_or("all", Task::name);
                let sizes: Vec<String> = options.sizes.into_iter().map(shown).collect();
                format!("{task} {}", sizes.join(","))
            }
            Ok(Run::Place(options)) => {
                let place::Options { repositories, anchors, seed, wrong, .. } = options;
                format!("place {repositories:?} {anchors} {seed} {wrong}")
            }
            Ok(Run::PeakOf(Peak::List(root) | Peak::Load(root))) => {
                format!("peak {}", root.display())
            }
            Ok(Run::PeakOf(Peak::Save(map, other))) => {
                format!("peak {} {}", map.display(), other.display())
            }
            Err(error) => error,
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn reads_the_command_line() {
        check(&[], "all 1k,10k,100k");
        check(&["list", "--files", "10k,500,10k"], "list 500,10k");
        check(&["all", "--size", "10k"], "all 1k,10k");
        check(&["search", "--size", "100k"], "search 1k,10k,100k");
        check(&["--size", "500"], "all 500");
        check(&["serve"], "serve 1k,10k,100k");
        check(&["growth"], "growth 1k,10k,100k");
        check(&["peak-of", "list", "x"], "peak x");
        check(&["peak-of", "save", "x", "y"], "peak x y");
        check(&["peak-of", "save", "x"], "no such peak");
        check(&["--files", "0"], "not a number of files: 0");
        check(&["--dir"], "--dir needs a value");
        check(&["place", "a", "b", "--seed", "7"], r#"place ["a", "b"] 2000 7 0"#);
        check(&["place"], "place needs a repository");
        check(&["lists"], "neither a group of figures nor an option: lists");
    }
}
