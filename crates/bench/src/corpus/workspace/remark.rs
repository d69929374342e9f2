//! What people and agents say about code, in Markdown.

use super::super::prose::{code_lines, later};
use super::super::random::Random;
use super::speech::sentence;
use skein_format::review::NewComment;
use skein_format::time::Time;

const AUTHORS: &[&str] = &["Ana", "Claude Code", "Ola & Per", "codex", "Ana"];

/// Returns what starts a thread.
pub(super) fn first(random: &mut Random) -> String {
    let words = random.between(8, 40);
    let text = sentence(random, words);
    match random.between(0, 9) {
        0 => format!("{text}\n\n- {}\n- {}", said(random), said(random)),
        1 => format!("`{}` {text} See [the notes](https://example.org/notes).", random.token(8)),
        2 => format!("**{}** {text}\n\n> {}", said(random), said(random)),
        3 => format!("{text}\n\n```suggestion\n{}\n```", code_lines(random, 3).join("\n")),
        _ => text,
    }
}

/// Returns a reply that comes some time after another comment.
pub(super) fn reply(after: Time, random: &mut Random) -> NewComment {
    let words = random.between(4, 60);
    let text = sentence(random, words);
    let body = match random.between(0, 9) {
        0 | 1 => format!("{text}\n\n```rust\n{}\n```", code_lines(random, 5).join("\n")),
        2 => format!("1. {}\n2. *{}*\n\n{text}", said(random), said(random)),
        3 => format!("{text}\n\n| case | found |\n|---|---|\n| `{}` | {} |", random.token(4), 7),
        _ => format!("Done: {text}"),
    };
    NewComment {
        id: random.uuid(),
        author: random.pick(AUTHORS).to_owned(),
        created_at: later(after, random),
        body,
    }
}

fn said(random: &mut Random) -> String {
    let words = random.between(3, 9);
    sentence(random, words)
}
