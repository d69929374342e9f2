//! Texts that are generated from templates.
//!
//! `{h40}` stands for 40 random characters of a kind, and `[[…]]` encloses what is secret.

/// Fixed random numbers.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(place: [usize; 3]) -> Self {
        let seed = place.iter().fold(17_u64, |seed, part| {
            seed.wrapping_mul(0x0100_0000_01b3) ^ u64::try_from(*part).unwrap()
        });
        let mut random = Self(seed);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
    }

    fn pick(&mut self, chars: &str, len: usize) -> String {
        let chars: Vec<char> = chars.chars().collect();
        (0..len).map(|_| chars[self.below(chars.len())]).collect()
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const DIGITS: &str = "0123456789";
const WORDS: &[&str] = &[
    "anchor", "basket", "candle", "dragon", "ember", "falcon", "garden", "harbor", "island",
    "jungle", "kettle", "lantern", "marble", "needle", "orchid", "pepper", "quartz", "river",
    "saddle", "timber", "umbrella", "velvet", "walnut", "yellow", "zephyr", "copper", "staple",
    "battery", "horse",
];

/// A text and its secrets.
pub(super) struct Made {
    pub(super) text: String,
    pub(super) secrets: Vec<String>,
}

/// Generates a text from a template.
pub(super) fn make(template: &str, random: &mut Random) -> Made {
    let mut made = Made { text: String::new(), secrets: Vec::new() };
    let mut rest = template;
    let mut secret_from = None;
    while let Some(at) = rest.find(['{', '[', ']']) {
        made.text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(behind) = rest.strip_prefix("[[") {
            secret_from = Some(made.text.len());
            rest = behind;
        } else if let (Some(behind), Some(from)) = (rest.strip_prefix("]]"), secret_from) {
            made.secrets.push(made.text[from..].to_owned());
            secret_from = None;
            rest = behind;
        } else if let Some((value, behind)) = value(rest, random) {
            made.text.push_str(&value);
            rest = behind;
        } else {
            made.text.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    made.text.push_str(rest);
    made
}

/// Generates the value of the placeholder, such as `{h40}`, at the start of a template.
fn value<'a>(template: &'a str, random: &mut Random) -> Option<(String, &'a str)> {
    let (inner, behind) = template.strip_prefix('{')?.split_once('}')?;
    let kind = inner.chars().next()?;
    let len = match &inner[kind.len_utf8()..] {
        "" => 0,
        number => number.parse().ok()?,
    };
    let upper = LOWER.to_uppercase();
    let value = match kind {
        'h' => random.pick("0123456789abcdef", len),
        'H' => random.pick("0123456789ABCDEF", len),
        'd' => random.pick("123456789", 1) + &random.pick(DIGITS, len - 1),
        'a' => random.pick(&format!("{LOWER}{DIGITS}"), len),
        'U' => random.pick(&format!("{upper}{DIGITS}"), len),
        'A' => random.pick(&format!("{LOWER}{upper}{DIGITS}"), len),
        'w' => random.pick(&format!("{LOWER}{upper}{DIGITS}_-"), len),
        'b' => random.pick(&format!("{LOWER}{upper}{DIGITS}+/"), len),
        'u' if len == 0 => {
            [8, 4, 4, 4, 12].map(|len| random.pick("0123456789abcdef", len)).join("-")
        }
        // A password of a password manager.
        'P' => {
            let chars = format!("{LOWER}{upper}{DIGITS}!@#$%^*-_?");
            random.pick(&upper, 1)
                + &random.pick(&chars, len - 3)
                + &random.pick(DIGITS, 1)
                + &random.pick(LOWER, 1)
        }
        // A password that a person chose.
        'p' if len == 0 => {
            capitalised(random.word()) + &random.pick(DIGITS, 3) + &random.pick("!?*", 1)
        }
        // A user and a password in base64.
        'B' if len == 0 => {
            base64(&format!("admin:{}", random.pick(&format!("{LOWER}{DIGITS}"), 12)))
        }
        // The id of a user of Discord in base64.
        'D' => base64(&(random.pick("123456789", 1) + &random.pick(DIGITS, len - 1))),
        // Two words without a digit.
        'l' if len == 0 => random.word().to_owned() + random.word(),
        'C' if len == 0 => capitalised(random.word()) + &capitalised(random.word()),
        's' if len == 0 => [(); 4].map(|()| random.word()).join(" "),
        _ => return None,
    };
    Some((value, behind))
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

fn base64(text: &str) -> String {
    let chars: Vec<char> =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".chars().collect();
    // The lengths of the texts are multiples of three, so no padding is needed.
    let three = |bytes: &[u8]| {
        let bits = bytes.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| chars[bits >> shift & 63])
    };
    text.as_bytes().chunks(3).flat_map(three).collect()
}
