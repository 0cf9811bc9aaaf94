//! What can be done with a session between its steps, also from inside its callback.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::{self, NonNull};

use serde_json::{Map, Value};

use crate::generate::{GenerateOptions, Generated};
use crate::metrics::{self, Metrics};
use crate::model::ModelInfo;
use crate::{CancelToken, CheckpointKind, Dataset, Result, callback, ffi, sys};

/// A session that waits for its callback: [`Event::session`](crate::Event::session). It cannot be trained from there.
#[derive(Debug)]
pub struct SessionRef<'session> {
    raw: NonNull<sys::ilt_session>,
    borrow: PhantomData<&'session mut ()>,
}

impl SessionRef<'_> {
    /// # Safety
    /// The session lives, and nothing else uses it during the lifetime, but a call on this thread whose callback this
    /// is.
    pub(crate) unsafe fn new(raw: NonNull<sys::ilt_session>) -> Self {
        Self { raw, borrow: PhantomData }
    }

    /// The metrics of the last step that is done.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn metrics(&self) -> Result<Metrics> {
        // SAFETY: the session lives.
        unsafe { metrics_of(self.raw) }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::ilt_session {
        self.raw.as_ptr()
    }

    /// The loss on a data set that nothing is learnt from, or, without one, on the session's validation data: what a
    /// validation of a run gives. Samples longer than `max_seq_len` are left out, as they are in training.
    ///
    /// # Errors
    /// [`InvalidState`](crate::ErrorKind::InvalidState) (no data set, and the session has no validation data),
    /// [`Config`](crate::ErrorKind::Config) (`max_batch_len` is needed), [`Data`](crate::ErrorKind::Data) (no token to
    /// predict; another tokenizer's data), [`Numeric`](crate::ErrorKind::Numeric).
    pub fn evaluate(&mut self, dataset: Option<&Dataset>) -> Result<Evaluation> {
        Ok(self.evaluate_inner(dataset, None)?.0)
    }

    /// [`evaluate`](Self::evaluate) that the token can stop; `None` if it was.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    pub fn evaluate_until(&mut self, dataset: Option<&Dataset>, cancel: &CancelToken) -> Result<Option<Evaluation>> {
        let (evaluation, status) = self.evaluate_inner(dataset, Some(cancel))?;
        Ok((status != sys::ILT_STOPPED).then_some(evaluation))
    }

    fn evaluate_inner(
        &mut self,
        dataset: Option<&Dataset>,
        cancel: Option<&CancelToken>,
    ) -> Result<(Evaluation, sys::ilt_status)> {
        let (mut loss, mut tokens) = (f64::NAN, 0);
        let status = ffi::call(|error| {
            // SAFETY: the session is ours to use, and data set and token live or are NULL.
            unsafe {
                sys::ilt_evaluate(
                    self.raw.as_ptr(),
                    dataset.map_or(ptr::null(), |dataset| dataset.as_ptr().cast_const()),
                    CancelToken::raw_or_null(cancel),
                    &raw mut loss,
                    &raw mut tokens,
                    error,
                )
            }
        })?;
        Ok((Evaluation { loss, tokens: ffi::count(tokens) }, status))
    }

    /// The log-probability of each token after the first, given those before it.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): fewer than two ids, an id outside the vocabulary.
    /// [`Numeric`](crate::ErrorKind::Numeric): weights that give no finite result.
    pub fn score(&mut self, ids: &[i32]) -> Result<Vec<f32>> {
        let mut logprobs = vec![0.0; ids.len().saturating_sub(1).max(1)];
        ffi::call(|error| {
            // SAFETY: the session is ours to use, the ids are good for their number, and there is one place less.
            unsafe { sys::ilt_score(self.raw.as_ptr(), ids.as_ptr(), ids.len(), logprobs.as_mut_ptr(), error) }
        })?;
        Ok(logprobs)
    }

    /// Continues a prompt of at least one id; the new ids.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config) (options), [`InvalidArgument`](crate::ErrorKind::InvalidArgument) (an empty
    /// prompt, an id outside the vocabulary), [`Numeric`](crate::ErrorKind::Numeric).
    pub fn generate(&mut self, prompt: &[i32], options: &GenerateOptions) -> Result<Vec<i32>> {
        Ok(self.generate_with(prompt, options, None, |_| ControlFlow::Continue(()))?.ids)
    }

    /// [`generate`](Self::generate) that tells of each token as it comes, and can be stopped by the closure or the
    /// token.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn generate_with<F>(
        &mut self,
        prompt: &[i32],
        options: &GenerateOptions,
        cancel: Option<&CancelToken>,
        mut on_token: F,
    ) -> Result<Generated>
    where
        F: FnMut(i32) -> ControlFlow<()>,
    {
        let options = ffi::c_json(options)?;
        let (ids, status) = ffi::ids(|out, count, error| {
            // SAFETY: the session is ours to use, the prompt is good for its length, the options end in NUL, and the
            // closure is used during the call only.
            unsafe {
                sys::ilt_generate(
                    self.raw.as_ptr(),
                    prompt.as_ptr(),
                    prompt.len(),
                    options.as_ptr(),
                    Some(tell_token::<F>),
                    (&raw mut on_token).cast(),
                    CancelToken::raw_or_null(cancel),
                    out,
                    count,
                    error,
                )
            }
        })?;
        Ok(Generated { ids, stopped: status == sys::ILT_STOPPED })
    }

    /// Writes the model, or the full state of the run, to the folder `path`, which appears complete or not at all. It
    /// replaces a folder of that name that is empty or of the same kind, never another.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) (a folder that is not replaced),
    /// [`Io`](crate::ErrorKind::Io) (a full disk), [`Numeric`](crate::ErrorKind::Numeric) (a weight that is not finite),
    /// [`InvalidState`](crate::ErrorKind::InvalidState) (a full state of a session without data).
    pub fn save(&mut self, path: impl AsRef<Path>, kind: CheckpointKind) -> Result<()> {
        let path = ffi::c_path(path.as_ref())?;
        // SAFETY: the session is ours to use, and the path ends in NUL.
        ffi::call(|error| unsafe { sys::ilt_checkpoint_save(self.raw.as_ptr(), path.as_ptr(), kind.raw(), error) })?;
        Ok(())
    }

    /// The options that the session runs with.
    ///
    /// # Errors
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn config(&mut self) -> Result<Map<String, Value>> {
        ffi::json("configuration", |out, length, error| {
            // SAFETY: the session is ours to use.
            unsafe { sys::ilt_session_config_json(self.raw.as_ptr(), out, length, error) }
        })
    }

    /// What the model is.
    ///
    /// # Errors
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn model_info(&mut self) -> Result<ModelInfo> {
        ffi::json("description of the model", |out, length, error| {
            // SAFETY: the session is ours to use.
            unsafe { sys::ilt_session_model_info_json(self.raw.as_ptr(), out, length, error) }
        })
    }
}

/// The loss on data that nothing is learnt from.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Evaluation {
    /// The mean over the loss-bearing tokens, in nats.
    pub loss: f64,
    /// How many these are.
    pub tokens: u64,
}

/// # Safety
/// The session lives during the call.
pub(crate) unsafe fn metrics_of(session: NonNull<sys::ilt_session>) -> Result<Metrics> {
    let mut raw = metrics::empty();
    // SAFETY: the caller's promise; this call is allowed beside others.
    ffi::call(|error| unsafe { sys::ilt_metrics_get(session.as_ptr(), &raw mut raw, error) })?;
    Ok(Metrics::from(&raw))
}

/// # Safety
/// The session lives during the call.
pub(crate) unsafe fn metrics_json_of(session: NonNull<sys::ilt_session>) -> Result<String> {
    // SAFETY: the caller's promise; this call is allowed beside others.
    ffi::text(|out, length, error| unsafe { sys::ilt_metrics_json(session.as_ptr(), out, length, error) })
}

/// Sets the learning rate of the steps that begin from now on; `None` for the schedule's.
///
/// # Safety
/// The session lives during the call.
pub(crate) unsafe fn set_learning_rate(session: NonNull<sys::ilt_session>, rate: Option<f64>) -> Result<()> {
    let rate = match rate {
        None => sys::ILT_LR_SCHEDULE,
        // What stands for the schedule in C is no rate, as all negative numbers.
        Some(rate) => {
            if rate < 0.0 {
                f64::NEG_INFINITY
            } else {
                rate
            }
        }
    };
    // SAFETY: the caller's promise; this call is allowed beside others.
    ffi::call(|error| unsafe { sys::ilt_session_set_lr(session.as_ptr(), rate, error) })?;
    Ok(())
}

unsafe extern "C" fn tell_token<F>(token_id: i32, user_data: *mut c_void) -> i32
where
    F: FnMut(i32) -> ControlFlow<()>,
{
    callback::answer(|| {
        // SAFETY: the closure of the call that is running, on its thread.
        let on_token = unsafe { &mut *user_data.cast::<F>() };
        on_token(token_id)
    })
}
