//! Prints changes, with the threads between the lines.

use anstyle::Style;
use skein_model::sanitize::{escape_control, one_line};
use skein_model::view::{
    Diff, DiffFile, DiffLine, DiffLineKind, PlacementState, RowDetail, ThreadBody, ThreadView,
};

use super::{age, style, text, view};
use crate::output::Output;

/// Returns the changes of every file as text; `more` is added if there are none.
pub(crate) fn changes(output: &Output<'_>, diff: &Diff, more: &str) -> String {
    let mut page = Page { output, text: String::new() };
    page.line(style::DIM, &one_line(&diff.title));
    for file in &diff.files {
        page.file(diff, file);
    }
    if diff.files.is_empty() {
        page.line(Style::new(), &format!("Nothing differs.{more}"));
    }
    page.submodules(diff);
    page.text
}

/// Returns how many lines changed in each file.
pub(crate) fn stat(output: &Output<'_>, diff: &Diff) -> String {
    let mut page = Page { output, text: String::new() };
    page.line(style::DIM, &one_line(&diff.title));
    let width = diff.files.iter().map(|file| file.path.chars().count()).max().unwrap_or(0);
    for file in &diff.files {
        let threads = diff.threads.iter().filter(|view| is_on(view, &file.path)).count();
        let threads = match threads {
            0 => String::new(),
            n => format!("  {}", text::count(n, "thread")),
        };
        let path = one_line(&file.path);
        let (added, removed) = (format!("+{}", file.added), format!("-{}", file.removed));
        let added = output.paint(style::ADDED, &format!("{added:>6}"));
        let removed = output.paint(style::REMOVED, &format!("{removed:>6}"));
        page.line(Style::new(), &format!("{path:<width$} {added} {removed}{threads}"));
    }
    let sum = |count: fn(&DiffFile) -> usize| diff.files.iter().map(count).sum::<usize>();
    let (added, removed) = (sum(|file| file.added), sum(|file| file.removed));
    let files = text::count(diff.files.len(), "file");
    page.line(style::DIM, &format!("{files}, +{added} -{removed}"));
    page.submodules(diff);
    page.text
}

struct Page<'a, 'b> {
    output: &'a Output<'b>,
    text: String,
}

impl Page<'_, '_> {
    /// Names the submodules that have something to review, with the command that shows it.
    fn submodules(&mut self, diff: &Diff) {
        if !diff.submodules.is_empty() {
            self.line(Style::new(), "");
        }
        for submodule in &diff.submodules {
            let line = format!("{} shows it.", text::submodule(submodule, "review diff"));
            self.line(Style::new(), &line);
        }
    }

    fn file(&mut self, diff: &Diff, file: &DiffFile) {
        self.line(Style::new(), "");
        let from =
            file.old_path.as_ref().map_or(String::new(), |old| format!(" from {}", one_line(old)));
        let title = format!("{}  {}{from}", one_line(&file.path), file.status);
        self.line(style::TITLE, &title);
        if let (Some(old), Some(new)) = (&file.old_mode, &file.new_mode) {
            self.line(style::DIM, &format!("  (mode {old} → {new})"));
        }
        if file.binary {
            self.line(style::DIM, "  (not shown: binary, or too large)");
        }
        let (mut inline, mut rest) = (Vec::new(), Vec::new());
        for view in diff.threads.iter().filter(|view| is_on(view, &file.path)) {
            match end_line(view).filter(|_| diff.is_worktree) {
                Some(line) if shows(file, line) => inline.push((line, view)),
                _ => rest.push(view),
            }
        }
        for hunk in &file.hunks {
            self.line(style::HUNK, &escape_control(&hunk.header));
            for line in &hunk.lines {
                self.change(line);
                for (_, view) in inline.iter().filter(|(at, _)| Some(*at) == line.new_line) {
                    self.thread(view);
                }
            }
        }
        if !rest.is_empty() {
            self.line(style::DIM, "On other lines of this file:");
        }
        for view in rest {
            self.thread(view);
        }
    }

    fn change(&mut self, line: &DiffLine) {
        let (sign, mark) = match line.kind {
            DiffLineKind::Added => ('+', style::ADDED),
            DiffLineKind::Removed => ('-', style::REMOVED),
            DiffLineKind::Context => (' ', Style::new()),
        };
        let number = line.new_line.map_or(String::new(), |number| (number + 1).to_string());
        let gutter = self.output.paint(style::DIM, &format!("{number:>5}"));
        let text = format!("{sign}{}", escape_control(&line.text));
        // White space at the end of a changed line may be the change.
        let text = if line.kind == DiffLineKind::Context { text.trim_end() } else { &text };
        let mut text = self.output.paint(mark, text);
        for mark in &line.marks {
            text.push_str(&self.output.paint(style::DIM, &format!("  ({})", mark.label())));
        }
        self.line(Style::new(), format!("{gutter} {text}").trim_end());
    }

    fn thread(&mut self, view: &ThreadView) {
        let (ThreadBody::Review(body), RowDetail::Review(detail)) = (&view.body, &view.row.detail)
        else {
            return;
        };
        let status = view.row.status.as_deref().unwrap_or_default();
        let turn = detail.waiting_on.map(|_| format!(", {}", view::turn(detail)));
        let turn = turn.unwrap_or_default();
        let state = detail.state.filter(|state| *state != PlacementState::Exact);
        let state = state.map_or(String::new(), |state| format!(", {state}"));
        let at = one_line(detail.at.as_deref().unwrap_or_default());
        let id = text::short_id(&view.row.id);
        self.bar(style::HANDLE, &format!("{id} {at}, {status}{turn}{state}"));
        for comment in &body.comments {
            let agent = if comment.agent { " (agent)" } else { "" };
            let when = age::long(comment.created_at, self.output.now);
            self.bar(style::TITLE, &format!("{}{agent}, {when}", one_line(&comment.author)));
            for line in comment.body.lines() {
                self.bar(Style::new(), &format!("  {}", escape_control(line)));
            }
        }
    }

    fn bar(&mut self, mark: Style, text: &str) {
        let bar = self.output.paint(style::HANDLE, "      ┃");
        let text = self.output.paint(mark, text.trim_end());
        self.line(Style::new(), format!("{bar} {text}").trim_end());
    }

    fn line(&mut self, mark: Style, text: &str) {
        let text = if text.is_empty() { String::new() } else { self.output.paint(mark, text) };
        self.text.push_str(&text);
        self.text.push('\n');
    }
}

fn shows(file: &DiffFile, line: u32) -> bool {
    file.hunks.iter().flat_map(|hunk| &hunk.lines).any(|one| one.new_line == Some(line))
}

fn is_on(view: &ThreadView, path: &str) -> bool {
    let ThreadBody::Review(body) = &view.body else { return false };
    body.placement.as_ref().is_some_and(|at| at.path == path)
}

fn end_line(view: &ThreadView) -> Option<u32> {
    let ThreadBody::Review(body) = &view.body else { return None };
    body.placement.as_ref()?.end_line
}
