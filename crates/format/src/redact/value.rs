//! Finds the value that belongs to a name.

use super::hit::Hit;
use super::judge::{NameKind, ValueContext, is_one_of, is_secret};
use super::name::Identifier;
use super::rules::Name;
use crate::span::Span;

/// Number of bytes after a name in which its value is searched for.
const MAX_DISTANCE: usize = 512;

/// Number of bytes of a value that are checked.
const CHECKED_LEN: usize = 256;

/// Number of bytes before a name in which the start of its line is searched for.
const MAX_NAME_LEN: usize = 64;

/// A value and its context.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedValue {
    pub(super) span: Span,
    pub(super) context: ValueContext,
}

/// What ends a value.
#[derive(Clone, Copy, Debug)]
enum End {
    /// The quote that it began with; true if a backslash is before both.
    Quote(u8, bool),
    /// The XML tag that closes it.
    Tag,
    /// A semicolon, as in connection strings.
    Semicolon,
    /// White space, or one of these characters.
    Space(&'static [u8]),
}

/// Finds the value after a name, if it is a secret.
pub(super) fn value(hit: Hit<'_>, name: Name) -> Option<Span> {
    let identifier = Identifier::around(hit);
    let kind = identifier.kind(hit.bytes, name)?;
    let near = hit.bytes.get(..identifier.span.end + MAX_DISTANCE).unwrap_or(hit.bytes);
    let NamedValue { span, context } = value_after(Hit { bytes: near, ..hit }, &identifier, kind)?;
    let value = span.of(near);
    if !is_secret(value.get(..CHECKED_LEN).unwrap_or(value), kind, context) {
        return None;
    }
    let is_cut = near.len() < hit.bytes.len() && span.end + 16 >= near.len();
    let complete = is_cut.then(|| value_after(hit, &identifier, kind)).flatten();
    Some(complete.map_or(span, |complete| complete.span))
}

/// Finds the value after a name.
fn value_after(hit: Hit<'_>, name: &Identifier<'_>, kind: NameKind) -> Option<NamedValue> {
    let text = Surroundings { bytes: hit.bytes };
    let end = name.span.end;
    let before = name.span.start.checked_sub(1).and_then(|at| hit.bytes.get(at)).copied();
    if before == Some(b'<') && text.at(end) == Some(b'>') {
        return text.found(end + 1, ValueContext::Quoted, End::Tag);
    }
    let is_option = name.is_option(hit.bytes);
    let closed = text.skip(end, b"\"'`\\]?", 4);
    let sign = text.skip(closed, b" \t", 8);
    let spaces = sign - closed;
    let sign = text.after_number(sign, spaces);
    let sign = match text.rest(sign) {
        [b'?' | b'+', b'=', ..] => sign + 1,
        [b':', b':', b'=', ..] => sign + 2,
        // `password -> …` and `password → …`, of which the last byte is taken for the sign.
        [b'-', b'>', ..] if kind == NameKind::Password && spaces > 0 => sign + 1,
        [0xe2, 0x86, 0x92, ..] if kind == NameKind::Password => sign + 2,
        _ => sign,
    };
    match text.at(sign)? {
        b'=' | b':' | b'>' | 0x92 => {
            if text.at(sign) == Some(b':') && text.at(sign + 1) == Some(b':') {
                return None;
            }
            let after_sign = text.skip(sign + 1, b"=>~", 2);
            let from = text.skip(after_sign, b" \t", 8);
            let is_tight = spaces == 0 && from == after_sign && text.at(sign) == Some(b'=');
            let is_upper_case = name.is_upper_case();
            let is_setting = kind == NameKind::Password
                && (is_tight || is_upper_case)
                && text.is_setting(name.span.start, from);
            let context = if is_tight && (is_upper_case || is_option) {
                ValueContext::Variable
            } else if is_setting {
                ValueContext::Setting
            } else if is_tight || is_upper_case || name.is_header(hit.bytes) {
                ValueContext::Tight
            } else {
                ValueContext::Loose
            };
            text.value(from, context, before, kind)
        }
        // Two arguments of a call, or the argument of a function with that name.
        b',' if closed > end => text.quoted(text.skip(sign + 1, b" \t\n", 8)),
        b'(' if kind == NameKind::Password => text.quoted(sign + 1),
        _ if is_option && spaces > 0 => text
            .quoted(sign)
            .map(|found| NamedValue { context: ValueContext::Option, ..found })
            .or_else(|| text.found(sign, ValueContext::Option, End::Space(b"\"'`,;)}>&|"))),
        _ => text
            .pair(closed, name.is_upper_case(), before, kind)
            .or_else(|| text.word_after(hit.floor, name, sign, kind))
            .or_else(|| (spaces > 0).then(|| text.sentence(sign)).flatten()),
    }
}

/// The text around a name.
#[derive(Clone, Copy, Debug)]
struct Surroundings<'a> {
    bytes: &'a [u8],
}

impl<'a> Surroundings<'a> {
    fn at(self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn rest(self, from: usize) -> &'a [u8] {
        self.bytes.get(from..).unwrap_or_default()
    }

    /// Skips at most `max` of these characters, and returns the offset after them.
    fn skip(self, from: usize, chars: &[u8], max: usize) -> usize {
        from + self.rest(from).iter().take(max).take_while(|byte| chars.contains(byte)).count()
    }

    /// Finds the value at `from`, in quotes or without.
    fn value(
        self,
        from: usize,
        context: ValueContext,
        before: Option<u8>,
        kind: NameKind,
    ) -> Option<NamedValue> {
        if let Some(found) = self.quoted(from).or_else(|| self.wrapped(from)) {
            let is_variable = context == ValueContext::Variable;
            return Some(if is_variable { NamedValue { context, ..found } } else { found });
        }
        // The padding of base64 resembles the sign after a type.
        if context == ValueContext::Loose
            && let Some(typed) = self.typed(from)
            && let Some(value) = self.quoted(typed).or_else(|| self.wrapped(typed))
        {
            return Some(value);
        }
        let end = match (before, context) {
            (Some(b';'), ValueContext::Tight | ValueContext::Variable)
                if kind == NameKind::Password =>
            {
                return self.found(from, ValueContext::Field, End::Semicolon);
            }
            (Some(b'?' | b'&'), _) => End::Space(b"\"'`,;)}>&|"),
            (_, ValueContext::Variable | ValueContext::Setting) => End::Space(b"\"'`;"),
            _ => End::Space(b"\"'`,;)}>&|"),
        };
        self.found(from, context, end)
    }

    /// Returns the end of a number at `from` if a colon follows, as in `unseal key 1: …`, or else `from`.
    fn after_number(self, from: usize, spaces: usize) -> usize {
        let end = self.skip(from, b"0123456789", 2);
        if spaces > 0 && end > from && self.at(end) == Some(b':') { end } else { from }
    }

    /// Returns whether a line consists of a name and the word at `from`, as in a file of settings.
    fn is_setting(self, name: usize, from: usize) -> bool {
        let before = self.bytes.get(..name).unwrap_or_default();
        let before = before.get(before.len().saturating_sub(MAX_NAME_LEN)..).unwrap_or_default();
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_begin = |byte: &u8| byte.is_ascii_alphanumeric() || b" \t+-_.".contains(byte);
        let rest = self.rest(from);
        let value = rest.get(..line_len(rest, b"")).unwrap_or_default();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.!@$%^&*?#+=/".contains(byte);
        line.iter().all(is_begin) && value.trim_ascii_end().iter().all(is_word)
    }

    /// Finds a text in quotes, perhaps with a prefix such as `b` or `r`.
    fn quoted(self, from: usize) -> Option<NamedValue> {
        if let Some(open) = self.quote_operator(from) {
            return self.found(open + 1, ValueContext::Quoted, End::Space(b"\"'`,;)]}>|"));
        }
        let from = match (self.at(from)?, self.at(from + 1)) {
            (b'b' | b'r' | b'f' | b'u' | b'L' | b'@' | b'&', Some(b'"' | b'\'')) => from + 1,
            _ => from,
        };
        match (self.at(from)?, self.at(from + 1)) {
            (quote @ (b'"' | b'\'' | b'`'), _) => {
                self.found(from + 1, ValueContext::Quoted, End::Quote(quote, false))
            }
            (b'\\', Some(quote @ (b'"' | b'\''))) => {
                self.found(from + 2, ValueContext::Quoted, End::Quote(quote, true))
            }
            _ => None,
        }
    }

    /// Returns the bracket after a quote operator of Perl or Ruby, such as `q{…}` or `%q(…)`.
    fn quote_operator(self, from: usize) -> Option<usize> {
        let at = self.skip(from, b"%", 1);
        let end = self.skip(at, b"qQ", 2);
        let is_operator = end > at && matches!(self.at(end)?, b'(' | b'{' | b'[' | b'<' | b'|');
        is_operator.then_some(end)
    }

    /// Finds the text in calls such as `String::from("…")`.
    fn wrapped(self, from: usize) -> Option<NamedValue> {
        let is_path = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:&".contains(byte);
        let len = self.rest(from).iter().take(48).take_while(is_path).count();
        let path = self.rest(from).get(..len)?;
        let last = path.rsplit(|byte| b".:&".contains(byte)).next()?;
        let is_known = is_one_of(WRAPPERS, last);
        (is_known && self.at(from + len) == Some(b'(')).then(|| self.quoted(from + len + 1))?
    }

    /// Returns where the value of `name: Type = "value"` begins, if its type begins at `from`.
    fn typed(self, from: usize) -> Option<usize> {
        let is_type = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_&<>[]'|?:., ".contains(byte);
        let len = self.rest(from).iter().take(48).take_while(is_type).count();
        let sign = from + len;
        let is_sign = len > 0 && self.at(sign) == Some(b'=') && self.at(sign + 1) != Some(b'=');
        is_sign.then(|| self.skip(sign + 1, b" \t", 8))
    }

    /// Finds the value of `name: DB_PASSWORD`, `value: …`, as in lists of variables.
    fn pair(
        self,
        from: usize,
        is_upper_case: bool,
        before: Option<u8>,
        kind: NameKind,
    ) -> Option<NamedValue> {
        let word = self.skip(from, b"\"', \t\r\n", 40);
        let is_apart =
            Span::new(from, word).of(self.bytes).iter().any(|byte| b"\n,".contains(byte));
        let rest = self.rest(word);
        let is_value = rest.get(..5).is_some_and(|name| name.eq_ignore_ascii_case(b"value"));
        if !is_value || !(is_apart || before == Some(b'"')) {
            return None;
        }
        let sign = self.skip(word + 5, b"\"' \t", 4);
        if !matches!(self.at(sign), Some(b'=' | b':')) {
            return None;
        }
        let context = if is_upper_case { ValueContext::Tight } else { ValueContext::Loose };
        self.value(self.skip(sign + 1, b" \t", 8), context, before, kind)
    }

    /// Finds the value in `ENV NAME value` of a Dockerfile and in `login x password y` of a `.netrc`.
    fn word_after(
        self,
        floor: usize,
        name: &Identifier<'_>,
        from: usize,
        kind: NameKind,
    ) -> Option<NamedValue> {
        let start = name.span.start;
        let before = Span::new(start.saturating_sub(128).max(floor), start).of(self.bytes);
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let is_env = name.is_upper_case() && line.trim_ascii() == b"ENV";
        let is_netrc = kind == NameKind::Password
            && memchr::memmem::find(before, b"login ").is_some()
            && memchr::memmem::find(before, b"machine ").is_some();
        let context = if is_env { ValueContext::Variable } else { ValueContext::Option };
        let end = End::Space(b"\"'`;");
        (is_env || is_netrc).then(|| self.found(from, context, end))?
    }

    /// Finds the value in a sentence such as `the password is …`.
    fn sentence(self, from: usize) -> Option<NamedValue> {
        let mut at = from;
        let mut words = 0;
        while words < 4 {
            let len =
                self.rest(at).iter().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
            let word = self.rest(at).get(..len)?;
            let end = self.skip(at + len, b":=", 1);
            let next = self.skip(end, b" \t", 2);
            let is_known = is_one_of(LINKS, &word.to_ascii_lowercase());
            if !is_known || next == end {
                break;
            }
            (at, words) = (next, words + 1);
        }
        match self.quoted(at) {
            Some(found) if words > 0 => Some(found),
            Some(found) => Some(NamedValue { context: ValueContext::Prose, ..found }),
            None => self.found(at, ValueContext::Prose, End::Space(b"\"'`,;)}>&|")),
        }
    }

    /// Finds the end of the value that begins at `from`.
    fn found(self, from: usize, context: ValueContext, end: End) -> Option<NamedValue> {
        let rest = self.rest(from);
        let len = match end {
            End::Quote(quote, false) => quoted_len(rest, quote),
            End::Quote(quote, true) => {
                memchr::memmem::find(rest, &[b'\\', quote]).unwrap_or_else(|| line_len(rest, b""))
            }
            End::Tag => line_len(rest, b"<"),
            End::Semicolon => line_len(rest, b";\"'`<"),
            End::Space(stops) => free_len(rest, stops),
        };
        let span = Span::new(from, from + len);
        (!span.is_empty()).then_some(NamedValue { span, context })
    }
}

/// Functions that wrap the value of a secret.
const WRAPPERS: &str = "\
    from new Some Secret SecretString SecretStr String Password bytes Just";

/// Words that may be between a name and its value in a sentence.
const LINKS: &str = "\
    is was be to as now the value new following set use using here with for prod production staging key of me it \
    got";

fn line_len(rest: &[u8], stops: &[u8]) -> usize {
    let is_end = |byte: &u8| b"\r\n".contains(byte) || stops.contains(byte);
    rest.iter().position(is_end).unwrap_or(rest.len())
}

/// Returns the length of a text up to its closing quote, without a backslash before it, or to the end of the line.
fn quoted_len(rest: &[u8], quote: u8) -> usize {
    let mut is_escaped = false;
    for (at, byte) in rest.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'\n' => return at,
            byte if *byte == quote => return at,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of a value without quotes: up to white space or one of `stops`, without trailing punctuation.
fn free_len(rest: &[u8], stops: &[u8]) -> usize {
    let mut len = rest.len();
    for (at, byte) in rest.iter().enumerate() {
        let next = rest.get(at + 1);
        let is_escape = *byte == b'\\' && next.is_some_and(|next| b"nrt\"'".contains(next));
        if byte.is_ascii_whitespace() || stops.contains(byte) || is_escape {
            len = at;
            break;
        }
    }
    let value = rest.get(..len).unwrap_or_default();
    len - value.iter().rev().take_while(|byte| b".,:)}]".contains(byte)).count()
}
