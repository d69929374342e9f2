//! What a query means, which text matches it, and a full-text index that may be deleted at any moment.
