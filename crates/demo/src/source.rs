//! The sources of the demo, step by step.

/// Files that change together: a commit, or the uncommitted change.
pub(super) struct Step {
    /// The message of the commit; none for a change that is not committed yet.
    pub(super) message: Option<&'static str>,
    /// The name and the address of the author.
    pub(super) author: (&'static str, &'static str),
    /// The age in hours.
    pub(super) hours: i64,
    /// The new content of the files, by path.
    pub(super) files: &'static [(&'static str, &'static str)],
}

const MIRA: (&str, &str) = ("Mira Okafor", "mira@example.org");
const AGENT: (&str, &str) = ("Claude Code", "agent@example.org");

/// The history, oldest first.
pub(super) const HISTORY: &[Step] = &[
    Step {
        message: Some("start the cache\n"),
        author: MIRA,
        hours: 96,
        files: &[
            ("README.md", README),
            ("Cargo.toml", MANIFEST),
            ("src/main.rs", MAIN),
            ("src/cache.rs", CACHE_1),
            (".skein.toml", SETTINGS),
        ],
    },
    Step {
        message: Some("cache: drop the oldest entry when it is full\n"),
        author: AGENT,
        hours: 50,
        files: &[("src/cache.rs", CACHE_2), ("src/http.rs", HTTP)],
    },
    Step {
        message: Some("web: show the hit rate\n"),
        author: AGENT,
        hours: 27,
        files: &[("web/board.ts", BOARD)],
    },
    Step { message: None, author: AGENT, hours: 1, files: &[("src/cache.rs", CACHE_3)] },
];

/// The changes that the agent made after the threads were written.
pub(super) const LATER: &[(&str, &str)] =
    &[("src/http.rs", HTTP_2), ("web/board.ts", BOARD_2), ("web/board.test.ts", BOARD_TEST)];

const SETTINGS: &str = "\
# The demo keeps its session map inside of itself.
[session]
map = \"sessions/mattermost-threads.json\"
";

const MANIFEST: &str = "\
[package]
name = \"lantern\"
version = \"0.1.0\"
edition = \"2024\"
";

const README: &str = "\
# Lantern

A small cache with an HTTP face, and a board that shows how often it is hit.
";

const MAIN: &str = "\
mod cache;
mod http;

fn main() {
    let cache = cache::Cache::new(1024);
    http::serve(cache);
}
";

const CACHE_1: &str = "\
use std::collections::HashMap;

pub struct Cache {
    entries: HashMap<String, Vec<u8>>,
    limit: usize,
}

impl Cache {
    pub fn new(limit: usize) -> Self {
        Self { entries: HashMap::new(), limit }
    }

    pub fn get(&self, key: &str) -> Option<&Vec<u8>> {
        self.entries.get(key)
    }

    pub fn put(&mut self, key: String, value: Vec<u8>) {
        self.entries.insert(key, value);
    }
}
";

const CACHE_2: &str = "\
use std::collections::HashMap;
use std::time::Instant;

pub struct Cache {
    entries: HashMap<String, (Instant, Vec<u8>)>,
    limit: usize,
}

impl Cache {
    pub fn new(limit: usize) -> Self {
        Self { entries: HashMap::new(), limit }
    }

    pub fn get(&self, key: &str) -> Option<&Vec<u8>> {
        self.entries.get(key).map(|(_, value)| value)
    }

    pub fn put(&mut self, key: String, value: Vec<u8>) {
        if self.entries.len() > self.limit {
            self.evict();
        }
        self.entries.insert(key, (Instant::now(), value));
    }

    fn evict(&mut self) {
        let oldest = self
            .entries
            .iter()
            .min_by_key(|(_, (at, _))| *at)
            .map(|(key, _)| key.clone());
        self.entries.remove(&oldest.unwrap());
    }
}
";

const CACHE_3: &str = "\
use std::collections::HashMap;
use std::time::Instant;

pub struct Cache {
    entries: HashMap<String, (Instant, Vec<u8>)>,
    limit: usize,
}

impl Cache {
    pub fn new(limit: usize) -> Self {
        Self { entries: HashMap::new(), limit }
    }

    pub fn get(&self, key: &str) -> Option<&Vec<u8>> {
        self.entries.get(key).map(|(_, value)| value)
    }

    pub fn put(&mut self, key: String, value: Vec<u8>) {
        if self.entries.len() >= self.limit {
            self.evict();
        }
        self.entries.insert(key, (Instant::now(), value));
    }

    /// Removes the oldest entry, if there is one.
    fn evict(&mut self) {
        let oldest = self
            .entries
            .iter()
            .min_by_key(|(_, (at, _))| *at)
            .map(|(key, _)| key.clone());
        if let Some(key) = oldest {
            self.entries.remove(&key);
        }
    }
}
";

const HTTP: &str = "\
use crate::cache::Cache;
use std::io::{Read, Write};
use std::net::TcpListener;

pub fn serve(cache: Cache) {
    let listener = TcpListener::bind(\"0.0.0.0:8080\").unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut request = [0; 512];
        let len = stream.read(&mut request).unwrap();
        let key = String::from_utf8_lossy(&request[..len]);
        match cache.get(key.trim()) {
            Some(value) => stream.write_all(value).unwrap(),
            None => stream.write_all(b\"404\").unwrap(),
        }
    }
}
";

const HTTP_2: &str = "\
use crate::cache::Cache;
use std::io::{Read, Write};
use std::net::TcpListener;

pub fn serve(cache: Cache) {
    let listener = TcpListener::bind(\"0.0.0.0:8080\").unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let mut request = [0; 512];
        let len = stream.read(&mut request).unwrap();
        let key = String::from_utf8_lossy(&request[..len]);
        match cache.get(key.trim()) {
            Some(value) => stream.write_all(value).unwrap(),
            None => stream.write_all(b\"HTTP/1.1 404 Not Found\\r\\n\\r\\n\").unwrap(),
        }
    }
}
";

const BOARD: &str = "\
type Sample = { hits: number; misses: number };

export function hitRate(sample: Sample): number {
  return sample.hits / (sample.hits + sample.misses);
}

export function draw(root: HTMLElement, samples: Sample[]): void {
  root.innerHTML = samples
    .map((sample) => `<li>${hitRate(sample)}</li>`)
    .join(\"\");
}
";

const BOARD_2: &str = "\
type Sample = { hits: number; misses: number };

export function hitRate(sample: Sample): number {
  return sample.hits / (sample.hits + sample.misses);
}

export function draw(root: HTMLElement, samples: Sample[]): void {
  root.innerHTML = samples
    .map((sample) => `<li>${hitRate(sample)}</li>`)
    .join(\"\");
}

export function total(samples: Sample[]): Sample {
  const sum = { hits: 0, misses: 0 };
  for (const { hits, misses } of samples) {
    sum.hits += hits;
    sum.misses += misses;
  }
  return sum;
}
";

const BOARD_TEST: &str = "\
import assert from \"node:assert\";
import test from \"node:test\";
import { hitRate, total } from \"./board.ts\";

test(\"the hit rate is between 0 and 1\", () => {
  assert.equal(hitRate({ hits: 3, misses: 1 }), 0.75);
});

test(\"no samples make no hits\", () => {
  assert.deepEqual(total([]), { hits: 0, misses: 0 });
});
";
