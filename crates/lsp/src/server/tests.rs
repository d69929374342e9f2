use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};

use skein_fixtures::Fixture;
use skein_live::LiveWorkspace;
use skein_workspace::Actor;
use skein_workspace::env::Clock;

use super::*;

/// Creates a server that has opened the directory `w`, and returns it with what it sends.
fn server(env: Env) -> (Server, Receiver<Message>) {
    let (sender, _) = channel();
    let (out, sent) = channel();
    let mut server = Server::new(env, sender, out);
    let params = json!({ "capabilities": {} });
    let request = Request { id: 1.into(), method: "initialize".to_owned(), params };
    server.handle(Input::Message(request.into()));
    (server, sent)
}

#[test]
fn a_panic_while_threads_are_read_is_logged() {
    let fixture = Fixture::new();
    fixture.repository("w");
    let mut env = fixture.env("w");
    let (mut server, sent) = server(env.clone());
    // It works until the workspace is open, so that no thread can be read, not even in the background.
    let (clock, calls) = (env.clock.clone(), AtomicUsize::new(0));
    env.clock = Clock::new(move || {
        assert_eq!(calls.fetch_add(1, Ordering::Relaxed), 0, "the clock is broken");
        clock.now()
    });
    let live = Arc::new(LiveWorkspace::open_read_only(&env));
    let actor = Actor::find(&live.workspace(), None);
    let logged = || sent.try_iter().filter(|one| format!("{one:?}").contains("logMessage")).count();
    server.handle(Input::Loaded(1, live, actor));
    assert_eq!(logged(), 1);
    server.handle(Input::Changed(1));
    assert_eq!(logged(), 1);
    let address = uri::from_path(&fixture.path("w/a.rs"));
    let params = json!({ "textDocument": { "uri": address, "text": "x" } });
    let opened = Notification { method: "textDocument/didOpen".to_owned(), params };
    server.handle(Input::Message(opened.into()));
    // What has failed once is not tried at once again.
    server.next_take_over = None;
    server.work();
    server.work();
    assert_eq!(logged(), 1);
    assert!(server.next_due().is_none());
}
