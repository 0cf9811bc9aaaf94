//! The functions of `ilt.h` that take a session. Generated from it: `make generate`.

use crate::dlpack::DLManagedTensorVersioned;
use crate::types::*;
unsafe extern "C" {
    #[must_use]
    /// Loads the model that `config` names, and the data unless data_path is empty (then score, generate and save work, and
    /// training does not). The configuration is copied.
    /// Thread: any.
    /// Errors: CONFIG, NOT_FOUND, IO, FORMAT, DATA (file and line), UNSUPPORTED (architecture), DEVICE, OOM_*, FORKED.
    pub fn ilt_session_create(
        config: *const ilt_config,
        out: *mut *mut ilt_session,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// Frees model and optimizer, and runs the event callback's destroy. Tokens and configurations live on.
    /// Thread: any, once no other call uses it; never from inside a callback.
    pub fn ilt_session_free(session: *mut ilt_session);
    #[must_use]
    /// Sets the function that is told of steps, checkpoints and epochs; NULL removes it. destroy may be NULL; that of the
    /// function set before has run when this returns, and this one also runs if the call fails.
    /// Thread: one at a time, not from inside a callback.
    /// Errors: BUSY, INVALID_STATE.
    pub fn ilt_session_set_event_callback(
        session: *mut ilt_session,
        fn_: ilt_event_fn,
        user_data: *mut ::core::ffi::c_void,
        destroy: ilt_destroy_fn,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Gives a session that was created without data_path what to train on and, unless NULL, what to validate on. Both stay
    /// in use until the session is freed, and take no more records.
    /// Thread: one at a time, not from inside a callback.
    /// Errors: CONFIG (an option that training needs), DATA (no samples; a token that the model has no row for),
    /// INVALID_STATE (the session has data, or has trained on batches of the host's), BUSY.
    pub fn ilt_session_set_datasets(
        session: *mut ilt_session,
        training: *mut ilt_dataset,
        validation: *mut ilt_dataset,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The configuration that the session runs with, as JSON. \*out: ilt_free(); out_length may be NULL.
    /// Thread: one at a time.
    /// Errors: BUSY.
    pub fn ilt_session_config_json(
        session: *mut ilt_session,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The model as JSON: architecture, parameters (and how many are trained), layers, vocabulary, type, device.
    /// \*out: ilt_free(); out_length may be NULL.
    /// Thread: one at a time.
    /// Errors: BUSY.
    pub fn ilt_session_model_info_json(
        session: *mut ilt_session,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Sets the learning rate of all optimizer steps that begin from now on. It takes the place of what the schedule says,
    /// warmup and decay included; factors of single tensors (lr_scale) still multiply it. ILT_LR_SCHEDULE goes back to the
    /// schedule, which is a pure function of the step: its rate is then what it would have been. Full states hold the rate
    /// that is set.
    /// Thread: any, also while another thread trains, and from inside callbacks.
    /// Errors: INVALID_ARGUMENT (lr is neither finite and at least 0 nor ILT_LR_SCHEDULE).
    pub fn ilt_session_set_lr(
        session: *mut ilt_session,
        lr: f64,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// 1 if the session is of no more use: its device has failed, or an error has broken off an update of the weights in
    /// the middle. Every later call on it but those that any thread may make then returns the status of that failure; free
    /// it, and go on from a checkpoint in a new one. 0 otherwise, and for NULL.
    /// Thread: any, also while another thread trains.
    pub fn ilt_session_is_poisoned(session: *const ilt_session) -> i32;
    #[must_use]
    /// One optimizer step on the session's data: effective_batch_size samples, packed, forward, backward, clip, update.
    /// ILT_DONE when the run's steps are used up; nothing has changed then. `out` may be NULL; else out->struct_size must be
    /// set, and it receives the step's metrics. Nothing is written, and the event callback is not called.
    /// Thread: one at a time.
    /// Errors: INVALID_STATE (no data; inside a callback; gradients of ilt_forward_backward wait for their step), NUMERIC,
    /// OOM_*, DATA, BUSY.
    pub fn ilt_train_step(
        session: *mut ilt_session,
        out: *mut ilt_metrics,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// All steps that remain, with the metrics file and the checkpoints that the configuration asks for under
    /// ckpt_output_dir. `cancel` may be NULL. ILT_OK at the end of the run; ILT_STOPPED if the token was cancelled or the
    /// callback asked to stop: the session is then between two steps and can go on, save, score. `out` as above.
    /// Thread: one at a time; the event callback runs on this thread.
    /// Errors: as ilt_train_step, CALLBACK, IO, and INVALID_STATE (another run is writing to ckpt_output_dir).
    pub fn ilt_train_run(
        session: *mut ilt_session,
        cancel: *mut ilt_cancel_token,
        out: *mut ilt_metrics,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The same for the steps that remain of the epoch: returns ILT_OK after the validation and the checkpoints that come
    /// due with the epoch's last step, ILT_DONE if no step was left to take. What a run does at its end is done by the call
    /// that reaches it, so that calls until ILT_DONE train and write what one ilt_train_run() does; but RUN_BEGIN, RUN_END
    /// and the metrics file's line of options come with each call, and max_minutes and save_every_minutes count within it.
    /// Thread: one at a time; the event callback runs on this thread.
    /// Errors: as ilt_train_run.
    pub fn ilt_train_epoch(
        session: *mut ilt_session,
        cancel: *mut ilt_cancel_token,
        out: *mut ilt_metrics,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// Asks the ilt_train_run() that uses the session to save a model and a full state under ckpt_output_dir after the step
    /// that it is in, and to go on. Where none runs, the next one does so after its first step. Nothing for NULL.
    /// Thread: any, and from a signal handler, while the session is not being freed.
    pub fn ilt_session_request_save(session: *mut ilt_session);
    #[must_use]
    /// Runs the batch, in micro-batches of at most max_batch_len tokens (a longer sample is one of its own), and adds the
    /// gradient of its loss to what earlier calls have added since the last step. \*out_loss = the sum of
    /// weight * -log p(label), in nats; \*out_weight = the sum of the weights; both may be NULL. Their quotient is the mean
    /// loss. neftune_alpha and z_loss of the configuration apply. Works with and without data of the session; the first call
    /// takes the memory for gradients, activations and optimizer.
    /// If it fails while it computes, the gradients of earlier calls are dropped, too.
    /// Thread: one at a time; the batch may serve several sessions.
    /// Errors: CONFIG (an option that training needs: max_batch_len, learning_rate), INVALID_ARGUMENT (no samples; an id or
    /// label that the model has no row for), INVALID_STATE (inside a callback), OOM_*, BUSY.
    pub fn ilt_forward_backward(
        session: *mut ilt_session,
        batch: *const ilt_batch,
        out_loss: *mut f64,
        out_weight: *mut f64,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Divides the gradients by `divisor`, clips their norm to max_grad_norm, updates the weights, and clears the gradients.
    /// divisor 0 stands for the sum of the weights of all labels since the last step, so that the step follows the mean
    /// loss; where weights have both signs, or samples are to count alike, give a positive number. The step counts as a step
    /// of the run: the learning rate is the schedule's for it, and a session with data passes over that step's samples.
    /// ILT_DONE when step_total steps are done (without data: max_steps; 0: there is no end); nothing has changed then.
    /// `out`, unless NULL, receives the step's metrics: `loss` is the sum of losses by the divisor, step_seconds is the time
    /// spent in libilt. A loss or gradient that is not finite is treated as on_nonfinite says; the gradients are then
    /// dropped. Nothing is written, and the event callback is not called.
    /// Thread: one at a time.
    /// Errors: INVALID_STATE (no gradients; inside a callback), INVALID_ARGUMENT (divisor; a sum of weights that is not
    /// positive), CONFIG (a schedule that decays, with neither data nor max_steps nor ilt_session_set_lr()), NUMERIC, OOM_*,
    /// BUSY.
    pub fn ilt_optimizer_step(
        session: *mut ilt_session,
        divisor: f64,
        out: *mut ilt_metrics,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Drops the gradients that ilt_forward_backward() has added since the last step; no error where there are none.
    /// Thread: one at a time.
    /// Errors: INVALID_STATE (inside a callback), BUSY.
    pub fn ilt_zero_grad(
        session: *mut ilt_session,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The loss on a data set that nothing is learnt from, NULL for the session's validation data: \*out_loss, the mean over
    /// its loss-bearing tokens in nats, and \*out_tokens, how many these are (both may be NULL): what a validation of a run
    /// gives. The result depends on batching by rounding only. Neither metrics nor the choice of a best checkpoint change.
    /// Samples longer than max_seq_len are left out, as they are in training. `cancel` may be NULL; ILT_STOPPED: cancelled,
    /// there is no result.
    /// Thread: one at a time, and from inside the event callback.
    /// Errors: INVALID_STATE (NULL, and the session has no validation data), CONFIG (max_batch_len is needed), DATA (no
    /// token to predict; a token that the model has no row for; another tokenizer's data), NUMERIC (weights that give no
    /// finite loss), OOM_*, BUSY.
    pub fn ilt_evaluate(
        session: *mut ilt_session,
        dataset: *const ilt_dataset,
        cancel: *mut ilt_cancel_token,
        out_loss: *mut f64,
        out_tokens: *mut i64,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// out_logprobs\[i] = log p(ids\[i + 1] | ids\[0..i]), natural logarithm, for i = 0 .. count - 2. count is at least 2;
    /// out_logprobs is the caller's array of count - 1 floats.
    /// Thread: one at a time.
    /// Errors: INVALID_ARGUMENT (count, an id outside the vocabulary), NUMERIC (weights that give no finite result), OOM_*,
    /// BUSY.
    pub fn ilt_score(
        session: *mut ilt_session,
        ids: *const i32,
        count: usize,
        out_logprobs: *mut f32,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Continues a prompt of at least one id. options_json, NULL for the defaults, is one object of:
    /// max_new_tokens  integer, 128; at most 10^9
    /// temperature     number, 0; 0 takes the likeliest token
    /// top_p           number in (0, 1], 1
    /// top_k           integer, 0; 0 for all
    /// seed            integer, 0
    /// stop_ids        list of integers; empty: the model's end-of-sequence ids
    /// fn, unless NULL, is told of each token as it comes. \*out_ids, an array of the \*out_count new ids: ilt_free(); both
    /// may be NULL together. `cancel` may be NULL. ILT_STOPPED: stopped by token or callback; the tokens so far are
    /// returned.
    /// Thread: one at a time; fn runs on this thread.
    /// Errors: CONFIG (options), FORMAT (options that are no JSON), INVALID_ARGUMENT, NUMERIC (weights that give no finite
    /// result), CALLBACK, OOM_*, BUSY.
    pub fn ilt_generate(
        session: *mut ilt_session,
        prompt: *const i32,
        prompt_count: usize,
        options_json: *const ::core::ffi::c_char,
        fn_: ilt_token_fn,
        user_data: *mut ::core::ffi::c_void,
        cancel: *mut ilt_cancel_token,
        out_ids: *mut *mut i32,
        out_count: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Writes the model, or the full state of the run, to the folder `path`, which appears complete or not at all. It
    /// replaces a folder of that name that is empty or of the same kind, never another, nor the one that the process works
    /// in or one above that.
    /// Thread: one at a time.
    /// Errors: INVALID_ARGUMENT (kind, a folder that is not replaced), IO (a full disk), NUMERIC (a weight that is not
    /// finite), INVALID_STATE (a full state of a session without data), BUSY.
    pub fn ilt_checkpoint_save(
        session: *mut ilt_session,
        path: *const ::core::ffi::c_char,
        kind: ilt_checkpoint_kind,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Goes back, or on, to a full state: weights, optimizer, place in the data, counters, and the learning rate if one was
    /// set. What follows is bit for bit what followed it then, on the CPU. The state is verified first, and held against the
    /// session as the option `resume` does: other data or options that decide the order of samples are refused unless
    /// resume_force is set. Gradients of ilt_forward_backward() are dropped. For weights alone, create a session on them.
    /// Thread: one at a time.
    /// Errors: NOT_FOUND, FORMAT (the first file that differs; tensors of another model), VERSION, CONFIG (also where
    /// ckpt_output_dir holds later states, which would be mixed up with those to come), DATA, INVALID_STATE (inside a
    /// callback), BUSY. The session is then unchanged.
    pub fn ilt_checkpoint_load(
        session: *mut ilt_session,
        path: *const ::core::ffi::c_char,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// How many there are.
    /// Thread: any, also while another thread trains.
    /// Errors: INVALID_ARGUMENT.
    pub fn ilt_param_count(
        session: *const ilt_session,
        out: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The name of parameter `index`, from 0, in an order that stays. Borrowed from the session, until it is freed.
    /// Thread: any, also while another thread trains.
    /// Errors: INVALID_ARGUMENT (index).
    pub fn ilt_param_name(
        session: *const ilt_session,
        index: usize,
        out: *mut *const ::core::ffi::c_char,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// One parameter as a JSON object: name, shape (a list), dtype (of the session: "float32"; files may hold another),
    /// device ("cpu"), trained (false where it is frozen), bytes. \*out: ilt_free(); out_length may be NULL.
    /// Thread: any, also while another thread trains.
    /// Errors: NOT_FOUND (no such parameter: detail nearest).
    pub fn ilt_param_info_json(
        session: *const ilt_session,
        name: *const ::core::ffi::c_char,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The values of a parameter, in its file's shape, as a DLPack tensor that the caller owns: it calls (\*out)->deleter,
    /// from any thread, also after the session is freed. copy != 0: a copy in row-major order, to do with as one likes
    /// (flag IS_COPIED). copy 0: the session's own memory with whatever strides it has, which changes with each step (flag
    /// READ_ONLY; it is written with ilt_param_from_dlpack). The data are there when the call returns.
    /// Thread: one at a time, and from inside the event callback.
    /// Errors: NOT_FOUND, UNSUPPORTED (copy 0 of a parameter that the session holds in an order that strides cannot tell),
    /// OOM_*, BUSY.
    pub fn ilt_param_to_dlpack(
        session: *mut ilt_session,
        name: *const ::core::ffi::c_char,
        copy: i32,
        out: *mut *mut DLManagedTensorVersioned,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Sets a parameter to the values of `source`: of the same shape, of type float32, float64, bfloat16 or float16 (which
    /// are converted), on the CPU, with any strides. They are copied, and source->deleter is then called: in every case,
    /// also if the call fails, source belongs to libilt. What the optimizer keeps stays as it is.
    /// Thread: one at a time, and from inside the event callback.
    /// Errors: NOT_FOUND, INVALID_ARGUMENT (shape, type, device, NULL data), VERSION (a DLPack that is not version 1),
    /// BUSY; the parameter is then unchanged.
    pub fn ilt_param_from_dlpack(
        session: *mut ilt_session,
        name: *const ::core::ffi::c_char,
        source: *mut DLManagedTensorVersioned,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The metrics of the last step that is done. out->struct_size must be set.
    /// Thread: any, also while another thread trains.
    /// Errors: INVALID_ARGUMENT.
    pub fn ilt_metrics_get(
        session: *const ilt_session,
        out: *mut ilt_metrics,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The same as one line of the metrics file: a JSON object, with null for what is unknown before the first step. \*out:
    /// ilt_free(); out_length may be NULL.
    /// Thread: any, also while another thread trains.
    pub fn ilt_metrics_json(
        session: *const ilt_session,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
}
