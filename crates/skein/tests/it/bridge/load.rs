//! What a bridge costs, and connections that are lost.

use std::collections::{BTreeMap, BTreeSet};
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

/// Returns the number of requests that an action causes.
fn requests_of(proxy: &Proxy, act: impl FnOnce()) -> usize {
    wait_until_idle(proxy);
    let before = proxy.requests();
    act();
    wait_until_idle(proxy);
    proxy.requests() - before
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn an_answer_of_six_seconds_costs_few_requests_and_nothing_is_requested_while_idle() {
    let (world, proxy) = world_with_proxy();
    let _bridge = world.start();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    let count = requests_of(&proxy, || {
        world.reply(&root, "SLOW 60 100");
        world.wait_for_answer(&root, "word60");
    });
    println!("requests for an answer of 6 s: {count}");
    assert!(count <= 12, "{count} requests");

    let before = proxy.requests();
    std::thread::sleep(Duration::from_secs(15));
    assert_eq!(proxy.requests() - before, 0);
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
fn a_long_answer_costs_few_requests() {
    let (world, proxy) = world_with_proxy();
    let _bridge = world.start();
    let root = world.prompt("hello");
    world.wait_for_answer(&root, "echo: hello");
    let count = requests_of(&proxy, || {
        world.reply(&root, "LONG 200 30");
        wait_for("200 KB are there", || (world.answers(&root).len() > 200 * 1024).then_some(()));
    });
    println!("requests for an answer of 200 KB in 30 s: {count}");
    assert!(count <= 60, "{count} requests");
}

#[test]
#[ignore = "needs real servers: .ci/long servers"]
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

/// Prints how far answers are behind the events of OpenCode, with many sessions at once, and the memory of the bridge.
///
/// The number of rounds is in the environment.
#[test]
#[ignore = "measures: SKEIN_TEST_MEASURE=1"]
fn answers_are_shown_soon() {
    let rounds = std::env::var("SKEIN_TEST_MEASURE").ok().and_then(|text| text.parse().ok());
    let Some(rounds) = rounds else { return };
    let world = World::alone();
    let bridge = world.start();
    let prompt = |number| world.prompt(&format!("hello {number}"));
    let roots: Vec<_> = (0..SESSIONS).map(prompt).collect();
    for (number, root) in roots.iter().enumerate() {
        world.wait_for_answer(root, &format!("echo: hello {number}"));
    }
    let (mut first, mut last) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        // Not more prompts than a user may send in a minute.
        std::thread::sleep(Duration::from_secs(61));
        println!("memory of an idle bridge: {}", bridge.memory());
        measure_answers(&world, &roots, &mut first, &mut last);
    }
    println!("first text: {}", describe(&mut first));
    println!("last text: {}", describe(&mut last));
}

fn describe(times: &mut [i64]) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    let (count, longest) = (times.len(), at(100));
    format!("p50 {} ms, p99 {} ms, longest {longest} ms of {count}", at(50), at(99))
}

/// Adds the milliseconds from the first and last text of answers to the posts on the server that show them.
fn measure_answers(world: &World, roots: &[Post], first: &mut Vec<i64>, last: &mut Vec<i64>) {
    let events = follow_texts(&world.opencode, roots.len());
    let answers = |root: &Post| world.posts(root, "answer:");
    let counts: Vec<_> = roots.iter().map(|root| answers(root).len()).collect();
    for root in roots {
        world.reply(root, "SLOW 60 100");
    }
    let texts = events.join().unwrap();
    let map = world.map();
    for (root, count) in roots.iter().zip(counts) {
        let answer = wait_for("the whole answer", || {
            answers(root).into_iter().nth(count).filter(|post| post.message.contains("word60"))
        });
        let entry = map.iter().find(|entry| entry["threadRootPostId"] == root.id).unwrap();
        let (begin, end) = texts[entry["sessionId"].as_str().unwrap()];
        first.push(i64::try_from(answer.create_at).unwrap() - begin);
        last.push(i64::try_from(answer.update_at).unwrap() - end);
    }
}

/// Returns when the first and the last text of each session came, after all have ended.
fn follow_texts(
    opencode: &OpenCode,
    count: usize,
) -> std::thread::JoinHandle<BTreeMap<String, (i64, i64)>> {
    let stream = opencode.access().open("GET", "/global/event", &[]).unwrap();
    std::thread::spawn(move || {
        let (mut times, mut ended) = (BTreeMap::new(), BTreeSet::new());
        for line in BufReader::new(stream).lines() {
            let line = line.unwrap();
            let Some(event) = line.strip_prefix("data: ") else { continue };
            let event: Value = serde_json::from_str(event).unwrap();
            let Some(session) = event["payload"]["properties"]["sessionID"].as_str() else {
                continue;
            };
            let now = i64::try_from(UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap();
            match event["payload"]["type"].as_str() {
                Some("message.part.delta") => {
                    times.entry(session.to_owned()).or_insert((now, now)).1 = now;
                }
                Some("session.idle") if times.contains_key(session) => {
                    ended.insert(session.to_owned());
                }
                _ => {}
            }
            if ended.len() == count {
                break;
            }
        }
        times
    })
}
