//! The processes of agents.

use std::fs;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// The state of a socket that listens, in the tables of Linux.
const LISTEN: &str = "0A";

/// Returns whether a process exists.
pub fn is_alive(process: u32) -> bool {
    let id = i32::try_from(process).ok().and_then(Pid::from_raw);
    // A process of another user exists too.
    let exists = id.is_some_and(|id| matches!(test_kill_process(id), Ok(()) | Err(Errno::PERM)));
    exists && !has_ended(process)
}

/// Returns whether a process has ended, and its parent has not asked for its exit code. Known on Linux only.
fn has_ended(process: u32) -> bool {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the program is in parentheses and can contain anything.
    text.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'))
}

/// Returns whether a process listens on a port. Known on Linux only; elsewhere it is false.
pub(crate) fn listens(process: u32, port: u16) -> bool {
    let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .iter()
        .filter_map(|table| fs::read_to_string(table).ok())
        .flat_map(|table| table.lines().filter_map(|line| listener(line, port)).collect::<Vec<_>>())
        .collect();
    let Ok(open) = fs::read_dir(format!("/proc/{process}/fd")) else { return false };
    let links = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    links.into_iter().any(|link| sockets.iter().any(|socket| link.as_os_str() == socket.as_str()))
}

/// Returns the socket of a line of the table, if it listens on the port.
fn listener(line: &str, port: u16) -> Option<String> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let local = fields.get(1)?.rsplit_once(':')?.1;
    let is_meant = u16::from_str_radix(local, 16).ok()? == port && *fields.get(3)? == LISTEN;
    is_meant.then(|| format!("socket:[{}]", fields.get(9).copied().unwrap_or_default()))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_process_listens_on_its_own_ports() {
        let own = std::process::id();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(listens(own, port));
        assert!(!listens(1, port));
        drop(listener);
        assert!(!listens(own, port));
        assert!(is_alive(own));
        assert!(!is_alive(4_000_000));
    }
}
