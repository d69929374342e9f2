//! Imports findings of other tools as review threads: SARIF and Skein's own JSON.
//!
//! A finding that was imported before is recognised and not added again. The other tools are not started.

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
use skein_workspace::{Actor, Workspace};

use finding::Finding;
use thread::{ThreadBuilder, exists};

pub use finding::Failed;

/// The format of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SARIF 2.1.0.
    Sarif,
    /// The format of `review add --from`.
    Json,
}

/// Options of an import.
#[derive(Clone, Debug)]
pub struct ImportOptions {
    /// The format; detected if it is not given.
    pub format: Option<Format>,
    /// The author of every thread; by default the tool, or the user who imports.
    pub author: Option<String>,
    /// Whether to import findings whose threads were deleted.
    pub again: bool,
}

/// The result of an import.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Imported {
    /// The number of new threads.
    pub added: usize,
    /// The number of findings that already have a thread: open, resolved or deleted.
    pub skipped: usize,
    /// The number of results that are not findings: passed, suppressed or absent.
    pub ignored: usize,
    /// The findings that could not become threads.
    pub failed: Vec<Failed>,
    pub threads: Vec<WriteResult>,
    /// Notes for the user, one line each.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("the document is not JSON: {reason}")]
    Json { reason: String },
    #[error("the document is not SARIF 2.1: {reason}")]
    Sarif { reason: String },
    #[error("the document is not a list of comments")]
    Items(#[from] ItemsError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Imports the findings of a document.
///
/// A finding is identified by its message and its code, so that a second import adds nothing. A finding that cannot become a thread is
/// reported; the others are imported.
pub fn import(
    workspace: &Workspace,
    actor: &Actor,
    document: &[u8],
    options: &ImportOptions,
) -> Result<Imported, ImportError> {
    let (findings, ignored) = read(workspace, document, options.format)?;
    let mut done = Imported { ignored, ..Imported::default() };
    let gone: BTreeSet<String> = match options.again {
        true => BTreeSet::new(),
        false => deleted(workspace).into_iter().map(|one| one.id).collect(),
    };
    let mut maker = ThreadBuilder::new(workspace, gone);
    let mut threads = Vec::new();
    for finding in findings {
        let named = options.author.clone().or_else(|| finding.as_ref().ok()?.author.clone());
        let actor = named.map_or_else(|| actor.clone(), |name| Actor::find(workspace, Some(&name)));
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
    let store = open::ensure(workspace)?;
    // Another process may have imported the same document at the same time.
    let before = threads.len();
    threads.retain(|thread| !exists(workspace, &thread.id));
    done.skipped += before - threads.len();
    let added = add::publish_into(workspace, store, threads)?;
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
        .map_err(|error| ImportError::Json { reason: error.to_string() })?;
    let is_sarif = document.get("runs").is_some();
    let format = format.unwrap_or(if is_sarif { Format::Sarif } else { Format::Json });
    if format == Format::Json {
        let items = comment_input::from_value(document)?;
        return Ok((
            items.into_iter().zip(1..).map(|(item, number)| Ok(of_item(item, number))).collect(),
            0,
        ));
    }
    let bad = |reason: &str| ImportError::Sarif { reason: reason.to_owned() };
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
