//! Training data: token ids, and which of them are learnt.

use std::ffi::c_void;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::ptr::NonNull;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ffi::{ErrorOut, Owned};
use crate::session::Outcome;
use crate::{CancelToken, Config, Result, callback, ffi, sys};

/// A data set: in memory, or a file that [`Dataset::process`] has written and that all processes share.
///
/// ```no_run
/// use ilt::{Config, Dataset};
/// use serde_json::json;
///
/// let config = Config::builder().model_path("granite-2b").max_seq_len(2048).build()?;
/// let mut data = Dataset::create(&config)?;
/// data.add(&json!({"messages": [
///     {"role": "user", "content": "What is two and two?"},
///     {"role": "assistant", "content": "Four."},
/// ]}))?;
/// assert_eq!(data.len(), 1);
/// # Ok::<(), ilt::Error>(())
/// ```
pub struct Dataset {
    raw: NonNull<sys::ilt_dataset>,
}

// SAFETY: a data set may move between threads.
unsafe impl Send for Dataset {}
// SAFETY: calls that only read may overlap; the one that adds takes `&mut self`.
unsafe impl Sync for Dataset {}

/// One training sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Token ids.
    pub ids: Vec<i32>,
    /// For each token its id where it is to be learnt, else [`Sample::IGNORED`]. The first never counts.
    pub labels: Vec<i32>,
}

impl Sample {
    /// The label of a token that is not learnt.
    pub const IGNORED: i32 = -100;

    /// Makes a call that gives a sample.
    pub(crate) fn receive(
        body: impl FnOnce(*mut *mut i32, *mut *mut i32, *mut usize, ErrorOut) -> sys::ilt_status,
    ) -> Result<Self> {
        let (mut ids, mut labels, mut count) = (Owned::none(), Owned::none(), 0);
        ffi::call(|error| body(&raw mut ids.pointer, &raw mut labels.pointer, &raw mut count, error))?;
        // SAFETY: libilt has given two arrays of that length.
        Ok(unsafe { Self { ids: ids.slice(count).to_vec(), labels: labels.slice(count).to_vec() } })
    }
}

/// How far a long reading of data is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataProgress {
    /// Records done.
    pub records: u64,
    /// Bytes of the input files done.
    pub bytes_done: u64,
    /// Bytes of the input files.
    pub bytes_total: u64,
}

/// What became of the records, and the lengths of the samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DatasetStats {
    /// Records read.
    pub records: u64,
    /// Samples made of them.
    pub samples: u64,
    /// Tokens of all samples.
    pub tokens: u64,
    /// Tokens that are learnt.
    pub supervised_tokens: u64,
    /// How many records were left out, by reason.
    pub dropped: Map<String, Value>,
    /// How many were cut to the maximum length.
    pub truncated: u64,
    /// The distribution of the samples' lengths: `min`, `p50`, `p90`, `p99`, `max`, `mean`, `histogram`.
    pub lengths: Value,
    /// How full micro-batches would be, where [`StatsOptions::max_batch_len`] was given.
    #[serde(default)]
    pub packing: Option<Value>,
    /// What else libilt tells.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What [`Dataset::stats`] is to tell about packing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct StatsOptions {
    /// Most tokens in a micro-batch; without it nothing is told about packing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_batch_len: Option<u64>,
    /// Samples in an optimizer step: 128 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_batch_size: Option<u64>,
    /// Processes that share a step: 1 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u64>,
}

impl Dataset {
    /// Reads the records of the configuration's `data_path` with the tokenizer and chat template of its `model_path`, and
    /// writes their samples to the file `out_path`, which appears complete or not at all. [`Dataset::open`] and
    /// `data_path` take that file.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config), [`NotFound`](crate::ErrorKind::NotFound), [`Io`](crate::ErrorKind::Io),
    /// [`Format`](crate::ErrorKind::Format), [`Data`](crate::ErrorKind::Data) (file, line, reason),
    /// [`InvalidState`](crate::ErrorKind::InvalidState) (another process is writing `out_path`).
    pub fn process(config: &Config, out_path: impl AsRef<Path>) -> Result<()> {
        Self::process_with(config, out_path, None, |_| ControlFlow::Continue(())).map(drop)
    }

    /// [`Dataset::process`] that tells how far it is and can be stopped, by the token or by the closure. What a call that
    /// was stopped leaves behind is where the same call goes on.
    ///
    /// # Errors
    /// As [`Dataset::process`].
    pub fn process_with<F>(
        config: &Config,
        out_path: impl AsRef<Path>,
        cancel: Option<&CancelToken>,
        mut on_progress: F,
    ) -> Result<Outcome>
    where
        F: FnMut(DataProgress) -> ControlFlow<()>,
    {
        let path = ffi::c_path(out_path.as_ref())?;
        let status = ffi::call(|error| {
            // SAFETY: the objects live, the path ends in NUL, and the closure is used during the call only.
            unsafe {
                sys::ilt_dataset_process(
                    config.as_ptr(),
                    path.as_ptr(),
                    Some(tell_progress::<F>),
                    (&raw mut on_progress).cast(),
                    CancelToken::raw_or_null(cancel),
                    error,
                )
            }
        })?;
        Ok(Outcome::of(status))
    }

    /// Maps a file that [`Dataset::process`] has written, and checks it.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Io`](crate::ErrorKind::Io), [`Format`](crate::ErrorKind::Format) (not
    /// such a file, a checksum that differs).
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = ffi::c_path(path.as_ref())?;
        // SAFETY: the path ends in NUL, and the other pointers are good for the call.
        let raw = ffi::create_now(|out, error| unsafe { sys::ilt_dataset_open(path.as_ptr(), out, error) })?;
        Ok(Self { raw })
    }

    /// A data set in memory, by the `model_path` and the data options of the configuration: the records of `data_path`,
    /// or, where that is empty, none yet: [`Dataset::add`].
    ///
    /// # Errors
    /// As [`Dataset::process`].
    pub fn create(config: &Config) -> Result<Self> {
        let raw = ffi::create_now(|out, error| {
            // SAFETY: the configuration lives, and the other pointers are good for the call.
            unsafe { sys::ilt_dataset_create(config.as_ptr(), std::ptr::null_mut(), out, error) }
        })?;
        Ok(Self { raw })
    }

    /// [`Dataset::create`] that can be stopped; `None` if it was.
    ///
    /// # Errors
    /// As [`Dataset::process`].
    pub fn create_with(config: &Config, cancel: &CancelToken) -> Result<Option<Self>> {
        let raw = ffi::create(|out, error| {
            // SAFETY: the objects live, and the other pointers are good for the call.
            unsafe { sys::ilt_dataset_create(config.as_ptr(), CancelToken::raw_or_null(Some(cancel)), out, error) }
        })?;
        Ok(raw.map(|raw| Self { raw }))
    }

    /// Adds one record of any format that files may have; `false` where it is left out (too long, nothing to learn):
    /// [`Dataset::stats`] counts why.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data): the record, or more than `max_bad_records` of them.
    /// [`InvalidState`](crate::ErrorKind::InvalidState): not created empty, or a session uses it.
    pub fn add(&mut self, record: &(impl Serialize + ?Sized)) -> Result<bool> {
        self.add_json(&ffi::to_json(record)?)
    }

    /// [`Dataset::add`] of a record that is JSON already.
    ///
    /// # Errors
    /// As [`Dataset::add`].
    pub fn add_json(&mut self, record: &str) -> Result<bool> {
        let mut kept = 0;
        ffi::call(|error| {
            // SAFETY: the data set lives, `&mut self` keeps others away, and the text is good for its length.
            unsafe {
                sys::ilt_dataset_add(self.raw.as_ptr(), record.as_ptr().cast(), record.len(), &raw mut kept, error)
            }
        })?;
        Ok(kept != 0)
    }

    /// How many samples there are.
    #[must_use]
    pub fn len(&self) -> usize {
        // SAFETY: the data set lives, and nobody adds to it.
        let samples = unsafe { sys::ilt_dataset_num_samples(self.raw.as_ptr()) };
        usize::try_from(samples).unwrap_or_default()
    }

    /// Whether there is no sample.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tokens of all samples.
    #[must_use]
    pub fn num_tokens(&self) -> u64 {
        // SAFETY: the data set lives, and nobody adds to it.
        ffi::count(unsafe { sys::ilt_dataset_num_tokens(self.raw.as_ptr()) })
    }

    /// The sample at `index`.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): there is none.
    pub fn sample(&self, index: usize) -> Result<Sample> {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        Sample::receive(|ids, labels, count, error| {
            // SAFETY: the data set lives, nobody adds to it, and the other pointers are good for the call.
            unsafe { sys::ilt_dataset_sample(self.raw.as_ptr(), index, ids, labels, count, error) }
        })
    }

    /// All samples, one after another.
    pub fn samples(&self) -> impl Iterator<Item = Result<Sample>> + '_ {
        (0..self.len()).map(|index| self.sample(index))
    }

    /// What became of the records, and the lengths of the samples.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config) (options), [`Data`](crate::ErrorKind::Data) (a sample longer than
    /// `max_batch_len`).
    pub fn stats(&self, options: &StatsOptions) -> Result<DatasetStats> {
        let options = ffi::c_json(options)?;
        ffi::json("statistics", |out, length, error| {
            // SAFETY: the data set lives, nobody adds to it, and the text ends in NUL.
            unsafe { sys::ilt_dataset_stats_json(self.raw.as_ptr(), options.as_ptr(), out, length, error) }
        })
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::ilt_dataset {
        self.raw.as_ptr()
    }
}

impl Drop for Dataset {
    fn drop(&mut self) {
        // SAFETY: this object's reference; sessions that use the data set keep it.
        unsafe { sys::ilt_dataset_free(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Dataset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dataset").field("samples", &self.len()).field("tokens", &self.num_tokens()).finish()
    }
}

unsafe extern "C" fn tell_progress<F>(records: i64, bytes_done: i64, bytes_total: i64, user_data: *mut c_void) -> i32
where
    F: FnMut(DataProgress) -> ControlFlow<()>,
{
    callback::answer(|| {
        // SAFETY: the closure of the call that is running, on its thread.
        let on_progress = unsafe { &mut *user_data.cast::<F>() };
        on_progress(DataProgress {
            records: ffi::count(records),
            bytes_done: ffi::count(bytes_done),
            bytes_total: ffi::count(bytes_total),
        })
    })
}
