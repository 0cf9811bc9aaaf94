//! The model's tensors, under the names that its files have.

use std::ffi::CStr;
use std::ptr::NonNull;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::session_ref::SessionRef;
use crate::tensor::{Tensor, TensorView};
use crate::{Result, Session, ffi, sys};

/// What a parameter is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ParameterInfo {
    /// Its name.
    pub name: String,
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The type that its values have in the session: `float32`. Files may hold another.
    pub dtype: String,
    /// The device that it is on.
    pub device: String,
    /// Whether it is trained; `false` where it is frozen.
    pub trained: bool,
    /// The memory that it takes.
    pub bytes: u64,
    /// What else libilt tells.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Session {
    /// The names of the parameters, in an order that stays.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn parameters(&self) -> Result<Vec<String>> {
        let mut count = 0;
        // SAFETY: the session lives; the call is allowed beside others.
        ffi::call(|error| unsafe { sys::ilt_param_count(self.as_ptr(), &raw mut count, error) })?;
        (0..count).map(|index| self.parameter_name(index)).collect()
    }

    fn parameter_name(&self, index: usize) -> Result<String> {
        let mut name = std::ptr::null();
        // SAFETY: as in parameters().
        ffi::call(|error| unsafe { sys::ilt_param_name(self.as_ptr(), index, &raw mut name, error) })?;
        // SAFETY: the name lives as long as the session.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// What a parameter is.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound) (detail `nearest`).
    pub fn parameter_info(&self, name: &str) -> Result<ParameterInfo> {
        let name = ffi::c_string("the name", name)?;
        ffi::json("description of a parameter", |out, length, error| {
            // SAFETY: the session lives; the call is allowed beside others.
            unsafe { sys::ilt_param_info_json(self.as_ptr(), name.as_ptr(), out, length, error) }
        })
    }

    /// As [`SessionRef::parameter`].
    ///
    /// # Errors
    /// As [`SessionRef::parameter`].
    pub fn parameter(&mut self, name: &str) -> Result<Tensor> {
        self.between_steps().parameter(name)
    }

    /// The values of a parameter where the session has them, without a copy.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`Unsupported`](crate::ErrorKind::Unsupported): the session holds it in
    /// an order that strides cannot tell; [`Session::parameter`] copies it.
    pub fn parameter_view(&mut self, name: &str) -> Result<TensorView<'_>> {
        // The view borrows the session: nothing trains while it is there.
        Ok(TensorView::new(self.between_steps().dlpack(name, false)?))
    }

    /// As [`SessionRef::set_parameter`].
    ///
    /// # Errors
    /// As [`SessionRef::set_parameter`].
    pub fn set_parameter(&mut self, name: &str, values: Tensor) -> Result<()> {
        self.between_steps().set_parameter(name, values)
    }
}

impl SessionRef<'_> {
    /// A copy of a parameter's values, in row-major order.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn parameter(&mut self, name: &str) -> Result<Tensor> {
        self.dlpack(name, true)
    }

    /// Sets a parameter to the values of a tensor of the same shape, of `f32`, `f64` or, from other libraries, 16-bit
    /// floating-point numbers. What the optimizer keeps stays as it is.
    ///
    /// # Errors
    /// [`NotFound`](crate::ErrorKind::NotFound), [`InvalidArgument`](crate::ErrorKind::InvalidArgument) (shape, type,
    /// device). The parameter is then unchanged.
    pub fn set_parameter(&mut self, name: &str, values: Tensor) -> Result<()> {
        let name = ffi::c_string("the name", name)?;
        // SAFETY: the session is ours to use; libilt takes the tensor, also if the call fails.
        ffi::call(|error| unsafe {
            sys::ilt_param_from_dlpack(self.as_ptr(), name.as_ptr(), values.into_raw().as_ptr(), error)
        })?;
        Ok(())
    }

    fn dlpack(&mut self, name: &str, copy: bool) -> Result<Tensor> {
        let name = ffi::c_string("the name", name)?;
        let raw: NonNull<_> = ffi::create_now(|out, error| {
            // SAFETY: the session is ours to use, and the name ends in NUL.
            unsafe { sys::ilt_param_to_dlpack(self.as_ptr(), name.as_ptr(), copy.into(), out, error) }
        })?;
        // SAFETY: libilt has made the tensor for us. What is not a copy is guarded by the session's borrow.
        Ok(unsafe { Tensor::from_raw(raw) })
    }
}
