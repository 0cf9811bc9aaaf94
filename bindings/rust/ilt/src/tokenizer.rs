//! Text to token ids and back, and chat through the model's template.

use std::fmt;
use std::path::Path;
use std::ptr::NonNull;

use serde::Serialize;

use crate::{Result, Sample, ffi, sys};

/// A model's tokenizer and chat template. It never changes, so that all calls may overlap.
///
/// ```no_run
/// use ilt::{Message, Tokenizer};
///
/// let tokenizer = Tokenizer::load("granite-2b")?;
/// let chat = tokenizer.render_chat(&[Message::new("user", "What is two and two?")], true)?;
/// let ids = tokenizer.encode(&chat, false)?;
/// # Ok::<(), ilt::Error>(())
/// ```
pub struct Tokenizer {
    raw: NonNull<sys::ilt_tokenizer>,
}

// SAFETY: the header allows all calls on a tokenizer from any thread.
unsafe impl Send for Tokenizer {}
// SAFETY: as above; a tokenizer never changes.
unsafe impl Sync for Tokenizer {}

/// One message of a chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message<'a> {
    /// Who says it: `system`, `user`, `assistant`, `tool`.
    pub role: &'a str,
    /// What is said.
    pub content: &'a str,
}

impl<'a> Message<'a> {
    /// A message with a role and a content.
    #[must_use]
    pub fn new(role: &'a str, content: &'a str) -> Self {
        Self { role, content }
    }
}

impl Tokenizer {
    /// Reads `tokenizer.json`, and the chat template if there is one, of a Hugging Face folder; or what a GGUF file has
    /// of both.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Format`](crate::ErrorKind::Format).
    pub fn load(model_path: impl AsRef<Path>) -> Result<Self> {
        let path = ffi::c_path(model_path.as_ref())?;
        // SAFETY: the path ends in NUL, and the other pointers are good for the call.
        let raw = ffi::create_now(|out, error| unsafe { sys::ilt_tokenizer_load(path.as_ptr(), out, error) })?;
        Ok(Self { raw })
    }

    /// The largest token id + 1, added tokens included.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        // SAFETY: the tokenizer lives.
        let size = unsafe { sys::ilt_tokenizer_vocab_size(self.raw.as_ptr()) };
        usize::try_from(size).unwrap_or_default()
    }

    /// Text to token ids. `add_special` adds what the tokenizer puts round a text (BOS, EOS); rendered chat has its own.
    ///
    /// # Errors
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn encode(&self, text: &str, add_special: bool) -> Result<Vec<i32>> {
        let (ids, _) = ffi::ids(|out, count, error| {
            // SAFETY: the tokenizer lives, the text is good for its length, the other pointers for the call.
            unsafe {
                sys::ilt_tokenizer_encode(
                    self.raw.as_ptr(),
                    text.as_ptr().cast(),
                    text.len(),
                    add_special.into(),
                    out,
                    count,
                    error,
                )
            }
        })?;
        Ok(ids)
    }

    /// Token ids to text. `skip_special` leaves special tokens out.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): an id outside the vocabulary.
    pub fn decode(&self, ids: &[i32], skip_special: bool) -> Result<String> {
        ffi::text(|out, length, error| {
            // SAFETY: the tokenizer lives, the ids are good for their number, the other pointers for the call.
            unsafe {
                sys::ilt_tokenizer_decode(
                    self.raw.as_ptr(),
                    ids.as_ptr(),
                    ids.len(),
                    skip_special.into(),
                    out,
                    length,
                    error,
                )
            }
        })
    }

    /// Renders messages through the chat template: a list of [`Message`], or of anything else that serde writes as
    /// objects with a role and a content. `add_generation_prompt` ends with what opens the assistant's turn.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): the model has no template. [`Data`](crate::ErrorKind::Data): the
    /// template refuses the messages.
    pub fn render_chat(&self, messages: &(impl Serialize + ?Sized), add_generation_prompt: bool) -> Result<String> {
        let json = ffi::to_json(messages)?;
        ffi::text(|out, length, error| {
            // SAFETY: the tokenizer lives, the text is good for its length, the other pointers for the call.
            unsafe {
                sys::ilt_tokenizer_render_chat(
                    self.raw.as_ptr(),
                    json.as_ptr().cast(),
                    json.len(),
                    add_generation_prompt.into(),
                    out,
                    length,
                    error,
                )
            }
        })
    }

    /// One chat record to token ids and labels, as training would make them: an object of any chat format (`messages`,
    /// `conversations`, `prompt` and `completion`, `instruction` and `output`), or a list of messages.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound): the model has no template. [`Data`](crate::ErrorKind::Data): the
    /// record, or the template refuses it.
    pub fn apply_chat(&self, record: &(impl Serialize + ?Sized)) -> Result<Sample> {
        let json = ffi::to_json(record)?;
        Sample::receive(|ids, labels, count, error| {
            // SAFETY: the tokenizer lives, the text is good for its length, the other pointers for the call.
            unsafe {
                sys::ilt_tokenizer_apply_chat(
                    self.raw.as_ptr(),
                    json.as_ptr().cast(),
                    json.len(),
                    ids,
                    labels,
                    count,
                    error,
                )
            }
        })
    }
}

impl Drop for Tokenizer {
    fn drop(&mut self) {
        // SAFETY: the tokenizer is this object's, and nothing uses it any more.
        unsafe { sys::ilt_tokenizer_free(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokenizer").field("vocab_size", &self.vocab_size()).finish_non_exhaustive()
    }
}
