//! The client against a real OpenCode server with a scripted model, which `.ci/servers/opencode` starts.
//! `SKEIN_TEST_OPENCODE` is the path of the facts that it writes.

mod answer;
mod approval;
mod prompt;
mod recorded;
mod restart;
mod server;
mod session;
