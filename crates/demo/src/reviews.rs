//! The review threads of the demo: one in every state.

use skein_format::path::WorkspacePath;
use skein_format::review::{
    Anchor, Context, GitAnchor, NewComment, NewReview, Range, ReviewDoc, Status,
};
use skein_git::CommitId;
use skein_workspace::store_location::DEFAULT_STORE;

use super::{Demo, DemoError};

/// The authors in the demo.
const MIRA: &str = "Mira Okafor";
const AGENT: &str = "Claude Code";

/// A thread of the demo.
struct Script {
    id: &'static str,
    path: &'static str,
    /// A part of the first commented line; none for a comment on the file.
    line: Option<&'static str>,
    /// The number of commented lines.
    lines: u32,
    /// The comments: the author, the age in minutes, and the text.
    says: &'static [(&'static str, i64, &'static str)],
    resolved: bool,
    patch: Option<&'static str>,
}

const OFF_BY_ONE: &str = "\
@@ -15,7 +16,10 @@ impl Cache {
     }
 
     pub fn put(&mut self, key: String, value: Vec<u8>) {
-        self.entries.insert(key, value);
+        if self.entries.len() > self.limit {
+            self.evict();
+        }
+        self.entries.insert(key, (Instant::now(), value));
     }
 }
";

const SCRIPTS: &[Script] = &[
    Script {
        id: "7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001",
        path: "src/cache.rs",
        line: Some("if self.entries.len() >= self.limit"),
        lines: 3,
        says: &[
            (MIRA, 1500, "This lets one entry too many in: with `>` the cache holds `limit + 1`."),
            (AGENT, 58, "Right. It is `>=` in the worktree now; not committed yet."),
        ],
        resolved: false,
        patch: Some(OFF_BY_ONE),
    },
    Script {
        id: "b21d90ee-5f4a-4f0b-8c0e-6b0d9f7a2002",
        path: "src/cache.rs",
        line: Some("if let Some(key) = oldest"),
        lines: 3,
        says: &[
            (MIRA, 1490, "`unwrap` on an empty cache panics when the limit is 0."),
            (AGENT, 55, "It is an `if let` now. Shall a limit of 0 be an error in `new` instead?"),
        ],
        resolved: false,
        patch: None,
    },
    Script {
        id: "0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003",
        path: "src/http.rs",
        line: Some("TcpListener::bind"),
        lines: 1,
        says: &[(
            MIRA,
            1480,
            "Never on all interfaces.\n\n```suggestion\n    let listener = TcpListener::bind(\"127.0.0.1:8080\").unwrap();\n```",
        )],
        resolved: false,
        patch: None,
    },
    Script {
        id: "d4470f6c-2a18-4e9b-8e52-71c9be044004",
        path: "src/http.rs",
        line: Some("let mut request = [0; 512];"),
        lines: 3,
        says: &[(
            MIRA,
            1475,
            "A request longer than 512 bytes is cut off silently. What should happen then?",
        )],
        resolved: false,
        patch: None,
    },
    Script {
        id: "e86b2f13-c7d5-4a60-a1b9-5d2f3a905005",
        path: "web/board.ts",
        line: Some("return sample.hits"),
        lines: 1,
        says: &[(MIRA, 300, "`NaN` before the first request: show a dash instead.")],
        resolved: false,
        patch: None,
    },
    Script {
        id: "1a55d8c0-6e7f-4d3a-9b21-c40e8f716006",
        path: "web/board.ts",
        line: Some("root.innerHTML"),
        lines: 3,
        says: &[
            (MIRA, 295, "`innerHTML` with data from outside. Use `textContent`."),
            ("Codex", 120, "The samples are numbers only, so nothing can be injected. Keep it?"),
            (MIRA, 90, "Until somebody adds a label. Please change it."),
        ],
        resolved: false,
        patch: None,
    },
    Script {
        id: "93fe07ab-4c5d-4b8e-8a7f-0f1e2d3c7007",
        path: "web/board.ts",
        line: None,
        lines: 0,
        says: &[(MIRA, 290, "There is no test for this file at all.")],
        resolved: false,
        patch: None,
    },
    Script {
        id: "5be1d2a4-8f90-4c67-b3d2-9e8d7c6b8008",
        path: "src/cache.rs",
        line: Some("entries: HashMap<String, (Instant, Vec<u8>)>"),
        lines: 1,
        says: &[
            (MIRA, 3000, "Would a queue of keys not make `evict` cheap?"),
            (
                AGENT,
                2960,
                "It would, at the price of a second map. With 1024 entries a scan takes 2 \u{b5}s.",
            ),
            (MIRA, 2950, "Fine. Leave it."),
        ],
        resolved: true,
        patch: None,
    },
    Script {
        id: "c0ffee42-77aa-4f21-a6c4-1b2c3d4e9009",
        path: "src/main.rs",
        line: Some("cache::Cache::new(1024)"),
        lines: 1,
        says: &[
            (MIRA, 5000, "Make the size an argument."),
            (AGENT, 4900, "Left as it is: the issue says that 1024 is fixed for now."),
        ],
        resolved: true,
        patch: None,
    },
    Script {
        id: "2d7c6b5a-4938-4271-8f0e-d1c2b3a4a010",
        path: "README.md",
        line: Some("A small cache"),
        lines: 1,
        says: &[
            (MIRA, 5100, "Say how to run it."),
            ("GitHub Copilot", 5000, "I would add a section \"Run\" with `cargo run`."),
        ],
        resolved: false,
        patch: None,
    },
    Script {
        id: "fa1b0c9d-8e7f-4655-9c3d-2b1a0f9eb011",
        path: "src/legacy.rs",
        line: None,
        lines: 0,
        says: &[
            (MIRA, 6000, "This file is gone; was that on purpose?"),
            ("Tom Reyes", 5900, "Yes, with the rewrite."),
        ],
        resolved: true,
        patch: None,
    },
    Script {
        id: "6c5d4e3f-2a1b-4c0d-8e9f-a0b1c2d3c012",
        path: "src/http.rs",
        line: Some("None => stream.write_all"),
        lines: 1,
        says: &[
            (MIRA, 1470, "This is no HTTP. Is that meant?"),
            ("release-bot [agent]", 200, "Noted for the release: a real HTTP answer is planned."),
        ],
        resolved: false,
        patch: None,
    },
];

/// Writes the threads.
pub(super) fn write(demo: &Demo, commits: &[CommitId]) -> Result<(), DemoError> {
    let base = commits.last().map(|commit| commit.as_str().to_owned());
    for script in SCRIPTS {
        let doc = script.play(demo, base.clone());
        demo.put(&format!("{DEFAULT_STORE}/threads/{}.md", script.id), doc.to_bytes())?;
    }
    Ok(())
}

/// Writes an invalid thread file.
pub(super) fn write_broken(demo: &Demo) -> Result<(), DemoError> {
    let broken =
        b"<local-code-review-thread>\n{\n  \"schemaVersion\": 1,\n  \"id\": \"half-written\",\n";
    demo.put(&format!("{DEFAULT_STORE}/threads/half-written.md"), broken)
}

impl Script {
    fn play(&self, demo: &Demo, base: Option<String>) -> ReviewDoc {
        let source = std::fs::read_to_string(demo.root.join(self.path)).unwrap_or_default();
        let (range, context) = self.place(&source);
        let first = self.says.first().map_or(0, |(_, minutes, _)| *minutes);
        let comments =
            self.says.iter().enumerate().map(|(n, (author, minutes, body))| NewComment {
                id: format!("c{:04}", n + 1),
                author: (*author).to_owned(),
                created_at: demo.ago(0, *minutes),
                body: (*body).to_owned(),
            });
        let Ok(path) = WorkspacePath::parse(self.path, DEFAULT_STORE) else {
            return ReviewDoc::parse(Vec::new(), self.id, DEFAULT_STORE).0;
        };
        let new = NewReview {
            id: self.id.to_owned(),
            path,
            range,
            anchor: Anchor { context, git: GitAnchor { base_ref: base, hunk_header: self.hunk() } },
            created_at: demo.ago(0, first),
            patch: self.patch.map(str::to_owned),
            comments: comments.collect(),
        };
        let mut doc = new.into_doc(DEFAULT_STORE);
        let last = self.says.last().map_or(0, |(_, minutes, _)| *minutes);
        if self.resolved {
            // A new document is valid, so its status can be set.
            let set = doc.set_status(Status::Resolved, demo.ago(0, last - 5));
            debug_assert!(set.is_ok());
        }
        doc
    }

    fn hunk(&self) -> Option<String> {
        self.patch.and_then(|patch| patch.lines().next()).map(str::to_owned)
    }

    fn place(&self, source: &str) -> (Option<Range>, Option<Context>) {
        let lines: Vec<&str> = source.lines().collect();
        let wanted = self.line.and_then(|line| lines.iter().position(|text| text.contains(line)));
        let Some(first) = wanted else {
            return (None, None);
        };
        let count = self.lines as usize;
        let selection: Vec<&str> = lines.iter().skip(first).take(count).copied().collect();
        let around = |from: usize, count: usize| {
            lines
                .iter()
                .skip(from)
                .take(count)
                .map(|line| (*line).to_owned())
                .collect::<Vec<String>>()
        };
        let before = first.saturating_sub(3);
        let start_line = u32::try_from(first).unwrap_or(0);
        let width = selection.last().map_or(0, |line| line.encode_utf16().count());
        let range = Range {
            start_line,
            start_character: 0,
            end_line: start_line + self.lines - 1,
            end_character: u32::try_from(width).unwrap_or(0),
        };
        let context = Context {
            before: around(before, first - before),
            selection: selection.join("\n"),
            after: around(first + count, 3),
        };
        (Some(range), Some(context))
    }
}
