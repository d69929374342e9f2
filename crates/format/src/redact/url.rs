//! Credentials in URLs.

use super::judge::is_reference;
use super::look::{Look, is_random};
use crate::span::Span;

/// Number of bytes of a URL that are searched for credentials.
const MAX_URL_LEN: usize = 512;

/// Finds the credentials between `://` and a host.
pub(super) fn userinfo(bytes: &[u8], start: Span) -> Option<Span> {
    let rest = bytes.get(start.end..)?;
    let rest = rest.get(..MAX_URL_LEN).unwrap_or(rest);
    let stop = |byte: &u8| byte.is_ascii_whitespace() || b"\"'<>`|\\".contains(byte);
    let address = rest.get(..rest.iter().position(stop).unwrap_or(rest.len()))?;
    let is_web = bytes.get(..start.start)?.ends_with(b"http")
        || bytes.get(..start.start)?.ends_with(b"https");
    let user = address.get(..credentials_len(address, is_web)?)?;
    let is_secret = match memchr::memchr(b':', user) {
        Some(colon) => {
            let password = user.get(colon + 1..)?;
            !password.is_empty() && !is_reference(password)
        }
        // A user without a password is a token if it looks generated.
        None => is_web && (is_random(user) || user.len() >= 20 && Look::new(user).digits > 0),
    };
    is_secret.then_some(Span::new(start.end, start.end + user.len()))
}

/// Returns the length of the credentials before the `@`.
///
/// A password may contain `/`, `?` and `#` that are not escaped: the text before the first of them ends with a port, or
/// contains an `@`, or is the start of a password.
fn credentials_len(address: &[u8], is_web: bool) -> Option<usize> {
    let path = address.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(address.len());
    let authority = address.get(..path)?;
    let at = memchr::memrchr(b'@', authority);
    let last = memchr::memrchr(b'@', address).filter(|at| is_host(address.get(*at + 1..)));
    if at.is_some() && (is_web || last.is_none()) {
        return at.filter(|at| *at > 0);
    }
    let colon = memchr::memchr(b':', authority)?;
    let port = authority.get(colon + 1..)?;
    let is_port = port.iter().all(u8::is_ascii_digit) && at.is_none() && path < address.len();
    if is_port {
        return None;
    }
    match is_web {
        true => (path..address.len())
            .find(|at| address.get(*at) == Some(&b'@') && is_host(address.get(*at + 1..))),
        false => last,
    }
}

fn is_host(rest: Option<&[u8]>) -> bool {
    let rest = rest.unwrap_or_default();
    let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(byte));
    let len = len.count();
    len > 0 && rest.get(len).is_none_or(|byte| b":/?#,;.)]}".contains(byte))
}
