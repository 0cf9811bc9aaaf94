//! Full states of runs: what there is, whether it is whole, what it says, how two differ.

use std::path::{Path, PathBuf};
use std::ptr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Result, ffi, sys};

/// What [`Session::save`](crate::Session::save) writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CheckpointKind {
    /// A folder that transformers loads: configuration, weights, tokenizer files.
    Weights,
    /// A folder that the option `resume` takes: weights, optimizer, place in the data.
    FullState,
}

impl CheckpointKind {
    pub(crate) fn raw(self) -> sys::ilt_checkpoint_kind {
        match self {
            Self::Weights => sys::ILT_CKPT_WEIGHTS,
            Self::FullState => sys::ILT_CKPT_FULL_STATE,
        }
    }
}

/// A full state under a run's `ckpt_output_dir`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointEntry {
    /// The optimizer step that it is of.
    pub step: u64,
    /// Its folder.
    pub path: PathBuf,
    /// Its size, where it is complete.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Why it is not complete, where it is not.
    #[serde(default)]
    pub fault: Option<String>,
}

/// What a full state says of its run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointInfo {
    /// Optimizer steps done.
    pub step: u64,
    /// The epoch that the run is in, from 0.
    pub epoch: u64,
    /// Samples that the run has seen.
    pub samples_seen: u64,
    /// Tokens that the run has seen.
    pub tokens_seen: u64,
    /// The options of the run.
    pub config: Map<String, Value>,
    /// Its files, with sizes and checksums.
    pub files: Map<String, Value>,
    /// What else libilt tells.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How two full states differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointDiff {
    /// Whether they do not.
    pub equal: bool,
    /// What differs in the place of the run: name to the two values.
    pub run: Map<String, Value>,
    /// The options that differ: name to the two values.
    pub options: Map<String, Value>,
    /// The tensors that differ.
    pub tensors: Vec<TensorDiff>,
    /// What else libilt tells.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a tensor differs in two full states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TensorDiff {
    /// The file that it is in.
    pub file: String,
    /// Its name.
    pub name: String,
    /// The largest difference, where both have it.
    #[serde(default)]
    pub max_abs: Option<f64>,
    /// The norm of the difference over that of the first.
    #[serde(default)]
    pub relative: Option<f64>,
    /// What else libilt tells.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What [`export`] is to do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ExportOptions {
    /// The folder of the model that was trained, for its configuration and tokenizer; by default where the run found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_path: Option<PathBuf>,
    /// The type of the weights, as the option `save_dtype` of a run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub save_dtype: Option<String>,
}

/// The full states under a run's `ckpt_output_dir`, oldest first. It reads no tensors: [`verify`] does.
///
/// # Errors
/// [`NotFound`](crate::ErrorKind::NotFound): no such folder.
pub fn list(output_dir: impl AsRef<Path>) -> Result<Vec<CheckpointEntry>> {
    let path = ffi::c_path(output_dir.as_ref())?;
    ffi::json("list of checkpoints", |out, length, error| {
        // SAFETY: the path ends in NUL, and the other pointers are good for the call.
        unsafe { sys::ilt_checkpoint_list_json(path.as_ptr(), out, length, error) }
    })
}

/// Reads every file of a full state and compares size and checksum.
///
/// # Errors
/// [`NotFound`](crate::ErrorKind::NotFound), [`Format`](crate::ErrorKind::Format) (the first file that differs, and how).
pub fn verify(path: impl AsRef<Path>) -> Result<()> {
    let path = ffi::c_path(path.as_ref())?;
    // SAFETY: the path ends in NUL.
    ffi::call(|error| unsafe { sys::ilt_checkpoint_verify(path.as_ptr(), error) })?;
    Ok(())
}

/// What a full state says of its run.
///
/// # Errors
/// [`NotFound`](crate::ErrorKind::NotFound), [`Format`](crate::ErrorKind::Format),
/// [`Version`](crate::ErrorKind::Version).
pub fn info(path: impl AsRef<Path>) -> Result<CheckpointInfo> {
    let path = ffi::c_path(path.as_ref())?;
    ffi::json("description of a checkpoint", |out, length, error| {
        // SAFETY: the path ends in NUL, and the other pointers are good for the call.
        unsafe { sys::ilt_checkpoint_info_json(path.as_ptr(), out, length, error) }
    })
}

/// How two full states differ.
///
/// # Errors
/// [`NotFound`](crate::ErrorKind::NotFound), [`Format`](crate::ErrorKind::Format),
/// [`Version`](crate::ErrorKind::Version).
pub fn diff(a: impl AsRef<Path>, b: impl AsRef<Path>) -> Result<CheckpointDiff> {
    let (a, b) = (ffi::c_path(a.as_ref())?, ffi::c_path(b.as_ref())?);
    ffi::json("comparison of checkpoints", |out, length, error| {
        // SAFETY: the paths end in NUL, and the other pointers are good for the call.
        unsafe { sys::ilt_checkpoint_diff_json(a.as_ptr(), b.as_ptr(), out, length, error) }
    })
}

/// Writes the weights of a full state, once it is verified, as a folder that transformers loads; `out_path` appears
/// complete or not at all. Without options the model is where the run found it.
///
/// # Errors
/// [`Config`](crate::ErrorKind::Config) (options), [`NotFound`](crate::ErrorKind::NotFound),
/// [`Format`](crate::ErrorKind::Format) (the state; weights that are not that model's),
/// [`Version`](crate::ErrorKind::Version), [`Io`](crate::ErrorKind::Io), [`Numeric`](crate::ErrorKind::Numeric).
pub fn export(state_path: impl AsRef<Path>, out_path: impl AsRef<Path>, options: Option<&ExportOptions>) -> Result<()> {
    let (state, out) = (ffi::c_path(state_path.as_ref())?, ffi::c_path(out_path.as_ref())?);
    let options = options.map(ffi::c_json).transpose()?;
    let options = options.as_ref().map_or(ptr::null(), |json| json.as_ptr());
    // SAFETY: the texts end in NUL, or are NULL where that is allowed.
    ffi::call(|error| unsafe { sys::ilt_checkpoint_export(state.as_ptr(), out.as_ptr(), options, error) })?;
    Ok(())
}
