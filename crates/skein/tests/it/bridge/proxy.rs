//! Counts the requests of a bridge to Mattermost, and can cut its connections.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What each request ends its first line with.
const LINE_END: &[u8] = b" HTTP/1.1\r\n";

pub(super) struct Proxy {
    pub(super) address: String,
    shared: Arc<Shared>,
}

struct Shared {
    server: String,
    requests: AtomicUsize,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// Passes connections on to a server until the process ends.
    pub(super) fn start(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = server.strip_prefix("http://").unwrap().to_owned();
        let shared = Shared { server, requests: AtomicUsize::new(0), open: Mutex::default() };
        let shared = Arc::new(shared);
        let of_thread = Arc::clone(&shared);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                of_thread.pass_on(client.unwrap());
            }
        });
        Self { address, shared }
    }

    /// Returns the number of requests so far.
    pub(super) fn requests(&self) -> usize {
        self.shared.requests.load(Ordering::SeqCst)
    }

    /// Closes all connections.
    pub(super) fn cut(&self) {
        for stream in self.shared.open.lock().unwrap().drain(..) {
            // It may be closed already.
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

impl Shared {
    fn pass_on(self: &Arc<Self>, client: TcpStream) {
        let Ok(server) = TcpStream::connect(&self.server) else { return };
        let streams = [client.try_clone().unwrap(), server.try_clone().unwrap()];
        self.open.lock().unwrap().extend(streams);
        let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
        let this = Arc::clone(self);
        std::thread::spawn(move || {
            copy(from, to, |count| _ = this.requests.fetch_add(count, Ordering::SeqCst));
        });
        std::thread::spawn(move || copy(server, client, |_| {}));
    }
}

/// Copies until one side ends, and passes on how many requests each piece has.
fn copy(mut from: TcpStream, mut to: TcpStream, counted: impl Fn(usize)) {
    let mut buffer = [0; 0x10000];
    let mut last = Vec::new();
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        let piece = &buffer[..length];
        // The end of a line can be in two pieces.
        last.extend_from_slice(piece);
        counted(last.windows(LINE_END.len()).filter(|part| *part == LINE_END).count());
        last.drain(..last.len().saturating_sub(LINE_END.len() - 1));
        if to.write_all(piece).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // The other copy may have closed it.
        drop(stream.shutdown(Shutdown::Both));
    }
}
