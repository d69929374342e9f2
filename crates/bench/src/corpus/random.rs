//! A stream of pseudo-random numbers that is the same in every run.

pub(crate) struct Random(u64);

impl Random {
    /// Starts the stream of one file of one corpus.
    pub(crate) fn seeded(corpus: u64, number: usize) -> Self {
        let number = u64::try_from(number).unwrap_or_default();
        let mut random = Self((corpus << 40 | number).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // The first numbers of neighbouring streams are similar.
        for _ in 0..4 {
            random.next();
        }
        random
    }

    /// Returns the next number (xorshift64*).
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + (self.next() >> 16) % (high - low + 1)
    }

    /// Returns an index of a list of `len` items.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        let last = u64::try_from(len.saturating_sub(1)).unwrap_or_default();
        usize::try_from(self.between(0, last)).unwrap_or_default()
    }

    /// Returns true with a probability in percent.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.between(0, 99) < percent
    }

    /// Returns one of several items.
    pub(crate) fn pick<T: Clone + Default>(&mut self, items: &[T]) -> T {
        items.get(self.index(items.len())).cloned().unwrap_or_default()
    }

    /// Returns a text of lower-case letters and digits.
    pub(crate) fn token(&mut self, length: usize) -> String {
        let letter = |_| {
            let digit = u32::try_from(self.between(0, 35)).unwrap_or_default();
            char::from_digit(digit, 36).unwrap_or_default()
        };
        (0..length).map(letter).collect()
    }

    /// Returns a text in the form of a UUID of version 4.
    pub(crate) fn uuid(&mut self) -> String {
        let (a, b) = (self.next(), self.next());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:x}{:03x}-{:012x}",
            a >> 32,
            a >> 16 & 0xffff,
            a & 0xfff,
            8 + (b >> 62),
            b >> 48 & 0xfff,
            b & 0xffff_ffff_ffff
        )
    }
}
