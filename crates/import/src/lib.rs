//! Imports findings of other tools as review threads: SARIF and Skein's own JSON.
//!
//! A finding that was imported before is recognised and not added again.

mod advice;
mod finding;
mod fix;
mod identity;
mod sarif;
mod thread;
mod uri;
mod value;

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use skein_catalog::deleted_reviews::deleted;
use skein_model::view::WriteResult;
use skein_review::comment_input::{CommentInput, ItemsError};
use skein_review::quote::inline;
use skein_review::write_error::WriteError;
use skein_review::{add, comment_input, open};
use skein_workspace::{Actor, Env, Workspace};

use finding::Finding;
use thread::{ThreadBuilder, is_there};

pub use finding::Failed;

/// What a document is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SARIF 2.1.0.
    Sarif,
    /// The list that `review add --from` takes.
    Json,
}

/// How findings are imported.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// What the document is written in; none to see from the document.
    pub format: Option<Format>,
    /// What every thread is signed with; none for the tool's name, or for the one who imports.
    pub author: Option<String>,
    /// Adds findings too whose threads were deleted.
    pub again: bool,
}

/// What became of findings.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Imported {
    /// How many became threads.
    pub added: usize,
    /// How many were known already: open, resolved, or deleted.
    pub skipped: usize,
    /// How many are none: passed, suppressed, or gone.
    pub ignored: usize,
    /// Those that could not become threads.
    pub failed: Vec<Failed>,
    /// The threads that were added.
    pub threads: Vec<WriteResult>,
    /// What else was done, one line each for the user.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The document is no JSON.
    #[error("the document is not JSON: {why}")]
    Json { why: String },
    /// The document is no SARIF.
    #[error("the document is not SARIF 2.1: {why}")]
    Sarif { why: String },
    /// The document is no list of comments.
    #[error("the document is not a list of comments")]
    Items(#[from] ItemsError),
    /// The threads could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Imports the findings of a document.
///
/// A finding is known by what it says of which text, so that importing it again adds nothing. What cannot become a
/// thread is reported and keeps nothing else from it.
pub fn import(
    workspace: &Workspace,
    env: &Env,
    actor: &Actor,
    document: &[u8],
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let (findings, ignored) = read(workspace, document, options.format)?;
    let mut done = Imported { ignored, ..Imported::default() };
    let gone: BTreeSet<String> = match options.again {
        true => BTreeSet::new(),
        false => deleted(workspace, env).into_iter().map(|one| one.id).collect(),
    };
    let mut maker = ThreadBuilder::new(workspace, env, gone);
    let mut threads = Vec::new();
    for finding in findings {
        let named = options.author.clone().or_else(|| finding.as_ref().ok()?.author.clone());
        let actor =
            named.map_or_else(|| actor.clone(), |name| Actor::find(workspace, env, Some(&name)));
        let thread = finding.and_then(|finding| {
            let made = maker.thread(&actor, &finding);
            made.map_err(|error| finding.failed(error.to_string()))
        });
        match thread {
            Ok(Some(thread)) => threads.push(thread),
            Ok(None) => done.skipped += 1,
            Err(failed) => done.failed.push(failed),
        }
    }
    if threads.is_empty() {
        return Ok(done);
    }
    let store = open::ensure(env, workspace)?;
    // Another process may have imported the same at the same time.
    let before = threads.len();
    threads.retain(|thread| !is_there(workspace, env, &thread.id));
    done.skipped += before - threads.len();
    let added = add::publish_into(workspace, env, store, threads)?;
    done.added = added.threads.len();
    done.threads = added.threads;
    done.notes = added.notes;
    Ok(done)
}

type Findings = (Vec<Result<Finding, Failed>>, usize);

fn read(
    workspace: &Workspace,
    document: &[u8],
    format: Option<Format>,
) -> Result<Findings, ImportError> {
    let bytes = document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(document);
    let document: Value = serde_json::from_slice(bytes)
        .map_err(|error| ImportError::Json { why: error.to_string() })?;
    let is_sarif = document.get("runs").is_some();
    let format = format.unwrap_or(if is_sarif { Format::Sarif } else { Format::Json });
    if format == Format::Json {
        let items = comment_input::from_value(document)?;
        return Ok((
            items.into_iter().zip(1..).map(|(item, number)| Ok(of_item(item, number))).collect(),
            0,
        ));
    }
    let bad = |why: &str| ImportError::Sarif { why: why.to_owned() };
    if !document.get("runs").is_some_and(Value::is_array) {
        return Err(bad("it has no list `runs`"));
    }
    match document.get("version").map(|version| version.as_str().unwrap_or_default()) {
        None => {}
        Some(version) if version.starts_with("2.") => {}
        Some(version) => return Err(bad(&format!("its version is {version:?}"))),
    }
    let read = sarif::read(&document, &workspace.settings);
    Ok((read.findings, read.ignored))
}

fn of_item(item: CommentInput, number: usize) -> Finding {
    let lines = item.lines();
    let CommentInput { file, body, suggestion, expect, author, id, rule, .. } = item;
    Finding {
        number,
        file,
        lines,
        tool: author.clone().unwrap_or_default(),
        author,
        remark: rule.as_deref().map(inline).unwrap_or_default(),
        rule,
        key: id,
        message: body,
        suggestion,
        expect,
        ..Finding::default()
    }
}
