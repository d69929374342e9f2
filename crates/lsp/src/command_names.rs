//! The names of the commands, as clients and users write them.

pub(crate) const REPLY: &str = "skein.reply";
pub(crate) const RESOLVE: &str = "skein.resolve";
pub(crate) const REOPEN: &str = "skein.reopen";
pub(crate) const APPLY: &str = "skein.apply";
pub(crate) const COMMENT: &str = "skein.comment";
pub(crate) const DRAFT: &str = "skein.draft";
pub(crate) const POST: &str = "skein.post";
pub(crate) const SUBMIT: &str = "skein.submit";
pub(crate) const OPEN: &str = "skein.open";
pub(crate) const NEXT: &str = "skein.next";
pub(crate) const WAITING: &str = "skein.waiting";

/// All commands.
pub(crate) const COMMANDS: [&str; 11] =
    [REPLY, RESOLVE, REOPEN, APPLY, COMMENT, DRAFT, POST, SUBMIT, OPEN, NEXT, WAITING];
