//! Random words with the word frequencies of a natural language.

use std::sync::LazyLock;

use fastrand::Rng;

/// The most frequent words, the most frequent first.
static HEAD: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "the to a of and is in that it this for not be we with as are on if you when should value can \
    error test return from or by an but so was then here there have has does do would could must \
    will only no one two path code case call type key list read write state index thread lock \
    cache request response caller buffer handler retry branch commit which what where why how \
    all any each other new old first last next before after again still also just more less than \
    into out up down over under function method field struct module string number null empty \
    true false check fix add remove change keep use make need want see look think know seems \
    looks works fails passes because otherwise instead maybe really already never always often \
    data user session token parser offset window message event server client store query result \
    option default config setting version release build deploy docs comment review reply resolve \
    open close loop early fresh race deadlock timeout panic crash memory disk network socket \
    stream queue worker task job batch order sort filter merge split copy clone borrow owner \
    lifetime generic trait interface class object array slice map set hash naive Unicode byte \
    char width length limit bound range start end begin finish between inside outside around \
    without within against during while until since once twice both either neither"
        .split(' ')
        .collect()
});

const STARTS: &[&str] =
    &["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "st"];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u"];

/// The number of words is two to the power of this.
const OCTAVES: u64 = 18;
/// The first rank whose words have three syllables.
const LONG: u64 = 4_096;

/// Returns a random word. Every octave of ranks has the same probability, so the second word is half as frequent as the first, and the
/// thousandth a thousand times less frequent.
pub(super) fn word(random: &mut Rng) -> String {
    let octave = random.u64(..OCTAVES);
    ranked(random.u64(1 << octave..1 << (octave + 1)))
}

/// Returns the word of a rank, counted from 1. No two ranks have the same word.
fn ranked(rank: u64) -> String {
    let at = usize::try_from(rank - 1).unwrap_or(usize::MAX);
    if let Some(word) = HEAD.get(at) {
        return (*word).to_owned();
    }
    let count = u64::try_from(STARTS.len() * VOWELS.len()).unwrap_or_default();
    // The factors are coprime to the number of words, so successive words look different, and no word is repeated.
    let (syllables, mut rest) = match rank {
        ..LONG => (2, rank * 1_129 % (count * count)),
        _ => (3, rank * 104_729 % (count * count * count)),
    };
    let mut word = String::with_capacity(9);
    for _ in 0..syllables {
        let syllable = usize::try_from(rest % count).unwrap_or_default();
        rest /= count;
        word += STARTS.get(syllable / VOWELS.len()).copied().unwrap_or_default();
        word += VOWELS.get(syllable % VOWELS.len()).copied().unwrap_or_default();
    }
    word
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::prose::seeded;
    use super::*;

    #[test]
    fn every_rank_has_its_own_word() {
        let last = (1 << OCTAVES) - 1;
        let words: BTreeSet<String> = (1..=last).map(ranked).collect();
        assert_eq!(u64::try_from(words.len()).unwrap(), last);
    }

    #[test]
    fn words_are_as_frequent_as_in_a_language() {
        let mut random = seeded(9, 1);
        let all: Vec<String> = (0..200_000).map(|_| word(&mut random)).collect();
        let count = |wanted: &str| all.iter().filter(|word| *word == wanted).count();
        let [most, second, tenth] = ["the", "to", "this"].map(count);
        assert!((9_000..13_500).contains(&most), "{most}");
        assert!((4_000..7_000).contains(&second), "{second}");
        assert!((900..2_000).contains(&tenth), "{tenth}");
        let distinct: BTreeSet<&String> = all.iter().collect();
        assert!((20_000..60_000).contains(&distinct.len()), "{}", distinct.len());
    }
}
