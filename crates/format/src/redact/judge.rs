//! Decides whether a value looks like a secret.

use super::MARK;

/// Character statistics of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub(super) len: usize,
    pub(super) letters: usize,
    pub(super) digits: usize,
    /// Characters that names and paths do not have.
    pub(super) symbols: usize,
    /// Characters between the words of a name.
    separators: usize,
    /// The number of capital letters that follow a lower-case letter.
    humps: usize,
    /// The number of changes between lower case, upper case and digits.
    changes: usize,
    /// The number of groups of digits with letters on both sides.
    inner_digits: usize,
    /// The number of different characters.
    distinct: u32,
    /// The number of adjacent pairs that could be part of a word.
    pairs: usize,
    /// The number of those pairs that are frequent in words.
    common: usize,
}

impl Look {
    pub(super) fn new(value: &[u8]) -> Self {
        let mut look = Self { len: value.len(), ..Self::default() };
        let mut seen = 0_u128;
        let mut before = b' ';
        let mut is_letter_before_digits = false;
        for byte in value {
            let byte = *byte;
            seen |= 1_u128 << (byte & 0x7f);
            match byte {
                b'0'..=b'9' => {
                    look.digits += 1;
                    if !before.is_ascii_digit() {
                        is_letter_before_digits = before.is_ascii_alphabetic();
                    }
                }
                b'a'..=b'z' | b'A'..=b'Z' => {
                    look.letters += 1;
                    look.inner_digits +=
                        usize::from(before.is_ascii_digit() && is_letter_before_digits);
                }
                b'-' | b'_' | b'.' | b'/' | b':' | b' ' | b',' => look.separators += 1,
                b'+' | b'=' | b'~' | b'%' => {}
                _ => look.symbols += 1,
            }
            look.pair(before, byte);
            before = byte;
        }
        look.distinct = seen.count_ones();
        look
    }

    fn pair(&mut self, before: u8, byte: u8) {
        let is_hump = before.is_ascii_lowercase() && byte.is_ascii_uppercase();
        self.humps += usize::from(is_hump);
        if !before.is_ascii_alphanumeric() || !byte.is_ascii_alphanumeric() {
            return;
        }
        let same = |is: fn(&u8) -> bool| is(&before) == is(&byte);
        let is_change = !same(u8::is_ascii_digit) || !same(u8::is_ascii_lowercase);
        self.changes += usize::from(is_change);
        let both_digits = before.is_ascii_digit() && byte.is_ascii_digit();
        if !is_hump && !both_digits {
            self.pairs += 1;
            self.common += usize::from(is_common(before, byte));
        }
    }

    /// Returns whether at least this percentage of the pairs is frequent in words.
    fn is_wordy(&self, percent: usize) -> bool {
        self.common * 100 >= self.pairs * percent
    }

    /// Returns whether the value looks randomly generated.
    fn is_random(&self) -> bool {
        self.len >= 16
            && self.distinct >= 8
            && self.letters >= 2
            && self.symbols == 0
            && self.changes * 8 >= self.len
            && (self.digits >= 2 || self.changes >= 6)
            && (!self.is_wordy(45)
                || self.inner_digits >= 2 && self.humps >= 2 && !self.is_wordy(60))
    }

    /// Returns whether the value looks like an identifier: words, perhaps followed by numbers.
    fn is_name(&self) -> bool {
        self.symbols == 0 && self.inner_digits <= 1 && self.is_wordy(60)
    }
}

/// Returns whether the value looks randomly generated.
pub(super) fn is_random(value: &[u8]) -> bool {
    Look::new(value).is_random()
}

/// Returns whether the rest of a token looks like an identifier rather than a secret.
pub(super) fn is_wordy(value: &[u8]) -> bool {
    let look = Look::new(value);
    look.is_wordy(60) || look.digits == 0 && look.changes < 6
}

/// Returns whether the rest of a token is a placeholder, such as `xxxxxxxx`.
pub(super) fn is_sample(value: &[u8]) -> bool {
    Look::new(value).distinct < 5 || is_placeholder(value)
}

/// The context of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueContext {
    /// In quotes.
    Quoted,
    /// After `=` and the name of an environment variable or of an option.
    Variable,
    /// After the name of an option and a space.
    Option,
    /// After `=` without a space.
    Tight,
    /// Between the semicolons of a connection string.
    Field,
    /// After `:`, or after `=` with a space, as in code.
    Loose,
    /// After words of a sentence.
    Prose,
}

/// The kind of secret that a name indicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Password,
    Key,
    /// A key for an unknown purpose.
    OtherKey,
    Token,
}

/// Returns whether a value is a secret, given that its name is the name of a secret.
pub(super) fn is_secret(value: &[u8], kind: NameKind, context: ValueContext) -> bool {
    if is_reference(value) || is_placeholder(value) {
        return false;
    }
    let look = Look::new(value);
    let is_quoted = context == ValueContext::Quoted;
    if !is_quoted && is_code(value, &look, context) {
        return false;
    }
    if context == ValueContext::Field {
        return look.len >= 3 && look.letters + look.digits > 0;
    }
    let is_uuid = is_uuid(value);
    if kind == NameKind::OtherKey {
        // The key of a map is often a hash.
        let is_hex = value.iter().all(u8::is_ascii_hexdigit) && context != ValueContext::Variable;
        let is_plain = matches!(context, ValueContext::Loose | ValueContext::Prose);
        return !is_plain && look.len >= 20 && (is_uuid || look.is_random() && !is_hex);
    }
    if look.is_random() || is_uuid {
        return true;
    }
    if value.contains(&b' ') {
        let may_be = is_quoted || context == ValueContext::Variable;
        return may_be && is_passphrase(value, b' ', kind);
    }
    let is_mixed = look.letters > 0 && look.digits > 0;
    let min = if kind == NameKind::Password { 6 } else { 8 };
    if look.len < min || look.letters == 0 {
        return false;
    }
    match (context, kind) {
        (ValueContext::Variable | ValueContext::Field, _) => {
            look.len >= 8 || is_mixed || look.symbols > 0
        }
        (ValueContext::Option, NameKind::Password) => is_mixed || look.symbols > 0,
        (ValueContext::Option, _) => is_mixed,
        (ValueContext::Quoted, NameKind::Password) => {
            is_mixed || has_password_symbol(value) || is_chosen_words(value, &look)
        }
        (ValueContext::Quoted | ValueContext::Tight, NameKind::Key) => {
            is_mixed && !(look.is_name() && look.separators + look.humps > 0)
        }
        (ValueContext::Quoted | ValueContext::Tight, NameKind::Token | NameKind::OtherKey) => {
            is_mixed && !look.is_name()
        }
        (ValueContext::Tight | ValueContext::Loose, NameKind::Password) => {
            (is_mixed || has_password_symbol(value))
                && !(look.is_name() && look.separators + look.humps > 0)
        }
        (ValueContext::Prose, NameKind::Password) => {
            let is_chosen = look.inner_digits >= 1 && look.digits >= 2;
            is_mixed && (!look.is_name() || is_chosen || has_password_symbol(value))
        }
        (ValueContext::Loose | ValueContext::Prose, _) => {
            is_mixed && look.len >= 12 && look.inner_digits >= 3 && !look.is_wordy(60)
        }
    }
}

/// Returns whether a password without digits looks like words that a person chose.
fn is_chosen_words(value: &[u8], look: &Look) -> bool {
    let is_long_word = look.len >= 16 && value.iter().all(u8::is_ascii_lowercase);
    is_long_word || is_passphrase(value, b'-', NameKind::Password)
}

fn has_password_symbol(value: &[u8]) -> bool {
    value.iter().any(|byte| b"!@#$%^&*?".contains(byte))
}

/// Returns whether the value is a placeholder, such as `${TOKEN}` or `<token>`.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let is_variable = |name: &[u8]| {
        !name.is_empty()
            && name.iter().all(|byte| {
                byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_}{".contains(byte)
            })
    };
    match value {
        [] => true,
        [b'$', b'{' | b'(' | b'$', ..] | [b'#' | b'@' | b'!' | b'{', b'{', ..] => true,
        [b'$' | b'%', name @ ..] if is_variable(name.strip_suffix(b"%").unwrap_or(name)) => true,
        [b'$', b'a'..=b'z', name @ ..] if name.iter().all(|byte| byte.is_ascii_lowercase()) => true,
        [b'%', b's' | b'd' | b'v' | b'(' | b'{'] | [b'%', b'(' | b'{', ..] => true,
        [b'<', .., b'>'] | [b'{', .., b'}'] | [b'[', .., b']'] | [b'%', .., b'%'] => true,
        [b'{', name @ ..] if name.iter().all(|byte| byte.is_ascii_alphanumeric()) => true,
        _ => {
            memchr::memmem::find(value, MARK.as_bytes()).is_some()
                || REFERENCES.split(' ').any(|start| value.starts_with(start.as_bytes()))
                || value.iter().all(|byte| b"*.xX-_?#".contains(byte))
        }
    }
}

/// Starts of values that refer to the location of a secret.
const REFERENCES: &str = "\
    arn: op:// vault: ref+ env: file: secret:// projects/ process.env os.environ os.getenv import.meta \
    System.getenv env. secrets. var. local. data. module. self. this. config. params. args. settings. ENV[";

pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let Some(value) = value.get(..value.len().min(64)) else { return false };
    let lower = value.to_ascii_lowercase();
    let has = |word: &str| memchr::memmem::find(&lower, word.as_bytes()).is_some();
    is_one_of(PLACEHOLDERS, &lower) || PLACEHOLDER_PARTS.split(' ').any(has)
}

const PLACEHOLDERS: &str = "\
    password passwort secret token string required optional undefined disabled enabled default postgres \
    unchanged sensitive redacted username";

const PLACEHOLDER_PARTS: &str = "\
    your- your_ yourpass yourtok yoursec yourkey yourapi changeme change-me change_me placeholder replace- \
    replace_ replaceme insert- insert_ dummy xxxx -here _here <redacted fixme todo";

/// Returns whether a value without quotes looks like code.
fn is_code(value: &[u8], look: &Look, context: ValueContext) -> bool {
    let has = |text: &[u8]| memchr::memmem::find(value, text).is_some();
    if context == ValueContext::Field {
        return has(b"$(");
    }
    if context == ValueContext::Variable {
        return has(b"$(") || matches!(value, [b'/' | b'.' | b'~', ..] if look.is_wordy(45));
    }
    let starts_like_code = match value.first() {
        Some(b'/' | b'.' | b'~') => look.is_wordy(45) || look.len < 16,
        Some(first) => {
            b"$<{[(%*-&!|>@\\^".contains(first)
                && context != ValueContext::Option
                && !look.is_random()
        }
        None => true,
    };
    starts_like_code
        || has(b"::")
        || has(b"->")
        || value.iter().any(|byte| b"([{<\\".contains(byte))
        || value.ends_with(b":")
        || look.separators > 0 && value.contains(&b'.') && look.is_wordy(60) && look.symbols == 0
}

/// Returns whether the value is several words that are neither a sentence nor a label.
fn is_passphrase(value: &[u8], separator: u8, kind: NameKind) -> bool {
    let Some(value) = value.get(..value.len().min(256)) else { return false };
    let mut count = 0;
    for word in value.split(|byte| *byte == separator) {
        let lower = word.to_ascii_lowercase();
        let is_word = word.len() >= 2 || word.iter().all(u8::is_ascii_digit);
        let is_plain =
            word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%^&*'".contains(byte));
        if word.is_empty() || !is_word || !is_plain || is_one_of(NO_PASSPHRASE, &lower) {
            return false;
        }
        count += 1;
    }
    let min = if kind == NameKind::Password && separator == b' ' { 3 } else { 4 };
    !matches!(kind, NameKind::Key | NameKind::OtherKey) && count >= min
}

/// Words of sentences and labels, which are rare in a passphrase.
const NO_PASSPHRASE: &str = "\
    a about again all an and any api are as at bad be been box button by can cannot change characters check \
    choose config confirm confirmation contain contains create current default did do does doesn't don't email \
    empty enter error expired failed field for forgot form from generate get has have hidden hide if in \
    incorrect input invalid is it its key label least length login long match may minimum missing must name \
    needs new no not of off old on only optional or our out page passphrase password passwords placeholder \
    please provide provided repeat required reset retype same save secret see set short should show sign so \
    strength string text that the their then there this to token too try type update use used user username \
    valid value verify was weak were when which will with without wrong you your";

/// Returns whether a word is in a space-separated list.
pub(super) fn is_one_of(words: &str, word: &[u8]) -> bool {
    words.split(' ').any(|one| one.as_bytes() == word)
}

/// Returns whether two letters are a frequent pair in words and names.
fn is_common(before: u8, byte: u8) -> bool {
    let index = |byte: u8| byte.to_ascii_lowercase().checked_sub(b'a').map(usize::from);
    let row = index(before).and_then(|index| COMMON.get(index)).copied().unwrap_or_default();
    // Inside of a word, a capital letter only follows another capital letter.
    let is_case_kept = byte.is_ascii_lowercase() || before.is_ascii_uppercase();
    is_case_kept && row.as_bytes().contains(&byte.to_ascii_lowercase())
}

/// For each letter, the letters that often follow it in English and in identifiers.
const COMMON: [&str; 26] = [
    "bcdgilmnprstuvy",
    "aeiloruy",
    "aehiklortu",
    "adeiorsu",
    "acdefgilmnprstvwxy",
    "aefiloru",
    "aeghilnoru",
    "aeiortuy",
    "abcdefgklmnoprstvz",
    "aeosu",
    "aeinsy",
    "adefilostuy",
    "abeimopsuy",
    "acdefginostuvy",
    "bcdfgklmnoprstuvw",
    "aehiloprstuy",
    "u",
    "acdegiklmnoprstuy",
    "aceghiklmopstuwy",
    "aehilorstuwy",
    "bcdegilmnprst",
    "aeior",
    "aehinors",
    "aceipt",
    "ceimnopst",
    "aeioz",
];

/// Returns whether the value is base64 of a text with a colon, such as `user:password`.
pub(super) fn is_basic(value: &[u8]) -> bool {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    let value = value.get(..value.len().min(512)).unwrap_or_default();
    let (mut bits, mut count, mut has_colon, mut len) = (0_u32, 0, false, 0);
    for byte in value.iter().take_while(|byte| **byte != b'=') {
        let Some(six) = digit(*byte) else { return false };
        (bits, count) = ((bits << 6 | u32::from(six)) & 0x3fff, count + 6);
        if count >= 8 {
            count -= 8;
            let decoded = (bits >> count & 0xff) as u8;
            if !(0x20..0x7f).contains(&decoded) {
                return false;
            }
            has_colon |= decoded == b':';
            len += 1;
        }
    }
    has_colon && len >= 5
}

/// Returns whether the bytes are a UUID.
pub(super) fn is_uuid(bytes: &[u8]) -> bool {
    let is_dash = |at| matches!(at, 8 | 13 | 18 | 23);
    let fits = |(at, byte): (usize, &u8)| match is_dash(at) {
        true => *byte == b'-',
        false => byte.is_ascii_hexdigit(),
    };
    bytes.len() == 36 && bytes.iter().enumerate().all(fits)
}
