//! Sentences of few different words: what they weigh on the wire is nearer to real text than syllables by chance.

use std::sync::LazyLock;

use super::super::random::Random;

static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "the a this that when where should could must not return error value caller buffer index \
    thread lock state request handler retry cache stale path file branch commit test fails \
    passes rename extract method before after loop early null empty string parser token offset \
    Unicode naive case because otherwise window"
        .split(' ')
        .collect()
});

/// Returns one paragraph of so many words, some with a dash, which is not ASCII.
pub(super) fn sentence(random: &mut Random, words: u64) -> String {
    let words: Vec<&str> = (0..words).map(|_| random.pick(&WORDS)).collect();
    let dash = if random.chance(30) { " \u{2014} see above" } else { "" };
    format!("{}{dash}.", words.join(" "))
}
