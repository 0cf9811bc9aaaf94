//! Raw bindings to libilt: `ilt.h` as it is, with its comments. The crate `ilt` is the safe library over them.
//!
//! The header's rules hold: who owns what, which thread may call, and that a callback must not unwind.
#![allow(non_camel_case_types, clippy::doc_markdown, clippy::wildcard_imports)]

#[rustfmt::skip]
mod functions;
#[rustfmt::skip]
mod types;

pub use functions::*;
pub use types::*;
