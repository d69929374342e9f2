//! What a hook of an agent does.

mod shell;
