//! Trains language models from inside a Rust program: the safe library over libilt.
//!
//! ```no_run
//! use ilt::{CheckpointKind, Config, EventKind, Session};
//! use std::ops::ControlFlow;
//!
//! let config = Config::builder()
//!     .model_path("granite-2b") // a Hugging Face folder
//!     .data_path("train.jsonl") // {"messages": [{"role": "user", "content": ...}, ...]} a line
//!     .ckpt_output_dir("out")
//!     .effective_batch_size(16)
//!     .max_seq_len(2048)
//!     .max_batch_len(4096)
//!     .learning_rate(1e-5)
//!     .build()?;
//! let mut session = Session::new(&config)?;
//! session.on_event(|event| {
//!     if event.kind() == EventKind::StepEnd {
//!         println!("step {}: loss {:.4}", event.metrics().step, event.metrics().loss);
//!     }
//!     ControlFlow::Continue(())
//! })?;
//! session.run()?;
//! session.save("out/final", CheckpointKind::Weights)?;
//! # Ok::<(), ilt::Error>(())
//! ```
//!
//! - Three levels of control: [`Session::run`] and [`Session::run_epoch`]; [`Session::step`] and [`Session::steps`] for
//!   one's own loop around optimizer steps; [`Batch`], [`Session::forward_backward`] and [`Session::optimizer_step`] for
//!   one's own samples, weights and rewards.
//! - [`CancelToken`] stops a run from another thread or a signal handler, [`SessionMonitor`] shows its metrics there.
//! - A panic in a closure comes out of the call that led to it.
//! - Every failure is an [`Error`] with a kind to match on, a line to show, and details as JSON.
//! - Nothing is printed: [`logging`] takes the lines to where the program wants them.
//!
//! A [`Session`] moves between threads and serves one at a time (`Send`, not `Sync`, `&mut self`), so that libilt's
//! `ILT_ERR_BUSY` does not come up. After a `fork()` the child cannot use what its parent made.
#![deny(missing_docs)]

mod batch;
mod callback;
mod cancel;
pub mod checkpoint;
pub mod config;
mod dataset;
mod error;
mod event;
mod ffi;
mod generate;
mod library;
pub mod logging;
mod metrics;
pub mod model;
mod monitor;
mod parameters;
mod session;
mod session_ref;
mod tensor;
mod tokenizer;

use ilt_sys as sys;

pub use batch::{Batch, BatchLoss};
pub use cancel::CancelToken;
pub use checkpoint::CheckpointKind;
pub use config::{Config, ConfigBuilder, MemoryEstimate};
pub use dataset::{DataProgress, Dataset, DatasetStats, Sample, StatsOptions};
pub use error::{Error, ErrorKind, Result};
pub use event::{Event, EventKind};
pub use generate::{GenerateOptions, Generated};
pub use library::{BuildInfo, Device, DeviceKind, build_info, devices, has_feature, version, version_number};
pub use metrics::Metrics;
pub use model::ModelInfo;
pub use monitor::SessionMonitor;
pub use parameters::ParameterInfo;
pub use session::{Outcome, Session, Steps};
pub use session_ref::{Evaluation, SessionRef};
pub use tensor::{Element, Tensor, TensorView};
pub use tokenizer::{Message, Tokenizer};

/// The programs of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
