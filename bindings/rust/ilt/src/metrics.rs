//! What is known after an optimizer step.

use serde::Serialize;

use crate::{ffi, sys};

/// What is known after an optimizer step. Floating-point values are NaN before the first one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Metrics {
    /// The epoch of the step's first sample, from 0.
    pub epoch: u32,
    /// Optimizer steps done.
    pub step: u64,
    /// Steps of the whole run, where that is known.
    pub step_total: Option<u64>,
    /// Samples that the run has seen.
    pub samples_seen: u64,
    /// Tokens that the run has seen.
    pub tokens_seen: u64,
    /// The mean over the loss-bearing tokens of the step, in nats.
    pub loss: f64,
    /// The gradient's global L2 norm, before clipping.
    pub grad_norm: f64,
    /// The learning rate that the step used.
    pub lr: f64,
    /// Tokens per second in the step.
    pub tokens_per_second: f64,
    /// Seconds that the step took.
    pub step_seconds: f64,
    /// The most memory that the process has had, in bytes.
    pub mem_host_bytes_peak: u64,
    /// The loss of the last validation, as `loss`; `None` before the first one.
    pub eval_loss: Option<f64>,
}

impl From<&sys::ilt_metrics> for Metrics {
    fn from(raw: &sys::ilt_metrics) -> Self {
        Self {
            epoch: raw.epoch,
            step: ffi::count(raw.step),
            step_total: Some(ffi::count(raw.step_total)).filter(|&total| total > 0),
            samples_seen: ffi::count(raw.samples_seen),
            tokens_seen: ffi::count(raw.tokens_seen),
            loss: raw.loss,
            grad_norm: raw.grad_norm,
            lr: raw.lr,
            tokens_per_second: raw.tokens_per_second,
            step_seconds: raw.step_seconds,
            mem_host_bytes_peak: ffi::count(raw.mem_host_bytes_peak),
            eval_loss: Some(raw.eval_loss).filter(|loss| !loss.is_nan()),
        }
    }
}

/// An empty struct for libilt to fill.
pub(crate) fn empty() -> sys::ilt_metrics {
    // SAFETY: the struct is numbers only, for which zero is a value.
    let mut raw: sys::ilt_metrics = unsafe { std::mem::zeroed() };
    raw.struct_size = struct_size::<sys::ilt_metrics>();
    raw
}

/// The size that a struct of the C interface begins with.
pub(crate) fn struct_size<T>() -> u32 {
    const { assert!(size_of::<T>() <= u32::MAX as usize) };
    #[expect(clippy::cast_possible_truncation, reason = "checked above")]
    let size = size_of::<T>() as u32;
    size
}
