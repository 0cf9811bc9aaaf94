//! Stopping long calls from another thread or a signal handler.

use std::fmt;
use std::ptr::{self, NonNull};

use crate::{Result, ffi, sys};

/// Asks the calls that were given it to stop, at the next point where the session is consistent.
///
/// Clones are the same token. It outlives the calls and sessions that it was given to, and is used once: a cancelled
/// token stays cancelled.
///
/// ```
/// let token = ilt::CancelToken::new()?;
/// let other = token.clone();
/// std::thread::spawn(move || other.cancel()).join().unwrap();
/// assert!(token.is_cancelled());
/// # Ok::<(), ilt::Error>(())
/// ```
pub struct CancelToken {
    raw: NonNull<sys::ilt_cancel_token>,
}

// SAFETY: the header allows all calls on a token from any thread, and counts its references atomically.
unsafe impl Send for CancelToken {}
// SAFETY: as above.
unsafe impl Sync for CancelToken {}

impl CancelToken {
    /// A token that is not cancelled.
    ///
    /// # Errors
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn new() -> Result<Self> {
        // SAFETY: both pointers are good for the call.
        let raw = ffi::create_now(|out, error| unsafe { sys::ilt_cancel_token_create(out, error) })?;
        Ok(Self { raw })
    }

    /// Cancels. One atomic store: it may be called from a signal handler, too.
    pub fn cancel(&self) {
        // SAFETY: the token is alive while this object holds a reference.
        unsafe { sys::ilt_cancel_token_cancel(self.raw.as_ptr()) };
    }

    /// Whether it is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        // SAFETY: as in cancel().
        unsafe { sys::ilt_cancel_token_is_cancelled(self.raw.as_ptr()) != 0 }
    }

    /// The C pointer of a token that may be absent.
    pub(crate) fn raw_or_null(token: Option<&Self>) -> *mut sys::ilt_cancel_token {
        token.map_or(ptr::null_mut(), |token| token.raw.as_ptr())
    }
}

impl Clone for CancelToken {
    fn clone(&self) -> Self {
        // SAFETY: the token is alive; the new reference is the clone's.
        unsafe { sys::ilt_cancel_token_retain(self.raw.as_ptr()) };
        Self { raw: self.raw }
    }
}

impl Drop for CancelToken {
    fn drop(&mut self) {
        // SAFETY: gives up the reference that this object holds.
        unsafe { sys::ilt_cancel_token_free(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken").field("cancelled", &self.is_cancelled()).finish()
    }
}
