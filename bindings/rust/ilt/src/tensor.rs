//! Tensors as DLPack hands them from library to library.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::{self, NonNull};

use crate::sys::{self, DLManagedTensorVersioned};
use crate::{Error, ErrorKind, Result};

mod sealed {
    pub trait Sealed {}
}

/// An element that a [`Tensor`] may have: `f32`, `f64`, `i32`, `i64`.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// What it is in DLPack.
    const TYPE: sys::DLDataType;
}

macro_rules! elements {
    ($($element:ty = $code:ident $bits:literal,)*) => {$(
        impl sealed::Sealed for $element {}
        impl Element for $element {
            const TYPE: sys::DLDataType = sys::DLDataType { code: sys::$code, bits: $bits, lanes: 1 };
        }
    )*};
}

elements! {
    f32 = kDLFloat 32,
    f64 = kDLFloat 64,
    i32 = kDLInt 32,
    i64 = kDLInt 64,
}

/// A tensor in the form of DLPack 1, which it owns.
///
/// ```
/// use ilt::Tensor;
///
/// let tensor = Tensor::new(vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
/// assert_eq!(tensor.shape(), [2, 3]);
/// assert_eq!(tensor.as_slice::<f32>().unwrap()[4..], [5.0, 6.0]);
/// # Ok::<(), ilt::Error>(())
/// ```
pub struct Tensor {
    raw: NonNull<DLManagedTensorVersioned>,
}

// SAFETY: the memory belongs to the tensor, and DLPack's deleters may be called from any thread.
unsafe impl Send for Tensor {}
// SAFETY: shared tensors are only read.
unsafe impl Sync for Tensor {}

/// What a tensor made here keeps until its deleter is called.
struct Held<T> {
    tensor: DLManagedTensorVersioned,
    _data: Vec<T>,
    _shape: Vec<i64>,
}

impl Tensor {
    /// A tensor of that shape, with the elements in row-major order.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): not as many elements as the shape has.
    pub fn new<T: Element>(data: Vec<T>, shape: &[usize]) -> Result<Self> {
        let expected = shape.iter().try_fold(1_usize, |size, &length| size.checked_mul(length));
        let fits = |length: usize| i64::try_from(length).ok();
        let (Some(mut sizes), Ok(ndim)) =
            (shape.iter().map(|&length| fits(length)).collect::<Option<Vec<_>>>(), i32::try_from(shape.len()))
        else {
            return Err(Error::new(ErrorKind::InvalidArgument, "the shape is larger than any memory"));
        };
        if expected != Some(data.len()) {
            let message = format!("there are {} elements for the shape {shape:?}", data.len());
            return Err(Error::new(ErrorKind::InvalidArgument, message));
        }
        let mut data = data;
        let dl_tensor = sys::DLTensor {
            data: data.as_mut_ptr().cast(),
            device: sys::DLDevice { device_type: sys::kDLCPU, device_id: 0 },
            ndim,
            dtype: T::TYPE,
            shape: sizes.as_mut_ptr(),
            strides: ptr::null_mut(),
            byte_offset: 0,
        };
        let tensor = DLManagedTensorVersioned {
            version: sys::DLPackVersion { major: sys::DLPACK_MAJOR_VERSION, minor: sys::DLPACK_MINOR_VERSION },
            manager_ctx: ptr::null_mut(),
            deleter: Some(release::<T>),
            flags: 0,
            dl_tensor,
        };
        let held = NonNull::from(Box::leak(Box::new(Held { tensor, _data: data, _shape: sizes })));
        // SAFETY: the box lives until release::<T>() frees it.
        unsafe {
            let raw = &raw mut (*held.as_ptr()).tensor;
            (*raw).manager_ctx = held.as_ptr().cast();
            Ok(Self::from_raw(NonNull::new_unchecked(raw)))
        }
    }

    /// Takes over a tensor of another library, such as the pointer in a capsule of Python.
    ///
    /// # Safety
    /// It is a valid tensor of DLPack's major version 1, nobody else calls its deleter, and its data do not change while
    /// it lives.
    #[must_use]
    pub unsafe fn from_raw(raw: NonNull<DLManagedTensorVersioned>) -> Self {
        Self { raw }
    }

    /// Hands the tensor to another library, which has to call its deleter.
    #[must_use]
    pub fn into_raw(self) -> NonNull<DLManagedTensorVersioned> {
        std::mem::ManuallyDrop::new(self).raw
    }

    fn dl(&self) -> &sys::DLTensor {
        // SAFETY: the tensor lives until drop() gives it back.
        unsafe { &self.raw.as_ref().dl_tensor }
    }

    fn ndim(&self) -> usize {
        usize::try_from(self.dl().ndim).unwrap_or_default()
    }

    /// The length of each dimension.
    #[must_use]
    pub fn shape(&self) -> &[i64] {
        if self.ndim() == 0 {
            return &[];
        }
        // SAFETY: DLPack: `ndim` numbers, which live with the tensor.
        unsafe { std::slice::from_raw_parts(self.dl().shape, self.ndim()) }
    }

    /// How many elements lie between neighbours of each dimension; `None` for row-major order.
    #[must_use]
    pub fn strides(&self) -> Option<&[i64]> {
        if self.dl().strides.is_null() {
            return None;
        }
        // SAFETY: DLPack: `ndim` numbers, which live with the tensor.
        Some(unsafe { std::slice::from_raw_parts(self.dl().strides, self.ndim()) })
    }

    /// What its elements are.
    #[must_use]
    pub fn element_type(&self) -> sys::DLDataType {
        self.dl().dtype
    }

    /// How many elements it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shape().iter().map(|&length| usize::try_from(length).unwrap_or_default()).product()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements in row-major order; `None` where they are of another type, in another order or on another device.
    #[must_use]
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        let dl = self.dl();
        if dl.dtype != T::TYPE || dl.device.device_type != sys::kDLCPU || !self.is_row_major() {
            return None;
        }
        if self.is_empty() {
            return Some(&[]);
        }
        let offset = usize::try_from(dl.byte_offset).ok()?;
        // SAFETY: DLPack: the data begin there.
        let data = unsafe { dl.data.byte_add(offset) }.cast::<T>();
        if !data.is_aligned() {
            return None;
        }
        // SAFETY: DLPack: the data have that type, order and number, and live with the tensor.
        Some(unsafe { std::slice::from_raw_parts(data, self.len()) })
    }

    fn is_row_major(&self) -> bool {
        let Some(strides) = self.strides() else { return true };
        let mut expected = 1;
        self.shape().iter().zip(strides).rev().all(|(&length, &stride)| {
            let fits = length == 1 || stride == expected;
            expected *= length;
            fits
        })
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: the tensor is this object's; its deleter takes it back.
        unsafe {
            if let Some(deleter) = self.raw.as_ref().deleter {
                deleter(self.raw.as_ptr());
            }
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor").field("shape", &self.shape()).field("type", &self.element_type()).finish()
    }
}

unsafe extern "C" fn release<T>(tensor: *mut DLManagedTensorVersioned) {
    // SAFETY: DLPack: called once, with the tensor that Tensor::new::<T>() has made.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Held<T>>()) });
}

/// A parameter in the session's own memory, which nothing changes while the view is there.
#[derive(Debug)]
pub struct TensorView<'session> {
    tensor: Tensor,
    session: PhantomData<&'session mut ()>,
}

impl TensorView<'_> {
    pub(crate) fn new(tensor: Tensor) -> Self {
        Self { tensor, session: PhantomData }
    }
}

impl Deref for TensorView<'_> {
    type Target = Tensor;

    fn deref(&self) -> &Tensor {
        &self.tensor
    }
}
