//! Finds the session of an agent that wrote the code of a thread.

use std::time::{Duration, Instant};

use skein_catalog::placement::Placer;
use skein_catalog::source_text::MAX_SOURCE_LEN;
use skein_checkpoints::agent_session::AgentSession;
use skein_format::review::ReviewDoc;
use skein_git::{CommitId, Objects, Repo, RunError};
use skein_model::view::{PlacementState, PlacementView, ThreadOrigin};
use skein_store::{Revision, read_inside};
use skein_workspace::Workspace;

use crate::evidence::record_of;
use crate::known_sessions::{KnownSessions, has_left, origin};

/// The time that all threads of a submission have together.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Why the session that wrote the code is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownOrigin {
    #[error("the commented code is not there any more")]
    Gone,
    #[error("no recorded session of an agent wrote these lines")]
    NoSession,
    #[error("these lines were changed after the session that wrote them")]
    Changed,
    #[error("several sessions wrote these lines")]
    Several,
    #[error("it is not known where the session that wrote these lines began")]
    NoDirectory,
    #[error("git did not answer in time")]
    Late,
}

/// Finds the sessions of many threads.
pub struct Attribution<'a> {
    placer: Placer<'a>,
    workspace: &'a Workspace,
    known: KnownSessions,
    repo: Option<Repo>,
    objects: Option<Objects>,
    until: Instant,
}

impl<'a> Attribution<'a> {
    /// Reads the recorded sessions.
    pub fn new(workspace: &'a Workspace) -> Self {
        let until = Instant::now() + TIMEOUT;
        let repo = workspace.repo().map(|repo| repo.until(until));
        let placer = Placer::new(workspace, &workspace.reviews);
        let known = KnownSessions::read(workspace);
        Self { placer, workspace, known, repo, objects: None, until }
    }

    /// Returns whether hooks have recorded a session in this repository.
    pub fn has_sessions(&self) -> bool {
        !self.known.is_empty()
    }

    /// Returns whether only a sandboxed agent reported a session.
    pub(crate) fn is_sandboxed(&self, session: &str) -> bool {
        self.known.get(session).is_some_and(|session| session.is_sandboxed)
    }

    /// Returns the session that wrote the code of a thread.
    pub fn find(&mut self, doc: &ReviewDoc) -> Result<ThreadOrigin, UnknownOrigin> {
        if Instant::now() > self.until {
            return Err(UnknownOrigin::Late);
        }
        let there = |placement: &PlacementView| {
            !matches!(placement.state, PlacementState::Gone | PlacementState::NotCheckedOut)
        };
        let place = self.placer.place(doc).filter(there).ok_or(UnknownOrigin::Gone)?;
        let sources = self.sources(&place)?;
        let mut author: Option<AgentSession> = None;
        let mut others = Vec::new();
        for source in sources {
            let authors = self.authors(&place, source.as_ref());
            match &self.prefer_recorded(authors)[..] {
                [] => others.push(source),
                [one] if author.as_ref().is_none_or(|known| known.id == one.id) => {
                    author = Some(one.clone());
                }
                _ => return Err(UnknownOrigin::Several),
            }
        }
        let author = author.ok_or(UnknownOrigin::NoSession)?;
        // Lines that were there before the session are only around its own.
        if !others.iter().all(|source| self.is_older(source.as_ref(), &author)) {
            return Err(UnknownOrigin::Changed);
        }
        origin(&author).ok_or(UnknownOrigin::NoDirectory)
    }

    /// Returns the commits that the lines of a thread come from; `None` is what is not committed.
    fn sources(&self, place: &PlacementView) -> Result<Vec<Option<CommitId>>, UnknownOrigin> {
        let (Some(repo), Some(path)) = (&self.repo, self.path_in_repo(place)) else {
            return Ok(vec![None]);
        };
        let found = match place.start_line.zip(place.end_line) {
            Some((start, end)) => repo.blame(&path, start..=end),
            None if self.is_changed(&path, place) => Ok(vec![None]),
            None => repo.last_change(&path).map(|last| vec![last.map(|(commit, _)| commit)]),
        };
        // A file that is not in the last commit is not committed.
        found.or_else(|error| match repo.last_change(&path) {
            Ok(None) => Ok(vec![None]),
            _ if matches!(error, RunError::Late { .. }) => Err(UnknownOrigin::Late),
            _ => Err(UnknownOrigin::NoSession),
        })
    }

    /// Returns the sessions that made a commit, or that left the file as it is in the commit or in the worktree.
    fn authors(&mut self, place: &PlacementView, source: Option<&CommitId>) -> Vec<AgentSession> {
        let file = self.workspace.reviews.root.join(&place.path);
        let found = match source {
            Some(commit) => {
                let made = self.known.made(commit);
                if !made.is_empty() {
                    return made.into_iter().cloned().collect();
                }
                let Some(path) = self.path_in_repo(place) else { return Vec::new() };
                let Some(blob) = self.blob(commit, &path) else { return Vec::new() };
                self.known.left_anywhere(&path, &Revision::from_bytes(&blob).to_string())
            }
            None => {
                let last = || self.repo.as_ref()?.last_change(&self.path_in_repo(place)?).ok()?;
                let editors = self.known.editors(&file, last().map_or(0, |(_, time)| time));
                // Nothing says which of several wrote which lines.
                if editors.len() > 1 {
                    return editors.into_iter().cloned().collect();
                }
                let now = self.content(place).map(|now| Revision::from_bytes(&now).to_string());
                let is_unchanged =
                    |one: &&AgentSession| now.as_ref().is_some_and(|now| has_left(one, &file, now));
                editors.into_iter().filter(is_unchanged).collect()
            }
        };
        found.into_iter().cloned().collect()
    }

    /// Drops the sessions that only hooks report, if there are others.
    fn prefer_recorded(&self, authors: Vec<AgentSession>) -> Vec<AgentSession> {
        if authors.len() < 2 {
            return authors;
        }
        let is_recorded = |session: &&AgentSession| {
            origin(session).is_some_and(|origin| record_of(&self.workspace.env, &origin).is_some())
        };
        let recorded: Vec<_> = authors.iter().filter(is_recorded).cloned().collect();
        if recorded.is_empty() { authors } else { recorded }
    }

    /// Returns whether a commit was there when a session began.
    fn is_older(&self, source: Option<&CommitId>, session: &AgentSession) -> bool {
        let initial = session.initial_commit.as_deref().and_then(CommitId::parse);
        let (Some(commit), Some(initial), Some(repo)) = (source, initial, &self.repo) else {
            return false;
        };
        repo.is_in_history(commit, &initial).unwrap_or_default()
    }

    /// Returns whether a file differs from the last commit.
    fn is_changed(&self, path: &str, place: &PlacementView) -> bool {
        let Some((repo, head)) =
            self.repo.as_ref().and_then(|repo| Some((repo, repo.head_commit().ok()??)))
        else {
            return true;
        };
        let now = self.content(place);
        let committed =
            Objects::start(repo).ok().and_then(|mut objects| objects.blob(&head, path).ok()?);
        now != committed
    }

    /// Returns the content of the file of a thread, which is never one outside of the workspace.
    fn content(&self, place: &PlacementView) -> Option<Vec<u8>> {
        read_inside(&self.workspace.reviews.root, &place.path, MAX_SOURCE_LEN).ok()
    }

    fn blob(&mut self, commit: &CommitId, path: &str) -> Option<Vec<u8>> {
        if self.objects.is_none() {
            self.objects = Objects::start(self.repo.as_ref()?).ok();
        }
        self.objects.as_mut()?.blob(commit, path).ok()?
    }

    /// Returns the path of a file from the top of the repository.
    fn path_in_repo(&self, place: &PlacementView) -> Option<String> {
        let file = self.workspace.reviews.root.join(&place.path);
        let top = self.repo.as_ref()?.top();
        Some(file.strip_prefix(top).ok()?.to_str()?.to_owned())
    }
}
