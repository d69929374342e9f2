//! Properties that hold for any text.

use proptest::prelude::*;
use skein_anchor::{CandidateFile, OldCode, State, apply_patch, elsewhere, place, words};

/// Generates lines of which many are equal or have no distinctive text.
fn lines() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        Just(String::new()),
        Just("}".to_owned()),
        Just("    return None;".to_owned()),
        "[a-d]{1,3}\\(\\);",
        "  let [a-f]{4,9} = [a-f]{4,9}\\([a-z]{2,5}\\);",
    ];
    prop::collection::vec(line, 1..40)
}

fn text(lines: &[String]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.bytes().chain([b'\n'])).collect()
}

fn number(line: usize) -> u32 {
    u32::try_from(line).unwrap()
}

/// Returns a line without its marked ranges and without whitespace.
fn unmarked(line: &str, marks: &[std::ops::Range<usize>]) -> String {
    let mut rest = String::new();
    let mut from = 0;
    for mark in marks {
        assert!(mark.start < mark.end && (from == 0 || from < mark.start), "{marks:?}");
        rest.push_str(line.get(from..mark.start).unwrap());
        from = mark.end;
    }
    rest.push_str(line.get(from..).unwrap());
    rest.retain(|character| !character.is_whitespace());
    rest
}

proptest! {
    #[test]
    fn words_that_are_not_marked_are_in_both_lines(
        old in "[ab ä(),.]{0,30}",
        new in "[ab ä(),.]{0,30}",
    ) {
        let (before, after) = words(&old, &new);
        if !before.is_empty() || !after.is_empty() {
            prop_assert_eq!(unmarked(&old, &before), unmarked(&new, &after));
        }
    }

    #[test]
    fn the_same_text_is_exact(lines in lines(), a in 0_usize..40, b in 0_usize..40) {
        let (start, end) = (a.min(b) % lines.len(), a.max(b) % lines.len());
        prop_assume!(start <= end);
        let text = text(&lines);
        let old = OldCode::Whole { text: &text, start: number(start), end: number(end) };
        let found = place(&old, &text);
        prop_assert_eq!(found.state, State::Exact);
        prop_assert_eq!(found.lines, Some((number(start), number(end))));
    }

    #[test]
    fn unrelated_lines_above_shift_a_line(lines in lines(), count in 1_usize..9, at in 0_usize..40) {
        let above: Vec<String> = (0..count).map(|n| format!("// unrelated remark {n}")).collect();
        let new = text(&[above, lines.clone()].concat());
        let line = at % lines.len();
        let old_text = text(&lines);
        let old = OldCode::Whole { text: &old_text, start: number(line), end: number(line) };
        let found = place(&old, &new);
        prop_assert_eq!(found.state, State::Shifted);
        prop_assert_eq!(found.lines, Some((number(line + count), number(line + count))));
    }

    #[test]
    fn a_placement_lies_in_the_text(old in lines(), new in lines(), a in 0_usize..40, b in 0_usize..40) {
        let (start, end) = (a.min(b) % old.len(), a.max(b) % old.len());
        let (old_text, new_text) = (text(&old), text(&new));
        let whole = OldCode::Whole { text: &old_text, start: number(start), end: number(end) };
        let end = end.max(start);
        let selection = old[start..=end].join("\n");
        let (before, after) = (&old[..start], &old[end + 1..]);
        let excerpt = OldCode::Excerpt { before, selection: &selection, after, start: number(start) };
        let others = [CandidateFile { old: None, new: &new_text }];
        for old in [whole, excerpt] {
            let there = elsewhere(&old, &others).map(|(_, found)| found);
            for found in [Some(place(&old, &new_text)), there].into_iter().flatten() {
                prop_assert!((0.0..=1.0).contains(&found.confidence));
                let is_placed = !matches!(found.state, State::Gone | State::Unverified);
                prop_assert_eq!(is_placed, found.lines.is_some());
                if let Some((first, last)) = found.lines {
                    prop_assert!(first <= last && last < number(new.len()));
                }
            }
        }
    }

    #[test]
    fn any_bytes_can_be_placed_and_patched(
        old in prop::collection::vec(any::<u8>(), 0..200),
        new in prop::collection::vec(any::<u8>(), 0..200),
        start in 0_u32..8,
        more in 0_u32..4,
    ) {
        let whole = OldCode::Whole { text: &old, start, end: start + more };
        let found = place(&whole, &new);
        let lines = new.split(|byte| *byte == b'\n').count();
        prop_assert!(found.lines.is_none_or(|(_, last)| last < number(lines)));
        let patch = String::from_utf8_lossy(&new);
        let applied = apply_patch(&old, &format!("@@ -1,2 +1,3 @@\n{patch}"));
        prop_assert!(applied.is_none_or(|text| text.len() <= 2 * (old.len() + new.len()) + 4));
    }
}
