//! The structs of DLPack 1 (`dlpack.h`), in which `ilt.h` hands out tensors and takes them.

use core::ffi::c_void;

/// The version of the structs: those of one major version have one layout.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct DLPackVersion {
    pub major: u32,
    pub minor: u32,
}

/// Where the data are: a kind of device, [`kDLCPU`] for the host's memory, and its number.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct DLDevice {
    pub device_type: i32,
    pub device_id: i32,
}

/// What an element is: [`kDLFloat`], [`kDLInt`], ... of so many bits, and how many lanes it has.
#[repr(C)]
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct DLDataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

/// A tensor that belongs to somebody else. Without strides it is row-major.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLTensor {
    pub data: *mut c_void,
    pub device: DLDevice,
    pub ndim: i32,
    pub dtype: DLDataType,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

/// A tensor on its way from one library to another, which calls the deleter when it needs it no more.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct DLManagedTensorVersioned {
    pub version: DLPackVersion,
    pub manager_ctx: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(tensor: *mut DLManagedTensorVersioned)>,
    pub flags: u64,
    pub dl_tensor: DLTensor,
}

pub const DLPACK_MAJOR_VERSION: u32 = 1;
pub const DLPACK_MINOR_VERSION: u32 = 0;
/// The data may only be read.
pub const DLPACK_FLAG_BITMASK_READ_ONLY: u64 = 1;
/// The data are a copy.
pub const DLPACK_FLAG_BITMASK_IS_COPIED: u64 = 2;
pub const kDLCPU: i32 = 1;
pub const kDLInt: u8 = 0;
pub const kDLUInt: u8 = 1;
pub const kDLFloat: u8 = 2;
pub const kDLBfloat: u8 = 4;
