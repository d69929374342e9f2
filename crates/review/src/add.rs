//! Adds threads.

use std::path::{Path, PathBuf};

use skein_catalog::{ThreadRef, branches, drafts};
use skein_format::review::{NewComment, NewReview, ReviewDoc, suggestion_block};
use skein_model::view::{WriteAction, WriteResult};
use skein_store::{CreateError, DirLock, check_len, create_new};
use skein_workspace::update::LockedStore;
use skein_workspace::{Actor, Env, Workspace};

use super::comment::{secret, unknown_name};
use super::git_context::GitContext;
use super::target::{CodeLocation, LocationError, Source};
use super::write_error::WriteError;
use super::write_result::Written;
use super::{index, open};

/// A comment to start a thread with.
#[derive(Clone, Debug)]
pub struct NewThread {
    /// The commented location.
    pub place: CodeLocation,
    /// Markdown.
    pub body: String,
    /// The text to replace the commented lines with; an empty text removes them.
    pub suggestion: Option<String>,
    /// A text that the first commented line must contain.
    pub expect: Option<String>,
}

/// Options for adding threads.
#[derive(Clone, Copy, Debug)]
pub struct AddOptions {
    /// Whether they are stored as drafts, to be submitted together.
    pub draft: bool,
    /// Whether lines that are unchanged since the last commit are refused.
    pub changed_only: bool,
}

/// The threads that were added.
#[derive(Clone, Debug)]
pub struct AddResult {
    pub threads: Vec<WriteResult>,
    /// Notes for the user, one line each.
    pub notes: Vec<String>,
}

impl AddResult {
    /// Records the branch that the threads were started on; if that fails, the threads are still added.
    fn new(workspace: &Workspace, written: Vec<Written>, mut notes: Vec<String>) -> Self {
        let ids: Vec<String> = written.iter().map(|one| one.thread.id()).collect();
        if let Err(error) = branches::remember(workspace, &ids) {
            notes.push(format!("The branch was not recorded: {error}"));
        }
        Self { threads: written.into_iter().map(|one| one.result).collect(), notes }
    }
}

/// Why nothing was added; lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    #[error(transparent)]
    Place(#[from] LocationError),
    #[error("the comment is empty")]
    Empty,
    #[error("there is no field `{name}`")]
    Field { name: String },
    /// The line does not have the expected text; `lines` do.
    #[error("line {line} of {path} does not contain {expected:?}; it is {found:?}")]
    Unexpected { path: String, line: u32, expected: String, found: String, lines: Vec<u32> },
    /// A line is required, but the whole file was commented on.
    #[error("a {what} needs a line: {path}")]
    NeedsLine { what: &'static str, path: String },
    #[error("line {line} of {path} is not changed against the last commit")]
    Unchanged { path: String, line: u32 },
    /// Some of `all` comments are invalid, by their numbers; none was added.
    #[error("{} of {all} comments cannot be added, so none was:{}", errors.len(), shown(errors))]
    Many { errors: Vec<(usize, Self)>, all: usize },
    #[error("git cannot say what has changed")]
    Git(#[from] skein_git::RunError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn shown(errors: &[(usize, AddError)]) -> String {
    errors.iter().map(|(number, error)| format!("\n  comment {number}: {error}")).collect()
}

/// Adds threads: all, or none if one is invalid.
pub fn add(
    workspace: &Workspace,
    actor: &Actor,
    threads: &[NewThread],
    options: AddOptions,
) -> Result<AddResult, AddError> {
    if threads.is_empty() {
        return Ok(AddResult { threads: Vec::new(), notes: Vec::new() });
    }
    let mut capture = GitContext::new(workspace);
    let mut sources = Vec::new();
    let mut errors = Vec::new();
    for (number, thread) in threads.iter().enumerate() {
        let source = thread.place.open(workspace).map_err(AddError::from);
        let checked = source
            .and_then(|source| check_in(&source, thread, &mut capture, options).map(|()| source));
        match checked {
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
        new.push(review(&workspace.env, actor, thread, source, &mut capture)?);
    }
    if options.draft {
        return Ok(draft(workspace, new)?);
    }
    Ok(publish_into(workspace, open::ensure(workspace)?, new)?)
}

/// Checks that a thread can be added to a file that was read.
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

/// Builds a thread with a new id.
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
    let text = thread.body.trim_end();
    let block = thread.suggestion.as_deref().map(suggestion_block);
    match block {
        None => text.to_owned(),
        Some(block) if text.is_empty() => block,
        Some(block) => format!("{text}\n\n{block}"),
    }
}

/// Stores threads as drafts, to be submitted together.
fn draft(workspace: &Workspace, threads: Vec<NewReview>) -> Result<AddResult, WriteError> {
    open::may_create(workspace)?;
    let guard = open::drafts(workspace)?;
    let target = (drafts::dir(workspace), 0o600, WriteAction::Drafted);
    let written = create_all(workspace, &guard, threads, &target)?;
    Ok(AddResult::new(workspace, written, Vec::new()))
}

/// Creates the files of threads in a locked store.
pub fn publish_into(
    workspace: &Workspace,
    open: LockedStore,
    threads: Vec<NewReview>,
) -> Result<AddResult, WriteError> {
    let target = (workspace.reviews.threads(), 0o666, WriteAction::Added);
    let mut written = create_all(workspace, &open.guard, threads, &target)?;
    index::follow_written(workspace, &open.guard, &mut written);
    Ok(AddResult::new(workspace, written, open.notes))
}

fn create_all(
    workspace: &Workspace,
    guard: &DirLock,
    threads: Vec<NewReview>,
    (dir, mode, action): &(PathBuf, u32, WriteAction),
) -> Result<Vec<Written>, WriteError> {
    let store_path = &workspace.reviews.store_path;
    let docs = threads.into_iter().map(|new| (new.clone().into_doc(store_path), new));
    let docs: Vec<(ReviewDoc, NewReview)> = docs.collect();
    // Before the first is created: all are, or none.
    for (doc, new) in &docs {
        check_len(u64::try_from(doc.to_bytes().len()).unwrap_or(u64::MAX)).map_err(|source| {
            CreateError::Failed { path: dir.join(format!("{}.md", new.id)), source }
        })?;
    }
    let mut written = Vec::new();
    for (doc, new) in docs {
        let (path, doc) = create(workspace, guard, (doc, new), (dir, *mode))?;
        let thread = ThreadRef { reviews: workspace.reviews.clone(), path };
        let mut one = Written::new(thread, doc, *action);
        let code = one.doc.context().map(|context| context.selection).unwrap_or_default();
        one.result.code = code.lines().map(str::to_owned).collect();
        let comments = one.doc.comments();
        one.result.comment = comments.first().map(|comment| comment.id.clone());
        one.report(comments.iter().find_map(|comment| secret(&comment.body, &one.thread.path)));
        written.push(one);
    }
    // The name that a comment mentions may be the author of another thread of the same run.
    for one in &mut written {
        let unknown = unknown_name(workspace, &one.thread, &one.doc);
        one.report(unknown);
    }
    Ok(written)
}

fn create(
    workspace: &Workspace,
    guard: &DirLock,
    (mut doc, mut new): (ReviewDoc, NewReview),
    (dir, mode): (&Path, u32),
) -> Result<(PathBuf, ReviewDoc), WriteError> {
    loop {
        let path = dir.join(format!("{}.md", new.id));
        match create_new(&*workspace.env.fs, guard, &path, doc.to_bytes(), mode) {
            Ok(_) => return Ok((path, doc)),
            Err(CreateError::Exists { .. }) => {
                new.id = workspace.env.ids.next();
                doc = new.clone().into_doc(&workspace.reviews.store_path);
            }
            Err(error) => return Err(error.into()),
        }
    }
}
