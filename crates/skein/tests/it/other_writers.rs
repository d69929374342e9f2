//! Another program that writes a thread without a lock, as the original extension does, during replies.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use skein_testkit::size;

use crate::place::{Place, printed};

/// A write: when it started, when it ended, and its text.
struct Span {
    from: Instant,
    to: Instant,
    text: String,
}

fn overlaps(one: &Span, other: &Span) -> bool {
    one.from <= other.to && other.from <= one.to
}

fn comment(text: &str) -> String {
    let id = text.replace(' ', "-");
    format!(
        "\n<local-code-review-comment id=\"{id}\" author=\"You\" createdAt=\"2026-01-20T10:00:00.000Z\"/>\n\n{text}\n"
    )
}

/// Reads the whole file and writes it again with one more comment, truncating it first.
fn regenerate(path: &Path, text: &str) -> bool {
    let Ok(read) = fs::read_to_string(path) else { return false };
    fs::write(path, read + &comment(text)).is_ok()
}

fn append(path: &Path, text: &str) -> bool {
    let file = File::options().append(true).open(path);
    file.and_then(|mut file| file.write_all(comment(text).as_bytes())).is_ok()
}

/// Reads the whole file and writes it again in two steps, so that it is cut off in between.
fn regenerate_in_two_steps(path: &Path, text: &str) -> bool {
    let Ok(read) = fs::read_to_string(path) else { return false };
    let text = read + &comment(text);
    write_in_two_steps(path, &text, text.len() / 2, Duration::from_micros(500));
    true
}

fn write_in_two_steps(path: &Path, text: &str, cut: usize, stall: Duration) {
    let (first, rest) = text.as_bytes().split_at(cut);
    let mut file = File::create(path).unwrap();
    file.write_all(first).unwrap();
    thread::sleep(stall);
    file.write_all(rest).unwrap();
}

/// Lets another program write to a thread during replies.
///
/// Returns the thread file, the replies that succeeded and the writes of the program. The program
/// pauses after every eight comments, because replies are refused while it writes.
fn race(write: fn(&Path, &str) -> bool) -> (String, Vec<Span>, Vec<Span>) {
    let place = Place::with_store();
    place.file("work/a.rs", "one\ntwo\n");
    place.done(&["review", "add", "a.rs:1", "-m", "Why?"]);
    let path = place.threads().remove(0);
    let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
    let going = AtomicBool::new(true);
    let (ours, theirs) = thread::scope(|scope| {
        let foreign = scope.spawn(|| {
            let mut spans = Vec::new();
            while going.load(Ordering::Relaxed) {
                let (from, text) = (Instant::now(), format!("foreign {}", spans.len()));
                if write(&path, &text) {
                    spans.push(Span { from, to: Instant::now(), text });
                }
                let rest = if spans.len() % 8 == 0 { 1400 } else { 25 };
                thread::sleep(Duration::from_millis(rest));
            }
            spans
        });
        let (place, stem) = (&place, &stem);
        let replies: Vec<_> = (0..size(3, 16))
            .map(|who| {
                scope.spawn(move || {
                    let mut spans = Vec::new();
                    // A reply waits for two seconds to see whether the other program overwrites it.
                    for number in 0..size(6, 100) {
                        let (from, text) = (Instant::now(), format!("reply {who} {number}"));
                        let reply = place.skein(&["review", "reply", stem, "-m", &text]).output();
                        let reply = reply.unwrap();
                        if reply.status.success() {
                            spans.push(Span { from, to: Instant::now(), text });
                        } else {
                            // On a slow disk the other program may be faster every time.
                            let refused = printed(&reply);
                            let is_busy = refused.contains("keeps changing the file");
                            assert!(is_busy || refused.contains("is writing in"), "{refused}");
                        }
                    }
                    spans
                })
            })
            .collect();
        let ours: Vec<_> = replies.into_iter().map(thread::ScopedJoinHandle::join).collect();
        going.store(false, Ordering::Relaxed);
        (ours.into_iter().flat_map(Result::unwrap).collect::<Vec<_>>(), foreign.join().unwrap())
    });
    let left: Vec<_> = place.threads().into_iter().filter(|file| *file != path).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
    assert_eq!(place.json(&["review", "show", &stem, "--json"])["usable"], true);
    (fs::read_to_string(&path).unwrap(), ours, theirs)
}

fn missing<'a>(text: &str, spans: &'a [Span]) -> Vec<&'a Span> {
    let has = |span: &&Span| !text.lines().any(|line| line == span.text);
    spans.iter().filter(has).collect()
}

/// A program that reads the file and writes it later overwrites the replies in between, which Skein
/// cannot prevent. All other replies are kept, and everything that the program wrote.
#[test]
fn replies_do_not_lose_what_a_program_that_rewrites_the_file_wrote() {
    check_regenerated(regenerate);
}

#[test]
fn replies_do_not_lose_what_a_program_that_rewrites_the_file_in_two_steps_wrote() {
    check_regenerated(regenerate_in_two_steps);
}

fn check_regenerated(write: fn(&Path, &str) -> bool) {
    let (text, ours, theirs) = race(write);
    assert!(!theirs.is_empty() && !ours.is_empty());
    let lost: Vec<&str> = missing(&text, &theirs).iter().map(|span| span.text.as_str()).collect();
    assert!(lost.is_empty(), "of {}: {lost:?}", theirs.len());
    let gone = missing(&text, &ours);
    let not_theirs = gone.iter().filter(|reply| !theirs.iter().any(|write| overlaps(reply, write)));
    assert_eq!(not_theirs.count(), 0, "replies were lost that the other program did not overwrite");
}

/// A thread with ten comments is truncated and completed a moment later, during a reply.
#[test]
fn a_reply_waits_for_a_program_that_writes_the_thread_in_two_steps() {
    thread::scope(|scope| {
        for cut in [0, 35, 50, 70, 90, 99] {
            for stall in [2, 200, 700] {
                scope.spawn(move || check_cut(cut, Duration::from_millis(stall)));
            }
        }
    });
}

fn check_cut(percent: usize, stall: Duration) {
    let place = Place::with_store();
    place.file("work/a.rs", "one\ntwo\n");
    place.done(&["review", "add", "a.rs:1", "-m", "comment 0"]);
    let path = place.threads().remove(0);
    for number in 1..10 {
        assert!(append(&path, &format!("comment {number}")));
    }
    let text = fs::read_to_string(&path).unwrap();
    let stem = path.file_stem().unwrap().to_str().unwrap();
    thread::scope(|scope| {
        let writer =
            scope.spawn(|| write_in_two_steps(&path, &text, text.len() * percent / 100, stall));
        while fs::read_to_string(&path).is_ok_and(|now| now == text) && !writer.is_finished() {}
        place.done(&["review", "reply", stem, "-m", "reply"]);
    });
    let after = fs::read_to_string(&path).unwrap();
    for number in 0..10 {
        let comment = format!("comment {number}");
        assert!(after.lines().any(|line| line == comment), "{percent} %, {stall:?}: {comment}");
    }
    assert!(after.lines().any(|line| line == "reply"), "{percent} %, {stall:?}: {after}");
}

/// Comments that are appended between two replies are kept, and no reply is lost.
#[test]
fn replies_do_not_lose_what_a_program_that_appends_wrote() {
    let (text, ours, theirs) = race(append);
    assert!(!theirs.is_empty() && !ours.is_empty());
    assert!(missing(&text, &ours).is_empty());
    let lost: Vec<&str> = missing(&text, &theirs).iter().map(|span| span.text.as_str()).collect();
    assert!(lost.is_empty(), "of {}: {lost:?}", theirs.len());
}
