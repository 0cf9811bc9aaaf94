//! What libilt tells of its work, line by line. It is silent until a program asks.
//!
//! There is one sink in a process. [`to_log`] and [`to_tracing`] hand the lines to those crates, where the features of
//! these names are on.

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use crate::{Result, callback, ffi, sys};

/// How important a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Details for whoever looks for a fault in libilt.
    Trace,
    /// Details of a run.
    Debug,
    /// The course of a run.
    Info,
    /// What the user should know.
    Warn,
    /// What went wrong without an error that a call could return.
    Error,
}

impl Level {
    fn raw(self) -> sys::ilt_log_level {
        match self {
            Self::Trace => sys::ILT_LOG_TRACE,
            Self::Debug => sys::ILT_LOG_DEBUG,
            Self::Info => sys::ILT_LOG_INFO,
            Self::Warn => sys::ILT_LOG_WARN,
            Self::Error => sys::ILT_LOG_ERROR,
        }
    }

    /// `None` for `ILT_LOG_OFF`.
    fn of(raw: sys::ilt_log_level) -> Option<Self> {
        [Self::Trace, Self::Debug, Self::Info, Self::Warn, Self::Error].into_iter().find(|level| level.raw() == raw)
    }
}

/// Sends the lines of at least that level to the closure: level, part of libilt, text. It replaces the sink before.
///
/// The closure is called from any thread, one call at a time. It must not call libilt, but for
/// [`CancelToken::cancel`](crate::CancelToken::cancel) and [`set_level`]: the call would wait for itself. Its panics go no further.
///
/// ```
/// use ilt::logging::{self, Level};
///
/// logging::set(Level::Warn, |level, component, message| eprintln!("{level:?} {component}: {message}"))?;
/// assert_eq!(logging::level(), Some(Level::Warn));
/// logging::silence()?;
/// # Ok::<(), ilt::Error>(())
/// ```
///
/// # Errors
/// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
pub fn set<F>(min_level: Level, sink: F) -> Result<()>
where
    F: FnMut(Level, &str, &str) + Send + 'static,
{
    set_raw(Some(tell::<F>), callback::into_user_data(sink), Some(callback::destroy::<F>), min_level.raw())
}

/// Silences the log and drops the sink.
///
/// # Errors
/// As [`set`].
pub fn silence() -> Result<()> {
    set_raw(None, ptr::null_mut(), None, sys::ILT_LOG_OFF)
}

/// The lowest level that is logged; `None` while there is no sink, or none is.
#[must_use]
pub fn level() -> Option<Level> {
    // SAFETY: the call takes nothing.
    Level::of(unsafe { sys::ilt_log_level_get() })
}

/// Logs lines of at least that level from now on, `None` none of them; nothing while there is no sink. Unlike all else,
/// a sink may call this.
pub fn set_level(min_level: Option<Level>) {
    // SAFETY: the call takes numbers only.
    unsafe { sys::ilt_log_level_set(min_level.map_or(sys::ILT_LOG_OFF, Level::raw)) };
}

/// Sends the lines to the crate `log`, with the target `ilt::<part of libilt>`, as far as `log::max_level()` lets them
/// pass now.
///
/// # Errors
/// As [`set`].
#[cfg(feature = "log")]
pub fn to_log() -> Result<()> {
    let Some(max_level) = log::max_level().to_level() else { return silence() };
    let min_level = match max_level {
        log::Level::Error => Level::Error,
        log::Level::Warn => Level::Warn,
        log::Level::Info => Level::Info,
        log::Level::Debug => Level::Debug,
        log::Level::Trace => Level::Trace,
    };
    set(min_level, |level, component, message| {
        let level = match level {
            Level::Error => log::Level::Error,
            Level::Warn => log::Level::Warn,
            Level::Info => log::Level::Info,
            Level::Debug => log::Level::Debug,
            Level::Trace => log::Level::Trace,
        };
        log::log!(target: &format!("ilt::{component}"), level, "{message}");
    })
}

/// Sends the lines of at least that level to the crate `tracing`, as events with the target `ilt` and a field
/// `component`, in the span of the thread that they come from.
///
/// # Errors
/// As [`set`].
#[cfg(feature = "tracing")]
pub fn to_tracing(min_level: Level) -> Result<()> {
    set(min_level, |level, component, message| match level {
        Level::Error => tracing::error!(target: "ilt", component, "{message}"),
        Level::Warn => tracing::warn!(target: "ilt", component, "{message}"),
        Level::Info => tracing::info!(target: "ilt", component, "{message}"),
        Level::Debug => tracing::debug!(target: "ilt", component, "{message}"),
        Level::Trace => tracing::trace!(target: "ilt", component, "{message}"),
    })
}

fn set_raw(
    tell: sys::ilt_log_fn,
    sink: *mut c_void,
    destroy: sys::ilt_destroy_fn,
    min_level: sys::ilt_log_level,
) -> Result<()> {
    // SAFETY: libilt drops `sink` through `destroy`, after its last call of `tell`, also if the call fails.
    ffi::call(|error| unsafe { sys::ilt_log_set(tell, sink, destroy, min_level, error) })?;
    Ok(())
}

unsafe extern "C" fn tell<F>(
    level: sys::ilt_log_level,
    component: *const c_char,
    message: *const c_char,
    user_data: *mut c_void,
) where
    F: FnMut(Level, &str, &str) + Send + 'static,
{
    callback::contain(|| {
        // SAFETY: the sink that was set with this function, which libilt calls once at a time; the texts are valid
        // during the call.
        let (sink, component, message) =
            unsafe { (&mut *user_data.cast::<F>(), CStr::from_ptr(component), CStr::from_ptr(message)) };
        sink(Level::of(level).unwrap_or(Level::Error), &component.to_string_lossy(), &message.to_string_lossy());
    });
}
