//! Exchanges messages with an editor until it ends.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use lsp_server::{Message, Request, RequestId};
use skein_workspace::Env;

use crate::input::Input;
use crate::protocol::member;
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
    let mut waiting = VecDeque::new();
    loop {
        let input = match (waiting.pop_front(), server.next_due()) {
            (Some(input), _) => Ok(input),
            (None, Some(due)) => {
                receiver.recv_timeout(due.saturating_duration_since(Instant::now()))
            }
            (None, None) => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        waiting.extend(receiver.try_iter());
        match input {
            Ok(Input::End) | Err(RecvTimeoutError::Disconnected) => {
                server.end();
                return false;
            }
            Ok(Input::Message(Message::Notification(message))) if message.method == "exit" => {
                server.end();
                return server.is_shut_down();
            }
            Ok(Input::Message(Message::Request(request))) if is_cancelled(&request, &waiting) => {
                server.refuse_cancelled(request.id);
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

/// Returns whether the editor has cancelled a request, in a message that arrived after it.
fn is_cancelled(request: &Request, waiting: &VecDeque<Input>) -> bool {
    waiting.iter().any(|input| {
        let Input::Message(Message::Notification(notification)) = input else { return false };
        let id = || member::<RequestId>(&notification.params, "/id");
        notification.method == "$/cancelRequest" && id().is_some_and(|id| id == request.id)
    })
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

#[cfg(test)]
mod tests {
    use lsp_server::Notification;
    use serde_json::{Value, json};
    use skein_fixtures::Fixture;

    use super::*;

    #[test]
    fn a_request_that_is_cancelled_while_it_waits_is_refused() {
        let fixture = Fixture::new();
        let request = |id: i32, method: &str, params: Value| {
            let method = method.to_owned();
            Input::Message(Request { id: id.into(), method, params }.into())
        };
        let cancel = |id: Value| {
            let method = "$/cancelRequest".to_owned();
            Input::Message(Notification { method, params: json!({ "id": id }) }.into())
        };
        let (sender, receiver) = mpsc::channel();
        let (outgoing, messages) = mpsc::channel();
        for input in [
            request(1, "initialize", json!({})),
            request(2, "textDocument/hover", json!({})),
            request(3, "textDocument/hover", json!({})),
            cancel(json!(3)),
            cancel(json!("x")),
            Input::End,
        ] {
            sender.send(input).unwrap();
        }
        run(Server::new(fixture.env(""), sender, outgoing), &receiver);
        let answers = messages.try_iter().filter_map(|message| match message {
            Message::Response(one) => Some((one.id, one.response_result.err().map(|e| e.code))),
            _ => None,
        });
        let answers: Vec<_> = answers.skip(1).collect();
        assert_eq!(answers, [(2.into(), None), (3.into(), Some(-32800))]);
    }
}
