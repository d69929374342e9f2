//! All threads of a worktree at the places where their code is now.

use std::path::Path;
use std::sync::Arc;

use skein_format::time::Time;

use crate::discover::Workspace;
use crate::env::Env;
use crate::ids::review_names;
use crate::placement::Placer;
use crate::review::draft;
use crate::show::review_view;
use crate::thread::Thread;
use crate::view::{Body, Detail, Diag, View};

/// The threads of a worktree.
#[derive(Clone, Debug, Default)]
pub struct Threads {
    /// Greater than that of any earlier state.
    pub version: u64,
    /// The threads by file and line, those that cannot be used among them.
    pub views: Vec<Arc<View>>,
    /// The drafts, in the order in which they were written.
    pub drafts: Vec<Arc<View>>,
    /// What is wrong apart from the threads.
    pub diagnostics: Vec<Diag>,
}

impl Threads {
    /// Returns the thread or the draft with this id.
    pub fn get(&self, id: &str) -> Option<&Arc<View>> {
        self.views.iter().chain(&self.drafts).find(|view| view.row.id == id)
    }

    /// Reads and places everything.
    pub(super) fn load(workspace: &Workspace, env: &Env) -> Self {
        let (reviews, settings) = (&workspace.reviews, &workspace.settings);
        let mut placer = Placer::new(workspace, reviews, env);
        let names = if reviews.exists { review_names(reviews) } else { Vec::new() };
        let threads = names
            .iter()
            .filter_map(|named| review_view(&mut placer, reviews, &named.path, settings).ok());
        let mut views: Vec<Arc<View>> = threads.map(Arc::new).collect();
        views.sort_by(|a, b| order(a).cmp(&order(b)));
        let drafts = draft::all(workspace, env).into_iter().map(|draft| {
            let thread = Thread::parse(draft.doc.into_bytes(), &draft.path, reviews, settings);
            Arc::new(thread.into_draft().placed(&mut placer))
        });
        let drafts = drafts.collect();
        placer.finish();
        Self { version: 0, views, drafts, diagnostics: workspace.diagnostics.clone() }
    }

    /// Lists the ids of what is not the same in another state, each once.
    pub(super) fn changed(&self, other: &Self) -> Vec<String> {
        let key = |view: &Arc<View>| (view.row.file.clone(), view.clone());
        let all = |one: &Self| one.views.iter().chain(&one.drafts).map(key).collect();
        let (old, new): (std::collections::BTreeMap<_, _>, _) = (all(self), all(other));
        let gone = old.iter().filter(|(file, _)| !new.contains_key(*file));
        let came = new.iter().filter(|(file, view)| old.get(*file).is_none_or(|old| old != *view));
        let mut ids: Vec<String> = gone.chain(came).map(|(_, view)| view.row.id.clone()).collect();
        ids.sort();
        ids.dedup();
        ids
    }
}

/// What threads are ordered by; those without a place come last.
fn order(view: &View) -> (bool, &str, Option<u32>, Option<Time>, &str) {
    let placement = match &view.body {
        Body::Review(body) => body.placement.as_ref(),
        _ => None,
    };
    let target = match &view.row.detail {
        Detail::Review(detail) => detail.target.as_ref().map(|target| target.path.as_str()),
        _ => None,
    };
    let path = placement.map(|at| at.path.as_str()).or(target);
    let line = placement.and_then(|at| at.start_line);
    let id = Path::new(&view.row.file).to_str().unwrap_or_default();
    (path.is_none(), path.unwrap_or_default(), line, view.row.created_at, id)
}
