//! Watching a session from other threads while it trains.

use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, PoisonError, RwLock};

use crate::session_ref::{metrics_json_of, metrics_of, set_learning_rate};
use crate::{Metrics, Result, sys};

/// The pointer of a session while that lives. Readers hold the lock for the length of a short call.
pub(crate) struct Shared(RwLock<Option<NonNull<sys::ilt_session>>>);

// SAFETY: through the pointer only calls are made that the header allows from any thread.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    pub(crate) fn new(session: NonNull<sys::ilt_session>) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Some(session))))
    }

    /// The end of the session: waits for the calls that use it, and lets no more begin.
    pub(crate) fn close(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn with<T>(&self, body: impl FnOnce(NonNull<sys::ilt_session>) -> T) -> Option<T> {
        let session = self.0.read().unwrap_or_else(PoisonError::into_inner);
        session.map(body)
    }
}

/// A view of a session for other threads: progress bars, metrics servers, a button that saves.
///
/// It does not keep the session: once that is dropped, there is nothing to be seen.
///
/// ```no_run
/// # let config = ilt::Config::new()?;
/// let mut session = ilt::Session::new(&config)?;
/// let monitor = session.monitor();
/// std::thread::spawn(move || {
///     while let Some(metrics) = monitor.metrics() {
///         println!("{:?}", metrics.map(|m| m.loss));
///         std::thread::sleep(std::time::Duration::from_secs(1));
///     }
/// });
/// session.run()?;
/// # Ok::<(), ilt::Error>(())
/// ```
#[derive(Clone)]
pub struct SessionMonitor {
    shared: Arc<Shared>,
}

impl SessionMonitor {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The metrics of the last step that is done; `None` once the session is dropped. It waits for no step.
    #[must_use]
    pub fn metrics(&self) -> Option<Result<Metrics>> {
        // SAFETY: the session lives while the lock is held.
        self.shared.with(|session| unsafe { metrics_of(session) })
    }

    /// The same as a line of the metrics file: a JSON object, with more in it.
    #[must_use]
    pub fn metrics_json(&self) -> Option<Result<String>> {
        // SAFETY: the session lives while the lock is held.
        self.shared.with(|session| unsafe { metrics_json_of(session) })
    }

    /// Sets the learning rate of all optimizer steps that begin from now on, in place of the schedule's; `None` goes back
    /// to the schedule. Nothing happens once the session is dropped.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): a rate that is negative or not finite.
    pub fn set_learning_rate(&self, rate: Option<f64>) -> Result<()> {
        // SAFETY: the session lives while the lock is held.
        self.shared.with(|session| unsafe { set_learning_rate(session, rate) }).unwrap_or(Ok(()))
    }

    /// Asks the run that uses the session to save a model and a full state under `ckpt_output_dir` after the step that
    /// it is in, and to go on; where none runs, the next one does so after its first step.
    pub fn request_save(&self) {
        // SAFETY: the session lives while the lock is held, and the call is allowed beside others.
        self.shared.with(|session| unsafe { sys::ilt_session_request_save(session.as_ptr()) });
    }

    /// Whether the session is still there.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.shared.with(|_| ()).is_some()
    }
}

impl fmt::Debug for SessionMonitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionMonitor").field("metrics", &self.metrics()).finish()
    }
}
