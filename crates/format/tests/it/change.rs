//! What an edit changed, byte for byte.

/// A run of bytes that was replaced by another; one of the two may be empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) removed: Vec<u8>,
    pub(crate) added: Vec<u8>,
}

/// Returns the changes from one text to the other, with as few changed words as possible.
///
/// Every byte outside of them is the same in both, in the same order.
pub(crate) fn changes(before: &[u8], after: &[u8]) -> Vec<Change> {
    let (old, new) = (words(before), words(after));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut found: Vec<[usize; 4]> = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    for (at_old, at_new) in common(old, new).into_iter().chain([(old.len(), new.len())]) {
        if at_old > from_old || at_new > from_new {
            // White space between two changes is part of one.
            match found.last_mut() {
                Some([_, end, _, new_end]) if is_blank(&old[*end..from_old]) => {
                    (*end, *new_end) = (at_old, at_new);
                }
                _ => found.push([from_old, at_old, from_new, at_new]),
            }
        }
        (from_old, from_new) = (at_old + 1, at_new + 1);
    }
    found
        .into_iter()
        .map(|[a, b, c, d]| trimmed(&old[a..b].concat(), &new[c..d].concat()))
        .collect()
}

fn is_blank(words: &[&[u8]]) -> bool {
    words.iter().all(|word| word.trim_ascii().is_empty())
}

fn words(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| b"\n ,:{}[]<>".contains(byte)).collect()
}

/// Returns the positions of a longest common subsequence.
fn common(old: &[&[u8]], new: &[&[u8]]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut best = vec![0_u32; (old.len() + 1) * width];
    for at in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            best[at * width + other] = if old[at] == new[other] {
                best[(at + 1) * width + other + 1] + 1
            } else {
                best[(at + 1) * width + other].max(best[at * width + other + 1])
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut at, mut other) = (0, 0);
    while at < old.len() && other < new.len() {
        if old[at] == new[other] {
            pairs.push((at, other));
            (at, other) = (at + 1, other + 1);
        } else if best[(at + 1) * width + other] >= best[at * width + other + 1] {
            at += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

/// Removes the common start and the common end of both sides.
fn trimmed(removed: &[u8], added: &[u8]) -> Change {
    let head = removed.iter().zip(added).take_while(|(a, b)| a == b).count();
    let (removed, added) = (&removed[head..], &added[head..]);
    let tail = removed.iter().rev().zip(added.iter().rev()).take_while(|(a, b)| a == b).count();
    Change {
        removed: removed[..removed.len() - tail].to_vec(),
        added: added[..added.len() - tail].to_vec(),
    }
}

#[test]
fn changes_are_the_smallest_runs() {
    let check = |before: &str, after: &str, expected: &[(&str, &str)]| {
        let found = changes(before.as_bytes(), after.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let found: Vec<_> =
            found.iter().map(|one| (text(&one.removed), text(&one.added))).collect();
        let found: Vec<_> =
            found.iter().map(|(removed, added)| (removed.as_str(), added.as_str())).collect();
        assert_eq!(found, expected);
    };
    check("a b c", "a b c", &[]);
    check("{\"a\": 1, \"b\": 2}", "{\"a\": 3, \"b\": 2}", &[("1", "3")]);
    check("a b c d", "x b c y", &[("a", "x"), ("d", "y")]);
    check("a\n", "a\nb\n", &[("", "b\n")]);
}
