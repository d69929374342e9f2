//! The threads that this process has claimed.

use std::sync::{Mutex, PoisonError};

use skein_catalog::find_review_by_id;
use skein_workspace::{Env, discover};

/// Claims with a token that no other process has. After its end they would only keep others waiting.
#[derive(Debug, Default)]
pub(crate) struct OwnClaims(Mutex<Vec<OwnClaim>>);

#[derive(Debug)]
struct OwnClaim {
    env: Env,
    thread: String,
    token: String,
}

impl OwnClaims {
    pub(crate) fn add(&self, env: &Env, thread: &str, token: &str) {
        let (env, thread, token) = (env.clone(), thread.to_owned(), token.to_owned());
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        claims.retain(|claim| claim.thread != thread);
        claims.push(OwnClaim { env, thread, token });
    }

    /// Gives the threads back. What fails runs out by itself.
    pub(crate) fn release(&self) {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for OwnClaim { env, thread, token } in claims.drain(..) {
            let workspace = discover(&env);
            if let Ok(thread) = find_review_by_id(&workspace, &thread) {
                drop(skein_review::release(&workspace, &thread, Some(&token), false));
            }
        }
    }
}
