//! Closures as C callbacks: how they are called, how they are dropped, and how their panics get home.

use std::any::Any;
use std::cell::Cell;
use std::ffi::c_void;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::sys;

thread_local! {
    /// The panic of a callback on its way through libilt to the call that led to it: both are on one thread.
    static PANIC: Cell<Option<Box<dyn Any + Send>>> = const { Cell::new(None) };
}

/// Runs the body of a callback and gives libilt its answer: go on, stop, or fail because it panicked.
pub(crate) fn answer(body: impl FnOnce() -> ControlFlow<()>) -> i32 {
    if let Some(panic) = PANIC.take() {
        PANIC.set(Some(panic)); // on its way: no more of the host's code until it is there
        return -1;
    }
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(panic) => {
            PANIC.set(Some(panic));
            -1
        }
    }
}

/// Goes on with the panic of a callback, if there was one, and drops the error that libilt made of it.
pub(crate) fn resume_panic(error: *mut sys::ilt_error) {
    if let Some(panic) = PANIC.take() {
        // SAFETY: the call has ended; its error is ours, or NULL.
        unsafe { sys::ilt_error_free(error) };
        resume_unwind(panic);
    }
}

/// A closure as libilt keeps it. [`destroy`] is what frees it.
pub(crate) fn into_user_data<T>(state: T) -> *mut c_void {
    Box::into_raw(Box::new(state)).cast()
}

/// Drops what [`into_user_data`] has made.
pub(crate) unsafe extern "C" fn destroy<T>(user_data: *mut c_void) {
    // SAFETY: libilt calls this once, with what into_user_data::<T> returned.
    contain(|| drop(unsafe { Box::from_raw(user_data.cast::<T>()) }));
}

/// Runs what no call waits for. Where it panics, the panic hook has told of it; it goes no further, since libilt may be
/// in the middle of anything.
pub(crate) fn contain(body: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(body)) {
        std::mem::forget(panic); // its drop could panic again
    }
}
