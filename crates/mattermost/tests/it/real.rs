//! Requests to a real server.

use reqwest::Method;
use serde_json::json;
use skein_mattermost::{ChannelKind, MattermostError, NewPost};

use crate::real_server::{RealServer, new_post, reply};

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_post_is_created_changed_and_deleted() {
    let server = RealServer::find();
    let bot = server.client("bot");
    let mut post = new_post(&server.channel, "first");
    post.props.insert("skein".into(), json!({"key": "k1"}));
    let created = bot.create_post(&post).await.unwrap();
    assert_eq!(created.user_id, server.id("bot"));
    assert_eq!(created.props["skein"], json!({"key": "k1"}));
    assert!(created.is_automatic());
    let patched = bot.patch_post(&created.id, "second").await.unwrap();
    assert_eq!(
        (patched.message.as_str(), &patched.props["skein"]),
        ("second", &json!({"key": "k1"}))
    );
    assert!(patched.edit_at > 0);
    assert_eq!(bot.post(&created.id).await.unwrap().message, "second");
    let error = server.client("ada").patch_post(&created.id, "forged").await.unwrap_err();
    assert!(matches!(error, MattermostError::Forbidden { .. }), "{error}");
    bot.delete_post(&created.id).await.unwrap();
    let error = bot.post(&created.id).await.unwrap_err();
    assert!(matches!(error, MattermostError::NotFound { .. }), "{error}");
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn the_largest_post_is_accepted_and_a_larger_one_is_rejected() {
    let server = RealServer::find();
    let bot = server.client("bot");
    let config = bot.client_config().await.unwrap();
    assert_eq!(config.max_post_size, 16_383);
    assert!(config.version.starts_with("11."), "{}", config.version);
    assert!(config.max_file_size > 1 << 20);
    for text in ["x", "ü", "😀"] {
        let text = text.repeat(config.max_post_size);
        let post = bot.create_post(&new_post(&server.channel, &text)).await.unwrap();
        assert_eq!(post.message, text);
    }
    let text = "x".repeat(config.max_post_size + 1);
    let error = bot.create_post(&new_post(&server.channel, &text)).await.unwrap_err();
    let MattermostError::Rejected { status: 400, id, .. } = error else { panic!("{error}") };
    assert_eq!(id, "model.post.is_valid.message_length.app_error");
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_thread_of_several_pages_is_read_in_order() {
    let server = RealServer::find();
    let (bot, channel) = (server.client("bot"), server.new_channel().await);
    let root = bot.create_post(&new_post(&channel, "0")).await.unwrap();
    for number in 1..=410 {
        bot.create_post(&reply(&channel, &root.id, &number.to_string())).await.unwrap();
    }
    let posts = bot.thread(&root.id).await.unwrap();
    let texts: Vec<_> = posts.iter().map(|post| post.message.clone()).collect();
    let expected: Vec<_> = (0..=410).map(|number| number.to_string()).collect();
    assert_eq!(texts, expected);
    bot.delete_post(&root.id).await.unwrap();
    let error = bot.thread(&root.id).await.unwrap_err();
    assert!(matches!(error, MattermostError::NotFound { .. }), "{error}");
    let error = bot.create_post(&reply(&channel, &root.id, "late")).await.unwrap_err();
    assert!(matches!(error, MattermostError::Rejected { status: 400, .. }), "{error}");
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn changes_since_a_time_have_new_edited_and_deleted_posts() {
    let server = RealServer::find();
    let (ada, bot) = (server.client("ada"), server.client("bot"));
    let channel = server.new_channel().await;
    let edited = ada.create_post(&new_post(&channel, "old text")).await.unwrap();
    let deleted = ada.create_post(&new_post(&channel, "to delete")).await.unwrap();
    let since = ada.patch_post(&edited.id, "new text").await.unwrap().update_at;
    let added = ada.create_post(&reply(&channel, &edited.id, "added")).await.unwrap();
    ada.delete_post(&deleted.id).await.unwrap();
    let changes = bot.posts_since(&channel, since).await.unwrap();
    assert!(changes.complete);
    let posts = changes.posts.iter().filter(|post| !post.is_system());
    let short: Vec<_> =
        posts.map(|p| (p.id.as_str(), p.message.as_str(), p.delete_at > 0)).collect();
    let expected = [
        (edited.id.as_str(), "new text", false),
        (deleted.id.as_str(), "", true),
        (added.id.as_str(), "added", false),
    ];
    assert_eq!(short, expected);
    let later = bot.posts_since(&channel, added.create_at + 60_000).await.unwrap();
    assert!(later.posts.is_empty() && later.complete);
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn more_changes_than_the_server_lists_are_read_from_the_pages() {
    let server = RealServer::find();
    let (bot, channel) = (server.client("bot"), server.new_channel().await);
    let numbers: Vec<_> = (0..1_100).map(|number| number.to_string()).collect();
    let mut expected = Vec::new();
    // Several at a time, so that some have the same time.
    for chunk in numbers.chunks(10) {
        let posts: Vec<_> = chunk.iter().map(|text| new_post(&channel, text)).collect();
        let creations = posts.iter().map(|post| bot.create_post(post));
        for created in futures_util::future::join_all(creations).await {
            expected.push(created.unwrap().id);
        }
    }
    let changes = bot.posts_since(&channel, 1).await.unwrap();
    assert!(!changes.complete);
    let posts = changes.posts.into_iter().filter(|post| !post.is_system());
    let mut ids: Vec<_> = posts.map(|post| post.id).collect();
    ids.sort();
    expected.sort();
    assert_eq!(ids, expected);
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_marked_post_that_is_sent_twice_is_one_post() {
    let server = RealServer::find();
    let (bot, channel) = (server.client("bot"), server.new_channel().await);
    let mark = format!("{}:{channel}", server.id("bot"));
    let post = NewPost { pending_post_id: mark, ..new_post(&channel, "once") };
    let sent = || async { bot.create_post(&post).await.unwrap().id };
    // At the same time: all but one are pending at first.
    let (a, b, c) = tokio::join!(sent(), sent(), sent());
    let later = sent().await;
    assert_eq!([&a, &b, &c], [&later; 3]);
    let posts = bot.posts_since(&channel, 1).await.unwrap().posts;
    assert_eq!(posts.iter().filter(|post| post.message == "once").count(), 1);
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn reactions_are_added_listed_and_removed() {
    let server = RealServer::find();
    let bot = server.client("bot");
    let post = bot.create_post(&new_post(&server.channel, "react")).await.unwrap();
    assert_eq!(bot.reactions(&post.id).await.unwrap(), []);
    for _ in 0..2 {
        bot.add_reaction(server.id("bot"), &post.id, "+1").await.unwrap();
    }
    server
        .client("ada")
        .add_reaction(server.id("ada"), &post.id, "white_check_mark")
        .await
        .unwrap();
    let mut reactions = bot.reactions(&post.id).await.unwrap();
    reactions.sort_by_key(|reaction| reaction.emoji_name.clone());
    let short: Vec<_> =
        reactions.iter().map(|r| (r.user_id.as_str(), r.emoji_name.as_str())).collect();
    assert_eq!(short, [(server.id("bot"), "+1"), (server.id("ada"), "white_check_mark")]);
    let listed = &bot.thread(&post.id).await.unwrap()[0].metadata.reactions;
    assert_eq!(listed.len(), 2);
    for _ in 0..2 {
        bot.remove_reaction(server.id("bot"), &post.id, "+1").await.unwrap();
    }
    assert_eq!(bot.reactions(&post.id).await.unwrap().len(), 1);
    let error = bot.add_reaction(server.id("ada"), &post.id, "+1").await.unwrap_err();
    assert!(matches!(error, MattermostError::Forbidden { .. }), "{error}");
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_file_with_a_hostile_name_is_uploaded_and_downloaded() {
    let server = RealServer::find();
    let bot = server.client("bot");
    let bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for name in ["../../etc/x y.txt", "a\"b&c=d\r\nX: y.bin", "ü/..x", "..\\..\\win.ini"] {
        let info = bot.upload(&server.channel, name, bytes.clone()).await.unwrap();
        assert!(!info.name.contains('/'), "{}", info.name);
        let post = NewPost { file_ids: vec![info.id.clone()], ..new_post(&server.channel, "file") };
        let post = bot.create_post(&post).await.unwrap();
        assert_eq!(post.metadata.files[0].id, info.id);
        let known = bot.file_info(&info.id).await.unwrap();
        assert_eq!((known.size, &known.post_id), (100_000, &post.id));
        assert_eq!(bot.download(&info.id, 100_000).await.unwrap(), bytes);
        let error = bot.download(&info.id, 99_999).await.unwrap_err();
        assert!(matches!(error, MattermostError::TooLarge { .. }), "{error}");
    }
    let error = bot.upload(&server.channel, "empty", Vec::new()).await.unwrap_err();
    assert!(matches!(error, MattermostError::Rejected { status: 400, .. }), "{error}");
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn users_and_channels_are_found() {
    let server = RealServer::find();
    let bot = server.client("bot");
    let me = bot.me().await.unwrap();
    assert_eq!(
        (me.id.as_str(), me.username.as_str(), me.is_bot),
        (server.id("bot"), "skein", true)
    );
    let ada = bot.user_by_name("ada").await.unwrap();
    assert_eq!(ada, bot.user(server.id("ada")).await.unwrap());
    assert_eq!(ada.id, server.id("ada"));
    let error = bot.user_by_name("../ada").await.unwrap_err();
    assert!(
        matches!(error, MattermostError::Rejected { .. } | MattermostError::NotFound { .. }),
        "{error}"
    );
    let direct = bot.direct_channel(&me.id, &ada.id).await.unwrap();
    assert_eq!(direct, bot.direct_channel(&me.id, &ada.id).await.unwrap());
    assert_eq!(direct.kind, ChannelKind::Direct);
    let channel = bot.channel_by_name("team", "agents").await.unwrap();
    assert_eq!(channel, bot.channel(&server.channel).await.unwrap());
    assert_eq!(channel.kind, ChannelKind::Public);
    let mine: Vec<_> = bot.my_channels().await.unwrap().into_iter().map(|c| c.id).collect();
    assert!(mine.contains(&direct.id) && mine.contains(&channel.id));
    let error = server.client("stranger").thread(&direct.id).await.unwrap_err();
    assert!(matches!(error, MattermostError::NotFound { .. }), "{error}");
    let error = server.client("stranger").posts_since(&direct.id, 1).await.unwrap_err();
    assert!(matches!(error, MattermostError::Forbidden { .. }), "{error}");
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn posts_and_users_are_found_by_their_ids_after_they_are_gone() {
    let server = RealServer::find();
    let (ada, bot) = (server.client("ada"), server.client("bot"));
    let channel = server.new_channel().await;
    let kept = ada.create_post(&new_post(&channel, "kept")).await.unwrap().id;
    let deleted = ada.create_post(&new_post(&channel, "deleted")).await.unwrap().id;
    ada.delete_post(&deleted).await.unwrap();
    let unknown = "x".repeat(26);
    let mut posts = bot.posts(&[&kept, &deleted, &unknown]).await.unwrap();
    posts.sort_by_key(|post| post.delete_at);
    let found: Vec<_> = posts.iter().map(|post| (&post.id, post.delete_at > 0)).collect();
    assert_eq!(found, [(&kept, false), (&deleted, true)]);
    assert!(bot.posts(&[&unknown]).await.unwrap().is_empty());

    let name = format!("u{:016x}", fastrand::u64(..));
    let email = format!("{name}@example.com");
    let body = json!({"email": email, "username": name, "password": "Password-1!"});
    let user = server.admin(Method::POST, "/users", body).await;
    let gone = user["id"].as_str().unwrap();
    server.admin(Method::DELETE, &format!("/users/{gone}"), json!({})).await;
    let mut users = bot.users(&[gone, server.id("ada"), &unknown]).await.unwrap();
    users.sort_by_key(|user| user.delete_at);
    let found: Vec<_> = users.iter().map(|user| (&*user.id, user.delete_at > 0)).collect();
    assert_eq!(found, [(server.id("ada"), false), (gone, true)]);
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn a_reaction_that_is_made_again_has_the_time_of_the_last_one() {
    let server = RealServer::find();
    let (ada, bot) = (server.client("ada"), server.client("bot"));
    let post = ada.create_post(&new_post(&server.channel, "again")).await.unwrap().id;
    let me = server.id("ada");
    let first = ada.add_reaction(me, &post, "repeat").await.unwrap();
    ada.remove_reaction(me, &post, "repeat").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    let again = ada.add_reaction(me, &post, "repeat").await.unwrap();
    assert!(again.update_at > first.update_at);
    let [stored] = bot.reactions(&post).await.unwrap().try_into().unwrap();
    assert_eq!((stored.create_at, stored.update_at), (first.create_at, again.update_at));
}

#[tokio::test]
#[ignore = "needs a Mattermost server; `.ci/long servers` starts one"]
async fn the_posts_of_a_channel_without_the_bot_are_forbidden() {
    let server = RealServer::find();
    let name = format!("p{:016x}", fastrand::u64(..));
    let body = json!({"team_id": server.team, "name": name, "display_name": name, "type": "P"});
    let channel = server.admin(Method::POST, "/channels", body).await;
    let id = channel["id"].as_str().unwrap();
    let error = server.client("bot").posts_since(id, 1).await.unwrap_err();
    assert!(matches!(error, MattermostError::Forbidden { .. }), "{error}");
    let error = server.client("bot").posts_since(&"x".repeat(26), 1).await.unwrap_err();
    assert!(matches!(error, MattermostError::NotFound { .. }), "{error}");
}
