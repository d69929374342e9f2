//! Generates review threads as the original program writes them, with a `## Context` section.

#![expect(clippy::indexing_slicing, reason = "a missing key of a JSON object is added")]

use fastrand::Rng;
use serde_json::json;
use skein_format::time::Time;

use super::prose::{commit, later, path, pick, sentence, short_commit, time, uuid};
use super::source::code;

const MAX_PATCH_LINES: usize = 40;
const AUTHORS: &[&str] = &["You", "Ana", "Claude", "codex", "Ola &amp; Per", "Copilot"];

/// Generates the name and the content of a thread file.
pub(super) fn file(random: &mut Rng) -> (String, Vec<u8>) {
    let (id, created_at) = (uuid(random), time(random));
    let mut comments = String::new();
    let mut updated_at = created_at;
    for _ in 0..random.u32(1..=8) {
        updated_at = later(updated_at, random);
        comments += &comment(updated_at, random);
    }
    let (file, base, status) =
        (path(random), commit(random), pick(random, &["open", "open", "resolved"]));
    let (line, count) = (random.usize(..900), random.usize(1..=6));
    let (before, after) = (code(random, 2), code(random, 2));
    let selection = code(random, count).join("\n");
    let hunk = format!("@@ -{line},12 +{line},14 @@");
    let mut metadata = json!({
        "schemaVersion": 1,
        "id": id,
        "target": {
            "workspaceRelativePath": file,
            "range": {
                "startLine": line,
                "startCharacter": 0,
                "endLine": line + count - 1,
                "endCharacter": random.u32(1..=40),
            },
            "anchor": {
                "kind": "lineRange",
                "context": { "before": before, "selection": selection, "after": after },
            },
        },
        "status": status,
        "createdAt": created_at,
        "updatedAt": updated_at,
    });
    let mut diff = String::new();
    if random.u32(..10) < 6 {
        metadata["target"]["anchor"]["git"] = json!({ "baseRef": base, "hunkHeader": hunk });
        diff = diff_sections(&base, &hunk, random);
    }
    let metadata = serde_json::to_string_pretty(&metadata).unwrap_or_default();
    let context =
        [("Before", before.join("\n")), ("Selection", selection), ("After", after.join("\n"))]
            .map(|(name, lines)| format!("### {name}\n```text\n{lines}\n```\n\n"))
            .concat();
    let text = format!(
        "<local-code-review-thread>\n{metadata}\n</local-code-review-thread>\n\n\
         # {file}:L{} \u{b7} {status}\n\n## Context\n\n{context}{diff}\
         ## Comments\n{comments}",
        line + 1
    );
    (format!("{id}.md"), text.into_bytes())
}

/// Generates the sections of a thread on a diff.
fn diff_sections(base: &str, hunk: &str, random: &mut Rng) -> String {
    let length = random.usize(8..=MAX_PATCH_LINES);
    let lines = code(random, length).into_iter();
    let patch: String =
        lines.map(|code| format!("{}{code}\n", pick(random, &[" ", " ", "+", "-"]))).collect();
    format!(
        "## Git\n\n- Base: `{base}`\n- Hunk: `{hunk}`\n\n\
         ## Patch\n<local-code-review-patch lang=\"diff\"/>\n\n```diff\n{hunk}\n{patch}```\n\n"
    )
}

fn comment(at: Time, random: &mut Rng) -> String {
    let (id, author) = (uuid(random), pick(random, AUTHORS));
    let marker = "<local-code-review-comment";
    let mut parts =
        vec![format!("\n{marker} id=\"{id}\" author=\"{author}\" createdAt=\"{at}\"/>\n")];
    for _ in 0..random.u32(1..=3) {
        let words = random.usize(10..=104);
        parts.push(format!("\n{}\n", sentence(random, words)));
    }
    match random.u32(..20) {
        0..2 => parts.push(format!("\nDone in {}.\n", short_commit(random))),
        2..5 => parts.push(format!("\n```suggestion\n{}\n```\n", code(random, 4).join("\n"))),
        _ => {}
    }
    parts.concat()
}
