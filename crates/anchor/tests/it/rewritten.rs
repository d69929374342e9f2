//! Lines that were rewritten beyond recognition: what stands in their place is known from the diff.

use skein_anchor::{OldCode, State, place};

use crate::show::{marked, shown};

#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    let (text, (start, end)) = marked(old);
    let found = place(&OldCode::Whole { text: text.as_bytes(), start, end }, new.as_bytes());
    assert_eq!(shown(&found), expected);
}

/// A line and what an agent wrote in its place.
const ANSWERS: [(&str, &str); 16] = [
    ("    1", "    ONE"),
    ("        return;", "        self.evict();"),
    ("    todo!()", "    Ok(self.entries.len())"),
    ("    mode = \"READ\"", "    mode = \"RO\""),
    ("    foo();", "    bar(baz, qux);"),
    ("    x", "    total / count"),
    ("    let n = 5;", "    const LIMIT: usize = MAX_ENTRIES;"),
    ("    unimplemented!()", "    return Err(Error::Empty);"),
    ("    i += 1;", "    for item in items {"),
    ("    panic!(\"no\");", "    return None;"),
    ("// TODO", "/// Returns the least recently used entry."),
    ("    pass", "    raise ValueError(name)"),
    ("    data.unwrap()", "    read(path)?"),
    ("    null", "    defaults.theme"),
    ("    self.0", "    *guard"),
    ("    return a", "    yield from b"),
];

#[test]
fn the_line_that_answers_a_comment_is_in_its_place() {
    for (old, new) in ANSWERS {
        let text = |line: &str, mark: &str| {
            format!("{mark}fn first(a: u8) {{\n{mark}    start(a);\n{line}\n{mark}    finish(a);\n{mark}}}\n")
                .replace("\\\n", "\n")
        };
        let (old_text, new_text) = (text(&format!(">{old}"), " "), text(new, ""));
        check(&old_text, &new_text, "edited 2");
        let two = new_text.replace(new, &format!("{new}\n    then_this(1);"));
        let (plain, (start, end)) = marked(&old_text);
        let found = place(&OldCode::Whole { text: plain.as_bytes(), start, end }, two.as_bytes());
        assert!(matches!(found.lines, Some((2, 2 | 3))), "{old} is {}", shown(&found));
    }
}

#[test]
fn a_line_of_a_gap_with_as_many_lines_is_the_line_in_the_same_row() {
    let old = " begin(a);\n one();\n>return;\n x = 5\n end(a);\n";
    check(old, "begin(a);\nfirst_of(all)\nself.evict();\nlimit(&y)\nend(a);\n", "edited 2");
    check(old, "begin(a);\nfirst_of(all)\nself.evict();\nend(a);\n", "replaced 1-2");
}

#[test]
fn a_gap_is_bounded_by_the_recognised_lines_of_its_hunk() {
    let old = " begin(a);\n let width = measure(first, old);\n>return;\n let height = estimate(second, old);\n end(a);\n";
    let new = "begin(a);\nlet width = measure(first, new);\nself.evict();\nlog(1);\nlet height = estimate(second, new);\nend(a);\n";
    check(old, new, "replaced 2-3");
    check(old, &new.replace("log(1);\n", ""), "edited 2");
    check(old, &new.replace("log(1);\n", "").replace("self.evict();\n", ""), "replaced 1-2");
}

#[test]
fn a_range_keeps_its_lines_when_one_of_them_is_rewritten() {
    let old = " fn f(a: u8) {\n     if a > 0 {\n>        begin(a);\n>        return;\n>    }\n     end(a);\n }\n";
    let new = |line: &str| {
        format!(
            "fn f(a: u8) {{\n    if a > 0 {{\n        begin(a);\n{line}    }}\n    end(a);\n}}\n"
        )
    };
    check(old, &new("        self.evict();\n"), "edited 2-4");
    check(old, &new("        self.evict();\n        log(1);\n"), "edited 2-5");
    check(old, &new(""), "edited 2-3");
    let first = " use x;\n>return;\n>let second = two(a);\n>let third = three(a);\n end(a);\n";
    check(
        first,
        "use x;\nself.evict();\nlet second = two(a);\nlet third = three(a);\nend(a);\n",
        "edited 1-3",
    );
}

#[test]
fn a_range_keeps_the_lines_above_a_rewritten_line_without_words() {
    let old = " fn f() {}\n>/**\n> *\n> * Closes the connection, and all that wait on it.\n> *\n> */\n fn g() {}\n";
    let new = |above: &str, below: &str| {
        format!(
            "fn f() {{}}\n/**\n{above}\n * Closes the connection, and all that wait on it.\n{below}\n */\nfn g() {{}}\n"
        )
    };
    check(old, &new(" * changed", " *"), "edited 1-5");
    check(old, &new(" *", " * changed"), "edited 1-5");
}

#[test]
fn a_range_is_replaced_only_if_none_of_its_lines_is_recognised() {
    let old = " begin(a);\n>return;\n>x = 5\n end(a);\n";
    check(old, "begin(a);\nself.evict();\nend(a);\n", "replaced 1");
    check(old, "begin(a);\nself.evict();\nx = 5\nend(a);\n", "edited 1-2");
    check(old, "begin(a);\nself.evict();\nlimit(&y)\nend(a);\n", "edited 1-2");
}

#[test]
fn a_line_that_moved_with_its_neighbour_is_not_what_stands_in_its_place() {
    let old =
        " begin(a);\n>let total = sum(of, all);\n print(total, country);\n end(a);\n tail(a);\n";
    let new = "begin(a);\nself.evict();\nend(a);\ntail(a);\nlet total = sum(of, all);\nprint(total, country);\n";
    check(old, new, "moved 4");
}

#[test]
fn the_confidence_in_a_large_gap_is_low() {
    let confidence = |count: usize| {
        let lines: String = (0..count).map(|n| format!("entry_{n} = {n}\n")).collect();
        let new = format!("begin(a);\n{lines}end(a);\n");
        let old = OldCode::Whole { text: b"begin(a);\nreturn;\nend(a);\n", start: 1, end: 1 };
        let found = place(&old, new.as_bytes());
        assert_eq!(found.lines, Some((1, u32::try_from(count).unwrap())));
        assert!(count == 1 || found.state == State::Replaced);
        found.confidence
    };
    assert!(confidence(1) >= 0.8 && confidence(40) >= 0.8);
    assert!(confidence(41) <= 0.5);
}

#[test]
fn a_line_that_both_texts_have_once_is_moved_without_its_neighbours() {
    let old = " begin(a);\n>// fill the cache\n end(a);\n first(b);\n last(b);\n";
    let new = "begin(a);\n// see below\nend(a);\nfirst(b);\n// fill the cache\nlast(b);\n";
    check(old, new, "moved 4");
    let twice = format!("{old} // fill the cache\n");
    check(&twice, &format!("{new}// fill the cache\n"), "edited 1");
}

#[test]
fn a_short_line_is_moved_if_its_neighbour_is() {
    let old = " begin(a);\n let total = sum(of, all);\n>go(x);\n end(a);\n tail(a);\n";
    let new = "begin(a);\nself.evict();\nend(a);\ntail(a);\nlet total = sum(of, all);\ngo(x);\n";
    check(old, new, "moved 5");
    check(old, &new.replace("go(x);\n", ""), "replaced 1");
}
