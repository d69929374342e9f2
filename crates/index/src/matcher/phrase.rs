//! How far a text has come with a phrase.

/// How many words of a phrase, and which, are behind each other at the last place that was of interest.
#[derive(Clone, Debug)]
pub(super) struct Phrase {
    words: usize,
    /// Which beginnings of the phrase end at `position`, a bit for each.
    here: Vec<u64>,
    /// Which end one before it.
    before: Vec<u64>,
    position: Option<u32>,
}

impl Phrase {
    pub(super) fn new(words: usize) -> Self {
        let blocks = if words > 1 { words.div_ceil(64) } else { 0 };
        Self { words, here: vec![0; blocks], before: vec![0; blocks], position: None }
    }

    /// Forgets what was seen: another value begins.
    pub(super) fn restart(&mut self) {
        self.position = None;
    }

    /// Takes a word for the one at these places of the phrase, and returns whether that makes it complete.
    #[inline]
    pub(super) fn meets(&mut self, places: &[u64], position: u32) -> bool {
        self.words == 1 || self.goes_on(places, position)
    }

    fn goes_on(&mut self, places: &[u64], position: u32) -> bool {
        if self.position != Some(position) {
            let follows = self.position.is_some_and(|last| last.checked_add(1) == Some(position));
            std::mem::swap(&mut self.here, &mut self.before);
            self.here.fill(0);
            if !follows {
                self.before.fill(0);
            }
            self.position = Some(position);
        }
        // The first word may be anywhere; any other is one place behind the one before it.
        let mut carry = 1;
        let mut last = 0;
        for ((here, before), places) in self.here.iter_mut().zip(&self.before).zip(places) {
            last = (before << 1 | carry) & places;
            *here |= last;
            carry = before >> 63;
        }
        last >> ((self.words - 1) % 64) & 1 == 1
    }
}
