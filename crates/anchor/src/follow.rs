//! Follows code through the versions between two commits.

use std::rc::Rc;

use crate::elsewhere::{CandidateFile, elsewhere, elsewhere_with_context};
use crate::place::OldCode;
use crate::place::place;
use crate::placement::{Placement, State};

/// The versions of some files, one step after the other.
pub trait Steps {
    /// Returns the number of steps.
    fn count(&self) -> usize;

    /// Returns the effect of a step on a file.
    fn file(&mut self, step: usize, path: &str) -> Next;

    /// Returns the files that a step changed or created.
    fn changed(&mut self, step: usize) -> Vec<FileChange>;
}

/// The effect of one step on a file.
#[derive(Clone, Debug)]
pub enum Next {
    /// The file is unchanged.
    Same,
    /// The text or the path changed.
    File { path: String, text: Rc<[u8]> },
    /// The file is deleted.
    Deleted,
    /// The file cannot be read after this step.
    Unknown,
}

/// A file that a step changed or created.
#[derive(Clone, Debug)]
pub struct FileChange {
    /// The path after the step.
    pub path: String,
    /// The text before the step; `None` for a file that the step created.
    pub old: Option<Rc<[u8]>>,
    /// The text after the step.
    pub new: Rc<[u8]>,
}

/// Lines of a file at a step.
#[derive(Clone, Debug)]
pub struct Spot {
    /// The file.
    pub path: String,
    /// Its text.
    pub text: Rc<[u8]>,
    /// The first and the last line, counted from 0.
    pub lines: (u32, u32),
}

/// The position of code after the last step.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The position.
    pub spot: Spot,
    /// Whether a step moved the code to another position or file.
    pub is_moved: bool,
    /// Whether a step replaced the code, so that the position is what stands in its place.
    pub is_replaced: bool,
    /// The lowest confidence of all steps, from 0 to 1.
    pub confidence: f32,
}

/// The result of following code.
#[derive(Clone, Debug)]
pub enum Trail {
    /// The code exists after the last step.
    At(Followed),
    /// A step removed the code.
    Removed,
    /// A version is missing.
    Unknown,
}

/// Follows code from version to version.
///
/// Each step is a small change, so this is more reliable than comparing the first and the last
/// version.
pub fn follow(steps: &mut dyn Steps, start: Spot) -> Trail {
    let mut at = Followed { spot: start, is_moved: false, is_replaced: false, confidence: 1.0 };
    for step in 0..steps.count() {
        let next = match steps.file(step, &at.spot.path) {
            Next::Same => continue,
            Next::Unknown => return Trail::Unknown,
            Next::File { path, text } => in_file(&at, path, text),
            Next::Deleted => None,
        };
        let is_replaced = |next: &Followed| next.is_replaced && !at.is_replaced;
        at = match next {
            Some(next) if is_replaced(&next) => {
                in_others(&at, &steps.changed(step), elsewhere_with_context).unwrap_or(next)
            }
            Some(next) => next,
            None => match in_others(&at, &steps.changed(step), elsewhere) {
                Some(next) => next,
                None => return Trail::Removed,
            },
        };
    }
    Trail::At(at)
}

fn in_file(at: &Followed, path: String, text: Rc<[u8]>) -> Option<Followed> {
    let found = place(&at.spot.as_old(), &text);
    let lines = found.lines?;
    Some(Followed {
        spot: Spot { path, text, lines },
        is_moved: at.is_moved || found.state == State::Moved,
        is_replaced: at.is_replaced || found.state == State::Replaced,
        confidence: at.confidence.min(found.confidence),
    })
}

/// Searches the lines of other texts for some code.
type Search = fn(&OldCode<'_>, &[CandidateFile<'_>]) -> Option<(usize, Placement)>;

fn in_others(at: &Followed, files: &[FileChange], search: Search) -> Option<Followed> {
    let files: Vec<&FileChange> = files.iter().filter(|file| file.path != at.spot.path).collect();
    let others: Vec<CandidateFile<'_>> = files
        .iter()
        .map(|file| CandidateFile { old: file.old.as_deref(), new: &file.new })
        .collect();
    let (index, found) = search(&at.spot.as_old(), &others)?;
    let file = files.get(index)?;
    Some(Followed {
        spot: Spot { path: file.path.clone(), text: file.new.clone(), lines: found.lines? },
        is_moved: true,
        is_replaced: at.is_replaced,
        confidence: at.confidence.min(found.confidence),
    })
}

impl Spot {
    fn as_old(&self) -> OldCode<'_> {
        OldCode::Whole { text: &self.text, start: self.lines.0, end: self.lines.1 }
    }
}
