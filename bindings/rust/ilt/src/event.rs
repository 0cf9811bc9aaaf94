//! What a run tells its callback.

use std::ffi::{CStr, OsStr, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;

use crate::session_ref::SessionRef;
use crate::{Metrics, callback, sys};

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A run begins.
    RunBegin,
    /// An optimizer step is done.
    StepEnd,
    /// A validation is done: [`Metrics::eval_loss`].
    EvalEnd,
    /// A checkpoint has appeared, complete: [`Event::path`]. With `background_save`, that is some steps after the one
    /// that it is of.
    Checkpoint,
    /// An epoch is done.
    EpochEnd,
    /// The run ends.
    RunEnd,
    /// An event that this crate does not know: of a newer libilt.
    Unknown(i32),
}

/// What a run tells its callback: what has happened, and the metrics at that time.
///
/// Through [`Event::session`] the callback can score, generate and save while the run waits.
pub struct Event<'call> {
    raw: &'call sys::ilt_event,
    session: NonNull<sys::ilt_session>,
    thread: PhantomData<*mut ()>,
}

impl Event<'_> {
    /// What has happened.
    #[must_use]
    pub fn kind(&self) -> EventKind {
        match self.raw.type_ {
            sys::ILT_EVENT_RUN_BEGIN => EventKind::RunBegin,
            sys::ILT_EVENT_STEP_END => EventKind::StepEnd,
            sys::ILT_EVENT_EVAL_END => EventKind::EvalEnd,
            sys::ILT_EVENT_CHECKPOINT => EventKind::Checkpoint,
            sys::ILT_EVENT_EPOCH_END => EventKind::EpochEnd,
            sys::ILT_EVENT_RUN_END => EventKind::RunEnd,
            other => EventKind::Unknown(other),
        }
    }

    /// The metrics of the last step that is done.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        // SAFETY: never NULL, and valid during the callback.
        Metrics::from(unsafe { &*self.raw.metrics })
    }

    /// The folder of the checkpoint, if the event is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        // SAFETY: NULL, or a string that is valid during the callback.
        let path = unsafe { self.raw.path.as_ref().map(|path| CStr::from_ptr(path)) };
        path.map(|path| Path::new(OsStr::from_bytes(path.to_bytes())))
    }

    /// The session that runs, for what can be done with it from here.
    pub fn session(&mut self) -> SessionRef<'_> {
        // SAFETY: the session is in the call that this callback belongs to, on this thread, and `&mut self` keeps a
        // second use of it away.
        unsafe { SessionRef::new(self.session) }
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("kind", &self.kind())
            .field("path", &self.path())
            .field("metrics", &self.metrics())
            .finish()
    }
}

/// The closure of a session, as libilt keeps it.
pub(crate) struct Listener<F> {
    pub(crate) session: NonNull<sys::ilt_session>,
    pub(crate) on_event: F,
}

pub(crate) unsafe extern "C" fn tell<F>(event: *const sys::ilt_event, user_data: *mut c_void) -> i32
where
    F: FnMut(&mut Event<'_>) -> ControlFlow<()>,
{
    callback::answer(|| {
        // SAFETY: the listener that was set with this function; libilt calls it on one thread at a time, and not from
        // inside itself, since training is refused there. The event is valid during the call.
        let (listener, raw) = unsafe { (&mut *user_data.cast::<Listener<F>>(), &*event) };
        (listener.on_event)(&mut Event { raw, session: listener.session, thread: PhantomData })
    })
}
