//! Threads, rights and prompts.

use skein_bridge::core::Input;
use skein_bridge::core::ids::Millis;
use skein_bridge::core::input::{AgentEvent, ChatEvent};

use crate::world::{CHANNEL, HOME, OWNER, World};

#[test]
fn a_post_starts_a_session_and_its_answer_is_in_the_thread() {
    let mut world = World::new();
    let (root, session) = world.session("explain main.rs");
    world.answer(&session, "It starts the program.");
    assert_eq!(
        world.thread(&root),
        [
            "user-owner: explain main.rs",
            "**explain main.rs**\n`/src/app` · ses_000001",
            "It starts the program.",
        ]
    );
    assert_eq!(world.prompt_texts(), ["explain main.rs"]);
    assert_eq!(world.map[&session].0.as_ref().unwrap().root, root);
    assert_eq!(world.map[&session].0.as_ref().unwrap().short_id, "ses_000001");
}

#[test]
fn replies_are_prompts_to_the_session_of_their_thread() {
    let mut world = World::new();
    let (first, one) = world.session("one");
    world.answer(&one, "first");
    let (second, two) = world.session("two");
    world.answer(&two, "second");
    world.reply(&first, "more of one");
    world.answer(&one, "third");
    assert_eq!(world.answers(&first), ["first", "third"]);
    assert_eq!(world.answers(&second), ["second"]);
    assert_eq!(world.agent.requests[2].session, one);
}

#[test]
fn a_session_from_elsewhere_gets_one_thread_with_its_prompts() {
    let mut world = World::new();
    let session = world.agent.create("/src/app/sub", "from the terminal", world.now);
    world.run();
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&session, &id, "what is this?", world.now);
    world.answer(&session, "A test.");
    let root = world.core.state().threads[&session].root.clone().unwrap();
    assert_eq!(world.chat.post(&root).channel.as_str(), HOME);
    assert_eq!(
        world.thread(&root),
        ["**from the terminal**\n`/src/app/sub` · ses_000001", "> what is this?\n\nA test."]
    );
    world.reply(&root, "go on");
    world.answer(&session, "Done.");
    assert_eq!(world.answers(&root)[1], "Done.");
}

#[test]
fn sessions_from_before_the_first_start_and_in_other_directories_get_no_thread() {
    let mut world = World::new();
    world.agent.create("/home/secret", "elsewhere", world.now);
    world.agent.create("/src/app/../x", "escape", world.now);
    world.agent.create("/src/app", "old", world.now - 1);
    world.run();
    assert_eq!(world.chat.posts.len(), 0);
}

#[test]
fn words_before_the_prompt_choose_directory_model_and_agent() {
    let mut world = World::new();
    world.owner("dir:web model:fake/other agent:plan say hello");
    let request = &world.agent.requests[0];
    assert_eq!(request.directory, "/src/web");
    assert_eq!(request.model.as_deref(), Some("fake/other"));
    assert_eq!(request.agent.as_deref(), Some("plan"));
    assert_eq!(world.prompt_texts(), ["say hello"]);
    let root = world.owner("dir:other hello");
    assert_eq!(world.thread(&root)[1], "No such directory: `other`");
    assert_eq!(world.prompt_texts().len(), 1);
}

#[test]
fn strangers_and_bots_reach_nothing() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "first");
    world.post("user-stranger", Some(&root), "rm -rf");
    world.post("bot-other", Some(&root), "hello bot");
    world.post_in("direct-stranger", "user-stranger", None, "hello");
    world.post_in("direct-stranger", "user-stranger", None, "hello again");
    world.post_in(CHANNEL, "user-stranger", None, "@skein hello");
    world.post_in(CHANNEL, OWNER, None, "not for the bot");
    assert_eq!(world.prompt_texts(), ["one"]);
    let refusals: Vec<_> =
        world.chat.posts.iter().filter(|post| post.text.starts_with("Only the owner")).collect();
    assert_eq!(refusals.len(), 1, "one answer in an hour");
}

#[test]
fn a_channel_needs_a_mention_to_start_and_none_in_a_thread() {
    let mut world = World::new();
    let root = world.post_in(CHANNEL, "user-friend", None, "@skein: fix it");
    let session = world.core.state().roots[&root].clone();
    world.answer(&session, "Fixed.");
    world.post("user-friend", Some(&root), "thanks, and now test");
    assert_eq!(world.prompt_texts(), ["fix it", "thanks, and now test"]);
}

#[test]
fn a_setting_refuses_sessions_from_the_chat() {
    let mut settings = crate::world::settings();
    settings.start_from_chat = false;
    let mut world = World::with(settings);
    let root = world.owner("hello");
    assert_eq!(world.thread(&root)[1], "Sessions are not started from the chat here.");
    assert!(world.agent.sessions.is_empty());
}

#[test]
fn a_post_that_is_heard_twice_is_one_prompt() {
    let mut world = World::new();
    let (root, _) = world.session("one");
    for _ in 0..3 {
        let post = world.chat.post(&root).seen();
        world.feed(Input::Chat(ChatEvent::Posted(post)));
        world.connect_chat();
    }
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn posts_that_were_missed_are_handled_once_and_in_order() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.chat.is_down = true;
    world.reply(&root, "two");
    world.reply(&root, "three");
    world.owner("four");
    world.connect_chat();
    world.answer(&session, "2");
    world.answer(&session, "3");
    world.kill();
    assert_eq!(world.prompt_texts(), ["one", "two", "four", "three"]);
    assert_eq!(world.answers(&root), ["1", "2", "3"]);
}

#[test]
fn too_many_prompts_are_refused_visibly() {
    let mut settings = crate::world::settings();
    settings.max_prompts_per_minute = 3;
    let mut world = World::with(settings);
    let (root, _) = world.session("0");
    for number in 1..6 {
        world.reply(&root, &number.to_string());
    }
    let last = world.reply(&root, "last");
    assert_eq!(world.chat.marks(&last), ["no_entry_sign"]);
    let notes = world.thread(&root).iter().filter(|text| text.starts_with("Too many")).count();
    assert_eq!(notes, 1);
    world.now += 61_000;
    let later = world.reply(&root, "later");
    assert_eq!(world.chat.marks(&later), ["hourglass_flowing_sand"]);
}

#[test]
fn a_refused_prompt_says_when_the_next_one_is_taken() {
    let mut settings = crate::world::settings();
    settings.max_prompts_per_minute = 1;
    let mut world = World::with(settings);
    let (root, _) = world.session("0");
    world.now += 20_000;
    world.reply(&root, "1");
    let refused = "Too many prompts in a minute. This one was not sent: send it again in";
    assert_eq!(world.thread(&root).pop().unwrap(), format!("{refused} 40 s."));
    world.now += 40_000;
    let later = world.reply(&root, "2");
    assert_eq!(world.chat.marks(&later), ["hourglass_flowing_sand"]);
    world.reply(&root, "3");
    assert_eq!(world.thread(&root).pop().unwrap(), format!("{refused} 60 s."));
}

#[test]
fn who_was_told_to_wait_and_loses_the_rights_is_told_so() {
    let mut settings = crate::world::settings();
    settings.max_prompts_per_minute = 1;
    let mut world = World::with(settings);
    let friend = "user-friend";
    world.post_in("direct-friend", friend, None, "0");
    let refused = world.post_in("direct-friend", friend, None, "1");
    assert!(world.thread(&refused).pop().unwrap().starts_with("Too many prompts"));
    world.settings.users.clear();
    world.kill();
    let stranger = world.post_in("direct-friend", friend, None, "2");
    let text = "Only the owner and invited users may use this bot.";
    assert_eq!(world.thread(&stranger).pop().unwrap(), text);
}

#[test]
fn a_mention_is_the_whole_name_in_any_case() {
    let mut world = World::new();
    world.post_in(CHANNEL, OWNER, None, "@skein-dev fix it");
    world.post_in(CHANNEL, OWNER, None, "@skein2 fix it");
    world.post_in(CHANNEL, OWNER, None, "mail to a@skein please");
    assert!(world.prompt_texts().is_empty());
    world.post_in(CHANNEL, OWNER, None, "please, @Skein.");
    assert_eq!(world.prompt_texts(), ["please, ."]);
}

#[test]
fn a_refused_post_is_not_taken_when_the_rights_change() {
    let mut world = World::new();
    world.post_in(CHANNEL, "user-stranger", None, "@skein deploy");
    world.settings.users.insert("user-stranger".into());
    world.kill();
    assert!(world.prompt_texts().is_empty());
    world.post_in(CHANNEL, "user-stranger", None, "@skein test");
    assert_eq!(world.prompt_texts(), ["test"]);
}

#[test]
fn a_directory_that_is_not_allowed_any_more_gets_no_prompt_and_no_command() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.reply(&root, "waits");
    world.settings.directories = vec!["/src/web".into()];
    world.kill();
    world.answer(&session, "first");
    for text in ["two", "!file a.txt", "!diff", "!compact"] {
        world.reply(&root, text);
        let last = world.thread(&root).pop().unwrap();
        assert_eq!(last, "Sessions may not use this directory any more.", "{text}");
    }
    assert_eq!(world.prompt_texts(), ["one"]);
}

#[test]
fn a_post_before_the_list_of_channels_does_not_hide_missed_ones() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "first");
    world.feed(Input::Chat(ChatEvent::Disconnected));
    world.chat.write(HOME, OWNER, Some(&root), "missed", world.now + 1);
    world.now += 3_600_000;
    let live = world.chat.write(HOME, OWNER, Some(&root), "live", world.now);
    world.feed(Input::Chat(ChatEvent::Posted(live)));
    world.connect_chat();
    world.answer(&session, "second");
    assert_eq!(world.prompt_texts(), ["one", "live", "missed"]);
}

#[test]
fn a_post_from_before_the_first_start_is_not_taken_when_it_changes() {
    let mut world = World::new();
    let old = world.now - 15 * 60_000;
    let post = world.chat.write(HOME, OWNER, None, "long ago", old);
    world.feed(Input::Chat(ChatEvent::Posted(post)));
    assert!(world.prompt_texts().is_empty());
}

#[test]
fn a_post_that_starts_a_session_shows_that_it_waits_for_opencode() {
    let waiting = ["hourglass_flowing_sand"];
    let mut world = World::new();
    world.agent.is_down = true;
    world.feed(Input::Agent(AgentEvent::Disconnected));
    let root = world.owner("one");
    let reply = world.reply(&root, "two");
    assert_eq!(world.chat.marks(&root), waiting);
    assert_eq!(world.chat.marks(&reply), waiting);
    world.connect_agent();
    assert!(world.chat.marks(&root).is_empty());
    assert_eq!(world.chat.marks(&reply), waiting);
    let session = world.core.state().roots[&root].clone();
    world.answer(&session, "1");
    assert!(world.chat.marks(&reply).is_empty());
    assert_eq!(world.prompt_texts(), ["one", "two"]);

    // OpenCode ends just as the session is created.
    let mut world = World::new();
    world.agent.is_down = true;
    let root = world.owner("one");
    assert_eq!(world.chat.marks(&root), waiting);
    world.agent.is_down = false;
    world.wait(10_000);
    assert!(world.chat.marks(&root).is_empty());
}

#[test]
fn a_fork_gets_a_thread_when_it_is_used_with_what_is_new_in_it() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.now += 60_000;
    let fork = world.agent.fork(&session, world.now);
    world.run();
    world.kill();
    assert!(!world.core.state().threads.contains_key(&fork));
    world.now += 1_000;
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&fork, &id, "other way", world.now);
    let now = world.now;
    world.agent.change(&fork, |info| info.updated = Millis(now));
    world.answer(&fork, "2");
    let other = world.core.state().threads[&fork].root.clone().unwrap();
    assert_ne!(root, other);
    assert_eq!(world.answers(&other), ["> other way\n\n2"]);
    assert_eq!(world.answers(&root), ["1"]);
    // Each thread prompts its own session.
    world.reply(&other, "three");
    world.answer(&fork, "3");
    world.reply(&root, "four");
    world.answer(&session, "4");
    assert_eq!(world.answers(&other).last().unwrap(), "3");
    assert_eq!(world.answers(&root), ["1", "4"]);
}

#[test]
fn a_fork_of_a_session_from_the_terminal_gets_a_thread() {
    let mut world = World::new();
    let session = world.agent.create("/src/app", "terminal", world.now);
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&session, &id, "one", world.now);
    world.answer(&session, "1");
    world.now += 60_000;
    let fork = world.agent.fork(&session, world.now);
    world.run();
    let root = world.core.state().threads[&fork].root.clone().unwrap();
    assert_eq!(world.thread(&root), ["**terminal (fork #1)**\n`/src/app` · ses_000006"]);
}

#[test]
fn a_session_that_moves_to_another_directory_is_followed() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.change(&session, |info| info.directory = "/src/web".into());
    world.run();
    world.wait(2_000);
    assert_eq!(world.thread(&root)[1], "**one**\n`/src/web` · ses_000001");
    assert_eq!(world.map[&session].0.as_ref().unwrap().directory, "/src/web");
    world.reply(&root, "two");
    assert_eq!(world.agent.requests.last().unwrap().directory, "/src/web");
    world.answer(&session, "2");
    // Unnoticed, to one that is not allowed.
    world.agent.session(&session).info.directory = "/home/secret".into();
    world.kill();
    world.reply(&root, "three");
    let refused = "Sessions may not use this directory any more.";
    assert_eq!(world.thread(&root).last().unwrap(), refused);
    assert_eq!(world.prompt_texts(), ["one", "two"]);
}

#[test]
fn a_session_that_is_archived_unnoticed_can_be_resumed_with_its_thread() {
    let mut world = World::new();
    let (root, session) = world.session("one");
    world.answer(&session, "1");
    world.agent.session(&session).info.is_archived = true;
    world.kill();
    world.wait(2_000);
    assert!(world.thread(&root)[1].ends_with("The session is archived."));
    world.reply(&root, "too early");
    world.reply(&root, "!resume");
    world.reply(&root, "two");
    world.answer(&session, "2");
    assert_eq!(world.prompt_texts(), ["one", "two"]);
    assert!(world.thread(&root)[1].ends_with("ses_000001"));
}

#[test]
fn a_prompt_waits_for_one_from_elsewhere_that_opencode_does_not_name_as_busy_yet() {
    let mut world = World::new();
    let session = world.agent.create("/src/app", "terminal", world.now);
    world.run();
    let root = world.core.state().threads[&session].root.clone().unwrap();
    let id = world.agent.message_id(world.now);
    world.agent.prompt(&session, &id, "typed", world.now);
    world.agent.session(&session).is_busy = false;
    world.agent.events.pop_back();
    world.run();
    world.reply(&root, "posted");
    assert!(world.prompt_texts().is_empty());
    world.agent.session(&session).is_busy = true;
    world.answer(&session, "1");
    assert_eq!(world.prompt_texts(), ["posted"]);
    world.answer(&session, "2");
    assert_eq!(world.answers(&root), ["> typed\n\n1", "2"]);
}
