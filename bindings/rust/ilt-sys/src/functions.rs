//! The functions of `ilt.h`. Generated from it: `make generate`.

use crate::types::*;
unsafe extern "C" {
    /// The version of the library that runs, "0.1.0". Static storage.
    /// Thread: any.
    pub fn ilt_version_string() -> *const ::core::ffi::c_char;
    /// The same as a number: major \<\< 24 | minor \<\< 16 | patch.
    /// Thread: any.
    pub fn ilt_version_number() -> u32;
    /// How the library was built, as one JSON object: version, compiler, libtorch, cpu_capability, features.
    /// Static storage.
    /// Thread: any.
    pub fn ilt_build_info_json() -> *const ::core::ffi::c_char;
    /// 1 if this build has the feature (ilt_build_info_json() lists them), else 0; also for NULL.
    /// Thread: any.
    pub fn ilt_has_feature(name: *const ::core::ffi::c_char) -> i32;
    /// The model families that can be trained, as one JSON array of objects: architecture (as config.json has it),
    /// model_type, models (some that have it). Static storage.
    /// Thread: any.
    pub fn ilt_model_families_json() -> *const ::core::ffi::c_char;
    #[must_use]
    /// How many devices can be used from this process; at least 1, the CPU.
    /// Thread: any.
    /// Errors: INVALID_ARGUMENT.
    pub fn ilt_device_count(out: *mut i32, err: *mut *mut ilt_error) -> ilt_status;
    #[must_use]
    /// Describes device `index` of ilt_device_count(); 0 is the CPU. out->struct_size must be set.
    /// Thread: any.
    /// Errors: INVALID_ARGUMENT (struct_size, index).
    pub fn ilt_device_get(
        index: i32,
        out: *mut ilt_device_info,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The status that the failed function returned; ILT_OK for NULL.
    /// Thread: any; errors never change.
    pub fn ilt_error_status(err: *const ilt_error) -> ilt_status;
    /// One line for a person: what went wrong with what, and what to do. Borrowed from err; "" for NULL.
    /// Thread: any.
    pub fn ilt_error_message(err: *const ilt_error) -> *const ::core::ffi::c_char;
    /// The facts for a program, as one JSON object with those of these keys that apply: key, got, expected, nearest, file,
    /// line, column, errno, ... Borrowed from err; "{}" for NULL.
    /// Thread: any.
    pub fn ilt_error_detail_json(err: *const ilt_error) -> *const ::core::ffi::c_char;
    /// Thread: any.
    pub fn ilt_error_free(err: *mut ilt_error);
    /// "ILT_ERR_BUSY" for ILT_ERR_BUSY; "unknown status" for a value that is none. Static storage.
    /// Thread: any.
    pub fn ilt_status_name(status: ilt_status) -> *const ::core::ffi::c_char;
    /// Frees a string or an array that came out of a function of this header. NULL is allowed.
    /// Thread: any.
    pub fn ilt_free(memory: *mut ::core::ffi::c_void);
    #[must_use]
    /// Sends log lines of at least min_level to fn; NULL silences the log. Returns after the last call of the function set
    /// before, whose destroy has then run. destroy may be NULL; it also runs if this call fails.
    /// Thread: any, but not from inside fn.
    /// Errors: INVALID_ARGUMENT (min_level).
    pub fn ilt_log_set(
        fn_: ilt_log_fn,
        user_data: *mut ::core::ffi::c_void,
        destroy: ilt_destroy_fn,
        min_level: ilt_log_level,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// The lowest level that is logged; ILT_LOG_OFF while no function is set.
    /// Thread: any.
    pub fn ilt_log_level_get() -> ilt_log_level;
    /// All options as a JSON Schema (draft 2020-12): name, type, bounds, choices, default, description; under "x-aliases"
    /// other spellings that are taken, under "x-required" whether it is needed "always" or for "training". Static storage.
    /// Thread: any.
    pub fn ilt_config_schema_json() -> *const ::core::ffi::c_char;
    #[must_use]
    /// A configuration with all options at their defaults.
    /// Thread: any.
    /// Errors: INVALID_ARGUMENT.
    pub fn ilt_config_create(
        out: *mut *mut ilt_config,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// A configuration from one JSON object of options; those that are absent have their defaults.
    /// Thread: any.
    /// Errors: FORMAT (no JSON), CONFIG (unknown option: detail key, nearest; bad value: detail key, got, expected).
    pub fn ilt_config_from_json(
        json: *const ::core::ffi::c_char,
        length: usize,
        out: *mut *mut ilt_config,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Sets one option from text: a string as it is, a number, true or false, a list as JSON or as its only element.
    /// Thread: one at a time.
    /// Errors: CONFIG as above; the configuration is then unchanged.
    pub fn ilt_config_set(
        config: *mut ilt_config,
        key: *const ::core::ffi::c_char,
        value: *const ::core::ffi::c_char,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// The value of one option, as ilt_config_set() takes it (lists as JSON). \*out: ilt_free().
    /// Thread: any, while no ilt_config_set() runs.
    /// Errors: CONFIG (unknown option).
    pub fn ilt_config_get(
        config: *const ilt_config,
        key: *const ::core::ffi::c_char,
        out: *mut *mut ::core::ffi::c_char,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Checks what can be told without files: required options and options that contradict each other. With data_path set,
    /// all that training needs; without it, what a session to score, generate and save needs. ilt_session_create() checks
    /// the same.
    /// Thread: any, while no ilt_config_set() runs.
    /// Errors: CONFIG.
    pub fn ilt_config_validate(
        config: *const ilt_config,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// All options with their values as one JSON object that ilt_config_from_json() takes. \*out: ilt_free(); out_length may
    /// be NULL.
    /// Thread: any, while no ilt_config_set() runs.
    pub fn ilt_config_to_json(
        config: *const ilt_config,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// Thread: any, once no other call uses it.
    pub fn ilt_config_free(config: *mut ilt_config);
    #[must_use]
    /// Reads tokenizer.json, and the chat template if there is one, of a Hugging Face folder; or what a GGUF file has of
    /// both.
    /// Thread: any.
    /// Errors: NOT_FOUND, FORMAT.
    pub fn ilt_tokenizer_load(
        model_path: *const ::core::ffi::c_char,
        out: *mut *mut ilt_tokenizer,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// Thread: any, once no other call uses it.
    pub fn ilt_tokenizer_free(tokenizer: *mut ilt_tokenizer);
    /// The largest token id + 1, added tokens included; 0 for NULL.
    /// Thread: any.
    pub fn ilt_tokenizer_vocab_size(tokenizer: *const ilt_tokenizer) -> i32;
    #[must_use]
    /// Text to token ids. add_special != 0 adds what the tokenizer puts round a text (BOS, EOS); rendered chat has its own.
    /// \*out_ids, an array of \*out_count: ilt_free().
    /// text may be NULL where length is 0.
    /// Thread: any.
    /// Errors: DATA (text is not UTF-8).
    pub fn ilt_tokenizer_encode(
        tokenizer: *const ilt_tokenizer,
        text: *const ::core::ffi::c_char,
        length: usize,
        add_special: i32,
        out_ids: *mut *mut i32,
        out_count: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Token ids to text. skip_special != 0 leaves special tokens out. \*out: ilt_free(); out_length may be NULL.
    /// Thread: any.
    /// Errors: INVALID_ARGUMENT (an id outside the vocabulary).
    pub fn ilt_tokenizer_decode(
        tokenizer: *const ilt_tokenizer,
        ids: *const i32,
        count: usize,
        skip_special: i32,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Renders a JSON array of messages, \[{"role": ..., "content": ...}, ...], through the folder's chat template.
    /// add_generation_prompt != 0 ends with what opens the assistant's turn. \*out: ilt_free(); out_length may be NULL.
    /// Thread: any.
    /// Errors: FORMAT (no JSON), NOT_FOUND (no template in the folder), DATA (the template refuses the messages).
    pub fn ilt_tokenizer_render_chat(
        tokenizer: *const ilt_tokenizer,
        messages_json: *const ::core::ffi::c_char,
        length: usize,
        add_generation_prompt: i32,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// One chat record to token ids and labels, as training would make them: an object of any chat format (messages,
    /// conversations, prompt and completion, instruction and output) or a list of messages. labels\[i] is ids\[i] where the
    /// token is to be learnt, else -100. \*out_ids and \*out_labels, arrays of \*out_count: ilt_free().
    /// Thread: any.
    /// Errors: NOT_FOUND (no template in the folder), FORMAT, DATA (the record; the template refuses it).
    pub fn ilt_tokenizer_apply_chat(
        tokenizer: *const ilt_tokenizer,
        record_json: *const ::core::ffi::c_char,
        length: usize,
        out_ids: *mut *mut i32,
        out_labels: *mut *mut i32,
        out_count: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Reads the records of the configuration's data_path with the tokenizer and chat template of its model_path and writes
    /// their samples to the file out_path, which appears complete or not at all: a safetensors file that data_path then
    /// takes, mapped and shared by all processes that open it. Uses all cores; memory does not grow with the data. A call
    /// that is stopped, killed or out of disk leaves out_path.partial, from which the same call goes on. fn and cancel may
    /// be NULL.
    /// Thread: any; fn runs on this thread.
    /// Errors: CONFIG, NOT_FOUND, IO, FORMAT, DATA (file, line, reason), CALLBACK, INVALID_STATE (another process is
    /// writing out_path).
    pub fn ilt_dataset_process(
        config: *const ilt_config,
        out_path: *const ::core::ffi::c_char,
        fn_: ilt_data_progress_fn,
        user_data: *mut ::core::ffi::c_void,
        cancel: *mut ilt_cancel_token,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Maps a file that ilt_dataset_process() has written, and checks it.
    /// Thread: any.
    /// Errors: NOT_FOUND, IO, FORMAT (no such file, a checksum that differs).
    pub fn ilt_dataset_open(
        path: *const ::core::ffi::c_char,
        out: *mut *mut ilt_dataset,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// A data set in memory, by the model_path and the data options of the configuration: the records (or the one processed
    /// file) of data_path, or, where that is empty, none yet: ilt_dataset_add(). `cancel` may be NULL.
    /// Thread: any.
    /// Errors: as ilt_dataset_process.
    pub fn ilt_dataset_create(
        config: *const ilt_config,
        cancel: *mut ilt_cancel_token,
        out: *mut *mut ilt_dataset,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Adds one record, a JSON object of any format that files may have. \*out_kept, unless NULL, becomes 1, or 0 where the
    /// record is left out (too long, nothing to learn): ilt_dataset_stats_json() counts why.
    /// Thread: one at a time.
    /// Errors: DATA (the record; more than max_bad_records of them), INVALID_STATE (not created empty; a session uses it),
    /// BUSY.
    pub fn ilt_dataset_add(
        dataset: *mut ilt_dataset,
        record_json: *const ::core::ffi::c_char,
        length: usize,
        out_kept: *mut i32,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// 0 for NULL.
    /// Thread: any, while no ilt_dataset_add() runs.
    pub fn ilt_dataset_num_samples(dataset: *const ilt_dataset) -> i64;
    /// Of all samples; 0 for NULL.
    /// Thread: any, while no ilt_dataset_add() runs.
    pub fn ilt_dataset_num_tokens(dataset: *const ilt_dataset) -> i64;
    #[must_use]
    /// Sample `index`, from 0. labels\[i] is ids\[i] where the token is to be learnt, else -100 (position 0 never counts).
    /// \*out_ids and \*out_labels, arrays of \*out_count: ilt_free().
    /// Thread: any, while no ilt_dataset_add() runs.
    /// Errors: INVALID_ARGUMENT (index).
    pub fn ilt_dataset_sample(
        dataset: *const ilt_dataset,
        index: i64,
        out_ids: *mut *mut i32,
        out_labels: *mut *mut i32,
        out_count: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// What became of the records, and the lengths of the samples, as one JSON object: records, samples, tokens,
    /// supervised_tokens, supervised_share, dropped (by reason), truncated, terminators, lengths, ... options_json, NULL for
    /// none, is one object of max_batch_len, effective_batch_size (128) and ranks (1): with max_batch_len, `packing` tells
    /// how full micro-batches would be. \*out: ilt_free(); out_length may be NULL.
    /// Thread: any, while no ilt_dataset_add() runs.
    /// Errors: CONFIG (options), DATA (a sample longer than max_batch_len).
    pub fn ilt_dataset_stats_json(
        dataset: *const ilt_dataset,
        options_json: *const ::core::ffi::c_char,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// Sessions that use the data set keep it.
    /// Thread: any, once no other call uses it.
    pub fn ilt_dataset_free(dataset: *mut ilt_dataset);
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
    /// INVALID_STATE (the session has data), BUSY.
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
    /// One optimizer step on the session's data: effective_batch_size samples, packed, forward, backward, clip, update.
    /// ILT_DONE when the run's steps are used up; nothing has changed then. `out` may be NULL; else out->struct_size must be
    /// set, and it receives the step's metrics.
    /// Thread: one at a time; the event callback runs on this thread.
    /// Errors: INVALID_STATE (no data; inside a callback), NUMERIC, OOM_*, DATA, CALLBACK, BUSY.
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
    /// Errors: as ilt_train_step, IO, and INVALID_STATE (another run is writing to ckpt_output_dir).
    pub fn ilt_train_run(
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
    /// The full states under a run's ckpt_output_dir, oldest first, as a JSON array of {"step", "path", "bytes"}; those that
    /// are not complete have "fault" with the reason instead of "bytes". Reads no tensors: ilt_checkpoint_verify() does.
    /// \*out: ilt_free(); out_length may be NULL.
    /// Thread: any.
    /// Errors: NOT_FOUND (no such folder).
    pub fn ilt_checkpoint_list_json(
        output_dir: *const ::core::ffi::c_char,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Reads every file of a full state and compares size and checksum.
    /// Thread: any.
    /// Errors: NOT_FOUND, FORMAT (the first file that differs, and how).
    pub fn ilt_checkpoint_verify(
        path: *const ::core::ffi::c_char,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// What a full state says of its run, as one JSON object: step, epoch, samples_seen, tokens_seen, config, files, ...
    /// \*out: ilt_free(); out_length may be NULL.
    /// Thread: any.
    /// Errors: NOT_FOUND, FORMAT, VERSION.
    pub fn ilt_checkpoint_info_json(
        path: *const ::core::ffi::c_char,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Writes the weights of a full state as a folder that transformers loads, to out_path, which appears complete or not at
    /// all. The state is verified first. options_json, NULL for none, is one object of model_path (the folder of the model
    /// that was trained, for its configuration and tokenizer; by default where the run found it) and save_dtype (as the
    /// option of a run).
    /// Thread: any.
    /// Errors: CONFIG (options), NOT_FOUND, FORMAT (the state; weights that are not that model's), VERSION, IO, NUMERIC.
    pub fn ilt_checkpoint_export(
        state_path: *const ::core::ffi::c_char,
        out_path: *const ::core::ffi::c_char,
        options_json: *const ::core::ffi::c_char,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Writes a model in another format: model_path is a Hugging Face folder or a GGUF file, and out_path appears complete
    /// or not at all. options_json is one object of format ("gguf": a file for llama.cpp; "hf": a folder that transformers
    /// loads) and dtype: float32, bfloat16, float16, or q8_0 in GGUF; by default the type of the model's weights (bfloat16
    /// where they are quantised). In GGUF vectors are always float32.
    /// Thread: any.
    /// Errors: CONFIG (options), NOT_FOUND, FORMAT, IO, NUMERIC (a weight that is not finite in that type), UNSUPPORTED
    /// (what the format has no place for, by name).
    pub fn ilt_model_export(
        model_path: *const ::core::ffi::c_char,
        out_path: *const ::core::ffi::c_char,
        options_json: *const ::core::ffi::c_char,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// How two full states differ, as one JSON object: equal, run and options (name to \[a, b]), tensors (file, name,
    /// max_abs: the largest difference, relative: the norm of the difference over that of a), same_tensors (how many are
    /// alike). \*out: ilt_free(); out_length may be NULL. Thread: any. Errors: NOT_FOUND, FORMAT, VERSION.
    pub fn ilt_checkpoint_diff_json(
        a: *const ::core::ffi::c_char,
        b: *const ::core::ffi::c_char,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
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
    #[must_use]
    /// A new token, not cancelled, with one reference.
    /// Thread: any.
    pub fn ilt_cancel_token_create(
        out: *mut *mut ilt_cancel_token,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// One more reference; returns the token.
    /// Thread: any.
    pub fn ilt_cancel_token_retain(
        token: *mut ilt_cancel_token,
    ) -> *mut ilt_cancel_token;
    /// Asks the calls that were given the token to stop at the next point where the session is consistent. For good: a
    /// token is not used again.
    /// Thread: any, and from a signal handler.
    pub fn ilt_cancel_token_cancel(token: *mut ilt_cancel_token);
    /// 1 if cancelled, else 0.
    /// Thread: any, and from a signal handler.
    pub fn ilt_cancel_token_is_cancelled(token: *const ilt_cancel_token) -> i32;
    /// One reference less; the last one frees the token.
    /// Thread: any.
    pub fn ilt_cancel_token_free(token: *mut ilt_cancel_token);
}
