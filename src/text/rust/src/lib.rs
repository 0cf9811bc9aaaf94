//! Tokenizers and chat templates behind the C interface that ilt_text.h describes.

mod bounds;
#[cfg(feature = "columnar")]
mod columnar;
mod compile;
mod ffi;
mod generation;
mod messages;
mod pyjson;
mod pymethods;
mod strftime;
mod template;
mod tokenizer;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
