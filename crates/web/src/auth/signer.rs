//! Who signs what a request writes.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use hyper::http::request::Parts;
use skein_workspace::Actor;

use super::entry::AuthMethod;
use crate::app_state::AppState;

/// The author of what a program writes.
const PROGRAM: &str = "Program [agent]";

/// The author of what a request writes: of a page it is the user, of a program it never is.
pub(crate) struct Signer(pub(crate) Actor);

impl FromRequestParts<Arc<AppState>> for Signer {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<AppState>,
    ) -> Result<Self, Infallible> {
        let entry = parts.extensions.get::<Option<AuthMethod>>().copied().flatten();
        let is_browser = matches!(entry, Some(AuthMethod::Cookie { .. }));
        Ok(Self(match is_browser || app.viewer().actor.agent {
            true => app.viewer().actor.clone(),
            false => Actor { name: PROGRAM.to_owned(), agent: true },
        }))
    }
}
