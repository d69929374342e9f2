//! A diff that the user annotates with comments in an editor.

use serde::Serialize;
use skein_model::view::{Diff, DiffFile, DiffLine, DiffLineKind, PlacementState, ThreadView};
use skein_workspace::Workspace;

use super::add::NewThread;
use super::target::CodeLocation;

/// A diff as text, and the meaning of each of its lines.
#[derive(Clone, Debug)]
pub struct AnnotatedDiff {
    /// The text for the editor.
    pub text: String,
    lines: Vec<Line>,
}

/// The comments in an edited sheet.
#[derive(Debug, Default)]
pub struct SheetComments {
    /// Comments with a location.
    pub threads: Vec<NewThread>,
    /// Comments without a location.
    pub unplaced: Vec<Unplaced>,
    /// Added lines that are not comments.
    pub unread: Vec<String>,
}

/// A comment without a location.
#[derive(Clone, Debug, Serialize)]
pub struct Unplaced {
    /// Its text.
    pub body: String,
    /// Why it has no location.
    #[serde(rename = "why")]
    pub reason: String,
}

/// The meaning of a line of a sheet.
#[derive(Clone, Debug)]
enum Line {
    /// Not part of a file.
    Remark,
    /// The header of a file or hunk.
    File { path: String },
    /// A line of the new side, counted from 0.
    New { path: String, number: u32, text: String },
    /// A removed line, and the nearest line of the new side.
    Removed { path: String, near: Option<(u32, String)>, text: String },
}

const HEAD: &str = "\
# A line that begins with > becomes a comment on the line above it; lines that follow each other are one comment.
# Below the name of a file it is a comment on the whole file. Save and close to submit all of them together.
# Without any such line nothing is submitted. Nothing else that you write here counts, and nothing in your files changes.
";

impl AnnotatedDiff {
    /// Creates the sheet of a diff with its threads; `drafts` is the number of drafts that are submitted with the comments.
    pub fn new(diff: &Diff, drafts: usize) -> Self {
        let mut sheet = Self { text: String::new(), lines: Vec::new() };
        for line in HEAD.lines() {
            sheet.push(line, Line::Remark);
        }
        match drafts {
            0 => {}
            1 => sheet.push("# Your draft is submitted with them.", Line::Remark),
            many => {
                let line = format!("# Your {many} drafts are submitted with them.");
                sheet.push(&line, Line::Remark);
            }
        }
        sheet.push(&format!("# {}", diff.title), Line::Remark);
        for file in &diff.files {
            sheet.file(diff, file);
        }
        sheet
    }

    fn file(&mut self, diff: &Diff, file: &DiffFile) {
        let path = || file.path.clone();
        let here = Line::File { path: path() };
        self.push("", Line::Remark);
        let note = match (&file.old_path, file.binary) {
            (Some(old), _) => format!(" (from {old})"),
            (None, true) => " (binary)".to_owned(),
            (None, false) => String::new(),
        };
        self.push(&format!("=== {}: {}{note}", file.status, file.path), here.clone());
        self.threads(diff, &file.path, None);
        for hunk in &file.hunks {
            self.push(&hunk.header, here.clone());
            for (at, line) in hunk.lines.iter().enumerate() {
                let about = match line.new_line {
                    Some(number) => Line::New { path: path(), number, text: line.text.clone() },
                    None => {
                        let near = near(&hunk.lines, at);
                        Line::Removed { path: path(), near, text: line.text.clone() }
                    }
                };
                self.push(&format!("{}{}", sign(line), line.text), about);
                if line.new_line.is_some() {
                    self.threads(diff, &file.path, line.new_line);
                }
            }
        }
    }

    /// Adds the threads that end on a line, or those on the whole file.
    fn threads(&mut self, diff: &Diff, path: &str, line: Option<u32>) {
        for view in diff.threads.iter().filter(|_| diff.is_worktree) {
            let Some(at) = view.placement() else { continue };
            if at.path == path && at.end_line == line && at.state != PlacementState::Gone {
                self.thread(view);
            }
        }
    }

    fn thread(&mut self, view: &ThreadView) {
        let Some(body) = view.review_body() else { return };
        for comment in &body.comments {
            for (number, line) in comment.body.lines().enumerate() {
                let who = if number == 0 { format!("{}: ", comment.author) } else { String::new() };
                self.push(format!("#   | {who}{line}").trim_end(), Line::Remark);
            }
        }
    }

    fn push(&mut self, text: &str, line: Line) {
        // Control characters are replaced, so that each entry is one line.
        let text: String = text
            .chars()
            .map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c })
            .collect();
        self.text.push_str(&text);
        self.text.push('\n');
        self.lines.push(line);
    }

    /// Finds the comments in the edited text.
    pub fn comments(&self, workspace: &Workspace, edited: &str) -> SheetComments {
        let mut found = SheetComments::default();
        for (body, about) in self.written_comments(edited, &mut found.unread) {
            match self.place(workspace, &body, about) {
                Ok(thread) => found.threads.push(thread),
                Err(reason) => found.unplaced.push(Unplaced { body, reason }),
            }
        }
        found
    }

    /// Returns each comment with the index of the line above it, if that is certain.
    fn written_comments(
        &self,
        edited: &str,
        unread: &mut Vec<String>,
    ) -> Vec<(String, Option<usize>)> {
        // Editors may remove trailing white space.
        let original: Vec<&str> = self.text.lines().map(str::trim_end).collect();
        let mut next = 0;
        let mut above = None;
        let mut written: Vec<(Vec<&str>, Option<usize>)> = Vec::new();
        let mut going_on = false;
        for line in edited.lines() {
            if let Some(text) = line.strip_prefix('>') {
                let text = text.strip_prefix(' ').unwrap_or(text);
                match written.last_mut().filter(|_| going_on) {
                    Some((lines, _)) => lines.push(text),
                    None => written.push((vec![text], above)),
                }
                going_on = true;
                continue;
            }
            going_on = false;
            let line = line.trim_end();
            let free = line.is_empty() && matches!(self.lines.get(next), Some(Line::Remark));
            if free && original.get(next) == Some(&line) {
                // An empty line may have been added above a comment, so it does not change the position.
                next += 1;
            } else if original.get(next) == Some(&line) {
                // After an uncertain position, only a unique line is certain.
                above = if next == 0 || above.is_some() || is_only(&original, line) {
                    Some(next)
                } else {
                    None
                };
                next += 1;
            } else if line.is_empty() {
                // An empty line that was added around a comment does not match the next empty line of the sheet.
            } else if let Some(skipped) =
                original.iter().skip(next).position(|other| *other == line)
            {
                next += skipped;
                above = is_only(&original, line).then_some(next);
                next += 1;
            } else if !original.contains(&line) {
                unread.push(line.to_owned());
            }
        }
        let joined = |(lines, at): (Vec<&str>, _)| (lines.join("\n").trim().to_owned(), at);
        let written = written.into_iter().map(joined).filter(|(body, _)| !body.is_empty());
        written.collect()
    }

    fn place(
        &self,
        workspace: &Workspace,
        body: &str,
        about: Option<usize>,
    ) -> Result<NewThread, String> {
        let missing =
            || "lines of the diff above it were deleted, so its location is unknown".to_owned();
        let about = about.and_then(|at| self.lines.get(at)).ok_or_else(missing)?;
        let (path, line, body) = match about {
            Line::Remark => return Err("there is no line of a file above it".to_owned()),
            Line::File { path } => (path, None, body.to_owned()),
            Line::New { path, number, text } => (path, Some((*number, text)), body.to_owned()),
            Line::Removed { path, near: Some((number, near)), text } => {
                let body = format!("On the removed line `{}`:\n\n{body}", text.trim());
                (path, Some((*number, near)), body)
            }
            Line::Removed { path, near: None, .. } => (path, None, body.to_owned()),
        };
        let lines = line.map(|(number, _)| (number + 1, number + 1));
        // The file may have changed while the comment was written.
        let place =
            CodeLocation::below_root(workspace, path, lines).map_err(|error| error.to_string())?;
        let source = place.open(workspace).map_err(|error| error.to_string())?;
        if let Some((number, text)) = line {
            let there = source.lines.get(number as usize).map(String::as_str);
            if there != Some(text.as_str()) {
                return Err(format!("line {} of {path} was changed in the meantime", number + 1));
            }
        }
        Ok(NewThread { place, body, suggestion: None, expect: None })
    }
}

fn is_only(original: &[&str], line: &str) -> bool {
    original.iter().filter(|other| **other == line).count() == 1
}

fn sign(line: &DiffLine) -> char {
    match line.kind {
        DiffLineKind::Added => '+',
        DiffLineKind::Removed => '-',
        DiffLineKind::Context => ' ',
    }
}

/// Returns the nearest line of the new side: the next one, else the previous one.
fn near(lines: &[DiffLine], at: usize) -> Option<(u32, String)> {
    let new = |line: &DiffLine| Some((line.new_line?, line.text.clone()));
    let after = lines.iter().skip(at).find_map(new);
    after.or_else(|| lines.iter().take(at).rev().find_map(new))
}
