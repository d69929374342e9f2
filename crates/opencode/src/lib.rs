//! A client of [OpenCode](https://opencode.ai) servers.
