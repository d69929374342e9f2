//! Notices that something in some folders may have changed, for those who look when they are asked.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use skein_store::{Kind, Target, Waker, Watch, watch};

/// Writes that follow each other more closely are one.
const QUIET: Duration = Duration::from_millis(10);
/// The system may lose a report, so that one looks now and then.
const RECHECK: Duration = Duration::from_secs(5);
/// Where nobody tells of changes, one looks so often.
const BLIND: Duration = Duration::from_millis(500);

/// Watches folders in a thread of its own, which ends with the value.
#[derive(Default)]
pub(crate) struct Sentry {
    news: Arc<News>,
    eyes: Mutex<Option<Eyes>>,
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

impl Sentry {
    /// Has these folders watched, and no others.
    ///
    /// Whoever looks at them does so after this, so that nothing happens unseen between the two.
    pub(crate) fn watch(&self, folders: Vec<PathBuf>) {
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

    /// Returns whether something may have changed since this was last asked.
    pub(crate) fn has_changed(&self) -> bool {
        self.news.changed.swap(false, Ordering::Relaxed)
    }

    /// Takes note of a change before it is noticed.
    pub(crate) fn tell(&self) {
        self.news.changed.store(true, Ordering::Relaxed);
    }

    /// Returns how long what was seen is believed where no change is told.
    pub(crate) fn patience(&self) -> Duration {
        if self.news.told.load(Ordering::Relaxed) { RECHECK } else { BLIND }
    }

    /// Returns how long what was seen is believed where nothing is watched.
    pub(crate) const fn impatience() -> Duration {
        BLIND
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
