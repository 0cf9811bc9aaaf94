//! The host's own loop: batches of its samples, gradients, optimizer steps.

use std::fmt;
use std::ptr::{self, NonNull};

use crate::{Error, ErrorKind, Metrics, Result, Session, ffi, metrics, sys};

/// Samples of the host's own making, for [`Session::forward_backward`].
///
/// It may be filled again after [`Batch::clear`], and serves any session.
///
/// ```
/// let mut batch = ilt::Batch::new()?;
/// batch.add(&[1, 5, 9], None, None)?; // all of it is learnt
/// batch.add(&[1, 5, 9, 2], Some(&[-100, -100, 9, 2]), Some(&[0.0, 0.0, 0.5, 2.0]))?;
/// assert_eq!((batch.len()?, batch.num_tokens()?), (2, 7));
/// # Ok::<(), ilt::Error>(())
/// ```
pub struct Batch {
    raw: NonNull<sys::ilt_batch>,
}

// SAFETY: a batch may move between threads.
unsafe impl Send for Batch {}
// SAFETY: calls that only read may overlap; those that write take `&mut self`.
unsafe impl Sync for Batch {}

/// The loss of a batch.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct BatchLoss {
    /// The sum of weight times cross-entropy over its labels, in nats.
    pub sum: f64,
    /// The sum of the weights.
    pub weight: f64,
}

impl BatchLoss {
    /// The mean loss.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.sum / self.weight
    }
}

impl Batch {
    /// An empty batch.
    ///
    /// # Errors
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn new() -> Result<Self> {
        // SAFETY: both pointers are good for the call.
        Ok(Self { raw: ffi::create_now(|out, error| unsafe { sys::ilt_batch_create(out, error) })? })
    }

    /// Adds one sample of at least one token id, which sees no other sample. `labels`, what the ids before are to
    /// predict, are mostly the ids, or [`Sample::IGNORED`](crate::Sample::IGNORED) where nothing is learnt; without them
    /// all ids are. `weights` multiply the cross-entropy of each label and may be 0 or negative; without them they are 1.
    /// The first label and weight never count.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument): no id, lists of different lengths, a negative id, a label
    /// that is neither -100 nor an id, a weight that is not finite. Nothing is added then.
    pub fn add(&mut self, ids: &[i32], labels: Option<&[i32]>, weights: Option<&[f32]>) -> Result<()> {
        for (what, length) in [("labels", labels.map(<[_]>::len)), ("weights", weights.map(<[_]>::len))] {
            if let Some(length) = length.filter(|&length| length != ids.len()) {
                let message = format!("{what} has {length} elements, expected {}, as many as ids", ids.len());
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        }
        let labels = labels.map_or(ptr::null(), <[_]>::as_ptr);
        let weights = weights.map_or(ptr::null(), <[_]>::as_ptr);
        ffi::call(|error| {
            // SAFETY: the batch lives, `&mut self` keeps others away, and the lists are NULL or of the length of ids.
            unsafe { sys::ilt_batch_add(self.raw.as_ptr(), ids.as_ptr(), labels, weights, ids.len(), error) }
        })?;
        Ok(())
    }

    /// Removes all samples and keeps the memory for the next ones.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn clear(&mut self) -> Result<()> {
        // SAFETY: the batch lives, and `&mut self` keeps others away.
        ffi::call(|error| unsafe { sys::ilt_batch_clear(self.raw.as_ptr(), error) })?;
        Ok(())
    }

    /// How many samples it holds.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn len(&self) -> Result<u64> {
        Ok(self.size()?.0)
    }

    /// Whether it holds none.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn is_empty(&self) -> Result<bool> {
        Ok(self.len()? == 0)
    }

    /// How many tokens it holds.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn num_tokens(&self) -> Result<u64> {
        Ok(self.size()?.1)
    }

    fn size(&self) -> Result<(u64, u64)> {
        let (mut samples, mut tokens) = (0, 0);
        // SAFETY: the batch lives, and nobody writes to it.
        ffi::call(|error| unsafe { sys::ilt_batch_size(self.raw.as_ptr(), &raw mut samples, &raw mut tokens, error) })?;
        Ok((ffi::count(samples), ffi::count(tokens)))
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        // SAFETY: the batch is this object's, and nothing uses it any more.
        unsafe { sys::ilt_batch_free(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("size", &self.size()).finish()
    }
}

/// The host's own loop, for sampling, weights and rewards that no option describes. Samples in the order and number of a
/// run's step give its losses and weights bit for bit.
///
/// ```no_run
/// # let mut session = ilt::Session::new(&ilt::Config::new()?)?;
/// let mut batch = ilt::Batch::new()?;
/// batch.add(&[1, 5, 9], None, Some(&[0.0, 1.0, 0.5]))?;
/// let loss = session.forward_backward(&batch)?; // as often as wanted: gradients add up
/// session.optimizer_step()?;
/// println!("{}", loss.mean());
/// # Ok::<(), ilt::Error>(())
/// ```
impl Session {
    /// Runs the batch, in micro-batches of at most `max_batch_len` tokens, and adds the gradient of its loss to what
    /// earlier calls have added since the last step. It works with and without data of the session. If it fails while it
    /// computes, the gradients of earlier calls are dropped, too.
    ///
    /// # Errors
    /// [`Config`](crate::ErrorKind::Config) (an option that training needs),
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) (no samples; an id or label that the model has no row for),
    /// [`OutOfHostMemory`](crate::ErrorKind::OutOfHostMemory).
    pub fn forward_backward(&mut self, batch: &Batch) -> Result<BatchLoss> {
        let mut loss = BatchLoss { sum: 0.0, weight: 0.0 };
        ffi::call(|error| {
            // SAFETY: the session is ours alone, and the batch lives and is not written to.
            unsafe {
                sys::ilt_forward_backward(
                    self.as_ptr(),
                    batch.raw.as_ptr(),
                    &raw mut loss.sum,
                    &raw mut loss.weight,
                    error,
                )
            }
        })?;
        Ok(loss)
    }

    /// Divides the gradients by the sum of the weights since the last step, so that the step follows the mean loss, clips
    /// their norm, updates the weights, and clears the gradients. It counts as a step of the run: the learning rate is
    /// the schedule's for it, and a session with data passes over that step's samples. `None` when the run's steps are
    /// used up; nothing has changed then.
    ///
    /// # Errors
    /// [`InvalidState`](crate::ErrorKind::InvalidState) (no gradients),
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) (a sum of weights that is not positive),
    /// [`Config`](crate::ErrorKind::Config) (a schedule that decays, with neither data nor `max_steps` nor a rate of
    /// [`Session::set_learning_rate`]), [`Numeric`](crate::ErrorKind::Numeric).
    pub fn optimizer_step(&mut self) -> Result<Option<Metrics>> {
        self.optimizer_step_by(0.0)
    }

    /// [`Session::optimizer_step`] with a divisor of one's own: where weights have both signs, or samples are to count
    /// alike.
    ///
    /// # Errors
    /// As [`Session::optimizer_step`]; [`InvalidArgument`](crate::ErrorKind::InvalidArgument) for a divisor that is not
    /// positive (0 stands for the sum of the weights).
    pub fn optimizer_step_by(&mut self, divisor: f64) -> Result<Option<Metrics>> {
        let mut raw = metrics::empty();
        let status = ffi::call(|error| {
            // SAFETY: the session is ours alone, and the struct says its size.
            unsafe { sys::ilt_optimizer_step(self.as_ptr(), divisor, &raw mut raw, error) }
        })?;
        Ok((status != sys::ILT_DONE).then(|| Metrics::from(&raw)))
    }

    /// Drops the gradients that [`Session::forward_backward`] has added since the last step.
    ///
    /// # Errors
    /// [`Forked`](crate::ErrorKind::Forked).
    pub fn zero_grad(&mut self) -> Result<()> {
        // SAFETY: the session is ours alone.
        ffi::call(|error| unsafe { sys::ilt_zero_grad(self.as_ptr(), error) })?;
        Ok(())
    }
}
