//! Review threads as the original program writes them, `## Context` included.

use serde::Serialize;
use skein_format::time::Time;

use super::prose::{code, code_lines, commit, later, path, sentence, short_commit, time};
use super::random::Random;

const AUTHORS: &[&str] = &["You", "Ana", "Claude", "codex", "Ola &amp; Per", "Copilot"];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    schema_version: u32,
    id: String,
    target: Target,
    status: &'static str,
    created_at: Time,
    updated_at: Time,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    workspace_relative_path: String,
    range: Range,
    anchor: Anchor,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Range {
    start_line: u64,
    start_character: u64,
    end_line: u64,
    end_character: u64,
}

#[derive(Serialize)]
struct Anchor {
    kind: &'static str,
    context: Context,
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<Git>,
}

#[derive(Serialize)]
struct Context {
    before: Vec<String>,
    selection: String,
    after: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Git {
    base_ref: String,
    hunk_header: String,
}

/// Makes the name and the content of a thread file.
pub(super) fn file(random: &mut Random) -> (String, Vec<u8>) {
    let id = random.uuid();
    let created_at = time(random);
    let mut comments = String::new();
    let mut updated_at = created_at;
    for _ in 0..random.between(1, 8) {
        updated_at = later(updated_at, random);
        comments += &comment(updated_at, random);
    }
    let patch = random.chance(60);
    let metadata = Metadata {
        schema_version: 1,
        id: id.clone(),
        target: target(random, patch),
        status: random.pick(&["open", "open", "resolved"]),
        created_at,
        updated_at,
    };
    let mut text = String::from("<local-code-review-thread>\n");
    text += &serde_json::to_string_pretty(&metadata).unwrap_or_default();
    text += "\n</local-code-review-thread>\n\n";
    text += &preamble(&metadata);
    if patch {
        text += &patch_section(random);
    }
    text += "## Comments\n";
    text += &comments;
    (format!("{id}.md"), text.into_bytes())
}

fn target(random: &mut Random, in_diff: bool) -> Target {
    let start_line = random.between(0, 900);
    let lines = random.between(1, 6);
    let selection = code_lines(random, lines).join("\n");
    let git = in_diff.then(|| Git {
        base_ref: commit(random),
        hunk_header: format!("@@ -{start_line},12 +{start_line},14 @@"),
    });
    Target {
        workspace_relative_path: path(random),
        range: Range {
            start_line,
            start_character: 0,
            end_line: start_line + lines - 1,
            end_character: random.between(1, 40),
        },
        anchor: Anchor {
            kind: "lineRange",
            context: Context {
                before: code_lines(random, 2),
                selection,
                after: code_lines(random, 2),
            },
            git,
        },
    }
}

/// Writes the heading and the sections that repeat the metadata for people.
fn preamble(metadata: &Metadata) -> String {
    let target = &metadata.target;
    let (first, last) = (target.range.start_line + 1, target.range.end_line + 1);
    let place = match last - first {
        0 => format!("L{first}"),
        _ => format!("L{first}-L{last}"),
    };
    let (file, status) = (&target.workspace_relative_path, metadata.status);
    let context = &target.anchor.context;
    let [before, selection, after] = [
        ("Before", &context.before.join("\n")),
        ("Selection", &context.selection),
        ("After", &context.after.join("\n")),
    ]
    .map(|(name, lines)| format!("### {name}\n```text\n{lines}\n```\n\n"));
    let git = target.anchor.git.as_ref().map(|git| {
        let (base, hunk) = (&git.base_ref, &git.hunk_header);
        format!("## Git\n\n- Base: `{base}`\n- Hunk: `{hunk}`\n\n")
    });
    let git = git.unwrap_or_default();
    let heading = format!("# {file}:{place} \u{b7} {status}\n\n## Context\n\n");
    [heading, before, selection, after, git].concat()
}

fn patch_section(random: &mut Random) -> String {
    let mut text = String::from(
        "## Patch\n<local-code-review-patch lang=\"diff\"/>\n\n```diff\n@@ -1,12 +1,14 @@\n",
    );
    for _ in 0..random.between(8, 60) {
        text += random.pick(&[" ", " ", "+", "-"]);
        text += &code(random);
        text.push('\n');
    }
    text + "```\n\n"
}

fn comment(at: Time, random: &mut Random) -> String {
    let (id, author) = (random.uuid(), random.pick(AUTHORS));
    let marker = "<local-code-review-comment";
    let mut text = format!("\n{marker} id=\"{id}\" author=\"{author}\" createdAt=\"{at}\"/>\n");
    for _ in 0..random.between(1, 3) {
        let words = random.between(10, 104);
        text.push('\n');
        text += &sentence(random, words);
        text.push('\n');
    }
    if random.chance(10) {
        text += "\nDone in ";
        text += &short_commit(random);
        text += ".\n";
    }
    if random.chance(15) {
        text += "\n```suggestion\n";
        text += &code_lines(random, 4).join("\n");
        text += "\n```\n";
    }
    text
}
