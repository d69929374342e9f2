//! Asks for what may take too long.

use std::io::Read as _;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::repo::Repo;

impl Repo {
    /// Returns whether the worktree differs as [`Repo::is_dirty`] does, if git can say so within `limit`.
    ///
    /// `None` where it cannot: git is ended then. The first path that differs is answer enough.
    #[must_use]
    pub fn is_dirty_within(&self, limit: Duration, exclude: &[String]) -> Option<bool> {
        let begin = Instant::now();
        let mut command = self.status_command("normal", exclude).ok()?;
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut stdout = child.stdout.take()?;
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            let mut first = [0];
            // Nobody listens any more when the time is up.
            drop(tell.send(stdout.read(&mut first)));
        });
        let left = limit.saturating_sub(begin.elapsed());
        let answer = told.recv_timeout(left).ok().and_then(Result::ok);
        if answer != Some(0) {
            // A process that has ended cannot be ended, which is as good.
            drop(child.kill());
        }
        let status = child.wait();
        match answer {
            Some(0) => status.ok().filter(|status| status.success()).map(|_| false),
            Some(_) => Some(true),
            None => None,
        }
    }
}
