//! Runs a command of the user for one thing after the other, while others go on.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::program::{self, CommandOutcome};

/// A command that runs longer is stopped, so that those after it run at all.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);
/// When so many wait, whoever has another one waits too.
const QUEUE: usize = 1000;

/// What a command is run for.
pub(crate) struct EventCommand {
    /// What it gets on its stdin.
    pub(crate) input: Vec<u8>,
    /// What it gets in its variable.
    pub(crate) text: String,
    /// What to call it when something goes wrong.
    pub(crate) name: String,
}

/// A command that is run for each errand, in order, by a thread of its own.
pub(crate) struct CommandQueue {
    errands: SyncSender<EventCommand>,
    failures: Receiver<String>,
    runner: JoinHandle<()>,
}

impl CommandQueue {
    /// Takes the command, as a line of shell, and the directory to run it in.
    pub(crate) fn new(command: String, dir: PathBuf) -> Self {
        let (errands, waiting) = sync_channel::<EventCommand>(QUEUE);
        let (sender, failures) = channel();
        let runner = std::thread::spawn(move || {
            for EventCommand { input, text, name } in waiting {
                // The directory may be gone, which is what the last event tells of.
                let dir = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(&dir);
                let reason = match program::tell(&command, dir, input, &text, COMMAND_TIMEOUT) {
                    CommandOutcome::Done => continue,
                    CommandOutcome::Failed(error) => format!("failed: {error}"),
                    CommandOutcome::Stopped => {
                        format!("was stopped after {} seconds", COMMAND_TIMEOUT.as_secs())
                    }
                };
                if sender.send(format!("The command {reason} ({name})")).is_err() {
                    return;
                }
            }
        });
        Self { errands, failures, runner }
    }

    /// Puts an errand at the end of the queue.
    pub(crate) fn send(&self, errand: EventCommand) {
        // The runner ends only when nobody can hear of it any more.
        drop(self.errands.send(errand));
    }

    /// Returns what has gone wrong since one last asked, a sentence each.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures.try_iter().collect()
    }

    /// Waits until the queue is empty, and returns what has gone wrong.
    pub(crate) fn finish(self) -> Vec<String> {
        drop(self.errands);
        let failures = self.failures.into_iter().collect();
        // It has ended: it was the last one to hold the other end.
        drop(self.runner.join());
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errands_are_run_in_order_and_all_of_them_before_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let command = "cat >> got; echo \" $SKEIN_EVENT\" >> got; test \"$SKEIN_EVENT\" != 2";
        let errands = CommandQueue::new(command.to_owned(), folder.path().to_owned());
        for number in 0..5 {
            let text = number.to_string();
            errands.send(EventCommand {
                input: b"event".to_vec(),
                name: format!("number {text}"),
                text,
            });
        }
        assert_eq!(errands.finish(), ["The command failed: exit status: 1 (number 2)"]);
        let got = std::fs::read_to_string(folder.path().join("got")).unwrap();
        assert_eq!(got, "event 0\nevent 1\nevent 2\nevent 3\nevent 4\n");
    }

    #[test]
    fn a_command_runs_above_a_directory_that_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().canonicalize().unwrap();
        let errands = CommandQueue::new("pwd >> got".to_owned(), dir.join("gone/below"));
        for name in ["one", "two"] {
            let (input, text) = (Vec::new(), String::new());
            errands.send(EventCommand { input, text, name: name.to_owned() });
        }
        assert!(errands.finish().is_empty());
        let got = std::fs::read_to_string(dir.join("got")).unwrap();
        assert_eq!(got, format!("{dir}\n{dir}\n", dir = dir.display()));
    }
}
