//! Searchers that are kept at hand, so that a query costs no look at every file.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use skein_store::{Kind, Target, Waker, Watch, watch};

use super::hit::Hits;
use super::query::Query;
use super::searcher::{Page, Searcher};
use crate::discover::{Workspace, discover_in};
use crate::env::Env;
use crate::workspaces;

/// Writes that follow each other more closely are one.
const QUIET: Duration = Duration::from_millis(10);
/// The system may lose a report, and another process may have written an index, so that one looks now and then.
const RECHECK: Duration = Duration::from_secs(5);
/// Where nobody tells of changes, one looks so often.
const BLIND: Duration = Duration::from_millis(500);

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// In one workspace.
    Here,
    /// In all that are known on this machine.
    Everywhere,
}

/// Answers queries one after the other, from what it knows of the files.
///
/// A file that changed is noticed by a watch; where there is none, by looking twice a second.
#[derive(Default)]
pub struct Standby {
    here: Mutex<Option<Kept>>,
    everywhere: Mutex<Option<Kept>>,
    news: Arc<News>,
    eyes: Mutex<Option<Eyes>>,
}

/// A searcher, and what it was made from.
struct Kept {
    searcher: Arc<Searcher>,
    workspace: Arc<Workspace>,
    made: Instant,
}

/// What the thread that watches tells.
#[derive(Default)]
struct News {
    changed: AtomicBool,
    /// Whether changes are told at all.
    told: AtomicBool,
}

/// How the thread that watches is told where to look; it ends with the sender.
struct Eyes {
    folders: Sender<Vec<PathBuf>>,
    waker: Arc<Mutex<Option<Waker>>>,
    watched: Vec<PathBuf>,
}

impl Standby {
    /// Answers a query about the threads as they are.
    pub fn query(
        &self,
        query: &Query,
        page: Page,
        (workspace, reach): (&Arc<Workspace>, Reach),
        env: &Env,
    ) -> Hits {
        self.searcher(workspace, reach, env).query(query, page, env, &())
    }

    /// Takes note of a change before it is noticed.
    pub fn wrote(&self) {
        self.news.changed.store(true, Ordering::Relaxed);
    }

    fn searcher(&self, workspace: &Arc<Workspace>, reach: Reach, env: &Env) -> Arc<Searcher> {
        let place = match reach {
            Reach::Here => &self.here,
            Reach::Everywhere => &self.everywhere,
        };
        // Whoever comes while it is made waits for it, since all want the same.
        let mut kept = place.lock().unwrap_or_else(PoisonError::into_inner);
        let is_told = reach == Reach::Here && self.news.told.load(Ordering::Relaxed);
        let patience = if is_told { RECHECK } else { BLIND };
        // What changes from here on is news again.
        let changed = reach == Reach::Here && self.news.changed.swap(false, Ordering::Relaxed);
        if let Some(kept) = kept.as_ref().filter(|kept| {
            !changed && kept.made.elapsed() < patience && Arc::ptr_eq(&kept.workspace, workspace)
        }) {
            return kept.searcher.clone();
        }
        let searcher = self.make(workspace, reach, env);
        let (workspace, made) = (workspace.clone(), Instant::now());
        *kept = Some(Kept { searcher: searcher.clone(), workspace, made });
        searcher
    }

    fn make(&self, workspace: &Workspace, reach: Reach, env: &Env) -> Arc<Searcher> {
        let mut places = vec![workspace.clone()];
        if reach == Reach::Everywhere {
            let roots = workspaces::roots(env);
            places.extend(roots.iter().map(|root| discover_in(env, root)));
        }
        let mut searcher = Searcher::new(places, env, false);
        if reach == Reach::Here {
            // The watch comes before the look, so that nothing happens unseen between them.
            self.watch(searcher.folders().map(|folder| folder.dir.clone()).collect());
        }
        searcher.refresh();
        Arc::new(searcher)
    }

    /// Has these folders watched.
    fn watch(&self, folders: Vec<PathBuf>) {
        let mut eyes = self.eyes.lock().unwrap_or_else(PoisonError::into_inner);
        let eyes = eyes.get_or_insert_with(|| Eyes::open(self.news.clone()));
        if eyes.watched == folders {
            return;
        }
        eyes.watched.clone_from(&folders);
        self.news.told.store(false, Ordering::Relaxed);
        // Where the thread has ended, one looks instead.
        drop(eyes.folders.send(folders));
        eyes.wake();
    }
}

impl Eyes {
    fn open(news: Arc<News>) -> Self {
        let (folders, wanted) = mpsc::channel();
        let waker = Arc::new(Mutex::new(None));
        let shared = waker.clone();
        thread::spawn(move || look(&wanted, &shared, &news));
        Self { folders, waker, watched: Vec::new() }
    }

    fn wake(&self) {
        if let Some(waker) = &*self.waker.lock().unwrap_or_else(PoisonError::into_inner) {
            waker.wake();
        }
    }
}

impl Drop for Eyes {
    fn drop(&mut self) {
        // With another sender in its place the thread finds that nobody asks any more.
        self.folders = mpsc::channel().0;
        self.wake();
    }
}

/// Watches what is wanted, until nobody wants anything.
fn look(wanted: &Receiver<Vec<PathBuf>>, waker: &Mutex<Option<Waker>>, news: &News) {
    let Ok(mut folders) = wanted.recv() else { return };
    loop {
        let mut eyes = watch(folders.into_iter().map(target).collect(), QUIET).ok();
        *waker.lock().unwrap_or_else(PoisonError::into_inner) = eyes.as_ref().map(Watch::waker);
        // What happened before the watch began was told by nobody.
        news.changed.store(true, Ordering::Relaxed);
        news.told.store(eyes.is_some(), Ordering::Relaxed);
        folders = loop {
            match wanted.try_recv() {
                Ok(folders) => break folders,
                Err(mpsc::TryRecvError::Disconnected) => return,
                Err(mpsc::TryRecvError::Empty) => {}
            }
            match eyes.as_mut().map(|eyes| eyes.recv(RECHECK)) {
                Some(Ok(None)) => {}
                Some(Ok(Some(_))) => news.changed.store(true, Ordering::Relaxed),
                Some(Err(_)) => {
                    eyes = None;
                    news.told.store(false, Ordering::Relaxed);
                }
                None => match wanted.recv() {
                    Ok(folders) => break folders,
                    Err(_) => return,
                },
            }
        };
    }
}

fn target(dir: PathBuf) -> Target {
    Target {
        dir,
        kind: Kind::Review,
        accepts: |name| name.ends_with(".md") || name.ends_with(".json"),
    }
}
