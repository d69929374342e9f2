//! Events of a real server.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use skein_mattermost::{
    ChannelKind, MattermostError, MattermostEvent, MattermostEvents, Preference, Timing,
};
use tokio::net::TcpListener;

use crate::proxy::Proxy;
use crate::real_server::{RealServer, new_post, reply};

/// Only ends a test that would wait forever.
const TIMEOUT: Duration = Duration::from_mins(2);

async fn next(events: &mut MattermostEvents) -> MattermostEvent {
    let event = tokio::time::timeout(TIMEOUT, events.next()).await.expect("an event");
    event.expect("the events go on")
}

/// Returns the next event that `select` wants. The bot also hears what other tests do.
async fn wait_for<T>(
    events: &mut MattermostEvents,
    select: impl Fn(&MattermostEvent) -> Option<T>,
) -> T {
    loop {
        if let Some(found) = select(&next(events).await) {
            return found;
        }
    }
}

/// Returns the events of a channel in short, until a post with this text.
async fn posts_until(events: &mut MattermostEvents, channel_id: &str, last: &str) -> Vec<String> {
    let mut short = Vec::new();
    loop {
        match next(events).await {
            MattermostEvent::Connected { complete } => short.push(format!("connected {complete}")),
            MattermostEvent::Posted { post, .. }
                if post.channel_id == channel_id && !post.is_system() =>
            {
                short.push(post.message.clone());
                if post.message == last {
                    return short;
                }
            }
            _ => {}
        }
    }
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn posts_edits_deletions_and_reactions_are_heard() {
    let server = RealServer::find();
    let (ada, bot) = (server.client("ada"), server.client("bot"));
    let mut events = MattermostEvents::start(bot.clone());
    assert_eq!(next(&mut events).await, MattermostEvent::Connected { complete: false });
    let direct = bot.direct_channel(server.id("bot"), server.id("ada")).await.unwrap().id;
    let sent = ada.create_post(&new_post(&direct, "hear \"me\"")).await.unwrap();
    let (post, kind, sender, mentions) = wait_for(&mut events, |event| match event {
        MattermostEvent::Posted { post, channel_kind, sender_name, mentions }
            if post.id == sent.id =>
        {
            Some((post.clone(), *channel_kind, sender_name.clone(), mentions.clone()))
        }
        _ => None,
    })
    .await;
    assert_eq!((post.message.as_str(), post.user_id.as_str()), ("hear \"me\"", server.id("ada")));
    assert_eq!((kind, sender.as_str()), (ChannelKind::Direct, "@ada"));
    assert_eq!(mentions, [server.id("bot")]);

    ada.patch_post(&sent.id, "hear this").await.unwrap();
    let edited = |event: &MattermostEvent| match event {
        MattermostEvent::Edited(post) if post.id == sent.id => Some(post.message.clone()),
        _ => None,
    };
    assert_eq!(wait_for(&mut events, edited).await, "hear this");

    ada.add_reaction(server.id("ada"), &sent.id, "+1").await.unwrap();
    ada.remove_reaction(server.id("ada"), &sent.id, "+1").await.unwrap();
    let added = |event: &MattermostEvent| match event {
        MattermostEvent::ReactionAdded(reaction) if reaction.post_id == sent.id => {
            Some(reaction.clone())
        }
        _ => None,
    };
    let reaction = wait_for(&mut events, added).await;
    assert_eq!((reaction.user_id.as_str(), reaction.emoji_name.as_str()), (server.id("ada"), "+1"));
    let removed = |event: &MattermostEvent| match event {
        MattermostEvent::ReactionRemoved(reaction) if reaction.post_id == sent.id => Some(()),
        _ => None,
    };
    wait_for(&mut events, removed).await;

    ada.delete_post(&sent.id).await.unwrap();
    let deleted = |event: &MattermostEvent| match event {
        MattermostEvent::Deleted(post) if post.id == sent.id => Some(()),
        _ => None,
    };
    wait_for(&mut events, deleted).await;
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn removals_from_a_channel_and_changes_of_users_are_heard() {
    let server = RealServer::find();
    let channel = server.new_channel().await;
    let mut events = MattermostEvents::start(server.client("bot"));
    assert_eq!(next(&mut events).await, MattermostEvent::Connected { complete: false });
    for name in ["ada", "bot"] {
        let path = format!("/channels/{channel}/members/{}", server.id(name));
        server.admin(Method::DELETE, &path, Value::Null).await;
        let user = server.id(name);
        let removed = |event: &MattermostEvent| match event {
            MattermostEvent::RemovedFromChannel { channel_id, user_id }
                if *channel_id == channel =>
            {
                Some(user_id.clone())
            }
            _ => None,
        };
        assert_eq!(wait_for(&mut events, removed).await, user);
    }
    let path = format!("/users/{}/patch", server.id("ben"));
    server.admin(Method::PUT, &path, json!({"nickname": "Benny"})).await;
    let renamed = |event: &MattermostEvent| match event {
        MattermostEvent::UserUpdated(user) if user.id == server.id("ben") => {
            Some(user.nickname.clone())
        }
        _ => None,
    };
    assert_eq!(wait_for(&mut events, renamed).await, "Benny");
}

/// Starts events through a proxy that can be cut.
async fn start_through_proxy(server: &RealServer) -> (Proxy, MattermostEvents) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = Proxy::start(listener, &server.address, None);
    let timing = Timing { max_backoff: Duration::from_millis(500), ..Timing::default() };
    let mut events = MattermostEvents::start(proxy.client(&server.tokens["bot"], timing));
    assert_eq!(next(&mut events).await, MattermostEvent::Connected { complete: false });
    (proxy, events)
}

async fn wait_for_disconnection(events: &mut MattermostEvents) {
    wait_for(events, |event| matches!(event, MattermostEvent::Disconnected { .. }).then_some(()))
        .await;
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_short_outage_loses_nothing() {
    let server = RealServer::find();
    let (ada, channel) = (server.client("ada"), server.new_channel().await);
    let (proxy, mut events) = start_through_proxy(&server).await;
    let root = ada.create_post(&new_post(&channel, "before")).await.unwrap();
    assert_eq!(posts_until(&mut events, &channel, "before").await, ["before"]);
    for round in ["first", "second"] {
        proxy.close();
        wait_for_disconnection(&mut events).await;
        for text in ["a", "b", "c"] {
            let text = format!("{round} {text}");
            ada.create_post(&reply(&channel, &root.id, &text)).await.unwrap();
        }
        proxy.open();
        let heard = posts_until(&mut events, &channel, &format!("{round} c")).await;
        let texts = ["a", "b", "c"].map(|text| format!("{round} {text}"));
        assert_eq!(heard[0], "connected true");
        assert_eq!(heard[1..], texts);
    }
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn an_outage_without_events_is_known_to_be_complete() {
    let server = RealServer::find();
    let (proxy, mut events) = start_through_proxy(&server).await;
    proxy.close();
    wait_for_disconnection(&mut events).await;
    proxy.open();
    let connected = |event: &MattermostEvent| match event {
        MattermostEvent::Connected { complete } => Some(*complete),
        _ => None,
    };
    assert!(wait_for(&mut events, connected).await);
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn an_outage_with_too_many_events_is_not_complete() {
    let server = RealServer::find();
    let (ada, channel) = (server.client("ada"), server.new_channel().await);
    let (proxy, mut events) = start_through_proxy(&server).await;
    let since = ada.create_post(&new_post(&channel, "before")).await.unwrap().create_at;
    posts_until(&mut events, &channel, "before").await;
    proxy.close();
    wait_for_disconnection(&mut events).await;
    // The server keeps 256 events for a connection that is away.
    for number in 0..400 {
        ada.create_post(&new_post(&channel, &number.to_string())).await.unwrap();
    }
    proxy.open();
    let connected = |event: &MattermostEvent| match event {
        MattermostEvent::Connected { complete } => Some(*complete),
        _ => None,
    };
    assert!(!wait_for(&mut events, connected).await);
    let changes = server.client("bot").posts_since(&channel, since).await.unwrap();
    let numbers = changes.posts.iter().filter(|post| post.message.parse::<u32>().is_ok());
    assert_eq!(numbers.count(), 400);
    ada.create_post(&new_post(&channel, "after")).await.unwrap();
    assert_eq!(posts_until(&mut events, &channel, "after").await, ["after"]);
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_revoked_token_is_reported_by_requests_and_events() {
    let server = RealServer::find();
    let path = format!("/users/{}/tokens", server.id("bot"));
    let token = server.admin(Method::POST, &path, json!({"description": "to revoke"})).await;
    let bot = server.client_with_token(token["token"].as_str().unwrap());
    let mut events = MattermostEvents::start(bot.clone());
    assert_eq!(next(&mut events).await, MattermostEvent::Connected { complete: false });
    let body = json!({"token_id": token["id"]});
    server.admin(Method::POST, "/users/tokens/revoke", body).await;
    let error = bot.me().await.unwrap_err();
    assert!(matches!(error, MattermostError::Unauthorized), "{error}");
    wait_for(&mut events, |event| (*event == MattermostEvent::Unauthorized).then_some(())).await;
    assert_eq!(events.next().await, None);
    let mut events = MattermostEvents::start(bot);
    assert_eq!(next(&mut events).await, MattermostEvent::Unauthorized);
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_preference_of_a_bot_is_passed_on_to_all_its_connections_each_time() {
    let server = RealServer::find();
    let bot = server.client("bot");
    let (mut first, mut second) =
        (MattermostEvents::start(bot.clone()), MattermostEvents::start(bot.clone()));
    assert_eq!(next(&mut first).await, MattermostEvent::Connected { complete: false });
    assert_eq!(next(&mut second).await, MattermostEvent::Connected { complete: false });
    let preference = Preference {
        user_id: server.id("bot").to_owned(),
        category: "skein".to_owned(),
        name: "test".to_owned(),
        value: json!({"host": "a \"b\""}).to_string(),
    };
    let is_it = |event: &MattermostEvent| match event {
        MattermostEvent::PreferencesChanged(changed) if changed.contains(&preference) => Some(()),
        _ => None,
    };
    for _ in 0..2 {
        bot.set_preference(&preference).await.unwrap();
        wait_for(&mut first, is_it).await;
        wait_for(&mut second, is_it).await;
    }
    let other = Preference { user_id: server.id("ada").to_owned(), ..preference.clone() };
    let refused = bot.set_preference(&other).await.unwrap_err();
    assert!(matches!(refused, MattermostError::Forbidden { .. }), "{refused:?}");
}
