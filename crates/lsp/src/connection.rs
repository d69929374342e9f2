//! Exchanges messages with an editor until it ends.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use lsp_server::Message;
use skein_workspace::Env;

use crate::input::Input;
use crate::server::Server;

/// Time that the last messages get after the end of the input.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// What the server works on.
#[derive(Debug)]
pub struct LspOptions {
    /// The environment, with the directory for an editor that names none.
    pub env: Env,
    pub input: File,
    pub output: File,
}

/// Serves until the editor ends; returns whether it ended as the protocol requires.
pub fn serve(options: LspOptions) -> io::Result<bool> {
    let LspOptions { env, input, output } = options;
    let (sender, receiver) = mpsc::channel();
    let (outgoing, messages) = mpsc::channel();
    let (done, is_done) = mpsc::channel();
    let reading = sender.clone();
    std::thread::Builder::new().spawn(move || read(input, &reading))?;
    std::thread::Builder::new().spawn(move || {
        let written = write(output, messages);
        // The server has not waited for it.
        drop(done.send(written));
    })?;
    let server = Server::new(env, sender, outgoing);
    let is_proper = run(server, &receiver);
    // An editor that has gone and does not read cannot keep the process.
    drop(is_done.recv_timeout(END_TIMEOUT));
    Ok(is_proper)
}

fn run(mut server: Server, receiver: &Receiver<Input>) -> bool {
    loop {
        let input = match server.next_due() {
            Some(due) => receiver.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match input {
            Ok(Input::End) | Err(RecvTimeoutError::Disconnected) => {
                server.end();
                return false;
            }
            Ok(Input::Message(Message::Notification(message))) if message.method == "exit" => {
                server.end();
                return server.is_shut_down();
            }
            Ok(input) => server.handle(input),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if server.has_lost_editor() {
            server.end();
            return false;
        }
        server.work();
    }
}

fn read(input: File, sender: &Sender<Input>) {
    let mut input = BufReader::new(input);
    loop {
        let message = match Message::read(&mut input) {
            Ok(Some(message)) => Input::Message(message),
            // The next message can be read: the length of this one was known.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Input::Invalid(error.to_string())
            }
            Ok(None) | Err(_) => Input::End,
        };
        let is_end = matches!(message, Input::End);
        if sender.send(message).is_err() || is_end {
            return;
        }
    }
}

fn write(output: File, messages: Receiver<Message>) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    for message in messages {
        message.write(&mut output)?;
        output.flush()?;
    }
    Ok(())
}
