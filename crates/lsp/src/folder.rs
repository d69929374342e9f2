//! A directory that is open in the editor, with its threads.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use skein_catalog::{ShortIds, refresh_copies, thread_names};
use skein_live::LiveWorkspace;
use skein_model::view::ThreadView;
use skein_workspace::env::canonical;
use skein_workspace::{Actor, Env};

use crate::input::Input;
use crate::uri;

/// Time after which the thread of a closed folder ends.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A directory that is open in the editor.
pub(crate) struct Folder {
    pub(crate) number: u64,
    /// The directory as the client names it.
    dir: PathBuf,
    real: PathBuf,
    /// None until everything is read.
    pub(crate) loaded: Option<LoadedFolder>,
    is_closed: Arc<AtomicBool>,
}

/// The threads of a directory.
pub(crate) struct LoadedFolder {
    pub(crate) live: Arc<LiveWorkspace>,
    /// The root of the reviews.
    pub(crate) root: PathBuf,
    /// Who writes.
    pub(crate) actor: Actor,
    short_ids: ShortIds,
    /// The threads and drafts by the file that their code is in; those in open files are placed in the text of the editor.
    pub(crate) shown: BTreeMap<String, Vec<Arc<ThreadView>>>,
}

impl Folder {
    /// Reads the threads on another thread, which then reports their changes.
    pub(crate) fn open(number: u64, dir: PathBuf, env: &Env, sender: Sender<Input>) -> Self {
        let is_closed = Arc::new(AtomicBool::new(false));
        let (env, closed) = (env.with_dir(dir.clone()), is_closed.clone());
        std::thread::spawn(move || watch(number, &env, &sender, &closed));
        Self { number, real: canonical(&dir), dir, loaded: None, is_closed }
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns whether the client names this directory.
    pub(crate) fn is_at(&self, dir: &Path) -> bool {
        self.dir == dir
    }

    /// Returns the path of a file from the root of the reviews; none for a file outside.
    pub(crate) fn relative<'a>(&self, file: &'a Path) -> Option<&'a str> {
        file.strip_prefix(&self.loaded.as_ref()?.root).ok()?.to_str()
    }

    /// Returns the address of a file, below the directory as the client names it.
    pub(crate) fn uri(&self, file: &Path) -> String {
        match file.strip_prefix(&self.real) {
            Ok(below) => uri::from_path(&self.dir.join(below)),
            Err(_) => uri::from_path(file),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

impl LoadedFolder {
    pub(crate) fn new(live: Arc<LiveWorkspace>, actor: Actor) -> Self {
        let workspace = live.workspace();
        let short_ids = ShortIds::new(&thread_names::names(&workspace));
        let root = canonical(&workspace.reviews.root);
        Self { live, root, actor, short_ids, shown: BTreeMap::new() }
    }

    /// Finds the root and the short ids again, after threads have changed.
    pub(crate) fn refresh(&mut self) {
        let workspace = self.live.workspace();
        self.root = canonical(&workspace.reviews.root);
        self.short_ids = ShortIds::new(&thread_names::names(&workspace));
    }

    /// Groups the threads by file; `placed` are those that were placed in the texts of the editor.
    pub(crate) fn group(&mut self, placed: &[Arc<ThreadView>]) {
        let by_id = placed.iter().map(|view| (view.row.id.as_str(), view));
        let by_id: BTreeMap<&str, &Arc<ThreadView>> = by_id.collect();
        let snapshot = self.live.threads();
        self.shown.clear();
        for view in snapshot.views.iter().chain(&snapshot.drafts) {
            // A thread that has changed since it was placed is placed again soon.
            let view = by_id.get(view.row.id.as_str()).map_or(view, |placed| *placed);
            if let Some(path) = view.path().filter(|_| view.row.usable) {
                self.shown.entry(path.to_owned()).or_default().push(view.clone());
            }
        }
    }

    pub(crate) fn short_id(&self, view: &ThreadView) -> String {
        self.short_ids.short_id(&view.row)
    }
}

fn watch(number: u64, env: &Env, sender: &Sender<Input>, is_closed: &AtomicBool) {
    let live = Arc::new(LiveWorkspace::open_read_only(env));
    let mut last = live.last_event_number();
    drop(live.threads());
    let actor = Actor::find(&live.workspace(), None);
    let mut is_open = sender.send(Input::Loaded(number, live.clone(), actor)).is_ok();
    while is_open && !is_closed.load(Ordering::Relaxed) {
        if let Some(event) = live.events_after(last, CLOSE_TIMEOUT).last() {
            last = event.number;
            if !event.threads.is_empty() || !event.checkpoints.is_empty() {
                // A copy that fails is made by the next change or command.
                drop(refresh_copies(&live.workspace()));
            }
            is_open = sender.send(Input::Changed(number)).is_ok();
        }
    }
}
