//! Measures how often code is placed rightly, on the history of real repositories.
//!
//! ```text
//! cargo run --release -p skein-bench -- place REPO… [--anchors 2000] [--seed 1] [--wrong 0] [--given-up 0]
//! ```
//!
//! # Cases
//!
//! A random commit of the first-parent history and the one that comes 5, 20 or 60 commits later. Of the
//! files that differ, up to six; of each one line anywhere, one line up to five lines from a change, two
//! lines inside changes, and three-line ranges inside and near a change. That is harder than life, where
//! most comments are on code that nobody touches. Blank lines and lone brackets are told and not counted.
//!
//! Rebased patches are real ones: a commit of some other branch, the head of a pull request as a rule,
//! whose patch is in the history too, on another base. Two lines that it added to each file that
//! differs are asked about, in the history right after the patch and 5 and 20 commits later.
//!
//! # Truth
//!
//! A line is followed from commit to commit, through differences of which each is small and which git
//! computes. A line that a commit took away is, in this order: where the same text stands in the hunk; where the
//! same text stands among all lines that the commit added, if that place is the only one or its
//! neighbours single it out; the line of the hunk that is at least 0.6 like it, if each is most like the
//! other; deleted. A renamed file is followed as git does it. Where the same text was added in several
//! places and nothing singles one out, the case is left out, and so is a range whose lines were torn
//! apart. A range is where its telling lines are. The likeness is that of common stretches and
//! not the one of the crate under test, which sees nothing but the two ends.
//!
//! Of a rebased patch the truth is its identity: the n-th line that it added to a file on one base is
//! the n-th that it added on the other.
//!
//! # Verdicts
//!
//! Correct is the true place, or none for deleted lines; wrong is any other place; given up is none for
//! lines that are somewhere.

mod case;
mod history;
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
}

/// Draws cases from each repository, and prints how each method did.
pub(crate) fn run(options: &Options) -> Outcome<()> {
    let share = options.anchors.div_ceil(options.repositories.len().max(1));
    let mut cases = Vec::new();
    let mut unclear = 0;
    for dir in &options.repositories {
        eprintln!("drawing from {}", dir.display());
        let sample = sample::draw(dir, share, options.seed)?;
        unclear += sample.unclear;
        cases.extend(sample.cases);
    }
    println!("{} cases; {unclear} left out, as their truth is not clear\n", cases.len());
    print!("{}", tally::head());
    for method in Method::ALL {
        let judged: Vec<Judged<'_>> = cases.iter().map(|case| Judged::new(case, method)).collect();
        print!("{}", tally::total(method.name(), &judged));
        if matches!(method, Method::Whole | Method::Excerpt) {
            println!("{}{}", tally::breakdown(&judged), tally::calibration(&judged));
        }
        if method == Method::Whole {
            shown::show(&judged, Verdict::Wrong, options.wrong);
            shown::show(&judged, Verdict::GivenUp, options.given_up);
        }
    }
    println!("\n{}", speed::measure(&cases));
    Ok(())
}
