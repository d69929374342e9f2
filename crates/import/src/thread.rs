//! Creates the thread for a finding.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use skein_catalog::drafts;
use skein_format::path::WorkspacePath;
use skein_format::review::NewReview;
use skein_review::add;
use skein_review::add::{AddError, AddOptions, NewThread};
use skein_review::git_context::GitContext;
use skein_review::target::{CodeLocation, LocationError, Source};
use skein_workspace::{Actor, Workspace};

use super::finding::Finding;
use super::identity::FindingIds;

/// Maximum number of cached files.
const MAX_SOURCES: usize = 64;

/// Creates threads from findings.
pub(super) struct ThreadBuilder<'a> {
    workspace: &'a Workspace,
    /// The ids of deleted threads that are not imported again.
    gone: BTreeSet<String>,
    identities: FindingIds,
    capture: GitContext,
    sources: BTreeMap<WorkspacePath, Rc<Source>>,
}

impl<'a> ThreadBuilder<'a> {
    pub(super) fn new(workspace: &'a Workspace, gone: BTreeSet<String>) -> Self {
        let (identities, capture) = (FindingIds::default(), GitContext::new(workspace));
        Self { workspace, gone, identities, capture, sources: BTreeMap::new() }
    }

    /// Creates the thread for a finding; `None` if it already exists.
    pub(super) fn thread(
        &mut self,
        actor: &Actor,
        finding: &Finding,
    ) -> Result<Option<NewReview>, AddError> {
        let mut thread = NewThread {
            place: place(self.workspace, finding)?,
            body: finding.body(),
            suggestion: finding.suggestion.clone(),
            expect: finding.expect.clone(),
        };
        let source = self.source(&thread.place.path)?;
        // Tools count columns differently, so a column that does not fit is left out.
        if let Err(LocationError::PastLine { .. }) = thread.place.fits(&source) {
            thread.place.column = None;
        }
        let options = AddOptions { draft: false, changed_only: false };
        add::check_in(&source, &thread, &mut self.capture, options)?;
        let first = thread.place.lines.and_then(|(first, _)| (first as usize).checked_sub(1));
        let line = first.and_then(|first| source.lines.get(first)).map_or("", String::as_str);
        let id = self.identities.id_of(finding, thread.place.path.as_str(), line);
        let Some(id) = id.filter(|id| !self.is_known(id)) else { return Ok(None) };
        let fix = finding.fix.as_ref().filter(|fix| Some(fix.lines) == thread.place.lines);
        if let Some(suggestion) = fix.and_then(|fix| fix.suggestion(&source.lines)) {
            thread.suggestion = Some(suggestion);
            thread.place.column = None;
        }
        let review = add::review(&self.workspace.env, actor, &thread, &source, &mut self.capture)?;
        Ok(Some(NewReview { id, ..review }))
    }

    fn is_known(&self, id: &str) -> bool {
        self.gone.contains(id) || exists(self.workspace, id)
    }

    fn source(&mut self, path: &WorkspacePath) -> Result<Rc<Source>, LocationError> {
        if let Some(known) = self.sources.get(path) {
            return Ok(Rc::clone(known));
        }
        if self.sources.len() >= MAX_SOURCES {
            self.sources.clear();
        }
        let source = Rc::new(Source::read(&self.workspace.reviews, path)?);
        self.sources.insert(path.clone(), Rc::clone(&source));
        Ok(source)
    }
}

/// Returns whether a thread is in the store or in the drafts.
pub(super) fn exists(workspace: &Workspace, id: &str) -> bool {
    let name = format!("{id}.md");
    let there = |dir: PathBuf| dir.join(&name).symlink_metadata().is_ok();
    there(workspace.reviews.threads()) || there(drafts::dir(workspace))
}

fn place(workspace: &Workspace, finding: &Finding) -> Result<CodeLocation, LocationError> {
    let Finding { file, lines, column, .. } = finding;
    let reviews = &workspace.reviews;
    if finding.from_root && !file.starts_with('/') {
        let path = WorkspacePath::parse(file, &reviews.store_path).ok();
        let path = path.filter(|path| reviews.root.join(path.as_str()).is_file());
        if let Some(path) = path.filter(|_| lines.is_none_or(|(first, _)| first > 0)) {
            return Ok(CodeLocation { path, lines: *lines, column: *column });
        }
    }
    let place = match CodeLocation::new(workspace, file, *lines) {
        // The tool may use another path to the workspace, such as a symbolic link.
        Err(LocationError::Outside { text, root }) if file.starts_with('/') => {
            let real = Path::new(file).canonicalize().ok();
            let real = real.filter(|real| {
                reviews.root.canonicalize().is_ok_and(|root| real.starts_with(root))
            });
            let outside = LocationError::Outside { text, root };
            let real = real.ok_or(outside)?.display().to_string();
            CodeLocation::new(workspace, &real, *lines)
        }
        place => place,
    }?;
    Ok(CodeLocation { column: *column, ..place })
}
