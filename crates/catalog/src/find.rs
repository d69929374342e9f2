//! Finds the thread that an id identifies.

use std::path::{Path, PathBuf};

use skein_format::checkpoint::CheckpointFileKind;
use skein_format::id::{is_file_stem, is_plain_name};
use skein_format::review::Status;
use skein_model::view::{PlacementState, ThreadRow};
use skein_model::{Filter, Kind};
use skein_workspace::{ReviewStore, Workspace};

use crate::checkpoint_lookup::{self, near};
use crate::deleted_reviews::deleted;
use crate::described::{about, described};
use crate::drafts::{self, drafts};
use crate::list::{WorktreeScope, list};
use crate::location::{CheckpointFile, FindError, ThreadLocation, ThreadRef};
use crate::other_stores;
use crate::placed::place_rows;
use crate::thread_names::{
    ThreadName, checkpoint_names, is_checkpoint, matching, names, review_names,
};
use crate::typed_path::lines_of_address;

/// Finds the review thread that `text` identifies; a thread of another kind only if no review thread matches.
///
/// If `text` is a location with several threads, the only one with the preferred status is chosen.
pub fn find_review(
    workspace: &Workspace,
    text: &str,
    preferred: Option<Status>,
) -> Result<ThreadLocation, FindError> {
    let search = Search { workspace, text, kind: Some(Kind::Review), preferred };
    let error = match search.run() {
        Err(error @ FindError::None { .. }) => error,
        found => return found,
    };
    if let Some(id) = search.deleted_id() {
        return Err(FindError::Deleted { text: text.to_owned(), id });
    }
    find(workspace, text).map_err(|_| error)
}

/// Finds the review thread of this worktree with an id, or with the only id that starts with `text`.
pub fn find_review_by_id(workspace: &Workspace, text: &str) -> Result<ThreadRef, FindError> {
    let reviews = &workspace.reviews;
    let all = if reviews.exists { review_names(reviews) } else { Vec::new() };
    match matching(text, &all, ThreadName::name).as_slice() {
        [] => Err(FindError::None { near: near(text, &all), text: text.to_owned() }),
        [one] => Ok(ThreadRef { reviews: reviews.clone(), path: one.path.clone() }),
        many => {
            let candidates = many.iter().map(|one| (one.id.clone(), String::new()));
            Err(FindError::ambiguous(text, candidates.collect()))
        }
    }
}

/// Finds the thread that `text` identifies: exact ids first, prefixes last; at a location the only open one.
pub(crate) fn find(workspace: &Workspace, text: &str) -> Result<ThreadLocation, FindError> {
    Search { workspace, text, kind: None, preferred: Some(Status::Open) }.run()
}

/// Finds the checkpoint that `text` identifies, without reading any if a name matches.
///
/// An exact id takes precedence, then the path of a file, a slug, and the start of an id or slug. The archive is searched last.
pub fn find_checkpoint(workspace: &Workspace, text: &str) -> Result<CheckpointFile, FindError> {
    let kind = Some(Kind::Checkpoint);
    let found = Search { workspace, text, kind, preferred: None }.run();
    // If the text is a thread of another kind, that is reported instead.
    let found = found.or_else(|error| match error {
        FindError::None { .. } => find(workspace, text).map_err(|other| match other {
            FindError::None { .. } => error,
            other => other,
        }),
        error => Err(error),
    });
    match found? {
        ThreadLocation::Checkpoint(file) => Ok(file),
        _ => Err(FindError::NoCheckpoint { text: text.to_owned() }),
    }
}

/// A search for the thread that a text identifies.
struct Search<'a> {
    workspace: &'a Workspace,
    text: &'a str,
    /// The kind of thread to find; an exact id may be of another kind.
    kind: Option<Kind>,
    preferred: Option<Status>,
}

impl Search<'_> {
    fn run(&self) -> Result<ThreadLocation, FindError> {
        let Self { workspace, text, kind, .. } = *self;
        if let Some(found) = self.exact().or_else(|| self.file()) {
            return Ok(found);
        }
        if text == "@last" {
            return self.last();
        }
        let mut all = match kind {
            Some(Kind::Checkpoint) => checkpoint_names(&workspace.checkpoints),
            _ => names(workspace),
        };
        if let Some(named) = all.iter().find(|named| named.id == text) {
            return Ok(self.of_name(named));
        }
        all.retain(|named| kind.is_none_or(|kind| named.kind == kind));
        let (reviews, checkpoints) = (kind != Some(Kind::Checkpoint), kind != Some(Kind::Review));
        if checkpoints
            && checkpoint_lookup::is_whole_id(text)
            && let Some(found) = self.renamed()?
        {
            return Ok(found);
        }
        let at_location = if reviews { self.at_location(text) } else { Vec::new() };
        if let Some(found) = self.one_of(&at_location)? {
            return Ok(found);
        }
        let mut found = self.among(&all)?;
        if reviews && found.is_none() {
            found = self.in_other_worktrees()?;
        }
        if reviews && found.is_none() {
            found = self.draft()?;
        }
        if checkpoints && found.is_none() {
            found = self.among(&checkpoint_lookup::archived(&workspace.checkpoints))?;
        }
        if checkpoints && found.is_none() {
            found = self.renamed()?;
        }
        found.ok_or_else(|| {
            let other = checkpoints.then(|| other_stores::in_other_worktree(workspace, text));
            let text = text.to_owned();
            match other.flatten() {
                Some((id, root)) => FindError::OtherWorktree { text, id, root },
                None => FindError::None { near: near(&text, &all), text },
            }
        })
    }

    fn last(&self) -> Result<ThreadLocation, FindError> {
        if self.kind == Some(Kind::Checkpoint) {
            let file = checkpoint_lookup::changed_last(self.workspace)?;
            return Ok(ThreadLocation::Checkpoint(file));
        }
        let filter = Filter { kind: self.kind, ..Filter::default() };
        let all = list(self.workspace, &filter, WorktreeScope::ThisWorktree);
        let last = all.threads.into_iter().find(|row| row.usable).ok_or(FindError::Nothing)?;
        Ok(ThreadLocation::from_row(self.workspace, &last))
    }

    /// Returns the id of the only deleted thread with this prefix.
    fn deleted_id(&self) -> Option<String> {
        const MIN_PREFIX_LEN: usize = 4;
        if self.text.len() < MIN_PREFIX_LEN {
            return None;
        }
        let all = deleted(self.workspace);
        let mut ids: Vec<String> = all.into_iter().map(|one| one.id).collect();
        ids.retain(|id| id.starts_with(self.text));
        ids.dedup();
        if ids.len() == 1 { ids.pop() } else { None }
    }

    /// Finds a checkpoint whose file contains this id, as the current or the former one.
    fn renamed(&self) -> Result<Option<ThreadLocation>, FindError> {
        let file = checkpoint_lookup::renamed(&self.workspace.checkpoints, self.text)?;
        Ok(file.map(ThreadLocation::Checkpoint))
    }

    /// Finds the file with exactly this name, without listing any directory.
    fn exact(&self) -> Option<ThreadLocation> {
        let (workspace, text) = (self.workspace, self.text);
        let path = workspace.reviews.threads().join(format!("{text}.md"));
        let is_review = || is_file_stem(text) && is_plain_name(text) && path.is_file();
        if workspace.reviews.exists && self.kind != Some(Kind::Checkpoint) && is_review() {
            return Some(self.review(path));
        }
        checkpoint_lookup::exact(&workspace.checkpoints, text).map(ThreadLocation::Checkpoint)
    }

    /// Finds a thread by the path of its file.
    fn file(&self) -> Option<ThreadLocation> {
        let path = self.workspace.env.dir.join(self.text);
        // A thread file that is a symlink belongs to the store that contains the link.
        let dir = path.parent()?.canonicalize().ok()?;
        let path = Some(dir.join(path.file_name()?)).filter(|path| path.is_file())?;
        let extension = path.extension()?.to_str()?;
        let canonical = |dir: &Path| dir.canonicalize().ok();
        if extension == "md" {
            // The result uses the workspace's own path of the directory.
            let own = [self.workspace.reviews.threads(), drafts::dir(self.workspace)];
            if let Some(own) = own.iter().find(|own| canonical(own).as_ref() == Some(&dir)) {
                return Some(self.review(own.join(path.file_name()?)));
            }
            let store =
                dir.parent().filter(|_| dir.file_name().is_some_and(|name| name == "threads"))?;
            let reviews = ReviewStore {
                root: store.parent()?.to_owned(),
                store_path: store.file_name()?.to_str()?.to_owned(),
                exists: true,
                branch: None,
            };
            return Some(ThreadLocation::Review(ThreadRef { reviews, path }));
        }
        let name = path.file_name()?.to_str()?;
        let legacy = dir.file_name().is_some_and(|name| name == "checkpoints");
        let form = if legacy { CheckpointFileKind::Legacy } else { CheckpointFileKind::Thread };
        let fits = extension == "json" && is_checkpoint(name, form);
        fits.then_some(ThreadLocation::Checkpoint((form, path)))
    }

    /// Finds the review threads at `src/a.rs:12`, or on `src/a.rs`, by the current location of their code.
    ///
    /// A thread whose printed location is exactly this takes precedence over those that only include the line. If the code is not
    /// found, the location in the thread's file counts.
    fn at_location(&self, text: &str) -> Vec<ThreadRow> {
        if !self.workspace.reviews.exists {
            return Vec::new();
        }
        let (path, lines) = split_place(text);
        let below = self.workspace.relative_to_root(path).unwrap_or_default();
        let at_root = path.trim_start_matches("./");
        let mut found = self.on_path(&below, lines);
        if found.is_empty() && below != at_root {
            found = self.on_path(at_root, lines);
        }
        match lines_of_address(text).filter(|_| found.is_empty()) {
            Some((path, lines)) => self.at_location(&format!("{path}:{lines}")),
            None => found,
        }
    }

    /// Finds the review threads on a path relative to the root, at the lines if given.
    fn on_path(&self, path: &str, lines: Option<&str>) -> Vec<ThreadRow> {
        let workspace = self.workspace;
        if path.is_empty() {
            return Vec::new();
        }
        let filter = Filter { kind: Some(Kind::Review), ..Filter::default() };
        let rows = list(workspace, &filter, WorktreeScope::ThisWorktree).threads;
        let rows = rows.into_iter().filter(|row| row.usable).map(|row| *row);
        let rows: Vec<ThreadRow> = rows.collect();
        let is_here = |row: &&ThreadRow| is_at(row, path, lines);
        let stored: Vec<ThreadRow> = rows.iter().filter(is_here).cloned().collect();
        let is_location = lines.is_some() || workspace.reviews.root.join(path).is_file();
        if stored.is_empty() && !is_location {
            return stored;
        }
        let placed = |mut rows: Vec<ThreadRow>| {
            place_rows(workspace, &mut rows);
            rows.retain(|row| is_at(row, path, lines));
            rows
        };
        let (same, others): (Vec<ThreadRow>, Vec<ThreadRow>) =
            rows.into_iter().partition(|row| is_at(row, path, None));
        let mut found = placed(same);
        if found.is_empty() {
            // Code of other files may have moved here.
            found = placed(others);
        }
        if found.is_empty() {
            found = stored;
        }
        // What stands in the place of other code is less certain.
        let is_recognised = |row: &ThreadRow| {
            row.review().is_none_or(|detail| detail.state != Some(PlacementState::Replaced))
        };
        if lines.is_some() && found.iter().any(is_recognised) {
            found.retain(is_recognised);
        }
        let is_named =
            |row: &&ThreadRow| place_of(row).is_some_and(|at| split_place(at).1 == lines);
        if let [one] = found.iter().filter(is_named).collect::<Vec<_>>().as_slice() {
            found = vec![(*one).clone()];
        }
        found
    }

    fn one_of(&self, rows: &[ThreadRow]) -> Result<Option<ThreadLocation>, FindError> {
        let preferred = self.preferred.map(Status::as_str);
        let has_status =
            |row: &&ThreadRow| preferred.is_some() && row.status.as_deref() == preferred;
        let mut with_status = rows.iter().filter(has_status);
        match (rows, with_status.next(), with_status.next()) {
            ([], ..) => Ok(None),
            ([one], ..) | (_, Some(one), None) => {
                Ok(Some(ThreadLocation::from_row(self.workspace, one)))
            }
            _ => {
                let candidates = rows.iter().map(|row| (row.id.clone(), about(row))).collect();
                Err(FindError::ambiguous(self.text, candidates))
            }
        }
    }

    /// Finds the only matching name: by id, slug, or prefix.
    fn among(&self, all: &[ThreadName]) -> Result<Option<ThreadLocation>, FindError> {
        match matching(self.text, all, ThreadName::name).as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(self.of_name(one))),
            many => {
                let candidates = described(self.workspace, &self.workspace.reviews, many);
                Err(FindError::ambiguous(self.text, candidates))
            }
        }
    }

    /// Finds a review thread in the other worktrees, whose threads may also be listed.
    fn in_other_worktrees(&self) -> Result<Option<ThreadLocation>, FindError> {
        let mut stores = self.workspace.reviews_of_all_worktrees();
        stores.retain(|one| one.exists && one.root != self.workspace.reviews.root);
        let names = |reviews: &ReviewStore| -> Vec<(ReviewStore, ThreadName)> {
            review_names(reviews).into_iter().map(|named| (reviews.clone(), named)).collect()
        };
        let all: Vec<(ReviewStore, ThreadName)> = stores.iter().flat_map(names).collect();
        match matching(self.text, &all, |(_, named)| named.name()).as_slice() {
            [] => Ok(None),
            [(reviews, named)] => {
                let (reviews, path) = (reviews.clone(), named.path.clone());
                Ok(Some(ThreadLocation::Review(ThreadRef { reviews, path })))
            }
            many => {
                let candidate = |(reviews, named): &&(ReviewStore, ThreadName)| {
                    let about = described(self.workspace, reviews, &[named]).pop();
                    let (_, about) = about.unwrap_or_default();
                    let branch = reviews.branch.as_deref().unwrap_or_default();
                    (named.path.display().to_string(), format!("{branch}, {about}"))
                };
                Err(FindError::ambiguous(self.text, many.iter().map(candidate).collect()))
            }
        }
    }

    /// Finds an unsubmitted comment.
    fn draft(&self) -> Result<Option<ThreadLocation>, FindError> {
        let text = self.text;
        let mut hits = drafts::all(self.workspace);
        hits.retain(|draft| !text.is_empty() && draft.id().starts_with(text));
        match hits.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(self.review(one.path.clone()))),
            _ => {
                let mut rows = drafts(self.workspace);
                rows.retain(|row| row.id.starts_with(text));
                let candidate =
                    |row: &ThreadRow| (row.id.clone(), format!("draft of a {}", about(row)));
                Err(FindError::ambiguous(text, rows.iter().map(candidate).collect()))
            }
        }
    }

    fn review(&self, path: PathBuf) -> ThreadLocation {
        ThreadLocation::Review(ThreadRef { reviews: self.workspace.reviews.clone(), path })
    }

    fn of_name(&self, named: &ThreadName) -> ThreadLocation {
        match named.kind {
            Kind::Review => self.review(named.path.clone()),
            Kind::Session => ThreadLocation::Session { id: named.id.clone() },
            Kind::Checkpoint => ThreadLocation::Checkpoint((named.form(), named.path.clone())),
        }
    }
}

/// Returns whether the location of a row has this path and includes the first of the lines.
fn is_at(row: &ThreadRow, meant: &str, lines: Option<&str>) -> bool {
    let Some((path, own)) = place_of(row).map(split_place) else { return false };
    let covers = |line: u32| {
        let (first, last) = own?.split_once('-').unwrap_or((own?, own?));
        Some((first.parse().ok()?..=last.parse().ok()?).contains(&line))
    };
    let on_line = match lines.and_then(first_line) {
        Some(line) => covers(line).unwrap_or(false),
        None => true,
    };
    on_line && path == meant
}

fn place_of(row: &ThreadRow) -> Option<&str> {
    row.review()?.at.as_deref()
}

/// Splits `src/a.rs:12-14` into the path and the lines; a column after them is ignored.
fn split_place(text: &str) -> (&str, Option<&str>) {
    let cut = |text| {
        let (path, lines): (&str, &str) = str::rsplit_once(text, ':')?;
        first_line(lines).map(|_| (path, lines))
    };
    match cut(text) {
        None => (text, None),
        Some((path, lines)) => {
            cut(path).map_or((path, Some(lines)), |(path, lines)| (path, Some(lines)))
        }
    }
}

fn first_line(lines: &str) -> Option<u32> {
    lines.split('-').next().and_then(|line| line.parse().ok())
}
