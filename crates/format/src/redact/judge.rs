//! Decides whether a value looks like a secret.

use super::MARK;
use super::look::Look;

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
    /// Alone on a line after a name and `=`, or after `:` and a name in upper case.
    Setting,
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
    /// A token of a service whose tokens have no prefix.
    Service,
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
    if kind == NameKind::Service {
        return context != ValueContext::Prose && look.len >= 20 && (is_uuid || look.is_random());
    }
    if look.is_random() || is_uuid {
        return true;
    }
    if is_quoted && is_validation_rule(value) || is_instruction(value) {
        return false;
    }
    if value.contains(&b' ') {
        let may_be = is_quoted || context == ValueContext::Variable;
        return may_be && is_passphrase(value, b' ', kind);
    }
    is_named_secret(value, &look, kind, context)
}

/// Returns whether a single word that is not random is a secret, as far as its name and context say.
fn is_named_secret(value: &[u8], look: &Look, kind: NameKind, context: ValueContext) -> bool {
    let is_mixed = look.letters > 0 && look.digits > 0;
    let min = if kind == NameKind::Password { 6 } else { 8 };
    if look.len < min || look.letters == 0 {
        return false;
    }
    match (context, kind) {
        (ValueContext::Variable | ValueContext::Field, _) => {
            look.len >= 8 || is_mixed || look.symbols > 0
        }
        // In a file of settings, a name may refer to another setting.
        (ValueContext::Setting, _) => {
            let is_word = look.len >= 8 && !has_word_of_code(value);
            is_word || is_loose_password(value, look)
        }
        (ValueContext::Option, NameKind::Password) => {
            is_mixed || look.symbols > 0 || is_capitalised_words(value, look)
        }
        (ValueContext::Option, _) => is_mixed,
        (ValueContext::Quoted, NameKind::Password) => {
            is_mixed
                || has_password_symbol(value)
                || is_chosen_words(value, look)
                || is_capitalised_words(value, look)
        }
        (ValueContext::Quoted | ValueContext::Tight, NameKind::Key) => {
            is_mixed && !(look.is_name() && look.separators + look.humps > 0)
        }
        (
            ValueContext::Quoted | ValueContext::Tight,
            NameKind::Token | NameKind::OtherKey | NameKind::Service,
        ) => is_mixed && !look.is_name(),
        (ValueContext::Tight | ValueContext::Loose, NameKind::Password) => {
            is_loose_password(value, look)
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

/// Returns whether the value after `password:` is a password, and not the name of a variable or a type.
fn is_loose_password(value: &[u8], look: &Look) -> bool {
    let is_mixed = look.letters > 0 && look.digits > 0;
    if !is_mixed {
        return look.letters > 0 && has_password_symbol(value);
    }
    let is_compound = look.is_name() && look.separators + look.humps > 0;
    // A name has a single number at its end, which is short.
    let last_number = value.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let has_numbers = look.digit_groups >= 2 || last_number >= 2 && !has_word_of_code(value);
    !is_compound || has_numbers && look.separators == 0 || has_numeric_part(value)
}

/// Returns whether a part between dots is a number of several digits, which no field has as its name.
fn has_numeric_part(value: &[u8]) -> bool {
    let is_number = |part: &[u8]| part.len() >= 2 && part.iter().all(u8::is_ascii_digit);
    value.contains(&b'.') && value.split(|byte| *byte == b'.').any(is_number)
}

/// Returns whether a password without digits looks like words that a person chose.
fn is_chosen_words(value: &[u8], look: &Look) -> bool {
    let is_lower = value.iter().all(u8::is_ascii_lowercase);
    let is_long_word = is_lower && (look.len >= 16 || look.len >= 10 && !has_word_of_code(value));
    is_long_word || is_passphrase(value, b'-', NameKind::Password)
}

/// Returns whether a password consists of words that begin with capital letters and are not those of a type or a label.
fn is_capitalised_words(value: &[u8], look: &Look) -> bool {
    look.len >= 8
        && look.letters == look.len
        && look.humps > 0
        && value.first().is_some_and(u8::is_ascii_uppercase)
        && !has_word_of_code(value)
}

/// Returns whether a value has a word that names of variables, types and fields have, and texts about passwords.
fn has_word_of_code(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    CODE_WORDS.split(' ').any(|word| memchr::memmem::find(&lower, word.as_bytes()).is_some())
}

const CODE_WORDS: &str = "\
    admin alphanum author authen char client code component config confirm contain credential crypt data default \
    disabled enable environ error factory field file form function generat handler hash helper incorrect input \
    invalid kennwort key label login manage match mismatch missing model name null object optional option page param \
    pass placeholder prompt protect provide pwd ref request require reset secret service setting spec state str text \
    token type undef unknown user util valid value var verif widget word wort";

/// Returns whether a value is a list of rules for a form, such as `required|min:8`.
fn is_validation_rule(value: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
    let is_rule = |rule: &[u8]| {
        rule.split(|byte| *byte == b':').next().unwrap_or_default().iter().all(is_name)
    };
    let mut rules = value.split(|byte| *byte == b'|');
    value.contains(&b'|') && rules.all(|rule| rule.len() >= 2 && is_rule(rule))
}

/// Returns whether a value says what to put in its place, such as `generate-with-openssl`.
fn is_instruction(value: &[u8]) -> bool {
    let Some(value) = value.get(..value.len().min(64)) else { return false };
    let is_plain = value.iter().all(|byte| byte.is_ascii_alphabetic() || b"-_".contains(byte));
    let words = value.split(|byte| b"-_".contains(byte));
    let is_of_sentence = |word: &&[u8]| is_one_of(NO_PASSPHRASE, &word.to_ascii_lowercase());
    is_plain && words.filter(is_of_sentence).count() >= 2
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
    if matches!(context, ValueContext::Variable | ValueContext::Setting) {
        return has(b"$(") || matches!(value, [b'/' | b'.' | b'~', ..] if look.is_wordy(45));
    }
    let starts_like_code = match value.first() {
        Some(b'/' | b'.' | b'~') => look.is_wordy(45) || look.len < 16,
        Some(first) => {
            b"$<{[(%*-&!|>@\\^".contains(first)
                && context != ValueContext::Option
                && !look.is_random()
                && !is_dollar_password(value)
        }
        None => true,
    };
    starts_like_code
        || has(b"::")
        || has(b"->")
        || value.iter().any(|byte| b"([{<\\".contains(byte))
        || value.ends_with(b":")
        || look.separators > 0
            && value.contains(&b'.')
            && look.is_wordy(60)
            && look.symbols == 0
            && !has_numeric_part(value)
}

/// Returns whether a value that begins with `$` is no variable: it has another one, or a number that names do not have.
fn is_dollar_password(value: &[u8]) -> bool {
    let Some(rest) = value.strip_prefix(b"$") else { return false };
    let number = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let is_plain =
        rest.iter().all(|byte| byte.is_ascii_alphanumeric() || b"$!@#%^&*?".contains(byte));
    is_plain
        && rest.first().is_some_and(u8::is_ascii_alphanumeric)
        && (has_password_symbol(rest) || number >= 2 && !has_word_of_code(rest))
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
