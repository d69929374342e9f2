//! Lossless documents for the three kinds of thread: bytes in, bytes out.
//!
//! A document keeps its original bytes and the spans of the parts that were parsed. An edit splices
//! bytes; all other bytes stay, whether Skein knows their meaning or not. Parsing never fails: it
//! returns a document and a list of diagnostics.
//!
//! ```
//! use skein_format::review::{ReviewDoc, Status};
//!
//! let file = b"<local-code-review-thread>\n\
//!     {\"schemaVersion\": 1, \"id\": \"t1\", \"colour\": \"red\",\n\
//!      \"target\": {\"workspaceRelativePath\": \"a.rs\", \"range\": null, \"anchor\": {\"kind\": \"lineRange\"}},\n\
//!      \"status\": \"open\", \"createdAt\": \"2026-01-01T00:00:00Z\", \"updatedAt\": \"2026-01-01T00:00:00Z\"}\n\
//!     </local-code-review-thread>\n";
//! let (mut doc, findings) = ReviewDoc::parse(file.to_vec(), "t1", ".code-review");
//! assert!(findings.is_empty());
//! assert_eq!(doc.to_bytes(), file);
//!
//! let now = skein_format::time::parse("2026-01-02T00:00:00Z").unwrap().time;
//! doc.set_status(Status::Resolved, now)?;
//! let text = String::from_utf8_lossy(doc.to_bytes());
//! assert!(text.contains("\"status\": \"resolved\"") && text.contains("\"colour\": \"red\""));
//! # Ok::<(), skein_format::review::ReviewEditError>(())
//! ```
//!
//! Results depend only on the arguments: the crate does not access the file system, the clock or the
//! environment, and logs nothing. It never opens a path that a file contains.

pub mod checkpoint;
pub mod diagnostic;
mod fence;
pub mod id;
pub mod json;
mod line;
pub mod path;
pub mod redact;
pub mod review;
pub mod session;
mod slug;
pub mod span;
mod splices;
pub mod time;
mod utf8;

pub use diagnostic::{Code, Diagnostic, Severity};
