//! A model, its optimizer and its data: what is trained.

use std::ffi::c_void;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::event::{Listener, tell};
use crate::generate::{GenerateOptions, Generated};
use crate::metrics::{self, Metrics};
use crate::model::ModelInfo;
use crate::monitor::{SessionMonitor, Shared};
use crate::session_ref::{Evaluation, SessionRef};
use crate::{CancelToken, CheckpointKind, Config, Dataset, Event, Result, callback, ffi, sys};

/// A model, its optimizer and its data.
///
/// It moves between threads and serves one of them at a time; [`Session::monitor`] is for the others.
///
/// ```no_run
/// use ilt::{CheckpointKind, Config, Session};
///
/// let config = Config::builder()
///     .model_path("granite-2b")
///     .data_path("train.jsonl")
///     .effective_batch_size(16)
///     .max_seq_len(2048)
///     .max_batch_len(4096)
///     .learning_rate(1e-5)
///     .build()?;
/// let mut session = Session::new(&config)?;
/// for metrics in session.steps() {
///     println!("{}", metrics?.loss);
/// }
/// session.save("out", CheckpointKind::Weights)?;
/// # Ok::<(), ilt::Error>(())
/// ```
pub struct Session {
    raw: NonNull<sys::ilt_session>,
    shared: Arc<Shared>,
}

// SAFETY: a session may move between threads; its callback is `Send`, too.
unsafe impl Send for Session {}

/// How a long call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub enum Outcome {
    /// It came to its end.
    Finished,
    /// A token or a callback stopped it. Nothing is half done: the same call goes on from there.
    Stopped,
}

impl Outcome {
    pub(crate) fn of(status: sys::ilt_status) -> Self {
        if status == sys::ILT_STOPPED { Self::Stopped } else { Self::Finished }
    }
}

impl Session {
    /// Loads the model that the configuration names, and the data unless `data_path` is empty (then scoring, generation
    /// and saving work, and training does not). The configuration is copied.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config), [`NotFound`](crate::ErrorKind::NotFound), [`Io`](crate::ErrorKind::Io),
    /// [`Format`](crate::ErrorKind::Format), [`Data`](crate::ErrorKind::Data) (file and line),
    /// [`Unsupported`](crate::ErrorKind::Unsupported) (architecture), [`Device`](crate::ErrorKind::Device),
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory), [`Forked`](crate::ErrorKind::Forked).
    pub fn new(config: &Config) -> Result<Self> {
        // SAFETY: the configuration lives, and the other pointers are good for the call.
        let raw = ffi::create_now(|out, error| unsafe { sys::ilt_session_create(config.as_ptr(), out, error) })?;
        Ok(Self { raw, shared: Shared::new(raw) })
    }

    /// Sets the closure that is told of steps, checkpoints and epochs during a run, on the thread that runs it. It
    /// replaces the one before. [`ControlFlow::Break`] stops the run after the step. A panic comes out of the call that
    /// runs, after which the session is between two steps.
    ///
    /// ```no_run
    /// # let mut session = ilt::Session::new(&ilt::Config::new()?)?;
    /// use std::ops::ControlFlow;
    ///
    /// session.on_event(|event| {
    ///     if event.metrics().loss < 0.5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// })?;
    /// # Ok::<(), ilt::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn on_event<F>(&mut self, on_event: F) -> Result<()>
    where
        F: FnMut(&mut Event<'_>) -> ControlFlow<()> + Send + 'static,
    {
        let listener = callback::into_user_data(Listener { session: self.raw, on_event });
        self.set_callback(Some(tell::<F>), listener, Some(callback::destroy::<Listener<F>>))
    }

    /// Removes the closure of [`Session::on_event`], and drops it.
    ///
    /// # Errors
    /// As [`Session::on_event`].
    pub fn remove_callback(&mut self) -> Result<()> {
        self.set_callback(None, ptr::null_mut(), None)
    }

    fn set_callback(&mut self, tell: sys::ilt_event_fn, data: *mut c_void, destroy: sys::ilt_destroy_fn) -> Result<()> {
        // SAFETY: the session is ours alone; libilt frees `data` through `destroy`, also if the call fails.
        ffi::call(|error| unsafe {
            sys::ilt_session_set_event_callback(self.raw.as_ptr(), tell, data, destroy, error)
        })?;
        Ok(())
    }

    /// Gives a session that was created without `data_path` what to train on and, perhaps, what to validate on. It keeps
    /// both, and they take no more records.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config) (an option that training needs), [`Data`](crate::ErrorKind::Data) (no
    /// samples; a token that the model has no row for), [`InvalidState`](crate::ErrorKind::InvalidState) (the session
    /// has data).
    pub fn set_datasets(&mut self, training: &Dataset, validation: Option<&Dataset>) -> Result<()> {
        let validation = validation.map_or(ptr::null_mut(), Dataset::as_ptr);
        // SAFETY: the objects live; libilt takes references of its own.
        ffi::call(|error| unsafe {
            sys::ilt_session_set_datasets(self.raw.as_ptr(), training.as_ptr(), validation, error)
        })?;
        Ok(())
    }

    /// One optimizer step on the session's data; `None` when the run's steps are used up.
    ///
    /// # Errors
    /// [`InvalidState`](crate::ErrorKind::InvalidState) (no data), [`Numeric`](crate::ErrorKind::Numeric),
    /// [`Data`](crate::ErrorKind::Data), [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn step(&mut self) -> Result<Option<Metrics>> {
        let mut raw = metrics::empty();
        // SAFETY: the session is ours alone, and the struct says its size.
        let status = ffi::call(|error| unsafe { sys::ilt_train_step(self.raw.as_ptr(), &raw mut raw, error) })?;
        Ok((status != sys::ILT_DONE).then(|| Metrics::from(&raw)))
    }

    /// The steps that remain, as an iterator: each is taken when it is asked for. An error is the last item.
    pub fn steps(&mut self) -> Steps<'_> {
        Steps { session: Some(self) }
    }

    /// All steps that remain, with the metrics file and the checkpoints that the configuration asks for.
    ///
    /// # Errors
    /// As [`Session::step`], [`Io`](crate::ErrorKind::Io), and [`InvalidState`](crate::ErrorKind::InvalidState) (another
    /// run is writing to `ckpt_output_dir`).
    pub fn run(&mut self) -> Result<Outcome> {
        self.run_inner(None)
    }

    /// [`Session::run`] that the token can stop, between two steps.
    ///
    /// ```no_run
    /// # let mut session = ilt::Session::new(&ilt::Config::new()?)?;
    /// let token = ilt::CancelToken::new()?;
    /// let timer = token.clone();
    /// std::thread::spawn(move || {
    ///     std::thread::sleep(std::time::Duration::from_secs(3600));
    ///     timer.cancel();
    /// });
    /// if session.run_until(&token)? == ilt::Outcome::Stopped {
    ///     session.save("unfinished", ilt::CheckpointKind::FullState)?;
    /// }
    /// # Ok::<(), ilt::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_until(&mut self, cancel: &CancelToken) -> Result<Outcome> {
        self.run_inner(Some(cancel))
    }

    fn run_inner(&mut self, cancel: Option<&CancelToken>) -> Result<Outcome> {
        // SAFETY: the session is ours alone; token and metrics may be NULL.
        let status = ffi::call(|error| unsafe {
            sys::ilt_train_run(self.raw.as_ptr(), CancelToken::raw_or_null(cancel), ptr::null_mut(), error)
        })?;
        Ok(Outcome::of(status))
    }

    /// The steps that remain of the epoch, with the validation and the checkpoints that come due with its last one;
    /// `None` if no step was left to take. Calls until then train and write what one [`Session::run`] does.
    ///
    /// ```no_run
    /// # let mut session = ilt::Session::new(&ilt::Config::new()?)?;
    /// while let Some(ilt::Outcome::Finished) = session.run_epoch()? {
    ///     println!("{:?}", session.metrics()?.eval_loss);
    /// }
    /// # Ok::<(), ilt::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_epoch(&mut self) -> Result<Option<Outcome>> {
        self.run_epoch_inner(None)
    }

    /// [`Session::run_epoch`] that the token can stop, between two steps.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_epoch_until(&mut self, cancel: &CancelToken) -> Result<Option<Outcome>> {
        self.run_epoch_inner(Some(cancel))
    }

    fn run_epoch_inner(&mut self, cancel: Option<&CancelToken>) -> Result<Option<Outcome>> {
        // SAFETY: the session is ours alone; token and metrics may be NULL.
        let status = ffi::call(|error| unsafe {
            sys::ilt_train_epoch(self.raw.as_ptr(), CancelToken::raw_or_null(cancel), ptr::null_mut(), error)
        })?;
        Ok((status != sys::ILT_DONE).then(|| Outcome::of(status)))
    }

    /// Goes back, or on, to a full state: weights, optimizer, place in the data, counters, and the learning rate if one
    /// was set. On the CPU, what follows is bit for bit what followed it then.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Format`](crate::ErrorKind::Format) (the first file that differs;
    /// tensors of another model), [`Version`](crate::ErrorKind::Version), [`Config`](crate::ErrorKind::Config),
    /// [`Data`](crate::ErrorKind::Data). The session is then unchanged.
    pub fn load(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let path = ffi::c_path(path.as_ref())?;
        // SAFETY: the session is ours alone, and the path ends in NUL.
        ffi::call(|error| unsafe { sys::ilt_checkpoint_load(self.raw.as_ptr(), path.as_ptr(), error) })?;
        Ok(())
    }

    /// Sets the learning rate of all optimizer steps that begin from now on, in place of the schedule's; `None` goes back
    /// to the schedule. [`SessionMonitor::set_learning_rate`] does it from other threads and from callbacks.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): a rate that is negative or not finite.
    pub fn set_learning_rate(&mut self, rate: Option<f64>) -> Result<()> {
        // SAFETY: the session lives.
        unsafe { crate::session_ref::set_learning_rate(self.raw, rate) }
    }

    /// Whether the session is of no more use: its device has failed, or an error has broken off an update of the weights
    /// in the middle. Drop it, and go on from a checkpoint in a new one.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        // SAFETY: the session lives; the call is allowed beside others.
        unsafe { sys::ilt_session_is_poisoned(self.raw.as_ptr()) != 0 }
    }

    /// A view of the session for other threads.
    #[must_use]
    pub fn monitor(&self) -> SessionMonitor {
        SessionMonitor::new(Arc::clone(&self.shared))
    }

    /// The metrics of the last step that is done.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn metrics(&self) -> Result<Metrics> {
        // SAFETY: the session lives.
        unsafe { crate::session_ref::metrics_of(self.raw) }
    }

    /// What a callback can do, too.
    pub(crate) fn between_steps(&mut self) -> SessionRef<'_> {
        // SAFETY: the session is ours alone.
        unsafe { SessionRef::new(self.raw) }
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::ilt_session {
        self.raw.as_ptr()
    }

    /// As [`SessionRef::evaluate`].
    ///
    /// # Errors
    /// As [`SessionRef::evaluate`].
    pub fn evaluate(&mut self, dataset: Option<&Dataset>) -> Result<Evaluation> {
        self.between_steps().evaluate(dataset)
    }

    /// As [`SessionRef::evaluate_until`].
    ///
    /// # Errors
    /// As [`SessionRef::evaluate`].
    pub fn evaluate_until(&mut self, dataset: Option<&Dataset>, cancel: &CancelToken) -> Result<Option<Evaluation>> {
        self.between_steps().evaluate_until(dataset, cancel)
    }

    /// As [`SessionRef::score`].
    ///
    /// # Errors
    /// As [`SessionRef::score`].
    pub fn score(&mut self, ids: &[i32]) -> Result<Vec<f32>> {
        self.between_steps().score(ids)
    }

    /// As [`SessionRef::generate`].
    ///
    /// # Errors
    /// As [`SessionRef::generate`].
    pub fn generate(&mut self, prompt: &[i32], options: &GenerateOptions) -> Result<Vec<i32>> {
        self.between_steps().generate(prompt, options)
    }

    /// As [`SessionRef::generate_with`].
    ///
    /// # Errors
    /// As [`SessionRef::generate_with`].
    pub fn generate_with<F>(
        &mut self,
        prompt: &[i32],
        options: &GenerateOptions,
        cancel: Option<&CancelToken>,
        on_token: F,
    ) -> Result<Generated>
    where
        F: FnMut(i32) -> ControlFlow<()>,
    {
        self.between_steps().generate_with(prompt, options, cancel, on_token)
    }

    /// As [`SessionRef::save`].
    ///
    /// # Errors
    /// As [`SessionRef::save`].
    pub fn save(&mut self, path: impl AsRef<Path>, kind: CheckpointKind) -> Result<()> {
        self.between_steps().save(path, kind)
    }

    /// As [`SessionRef::config`].
    ///
    /// # Errors
    /// As [`SessionRef::config`].
    pub fn config(&mut self) -> Result<Map<String, Value>> {
        self.between_steps().config()
    }

    /// As [`SessionRef::model_info`].
    ///
    /// # Errors
    /// As [`SessionRef::model_info`].
    pub fn model_info(&mut self) -> Result<ModelInfo> {
        self.between_steps().model_info()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.shared.close();
        // SAFETY: the session is this object's, and nothing uses it any more. The lock is not held: the callback's
        // closure is dropped here, and may hold a monitor.
        unsafe { sys::ilt_session_free(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("metrics", &self.metrics()).finish_non_exhaustive()
    }
}

/// The steps that remain of a session: [`Session::steps`].
#[derive(Debug)]
pub struct Steps<'session> {
    session: Option<&'session mut Session>,
}

impl Iterator for Steps<'_> {
    type Item = Result<Metrics>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.session.as_mut()?.step().transpose();
        if !matches!(step, Some(Ok(_))) {
            self.session = None;
        }
        step
    }
}

impl FusedIterator for Steps<'_> {}
