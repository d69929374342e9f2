//! Measures how often the program finds code again, on the history of real repositories.
//!
//! ```text
//! cargo run --release -p skein-bench -- place REPO… [--program target/release/skein] [--cases 2000] [--minutes 20]
//!     [--seed 1] [--reader-cases 200 --reader-dir DIR]
//! ```
//!
//! # Cases
//!
//! Each pair is a random commit of the first-parent history, and the commit that is 5, 20 or 60 commits later. Up to
//! six files that differ are used; of each file one line anywhere, one line up to five lines from a change, two lines
//! inside changes, and three-line ranges inside and near a change. This is harder than everyday use, where most
//! comments are on code that does not change. Blank lines and lone brackets are reported and not counted. Moved
//! code is rare, so ten more lines inside the changes of each file are followed, and those that were moved are
//! used too; they count only for the moved lines.
//!
//! Rebased patches are real ones: a commit of another branch, usually the head of a pull request, whose patch is
//! also in the history, on another base. Two lines that it added to each file that differs are used, in the
//! history right after the patch and 5 and 20 commits later.
//!
//! # Truth
//!
//! A line is followed from commit to commit, through small differences that git computes with its histogram
//! algorithm, without context, and with its detection of renames. For a line that a commit removed, the first
//! rule that applies decides:
//!
//! 1. The same text in the hunk. Equal lines are paired in order, if there are as many after as before.
//! 2. The same text among all lines that the commit added to any file, with at least one of the three lines on
//!    either side the same, in one location more than in any other.
//! 3. In a hunk of as many lines after as before, the line at the same position, if its similarity is 0.6.
//! 4. The lines into which it was split: each has 0.6 of its words from the line, and together they have 0.6 of
//!    the line's words. Any of them is right.
//! 5. The line of the hunk with a similarity of at least 0.6, if each is the most similar one to the other.
//! 6. The same text anywhere else, without neighbours, if the commit removed it once and added it once.
//!
//! A line for which no rule finds another was rewritten if its hunk has new lines, also if each of them is the edited form of another old
//! line: any of them is right, and "gone" is not. Later commits may change these lines in turn. If its hunk has no new lines, the line was
//! deleted, and only "gone" is right, unless a later commit restores it together with two neighbours. A range was rewritten or deleted if
//! all its lines were.
//!
//! The program under test uses a histogram diff too, so such a hunk counts only if git's Myers algorithm finds the
//! same one. Cases on which the two disagree are left out, and so are cases with several equally good answers,
//! lines of which another hunk of the same file has a similar one (0.75), lines of which the text is written again
//! later, without two of its neighbours or in another file, and ranges whose lines went to several files, out of order, or more than forty
//! lines apart. If a later commit writes the text of a deleted line again in the same file, without two of its
//! neighbours, both that line and "gone" are right.
//!
//! An answer for a split line may leave out or include lines next to it that have 0.6 of their words from the line.
//! At the ends of a range, lines in the place of rewritten ones, blank lines and brackets may be included or not.
//!
//! The similarity is that of common substrings, not the one of the crate under test. For a rebased patch, the
//! n-th line that it added to a file on one base is the n-th that it added on the other.
//!
//! # Verdicts
//!
//! Correct is the true location, or none for deleted lines; wrong is any other location; given up is none for
//! lines that still exist or were rewritten. An answer in the state `replaced` is correct if it contains the true
//! location and has at most forty lines: it says that the code is somewhere in it. An answer about a rewritten line
//! is in the right hunk if it has a line that replaced it. Intervals are computed by bootstrapping over pairs of commits, because the cases of
//! one pair depend on each other.
//!
//! # Readers
//!
//! The truth is computed, and so it may share errors with the program. `--reader-cases` writes a random part of the
//! cases, with those that were left out, to `cases.txt`, for people who write down where each line is now, and our
//! answers to `answers.json`.

mod ask;
mod case;
mod history;
mod pasted;
mod reader_cases;
mod report;
mod sample;
mod similarity;
mod successor;
mod truth;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::program::Skein;
use ask::ask;
use case::{AnswerVerdict, Located, TestCase, Truth};
use report::{JudgedCase, print_report};
use sample::draw_sample;

/// What is drawn, and how much.
pub(crate) struct PlaceOptions {
    pub(crate) repositories: Vec<PathBuf>,
    /// The approximate number of cases.
    pub(crate) cases: usize,
    pub(crate) minutes: u64,
    /// The seed of everything that is drawn.
    pub(crate) seed: u64,
    /// The number of cases for human readers, and the directory for them.
    pub(crate) reader_cases: Option<(usize, PathBuf)>,
}

/// A case, and where the program located it.
struct AnsweredCase<'a> {
    repository: &'a Path,
    case: &'a TestCase,
    located: Located,
}

/// Draws cases from each repository, runs the program, and prints the share of correct answers.
///
/// Every other answer is printed as progress.
pub(crate) fn run(skein: &Skein, options: &PlaceOptions) -> Outcome<()> {
    let repositories = &options.repositories;
    let wanted = options.cases.div_ceil(repositories.len().max(1));
    let time =
        Duration::from_secs(options.minutes * 60) / u32::try_from(repositories.len().max(1))?;
    let mut samples = Vec::new();
    for dir in repositories {
        eprintln!("drawing from {}", dir.display());
        samples.push((dir, draw_sample(dir, wanted, options.seed)?));
    }
    let mut answered: Vec<AnsweredCase<'_>> = Vec::new();
    for (dir, sample) in &samples {
        eprintln!("asking about {} cases of {}", sample.cases.len(), dir.display());
        for (case, located) in ask(skein, dir, &sample.cases, Instant::now() + time)? {
            answered.push(AnsweredCase { repository: dir.as_path(), case, located });
        }
    }
    for one in &answered {
        if let Ok(truth) = &one.case.truth
            && truth.judge(&one.located) != AnswerVerdict::Correct
        {
            eprintln!("{}", described(one.case, &one.located, truth));
        }
    }
    let judged: Vec<JudgedCase<'_>> = answered.iter().filter_map(JudgedCase::new).collect();
    print_report(&judged, samples.iter().flat_map(|(_, sample)| &sample.cases));
    if let Some((count, dir)) = &options.reader_cases {
        reader_cases::write(&answered, *count, options.seed, dir)?;
    }
    Ok(())
}

/// Describes an answer that is not correct; line numbers start at 1.
fn described(case: &TestCase, located: &Located, truth: &Truth) -> String {
    let (first, last) = (case.range.0 + 1, case.range.1 + 1);
    let answer = match &located.location {
        Some((path, first, last)) => format!("{path}:{}-{}", first + 1, last + 1),
        None => "gone".to_owned(),
    };
    let (verdict, confidence) = (truth.judge(located).as_str(), located.confidence);
    let (from, to, path) = (&case.commits.0, &case.commits.1, &case.path);
    let kind = case.kind;
    format!(
        "{verdict} {kind:?} {from}..{to} {path}:{first}-{last}: {answer} ({confidence:.2}), not {truth}"
    )
}
