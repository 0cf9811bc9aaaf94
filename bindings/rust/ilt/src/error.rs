//! What a failed call of libilt says: a kind that a program can act on, a line for a person, and details.

use std::ffi::CStr;
use std::fmt;

use serde_json::Value;

use crate::{ffi, sys};

/// The result of a call of libilt.
pub type Result<T> = std::result::Result<T, Error>;

/// A failed call of libilt.
///
/// ```
/// use ilt::{Config, ErrorKind};
///
/// let mut config = Config::new()?;
/// let error = config.set("learning_rat", "1e-5").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Config);
/// assert_eq!(error.detail()["nearest"], "learning_rate");
/// # Ok::<(), ilt::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    kind: ErrorKind,
    message: String,
    detail: Value,
}

impl Error {
    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// One line for a person: what went wrong with what, and what to do.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The facts for a program: an object with those of these keys that apply: `key`, `got`, `expected`, `nearest`,
    /// `file`, `line`, `column`, `errno`, ...
    #[must_use]
    pub fn detail(&self) -> &Value {
        &self.detail
    }

    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), detail: Value::Object(serde_json::Map::new()) }
    }

    /// Takes over the error of a call that returned `status`; `raw` is NULL where there was no memory for one.
    ///
    /// # Safety
    /// `raw` is NULL or an error that libilt made, which is not used again.
    pub(crate) unsafe fn take(status: sys::ilt_status, raw: *mut sys::ilt_error) -> Self {
        let kind = ErrorKind::from_status(status);
        if raw.is_null() {
            return Self::new(kind, kind.to_string());
        }
        // SAFETY: both strings belong to the error, which lives until the last line.
        let (message, detail) =
            unsafe { (CStr::from_ptr(sys::ilt_error_message(raw)), CStr::from_ptr(sys::ilt_error_detail_json(raw))) };
        let error = Self {
            kind,
            message: message.to_string_lossy().into_owned(),
            detail: serde_json::from_slice(detail.to_bytes()).unwrap_or_default(),
        };
        // SAFETY: the error is ours by the caller's promise.
        unsafe { sys::ilt_error_free(raw) };
        error
    }

    /// JSON from libilt that this crate does not understand: a version that does not fit.
    pub(crate) fn unreadable(what: &str, reason: &serde_json::Error) -> Self {
        Self::new(ErrorKind::Version, format!("libilt's {what} is not what this crate expects: {reason}"))
    }
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $kind:ident = $status:ident,)*) => {
        /// What a program can tell failures apart by.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $kind,)*
            /// A status that this crate does not know: that of a newer libilt.
            Unknown(i32),
        }

        impl ErrorKind {
            pub(crate) fn from_status(status: sys::ilt_status) -> Self {
                match status {
                    $(sys::$status => Self::$kind,)*
                    other => Self::Unknown(other),
                }
            }

            /// The value of `ilt_status` in the C interface.
            #[must_use]
            pub fn status(self) -> i32 {
                match self {
                    $(Self::$kind => sys::$status,)*
                    Self::Unknown(status) => status,
                }
            }
        }
    };
}

impl fmt::Display for ErrorKind {
    /// The name that it has in the C interface: `ILT_ERR_CONFIG`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the name is in static storage.
        f.pad(unsafe { ffi::static_str(sys::ilt_status_name(self.status())) })
    }
}

error_kinds! {
    /// A value that cannot be: an index, a length, a text with a NUL byte.
    InvalidArgument = ILT_ERR_INVALID_ARGUMENT,
    /// Not now: training without data, training from inside a callback.
    InvalidState = ILT_ERR_INVALID_STATE,
    /// Another thread is using the object.
    Busy = ILT_ERR_BUSY,
    /// An option: unknown, out of bounds, missing, at odds with another.
    Config = ILT_ERR_CONFIG,
    /// A file, a folder or a chat template that is not there.
    NotFound = ILT_ERR_NOT_FOUND,
    /// The system could not read or write; a full disk.
    Io = ILT_ERR_IO,
    /// A file that is broken or of a kind that is not read.
    Format = ILT_ERR_FORMAT,
    /// A training record; no records.
    Data = ILT_ERR_DATA,
    /// The host's memory does not suffice.
    OutOfHostMemory = ILT_ERR_OOM_HOST,
    /// A device's memory does not suffice.
    OutOfDeviceMemory = ILT_ERR_OOM_DEVICE,
    /// A device that is missing or has failed.
    Device = ILT_ERR_DEVICE,
    /// A loss, gradient or weight that is not finite.
    Numeric = ILT_ERR_NUMERIC,
    /// The exchange between the processes of a run failed.
    Distributed = ILT_ERR_DIST,
    /// Something took too long.
    Timeout = ILT_ERR_TIMEOUT,
    /// Known, but not built or not possible here: an architecture, a feature.
    Unsupported = ILT_ERR_UNSUPPORTED,
    /// A file or a library of another version.
    Version = ILT_ERR_VERSION,
    /// A callback failed. Panics of callbacks are resumed instead, so that Rust programs do not see it.
    Callback = ILT_ERR_CALLBACK,
    /// An object of the parent process, used after `fork()`; a session made in its child.
    Forked = ILT_ERR_FORKED,
    /// A fault in libilt: please report it.
    Internal = ILT_ERR_INTERNAL,
}
