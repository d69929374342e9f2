//! How far apart two words are.

/// Counts the letters that must be added, taken out or changed to get from one word to the other.
pub(crate) fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (n, a) in one.chars().enumerate() {
        let mut corner = n;
        let mut left = n + 1;
        for (cell, b) in row.iter_mut().skip(1).zip(&other) {
            let changed = corner + usize::from(a != *b);
            corner = *cell;
            left = changed.min(corner + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = n + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
