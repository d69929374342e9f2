//! What a value looks like: randomly generated, or like words.

/// Character statistics of a value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub(super) len: usize,
    pub(super) letters: usize,
    pub(super) digits: usize,
    /// Characters that names and paths do not have.
    pub(super) symbols: usize,
    /// Characters between the words of a name.
    pub(super) separators: usize,
    /// The number of capital letters that follow a lower-case letter.
    pub(super) humps: usize,
    /// The number of changes between lower case, upper case and digits.
    changes: usize,
    /// The number of groups of digits.
    pub(super) digit_groups: usize,
    /// The number of groups of digits with letters on both sides.
    pub(super) inner_digits: usize,
    /// The number of different characters.
    pub(super) distinct: u32,
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
                        look.digit_groups += 1;
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
    pub(super) fn is_wordy(&self, percent: usize) -> bool {
        self.common * 100 >= self.pairs * percent
    }

    /// Returns whether the value looks randomly generated.
    pub(super) fn is_random(&self) -> bool {
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
    pub(super) fn is_name(&self) -> bool {
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
