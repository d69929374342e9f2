//! The page that Skein serves: diffs with their threads, live.
