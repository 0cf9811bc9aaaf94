//! How calls go out and results come in: status to `Result`, owned C memory to Rust's.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::ptr::{self, NonNull};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, ErrorKind, Result, callback, library, sys};

pub(crate) type ErrorOut = *mut *mut sys::ilt_error;

/// Makes a call; its status where that is no error. A panic of a callback goes on from here.
pub(crate) fn call(body: impl FnOnce(ErrorOut) -> sys::ilt_status) -> Result<sys::ilt_status> {
    let mut error = ptr::null_mut();
    let status = body(&raw mut error);
    callback::resume_panic(error);
    // SAFETY: libilt has written the error, or it is NULL.
    if status < 0 { Err(unsafe { Error::take(status, error) }) } else { Ok(status) }
}

/// Makes a call that creates an object; `None` where it was stopped.
pub(crate) fn create<T>(body: impl FnOnce(*mut *mut T, ErrorOut) -> sys::ilt_status) -> Result<Option<NonNull<T>>> {
    library::check_interface()?; // all else needs an object first
    let mut out = ptr::null_mut();
    call(|error| body(&raw mut out, error))?;
    Ok(NonNull::new(out))
}

/// Makes a call that creates an object and cannot be stopped.
pub(crate) fn create_now<T>(body: impl FnOnce(*mut *mut T, ErrorOut) -> sys::ilt_status) -> Result<NonNull<T>> {
    create(body)?.ok_or_else(|| Error::new(ErrorKind::Internal, "libilt has made no object and reported no error"))
}

/// Makes a call that gives a text.
pub(crate) fn text(body: impl FnOnce(*mut *mut c_char, *mut usize, ErrorOut) -> sys::ilt_status) -> Result<String> {
    let (mut out, mut length) = (Owned::none(), 0);
    call(|error| body(&raw mut out.pointer, &raw mut length, error))?;
    let bytes = Owned { pointer: std::mem::replace(&mut out.pointer, ptr::null_mut()).cast::<u8>() };
    // SAFETY: libilt has given an array of that length.
    Ok(String::from_utf8_lossy(unsafe { bytes.slice(length) }).into_owned())
}

/// Makes a call that gives a JSON document.
pub(crate) fn json<T: DeserializeOwned>(
    what: &str,
    body: impl FnOnce(*mut *mut c_char, *mut usize, ErrorOut) -> sys::ilt_status,
) -> Result<T> {
    serde_json::from_str(&text(body)?).map_err(|reason| Error::unreadable(what, &reason))
}

/// Makes a call that gives one list of token ids; and whether it was stopped.
pub(crate) fn ids(
    body: impl FnOnce(*mut *mut i32, *mut usize, ErrorOut) -> sys::ilt_status,
) -> Result<(Vec<i32>, sys::ilt_status)> {
    let (mut out, mut count) = (Owned::none(), 0);
    let status = call(|error| body(&raw mut out.pointer, &raw mut count, error))?;
    // SAFETY: libilt has given an array of that length.
    Ok((unsafe { out.slice(count) }.to_vec(), status))
}

/// Memory from libilt, freed at the end.
pub(crate) struct Owned<T> {
    pub(crate) pointer: *mut T,
}

impl<T> Owned<T> {
    pub(crate) fn none() -> Self {
        Self { pointer: ptr::null_mut() }
    }

    /// # Safety
    /// The pointer is NULL or points to `count` values.
    pub(crate) unsafe fn slice(&self, count: usize) -> &[T] {
        if self.pointer.is_null() {
            return &[];
        }
        // SAFETY: the caller's promise; the memory is this object's.
        unsafe { std::slice::from_raw_parts(self.pointer, count) }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: NULL, or memory that libilt gave us to free.
        unsafe { sys::ilt_free(self.pointer.cast()) };
    }
}

/// A string that ends in NUL, for the way out.
pub(crate) fn c_string(what: &str, text: impl Into<Vec<u8>>) -> Result<CString> {
    CString::new(text)
        .map_err(|_| Error::new(ErrorKind::InvalidArgument, format!("{what} has a NUL byte in it: leave that out")))
}

/// A path for the way out.
pub(crate) fn c_path(path: &Path) -> Result<CString> {
    c_string("the path", path.as_os_str().as_encoded_bytes())
}

/// Options of a call as JSON, for the way out.
pub(crate) fn c_json(options: &impl Serialize) -> Result<CString> {
    c_string("the options", to_json(options)?)
}

/// A value as JSON, for the way out.
pub(crate) fn to_json(value: &(impl Serialize + ?Sized)) -> Result<String> {
    serde_json::to_string(value).map_err(|reason| {
        Error::new(ErrorKind::InvalidArgument, format!("the value cannot be written as JSON: {reason}"))
    })
}

/// A string in static storage.
///
/// # Safety
/// `text` is such a string.
pub(crate) unsafe fn static_str(text: *const c_char) -> &'static str {
    // SAFETY: the caller's promise. libilt's texts are UTF-8.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or_default()
}

/// A number of things, which C gives as a signed integer.
pub(crate) fn count(value: i64) -> u64 {
    u64::try_from(value).unwrap_or_default()
}
