//! Permissions and questions.

use skein_bridge::core::action::OutFile;
use skein_bridge::core::ids::{Millis, PostId, SessionId};
use skein_bridge::core::input::{
    AgentError, AgentEvent, AgentSnapshot, AskReply, AskRequest, ChatEvent, Outcome, Question,
    Reaction, RequestKind,
};
use skein_bridge::core::settings::Approvals;
use skein_bridge::core::{BridgeAction, BridgeSettings, Input};

use crate::world::{HOME, OWNER, World, settings};

fn permission(id: &str, session: &SessionId) -> AskRequest {
    let kind = RequestKind::Permission {
        permission: "bash".into(),
        command: "make clean".into(),
        diff: None,
        always: vec!["make *".into()],
        is_partial: false,
    };
    AskRequest { id: id.into(), session: session.clone(), kind }
}

fn question(id: &str, session: &SessionId) -> AskRequest {
    let options = vec![("Yes".into(), "do it".into()), ("No".into(), "stop".into())];
    let questions = vec![Question { text: "Go on?".into(), options }];
    AskRequest { id: id.into(), session: session.clone(), kind: RequestKind::Questions(questions) }
}

/// Starts a session whose agent asks, and returns the post that shows it.
fn ask(world: &mut World, request: fn(&str, &SessionId) -> AskRequest) -> (PostId, PostId) {
    let (root, session) = world.session("go");
    world.agent.ask(request("ask_1", &session));
    world.run();
    let post = world.chat.by_key("ask:ask_1").unwrap().id.clone();
    (root, post)
}

fn react(world: &mut World, post: &PostId, user: &str, emoji: &str) {
    world.react(user, post, emoji);
    world.wait(1_500);
}

#[test]
fn a_permission_shows_the_command_and_what_always_allows() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    assert_eq!(
        world.chat.post(&post).text,
        ":lock: **Permission: bash**\n```\nmake clean\n```\n*Always* allows from now on: `make *`\n\
        React with :+1: once, :white_check_mark: always, :-1: reject; or reply `yes`, `always`, \
        `no` or `no: REASON`."
    );
}

/// A permission that is too long for a post.
fn long_permission(id: &str, session: &SessionId) -> AskRequest {
    let kind = RequestKind::Permission {
        permission: "edit".into(),
        command: format!("echo {}; rm -rf /", "a".repeat(9_000)),
        diff: Some(format!("{}+the last line", "+a line\n".repeat(2_000))),
        always: vec!["*".into()],
        is_partial: false,
    };
    AskRequest { id: id.into(), session: session.clone(), kind }
}

#[test]
fn a_long_permission_is_attached_as_a_file_with_all_of_it() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, long_permission);
    let shown = world.chat.post(&post).clone();
    assert!(shown.text.starts_with(":lock: **Permission: edit**\n```\necho aaa"), "{}", shown.text);
    assert!(shown.text.contains("**The full text is in the attached file: "), "{}", shown.text);
    assert!(shown.text.ends_with("`no: REASON`."), "{}", shown.text);
    assert!(shown.text.chars().count() < 6_000);
    let Some(OutFile::Text { content, .. }) = shown.file else { panic!("no file") };
    let parts = ["aaa; rm -rf /\n", "+the last line\n", "*Always* allows from now on: `*`"];
    for part in parts {
        assert!(content.contains(part), "{part}");
    }
    react(&mut world, &post, OWNER, "+1");
    assert_eq!(world.agent.replies, [("ask_1".into(), AskReply::Once)]);
    assert!(world.chat.post(&post).text.ends_with("Allowed once."));
}

#[test]
fn a_permission_that_could_not_be_posted_whole_can_only_be_rejected() {
    for steps in 0..6 {
        let mut world = World::new();
        world.chat.rejected_files = Some("files are disabled");
        let (root, session) = world.session("go");
        world.steps_to_kill = Some(steps);
        world.agent.ask(long_permission("ask_1", &session));
        world.run();
        world.wait(10_000);
        world.steps_to_kill = None;
        let post = world.chat.by_key("ask:ask_1").unwrap().clone();
        let text = ":lock: **Permission: edit**\nIt could not be posted: files are disabled\nThis \
            request can be answered in OpenCode. Here it can only be rejected: react with :-1:.";
        assert_eq!(post.text, text, "{steps} steps");
        world.chat.rejected_files = None;
        react(&mut world, &post.id, OWNER, "+1");
        react(&mut world, &post.id, OWNER, "white_check_mark");
        world.reply(&root, "yes");
        assert_eq!(world.agent.replies, [], "{steps} steps");
        let last = world.thread(&root).pop().unwrap();
        assert!(last.starts_with("This request can be answered in OpenCode."), "{last}");
        react(&mut world, &post.id, OWNER, "-1");
        assert_eq!(
            world.agent.replies,
            [("ask_1".into(), AskReply::Reject(None))],
            "{steps} steps"
        );
    }
}

#[test]
fn a_permission_that_is_larger_than_a_file_may_be_can_only_be_rejected() {
    let mut world = World::with(BridgeSettings { max_file_bytes: 20_000, ..settings() });
    let (_, post) = ask(&mut world, long_permission);
    let text = &world.chat.post(&post).text;
    assert!(text.contains("\nIt could not be posted: the file is too large\n"), "{text}");
    react(&mut world, &post, OWNER, "+1");
    assert_eq!(world.agent.replies, []);
}

#[test]
fn a_reaction_before_the_post_is_confirmed_answers() {
    // The ids of posts are the same in both worlds.
    let (_, post) = ask(&mut World::new(), permission);
    let mut world = World::new();
    world.react(OWNER, &post, "+1");
    ask(&mut world, permission);
    assert_eq!(world.agent.replies, [("ask_1".into(), AskReply::Once)]);
}

#[test]
fn a_reaction_of_an_owner_on_the_post_answers() {
    for (emoji, reply, shown) in [
        ("+1", AskReply::Once, "Allowed once."),
        ("+1_medium_skin_tone", AskReply::Once, "Allowed once."),
        ("white_check_mark", AskReply::Always, "Allowed always."),
        ("-1", AskReply::Reject(None), "Rejected."),
    ] {
        let mut world = World::new();
        let (root, post) = ask(&mut world, permission);
        react(&mut world, &post, "user-friend", emoji);
        react(&mut world, &root, OWNER, emoji);
        assert!(world.agent.replies.is_empty());
        react(&mut world, &post, OWNER, emoji);
        react(&mut world, &post, OWNER, "-1");
        assert_eq!(world.agent.replies, [("ask_1".into(), reply)]);
        assert!(world.chat.post(&post).text.ends_with(&format!("`make *`\n{shown}")));
        assert!(world.core.state().asks.is_empty());
    }
}

#[test]
fn a_reply_answers_and_other_texts_are_prompts() {
    for (text, reply) in [
        ("Yes", AskReply::Once),
        ("always", AskReply::Always),
        ("no: use cargo", AskReply::Reject(Some("use cargo".into()))),
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
    let answers = |text: &str| AskReply::Answers(vec![vec![text.into()]]);
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
    let reply = AskReply::Always;
    world.feed(Input::Agent(AgentEvent::AskClosed { id: "ask_1".into(), reply }));
    world.wait(1_500);
    assert!(world.chat.post(&post).text.ends_with("Answered elsewhere: always allowed"));
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
    let actions = world.core.handle(Millis(world.now), connected);
    let [BridgeAction::FetchAgent { connection }] = actions.as_slice() else {
        panic!("{actions:?}")
    };
    world.feed(Input::Agent(AgentEvent::Asked(permission("ask_1", &session))));
    let outcome = |connection: u64| {
        Input::Outcome(Outcome::AgentFetched { connection, snapshot: AgentSnapshot::default() })
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
        assert_eq!(world.agent.replies, [("ask_1".into(), AskReply::Once)], "{steps} steps");
        assert!(world.chat.post(&post).text.contains("\nAllowed once."), "{steps} steps");
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
    assert_eq!(world.agent.replies, [("ask_1".into(), AskReply::Once)]);
}

#[test]
fn the_tone_of_a_reaction_does_not_matter() {
    for tone in ["light", "medium_light", "medium", "medium_dark", "dark"] {
        let mut world = World::new();
        let (_, post) = ask(&mut world, permission);
        react(&mut world, &post, OWNER, &format!("+1_{tone}_skin_tone"));
        assert_eq!(world.agent.replies, [("ask_1".into(), AskReply::Once)], "{tone}");
    }
}

#[test]
fn an_answer_that_opencode_refuses_leaves_the_request_open() {
    for steps in 0..8 {
        let mut world = World::new();
        let (root, post) = ask(&mut world, permission);
        world.agent.rejection = Some("not now".into());
        world.steps_to_kill = Some(steps);
        world.reply(&root, "always");
        world.wait(5_000);
        world.steps_to_kill = None;
        let text = world.chat.post(&post).text.clone();
        assert!(text.contains("\nOpenCode refused the answer: not now\nReact with"), "{text}");
        world.agent.rejection = None;
        world.reply(&root, "yes");
        world.wait(5_000);
        assert_eq!(world.agent.replies, [("ask_1".into(), AskReply::Once)], "{steps} steps");
        assert!(world.chat.post(&post).text.ends_with("`make *`\nAllowed once."));
    }
}

/// Another client answers before our own answer arrives.
fn answer_elsewhere(world: &mut World, reply: AskReply) {
    world.agent.asks.clear();
    let closed = AgentEvent::AskClosed { id: "ask_1".into(), reply };
    world.agent.events.push_front(closed);
}

#[test]
fn the_result_is_the_answer_that_was_first() {
    for reply in [AskReply::Reject(None), AskReply::Once] {
        let mut world = World::new();
        let (_, post) = ask(&mut world, permission);
        answer_elsewhere(&mut world, reply.clone());
        // The event is on its way when the user reacts.
        let (user, emoji) = (OWNER.into(), "+1".into());
        let reaction = Reaction { post: post.clone(), user, emoji, at: Millis(world.now) };
        let actions =
            world.core.handle(Millis(world.now), Input::Chat(ChatEvent::Reacted(reaction)));
        let is_reply = |action: &BridgeAction| matches!(action, BridgeAction::Reply { .. });
        assert!(actions.iter().any(is_reply));
        world.run();
        let (id, error) = ("ask_1".into(), AgentError::NotFound);
        world.feed(Input::Outcome(Outcome::ReplyFailed { id, error }));
        world.wait(1_500);
        let text = world.chat.post(&post).text.clone();
        let answer = if reply == AskReply::Once { "allowed once" } else { "rejected" };
        assert!(text.ends_with(&format!("\nAnswered elsewhere: {answer}")), "{text}");
        let last = world.audit.last().unwrap();
        assert_eq!((last.user.as_ref(), last.what.as_str()), (None, "answer ask_1"));
    }
}

#[test]
fn an_answer_that_waits_for_opencode_does_not_hide_the_one_that_was_first() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    world.agent.is_down = true;
    react(&mut world, &post, OWNER, "+1");
    world.agent.is_down = false;
    answer_elsewhere(&mut world, AskReply::Reject(None));
    world.run();
    world.wait(10_000);
    let text = &world.chat.post(&post).text;
    assert!(text.ends_with("\nAnswered elsewhere: rejected"), "{text}");
}

#[test]
fn an_answer_whose_arrival_is_not_known_is_shown_as_not_confirmed() {
    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    world.agent.loses_answer = true;
    react(&mut world, &post, OWNER, "+1");
    assert!(world.chat.post(&post).text.ends_with("Allowed once."), "the event confirms it");

    let mut world = World::new();
    let (_, post) = ask(&mut world, permission);
    world.agent.is_down = true;
    react(&mut world, &post, OWNER, "+1");
    world.agent.is_down = false;
    world.agent.asks.clear();
    world.wait(10_000);
    let text = &world.chat.post(&post).text;
    assert!(text.ends_with("Allowed once.\nOpenCode did not confirm this answer; another client may have answered first."), "{text}");
}

#[test]
fn a_permission_shows_characters_that_would_change_what_is_seen() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let kind = RequestKind::Permission {
        permission: "bash\u{1b}[2K".into(),
        command: "cat \u{202e}gnp.exe\u{1b}[1A\n\tls".into(),
        diff: Some("+a\u{200b}b".into()),
        always: vec!["cat `\u{202e}` *".into()],
        is_partial: true,
    };
    world.agent.ask(AskRequest { id: "ask_1".into(), session, kind });
    world.run();
    let text = world.thread(&root).pop().unwrap();
    let (shown, _) = text.split_once("\nReact with").unwrap();
    let expected = ":lock: **Permission: bash\\u{1b}[2K**\n```\ncat \\u{202e}gnp.exe\\u{1b}[1A\n\tls\n```\n\
        ```\n+a\\u{200b}b\n```\n:warning: OpenCode did not send the whole command. These are the parts of it that it \
        checks, without pipes and redirections.\n*Always* allows from now on: `` cat `\\u{202e}` * ``";
    assert_eq!(shown, expected);
}

#[test]
fn a_question_shows_characters_that_would_change_what_is_seen() {
    let mut world = World::new();
    let (root, session) = world.session("go");
    let options = vec![("Y\u{202e}es".into(), "do\u{7} it".into())];
    let questions = vec![Question { text: "Go\u{1b}[2K on?".into(), options }];
    let kind = RequestKind::Questions(questions);
    world.agent.ask(AskRequest { id: "ask_1".into(), session, kind });
    world.run();
    let text = world.thread(&root).pop().unwrap();
    let expected = ":question: **Go\\u{1b}[2K on?**\n1. Y\\u{202e}es: do\\u{7} it\n";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_sentence_that_begins_with_no_rejects_nothing() {
    for text in ["no idea what this does", "No way to tell", "yes but why", "deny it"] {
        let mut world = World::new();
        let (root, session) = world.session("go");
        world.agent.ask(permission("ask_1", &session));
        world.run();
        world.reply(&root, text);
        assert!(world.agent.replies.is_empty(), "{text}");
        let note = world.thread(&root).pop().unwrap();
        assert!(note.starts_with("The permission is still open: "), "{note}");
        world.reply(&root, "another thing");
        assert!(!world.thread(&root).pop().unwrap().starts_with("The permission"));
    }
}

#[test]
fn a_rejection_has_its_reason_after_a_sign() {
    for text in ["no: use `make test`", "No, use `make test`", "reject\nuse `make test`"] {
        let mut world = World::new();
        let (root, session) = world.session("go");
        world.agent.ask(permission("ask_1", &session));
        world.run();
        world.reply(&root, text);
        let reason = Some("use `make test`".to_owned());
        assert_eq!(world.agent.replies, [("ask_1".into(), AskReply::Reject(reason))]);
    }
}
