//! Generates source files in three languages, and changes them.

use super::random::Random;

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

/// Returns the path of the file with a number; a hundred files are in one directory.
pub(super) fn path(number: usize) -> String {
    let ending = ENDINGS.get(number % 3).copied().unwrap_or_default();
    format!("src/part_{}/file_{number}.{ending}", number / 100)
}

/// Returns the lines of the file with a number.
pub(super) fn text(number: usize, count: usize) -> Vec<String> {
    let mut random = Random::seeded(5, number);
    let mut lines = Vec::new();
    while lines.len() < count {
        lines.extend(statement(number, &mut random));
    }
    lines.truncate(count);
    lines
}

/// Replaces a number of lines, in groups of five all over the text, and adds a line at the top.
pub(super) fn edit(number: usize, lines: &[String], replaced: usize) -> Vec<String> {
    let mut random = Random::seeded(6, number);
    let distance = (lines.len() * 5).checked_div(replaced).unwrap_or(usize::MAX).max(5);
    let edited = lines.iter().enumerate().map(|(index, line)| match index % distance {
        0..5 if index / distance * 5 < replaced => format!("{line} // {}", random.pick(&NOUNS)),
        _ => line.clone(),
    });
    ["// edited".to_owned()].into_iter().chain(edited).collect()
}

fn statement(number: usize, random: &mut Random) -> Vec<String> {
    let [a, b] = [random.pick(&NOUNS), random.pick(&NOUNS)];
    let statement = random.pick(STATEMENTS.get(number % 3).copied().unwrap_or_default());
    let number = random.between(2, 4_096).to_string();
    let text = statement.replace("%a", a).replace("%b", b).replace("%d", &number);
    text.lines().map(str::to_owned).collect()
}

#[test]
fn an_edit_replaces_the_lines() {
    let old = text(0, 1_000);
    for replaced in [0, 1, 5, 133, 600] {
        let new = edit(0, &old, replaced);
        let differing = old.iter().zip(new.iter().skip(1)).filter(|(old, new)| old != new).count();
        assert!(differing.abs_diff(replaced) < 5, "{differing} of {replaced}");
    }
}
