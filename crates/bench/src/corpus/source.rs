//! Generates source files in three languages, and edits them.

use fastrand::Rng;

use super::prose::{pick, seeded};
use super::vocabulary::word;

const ENDINGS: [&str; 3] = ["rs", "ts", "py"];

/// Statements of each language: `%a` and `%b` are names, `%d` is a number.
const STATEMENTS: [&[&str]; 3] = [
    &[
        "/// Returns the %a of a %b.\npub(crate) fn load_%a(%b: &str, limit: usize) -> Result<Vec<u8>, Error> {",
        "    let mut %a = Vec::with_capacity(limit.min(%d));",
        "    for (index, %a) in %b.iter().enumerate() {\n        found.push(%a.clone());\n    }",
        "    // The %a must be read before the %b.\n    let %a = self.%b.get(&key).copied().unwrap_or_default();",
        "    if %a.len() > %d {\n        return Err(Error::TooLarge { limit: %d, found: %a.len() });\n    }",
        "    assert_eq!(parse(\"%a: %d\\n\", '\\t'), Ok(%d), \"{%b:?}\");",
        "    Ok(%a)\n}\n",
    ],
    &[
        "/** Returns the %a of a %b. */\nexport async function load%a(%b: string, limit = %d): Promise<%a[]> {",
        "  const %a = await this.%b.get(`${key}:${%d}`);",
        "  for (const [index, %a] of %b.entries()) {\n    found.push({ ...%a, id: `%a-${index}` });\n  }",
        "  // The %a must be read before the %b.\n  if (!%a) throw new Error(`unknown %b: ${key}`);",
        "  expect(parse(\"%a\", { limit: %d })).toEqual({ %a: %d, %b: null });",
        "  return %a;\n}\n",
    ],
    &[
        "def load_%a(%b: str, limit: int = %d) -> list[str]:\n    \"\"\"Returns the %a of a %b.\"\"\"",
        "    %a = [one for one in %b if one.size > %d and not one.stale]",
        "    for index, %a in enumerate(%b):\n        found.append(%a.copy())",
        "    # The %a must be read before the %b.\n    if %a is None:\n        raise ValueError(f\"unknown %b: {key!r}\")",
        "    assert parse(\"%a\", limit=%d) == {\"%a\": %d, \"%b\": None}",
        "    return %a\n",
    ],
];

const NOUNS: [&str; 24] = [
    "account", "batch", "branch", "bucket", "buffer", "channel", "column", "cursor", "digest",
    "entry", "filter", "header", "invoice", "ledger", "message", "metric", "payload", "policy",
    "queue", "record", "request", "revision", "session", "token",
];

/// Returns the path of a file by its number; there are a hundred files in each directory.
pub(super) fn path(number: usize) -> String {
    let ending = ENDINGS.get(number % 3).copied().unwrap_or_default();
    format!("src/part_{}/file_{number}.{ending}", number / 100)
}

/// Returns `count` lines of a file by its number.
pub(super) fn text(number: usize, count: usize) -> Vec<String> {
    let mut random = seeded(5, number);
    let mut lines = Vec::new();
    while lines.len() < count {
        let names = [pick(&mut random, &NOUNS), pick(&mut random, &NOUNS)];
        lines.extend(statement(number, names, &mut random).lines().map(str::to_owned));
    }
    lines.truncate(count);
    lines
}

/// Returns the lines of a file after an edit: a new first line, and `replaced` changed lines in groups of five.
pub(super) fn edited(number: usize, count: usize, replaced: usize) -> Vec<String> {
    let lines = text(number, count);
    let mut random = seeded(6, number);
    let distance = (lines.len() * 5).checked_div(replaced).unwrap_or(usize::MAX).max(5);
    let edited = lines.into_iter().enumerate().map(|(index, line)| match index % distance {
        0..5 if index / distance * 5 < replaced => {
            format!("{line} // {}", pick(&mut random, &NOUNS))
        }
        _ => line,
    });
    ["// edited".to_owned()].into_iter().chain(edited).collect()
}

/// Returns lines of code in random languages, with names of one or two words of the vocabulary.
pub(super) fn code(random: &mut Rng, lines: usize) -> Vec<String> {
    let name = |random: &mut Rng| match random.u32(..10) {
        0..6 => word(random),
        _ => format!("{}_{}", word(random), word(random)),
    };
    let line = |_| {
        let (language, names) = (random.usize(..3), [name(random), name(random)]);
        let statement = statement(language, [&names[0], &names[1]], random);
        statement.lines().next().unwrap_or_default().to_owned()
    };
    (0..lines).map(line).collect()
}

/// Returns a statement in the language of a file.
fn statement(number: usize, [a, b]: [&str; 2], random: &mut Rng) -> String {
    let statement = pick(random, STATEMENTS.get(number % 3).copied().unwrap_or_default());
    let number = random.u32(2..=4_096).to_string();
    statement.replace("%a", a).replace("%b", b).replace("%d", &number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_replaces_the_lines() {
        let old = text(0, 1_000);
        for replaced in [0, 1, 5, 133, 600] {
            let new = edited(0, 1_000, replaced);
            let differing =
                old.iter().zip(new.iter().skip(1)).filter(|(old, new)| old != new).count();
            assert!(differing.abs_diff(replaced) < 5, "{differing} of {replaced}");
        }
    }
}
