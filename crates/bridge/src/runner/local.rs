//! Answers requests of other programs on this machine.

use std::collections::BTreeMap;
use std::path::Path;

use skein_workspace::Env;

use super::{BridgeRunError, Effects, Runner};
use crate::core::Input;
use crate::core::ids::PostId;
use crate::socket::{SocketAnswer, SocketCall, SocketPost, Step, next_step};

/// Maximum number of posts that are returned.
const MAX_POSTS: usize = 100;

impl Runner {
    /// Answers a request when its effect is in the journal.
    pub(super) fn answer(&mut self, call: SocketCall) -> Result<(), BridgeRunError> {
        let SocketCall { request, answer } = call;
        let id = self.env.ids.next();
        let result = match next_step(&self.core, request, &id, self.now()) {
            Step::Core(request) => {
                self.handle(Input::Local(request))?;
                SocketAnswer::Accepted
            }
            Step::Answer(result) => result,
            Step::FetchPosts { root, count } => {
                let effects = self.effects.clone();
                self.effects.signals.spawn(async move {
                    // The client can be gone.
                    drop(answer.send(effects.last_posts(&root, count).await));
                });
                return Ok(());
            }
        };
        drop(answer.send(result));
        Ok(())
    }
}

impl Effects {
    /// Describes threads of a directory by a function, on a thread that may wait for the disk.
    pub(super) async fn describe(
        &self,
        directory: String,
        describe: fn(&Env, &Path) -> String,
    ) -> Option<String> {
        let env = self.env.clone();
        let text = move || describe(&env, Path::new(&directory));
        tokio::task::spawn_blocking(text).await.ok()
    }

    /// Fetches the last posts of a thread, the oldest first.
    async fn last_posts(&self, root: &PostId, count: usize) -> SocketAnswer {
        let found = self.chat.thread(root.as_str()).await;
        let mut posts = match self.note(found) {
            Ok(posts) => posts,
            Err(error) => return SocketAnswer::Failed { message: error.to_string() },
        };
        posts.retain(|post| post.delete_at == 0 && !post.is_system());
        let posts = posts.split_off(posts.len().saturating_sub(count.min(MAX_POSTS)));
        let mut names = BTreeMap::new();
        for post in &posts {
            if !names.contains_key(&post.user_id) {
                let user = self.note(self.chat.user(&post.user_id).await);
                let name = user.map_or_else(|_| post.user_id.clone(), |user| user.username);
                names.insert(post.user_id.clone(), name);
            }
        }
        let posts = posts.into_iter().map(|post| SocketPost {
            at: post.create_at,
            user: names.get(&post.user_id).cloned().unwrap_or_default(),
            text: post.message,
        });
        SocketAnswer::Posts { posts: posts.collect() }
    }
}
