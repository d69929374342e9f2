//! Answers requests of other programs on this machine.

use super::{RunError, Runner};
use crate::core::Input;
use crate::socket::{SocketAnswer, SocketCall, to_core};

impl Runner {
    /// Answers a request when its effect is in the journal.
    pub(super) fn answer(&mut self, call: SocketCall) -> Result<(), RunError> {
        let SocketCall { request, answer } = call;
        let id = self.env.ids.next();
        let result = match to_core(&self.core, request, &id) {
            Ok(request) => {
                self.handle(Input::Local(request))?;
                SocketAnswer::Accepted
            }
            Err(refusal) => refusal,
        };
        // The client can be gone.
        drop(answer.send(result));
        Ok(())
    }
}
