//! The commands of the server, which actions and lenses name, and which users can type in some editors.

use std::path::Path;

use serde_json::{Value, json};
use skein_anchor::{Comparison, State};
use skein_catalog::{ThreadRef, drafts, find_review_by_id, refresh_copies};
use skein_format::review::Status;
use skein_model::Turn;
use skein_model::view::{WriteAction, WriteResult};
use skein_review::{
    AddOptions, CodeLocation, EditableComment, NewThread, ReplyOptions, Source, add,
    apply_previewed, changed_only, preview, reply, set_status, suggested_edit,
};
use skein_workspace::env::canonical;
use skein_workspace::{Actor, Workspace, discover, registry};

use crate::buffer::Buffer;
use crate::command_names::{
    APPLY, COMMENT, DRAFT, NEXT, OPEN, POST, REOPEN, REPLY, RESOLVE, SUBMIT, WAITING,
};
use crate::comment_file::{CommentedLines, Purpose, SentComment};
use crate::document::file_of;
use crate::editing;
use crate::failure::Failure;
use crate::inline_comment::InlineComment;
use crate::pending_request::{PendingRequest, Target};
use crate::server::Server;
use crate::thread_line;
use crate::uri;

/// Maximum number of threads that the user chooses from.
const MAX_CHOICES: usize = 20;
/// Maximum length of a comment.
const MAX_BODY_LEN: usize = 64 * 1024;

/// A thread with its workspace, and who writes.
pub(crate) struct FoundThread {
    pub(crate) workspace: Workspace,
    pub(crate) actor: Actor,
    pub(crate) thread: ThreadRef,
}

impl Server {
    /// Executes a command.
    pub(crate) fn execute(&mut self, name: &str, arguments: &[Value]) -> Result<(), Failure> {
        let text = |index: usize| arguments.get(index).and_then(Value::as_str);
        let id = || text(0).ok_or_else(|| usage(name, "the id of a thread"));
        match name {
            REPLY => self.reply(id()?, text(1)),
            RESOLVE => self.set_status(id()?, Status::Resolved),
            REOPEN => self.set_status(id()?, Status::Open),
            APPLY => self.apply(id()?),
            OPEN => self.open_thread(id()?),
            COMMENT | DRAFT => {
                let (uri, lines) = lines(name, arguments)?;
                self.comment(&uri, lines, text(3), name == DRAFT)
            }
            POST => {
                let (uri, lines) = lines(name, arguments)?;
                self.post(&uri, lines.0)
            }
            SUBMIT => self.submit(),
            NEXT => {
                let line = arguments.get(1).and_then(Value::as_u64);
                self.next(text(0), line.and_then(|line| u32::try_from(line).ok()))
            }
            WAITING => self.waiting(),
            _ => Err(usage(name, "one of the commands that the server announced")),
        }
    }

    fn reply(&mut self, id: &str, text: Option<&str>) -> Result<(), Failure> {
        let found = self.find(id)?;
        if let Some(text) = text {
            return self.send_reply(&found, text).map(drop);
        }
        let thread = &found.thread;
        let bytes = std::fs::read(&thread.path).unwrap_or_default();
        let comments = thread.parse(bytes).0.comments().into_iter();
        let about = comments.map(|one| format!("{}:\n{}\n", one.author, one.body));
        let about = about.collect::<Vec<_>>().join("\n");
        let root = canonical(&found.workspace.reviews.root);
        let purpose = Purpose::Reply { thread: thread.path.to_string_lossy().into_owned() };
        self.write_comment_file(&root, purpose, ("", &about))
    }

    pub(crate) fn send_reply(
        &mut self,
        found: &FoundThread,
        text: &str,
    ) -> Result<SentComment, Failure> {
        let FoundThread { workspace, actor, thread } = found;
        check_body(text)?;
        let written = reply(workspace, actor, thread, text, ReplyOptions::default())?;
        Ok(self.finish_write(workspace, &written))
    }

    fn set_status(&mut self, id: &str, status: Status) -> Result<(), Failure> {
        let FoundThread { workspace, actor, thread } = self.find(id)?;
        let written = set_status(&workspace, &actor, &thread, None, status)?;
        self.finish_write(&workspace, &written);
        Ok(())
    }

    /// Starts a thread on lines counted from 1, or opens a file in which the user writes it.
    fn comment(
        &mut self,
        uri: &str,
        range: (u32, u32),
        text: Option<&str>,
        is_draft: bool,
    ) -> Result<(), Failure> {
        let document = self.documents.get(uri).ok_or_else(|| not_open(uri))?;
        let lines = commented(&document.buffer, range)?;
        if let Some(text) = text {
            return self.add(uri, &lines, text, is_draft).map(drop);
        }
        let (folder, relative) = self.folder_of(&document.file).ok_or_else(|| not_here(uri))?;
        let root = folder.loaded.as_ref().map(|loaded| loaded.root.clone()).unwrap_or_default();
        let shown: Vec<_> = lines.code.iter().map(|line| format!("    {line}")).collect();
        let about = format!("{relative}:{}\n\n{}", range.0, shown.join("\n"));
        let purpose = Purpose::Comment { uri: uri.to_owned(), lines, is_draft };
        self.write_comment_file(&root, purpose, ("", &about))
    }

    pub(crate) fn add(
        &mut self,
        uri: &str,
        lines: &CommentedLines,
        text: &str,
        is_draft: bool,
    ) -> Result<SentComment, Failure> {
        check_body(text)?;
        let file = file_of(uri).ok_or_else(|| not_here(uri))?;
        let (folder, path) = self.folder_of(&file).ok_or_else(|| not_here(uri))?;
        let loaded = folder.loaded.as_ref().ok_or_else(|| not_here(uri))?;
        let (workspace, actor) = (discover(&loaded.live.workspace().env), loaded.actor.clone());
        let Workspace { git, reviews, .. } = &workspace;
        if git.is_none() && !reviews.exists {
            let message = "not a git repository, and there is no store of threads";
            return Err(Failure::new(message, "`skein init` creates a store"));
        }
        let mut place = CodeLocation::below_root(&workspace, &path, None)?;
        let source = Source::read(&workspace.reviews, &place.path)?;
        // A thread is about the text in the file, in which the lines can be elsewhere.
        let range = in_file(lines, &source.lines).ok_or_else(|| {
            let message = format!("line {} of {path} is not the same in the file", lines.range.0);
            Failure::new(&message, "save the file, then comment again")
        })?;
        place.lines = Some(range);
        let thread = NewThread { place, body: text.to_owned(), suggestion: None, expect: None };
        let changed_only = changed_only(&workspace);
        let options = AddOptions { draft: is_draft, changed_only };
        let added = add(&workspace, &actor, &[thread], options)?;
        let written = added.threads.into_iter().next();
        let written = written.ok_or_else(|| Failure("no thread was added".to_owned()))?;
        Ok(self.finish_write(&workspace, &written))
    }

    /// Starts a thread from a comment in the source, on the line above it, and removes the comment.
    fn post(&mut self, uri: &str, line: u32) -> Result<(), Failure> {
        let document = self.documents.get(uri).ok_or_else(|| not_open(uri))?;
        let comment =
            line.checked_sub(1).and_then(|line| InlineComment::at(&document.buffer, line));
        let comment = comment.ok_or_else(|| {
            Failure(format!("line {line} is not a comment that starts with `skein:`"))
        })?;
        let above = comment.lines.0;
        if above == 0 {
            let message = "there is no line above the comment";
            return Err(Failure::new(message, "write it below the code"));
        }
        let lines = commented(&document.buffer, (above, above))?;
        let edit = editing::removal(&document.buffer, comment.lines, self.client.encoding);
        let version = Some(document.version);
        self.add(uri, &lines, &comment.body, false)?;
        if self.client.applies_edits {
            let params = editing::request(self.client, "Remove the comment", (uri, version), &edit);
            self.request("workspace/applyEdit", params, PendingRequest::Removal);
        } else {
            self.show_message(
                "Remove the line of the comment: this editor does not support edits by a server.",
            );
        }
        Ok(())
    }

    /// Lets the editor make the change that a thread suggests.
    fn apply(&mut self, id: &str) -> Result<(), Failure> {
        let FoundThread { workspace, thread, .. } = self.find(id)?;
        if !self.client.applies_edits {
            let hint = format!("`skein review apply {}` changes the file", thread.id());
            return Err(Failure::new("this editor does not support edits by a server", &hint));
        }
        let root = canonical(&workspace.reviews.root);
        let texts = self.documents.iter().filter_map(|document| {
            Some((document.file.strip_prefix(&root).ok()?.to_str()?, document.buffer.text()))
        });
        let edit = suggested_edit(&workspace, &thread, texts)?;
        if edit.old == edit.new {
            return Err(Failure(format!("the change was already made: {}", edit.path)));
        }
        let file = root.join(&edit.path);
        let real = canonical(&file);
        let open = self.documents.at(&file);
        if open.is_none()
            && let Some(other) = self.documents.iter().find(|one| canonical(&one.file) == real)
        {
            let message = format!("the file is open under another path: {}", other.file.display());
            return Err(Failure::new(&message, "open it as the thread names it"));
        }
        let read;
        let (uri, version, buffer) = if let Some(document) = open {
            (document.uri.clone(), Some(document.version), &document.buffer)
        } else {
            let bytes = std::fs::read(&file).map_err(|error| Failure(error.to_string()))?;
            read = Buffer::new(String::from_utf8_lossy(&bytes).into_owned());
            (uri::from_path(&file), None, &read)
        };
        let edit = editing::suggested(buffer, &edit, self.client.encoding);
        let label = "Apply a suggestion";
        let params = editing::request(self.client, label, (&uri, version), &edit);
        let path = file_of(&uri).unwrap_or(file);
        self.request("workspace/applyEdit", params, PendingRequest::Suggestion { thread, path });
        Ok(())
    }

    /// Replies in the threads whose suggestions are in a file that was saved.
    pub(crate) fn report_applied(&mut self, path: &Path) {
        let (saved, rest): (Vec<_>, Vec<_>) =
            self.applied.drain(..).partition(|(_, file)| file == path);
        self.applied = rest;
        for (thread, _) in saved {
            if let Err(Failure(message)) = self.report_one(&thread) {
                self.show_error(&message);
            }
        }
    }

    fn report_one(&mut self, thread: &ThreadRef) -> Result<(), Failure> {
        let FoundThread { workspace, actor, thread } = self.find(&thread.path.to_string_lossy())?;
        // Without the change, for example after an undo, nothing is written.
        let shown = preview(&workspace, &thread).ok();
        let token = shown.filter(|shown| shown.outcome == "there already");
        let Some(token) = token.and_then(|shown| shown.token) else {
            self.show_message(
                "The saved lines are not those of the suggestion, so the thread got no reply.",
            );
            return Ok(());
        };
        let done = apply_previewed(&workspace, &actor, &thread, &token, false)?;
        if let Some(written) = done.reply {
            self.finish_write(&workspace, &written);
        }
        Ok(())
    }

    fn submit(&mut self) -> Result<(), Failure> {
        let folders = self.folders.iter().filter_map(|folder| folder.loaded.as_ref());
        let workspaces: Vec<Workspace> =
            folders.map(|loaded| discover(&loaded.live.workspace().env)).collect();
        let mut count = 0;
        for workspace in &workspaces {
            if drafts::drafts(workspace).is_empty() {
                continue;
            }
            let submitted = skein_delivery::submit(workspace)?;
            count += submitted.result.threads.len();
            self.refresh(workspace);
        }
        self.show_message(&match count {
            0 => "There are no drafts.".to_owned(),
            1 => "Submitted 1 thread.".to_owned(),
            count => format!("Submitted {count} threads."),
        });
        Ok(())
    }

    fn open_thread(&mut self, id: &str) -> Result<(), Failure> {
        let file = match self.find(id) {
            Ok(found) => found.thread.path,
            // A draft has no published file.
            Err(failure) => {
                let loaded = self.folders.iter().filter_map(|folder| folder.loaded.as_ref());
                let mut views = loaded.filter_map(|loaded| loaded.live.threads().get(id).cloned());
                views.next().ok_or(failure)?.row.file.clone()
            }
        };
        self.show_document(&uri::from_path(&file), 0);
        Ok(())
    }

    /// Goes to the next thread that waits on the user, after a line if one is given.
    fn next(&mut self, uri: Option<&str>, line: Option<u32>) -> Result<(), Failure> {
        let targets = self.targets();
        let here = uri.map(|uri| (uri, line.unwrap_or(0)));
        let is_after = |target: &&Target| {
            here.is_none_or(|here| (target.uri.as_str(), target.line + 1) > here)
        };
        let Some(target) = targets.iter().find(is_after).or_else(|| targets.first()) else {
            self.show_message("No thread waits on you.");
            return Ok(());
        };
        self.show_target(target);
        Ok(())
    }

    /// Lets the user choose among the threads that wait on them.
    fn waiting(&mut self) -> Result<(), Failure> {
        let mut targets = self.targets();
        if targets.is_empty() {
            self.show_message("No thread waits on you.");
            return Ok(());
        }
        let count = targets.len();
        targets.truncate(MAX_CHOICES);
        let message = match count {
            1 => "1 thread waits on you".to_owned(),
            count => format!("{count} threads wait on you"),
        };
        let actions: Vec<_> = targets.iter().map(|one| json!({ "title": one.title })).collect();
        let params = json!({ "type": 3, "message": message, "actions": actions });
        self.request("window/showMessageRequest", params, PendingRequest::Choice(targets));
        Ok(())
    }

    /// Returns the threads that wait on the user, by file and line.
    fn targets(&self) -> Vec<Target> {
        let mut targets = Vec::new();
        for folder in &self.folders {
            let Some(loaded) = &folder.loaded else { continue };
            for (path, views) in &loaded.shown {
                let uri = self.client_uri(folder, &loaded.root.join(path));
                let own = views.iter().filter(|view| thread_line::waits_on_user(loaded, view));
                targets.extend(own.map(|view| {
                    let line = thread_line::lines(view).0;
                    let summary = thread_line::summary(loaded, view);
                    let title = format!("{path}:{} {summary}", line + 1);
                    Target { title, uri: uri.clone(), line }
                }));
            }
        }
        targets.sort_by(|a, b| (&a.uri, a.line).cmp(&(&b.uri, b.line)));
        targets
    }

    /// Finds a thread by its file, or a published one by its id or the start of it.
    pub(crate) fn find(&self, id: &str) -> Result<FoundThread, Failure> {
        let (mut failure, mut all) = (None, Vec::new());
        for loaded in self.folders.iter().filter_map(|folder| folder.loaded.as_ref()) {
            let workspace = discover(&loaded.live.workspace().env);
            let file = Path::new(id);
            let dirs = [workspace.reviews.threads(), drafts::dir(&workspace)];
            let found = if file.is_absolute() {
                let is_here = file.is_file() && dirs.iter().any(|dir| file.parent() == Some(dir));
                let reviews = workspace.reviews.clone();
                let thread = is_here.then(|| ThreadRef { reviews, path: file.to_owned() });
                thread.ok_or_else(|| Failure(format!("there is no such thread: {id}")))
            } else {
                find_review_by_id(&workspace, id).map_err(Failure::from)
            };
            match found {
                Ok(thread) => {
                    all.push(FoundThread { workspace, actor: loaded.actor.clone(), thread });
                }
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match (all.len(), all.pop()) {
            (1, Some(found)) => Ok(found),
            (0, _) | (_, None) => Err(failure.unwrap_or_else(still_reading)),
            _ => {
                let message = format!("threads of several folders have this id: {id}");
                Err(Failure::new(&message, "use the menu of the editor on the lines of the thread"))
            }
        }
    }

    /// Does what follows a write, and says what was done.
    pub(crate) fn finish_write(
        &mut self,
        workspace: &Workspace,
        written: &WriteResult,
    ) -> SentComment {
        self.refresh(workspace);
        let turn = match written.waiting_on {
            Some(Turn::Agent) => ", which now waits on an agent",
            Some(Turn::Reviewer) => ", which now waits on the reviewer",
            None => "",
        };
        let at = &written.at;
        self.show_message(&match written.action {
            WriteAction::Added => format!("Commented on {at}."),
            WriteAction::Drafted => format!("Drafted a comment on {at}; `{SUBMIT}` publishes it."),
            WriteAction::Resolved => format!("Resolved the thread on {at}."),
            WriteAction::Proposed => format!("Proposed to resolve the thread on {at}."),
            WriteAction::Reopened => format!("Reopened the thread on {at}."),
            WriteAction::Edited => format!("Changed the comment on {at}."),
            WriteAction::Unchanged => format!("Nothing changed in the thread on {at}."),
            _ => format!("Replied to the thread on {at}{turn}."),
        });
        let thread = ThreadRef { reviews: workspace.reviews.clone(), path: written.file.clone() };
        let comment = written.comment.clone().unwrap_or_default();
        // The text as it is stored, which can be escaped.
        let bytes = std::fs::read(&thread.path).unwrap_or_default();
        let comments = thread.parse(bytes).0.comments();
        let body = comments.into_iter().find(|one| one.id == comment).map(|one| one.body);
        let comment = EditableComment { comment, body: body.unwrap_or_default() };
        SentComment { thread, comment }
    }

    fn refresh(&self, workspace: &Workspace) {
        // A copy that fails now is repeated by the next command.
        drop(refresh_copies(workspace));
        registry::remember(&discover(&workspace.env));
        for loaded in self.folders.iter().filter_map(|folder| folder.loaded.as_ref()) {
            if loaded.live.workspace().reviews.root == workspace.reviews.root {
                loaded.live.refresh_reviews();
            }
        }
    }
}

fn lines(name: &str, arguments: &[Value]) -> Result<(String, (u32, u32)), Failure> {
    let uri = arguments.first().and_then(Value::as_str);
    let line = |index: usize| {
        let line = arguments.get(index).and_then(Value::as_u64);
        line.and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0)
    };
    let found =
        uri.zip(line(1)).map(|(uri, first)| (uri.to_owned(), (first, line(2).unwrap_or(first))));
    found.filter(|(_, (first, last))| first <= last).ok_or_else(|| {
        usage(name, "the address of a file, its first and its last line, and a text")
    })
}

/// Returns lines of a text, counted from 1.
fn commented(buffer: &Buffer, (first, last): (u32, u32)) -> Result<CommentedLines, Failure> {
    let last = last.min(buffer.line_count());
    let code = (first..=last).filter_map(|line| buffer.line(line - 1)).map(str::to_owned);
    let code: Vec<String> = code.collect();
    if code.is_empty() {
        return Err(Failure(format!("the text has no line {first}")));
    }
    let text = Some(buffer.text().to_owned());
    Ok(CommentedLines { range: (first, last), code, text })
}

/// Returns where lines of the editor are in a file, counted from 1; none if they are not there.
fn in_file(lines: &CommentedLines, file: &[String]) -> Option<(u32, u32)> {
    let (first, last) = lines.range;
    let Some(text) = &lines.text else {
        let there = file.get(first as usize - 1..last as usize)?;
        return (there == lines.code).then_some(lines.range);
    };
    let text = text.trim_start_matches('\u{feff}').as_bytes();
    let file = file.join("\n");
    let found = Comparison::new(text, file.as_bytes()).place(first - 1, last - 1);
    let is_same = matches!(found.state, State::Exact | State::Shifted);
    let (first, last) = found.lines.filter(|_| is_same)?;
    Some((first + 1, last + 1))
}

fn not_open(uri: &str) -> Failure {
    Failure(format!("the file is not open: {uri}"))
}

fn usage(name: &str, arguments: &str) -> Failure {
    Failure(format!("{name} needs {arguments}"))
}

pub(crate) fn not_here(uri: &str) -> Failure {
    Failure(format!(
        "the file is not in a directory that is open, or its threads are still being read: {uri}"
    ))
}

fn still_reading() -> Failure {
    Failure("the threads are still being read".to_owned())
}

pub(crate) fn check_body(text: &str) -> Result<(), Failure> {
    if text.trim().is_empty() {
        return Err(Failure("the comment is empty".to_owned()));
    }
    if text.len() > MAX_BODY_LEN {
        return Err(Failure(format!("the comment is longer than {MAX_BODY_LEN} bytes")));
    }
    Ok(())
}
