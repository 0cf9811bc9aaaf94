//! The library itself: version, build, devices.

use std::ffi::{CStr, c_char};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::metrics::struct_size;
use crate::{Error, ErrorKind, Result, ffi, sys};

/// The version of the libilt that runs, as `0.1.0`.
#[must_use]
pub fn version() -> &'static str {
    // SAFETY: the string is in static storage.
    unsafe { ffi::static_str(sys::ilt_version_string()) }
}

/// The version of the libilt that runs, as major, minor and patch.
///
/// ```
/// let (major, minor, patch) = ilt::version_number();
/// assert_eq!(format!("{major}.{minor}.{patch}"), ilt::version());
/// ```
#[must_use]
pub fn version_number() -> (u8, u8, u16) {
    // SAFETY: the call takes nothing.
    let [major, minor, patch_high, patch_low] = unsafe { sys::ilt_version_number() }.to_be_bytes();
    (major, minor, u16::from_be_bytes([patch_high, patch_low]))
}

/// Whether the libilt that runs has the interface that this crate was made for.
pub(crate) fn check_interface() -> Result<()> {
    // SAFETY: the call takes nothing.
    let found = unsafe { sys::ilt_abi_version() };
    if found == sys::ILT_ABI_VERSION {
        return Ok(());
    }
    let name = |version: u32| format!("{}.{}", version >> 16, version & 0xffff);
    let (runs, needed) = (name(found), name(sys::ILT_ABI_VERSION));
    Err(Error::new(ErrorKind::Version, format!("the libilt that runs has interface {runs}, this crate needs {needed}")))
}

/// How the library was built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct BuildInfo {
    /// Its version.
    pub version: String,
    /// The compiler.
    pub compiler: String,
    /// The libtorch that it uses.
    pub libtorch: String,
    /// The instructions that it uses of this processor.
    pub cpu_capability: String,
    /// What is in it: [`has_feature`].
    pub features: Vec<String>,
    /// What else libilt tells.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How the library was built.
///
/// # Errors
/// [`Version`](crate::ErrorKind::Version): a libilt that does not fit this crate.
pub fn build_info() -> Result<BuildInfo> {
    // SAFETY: the string is in static storage.
    let json = unsafe { ffi::static_str(sys::ilt_build_info_json()) };
    serde_json::from_str(json).map_err(|reason| Error::unreadable("build information", &reason))
}

/// Whether this build has the feature: one of [`BuildInfo::features`].
#[must_use]
pub fn has_feature(name: &str) -> bool {
    // SAFETY: the name ends in NUL.
    ffi::c_string("the name", name).is_ok_and(|name| unsafe { sys::ilt_has_feature(name.as_ptr()) } != 0)
}

/// What kind of device it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The processor.
    Cpu,
    /// NVIDIA's.
    Cuda,
    /// Apple's.
    Metal,
    /// AMD's.
    Rocm,
    /// Intel's.
    OneApi,
    /// Any other, as DLPack numbers it.
    Other(i32),
}

/// A device that can be used from this process.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Device {
    /// What the option `device` takes: `cpu`, `cuda:0`.
    pub id: String,
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// Its number among those of its kind.
    pub index: i32,
    /// Its name.
    pub name: String,
    /// Its memory in bytes, where that is known.
    pub mem_total_bytes: Option<u64>,
    /// What of it is free.
    pub mem_free_bytes: Option<u64>,
}

/// The devices that can be used from this process; the first is the CPU.
///
/// ```
/// assert_eq!(ilt::devices()?[0].id, "cpu");
/// # Ok::<(), ilt::Error>(())
/// ```
///
/// # Errors
/// [`Device`](crate::ErrorKind::Device).
pub fn devices() -> Result<Vec<Device>> {
    let mut count = 0;
    // SAFETY: both pointers are good for the call.
    ffi::call(|error| unsafe { sys::ilt_device_count(&raw mut count, error) })?;
    (0..count).map(device).collect()
}

fn device(index: i32) -> Result<Device> {
    // SAFETY: the struct is numbers and characters only, for which zero is a value.
    let mut raw: sys::ilt_device_info = unsafe { std::mem::zeroed() };
    raw.struct_size = struct_size::<sys::ilt_device_info>();
    // SAFETY: the struct says its size.
    ffi::call(|error| unsafe { sys::ilt_device_get(index, &raw mut raw, error) })?;
    let known = |bytes| Some(ffi::count(bytes)).filter(|&bytes| bytes > 0);
    Ok(Device {
        id: text(&raw.id),
        kind: match raw.type_ {
            sys::ILT_DEVICE_CPU => DeviceKind::Cpu,
            sys::ILT_DEVICE_CUDA => DeviceKind::Cuda,
            sys::ILT_DEVICE_METAL => DeviceKind::Metal,
            sys::ILT_DEVICE_ROCM => DeviceKind::Rocm,
            sys::ILT_DEVICE_ONEAPI => DeviceKind::OneApi,
            other => DeviceKind::Other(other),
        },
        index: raw.index,
        name: text(&raw.name),
        mem_total_bytes: known(raw.mem_total_bytes),
        mem_free_bytes: known(raw.mem_free_bytes),
    })
}

/// The text in an array that it does not fill.
fn text<const N: usize>(characters: &[c_char; N]) -> String {
    // SAFETY: libilt ends it with NUL, within the array.
    unsafe { CStr::from_ptr(characters.as_ptr()) }.to_string_lossy().into_owned()
}
