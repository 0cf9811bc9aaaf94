//! Models: which can be trained, what one is, and other formats for it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Error, Result, ffi, sys};

/// What the model of a session is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// The architecture, as `config.json` has it.
    pub architecture: String,
    /// How many values its tensors have.
    pub parameters: u64,
    /// How many of these are trained.
    pub trainable_parameters: u64,
    /// Blocks.
    pub layers: u64,
    /// The width of the embeddings.
    pub hidden_size: u64,
    /// Rows of the embeddings.
    pub vocab_size: u64,
    /// The device that it is on.
    pub device: String,
    /// What else libilt tells.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A family of models that can be trained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelFamily {
    /// The architecture, as `config.json` has it.
    pub architecture: String,
    /// The `model_type` of `config.json`.
    pub model_type: String,
    /// Some models of the family.
    pub models: String,
}

/// A format that [`export`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ModelFormat {
    /// A file for llama.cpp.
    Gguf,
    /// A folder that transformers loads.
    Hf,
}

/// The model families that can be trained.
///
/// ```
/// let families = ilt::model::families()?;
/// assert!(families.iter().any(|family| family.architecture == "LlamaForCausalLM"));
/// # Ok::<(), ilt::Error>(())
/// ```
///
/// # Errors
/// [`Version`](crate::ErrorKind::Version): a libilt that does not fit this crate.
pub fn families() -> Result<Vec<ModelFamily>> {
    // SAFETY: the string is in static storage.
    let json = unsafe { ffi::static_str(sys::ilt_model_families_json()) };
    serde_json::from_str(json).map_err(|reason| Error::unreadable("list of model families", &reason))
}

/// Writes a model in another format: `model_path` is a Hugging Face folder or a GGUF file, and `out_path` appears
/// complete or not at all. `dtype` is `float32`, `bfloat16`, `float16`, or `q8_0` in GGUF; by default the type of the
/// model's weights.
///
/// # Errors
/// [`Config`](crate::ErrorKind::Config) (`dtype`), [`NotFound`](crate::ErrorKind::NotFound),
/// [`Format`](crate::ErrorKind::Format), [`Io`](crate::ErrorKind::Io), [`Numeric`](crate::ErrorKind::Numeric) (a weight
/// that is not finite in that type), [`Unsupported`](crate::ErrorKind::Unsupported) (what the format has no place for).
pub fn export(
    model_path: impl AsRef<Path>,
    out_path: impl AsRef<Path>,
    format: ModelFormat,
    dtype: Option<&str>,
) -> Result<()> {
    #[derive(Serialize)]
    struct Options<'a> {
        format: ModelFormat,
        #[serde(skip_serializing_if = "Option::is_none")]
        dtype: Option<&'a str>,
    }
    let (model, out) = (ffi::c_path(model_path.as_ref())?, ffi::c_path(out_path.as_ref())?);
    let options = ffi::c_json(&Options { format, dtype })?;
    // SAFETY: the texts end in NUL.
    ffi::call(|error| unsafe { sys::ilt_model_export(model.as_ptr(), out.as_ptr(), options.as_ptr(), error) })?;
    Ok(())
}
