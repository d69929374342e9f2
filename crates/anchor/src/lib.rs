//! Says where commented code stands in a changed text.
