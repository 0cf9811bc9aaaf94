//! What can be done with a session between its steps, also from inside its callback.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::NonNull;

use serde_json::{Map, Value};

use crate::generate::{GenerateOptions, Generated};
use crate::metrics::{self, Metrics};
use crate::model::ModelInfo;
use crate::{CancelToken, CheckpointKind, Result, callback, ffi, sys};

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
