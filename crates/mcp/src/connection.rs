//! Answers requests from one pipe to another until the input ends.

use std::fs::File;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rmcp::ServiceExt as _;
use skein_workspace::Env;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::call::CallOptions;
use crate::ending::Ending;
use crate::root::StartDir;
use crate::server::{MAX_CALLS, McpServer};

/// Time that a call in progress gets after the end of the input.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// Time between the end of the input and the moment when rmcp is told of it. From then on it completes no notification,
/// and a subscription that waits for one keeps it for five seconds.
const END_DELAY: Duration = Duration::from_millis(20);

/// What the server works on.
#[derive(Debug)]
pub struct McpOptions {
    pub env: Env,
    pub start: StartDir,
    /// Whether the tools that write are left out.
    pub read_only: bool,
    pub input: File,
    pub output: File,
}

/// Serves until the end of the input.
pub fn serve(options: McpOptions) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        // The input and the output need threads too.
        .max_blocking_threads(MAX_CALLS + 8)
        .build()?;
    let McpOptions { env, start, read_only, input, output } = options;
    let ending = Arc::new(Ending::default());
    let options = CallOptions::new(env, read_only);
    let claims = Arc::clone(&options.claims);
    let server = McpServer::new(options, start, Arc::clone(&ending));
    let file = tokio::fs::File::from_std(input);
    let input = Input { file, ending: Arc::clone(&ending), delay: None };
    let output = tokio::fs::File::from_std(output);
    runtime.block_on(async {
        let serving = async {
            // Before its first request a client can go away, or send something else.
            if let Ok(running) = server.serve((input, output)).await {
                drop(running.waiting().await);
            }
        };
        tokio::select! {
            () = serving => {}
            // A client that has gone and does not read cannot keep the process.
            () = ending.is_over(END_TIMEOUT) => {}
        }
    });
    runtime.shutdown_timeout(END_TIMEOUT);
    claims.release();
    Ok(())
}

/// The input of the server, whose end ends all waits.
struct Input {
    file: tokio::fs::File,
    ending: Arc<Ending>,
    /// The delay of the end.
    delay: Option<Pin<Box<Sleep>>>,
}

impl AsyncRead for Input {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.delay.is_none() {
            let before = buffer.filled().len();
            match ready!(Pin::new(&mut self.file).poll_read(context, buffer)) {
                Ok(()) if buffer.filled().len() > before => return Poll::Ready(Ok(())),
                // An error ends the input too.
                Ok(()) | Err(_) => self.ending.end(),
            }
        }
        let delay = self.delay.get_or_insert_with(|| Box::pin(sleep(END_DELAY)));
        delay.as_mut().poll(context).map(Ok)
    }
}
