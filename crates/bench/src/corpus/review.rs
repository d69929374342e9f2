//! Generates review threads as the original program writes them, with a `## Context` section.

#![expect(clippy::indexing_slicing, reason = "a missing key of a JSON object is added")]

use serde_json::{Value, json};
use skein_format::time::Time;

use super::prose::{code, code_lines, commit, later, path, sentence, short_commit, time};
use super::random::Random;

const AUTHORS: &[&str] = &["You", "Ana", "Claude", "codex", "Ola &amp; Per", "Copilot"];

/// Generates the name and the content of a thread file.
pub(super) fn file(random: &mut Random) -> (String, Vec<u8>) {
    let id = random.uuid();
    let created_at = time(random);
    let mut comments = String::new();
    let mut updated_at = created_at;
    for _ in 0..random.between(1, 8) {
        updated_at = later(updated_at, random);
        comments += &comment(updated_at, random);
    }
    let has_patch = random.chance(60);
    let (target, sections) = target(random, has_patch);
    let status = random.pick(&["open", "open", "resolved"]);
    let metadata = json!({
        "schemaVersion": 1,
        "id": id,
        "target": target,
        "status": status,
        "createdAt": created_at,
        "updatedAt": updated_at,
    });
    let metadata = serde_json::to_string_pretty(&metadata).unwrap_or_default();
    let patch = if has_patch { patch_section(random) } else { String::new() };
    let sections = sections.replacen("STATUS", status, 1);
    let text = format!(
        "<local-code-review-thread>\n{metadata}\n</local-code-review-thread>\n\n\
         {sections}{patch}## Comments\n{comments}"
    );
    (format!("{id}.md"), text.into_bytes())
}

/// Generates the commented lines: the metadata, and the sections that repeat it for people.
fn target(random: &mut Random, in_diff: bool) -> (Value, String) {
    let start_line = random.between(0, 900);
    let lines = random.between(1, 6);
    let selection = code_lines(random, lines).join("\n");
    let hunk = format!("@@ -{start_line},12 +{start_line},14 @@");
    let base = in_diff.then(|| commit(random));
    let (file, end_line) = (path(random), start_line + lines - 1);
    let end_character = random.between(1, 40);
    let (before, after) = (code_lines(random, 2), code_lines(random, 2));
    let location = match lines {
        1 => format!("L{}", start_line + 1),
        _ => format!("L{}-L{}", start_line + 1, end_line + 1),
    };
    let context =
        [("Before", &before.join("\n")), ("Selection", &selection), ("After", &after.join("\n"))]
            .map(|(name, lines)| format!("### {name}\n```text\n{lines}\n```\n\n"));
    let git = base.as_ref().map(|base| format!("## Git\n\n- Base: `{base}`\n- Hunk: `{hunk}`\n\n"));
    let sections = format!(
        "# {file}:{location} \u{b7} STATUS\n\n## Context\n\n{}{}",
        context.concat(),
        git.unwrap_or_default()
    );
    let mut anchor = json!({
        "kind": "lineRange",
        "context": { "before": before, "selection": selection, "after": after },
    });
    if let Some(base) = base {
        anchor["git"] = json!({ "baseRef": base, "hunkHeader": hunk });
    }
    let target = json!({
        "workspaceRelativePath": file,
        "range": {
            "startLine": start_line,
            "startCharacter": 0,
            "endLine": end_line,
            "endCharacter": end_character,
        },
        "anchor": anchor,
    });
    (target, sections)
}

fn patch_section(random: &mut Random) -> String {
    let lines = (0..random.between(8, 60))
        .map(|_| format!("{}{}\n", random.pick(&[" ", " ", "+", "-"]), code(random)));
    let lines: String = lines.collect();
    format!(
        "## Patch\n<local-code-review-patch lang=\"diff\"/>\n\n```diff\n@@ -1,12 +1,14 @@\n{lines}```\n\n"
    )
}

fn comment(at: Time, random: &mut Random) -> String {
    let (id, author) = (random.uuid(), random.pick(AUTHORS));
    let marker = "<local-code-review-comment";
    let mut parts =
        vec![format!("\n{marker} id=\"{id}\" author=\"{author}\" createdAt=\"{at}\"/>\n")];
    for _ in 0..random.between(1, 3) {
        let words = random.between(10, 104);
        parts.push(format!("\n{}\n", sentence(random, words)));
    }
    if random.chance(10) {
        parts.push(format!("\nDone in {}.\n", short_commit(random)));
    }
    if random.chance(15) {
        parts.push(format!("\n```suggestion\n{}\n```\n", code_lines(random, 4).join("\n")));
    }
    parts.concat()
}
