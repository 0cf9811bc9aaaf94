//! The configuration of a run: options by name.

mod builder;
#[rustfmt::skip]
pub mod options;

use std::fmt;
use std::ptr::NonNull;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use builder::OneOrMore;
pub use options::ConfigBuilder;

use crate::{Result, ffi, sys};

/// A configuration: all options of a run, each with a value.
///
/// Options are set by name and text, as they come from a command line, or through [`Config::builder`], which has a
/// method for each. `docs/config.md` describes them, and so does [`Config::schema`].
///
/// ```
/// let mut config = ilt::Config::new()?;
/// config.set("learning_rate", "2e-5")?;
/// assert_eq!(config.get("learning_rate")?, "2e-05");
/// # Ok::<(), ilt::Error>(())
/// ```
pub struct Config {
    raw: NonNull<sys::ilt_config>,
}

// SAFETY: a configuration may move between threads.
unsafe impl Send for Config {}
// SAFETY: calls that only read may overlap; the one that writes takes `&mut self`.
unsafe impl Sync for Config {}

impl Config {
    /// A configuration with all options at their defaults.
    ///
    /// # Errors
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn new() -> Result<Self> {
        // SAFETY: both pointers are good for the call.
        Ok(Self { raw: ffi::create_now(|out, error| unsafe { sys::ilt_config_create(out, error) })? })
    }

    /// Typed options, of which a configuration is built.
    ///
    /// ```
    /// use ilt::config::options::LrScheduler;
    ///
    /// let config = ilt::Config::builder()
    ///     .model_path("granite-2b")
    ///     .data_path(["train.jsonl", "more.jsonl"])
    ///     .learning_rate(1e-5)
    ///     .lr_scheduler(LrScheduler::Linear)
    ///     .build()?;
    /// assert_eq!(config.get("lr_scheduler")?, "linear");
    /// # Ok::<(), ilt::Error>(())
    /// ```
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder::default()
    }

    /// A configuration from one JSON object of options; those that are absent have their defaults.
    ///
    /// # Errors
    /// [`Format`](crate::ErrorKind::Format): no JSON. [`Config`](crate::ErrorKind::Config): an unknown option (detail
    /// `key`, `nearest`) or a bad value (detail `key`, `got`, `expected`).
    pub fn from_json(json: &str) -> Result<Self> {
        // SAFETY: the text is good for its length, the other pointers for the call.
        let raw = ffi::create_now(|out, error| unsafe {
            sys::ilt_config_from_json(json.as_ptr().cast(), json.len(), out, error)
        })?;
        Ok(Self { raw })
    }

    /// All options with their values, as one JSON object that [`Config::from_json`] takes; required
    /// ones that are not set are left out.
    ///
    /// # Errors
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn to_json(&self) -> Result<String> {
        // SAFETY: the configuration lives, and nobody writes to it.
        ffi::text(|out, length, error| unsafe { sys::ilt_config_to_json(self.as_ptr(), out, length, error) })
    }

    /// Sets one option from text: a string as it is, a number, `true` or `false`, a list as JSON or as its only
    /// element.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config) as in [`Config::from_json`]; the configuration is then unchanged.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        let (key, value) = (ffi::c_string("the option's name", key)?, ffi::c_string("the option's value", value)?);
        // SAFETY: the configuration lives, `&mut self` keeps others away, and the strings end in NUL.
        ffi::call(|error| unsafe { sys::ilt_config_set(self.raw.as_ptr(), key.as_ptr(), value.as_ptr(), error) })?;
        Ok(())
    }

    /// The value of one option, as [`Config::set`] takes it.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config): an unknown option.
    pub fn get(&self, key: &str) -> Result<String> {
        let key = ffi::c_string("the option's name", key)?;
        ffi::text(|out, length, error| {
            // SAFETY: the configuration lives, and nobody writes to it. This getter tells no length: the text has its
            // end in NUL.
            unsafe {
                let status = sys::ilt_config_get(self.as_ptr(), key.as_ptr(), out, error);
                if status >= 0 {
                    *length = std::ffi::CStr::from_ptr(*out).count_bytes();
                }
                status
            }
        })
    }

    /// Checks what can be told without files: required options and options that contradict each other. With `data_path`
    /// set, those that training needs, too.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config).
    pub fn validate(&self) -> Result<()> {
        // SAFETY: the configuration lives, and nobody writes to it.
        ffi::call(|error| unsafe { sys::ilt_config_validate(self.as_ptr(), error) })?;
        Ok(())
    }

    /// The memory of the host that a session of this configuration takes to train. It reads the model's files but no
    /// weights and no data.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config) (`model_path` and `max_batch_len` are needed),
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Format`](crate::ErrorKind::Format),
    /// [`Unsupported`](crate::ErrorKind::Unsupported) (architecture).
    pub fn memory_estimate(&self) -> Result<MemoryEstimate> {
        ffi::json("estimate of memory", |out, length, error| {
            // SAFETY: the configuration lives, and nobody writes to it.
            unsafe { sys::ilt_memory_estimate_json(self.as_ptr(), out, length, error) }
        })
    }

    /// All options as a JSON Schema (draft 2020-12): name, type, bounds, choices, default, description.
    #[must_use]
    pub fn schema() -> &'static str {
        // SAFETY: the string is in static storage.
        unsafe { ffi::static_str(sys::ilt_config_schema_json()) }
    }

    pub(crate) fn as_ptr(&self) -> *const sys::ilt_config {
        self.raw.as_ptr()
    }
}

/// What [`Config::memory_estimate`] tells: the memory of the host, in bytes. Not counted are the data, the tokenizer, and
/// what every process has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryEstimate {
    /// The model's weights.
    pub weights: u64,
    /// The gradients of what is trained.
    pub gradients: u64,
    /// What the optimizer keeps.
    pub optimizer: u64,
    /// What forward and backward keep of a micro-batch.
    pub activations: u64,
    /// Logits, and what goes with them.
    pub loss: u64,
    /// The sum of these.
    pub total: u64,
    /// The tokens of the largest micro-batch.
    pub tokens: u64,
}

impl Drop for Config {
    fn drop(&mut self) {
        // SAFETY: the configuration is this object's, and nothing uses it any more.
        unsafe { sys::ilt_config_free(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Config").field(&self.to_json().unwrap_or_default()).finish()
    }
}

impl Serialize for Config {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let json = self.to_json().map_err(serde::ser::Error::custom)?;
        serde_json::from_str::<serde_json::Value>(&json).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Config {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let options = serde_json::Value::deserialize(deserializer)?;
        Self::from_json(&options.to_string()).map_err(D::Error::custom)
    }
}
