//! The functions of `ilt.h` that take no session. Generated from it: `make generate`.

use crate::types::*;
unsafe extern "C" {
    /// The version of the library that runs, "0.1.0". Static storage.
    /// Thread: any.
    pub fn ilt_version_string() -> *const ::core::ffi::c_char;
    /// The same as a number: major \<\< 24 | minor \<\< 16 | patch.
    /// Thread: any.
    pub fn ilt_version_number() -> u32;
    /// The interface of the library that runs, as ILT_ABI_VERSION. Libraries of one value are compatible: functions, options
    /// and members at the end of structs are added to it, nothing else changes.
    /// Thread: any.
    pub fn ilt_abi_version() -> u32;
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
    /// Logs lines of at least min_level from now on; ILT_LOG_OFF none. Nothing while no function is set. A value outside
    /// ILT_LOG_TRACE ... ILT_LOG_OFF is taken as the nearest of these.
    /// Thread: any, also from inside the log function.
    pub fn ilt_log_level_set(min_level: ilt_log_level);
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
    /// All options with their values as one JSON object that ilt_config_from_json() takes; required ones that are not set
    /// are left out. \*out: ilt_free(); out_length may be NULL. Thread: any, while no ilt_config_set() runs.
    pub fn ilt_config_to_json(
        config: *const ilt_config,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// Thread: any, once no other call uses it.
    pub fn ilt_config_free(config: *mut ilt_config);
    #[must_use]
    /// The memory of the host, in bytes, that a session of the configuration takes to train, as one JSON object:
    /// weights      4 for each value of the model
    /// gradients    4 for each value of a tensor of which something is trained
    /// optimizer    what it keeps of each trained value: 8 (adamw), 4 (lion, muon's matrices), 2 (adamw_8bit), ...
    /// activations  what forward and backward keep of a micro-batch, in proportion to `tokens`
    /// loss         the logits of 256 positions, and what goes with them
    /// total        the sum of these
    /// tokens       of the largest micro-batch: max_batch_len
    /// Reads the model's files but no weights and no data: samples that fill less than max_batch_len take less, one that is
    /// longer takes more in proportion. Not counted are the data, the tokenizer, and what every process has (libtorch and
    /// its threads: some 200 MB). \*out: ilt_free(); out_length may be NULL.
    /// Thread: any, while no ilt_config_set() runs.
    /// Errors: CONFIG (model_path and max_batch_len are needed), NOT_FOUND, IO, FORMAT, UNSUPPORTED (architecture).
    pub fn ilt_memory_estimate_json(
        config: *const ilt_config,
        out: *mut *mut ::core::ffi::c_char,
        out_length: *mut usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
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
    /// An empty batch, to be filled with any number of samples and used with any session.
    /// Thread: any.
    /// Errors: INVALID_ARGUMENT.
    pub fn ilt_batch_create(
        out: *mut *mut ilt_batch,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Adds one sample of `count` token ids, at least 1, which sees no other sample. labels\[i], what ids\[0..i-1] are to
    /// predict, is mostly ids\[i], or -100 where nothing is learnt; NULL: all ids. weights\[i] multiplies the cross-entropy of
    /// labels\[i] and may be 0 or negative; NULL: 1. labels\[0] and weights\[0] never count.
    /// Thread: one at a time.
    /// Errors: INVALID_ARGUMENT (count 0, a negative id, a label that is neither -100 nor an id, a weight that is not
    /// finite; nothing is added then), OOM_HOST, BUSY.
    pub fn ilt_batch_add(
        batch: *mut ilt_batch,
        ids: *const i32,
        labels: *const i32,
        weights: *const f32,
        count: usize,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// Removes all samples and keeps the memory for the next ones.
    /// Thread: one at a time.
    /// Errors: BUSY.
    pub fn ilt_batch_clear(
        batch: *mut ilt_batch,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    #[must_use]
    /// How many samples and tokens the batch holds; out_tokens may be NULL.
    /// Thread: any, while no ilt_batch_add() or ilt_batch_clear() runs.
    /// Errors: INVALID_ARGUMENT.
    pub fn ilt_batch_size(
        batch: *const ilt_batch,
        out_samples: *mut i64,
        out_tokens: *mut i64,
        err: *mut *mut ilt_error,
    ) -> ilt_status;
    /// Thread: any, once no other call uses it.
    pub fn ilt_batch_free(batch: *mut ilt_batch);
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
