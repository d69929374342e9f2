//! A client of a Mattermost server.
