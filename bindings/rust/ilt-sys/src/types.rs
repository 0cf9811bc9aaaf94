//! The constants and types of `ilt.h`. Generated from it: `make generate`.

pub const ILT_VERSION_MAJOR: u32 = 0;
pub const ILT_VERSION_MINOR: u32 = 1;
pub const ILT_VERSION_PATCH: u32 = 0;
pub const ILT_ABI_VERSION: u32 = 1;
pub const ILT_LR_SCHEDULE: f64 = -1.0;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_error {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_config {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_tokenizer {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_dataset {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_batch {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_session {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_cancel_token {
    _unused: [u8; 0],
}
/// The values of all enumerations are frozen.
pub type ilt_status = i32;
pub const ILT_OK: ilt_status = 0;
/// no error: the run has no more steps
pub const ILT_DONE: ilt_status = 1;
/// no error: stopped on request, in a consistent state
pub const ILT_STOPPED: ilt_status = 2;
/// NULL, a length or a struct_size that cannot be
pub const ILT_ERR_INVALID_ARGUMENT: ilt_status = -1;
/// not now: training without data, training from inside a callback
pub const ILT_ERR_INVALID_STATE: ilt_status = -2;
/// another thread is using the handle
pub const ILT_ERR_BUSY: ilt_status = -3;
/// an option: unknown, out of bounds, missing, at odds with another
pub const ILT_ERR_CONFIG: ilt_status = -4;
/// a file, a folder, a chat template
pub const ILT_ERR_NOT_FOUND: ilt_status = -5;
/// the system could not read or write; a full disk
pub const ILT_ERR_IO: ilt_status = -6;
/// a file that is broken or of a kind that is not read
pub const ILT_ERR_FORMAT: ilt_status = -7;
/// a training record; no records
pub const ILT_ERR_DATA: ilt_status = -8;
pub const ILT_ERR_OOM_HOST: ilt_status = -9;
pub const ILT_ERR_OOM_DEVICE: ilt_status = -10;
/// a device that is missing or has failed
pub const ILT_ERR_DEVICE: ilt_status = -11;
/// a loss, gradient or weight that is not finite
pub const ILT_ERR_NUMERIC: ilt_status = -12;
pub const ILT_ERR_DIST: ilt_status = -13;
pub const ILT_ERR_TIMEOUT: ilt_status = -14;
/// known, but not built or not possible here: an architecture, a feature
pub const ILT_ERR_UNSUPPORTED: ilt_status = -15;
pub const ILT_ERR_VERSION: ilt_status = -16;
/// a callback returned a negative value
pub const ILT_ERR_CALLBACK: ilt_status = -17;
/// a handle of the parent process; a session in its child
pub const ILT_ERR_FORKED: ilt_status = -18;
/// a fault in libilt: please report it
pub const ILT_ERR_INTERNAL: ilt_status = -127;
pub type ilt_log_level = i32;
pub const ILT_LOG_TRACE: ilt_log_level = 0;
pub const ILT_LOG_DEBUG: ilt_log_level = 1;
pub const ILT_LOG_INFO: ilt_log_level = 2;
pub const ILT_LOG_WARN: ilt_log_level = 3;
pub const ILT_LOG_ERROR: ilt_log_level = 4;
pub const ILT_LOG_OFF: ilt_log_level = 5;
pub type ilt_device_type = i32;
pub const ILT_DEVICE_CPU: ilt_device_type = 1;
pub const ILT_DEVICE_CUDA: ilt_device_type = 2;
pub const ILT_DEVICE_METAL: ilt_device_type = 8;
pub const ILT_DEVICE_ROCM: ilt_device_type = 10;
pub const ILT_DEVICE_OTHER: ilt_device_type = 12;
pub const ILT_DEVICE_ONEAPI: ilt_device_type = 14;
pub type ilt_event_type = i32;
pub const ILT_EVENT_RUN_BEGIN: ilt_event_type = 1;
pub const ILT_EVENT_STEP_END: ilt_event_type = 2;
/// a validation: metrics->eval_loss
pub const ILT_EVENT_EVAL_END: ilt_event_type = 3;
/// `path` has appeared, complete; with background_save, some steps after the one it is of
pub const ILT_EVENT_CHECKPOINT: ilt_event_type = 4;
pub const ILT_EVENT_EPOCH_END: ilt_event_type = 5;
pub const ILT_EVENT_RUN_END: ilt_event_type = 6;
pub type ilt_checkpoint_kind = i32;
/// a folder that transformers loads: config, weights, tokenizer files
pub const ILT_CKPT_WEIGHTS: ilt_checkpoint_kind = 1;
/// a folder that the option `resume` takes: weights, optimizer, place in the data
pub const ILT_CKPT_FULL_STATE: ilt_checkpoint_kind = 2;
/// What is known after an optimizer step. ilt_metrics_json() tells more. Floating-point members are NaN where unknown.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_metrics {
    pub struct_size: u32,
    /// of the step's first sample, from 0
    pub epoch: u32,
    /// optimizer steps done
    pub step: i64,
    /// of the whole run; 0: unknown
    pub step_total: i64,
    pub samples_seen: i64,
    pub tokens_seen: i64,
    /// mean over the loss-bearing tokens of the step, in nats
    pub loss: f64,
    /// global L2 norm before clipping
    pub grad_norm: f64,
    /// used in the step
    pub lr: f64,
    /// of the step
    pub tokens_per_second: f64,
    pub step_seconds: f64,
    pub mem_host_bytes_peak: i64,
    /// of the last validation, as `loss`
    pub eval_loss: f64,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of ilt_metrics"][::core::mem::size_of::<ilt_metrics>() - 96usize];
    ["Alignment of ilt_metrics"][::core::mem::align_of::<ilt_metrics>() - 8usize];
    [
        "Offset of field: ilt_metrics::struct_size",
    ][::core::mem::offset_of!(ilt_metrics, struct_size) - 0usize];
    [
        "Offset of field: ilt_metrics::epoch",
    ][::core::mem::offset_of!(ilt_metrics, epoch) - 4usize];
    [
        "Offset of field: ilt_metrics::step",
    ][::core::mem::offset_of!(ilt_metrics, step) - 8usize];
    [
        "Offset of field: ilt_metrics::step_total",
    ][::core::mem::offset_of!(ilt_metrics, step_total) - 16usize];
    [
        "Offset of field: ilt_metrics::samples_seen",
    ][::core::mem::offset_of!(ilt_metrics, samples_seen) - 24usize];
    [
        "Offset of field: ilt_metrics::tokens_seen",
    ][::core::mem::offset_of!(ilt_metrics, tokens_seen) - 32usize];
    [
        "Offset of field: ilt_metrics::loss",
    ][::core::mem::offset_of!(ilt_metrics, loss) - 40usize];
    [
        "Offset of field: ilt_metrics::grad_norm",
    ][::core::mem::offset_of!(ilt_metrics, grad_norm) - 48usize];
    [
        "Offset of field: ilt_metrics::lr",
    ][::core::mem::offset_of!(ilt_metrics, lr) - 56usize];
    [
        "Offset of field: ilt_metrics::tokens_per_second",
    ][::core::mem::offset_of!(ilt_metrics, tokens_per_second) - 64usize];
    [
        "Offset of field: ilt_metrics::step_seconds",
    ][::core::mem::offset_of!(ilt_metrics, step_seconds) - 72usize];
    [
        "Offset of field: ilt_metrics::mem_host_bytes_peak",
    ][::core::mem::offset_of!(ilt_metrics, mem_host_bytes_peak) - 80usize];
    [
        "Offset of field: ilt_metrics::eval_loss",
    ][::core::mem::offset_of!(ilt_metrics, eval_loss) - 88usize];
};
/// Made by the library, valid during the callback.
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_event {
    pub struct_size: u32,
    pub type_: ilt_event_type,
    /// never NULL
    pub metrics: *const ilt_metrics,
    /// of a checkpoint, else NULL
    pub path: *const ::core::ffi::c_char,
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of ilt_event"][::core::mem::size_of::<ilt_event>() - 24usize];
    ["Alignment of ilt_event"][::core::mem::align_of::<ilt_event>() - 8usize];
    [
        "Offset of field: ilt_event::struct_size",
    ][::core::mem::offset_of!(ilt_event, struct_size) - 0usize];
    [
        "Offset of field: ilt_event::type_",
    ][::core::mem::offset_of!(ilt_event, type_) - 4usize];
    [
        "Offset of field: ilt_event::metrics",
    ][::core::mem::offset_of!(ilt_event, metrics) - 8usize];
    [
        "Offset of field: ilt_event::path",
    ][::core::mem::offset_of!(ilt_event, path) - 16usize];
};
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct ilt_device_info {
    pub struct_size: u32,
    pub type_: ilt_device_type,
    pub index: i32,
    pub reserved: i32,
    /// 0: unknown
    pub mem_total_bytes: i64,
    pub mem_free_bytes: i64,
    /// what the option `device` takes: "cpu", "cuda:0"
    pub id: [::core::ffi::c_char; 16usize],
    pub name: [::core::ffi::c_char; 128usize],
}
#[allow(clippy::unnecessary_operation, clippy::identity_op)]
const _: () = {
    ["Size of ilt_device_info"][::core::mem::size_of::<ilt_device_info>() - 176usize];
    [
        "Alignment of ilt_device_info",
    ][::core::mem::align_of::<ilt_device_info>() - 8usize];
    [
        "Offset of field: ilt_device_info::struct_size",
    ][::core::mem::offset_of!(ilt_device_info, struct_size) - 0usize];
    [
        "Offset of field: ilt_device_info::type_",
    ][::core::mem::offset_of!(ilt_device_info, type_) - 4usize];
    [
        "Offset of field: ilt_device_info::index",
    ][::core::mem::offset_of!(ilt_device_info, index) - 8usize];
    [
        "Offset of field: ilt_device_info::reserved",
    ][::core::mem::offset_of!(ilt_device_info, reserved) - 12usize];
    [
        "Offset of field: ilt_device_info::mem_total_bytes",
    ][::core::mem::offset_of!(ilt_device_info, mem_total_bytes) - 16usize];
    [
        "Offset of field: ilt_device_info::mem_free_bytes",
    ][::core::mem::offset_of!(ilt_device_info, mem_free_bytes) - 24usize];
    [
        "Offset of field: ilt_device_info::id",
    ][::core::mem::offset_of!(ilt_device_info, id) - 32usize];
    [
        "Offset of field: ilt_device_info::name",
    ][::core::mem::offset_of!(ilt_device_info, name) - 48usize];
};
/// Returns 0 to go on, a positive value to stop after this step (ILT_STOPPED), a negative one to fail
/// (ILT_ERR_CALLBACK). Thread: the one that called ilt_train_run or ilt_train_epoch, with no lock held. It may call
/// ilt_metrics_*, ilt_checkpoint_save, ilt_evaluate, ilt_score, ilt_generate, ilt_param_*, ilt_session_set_lr and
/// ilt_session_*_json on the session. What trains it or exchanges its state (ilt_train_*, ilt_forward_backward,
/// ilt_optimizer_step, ilt_zero_grad, ilt_checkpoint_load) returns ILT_ERR_INVALID_STATE there, and ilt_session_free
/// does nothing.
pub type ilt_event_fn = ::core::option::Option<
    unsafe extern "C" fn(
        event: *const ilt_event,
        user_data: *mut ::core::ffi::c_void,
    ) -> i32,
>;
/// `component` names the part of libilt, `message` is one line without its end; both are borrowed for the call.
/// Thread: any, one call at a time. It must call no ilt_ function but ilt_cancel_token_cancel.
pub type ilt_log_fn = ::core::option::Option<
    unsafe extern "C" fn(
        level: ilt_log_level,
        component: *const ::core::ffi::c_char,
        message: *const ::core::ffi::c_char,
        user_data: *mut ::core::ffi::c_void,
    ),
>;
/// One new token; returns 0 to go on, a positive value to stop (ILT_STOPPED), a negative one to fail (ILT_ERR_CALLBACK).
/// Thread: the one that called ilt_generate. It must call no function on the session.
pub type ilt_token_fn = ::core::option::Option<
    unsafe extern "C" fn(token_id: i32, user_data: *mut ::core::ffi::c_void) -> i32,
>;
/// Told how far a long reading of data is: records done, and bytes of the input files done and in all. Returns 0 to go
/// on, a positive value to stop (ILT_STOPPED), a negative one to fail (ILT_ERR_CALLBACK).
/// Thread: the one that called.
pub type ilt_data_progress_fn = ::core::option::Option<
    unsafe extern "C" fn(
        records: i64,
        bytes_done: i64,
        bytes_total: i64,
        user_data: *mut ::core::ffi::c_void,
    ) -> i32,
>;
/// Called exactly once, when the library has made its last use of user_data.
pub type ilt_destroy_fn = ::core::option::Option<
    unsafe extern "C" fn(user_data: *mut ::core::ffi::c_void),
>;
