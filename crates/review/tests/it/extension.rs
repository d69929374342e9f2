//! Where the VS Code extension places the threads that Skein writes, when it loads its store.

use serde_json::Value;
use skein_review::{AddOptions, CodeLocation, NewThread, add};
use skein_workspace::Actor;

use skein_fixtures::Fixture;

/// Returns the line, counted from 0, on which the extension shows a thread after it was loaded.
///
/// It scores the first 50 occurrences of the text: 10 points for every equal line of context, minus one point for
/// every line of distance from the hint, which is the start of the hunk header or else the stored line.
fn loaded_line(source: &str, target: &Value) -> u64 {
    let (range, anchor) = (&target["range"], &target["anchor"]);
    let stored = range["startLine"].as_u64().unwrap();
    let texts = |key: &str| -> Vec<String> {
        let list = anchor["context"][key].as_array().unwrap();
        list.iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    };
    let (before, after) = (texts("before"), texts("after"));
    let selection = anchor["context"]["selection"].as_str().unwrap();
    if selection.is_empty() {
        return stored;
    }
    let header = anchor["git"]["hunkHeader"].as_str();
    let start = header.map(|header| {
        let numbers = header.split(" +").nth(1).unwrap();
        numbers.split([',', ' ']).next().unwrap().parse::<i64>().unwrap() - 1
    });
    let hint = start.unwrap_or(stored.try_into().unwrap());
    let lines: Vec<&str> = source.split('\n').collect();
    let mut best: Option<(i64, u64)> = None;
    for (offset, _) in source.match_indices(selection).take(50) {
        let first = source.get(..offset).unwrap().matches('\n').count();
        let last = first + selection.matches('\n').count();
        let above = before.iter().rev().zip(1..).filter(|(text, away)| {
            first.checked_sub(*away).is_some_and(|line| lines[line] == text.as_str())
        });
        let below = after.iter().zip(1..);
        let below = below.filter(|(text, away)| lines.get(last + away) == Some(&text.as_str()));
        let equal = i64::try_from(above.count() + below.count()).unwrap();
        let score = 10 * equal - (i64::try_from(first).unwrap() - hint).abs();
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, first.try_into().unwrap()));
        }
    }
    best.map_or(stored, |(_, line)| line)
}

/// Comments on each of the lines, counted from 1, and returns how many comments the extension would move.
fn moved(it: &Fixture, path: &str, lines: &[u32]) -> usize {
    let workspace = it.open("w");
    let threads: Vec<NewThread> = lines
        .iter()
        .map(|line| NewThread {
            place: CodeLocation::parse(&workspace, &format!("{path}:{line}")).unwrap(),
            body: "?".to_owned(),
            suggestion: None,
            expect: None,
        })
        .collect();
    let options = AddOptions { draft: false, changed_only: false };
    let actor = Actor { name: "Mira".to_owned(), agent: false };
    let added = add(&workspace, &actor, &threads, options).unwrap();
    let source = it.read(&format!("w/{path}"));
    let is_moved = |file: &std::path::Path, line: u32| {
        let text = std::fs::read_to_string(file).unwrap();
        let metadata = text.split("<local-code-review-thread>").nth(1).unwrap();
        let metadata = metadata.split("</local-code-review-thread>").next().unwrap();
        let metadata: Value = serde_json::from_str(metadata).unwrap();
        loaded_line(&source, &metadata["target"]) != u64::from(line) - 1
    };
    added.threads.iter().zip(lines).filter(|(thread, line)| is_moved(&thread.file, **line)).count()
}

/// Returns blocks of a few kinds in irregular order.
fn blocks(count: usize) -> String {
    let kinds = [
        "fn check() {\n    let value = read()?;\n    assert_eq!(value, 1);\n}\n\n",
        "    case first:\n        step();\n        break;\n",
        "  \"item\": {\n    \"name\": \"a\",\n    \"size\": 1\n  },\n",
    ];
    (0..count).map(|number| kinds[number * number * 7 / 5 % 3]).collect()
}

#[test]
fn the_extension_does_not_move_comments_on_a_new_file() {
    let it = Fixture::new();
    it.file("w/other.rs", "fn main() {}\n");
    it.repository("w");
    it.file("w/new.rs", blocks(40));
    let count = u32::try_from(blocks(40).lines().count()).unwrap();
    let lines: Vec<u32> = (1..=count).collect();
    assert_eq!(moved(&it, "new.rs", &lines), 0);
}

#[test]
fn the_extension_does_not_move_comments_on_a_changed_file() {
    let it = Fixture::new();
    it.file("w/old.rs", blocks(40));
    it.repository("w");
    let text = it.read("w/old.rs").replacen("assert_eq!(value, 1)", "assert_eq!(value, 2)", 3);
    it.file(
        "w/old.rs",
        text.replacen("        step();\n", "        step();\n        step();\n", 5),
    );
    let count = u32::try_from(it.read("w/old.rs").lines().count()).unwrap();
    let lines: Vec<u32> = (1..=count).collect();
    assert_eq!(moved(&it, "old.rs", &lines), 0);
}
