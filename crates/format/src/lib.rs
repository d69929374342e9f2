//! Lossless documents for the three kinds of thread: bytes in, bytes out.
//!
//! A document keeps the bytes it was read from together with the spans of what it understood. An edit
//! splices bytes; what it does not edit stays as it was, whether Skein understands it or not. Reading
//! never fails: it gives a document and a list of findings.
//!
//! ```
//! use skein_format::review::{ReviewDoc, Status};
//!
//! let file = b"<local-code-review-thread>\n\
//!     {\"schemaVersion\": 1, \"id\": \"t1\", \"colour\": \"red\",\n\
//!      \"target\": {\"workspaceRelativePath\": \"a.rs\", \"range\": null},\n\
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
//! It knows no file system, clock, environment or randomness, and logs nothing. What a file says is
//! data: nothing here opens a path that a file names.

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
