//! What a bridge costs, and connections that are lost.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::time::{Duration, UNIX_EPOCH};

use serde_json::Value;

use super::agent::OpenCode;
use super::chat::{Post, unique_word};
use super::proxy::Proxy;
use super::world::{World, wait_for};

/// Returns a world whose bridge reaches Mattermost through a proxy.
fn world_with_proxy() -> (World, Proxy) {
    let world = World::new();
    let proxy = Proxy::start(&world.chat.address);
    world.write_settings(&world.settings().replace(&world.chat.address, &proxy.address));
    (world, proxy)
}

/// Waits until no request is sent any more.
fn wait_until_idle(proxy: &Proxy) {
    let mut last = proxy.requests();
    wait_for("no more requests", || {
        std::thread::sleep(Duration::from_secs(2));
        let is_idle = proxy.requests() == last;
        last = proxy.requests();
        is_idle.then_some(())
    });
}

#[test]
#[ignore = "needs real servers: .ci/real servers"]
fn an_answer_of_six_seconds_costs_few_requests_and_nothing_is_requested_while_idle() {
    let (world, proxy) = world_with_proxy();
    let _bridge = world.start();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    wait_until_idle(&proxy);
    let before = proxy.requests();
    world.reply(&root, "SLOW 60 100");
    world.wait_for_answer(&root, "word60");
    wait_until_idle(&proxy);
    let count = proxy.requests() - before;
    println!("requests for an answer of 6 s: {count}");
    assert!(count <= 12, "{count} requests");

    let before = proxy.requests();
    std::thread::sleep(Duration::from_secs(15));
    assert_eq!(proxy.requests() - before, 0);
}

#[test]
#[ignore = "needs real servers: .ci/real servers"]
fn a_long_answer_costs_few_requests() {
    let (world, proxy) = world_with_proxy();
    let _bridge = world.start();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    wait_until_idle(&proxy);
    let before = proxy.requests();
    world.reply(&root, "LONG 200 30");
    wait_for("the answer begins", || (world.answers(&root).len() > 1000).then_some(()));
    wait_until_idle(&proxy);
    let count = proxy.requests() - before;
    println!("requests for an answer of 200 KB in 30 s: {count}");
    assert!(world.answers(&root).len() > 200 * 1024);
    assert!(count <= 60, "{count} requests");
}

#[test]
#[ignore = "needs real servers: .ci/real servers"]
fn connections_that_are_cut_lose_no_post_and_no_text() {
    let (world, proxy) = world_with_proxy();
    let _bridge = world.start();
    let word = unique_word();
    let root = world.prompt("SLOW 80 100");
    let mut posts = Vec::new();
    for number in 1..=4 {
        world.wait_for_answer(&root, &format!("word{}", number * 10));
        proxy.cut();
        posts.push(world.prompt(&format!("{number} {word}")));
    }
    world.wait_for_answer(&root, "word80");
    assert_eq!(world.answers(&root).matches("word1 ").count(), 1);
    for (post, number) in posts.iter().zip(1..) {
        world.wait_for_answer(post, &format!("echo: {number} {word}"));
        world.assert_asked_once(&format!("{number} {word}"));
    }
}

const SESSIONS: usize = 20;

/// Prints how long the first text of answers takes, with many sessions at once, and the memory of an idle bridge.
#[test]
#[ignore = "measures: SKEIN_TEST_MEASURE=1"]
fn the_first_text_is_shown_soon() {
    if std::env::var_os("SKEIN_TEST_MEASURE").is_none() {
        return;
    }
    let world = World::alone();
    let bridge = world.start();
    let roots: Vec<_> =
        (0..SESSIONS).map(|number| world.prompt(&format!("hello {number}"))).collect();
    for (number, root) in roots.iter().enumerate() {
        world.wait_for_answer(root, &format!("echo: hello {number}"));
    }
    println!("memory of an idle bridge with {SESSIONS} sessions: {}", bridge.memory());
    // The prompts of the last minute count.
    std::thread::sleep(Duration::from_secs(61));
    for round in ["one session", "20 sessions"] {
        let roots = if round == "one session" { &roots[..1] } else { &roots[..] };
        let times = first_texts(&world, roots);
        println!("first text with {round}: {}", describe(times));
        std::thread::sleep(Duration::from_secs(61));
    }
    println!("memory after {SESSIONS} answers at once: {}", bridge.memory());
}

fn describe(mut times: Vec<i64>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    format!("p50 {} ms, p90 {} ms, p99 {} ms, longest {} ms", at(50), at(90), at(99), at(100))
}

/// Returns the milliseconds from the first event with text to the post that shows it.
fn first_texts(world: &World, roots: &[Post]) -> Vec<i64> {
    let events = follow_texts(&world.opencode, roots.len());
    let posts: BTreeMap<_, _> =
        roots.iter().map(|root| (root.id.clone(), world.posts(root, "answer:").len())).collect();
    for root in roots {
        world.reply(root, "SLOW 60 100");
    }
    for root in roots {
        world.wait_for_answer(root, "word60");
    }
    let texts = events.join().unwrap();
    let sessions: BTreeMap<_, _> = world
        .map()
        .into_iter()
        .map(|entry| {
            (
                entry["threadRootPostId"].as_str().unwrap().to_owned(),
                entry["sessionId"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let time = |root: &Post| {
        let shown = world.posts(root, "answer:")[posts[&root.id]].create_at;
        i64::try_from(shown).unwrap() - texts[&sessions[&root.id]]
    };
    roots.iter().map(time).collect()
}

/// Returns when the first text of each session came.
fn follow_texts(
    opencode: &OpenCode,
    count: usize,
) -> std::thread::JoinHandle<BTreeMap<String, i64>> {
    let stream = opencode.access().open("GET", "/global/event", &[]).unwrap();
    std::thread::spawn(move || {
        let mut times = BTreeMap::new();
        for line in BufReader::new(stream).lines() {
            let line = line.unwrap();
            let Some(event) =
                line.strip_prefix("data: ").filter(|line| line.contains("part.delta"))
            else {
                continue;
            };
            let event: Value = serde_json::from_str(event).unwrap();
            let session = event["payload"]["properties"]["sessionID"].as_str().unwrap().to_owned();
            let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
            times.entry(session).or_insert(now);
            if times.len() == count {
                break;
            }
        }
        times
    })
}
