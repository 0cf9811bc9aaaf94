//! The C interface: every function catches panics and hands errors out by parameter, never through thread state.

use std::ffi::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null_mut, slice_from_raw_parts_mut};
use std::sync::Once;

use crate::template::ChatTemplate;
use crate::tokenizer::TextTokenizer;

#[repr(C)]
pub struct IltString {
    data: *mut c_char,
    size: usize,
}

#[repr(C)]
pub struct IltEncoding {
    ids: *mut u32,
    offsets: *mut usize,
    size: usize,
}

/// Panics become error texts; the default hook would print to the host's stderr.
fn silence_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|_| {})));
}

pub(crate) unsafe fn put_string(out: *mut IltString, text: String) {
    if out.is_null() {
        return;
    }
    let bytes = text.into_bytes().into_boxed_slice();
    (*out).size = bytes.len();
    (*out).data = Box::into_raw(bytes) as *mut c_char;
}

pub(crate) fn panic_text(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string()).or_else(|| panic.downcast_ref::<String>().cloned());
    format!("internal fault: {}", text.unwrap_or_else(|| "panic".into()))
}

/// Runs `work`; 0, or -1 with the reason in `error`.
pub(crate) unsafe fn guard(error: *mut IltString, work: impl FnOnce() -> Result<(), String>) -> i32 {
    silence_panics();
    let reason = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return 0,
        Ok(Err(reason)) => reason,
        Err(panic) => panic_text(panic),
    };
    put_string(error, reason);
    -1
}

/// Runs `work`; `fallback` where it panics.
pub(crate) fn guard_value<T>(fallback: T, work: impl FnOnce() -> T) -> T {
    silence_panics();
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(fallback)
}

unsafe fn slice<'a, T>(data: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        &[]
    } else {
        std::slice::from_raw_parts(data, size)
    }
}

pub(crate) unsafe fn text<'a>(data: *const c_char, size: usize) -> Result<&'a str, String> {
    std::str::from_utf8(slice(data as *const u8, size))
        .map_err(|e| format!("not UTF-8 at byte {}", e.valid_up_to() + 1))
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_string_free(string: *mut IltString) {
    if !string.is_null() && !(*string).data.is_null() {
        drop(Box::from_raw(slice_from_raw_parts_mut((*string).data as *mut u8, (*string).size)));
        *string = IltString { data: null_mut(), size: 0 };
    }
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_encoding_free(encoding: *mut IltEncoding) {
    if encoding.is_null() || (*encoding).ids.is_null() {
        return;
    }
    let size = (*encoding).size;
    drop(Box::from_raw(slice_from_raw_parts_mut((*encoding).ids, size)));
    drop(Box::from_raw(slice_from_raw_parts_mut((*encoding).offsets, 2 * size)));
    *encoding = IltEncoding { ids: null_mut(), offsets: null_mut(), size: 0 };
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_new(
    json: *const c_char,
    size: usize,
    out: *mut *mut TextTokenizer,
    error: *mut IltString,
) -> i32 {
    guard(error, || {
        *out = Box::into_raw(Box::new(TextTokenizer::from_json(slice(json as *const u8, size))?));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_free(tokenizer: *mut TextTokenizer) {
    if !tokenizer.is_null() {
        guard_value((), || drop(Box::from_raw(tokenizer)))
    }
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_encode(
    tokenizer: *const TextTokenizer,
    data: *const c_char,
    size: usize,
    add_special: i32,
    out: *mut IltEncoding,
    error: *mut IltString,
) -> i32 {
    guard(error, || {
        let (ids, offsets) = (*tokenizer).encode(text(data, size)?, add_special != 0)?;
        (*out).size = ids.len();
        (*out).ids = Box::into_raw(ids) as *mut u32;
        (*out).offsets = Box::into_raw(offsets) as *mut usize;
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_decode(
    tokenizer: *const TextTokenizer,
    ids: *const u32,
    size: usize,
    skip_special: i32,
    out: *mut IltString,
    error: *mut IltString,
) -> i32 {
    guard(error, || {
        put_string(out, (*tokenizer).decode(slice(ids, size), skip_special != 0)?);
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_token_id(
    tokenizer: *const TextTokenizer,
    data: *const c_char,
    size: usize,
) -> i64 {
    guard_value(-1, || text(data, size).ok().and_then(|t| (*tokenizer).token_id(t)).map_or(-1, i64::from))
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_vocab_size(tokenizer: *const TextTokenizer) -> usize {
    (*tokenizer).vocab_size
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_longest_token(tokenizer: *const TextTokenizer) -> usize {
    (*tokenizer).longest_token
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_tokenizer_is_special(tokenizer: *const TextTokenizer, id: u32) -> i32 {
    i32::from((*tokenizer).is_special(id))
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_template_new(
    source: *const c_char,
    size: usize,
    unix_time: i64,
    out: *mut *mut ChatTemplate,
    error: *mut IltString,
) -> i32 {
    guard(error, || {
        *out = Box::into_raw(Box::new(ChatTemplate::new(text(source, size)?, unix_time)?));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_template_free(template: *mut ChatTemplate) {
    if !template.is_null() {
        guard_value((), || drop(Box::from_raw(template)))
    }
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_template_set_time(template: *mut ChatTemplate, unix_time: i64) {
    (*template).set_time(unix_time)
}

#[no_mangle]
pub unsafe extern "C" fn ilt_text_template_render(
    template: *const ChatTemplate,
    variables: *const c_char,
    size: usize,
    out: *mut IltString,
    error: *mut IltString,
) -> i32 {
    guard(error, || {
        put_string(out, (*template).render(text(variables, size)?)?);
        Ok(())
    })
}
