//! Runs a command of the user for each event, in the background.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::program::{self, CommandOutcome, ShellCommand};

/// A command that runs longer is stopped, so that the next ones can run.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of queued events; sending more blocks.
const MAX_QUEUED: usize = 1000;

/// One run of the command.
pub(crate) struct EventCommand {
    /// Its stdin.
    pub(crate) input: Vec<u8>,
    /// The value of `SKEIN_EVENT`.
    pub(crate) text: String,
    /// The name of the event in error messages.
    pub(crate) name: String,
}

/// Runs a command for each event, in order, on its own thread.
pub(crate) struct CommandQueue {
    events: SyncSender<EventCommand>,
    failures: Receiver<String>,
    runner: JoinHandle<()>,
}

impl CommandQueue {
    /// Starts the queue; `command` is run by a shell in `dir`.
    pub(crate) fn new(command: ShellCommand, dir: PathBuf) -> Self {
        let (events, waiting) = sync_channel::<EventCommand>(MAX_QUEUED);
        let (sender, failures) = channel();
        let runner = std::thread::spawn(move || {
            for EventCommand { input, text, name } in waiting {
                // The directory may have been removed; the last event reports that.
                let dir = dir.ancestors().find(|dir| dir.is_dir()).unwrap_or(&dir);
                let reason =
                    match program::run_for_event(&command, dir, input, &text, COMMAND_TIMEOUT) {
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
        Self { events, failures, runner }
    }

    /// Adds an event to the queue.
    pub(crate) fn send(&self, event: EventCommand) {
        // The runner ends only after this sender is dropped.
        drop(self.events.send(event));
    }

    /// Returns the failures since the last call.
    pub(crate) fn failures(&self) -> Vec<String> {
        self.failures.try_iter().collect()
    }

    /// Waits until the queue is empty, and returns the failures.
    pub(crate) fn finish(self) -> Vec<String> {
        drop(self.events);
        let failures = self.failures.into_iter().collect();
        // The runner has ended, because its sender is dropped.
        drop(self.runner.join());
        failures
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_commands_run_in_order_before_finish_returns() {
        let folder = tempfile::tempdir().unwrap();
        let command = "cat >> got; echo \" $SKEIN_EVENT\" >> got; test \"$SKEIN_EVENT\" != 2";
        let events = CommandQueue::new(command.parse().unwrap(), folder.path().to_owned());
        for number in 0..5 {
            let text = number.to_string();
            events.send(EventCommand {
                input: b"event".to_vec(),
                name: format!("number {text}"),
                text,
            });
        }
        assert_eq!(events.finish(), ["The command failed: exit status: 1 (number 2)"]);
        let got = std::fs::read_to_string(folder.path().join("got")).unwrap();
        assert_eq!(got, "event 0\nevent 1\nevent 2\nevent 3\nevent 4\n");
    }

    #[test]
    fn a_command_runs_in_the_nearest_existing_parent_directory() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().canonicalize().unwrap();
        let events = CommandQueue::new("pwd >> got".parse().unwrap(), dir.join("gone/below"));
        for name in ["one", "two"] {
            let (input, text) = (Vec::new(), String::new());
            events.send(EventCommand { input, text, name: name.to_owned() });
        }
        assert!(events.finish().is_empty());
        let got = std::fs::read_to_string(dir.join("got")).unwrap();
        assert_eq!(got, format!("{dir}\n{dir}\n", dir = dir.display()));
    }
}
