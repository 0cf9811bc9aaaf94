//! Raw bindings to libilt: `ilt.h` as it is, with its comments. The crate `ilt` is the safe library over them.
//!
//! The header's rules hold: who owns what, which thread may call, and that a callback must not unwind.
#![allow(non_camel_case_types, non_upper_case_globals, clippy::doc_markdown, clippy::wildcard_imports)]

mod dlpack;
#[rustfmt::skip]
mod functions;
#[rustfmt::skip]
mod session_functions;
#[rustfmt::skip]
mod types;

pub use dlpack::*;
pub use functions::*;
pub use session_functions::*;
pub use types::*;
