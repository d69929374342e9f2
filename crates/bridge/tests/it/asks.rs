//! Permissions and questions.

use skein_bridge::core::ids::{PostId, SessionId, Time};
use skein_bridge::core::input::{
    AgentEvent, ChatEvent, Outcome, Question, Reaction, Reply, Request, RequestKind, Snapshot,
};
use skein_bridge::core::settings::Approvals;
use skein_bridge::core::{Action, Input};

use crate::world::{HOME, OWNER, World, settings};

fn permission(id: &str, session: &SessionId) -> Request {
    let kind = RequestKind::Permission {
        permission: "bash".into(),
        command: "make clean".into(),
        diff: None,
        always: vec!["make *".into()],
    };
    Request { id: id.into(), session: session.clone(), kind }
}

fn question(id: &str, session: &SessionId) -> Request {
    let options = vec![("Yes".into(), "do it".into()), ("No".into(), "stop".into())];
    let questions = vec![Question { text: "Go on?".into(), options }];
    Request { id: id.into(), session: session.clone(), kind: RequestKind::Questions(questions) }
}

/// Starts a session whose agent asks, and returns the post that shows it.
fn ask(world: &mut World, request: fn(&str, &SessionId) -> Request) -> (PostId, PostId) {
    let (root, session) = world.session("go");
    world.agent.ask(request("ask_1", &session));
    world.run();
    let post = world.chat.by_key("ask:ask_1").unwrap().id.clone();
    (root, post)
}

fn react(world: &mut World, post: &PostId, user: &str, emoji: &str) {
    let reaction = Reaction { post: post.clone(), user: user.into(), emoji: emoji.into() };
    world.chat.reactions.push(reaction.clone());
    if !world.chat.is_down {
        world.feed(Input::Chat(ChatEvent::Reacted(reaction)));
    }
    world.wait(1_500);
}

#[test]
fn a_permission_shows_the_command_and_what_always_allows() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    assert_eq!(
        world.chat.post(&post).text,
        ":lock: **Permission: bash**\n```\nmake clean\n```\nReact with :+1: once, \
        :white_check_mark: always (allows `make *` from now on), :-1: reject; or reply `yes`, \
        `always` or `no` with a reason."
    );
}

#[test]
fn a_reaction_before_the_post_is_confirmed_answers() {
    // The ids of posts are the same in both worlds.
    let (_, post) = ask(&mut World::new(), permission);
    let mut world = World::new();
    let reaction = Reaction { post, user: OWNER.into(), emoji: "+1".into() };
    world.chat.reactions.push(reaction.clone());
    world.feed(Input::Chat(ChatEvent::Reacted(reaction)));
    ask(&mut world, permission);
    assert_eq!(world.agent.replies, [("ask_1".into(), Reply::Once)]);
}

#[test]
fn a_reaction_of_an_owner_on_the_post_answers() {
    for (emoji, reply, shown) in [
        ("+1", Reply::Once, "Allowed once."),
        ("+1_medium_skin_tone", Reply::Once, "Allowed once."),
        ("white_check_mark", Reply::Always, "Allowed always."),
        ("-1", Reply::Reject(None), "Rejected."),
    ] {
        let mut world = World::new();
        let (root, post) = ask(&mut world, permission);
        react(&mut world, &post, "user-friend", emoji);
        react(&mut world, &root, OWNER, emoji);
        assert!(world.agent.replies.is_empty());
        react(&mut world, &post, OWNER, emoji);
        react(&mut world, &post, OWNER, "-1");
        assert_eq!(world.agent.replies, [("ask_1".into(), reply)]);
        assert!(world.chat.post(&post).text.ends_with(&format!("```\n{shown}")));
        assert!(world.core.state().asks.is_empty());
    }
}

#[test]
fn a_reply_answers_and_other_texts_are_prompts() {
    for (text, reply) in [
        ("Yes", Reply::Once),
        ("always", Reply::Always),
        ("no: use cargo", Reply::Reject(Some("use cargo".into()))),
    ] {
        let mut world = World::new();
        let (root, _) = ask(&mut world, permission);
        world.reply(&root, "yes, and also test it");
        assert!(world.agent.replies.is_empty());
        world.reply(&root, text);
        assert_eq!(world.agent.replies, [("ask_1".into(), reply)]);
    }
}

#[test]
fn a_setting_lets_all_users_answer() {
    let mut settings = settings();
    settings.approvals = Approvals::All;
    let mut world = World::with(settings);
    let (_, post) = ask(&mut world, permission);
    react(&mut world, &post, "user-stranger", "+1");
    assert!(world.agent.replies.is_empty());
    react(&mut world, &post, "user-friend", "+1");
    assert_eq!(world.agent.replies.len(), 1);
}

#[test]
fn a_question_is_answered_by_number_or_text() {
    let answers = |text: &str| Reply::Answers(vec![vec![text.into()]]);
    for (text, reply) in [("2", answers("No")), ("2 of them", answers("2 of them"))] {
        let mut world = World::new();
        let (root, _) = ask(&mut world, question);
        world.reply(&root, text);
        assert_eq!(world.agent.replies, [("ask_1".into(), reply)]);
    }
    let mut world = World::new();
    let (_, post) = ask(&mut world, question);
    assert!(world.chat.post(&post).text.starts_with(":question: **Go on?**\n1. Yes: do it\n"));
    react(&mut world, &post, OWNER, "one");
    assert_eq!(world.agent.replies, [("ask_1".into(), answers("Yes"))]);
}

#[test]
fn one_that_was_answered_elsewhere_says_so() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    world.agent.asks.clear();
    let reply = "always".into();
    world.feed(Input::Agent(AgentEvent::AskClosed { id: "ask_1".into(), reply }));
    world.wait(1_500);
    assert!(world.chat.post(&post).text.ends_with("Answered elsewhere: always"));
}

#[test]
fn one_that_expired_during_a_gap_says_so() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    world.agent.asks.clear();
    world.kill();
    world.wait(1_500);
    assert!(world.chat.post(&post).text.ends_with("Answered elsewhere, or no longer asked."));
    assert!(world.core.state().asks.is_empty());
}

#[test]
fn a_late_answer_to_an_expired_one_says_so() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    world.agent.asks.clear();
    react(&mut world, &post, OWNER, "+1");
    assert!(world.chat.post(&post).text.ends_with("Answered elsewhere, or no longer asked."));
}

#[test]
fn one_that_was_asked_or_answered_during_a_gap_is_found() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    world.agent.is_down = true;
    world.feed(Input::Agent(AgentEvent::Disconnected));
    world.agent.ask(permission("ask_1", &session));
    world.connect_agent();
    let post = world.chat.by_key("ask:ask_1").unwrap().id.clone();
    assert_eq!(world.chat.post(&post).root.as_ref(), Some(&root));
    world.chat.is_down = true;
    react(&mut world, &post, OWNER, "+1");
    assert!(world.agent.replies.is_empty());
    world.connect_chat();
    assert_eq!(world.agent.replies.len(), 1);
}

#[test]
fn an_ask_that_is_newer_than_the_fetched_state_stays() {
    let mut world = World::new();
    let (_, session) = world.session("go");
    let instance = "instance 0".to_owned();
    // The state is fetched, then the permission is asked for, then the state arrives.
    let connected = Input::Agent(AgentEvent::Connected { instance });
    let actions = world.core.handle(Time(world.now), connected);
    let [Action::FetchAgent { connection }] = actions.as_slice() else { panic!("{actions:?}") };
    world.feed(Input::Agent(AgentEvent::Asked(permission("ask_1", &session))));
    let outcome = |connection: u64| {
        Input::Outcome(Outcome::AgentFetched { connection, snapshot: Snapshot::default() })
    };
    world.feed(outcome(connection - 1));
    world.feed(outcome(*connection));
    assert_eq!(world.core.state().asks[&"ask_1".into()].result, None);
}

#[test]
fn an_answer_is_sent_after_a_kill_or_a_failure() {
    for steps in 0..8 {
        let mut world = World::new();
        let (_, post) = ask(&mut world, permission);
        world.steps_to_kill = Some(steps);
        react(&mut world, &post, OWNER, "+1");
        world.wait(5_000);
        assert_eq!(world.agent.replies, [("ask_1".into(), Reply::Once)], "{steps} steps");
        assert!(world.chat.post(&post).text.ends_with("Allowed once."), "{steps} steps");
    }
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    world.agent.is_down = true;
    react(&mut world, &post, OWNER, "+1");
    world.agent.is_down = false;
    world.wait(10_000);
    assert_eq!(world.agent.replies.len(), 1);
}

#[test]
fn a_permission_of_a_subagent_is_shown_in_the_thread_of_its_session() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let child = world.agent.create("/src/app", "child", world.now);
    world.agent.events.clear();
    let stored = world.agent.session(&child);
    stored.info.parent = Some(session);
    let info = stored.info.clone();
    world.feed(Input::Agent(AgentEvent::Session(info)));
    world.agent.ask(permission("ask_1", &child));
    world.run();
    assert_eq!(world.chat.by_key("ask:ask_1").unwrap().root.as_ref(), Some(&root));
    assert_eq!(world.core.state().threads.len(), 1);
}

#[test]
fn a_reply_from_before_the_request_does_not_answer_it() {
    let mut world = World::new();
    let (root, post) = ask(&mut world, permission);
    let at = world.chat.post(&post).created;
    let id = world.chat.write(HOME, OWNER, Some(&root), "ok", at - 1).id;
    let old = world.chat.post(&id).seen();
    world.feed(Input::Chat(ChatEvent::Posted(old)));
    assert_eq!(world.agent.replies, []);
    world.reply(&root, "ok");
    assert_eq!(world.agent.replies, [("ask_1".into(), Reply::Once)]);
}

#[test]
fn the_tone_of_a_reaction_does_not_matter() {
    for tone in ["light", "medium_light", "medium", "medium_dark", "dark"] {
        let mut world = World::new();
        let (_, post) = ask(&mut world, permission);
        react(&mut world, &post, OWNER, &format!("+1_{tone}_skin_tone"));
        assert_eq!(world.agent.replies, [("ask_1".into(), Reply::Once)], "{tone}");
    }
}
