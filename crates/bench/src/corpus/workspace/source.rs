//! Source files as people write them, in three languages.

use super::super::random::Random;
use super::words::{Case, fill};

/// How files of a language look; a template may have several lines.
pub(super) struct Language {
    pub(super) end: &'static str,
    /// What a comment begins with.
    pub(super) mark: &'static str,
    case: Case,
    head: &'static str,
    open: &'static [&'static str],
    /// What stands in a function, indented once.
    steps: &'static [&'static str],
    close: &'static str,
}

/// Returns the language of the file of a number.
pub(super) fn language(number: usize) -> &'static Language {
    match number % 3 {
        0 => &RUST,
        1 => &TYPESCRIPT,
        _ => &PYTHON,
    }
}

impl Language {
    /// Returns about so many lines of source code.
    pub(super) fn text(&self, lines: usize, random: &mut Random) -> Vec<String> {
        let mut text = self.filled(self.head, random);
        while text.len() < lines {
            text.extend(self.function(random));
        }
        text
    }

    /// Returns some steps, as somebody adds them to a function.
    pub(super) fn steps(&self, random: &mut Random) -> Vec<String> {
        let mut lines = Vec::new();
        for _ in 0..random.between(1, 3) {
            lines.extend(self.filled(random.pick(self.steps), random));
        }
        lines
    }

    /// Returns a function.
    pub(super) fn function(&self, random: &mut Random) -> Vec<String> {
        let mut lines = self.filled(random.pick(self.open), random);
        for _ in 0..random.between(2, 9) {
            lines.extend(self.filled(random.pick(self.steps), random));
        }
        lines.extend(self.filled(self.close, random));
        lines
    }

    fn filled(&self, template: &str, random: &mut Random) -> Vec<String> {
        fill(template, self.case, random).lines().map(str::to_owned).collect()
    }
}

const RUST: Language = Language {
    end: "rs",
    mark: "//",
    case: Case::Snake,
    head: "//! %w\n\nuse std::collections::BTreeMap;\nuse std::time::Duration;\n\nuse crate::%a::{%A, %AError};\nuse crate::%b::%B;\n\n/// %w\nconst LIMIT: usize = %d;\n\n",
    open: &[
        "/// %w\npub(crate) fn %v_%a(%b: &%B, limit: usize) -> Result<%A, %AError> {",
        "/// %w\nfn %v_%a<'a>(%b: &'a mut %B, key: &str) -> Option<&'a %A> {",
        "#[test]\nfn %v_keeps_the_%a() {",
        "/// %w\n///\n/// %w\npub fn %v(mut self, %a: Vec<%A>) -> Self {",
    ],
    steps: &[
        "    let mut %a = Vec::with_capacity(limit.min(%d));",
        "    for (index, %a) in %b.iter().enumerate() {\n        if %a.is_stale(index) && index < LIMIT {\n            continue;\n        }\n        found.push(%a.clone());\n    }",
        "    // %w\n    let %a = self.%b.get(&key).copied().unwrap_or_default();",
        "    if %a.len() > %d {\n        return Err(%AError::TooLarge { limit: %d, found: %a.len() });\n    }",
        "    match %b.kind() {\n        Kind::%A => self.%v(&%b)?,\n        Kind::%B if %b.retries < %d => self.pending.push(%b),\n        _ => {}\n    }",
        "    let %a: BTreeMap<&str, Duration> = %b.iter().map(|one| (one.name.as_str(), one.elapsed)).collect();",
        "    assert_eq!(%v(\"%a: %d\\n\", '\\t'), Ok(%A::new(%d, \"%b\")), \"{%b:?}\");",
        "    self.%a = self.%a.checked_add(%d).ok_or(%AError::Overflow)?;",
        "    debug!(target: \"%a\", count = %b.len(), \"%w\");",
        "",
    ],
    close: "    Ok(%a)\n}\n\n",
};

const TYPESCRIPT: Language = Language {
    end: "ts",
    mark: "//",
    case: Case::Camel,
    head: "// %w\nimport { readFile } from \"node:fs/promises\";\nimport type { %A, %B } from \"../%a/%b.js\";\nimport { %v } from \"../%b/index.js\";\n\nconst LIMIT = %d;\n\n",
    open: &[
        "/** %w */\nexport async function %v%A(%b: %B, limit = LIMIT): Promise<%A[]> {",
        "function %v%A(%b: Map<string, %B>, key: keyof %A): %A | undefined {",
        "test(\"%v keeps the %a\", async () => {\n  const %b = new %B({ retries: %d });",
        "export const %v%A = (%a: readonly %A[], options: { limit?: number } = {}) => {",
    ],
    steps: &[
        "  const %a = await this.%b.get(`${key}:${%d}`);",
        "  for (const [index, %a] of %b.entries()) {\n    if (%a.stale || index > LIMIT) continue;\n    found.push({ ...%a, id: `%a-${index}` });\n  }",
        "  // %w\n  if (!%a) throw new Error(`unknown %b: ${key}`);",
        "  const %a = %b\n    .filter((one) => one.size > %d)\n    .map(({ name, elapsed }) => [name, elapsed] as const);",
        "  switch (%b.kind) {\n    case \"%a\":\n      return this.%v(%b);\n    case \"%b\":\n      this.pending.push(%b);\n      break;\n    default:\n      logger.debug(\"%w\", { %a, %b });\n  }",
        "  expect(%v(\"%a\", { limit: %d })).toEqual({ %a: %d, %b: null });",
        "  let %a: Array<%A> = [];",
        "  const pattern = /^%a-(\\d+)\\.%b$/u;",
        "",
    ],
    close: "  return %a;\n}\n\n",
};

const PYTHON: Language = Language {
    end: "py",
    mark: "#",
    case: Case::Snake,
    head: "\"\"\"%w\"\"\"\n\nfrom __future__ import annotations\n\nimport logging\nfrom dataclasses import dataclass, field\n\nfrom .%a import %A, %AError\n\nlog = logging.getLogger(__name__)\nLIMIT = %d\n\n",
    open: &[
        "def %v_%a(%b: %B, limit: int = LIMIT) -> list[%A]:\n    \"\"\"%w\"\"\"",
        "async def %v_%a(self, key: str, *, retries: int = %d) -> %A | None:",
        "def test_%v_keeps_the_%a(tmp_path, %b):\n    # %w",
        "@dataclass(frozen=True)\nclass %A:\n    \"\"\"%w\n\n    %w\n    \"\"\"\n\n    %a: str\n    %b: list[int] = field(default_factory=list)\n\n    def %v(self):",
    ],
    steps: &[
        "    %a = [one for one in %b if one.size > %d and not one.stale]",
        "    for index, %a in enumerate(%b):\n        if index >= LIMIT:\n            break\n        found.append(%a.copy())",
        "    # %w\n    if %a is None:\n        raise %AError(f\"unknown %b: {key!r}\")",
        "    with self.%a.lock() as %b:\n        %b.%v(key, timeout=%d)\n        log.debug(\"%w\", %b)",
        "    assert %v(\"%a\", limit=%d) == {\"%a\": %d, \"%b\": None}",
        "    try:\n        %a = await self.%b.get(f\"{key}:{%d}\")\n    except %AError as error:\n        log.warning('%w', exc_info=error)\n        return None",
        "    return_%a: dict[str, float] = {}",
        "",
    ],
    close: "    return %a\n\n",
};
