//! One call of a tool, and what is known when it begins.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use skein_catalog::{FindError, ShortIds, ThreadRef, find_review_by_id, names, refresh_copies};
use skein_model::sanitize::escape_control;
use skein_model::truncate::truncate;
use skein_review::Cancel;
use skein_review::quote::inline;
use skein_workspace::{Actor, Env, Workspace, discover, registry};

use crate::claims::OwnClaims;
use crate::client::McpClient;
use crate::failure::Failure;
use crate::instructions::DATA;
use crate::params;

/// Maximum number of ids that a hint lists.
const MAX_CANDIDATES: usize = 10;
/// Maximum length of an id that is shown without quotation marks.
const MAX_ID_LEN: usize = 100;

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct ToolCall {
    pub(crate) workspace: Workspace,
    pub(crate) actor: Actor,
    /// Identifies the agent that claims threads.
    pub(crate) token: String,
    pub(crate) read_only: bool,
    pub(crate) max_wait: Duration,
    pub(crate) cancel: Cancel,
    /// Whether no other process can have this token.
    has_own_token: bool,
    /// Locked while something is written, so that a repeated call sees what the first one wrote.
    writing: Arc<Mutex<()>>,
    claims: Arc<OwnClaims>,
}

/// What all calls of a server have in common.
#[derive(Clone, Debug)]
pub(crate) struct CallOptions {
    pub(crate) env: Env,
    pub(crate) read_only: bool,
    /// The token of a client that does not tell its session.
    pub(crate) token: String,
    writing: Arc<Mutex<()>>,
    pub(crate) claims: Arc<OwnClaims>,
}

impl CallOptions {
    pub(crate) fn new(env: Env, read_only: bool) -> Self {
        let token = env.ids.next();
        Self { env, read_only, token, writing: Arc::default(), claims: Arc::default() }
    }
}

impl ToolCall {
    pub(crate) fn new(
        options: &CallOptions,
        root: PathBuf,
        client: &McpClient,
        has_progress: bool,
        cancel: Cancel,
    ) -> Self {
        let env = client.env(&options.env).with_dir(root);
        let session = client.session(&options.env).map(str::to_owned);
        // Paths are relative to the root, not to the directory below it in which the client started.
        let root = discover(&env).reviews.root;
        let workspace = discover(&env.with_dir(root));
        Self {
            actor: Actor::find(&workspace, None),
            workspace,
            has_own_token: session.is_none(),
            token: session.unwrap_or_else(|| options.token.clone()),
            read_only: options.read_only,
            max_wait: client.max_wait(has_progress),
            cancel,
            writing: Arc::clone(&options.writing),
            claims: Arc::clone(&options.claims),
        }
    }

    /// Finds a review thread by its id, or by the start of it.
    pub(crate) fn find(&self, id: &str) -> Result<ThreadRef, Failure> {
        let found = find_review_by_id(&self.workspace, params::id(id)?);
        found.map_err(|error| find_failure(&error, "`review_threads` with `status` all lists them"))
    }

    /// Records a claim that this process has to give back.
    pub(crate) fn add_claim(&self, thread: &str) {
        if self.has_own_token {
            self.claims.add(&self.workspace.env, thread, &self.token);
        }
    }

    /// Returns the short ids of all threads.
    pub(crate) fn short_ids(&self) -> ShortIds {
        ShortIds::new(&names(&self.workspace))
    }

    /// Keeps other calls from writing.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what follows a write: copies for other worktrees, and the list of workspaces.
    pub(crate) fn finish_write(&self) {
        // A copy that fails now is repeated by the next command.
        drop(refresh_copies(&self.workspace));
        registry::remember(&discover(&self.workspace.env));
    }

    /// Checks that there is a store, or that one may be created: outside of a repository it would collect the threads of everything
    /// below it.
    pub(crate) fn check_store(&self) -> Result<(), Failure> {
        let Workspace { git, reviews, checkpoints, .. } = &self.workspace;
        match git.is_some() || reviews.exists || checkpoints.exists {
            true => Ok(()),
            false => Err(Failure::new("not a git repository, and there is no store of threads")
                .hint("start the server in a repository, or with the arguments `-C`, its path, and `mcp`")),
        }
    }
}

/// Returns an error about an id, with ids that may be meant.
pub(crate) fn find_failure(error: &FindError, all: &str) -> Failure {
    let message = match error {
        FindError::Ambiguous { text, .. } => format!("several ids start with {text}"),
        error => error.to_string(),
    };
    let candidates: Vec<&str> = match error {
        FindError::None { near, .. } => near.iter().map(String::as_str).collect(),
        FindError::Ambiguous { candidates, .. } => {
            candidates.iter().map(|(id, _)| id.as_str()).collect()
        }
        _ => Vec::new(),
    };
    let shown: Vec<_> = candidates.iter().take(MAX_CANDIDATES).map(|id| inline(id)).collect();
    Failure::new(message).hint(match shown.as_slice() {
        [] => all.to_owned(),
        shown => format!("did you mean {}?", shown.join(" or ")),
    })
}

/// Returns an id as it is shown: the name of a file can contain anything.
pub(crate) fn shown_id(id: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '#');
    match id.len() <= MAX_ID_LEN && id.chars().all(is_plain) {
        true => id.to_owned(),
        false => inline(id),
    }
}

/// Returns an answer with text of files, of at most `max_chars` characters.
pub(crate) fn with_data(text: &str, max_chars: usize) -> String {
    let text = format!("{DATA}\n\n{}\n", text.trim_end());
    truncate(&escape_control(&text), max_chars)
}
