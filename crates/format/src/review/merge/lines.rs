//! The three-way merge of lists.

use std::ops::Range;

/// A run of the merged list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Items of ours.
    Ours(Range<usize>),
    /// Items of theirs.
    Theirs(Range<usize>),
    /// Both sides changed the same items, each in its own way.
    Conflict { ours: Range<usize>, theirs: Range<usize> },
}

/// Merges two lists; without a base, their common items are the base.
///
/// An item that both sides keep is taken from ours.
pub(super) fn merge<T: PartialEq + Copy>(
    base: Option<&[T]>,
    ours: &[T],
    theirs: &[T],
) -> Vec<Piece> {
    let shared: Vec<T>;
    let base = if let Some(base) = base {
        base
    } else {
        let both = common(ours, theirs);
        shared = both.iter().filter_map(|(at, _)| ours.get(*at).copied()).collect();
        &shared
    };
    let (in_ours, in_theirs) = (places(base, ours), places(base, theirs));
    let kept = in_ours.into_iter().zip(in_theirs).enumerate();
    let kept = kept.filter_map(|(at, (ours, theirs))| Some((at, ours?, theirs?)));
    let mut pieces = Vec::new();
    let mut from = (0, 0, 0);
    for to in kept.chain([(base.len(), ours.len(), theirs.len())]) {
        let old = base.get(from.0..to.0).unwrap_or_default();
        settle(&mut pieces, old, (ours, from.1..to.1), (theirs, from.2..to.2));
        if to.1 < ours.len() && to.2 < theirs.len() {
            pieces.push(Piece::Ours(to.1..to.1 + 1));
        }
        from = (to.0 + 1, to.1 + 1, to.2 + 1);
    }
    pieces
}

/// Merges the items between two items that all three lists have.
fn settle<T: PartialEq>(
    pieces: &mut Vec<Piece>,
    old: &[T],
    (ours, mine): (&[T], Range<usize>),
    (theirs, other): (&[T], Range<usize>),
) {
    let a = ours.get(mine.clone()).unwrap_or_default();
    let b = theirs.get(other.clone()).unwrap_or_default();
    if a == b || b == old {
        pieces.push(Piece::Ours(mine));
    } else if a == old {
        pieces.push(Piece::Theirs(other));
    } else {
        let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
        let rest = a.iter().skip(head).rev().zip(b.iter().skip(head).rev());
        let tail = rest.take_while(|(a, b)| a == b).count();
        pieces.push(Piece::Ours(mine.start..mine.start + head));
        pieces.push(Piece::Conflict {
            ours: mine.start + head..mine.end - tail,
            theirs: other.start + head..other.end - tail,
        });
        pieces.push(Piece::Ours(mine.end - tail..mine.end));
    }
}

/// Returns the position of each item of `old` in `new`.
fn places<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let mut found = vec![None; old.len()];
    for (at, place) in common(old, new) {
        if let Some(slot) = found.get_mut(at) {
            *slot = Some(place);
        }
    }
    found
}

/// Returns the index pairs of a longest common subsequence.
///
/// If its table would have more than `MAX_CELLS` cells, only the common start and end are used.
fn common<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    const MAX_CELLS: usize = 1 << 20;
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.iter().skip(head).rev().zip(new.iter().skip(head).rev());
    let tail = rest.take_while(|(a, b)| a == b).count();
    let a = old.get(head..old.len() - tail).unwrap_or_default();
    let b = new.get(head..new.len() - tail).unwrap_or_default();
    let mut pairs: Vec<_> = (0..head).map(|at| (at, at)).collect();
    if a.len().saturating_mul(b.len()) <= MAX_CELLS {
        pairs.extend(longest(a, b).into_iter().map(|(at, place)| (head + at, head + place)));
    }
    pairs.extend((0..tail).rev().map(|back| (old.len() - 1 - back, new.len() - 1 - back)));
    pairs
}

/// Computes the table of the lengths from each pair of indices to the ends, and follows it.
fn longest<T: PartialEq>(old: &[T], new: &[T]) -> Vec<(usize, usize)> {
    let mut rows: Vec<Vec<u32>> = vec![vec![0; new.len() + 1]];
    for item in old.iter().rev() {
        let below = rows.last().map(Vec::as_slice).unwrap_or_default();
        let mut row = vec![0];
        for ((other, pair), right) in new.iter().zip(below.windows(2)).rev().zip(0..) {
            let [down, diagonal] = [pair.first(), pair.last()].map(|one| one.copied().unwrap_or(0));
            let beside: u32 = row.get(right).copied().unwrap_or(0);
            row.push(if item == other { diagonal.wrapping_add(1) } else { down.max(beside) });
        }
        row.reverse();
        rows.push(row);
    }
    let left = |at: usize, place: usize| {
        let row = rows.get(old.len().saturating_sub(at));
        row.and_then(|row| row.get(place)).copied().unwrap_or(0)
    };
    let mut pairs = Vec::new();
    let (mut at, mut place) = (0, 0);
    while let (Some(a), Some(b)) = (old.get(at), new.get(place)) {
        if a == b {
            pairs.push((at, place));
            (at, place) = (at + 1, place + 1);
        } else if left(at + 1, place) >= left(at, place + 1) {
            at += 1;
        } else {
            place += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Merges lists of letters; a conflict shows as `<ours|theirs>`.
    #[track_caller]
    fn check(base: Option<&str>, ours: &str, theirs: &str, expected: &str) {
        let letters = |text: &str| text.chars().collect::<Vec<char>>();
        let (mine, other) = (letters(ours), letters(theirs));
        let merged: String = merge(base.map(letters).as_deref(), &mine, &other)
            .into_iter()
            .map(|piece| match piece {
                Piece::Ours(range) => mine[range].iter().collect(),
                Piece::Theirs(range) => other[range].iter().collect(),
                Piece::Conflict { ours, theirs } => {
                    let text = |list: &[char]| list.iter().collect::<String>();
                    format!("<{}|{}>", text(&mine[ours]), text(&other[theirs]))
                }
            })
            .collect();
        assert_eq!(merged, expected);
    }

    #[test]
    fn takes_the_changes_of_one_side() {
        check(Some("abc"), "abc", "abc", "abc");
        check(Some("abc"), "axc", "abc", "axc");
        check(Some("abc"), "abc", "ac", "ac");
        check(Some("abcde"), "xbcde", "abcdy", "xbcdy");
        check(Some("abc"), "abcx", "yabc", "yabcx");
        check(Some(""), "", "x", "x");
        check(Some("abc"), "", "abc", "");
    }

    #[test]
    fn marks_conflicting_changes() {
        check(Some("abc"), "axc", "ayc", "a<x|y>c");
        check(Some("abc"), "axc", "axc", "axc");
        check(Some("ab"), "aXb", "aYb", "a<X|Y>b");
        check(Some("ab"), "apqrb", "apsrb", "ap<q|s>rb");
        check(Some("ab"), "a", "axb", "a<|xb>");
        check(Some("abc"), "ac", "axc", "a<|x>c");
    }

    #[test]
    fn without_a_base_additions_are_merged() {
        check(None, "abc", "abc", "abc");
        check(None, "abxc", "abc", "abxc");
        check(None, "abc", "aybc", "aybc");
        check(None, "axc", "ayc", "a<x|y>c");
        check(None, "", "abc", "abc");
    }

    #[test]
    fn large_differences_keep_only_the_common_ends() {
        let many = |offset: usize| {
            let inside = (0..2000).map(move |n| 2 * n + offset);
            [0, 1].into_iter().chain(inside).chain([8, 9]).collect::<Vec<usize>>()
        };
        let found = common(&many(10), &many(11));
        assert_eq!(found, [(0, 0), (1, 1), (2002, 2002), (2003, 2003)]);
    }
}
