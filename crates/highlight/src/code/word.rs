//! Words, and their meaning in context.

use crate::Class;
use crate::cursor::{Cursor, is_blank, is_word};
use crate::words::WordRole;

use super::CodeScanner;
use super::grammar::{Calls, Capitals, Keys};
use super::mode::Previous;

impl CodeScanner {
    pub(crate) fn word(&mut self, cursor: &mut Cursor<'_>) {
        let from = cursor.at();
        cursor.skip(1);
        let code = self.code;
        cursor.skip_while(|byte| code.is_inside(byte));
        let word = cursor.since(from);
        if self.prefixed(cursor, from, word) {
            return;
        }
        let class = self.class_of(cursor, from, word);
        if class == Some(Class::Function)
            && code.grammar.calls == Calls::Macros
            && cursor.byte() == b'!'
        {
            cursor.skip(1);
        }
        if let Some(class) = class {
            cursor.paint(from, class);
        }
        let is_keyword = class == Some(Class::Keyword);
        self.previous = if is_keyword { Previous::Operator } else { Previous::Operand };
    }

    fn class_of(&mut self, cursor: &Cursor<'_>, from: usize, word: &[u8]) -> Option<Class> {
        let grammar = self.code.grammar;
        if self.is_key(cursor) {
            return Some(Class::Attribute);
        }
        let role = self.code.words.find(word);
        let role = role.filter(|_| word == b"await" || !self.is_member(cursor, from));
        // In `receiver.method`, the receiver is not the defined name.
        let expected = self.expects.take().filter(|_| cursor.byte() != b'.');
        match role {
            Some(WordRole::Is(class)) => return Some(class),
            Some(WordRole::Names(class)) => {
                self.expects = Some(class);
                return Some(Class::Keyword);
            }
            Some(WordRole::Soft) if follows_keyword(cursor) => return Some(Class::Keyword),
            Some(WordRole::Soft) | None => {}
        }
        if expected.is_some() {
            return expected;
        }
        let is_call = is_call(grammar.calls, cursor, from);
        let is_capital = word.first().is_some_and(u8::is_ascii_uppercase);
        match grammar.capitals {
            Capitals::Types if is_capital && is_call && is_uppercase(word) => Some(Class::Function),
            Capitals::TypesAndCalls if is_call => Some(Class::Function),
            Capitals::Types | Capitals::TypesAndCalls if is_capital && is_uppercase(word) => {
                Some(Class::Constant)
            }
            Capitals::Types | Capitals::TypesAndCalls if is_capital => Some(Class::Type),
            _ => is_call.then_some(Class::Function),
        }
    }

    /// Returns whether a word is the key of the value that follows.
    fn is_key(&self, cursor: &Cursor<'_>) -> bool {
        let keys = self.code.grammar.keys;
        if matches!(keys, Keys::None | Keys::Quoted) {
            return false;
        }
        match (keys, cursor.rest().trim_ascii_start()) {
            (Keys::Assigned, [b'=', next, ..]) => !matches!(next, b'=' | b'>' | b'~'),
            (Keys::Assigned, [b'=']) => true,
            (Keys::Leading, [b'=' | b':', ..]) => self.previous == Previous::Start,
            _ => false,
        }
    }

    /// Returns whether a word is a member of the value before it.
    fn is_member(&self, cursor: &Cursor<'_>, from: usize) -> bool {
        let before = cursor.before_place(from);
        let mut members = self.code.grammar.members.iter();
        members.any(|member| before.ends_with(member.as_bytes())) && !before.ends_with(b"..")
    }
}

/// Returns whether the text after a word cannot follow a value, so that the word must be a keyword.
fn follows_keyword(cursor: &Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let next = rest.iter().copied().find(|&byte| !is_blank(byte)).unwrap_or(0);
    is_blank(cursor.byte())
        && (is_word(next)
            || matches!(next, b'"' | b'\'' | b'`' | b'{' | b'[' | b'*' | b'@' | b'$' | b'(' | b'&'))
}

fn is_call(calls: Calls, cursor: &Cursor<'_>, from: usize) -> bool {
    match calls {
        Calls::None => false,
        Calls::Before => cursor.byte() == b'(',
        Calls::Macros => match cursor.byte() {
            b'(' => true,
            b'!' => cursor.ahead(1) != b'=',
            _ => cursor.sees("::<"),
        },
        Calls::After => cursor.before_place(from).ends_with(b"("),
        Calls::Margin => from == 0,
    }
}

/// Returns whether a name is all in capitals.
fn is_uppercase(word: &[u8]) -> bool {
    let capitals = word.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    capitals >= 2
        && word
            .iter()
            .all(|&byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}
