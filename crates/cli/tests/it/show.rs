use crate::place::Place;

#[test]
fn shows_a_review_with_its_code() {
    Place::demo().check("show 7f3a", "
src/cache.rs:19-21  open, waiting on the reviewer
review 7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001
started 1d ago, changed 58m ago, in ROOT/here/lantern/.code-review/threads/7f3a1c52-0b7e-4c1d-9a35-2e64c0d1f001.md

    16      }
    17
    18      pub fn put(&mut self, key: String, value: Vec<u8>) {
>   19          if self.entries.len() >= self.limit {
>   20              self.evict();
>   21          }
    22          self.entries.insert(key, (Instant::now(), value));
    23      }
    24

Mira Okafor, 1d ago
  This lets one entry too many in: with `>` the cache holds `limit + 1`.

Claude Code (agent), 58m ago
  Right. It is `>=` in the worktree now; not committed yet.
-- exit 0
");
}

#[test]
fn shows_a_review_with_a_suggestion() {
    Place::demo().check("show src/http.rs:6", r#"
src/http.rs:6  open, waiting on an agent
review 0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003
started 1d ago, changed 1d ago, in ROOT/here/lantern/.code-review/threads/0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003.md

     3  use std::net::TcpListener;
     4
     5  pub fn serve(cache: Cache) {
>    6      let listener = TcpListener::bind("0.0.0.0:8080").unwrap();
     7      for stream in listener.incoming() {
     8          let mut stream = stream.unwrap();
     9          let mut request = [0; 512];

Mira Okafor, 1d ago
  Never on all interfaces.

  ```suggestion
      let listener = TcpListener::bind("127.0.0.1:8080").unwrap();
  ```
-- exit 0
"#);
}

#[test]
fn shows_a_review_on_a_deleted_file() {
    Place::demo().check("show src/legacy.rs", "
src/legacy.rs  resolved
review fa1b0c9d-8e7f-4655-9c3d-2b1a0f9eb011
started 4d ago, changed 4d ago, in ROOT/here/lantern/.code-review/threads/fa1b0c9d-8e7f-4655-9c3d-2b1a0f9eb011.md
gone: the code was not found in the files that git tracks

Mira Okafor, 4d ago
  This file is gone; was that on purpose?

Tom Reyes, 4d ago
  Yes, with the rewrite.
-- exit 0
");
}

#[test]
fn shows_the_error_of_an_unusable_review() {
    Place::demo().check("show half-written", "
half-written  cannot be used
review half-written
in ROOT/here/lantern/.code-review/threads/half-written.md
error: there is no closed metadata block [review-no-metadata]
  Put the block between `<local-code-review-thread>` and `</local-code-review-thread>`, each alone on its line.
-- exit 0
");
}

#[test]
fn shows_a_checkpoint_with_every_field() {
    Place::demo().check("show cache-eviction", "
Cache eviction  checkpoint
checkpoint T-20260121-123000-cache-eviction
started 2d ago, changed 2d ago, in ROOT/here/lantern/workspace/threads/T-20260121-123000-cache-eviction.json

  The cache drops its oldest entry when it is full. The HTTP face is a sketch.

git        main at 04d2885, clean
remote     git@example.org:mira/lantern.git
directory  .
tags       cache, http

Commits
  04d2885: cache: drop the oldest entry when it is full

Files
  src/cache.rs
  src/http.rs

Next steps
  [ ] Answer requests longer than 512 bytes
  [ ] Decide what a limit of 0 means
-- exit 0
");
}

#[test]
fn shows_a_checkpoint_of_a_worker() {
    Place::demo().check("show load-test", "
Load test of the HTTP face  checkpoint
checkpoint T-20260122-183000-load-test
started 20h ago, changed 20h ago, in ROOT/here/lantern/workspace/threads/T-20260122-183000-load-test.json

  The load test stopped at 40,000 requests: the server closed the connection.

git        main at fa1fb4f, with uncommitted changes
worker     load-tester, http, error
directory  bench
tags       http, bench

Files
  bench/http.txt: the log of the run

Next steps
  [ ] Read the whole request
  [x] Raise the limit of open files
-- exit 0
");
}

#[test]
fn shows_an_automatic_checkpoint() {
    Place::demo().check("show auto-web", "
Auto: web: show the hit rate  auto-checkpoint
checkpoint T-20260122-113000-auto-web-hit-rate-commit
started 1d ago, changed 1d ago, in ROOT/here/lantern/workspace/threads/T-20260122-113000-auto-web-hit-rate-commit.json

  Committed the board that shows the hit rate.

git        main at fa1fb4f, clean
directory  .
trigger    git-commit
tags       auto-checkpoint

Files
  web/board.ts
-- exit 0
");
}

#[test]
fn shows_a_handoff() {
    Place::demo().check("show review-answers", "
Handoff: answers to the review  handoff
checkpoint T-20260123-123000-review-answers
started 2h ago, changed 2h ago, in ROOT/here/lantern/workspace/threads/T-20260123-123000-review-answers.json

  Two of Mira's threads are answered in the worktree; the HTTP threads are untouched.

git        main at fa1fb4f, with uncommitted changes
directory  .
tags       handoff, review

Files
  src/cache.rs

Next steps
  [ ] Bind to 127.0.0.1
  [ ] Commit the fixes of the cache
-- exit 0
");
}

#[test]
fn shows_a_legacy_checkpoint() {
    Place::demo().check(
        "show cache-spike",
        "
Tried a ring buffer for the cache; a map is simpler and fast enough.  checkpoint
checkpoint cache-spike
started 5d ago, changed 5d ago, in ROOT/here/lantern/workspace/checkpoints/cache-spike.json

completed_at  2026-01-18T14:30:00.000Z
context_notes Numbers are in the issue.

Files
  src/cache.rs
-- exit 0
",
    );
}

#[test]
fn shows_a_session() {
    Place::demo().check(
        "show ses_2",
        "
Show the hit rate on the board  ended
session ses_2f0c8d72e4b6a913502
started 1d ago, last active 1d ago, in ROOT/here/lantern/sessions/mattermost-threads.json

short id   ses_2f0c
project    lantern
directory  ROOT/here/lantern
thread     post2q7w8e9r0t1y2u3i4
channel    dm1a2s3d4f5g6h7j8k
user       mira4k5j6h7g8f9d0s
ended      2026-01-22 11:40
-- exit 0
",
    );
}

#[test]
fn at_last_means_the_first_thread_of_the_list() {
    let place = Place::demo();
    assert_eq!(place.run("show @last").out, place.run("show ses_1").out);
}

#[test]
fn an_unknown_or_ambiguous_id_is_an_error_with_suggestions() {
    let place = Place::demo();
    place.check(
        "show zzz",
        "
-- stderr
Error: no thread has this id: zzz
Hint: run `skein list` to see every thread
-- exit 2
",
    );
    place.check(
        "show eviction",
        "
-- stderr
Error: no thread has this id: eviction
Hint: did you mean `skein show T-20260121-123000-cache-eviction`?
-- exit 2
",
    );
    place.check("show src/http.rs", "
-- stderr
Error: ambiguous thread id: src/http.rs
Hint: name one of them:
  skein show 6c5d4e3f-2a1b-4c0d-8e9f-a0b1c2d3c012  (review src/http.rs:14: This is no HTTP. Is that meant?)
  skein show d4470f6c-2a18-4e9b-8e52-71c9be044004  (review src/http.rs:9-11: A request longer than 512 bytes is cut off silently. What should happen then?)
  skein show 0c9e4b7a-91d3-4b65-b0f4-83a1d5c63003  (review src/http.rs:6: Never on all interfaces.)
-- exit 2
");
    place.check(
        "show ses",
        "
-- stderr
Error: ambiguous thread id: ses
Hint: name one of them:
  skein show ses_1f0c8d72e4b6a913501  (session lantern: Answer Mira's review of the cache)
  skein show ses_2f0c8d72e4b6a913502  (session lantern: Show the hit rate on the board)
  skein show ses_3f0c8d72e4b6a913503  (session lantern: lantern)
  skein show ses_4f0c8d72e4b6a913504  (session lantern: Spike: ring buffer)
-- exit 2
",
    );
}

#[test]
fn every_hint_of_show_works() {
    let place = Place::demo();
    for words in ["show zzz", "show eviction", "show src/http.rs", "show ses"] {
        let output = place.run(words);
        assert_eq!((output.code, output.out.as_str()), (2, ""));
        let mut tried = 0;
        for hint in output.err.split("skein ").skip(1) {
            let command = hint.split(['`', '(']).next().unwrap().trim();
            assert_eq!(place.run(command).code, 0, "{command}");
            tried += 1;
        }
        assert!(tried > 0, "{}", output.err);
    }
}

#[test]
fn a_thread_file_outside_of_a_store_is_shown_by_its_path() {
    let place = Place::demo();
    let threads = place.machine.dir.join(".code-review/threads");
    let thread = std::fs::read_dir(&threads)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            std::fs::read_to_string(path).is_ok_and(|text| text.contains("src/cache.rs\""))
        })
        .unwrap();
    let copy = place.path("home/copy.md");
    std::fs::copy(&thread, &copy).unwrap();
    let output = place.run(&format!("show {}", copy.display()));
    assert_eq!(output.code, 0, "{output}");
    assert!(output.out.contains("src/cache.rs"), "{output}");
    let empty = Place::empty();
    let own = empty.path("here/copy.md");
    std::fs::copy(&thread, &own).unwrap();
    let output = empty.run("show copy.md");
    assert_eq!(output.code, 0, "{output}");
    // A file that is not a thread is refused, and no command writes to a thread file outside of a store.
    std::fs::write(empty.path("here/notes.md"), "# Notes\n").unwrap();
    assert_eq!(empty.run("show notes.md").code, 2);
    let before = std::fs::read(&own).unwrap();
    assert_eq!(empty.run("review reply copy.md -m Yes").code, 2);
    assert_eq!(std::fs::read(&own).unwrap(), before);
}
