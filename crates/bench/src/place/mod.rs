//! Measures how often code is placed rightly, on the history of real repositories.
//!
//! ```text
//! cargo run --release -p skein-bench -- place REPO… [--program target/release/skein] [--minutes 20]
//!     [--anchors 2000] [--seed 1] [--wrong 0] [--given-up 0]
//! ```
//!
//! With `--program` the built program is asked: threads are added with it at the first commit of each pair, and it
//! lists them after the second one is checked out. Otherwise only the crate under test is asked.
//!
//! # Cases
//!
//! A random commit of the first-parent history and the one that comes 5, 20 or 60 commits later. Of the
//! files that differ, up to six; of each one line anywhere, one line up to five lines from a change, two
//! lines inside changes, and three-line ranges inside and near a change. That is harder than life, where
//! most comments are on code that nobody touches. Blank lines and lone brackets are told and not counted.
//! Moved code is rare. So ten more lines inside the changes of each file are followed, and those that were moved
//! are asked about too; they count for the moved lines only.
//!
//! Rebased patches are real ones: a commit of some other branch, the head of a pull request as a rule,
//! whose patch is in the history too, on another base. Two lines that it added to each file that
//! differs are asked about, in the history right after the patch and 5 and 20 commits later.
//!
//! # Truth
//!
//! A line is followed from commit to commit, through differences of which each is small and which git
//! computes, with its histogram algorithm, without context, and with its detection of renames. What
//! became of a line that a commit took away is decided in this order:
//!
//! 1. The same text in the hunk. Equal lines are paired in order, if there are as many after as before.
//! 2. The same text among all lines that the commit added to any file, with at least one of the three
//!    lines on either side the same, in one place more so than in any other.
//! 3. In a hunk of as many lines after as before, the line at the same height, if it is 0.6 like it.
//! 4. The lines into which it was broken, each having 0.6 of its words from the line and all of them
//!    0.6 of the line's words. Any of them is right.
//! 5. The line of the hunk that is at least 0.6 like it, if each is most like the other.
//! 6. The same text anywhere else, without neighbours, if the commit took it away once and added it once.
//!
//! Where two readers would not agree, that line and none at all are both right, and the report says how
//! many such cases there are:
//!
//! - the likeness in 5 is between 0.4 and 0.6;
//! - none of the rules finds a line, and the one at the same height in 3 is between 0.4 and 0.6 like it;
//! - only another hunk of the same file has a line at least 0.75 like it;
//! - one line was replaced by one line, with nothing else changed next to it, however little they are alike;
//! - a later commit writes the same text again in the same file, without two of its neighbours.
//!
//! Anything else is deleted, unless a later commit brings it back along with two neighbours. An answer
//! for a broken line may leave out or count in lines next to it that have 0.6 of their words from the
//! line. At the ends of a range, lines that were written in the place of lost ones may be counted in or not. Where several places are as good, the case is left out, and so is a
//! range whose lines went to several files, out of order, or more than forty lines apart. A range is
//! where its telling lines are; blank lines and brackets at its ends may be counted in or not. The
//! likeness is that of common stretches and not the one of the crate under test, which sees nothing but
//! the two ends.
//!
//! Of a rebased patch the truth is its identity: the n-th line that it added to a file on one base is
//! the n-th that it added on the other.
//!
//! # Verdicts
//!
//! The built program follows a line commit by commit too, where one end is an ancestor of the other: it
//! knows what the truth knows, and decides by other rules. The crate under test with the whole old text
//! sees nothing but the two ends, as the program does where history was rewritten.
//!
//! Intervals are those of a bootstrap over pairs of commits.
//!
//! Correct is the true place, or none for deleted lines; wrong is any other place; given up is none for
//! lines that are somewhere.

mod binary;
mod case;
mod history;
mod interval;
mod likeness;
mod method;
mod pasted;
mod patch;
mod sample;
mod shown;
mod speed;
mod successor;
mod tally;
mod truth;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::Outcome;
use case::Verdict;
use method::Method;
use tally::Judged;

/// What to ask.
pub(crate) struct Options {
    pub(crate) repositories: Vec<PathBuf>,
    /// How many cases, about, in all.
    pub(crate) anchors: usize,
    pub(crate) seed: u64,
    /// How many wrong answers are shown.
    pub(crate) wrong: usize,
    /// How many answers are shown that gave up.
    pub(crate) given_up: usize,
    /// The program that is asked, if any.
    pub(crate) program: Option<PathBuf>,
    /// How long the program is asked, in all.
    pub(crate) minutes: u64,
}

/// Draws cases from each repository, asks the built program, and prints how it and each other method did.
pub(crate) fn run(options: &Options) -> Outcome<()> {
    let share = options.anchors.div_ceil(options.repositories.len().max(1));
    let time = Duration::from_secs(options.minutes * 60) / count(&options.repositories);
    let (mut cases, mut answers) = (Vec::new(), Vec::new());
    let mut unclear = 0;
    for dir in &options.repositories {
        eprintln!("drawing from {}", dir.display());
        let sample = sample::draw(dir, share, options.seed)?;
        unclear += sample.unclear;
        if let Some(program) = &options.program {
            eprintln!("asking {} about {} cases", program.display(), sample.cases.len());
            answers.extend(binary::ask(program, dir, &sample.cases, Instant::now() + time)?);
        }
        cases.extend(sample.cases);
    }
    println!("{} cases; {unclear} left out, as their truth is not clear", cases.len());
    let doubtful = cases.iter().filter(|case| case.truth.is_doubtful()).count();
    println!("of {doubtful} readers would not agree whether the code is still there\n");
    print!("{}", tally::head());
    if options.program.is_some() {
        let pairs = cases.iter().zip(answers);
        let judged: Vec<Judged<'_>> =
            pairs.filter_map(|(case, answer)| Some(Judged::new(case, answer?))).collect();
        report(options, "the built program", &judged);
    }
    for method in Method::ALL {
        let judged: Vec<Judged<'_>> =
            cases.iter().map(|case| Judged::new(case, method.answer(case))).collect();
        match method {
            Method::History if options.program.is_none() => report(options, method.name(), &judged),
            Method::History | Method::Whole | Method::Excerpt => {
                print!("{}", tally::total(method.name(), &judged));
                println!("{}{}", tally::breakdown(&judged), tally::calibration(&judged));
            }
            _ => print!("{}", tally::total(method.name(), &judged)),
        }
    }
    println!("\n{}", speed::measure(&cases));
    Ok(())
}

/// Prints all about one method.
fn report(options: &Options, name: &str, judged: &[Judged<'_>]) {
    print!("{}", tally::total(name, judged));
    println!("{}{}", tally::breakdown(judged), tally::calibration(judged));
    println!("{}", tally::intervals(judged));
    shown::show(judged, Verdict::Wrong, options.wrong);
    shown::show(judged, Verdict::GivenUp, options.given_up);
}

fn count(repositories: &[PathBuf]) -> u32 {
    u32::try_from(repositories.len().max(1)).unwrap_or(u32::MAX)
}
