//! Writes random cases as text for people, without the answers, and the answers to another file.

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;
use std::path::Path;

use fastrand::Rng;
use serde_json::{Value, json};
use skein_model::sanitize::{escape_control, to_json};

use super::AnsweredCase;
use super::case::CaseKind;
use super::history::{CommitChanges, History, PatchedFile, Replacement};
use super::sample::lines;
use super::similarity::{letter_count, similarity};
use super::truth::is_poor;
use crate::Outcome;
use crate::corpus::prose::seeded;

/// The share of the cases whose line is in a changed hunk, in percent: unchanged lines teach little.
const CHANGED_PERCENT: usize = 75;

/// The number of lines that are shown around a hunk.
const CONTEXT_LINES: usize = 6;

/// The number of lines of a large hunk that are shown on either side of the commented line.
const MAX_OLD_LINES: usize = 40;

/// Maximum number of new lines that are shown in the place of the hunk.
const MAX_NEW_LINES: usize = 200;

/// Maximum number of lines elsewhere that are shown because they resemble the commented line.
const MAX_SIMILAR_LINES: usize = 8;

/// The number of added lines that are shown on either side of such a line.
const SIMILAR_CONTEXT_LINES: usize = 2;

/// The minimum similarity of such a line.
const SIMILAR: f64 = 0.6;

const INSTRUCTIONS: &str = "\
Each case shows a line of an old file, marked with `>`, and the file later. Write down where the line is now, one case per line:

    CASE-NUMBER: LINES               the number of the new line, or `FIRST-LAST`, if it is there, edited or replaced by other lines
    CASE-NUMBER: deleted             if nothing replaced it
    CASE-NUMBER: moved to FILE:LINE  if it is in another position or file

Lines that the diff removed are marked with `-`, lines that it added with `+`.
";

/// A case with what is shown of it.
struct ReaderCase<'a> {
    answered: &'a AnsweredCase<'a>,
    is_in_hunk: bool,
    text: String,
}

/// The difference of a case between its two commits.
struct CaseFiles {
    changes: CommitChanges,
    old_text: Vec<u8>,
    /// The path and the text of the file later, if it still exists.
    new_file: Option<(String, Vec<u8>)>,
}

/// Writes `cases.txt` and `answers.json` with `count` of the answered lines, as many from each repository.
#[expect(clippy::disallowed_methods, reason = "for the person who started it, who can repeat it")]
pub(super) fn write(
    answered: &[AnsweredCase<'_>],
    count: usize,
    seed: u64,
    dir: &Path,
) -> Outcome<()> {
    let mut random = seeded(seed, 1);
    let mut cases: Vec<ReaderCase<'_>> = Vec::new();
    let repositories: Vec<&[AnsweredCase<'_>]> =
        answered.chunk_by(|one, other| one.repository == other.repository).collect();
    for (index, of_repository) in repositories.iter().enumerate() {
        let wanted = (index + 1) * count / repositories.len() - index * count / repositories.len();
        cases.extend(draw(of_repository, wanted, &mut random)?);
    }
    random.shuffle(&mut cases);
    let mut text = INSTRUCTIONS.to_owned();
    let mut answers = Vec::new();
    for (number, case) in (1..).zip(&cases) {
        write!(text, "\n==== CASE {number} ====\n{}", case.text)?;
        answers.push(answer(number, case));
    }
    fs::create_dir_all(dir)?;
    fs::write(dir.join("cases.txt"), text)?;
    fs::write(dir.join("answers.json"), to_json(&answers)?)?;
    let in_hunk = cases.iter().filter(|case| case.is_in_hunk).count();
    println!("\n{} cases for readers, {in_hunk} of them in a changed hunk", cases.len());
    Ok(())
}

/// Draws single lines of one repository.
fn draw<'a>(
    answered: &'a [AnsweredCase<'a>],
    wanted: usize,
    random: &mut Rng,
) -> Outcome<Vec<ReaderCase<'a>>> {
    let Some(first) = answered.first() else { return Ok(Vec::new()) };
    let history = History::open(first.repository)?;
    let is_line =
        |one: &&AnsweredCase<'_>| matches!(one.case.kind, CaseKind::Line | CaseKind::Rebased);
    let mut lines: Vec<&AnsweredCase<'_>> = answered.iter().filter(is_line).collect();
    random.shuffle(&mut lines);
    let most_in_hunk = (wanted * CHANGED_PERCENT).div_ceil(100);
    let (mut cases, mut in_hunk) = (Vec::new(), 0);
    for one in lines {
        if cases.len() == wanted {
            break;
        }
        let Some(files) = CaseFiles::read(&history, one)? else { continue };
        let is_in_hunk = files.hunk(one).is_some();
        let is_full = match is_in_hunk {
            true => in_hunk == most_in_hunk,
            false => cases.len() - in_hunk == wanted - most_in_hunk,
        };
        if !is_full {
            in_hunk += usize::from(is_in_hunk);
            cases.push(ReaderCase { answered: one, is_in_hunk, text: files.shown(one)? });
        }
    }
    Ok(cases)
}

/// Returns what the program answered, and what the benchmark takes for the truth; line numbers start at 1.
fn answer(number: usize, case: &ReaderCase<'_>) -> Value {
    let AnsweredCase { repository, case: asked, located } = case.answered;
    let location = located
        .location
        .as_ref()
        .map(|(path, first, last)| json!({ "path": path, "first": first + 1, "last": last + 1 }));
    let (truth, verdict) = match &asked.truth {
        Ok(truth) => (truth.to_string(), truth.judge(located).as_str().to_owned()),
        Err(reason) => (format!("left out: {reason:?}"), "none".to_owned()),
    };
    json!({
        "case": number,
        "repository": repository.file_name().map(|name| name.to_string_lossy()),
        "from": asked.commits.0,
        "to": asked.commits.1,
        "path": asked.path,
        "line": asked.range.0 + 1,
        "is_in_hunk": case.is_in_hunk,
        "state": located.state,
        "location": location,
        "confidence": located.confidence,
        "truth": truth,
        "verdict": verdict,
    })
}

impl CaseFiles {
    /// Reads the files of a case; `None` if one is not a text.
    fn read(history: &History, answered: &AnsweredCase<'_>) -> Outcome<Option<Self>> {
        let ((from, to), path) = (&answered.case.commits, &answered.case.path);
        let Some(old_text) = history.text(from, path) else { return Ok(None) };
        let changes = history.difference(from, to)?;
        let change = changes.iter().find(|change| change.old_path.as_ref() == Some(path));
        let new_path = change.map_or(Some(path), |change| change.new_path.as_ref());
        let new_file = match new_path {
            Some(path) => {
                let Some(text) = history.text(to, path) else { return Ok(None) };
                Some((path.clone(), text))
            }
            None => None,
        };
        Ok(Some(Self { changes, old_text, new_file }))
    }

    fn change(&self, answered: &AnsweredCase<'_>) -> Option<&PatchedFile> {
        let path = &answered.case.path;
        self.changes.iter().find(|change| change.old_path.as_ref() == Some(path))
    }

    /// Returns the hunk that removes the line.
    fn hunk(&self, answered: &AnsweredCase<'_>) -> Option<&Replacement> {
        let line = answered.case.range.0;
        self.change(answered)?.hunks.iter().find(|hunk| old_lines(hunk).contains(&line))
    }

    fn shown(&self, answered: &AnsweredCase<'_>) -> Outcome<String> {
        let line = answered.case.range.0;
        let hunks = self.change(answered).map(|change| change.hunks.as_slice()).unwrap_or_default();
        let old = lines(&self.old_text);
        let hunk = self.hunk(answered).map_or(line..line + 1, old_lines);
        let above = hunk.start.max(line.saturating_sub(MAX_OLD_LINES));
        let below = hunk.end.min(line + 1 + MAX_OLD_LINES);
        let shown = above.saturating_sub(CONTEXT_LINES)..old.len().min(below + CONTEXT_LINES);
        let mut text = format!("old file: {}\n", escape_control(&answered.case.path));
        for (number, content) in old.iter().enumerate().take(shown.end).skip(shown.start) {
            let is_removed = hunks.iter().any(|hunk| old_lines(hunk).contains(&number));
            let sign = if is_removed { '-' } else { ' ' };
            let mark = if number == line { '>' } else { ' ' };
            write_line(&mut text, mark, sign, number, content)?;
        }
        let Some((path, new_text)) = &self.new_file else {
            text.push_str("\nThe file was deleted.\n");
            self.write_similar(&mut text, answered, 0..0)?;
            return Ok(text);
        };
        let new = lines(new_text);
        writeln!(text, "\nnew file: {}", escape_control(path))?;
        // The lines from the first to the last one that are shown of the old file.
        let start = new_position(hunks, shown.start, false);
        let end = new_position(hunks, shown.end, true).min(new.len());
        let printed = start..end.min(start + MAX_NEW_LINES);
        for (number, content) in new.iter().enumerate().take(printed.end).skip(printed.start) {
            let is_added = hunks.iter().any(|hunk| new_lines(hunk).contains(&number));
            write_line(&mut text, ' ', if is_added { '+' } else { ' ' }, number, content)?;
        }
        if printed.end < end {
            writeln!(text, "        ({} more lines of this hunk)", end - printed.end)?;
        }
        self.write_similar(&mut text, answered, printed)?;
        Ok(text)
    }

    /// Writes the added lines elsewhere that resemble the commented one, so that a reader can see where it was moved.
    fn write_similar(
        &self,
        text: &mut String,
        answered: &AnsweredCase<'_>,
        printed: Range<usize>,
    ) -> Outcome<()> {
        let old = lines(&self.old_text);
        let commented = old.get(answered.case.range.0).copied().unwrap_or_default();
        if is_poor(commented) {
            return Ok(());
        }
        let own_path = self.new_file.as_ref().map(|(path, _)| path);
        let mut similar: Vec<(f64, &str, usize, &Replacement)> = Vec::new();
        for change in &self.changes {
            let Some(path) = &change.new_path else { continue };
            for hunk in &change.hunks {
                for (number, added) in (hunk.new_start..).zip(&hunk.new) {
                    let is_printed = own_path == Some(path) && printed.contains(&number);
                    if is_printed || letter_count(added) < 3 {
                        continue;
                    }
                    let score = similarity(commented, added, SIMILAR, SIMILAR);
                    if score >= SIMILAR {
                        similar.push((score, path, number, hunk));
                    }
                }
            }
        }
        similar.sort_by(|one, other| other.0.total_cmp(&one.0));
        if similar.is_empty() {
            return Ok(());
        }
        writeln!(text, "\nadded elsewhere, and similar to the line:")?;
        for (_, path, number, hunk) in similar.into_iter().take(MAX_SIMILAR_LINES) {
            writeln!(text, "{}:{}", escape_control(path), number + 1)?;
            for (near, added) in (hunk.new_start..).zip(&hunk.new) {
                if near.abs_diff(number) <= SIMILAR_CONTEXT_LINES {
                    write_line(text, ' ', '+', near, added)?;
                }
            }
        }
        Ok(())
    }
}

fn old_lines(hunk: &Replacement) -> Range<usize> {
    hunk.old_start..hunk.old_start + hunk.old.len()
}

fn new_lines(hunk: &Replacement) -> Range<usize> {
    hunk.new_start..hunk.new_start + hunk.new.len()
}

/// Returns the new position before an old line: within a hunk, its start, or its end if `is_end`.
fn new_position(hunks: &[Replacement], line: usize, is_end: bool) -> usize {
    let mut position = line;
    for hunk in hunks {
        let (old, new) = (old_lines(hunk), new_lines(hunk));
        if old.end < line || (old.end == line && is_end) {
            position = line - old.end + new.end;
        } else if old.start < line {
            position = if is_end { new.end } else { new.start };
        }
    }
    position
}

fn write_line(
    text: &mut String,
    mark: char,
    sign: char,
    number: usize,
    line: &[u8],
) -> Outcome<()> {
    let line = String::from_utf8_lossy(line).replace('\t', "    ");
    writeln!(text, "{mark}{:>6} {sign} {}", number + 1, escape_control(&line))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_before_a_line_is_mapped_by_the_hunks_above_it() {
        let hunk = Replacement {
            old_start: 3,
            old: vec![b"a".to_vec(), b"b".to_vec()],
            new_start: 3,
            new: vec![b"c".to_vec(); 4],
        };
        let hunks = [hunk];
        let both = |line| (new_position(&hunks, line, false), new_position(&hunks, line, true));
        assert_eq!(both(2), (2, 2));
        assert_eq!(both(3), (3, 3));
        assert_eq!(both(4), (3, 7));
        assert_eq!(both(5), (3, 7));
        assert_eq!(both(6), (8, 8));
    }
}
