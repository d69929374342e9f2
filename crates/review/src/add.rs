//! New threads.

use std::path::PathBuf;

use skein_catalog::branches;
use skein_format::review::{NewComment, NewReview, ReviewDoc, suggestion_block};
use skein_model::normalize_path::stem;
use skein_model::view::WriteResult;
use skein_store::{CreateError, DirLock, create_new};
use skein_workspace::{Actor, Env, Workspace};

use super::comment::{secret, unknown_name};
use super::git_context::GitContext;
use super::index::{self, Event};
use super::open::LockedStore;
use super::source::Source;
use super::target::{CodeLocation, LocationError};
use super::write_error::WriteError;
use super::{draft, open, write_result};

/// A comment to start a thread with.
#[derive(Clone, Debug)]
pub struct NewThread {
    /// What it is about.
    pub place: CodeLocation,
    /// Markdown.
    pub body: String,
    /// What should stand instead of the commented lines; an empty text takes them out.
    pub suggestion: Option<String>,
    /// A text that the first commented line must contain.
    pub expect: Option<String>,
}

/// How threads are added.
#[derive(Clone, Copy, Debug)]
pub struct AddOptions {
    /// Keeps them aside until they are submitted together.
    pub draft: bool,
    /// Refuses lines that are not changed against the last commit.
    pub changed_only: bool,
}

/// What was added.
#[derive(Clone, Debug)]
pub struct Added {
    /// The threads.
    pub threads: Vec<WriteResult>,
    /// What was done besides, each in a line for the user.
    pub notes: Vec<String>,
}

impl Added {
    /// Remembers the branch that the threads were started on; where that cannot be written, the threads are still added.
    pub(super) fn remember_branch(&mut self, workspace: &Workspace, env: &Env) {
        let ids: Vec<String> = self.threads.iter().map(|thread| thread.id.clone()).collect();
        if let Err(error) = branches::remember(workspace, env, &ids) {
            self.notes.push(format!("The branch was not remembered: {error}"));
        }
    }
}

/// Why nothing was added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// There is no such place.
    #[error(transparent)]
    Place(#[from] LocationError),
    /// The comment says nothing.
    #[error("the comment is empty")]
    Empty,
    /// A field means nothing.
    #[error("there is no field `{name}`")]
    Field {
        /// The field.
        name: String,
    },
    /// The line is another one than was expected.
    #[error("line {line} of {path} does not contain {expected:?}; it is {found:?}")]
    Unexpected {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u32,
        /// What it should contain.
        expected: String,
        /// What it is.
        found: String,
        /// The lines that do contain it, counted from 1.
        lines: Vec<u32>,
    },
    /// The whole file was commented on, where a line is needed.
    #[error("a {what} needs a line: {path}")]
    NeedsLine {
        /// What needs it.
        what: &'static str,
        /// The file.
        path: String,
    },
    /// The line is not changed.
    #[error("line {line} of {path} is not changed against the last commit")]
    Unchanged {
        /// The file.
        path: String,
        /// The line, counted from 1.
        line: u32,
    },
    /// Some of many are wrong; none was added.
    #[error("{} of {all} comments cannot be added, so none was:{}", errors.len(), shown(errors))]
    Many {
        /// Which, counted from 1, and why.
        errors: Vec<(usize, Self)>,
        /// How many there are.
        all: usize,
    },
    /// Git cannot say what has changed.
    #[error("git cannot say what has changed")]
    Git(#[from] skein_git::RunError),
    /// It could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn shown(errors: &[(usize, AddError)]) -> String {
    errors.iter().map(|(number, error)| format!("\n  comment {number}: {error}")).collect()
}

/// Adds threads; either all of them can be added or none is.
pub fn add(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    threads: &[NewThread],
    options: AddOptions,
) -> Result<Added, AddError> {
    if threads.is_empty() {
        return Ok(Added { threads: Vec::new(), notes: Vec::new() });
    }
    let mut capture = GitContext::new(workspace);
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        match check(workspace, thread, &mut capture, options) {
            Ok(source) => sources.push((thread, source)),
            Err(error) => errors.push((number + 1, error)),
        }
    }
    match (errors.len(), threads.len()) {
        (0, _) => {}
        (1, 1) => return Err(errors.remove(0).1),
        (_, all) => return Err(AddError::Many { errors, all }),
    }
    let mut new = Vec::new();
    for (thread, source) in &sources {
        new.push(review(env, actor, thread, source, &mut capture)?);
    }
    if options.draft { draft::keep(workspace, env, new) } else { publish(workspace, env, new) }
}

fn check(
    workspace: &Workspace,
    thread: &NewThread,
    capture: &mut GitContext,
    options: AddOptions,
) -> Result<Source, AddError> {
    let source = thread.place.open(workspace)?;
    check_in(&source, thread, capture, options).map(|()| source)
}

/// Makes sure that a thread can be added on a file that was read.
pub fn check_in(
    source: &Source,
    thread: &NewThread,
    capture: &mut GitContext,
    options: AddOptions,
) -> Result<(), AddError> {
    let NewThread { place, body, suggestion, expect } = thread;
    place.fits(source)?;
    if body.trim().is_empty() && suggestion.is_none() {
        return Err(AddError::Empty);
    }
    let path = || place.path.to_string();
    let Some((first, last)) = place.lines else {
        let what = expect.as_ref().map(|_| "`--expect`");
        let what = what.or_else(|| suggestion.as_ref().map(|_| "suggestion"));
        return what.map_or(Ok(()), |what| Err(AddError::NeedsLine { what, path: path() }));
    };
    if let Some(expected) = expect {
        let found = source.lines.get(first as usize - 1).cloned().unwrap_or_default();
        if !found.contains(expected.as_str()) {
            let lines = source.numbers_with(expected);
            let expected = expected.clone();
            return Err(AddError::Unexpected { path: path(), line: first, expected, found, lines });
        }
    }
    if options.changed_only && !capture.is_changed(&place.path, first - 1, last - 1)? {
        return Err(AddError::Unchanged { path: path(), line: first });
    }
    Ok(())
}

/// Makes a thread under an id of its own.
pub fn review(
    env: &Env,
    actor: &Actor,
    thread: &NewThread,
    source: &Source,
    capture: &mut GitContext,
) -> Result<NewReview, AddError> {
    let selected = source.select(&thread.place);
    let (git, patch) = capture.anchor(&thread.place.path, source, selected.as_ref())?;
    let (range, context) =
        selected.map_or((None, None), |(range, context)| (Some(range), Some(context)));
    let now = env.clock.now();
    let comment = NewComment {
        id: env.ids.next(),
        author: actor.name.clone(),
        created_at: now,
        body: body(thread),
    };
    Ok(NewReview {
        id: env.ids.next(),
        path: thread.place.path.clone(),
        range,
        anchor: skein_format::review::Anchor { context, git },
        created_at: now,
        patch,
        comments: vec![comment],
    })
}

fn body(thread: &NewThread) -> String {
    let said = thread.body.trim_end();
    let block = thread.suggestion.as_deref().map(suggestion_block);
    match block {
        None => said.to_owned(),
        Some(block) if said.is_empty() => block,
        Some(block) => format!("{said}\n\n{block}"),
    }
}

/// Creates the files of threads.
pub(super) fn publish(
    workspace: &Workspace,
    env: &Env,
    threads: Vec<NewReview>,
) -> Result<Added, AddError> {
    Ok(publish_into(workspace, env, open::ensure(env, workspace)?, threads)?)
}

/// Creates the files of threads in a store that is open.
pub fn publish_into(
    workspace: &Workspace,
    env: &Env,
    open: LockedStore,
    threads: Vec<NewReview>,
) -> Result<Added, WriteError> {
    let mut docs = Vec::new();
    for thread in threads {
        docs.push(create(workspace, env, &open.guard, thread)?);
    }
    let events: Vec<(String, Event<'_>)> =
        docs.iter().map(|(path, doc)| (stem(path), Event::Changed(doc))).collect();
    let stale = index::follow(env, &workspace.reviews, &workspace.settings, &open.guard, &events);
    let mut written: Vec<WriteResult> =
        docs.iter().map(|(path, doc)| added((workspace, env), path, doc, "added")).collect();
    if let Some(last) = written.last_mut() {
        last.diagnostics.extend(stale);
    }
    let mut added = Added { threads: written, notes: open.notes };
    added.remember_branch(workspace, env);
    Ok(added)
}

/// Says what was added, and warns of secrets in it and of names that are not known.
pub(super) fn added(
    (workspace, env): (&Workspace, &Env),
    path: &std::path::Path,
    doc: &ReviewDoc,
    action: &'static str,
) -> WriteResult {
    let mut written = write_result::from_doc(path, doc, action);
    let code = doc.context().map(|context| context.selection).unwrap_or_default();
    written.code = code.lines().map(str::to_owned).collect();
    let comments = doc.comments();
    written.comment = comments.first().map(|comment| comment.id.clone());
    written.diagnostics.extend(comments.iter().find_map(|comment| secret(&comment.body, path)));
    let at = (&workspace.reviews, path);
    written.diagnostics.extend(unknown_name(workspace, env, at, doc));
    written
}

fn create(
    workspace: &Workspace,
    env: &Env,
    guard: &DirLock,
    mut thread: NewReview,
) -> Result<(PathBuf, ReviewDoc), WriteError> {
    loop {
        let path = workspace.reviews.threads().join(format!("{}.md", thread.id));
        let doc = thread.clone().into_doc(&workspace.reviews.store_path);
        match create_new(&*env.fs, guard, &path, doc.to_bytes(), 0o666) {
            Ok(_) => return Ok((path, doc)),
            Err(CreateError::Exists { .. }) => thread.id = env.ids.next(),
            Err(error) => return Err(error.into()),
        }
    }
}
