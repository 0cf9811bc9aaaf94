/* ilt.h - the C interface of libilt: fine-tuning of Hugging Face decoder models from inside any program.
 *
 * A run in five calls (errors left out; examples/c/finetune.c is the whole program):
 *
 *   ilt_config_create(&config, &err);                          options, by name
 *   ilt_config_set(config, "model_path", "granite-2b", &err);  ... and the others: ilt_config_schema_json()
 *   ilt_session_create(config, &session, &err);                model, data and optimizer
 *   ilt_train_run(session, NULL, NULL, &err);                  or ilt_train_step() in a loop of one's own
 *   ilt_checkpoint_save(session, "out", ILT_CKPT_WEIGHTS, &err);
 *
 * Rules that hold for every function
 *
 * - Status. ilt_status is 0 for success, positive for an outcome that is no error (ILT_DONE, ILT_STOPPED),
 *   negative for an error. `err`, the last parameter, may be NULL; *err is written only when the status is
 *   negative, and then belongs to the caller: ilt_error_free().
 *
 * - Memory. Inputs are copied. What comes back through a `char **` or an array pointer is freed with ilt_free().
 *   A returned `const char *` is borrowed; its comment says from whom. Every _free() takes NULL.
 *
 * - Text. UTF-8. Strings that come in with a length may hold any bytes; strings that go out end in NUL, too.
 *
 * - Threads. A handle serves one call at a time and may move between threads: a second call at the same time
 *   returns ILT_ERR_BUSY and does nothing. Where a comment says "any thread", calls may overlap. Different
 *   handles are independent.
 *
 * - Forks. A handle is of no use in a child made by fork(): calls return ILT_ERR_FORKED, _free() does nothing.
 *   Nor can a child make sessions of its own once its parent has made one: fork before the first session, or
 *   exec.
 *
 * - Guest. libilt installs no signal handlers, prints nothing, never ends the process, and keeps no global state
 *   but the log function.
 *
 * - Structs. The owner of the memory sets struct_size (ILT_..._INIT does); the library writes no byte beyond it.
 *   New members are only ever added at the end.
 *
 * Version 0: each minor version may change the interface; the shared library's name holds major and minor version.
 */
#ifndef ILT_H_
#define ILT_H_

#include <stddef.h>
#include <stdint.h>

/* What a program was compiled against; ilt_version_string() tells what it runs on. */
#define ILT_VERSION_MAJOR 0
#define ILT_VERSION_MINOR 1
#define ILT_VERSION_PATCH 0

/* The interface that a program was compiled against: that of the library, ilt_abi_version(), must be the same. */
#define ILT_ABI_VERSION ((ILT_VERSION_MAJOR << 16) | ILT_VERSION_MINOR)

#if defined(__GNUC__)
#define ILT_API __attribute__((visibility("default")))
#else
#define ILT_API
#endif
#if defined(__GNUC__) && !defined(SWIG)
#define ILT_MUST_USE __attribute__((warn_unused_result))
#else
#define ILT_MUST_USE
#endif
#if defined(__cplusplus)
#define ILT_NOEXCEPT noexcept
extern "C" {
#else
#define ILT_NOEXCEPT
#endif

/* ---- types ---- */

typedef struct ilt_error ilt_error;
typedef struct ilt_config ilt_config;
typedef struct ilt_tokenizer ilt_tokenizer;
typedef struct ilt_dataset ilt_dataset;
typedef struct ilt_batch ilt_batch;
typedef struct ilt_session ilt_session;
typedef struct ilt_cancel_token ilt_cancel_token;

/* A tensor as DLPack 1 hands it from library to library; defined by its dlpack.h, which a program includes where it
 * looks inside. */
struct DLManagedTensorVersioned;

/* The values of all enumerations are frozen. */
typedef int32_t ilt_status;
enum {
  ILT_OK = 0,
  ILT_DONE = 1,                  /* no error: the run has no more steps */
  ILT_STOPPED = 2,               /* no error: stopped on request, in a consistent state */
  ILT_ERR_INVALID_ARGUMENT = -1, /* NULL, a length or a struct_size that cannot be */
  ILT_ERR_INVALID_STATE = -2,    /* not now: training without data, training from inside a callback */
  ILT_ERR_BUSY = -3,             /* another thread is using the handle */
  ILT_ERR_CONFIG = -4,           /* an option: unknown, out of bounds, missing, at odds with another */
  ILT_ERR_NOT_FOUND = -5,        /* a file, a folder, a chat template */
  ILT_ERR_IO = -6,               /* the system could not read or write; a full disk */
  ILT_ERR_FORMAT = -7,           /* a file that is broken or of a kind that is not read */
  ILT_ERR_DATA = -8,             /* a training record; no records */
  ILT_ERR_OOM_HOST = -9,
  ILT_ERR_OOM_DEVICE = -10,
  ILT_ERR_DEVICE = -11,  /* a device that is missing or has failed */
  ILT_ERR_NUMERIC = -12, /* a loss, gradient or weight that is not finite */
  ILT_ERR_DIST = -13,
  ILT_ERR_TIMEOUT = -14,
  ILT_ERR_UNSUPPORTED = -15, /* known, but not built or not possible here: an architecture, a feature */
  ILT_ERR_VERSION = -16,
  ILT_ERR_CALLBACK = -17, /* a callback returned a negative value */
  ILT_ERR_FORKED = -18,   /* a handle of the parent process; a session in its child */
  ILT_ERR_INTERNAL = -127 /* a fault in libilt: please report it */
};

typedef int32_t ilt_log_level;
enum { ILT_LOG_TRACE = 0, ILT_LOG_DEBUG = 1, ILT_LOG_INFO = 2, ILT_LOG_WARN = 3, ILT_LOG_ERROR = 4, ILT_LOG_OFF = 5 };

typedef int32_t ilt_device_type; /* DLPack's values */
enum {
  ILT_DEVICE_CPU = 1,
  ILT_DEVICE_CUDA = 2,
  ILT_DEVICE_METAL = 8,
  ILT_DEVICE_ROCM = 10,
  ILT_DEVICE_OTHER = 12,
  ILT_DEVICE_ONEAPI = 14
};

typedef int32_t ilt_event_type;
enum {
  ILT_EVENT_RUN_BEGIN = 1,
  ILT_EVENT_STEP_END = 2,
  ILT_EVENT_EVAL_END = 3,   /* a validation: metrics->eval_loss */
  ILT_EVENT_CHECKPOINT = 4, /* `path` has appeared, complete; with background_save, some steps after the one it is of */
  ILT_EVENT_EPOCH_END = 5,
  ILT_EVENT_RUN_END = 6
};

typedef int32_t ilt_checkpoint_kind;
enum {
  ILT_CKPT_WEIGHTS = 1,   /* a folder that transformers loads: config, weights, tokenizer files */
  ILT_CKPT_FULL_STATE = 2 /* a folder that the option `resume` takes: weights, optimizer, place in the data */
};

/* What is known after an optimizer step. ilt_metrics_json() tells more. Floating-point members are NaN where unknown.
 */
typedef struct ilt_metrics {
  uint32_t struct_size;
  uint32_t epoch;     /* of the step's first sample, from 0 */
  int64_t step;       /* optimizer steps done */
  int64_t step_total; /* of the whole run; 0: unknown */
  int64_t samples_seen;
  int64_t tokens_seen;
  double loss;              /* mean over the loss-bearing tokens of the step, in nats */
  double grad_norm;         /* global L2 norm before clipping */
  double lr;                /* used in the step */
  double tokens_per_second; /* of the step */
  double step_seconds;
  int64_t mem_host_bytes_peak;
  double eval_loss; /* of the last validation, as `loss` */
} ilt_metrics;
#define ILT_METRICS_INIT {(uint32_t)sizeof(ilt_metrics), 0, 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0.0}

/* Made by the library, valid during the callback. */
typedef struct ilt_event {
  uint32_t struct_size;
  ilt_event_type type;
  const ilt_metrics* metrics; /* never NULL */
  const char* path;           /* of a checkpoint, else NULL */
} ilt_event;

typedef struct ilt_device_info {
  uint32_t struct_size;
  ilt_device_type type;
  int32_t index;
  int32_t reserved;
  int64_t mem_total_bytes; /* 0: unknown */
  int64_t mem_free_bytes;
  char id[16]; /* what the option `device` takes: "cpu", "cuda:0" */
  char name[128];
} ilt_device_info;
#define ILT_DEVICE_INFO_INIT {(uint32_t)sizeof(ilt_device_info), 0, 0, 0, 0, 0, {0}, {0}}

/* Returns 0 to go on, a positive value to stop after this step (ILT_STOPPED), a negative one to fail
 * (ILT_ERR_CALLBACK). Thread: the one that called ilt_train_run or ilt_train_epoch, with no lock held. It may call
 * ilt_metrics_*, ilt_checkpoint_save, ilt_evaluate, ilt_score, ilt_generate, ilt_param_*, ilt_session_set_lr and
 * ilt_session_*_json on the session. What trains it or exchanges its state (ilt_train_*, ilt_forward_backward,
 * ilt_optimizer_step, ilt_zero_grad, ilt_checkpoint_load) returns ILT_ERR_INVALID_STATE there, and ilt_session_free
 * does nothing. */
typedef int32_t (*ilt_event_fn)(const ilt_event* event, void* user_data);

/* `component` names the part of libilt, `message` is one line without its end; both are borrowed for the call.
 * Thread: any, one call at a time. It must call no ilt_ function but ilt_cancel_token_cancel. */
typedef void (*ilt_log_fn)(ilt_log_level level, const char* component, const char* message, void* user_data);

/* One new token; returns 0 to go on, a positive value to stop (ILT_STOPPED), a negative one to fail (ILT_ERR_CALLBACK).
 * Thread: the one that called ilt_generate. It must call no function on the session. */
typedef int32_t (*ilt_token_fn)(int32_t token_id, void* user_data);

/* Told how far a long reading of data is: records done, and bytes of the input files done and in all. Returns 0 to go
 * on, a positive value to stop (ILT_STOPPED), a negative one to fail (ILT_ERR_CALLBACK).
 * Thread: the one that called. */
typedef int32_t (*ilt_data_progress_fn)(int64_t records, int64_t bytes_done, int64_t bytes_total, void* user_data);

/* Called exactly once, when the library has made its last use of user_data. */
typedef void (*ilt_destroy_fn)(void* user_data);

/* ---- version, build, devices ---- */

/* The version of the library that runs, "0.1.0". Static storage.
 * Thread: any. */
ILT_API const char* ilt_version_string(void) ILT_NOEXCEPT;

/* The same as a number: major << 24 | minor << 16 | patch.
 * Thread: any. */
ILT_API uint32_t ilt_version_number(void) ILT_NOEXCEPT;

/* The interface of the library that runs, as ILT_ABI_VERSION. Libraries of one value are compatible: functions, options
 * and members at the end of structs are added to it, nothing else changes.
 * Thread: any. */
ILT_API uint32_t ilt_abi_version(void) ILT_NOEXCEPT;

/* How the library was built, as one JSON object: version, compiler, libtorch, cpu_capability, features.
 * Static storage.
 * Thread: any. */
ILT_API const char* ilt_build_info_json(void) ILT_NOEXCEPT;

/* 1 if this build has the feature (ilt_build_info_json() lists them), else 0; also for NULL.
 * Thread: any. */
ILT_API int32_t ilt_has_feature(const char* name) ILT_NOEXCEPT;

/* The model families that can be trained, as one JSON array of objects: architecture (as config.json has it),
 * model_type, models (some that have it). Static storage.
 * Thread: any. */
ILT_API const char* ilt_model_families_json(void) ILT_NOEXCEPT;

/* How many devices can be used from this process; at least 1, the CPU.
 * Thread: any.
 * Errors: INVALID_ARGUMENT. */
ILT_API ILT_MUST_USE ilt_status ilt_device_count(int32_t* out, ilt_error** err) ILT_NOEXCEPT;

/* Describes device `index` of ilt_device_count(); 0 is the CPU. out->struct_size must be set.
 * Thread: any.
 * Errors: INVALID_ARGUMENT (struct_size, index). */
ILT_API ILT_MUST_USE ilt_status ilt_device_get(int32_t index, ilt_device_info* out, ilt_error** err) ILT_NOEXCEPT;

/* ---- errors, memory ---- */

/* The status that the failed function returned; ILT_OK for NULL.
 * Thread: any; errors never change. */
ILT_API ilt_status ilt_error_status(const ilt_error* err) ILT_NOEXCEPT;

/* One line for a person: what went wrong with what, and what to do. Borrowed from err; "" for NULL.
 * Thread: any. */
ILT_API const char* ilt_error_message(const ilt_error* err) ILT_NOEXCEPT;

/* The facts for a program, as one JSON object with those of these keys that apply: key, got, expected, nearest, file,
 * line, column, errno, ... Borrowed from err; "{}" for NULL.
 * Thread: any. */
ILT_API const char* ilt_error_detail_json(const ilt_error* err) ILT_NOEXCEPT;

/* Thread: any. */
ILT_API void ilt_error_free(ilt_error* err) ILT_NOEXCEPT;

/* "ILT_ERR_BUSY" for ILT_ERR_BUSY; "unknown status" for a value that is none. Static storage.
 * Thread: any. */
ILT_API const char* ilt_status_name(ilt_status status) ILT_NOEXCEPT;

/* Frees a string or an array that came out of a function of this header. NULL is allowed.
 * Thread: any. */
ILT_API void ilt_free(void* memory) ILT_NOEXCEPT;

/* ---- logging: one function for the process, none at first ---- */

/* Sends log lines of at least min_level to fn; NULL silences the log. Returns after the last call of the function set
 * before, whose destroy has then run. destroy may be NULL; it also runs if this call fails.
 * Thread: any, but not from inside fn.
 * Errors: INVALID_ARGUMENT (min_level). */
ILT_API ILT_MUST_USE ilt_status ilt_log_set(ilt_log_fn fn, void* user_data, ilt_destroy_fn destroy,
                                            ilt_log_level min_level, ilt_error** err) ILT_NOEXCEPT;

/* The lowest level that is logged; ILT_LOG_OFF while no function is set.
 * Thread: any. */
ILT_API ilt_log_level ilt_log_level_get(void) ILT_NOEXCEPT;

/* Logs lines of at least min_level from now on; ILT_LOG_OFF none. Nothing while no function is set. A value outside
 * ILT_LOG_TRACE ... ILT_LOG_OFF is taken as the nearest of these.
 * Thread: any, also from inside the log function. */
ILT_API void ilt_log_level_set(ilt_log_level min_level) ILT_NOEXCEPT;

/* ---- configuration ---- */

/* All options as a JSON Schema (draft 2020-12): name, type, bounds, choices, default, description; under "x-aliases"
 * other spellings that are taken, under "x-required" whether it is needed "always" or for "training". Static storage.
 * Thread: any. */
ILT_API const char* ilt_config_schema_json(void) ILT_NOEXCEPT;

/* A configuration with all options at their defaults.
 * Thread: any.
 * Errors: INVALID_ARGUMENT. */
ILT_API ILT_MUST_USE ilt_status ilt_config_create(ilt_config** out, ilt_error** err) ILT_NOEXCEPT;

/* A configuration from one JSON object of options; those that are absent have their defaults.
 * Thread: any.
 * Errors: FORMAT (no JSON), CONFIG (unknown option: detail key, nearest; bad value: detail key, got, expected). */
ILT_API ILT_MUST_USE ilt_status ilt_config_from_json(const char* json, size_t length, ilt_config** out,
                                                     ilt_error** err) ILT_NOEXCEPT;

/* Sets one option from text: a string as it is, a number, true or false, a list as JSON or as its only element.
 * Thread: one at a time.
 * Errors: CONFIG as above; the configuration is then unchanged. */
ILT_API ILT_MUST_USE ilt_status ilt_config_set(ilt_config* config, const char* key, const char* value,
                                               ilt_error** err) ILT_NOEXCEPT;

/* The value of one option, as ilt_config_set() takes it (lists as JSON). *out: ilt_free().
 * Thread: any, while no ilt_config_set() runs.
 * Errors: CONFIG (unknown option). */
ILT_API ILT_MUST_USE ilt_status ilt_config_get(const ilt_config* config, const char* key, char** out,
                                               ilt_error** err) ILT_NOEXCEPT;

/* Checks what can be told without files: required options and options that contradict each other. With data_path set,
 * all that training needs; without it, what a session to score, generate and save needs. ilt_session_create() checks
 * the same.
 * Thread: any, while no ilt_config_set() runs.
 * Errors: CONFIG. */
ILT_API ILT_MUST_USE ilt_status ilt_config_validate(const ilt_config* config, ilt_error** err) ILT_NOEXCEPT;

/* All options with their values as one JSON object that ilt_config_from_json() takes; required ones that are not set
 * are left out. *out: ilt_free(); out_length may be NULL. Thread: any, while no ilt_config_set() runs. */
ILT_API ILT_MUST_USE ilt_status ilt_config_to_json(const ilt_config* config, char** out, size_t* out_length,
                                                   ilt_error** err) ILT_NOEXCEPT;

/* Thread: any, once no other call uses it. */
ILT_API void ilt_config_free(ilt_config* config) ILT_NOEXCEPT;

/* The memory of the host, in bytes, that a session of the configuration takes to train, as one JSON object:
 *   weights      4 for each value of the model
 *   gradients    4 for each value of a tensor of which something is trained
 *   optimizer    what it keeps of each trained value: 8 (adamw), 4 (lion, muon's matrices), 2 (adamw_8bit), ...
 *   activations  what forward and backward keep of a micro-batch, in proportion to `tokens`
 *   loss         the logits of 256 positions, and what goes with them
 *   total        the sum of these
 *   tokens       of the largest micro-batch: max_batch_len
 * Reads the model's files but no weights and no data: samples that fill less than max_batch_len take less, one that is
 * longer takes more in proportion. Not counted are the data, the tokenizer, and what every process has (libtorch and
 * its threads: some 200 MB). *out: ilt_free(); out_length may be NULL.
 * Thread: any, while no ilt_config_set() runs.
 * Errors: CONFIG (model_path and max_batch_len are needed), NOT_FOUND, IO, FORMAT, UNSUPPORTED (architecture). */
ILT_API ILT_MUST_USE ilt_status ilt_memory_estimate_json(const ilt_config* config, char** out, size_t* out_length,
                                                         ilt_error** err) ILT_NOEXCEPT;

/* ---- tokenizer: immutable, so that all calls may overlap ---- */

/* Reads tokenizer.json, and the chat template if there is one, of a Hugging Face folder; or what a GGUF file has of
 * both.
 * Thread: any.
 * Errors: NOT_FOUND, FORMAT. */
ILT_API ILT_MUST_USE ilt_status ilt_tokenizer_load(const char* model_path, ilt_tokenizer** out,
                                                   ilt_error** err) ILT_NOEXCEPT;

/* Thread: any, once no other call uses it. */
ILT_API void ilt_tokenizer_free(ilt_tokenizer* tokenizer) ILT_NOEXCEPT;

/* The largest token id + 1, added tokens included; 0 for NULL.
 * Thread: any. */
ILT_API int32_t ilt_tokenizer_vocab_size(const ilt_tokenizer* tokenizer) ILT_NOEXCEPT;

/* Text to token ids. add_special != 0 adds what the tokenizer puts round a text (BOS, EOS); rendered chat has its own.
 * *out_ids, an array of *out_count: ilt_free().
 * text may be NULL where length is 0.
 * Thread: any.
 * Errors: DATA (text is not UTF-8). */
ILT_API ILT_MUST_USE ilt_status ilt_tokenizer_encode(const ilt_tokenizer* tokenizer, const char* text, size_t length,
                                                     int32_t add_special, int32_t** out_ids, size_t* out_count,
                                                     ilt_error** err) ILT_NOEXCEPT;

/* Token ids to text. skip_special != 0 leaves special tokens out. *out: ilt_free(); out_length may be NULL.
 * Thread: any.
 * Errors: INVALID_ARGUMENT (an id outside the vocabulary). */
ILT_API ILT_MUST_USE ilt_status ilt_tokenizer_decode(const ilt_tokenizer* tokenizer, const int32_t* ids, size_t count,
                                                     int32_t skip_special, char** out, size_t* out_length,
                                                     ilt_error** err) ILT_NOEXCEPT;

/* Renders a JSON array of messages, [{"role": ..., "content": ...}, ...], through the folder's chat template.
 * add_generation_prompt != 0 ends with what opens the assistant's turn. *out: ilt_free(); out_length may be NULL.
 * Thread: any.
 * Errors: FORMAT (no JSON), NOT_FOUND (no template in the folder), DATA (the template refuses the messages). */
ILT_API ILT_MUST_USE ilt_status ilt_tokenizer_render_chat(const ilt_tokenizer* tokenizer, const char* messages_json,
                                                          size_t length, int32_t add_generation_prompt, char** out,
                                                          size_t* out_length, ilt_error** err) ILT_NOEXCEPT;

/* One chat record to token ids and labels, as training would make them: an object of any chat format (messages,
 * conversations, prompt and completion, instruction and output) or a list of messages. labels[i] is ids[i] where the
 * token is to be learnt, else -100. *out_ids and *out_labels, arrays of *out_count: ilt_free().
 * Thread: any.
 * Errors: NOT_FOUND (no template in the folder), FORMAT, DATA (the record; the template refuses it). */
ILT_API ILT_MUST_USE ilt_status ilt_tokenizer_apply_chat(const ilt_tokenizer* tokenizer, const char* record_json,
                                                         size_t length, int32_t** out_ids, int32_t** out_labels,
                                                         size_t* out_count, ilt_error** err) ILT_NOEXCEPT;

/* ---- data sets: token ids, and which of them are learnt ---- */

/* Reads the records of the configuration's data_path with the tokenizer and chat template of its model_path and writes
 * their samples to the file out_path, which appears complete or not at all: a safetensors file that data_path then
 * takes, mapped and shared by all processes that open it. Uses all cores; memory does not grow with the data. A call
 * that is stopped, killed or out of disk leaves out_path.partial, from which the same call goes on. fn and cancel may
 * be NULL.
 * Thread: any; fn runs on this thread.
 * Errors: CONFIG, NOT_FOUND, IO, FORMAT, DATA (file, line, reason), CALLBACK, INVALID_STATE (another process is
 * writing out_path). */
ILT_API ILT_MUST_USE ilt_status ilt_dataset_process(const ilt_config* config, const char* out_path,
                                                    ilt_data_progress_fn fn, void* user_data, ilt_cancel_token* cancel,
                                                    ilt_error** err) ILT_NOEXCEPT;

/* Maps a file that ilt_dataset_process() has written, and checks it.
 * Thread: any.
 * Errors: NOT_FOUND, IO, FORMAT (no such file, a checksum that differs). */
ILT_API ILT_MUST_USE ilt_status ilt_dataset_open(const char* path, ilt_dataset** out, ilt_error** err) ILT_NOEXCEPT;

/* A data set in memory, by the model_path and the data options of the configuration: the records (or the one processed
 * file) of data_path, or, where that is empty, none yet: ilt_dataset_add(). `cancel` may be NULL.
 * Thread: any.
 * Errors: as ilt_dataset_process. */
ILT_API ILT_MUST_USE ilt_status ilt_dataset_create(const ilt_config* config, ilt_cancel_token* cancel,
                                                   ilt_dataset** out, ilt_error** err) ILT_NOEXCEPT;

/* Adds one record, a JSON object of any format that files may have. *out_kept, unless NULL, becomes 1, or 0 where the
 * record is left out (too long, nothing to learn): ilt_dataset_stats_json() counts why.
 * Thread: one at a time.
 * Errors: DATA (the record; more than max_bad_records of them), INVALID_STATE (not created empty; a session uses it),
 * BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_dataset_add(ilt_dataset* dataset, const char* record_json, size_t length,
                                                int32_t* out_kept, ilt_error** err) ILT_NOEXCEPT;

/* 0 for NULL.
 * Thread: any, while no ilt_dataset_add() runs. */
ILT_API int64_t ilt_dataset_num_samples(const ilt_dataset* dataset) ILT_NOEXCEPT;

/* Of all samples; 0 for NULL.
 * Thread: any, while no ilt_dataset_add() runs. */
ILT_API int64_t ilt_dataset_num_tokens(const ilt_dataset* dataset) ILT_NOEXCEPT;

/* Sample `index`, from 0. labels[i] is ids[i] where the token is to be learnt, else -100 (position 0 never counts).
 * *out_ids and *out_labels, arrays of *out_count: ilt_free().
 * Thread: any, while no ilt_dataset_add() runs.
 * Errors: INVALID_ARGUMENT (index). */
ILT_API ILT_MUST_USE ilt_status ilt_dataset_sample(const ilt_dataset* dataset, int64_t index, int32_t** out_ids,
                                                   int32_t** out_labels, size_t* out_count,
                                                   ilt_error** err) ILT_NOEXCEPT;

/* What became of the records, and the lengths of the samples, as one JSON object: records, samples, tokens,
 * supervised_tokens, supervised_share, dropped (by reason), truncated, terminators, lengths, ... options_json, NULL for
 * none, is one object of max_batch_len, effective_batch_size (128) and ranks (1): with max_batch_len, `packing` tells
 * how full micro-batches would be. *out: ilt_free(); out_length may be NULL.
 * Thread: any, while no ilt_dataset_add() runs.
 * Errors: CONFIG (options), DATA (a sample longer than max_batch_len). */
ILT_API ILT_MUST_USE ilt_status ilt_dataset_stats_json(const ilt_dataset* dataset, const char* options_json, char** out,
                                                       size_t* out_length, ilt_error** err) ILT_NOEXCEPT;

/* Sessions that use the data set keep it.
 * Thread: any, once no other call uses it. */
ILT_API void ilt_dataset_free(ilt_dataset* dataset) ILT_NOEXCEPT;

/* ---- session: a model, its optimizer and its data ---- */

/* Loads the model that `config` names, and the data unless data_path is empty (then score, generate and save work, and
 * training does not). The configuration is copied.
 * Thread: any.
 * Errors: CONFIG, NOT_FOUND, IO, FORMAT, DATA (file and line), UNSUPPORTED (architecture), DEVICE, OOM_*, FORKED. */
ILT_API ILT_MUST_USE ilt_status ilt_session_create(const ilt_config* config, ilt_session** out,
                                                   ilt_error** err) ILT_NOEXCEPT;

/* Frees model and optimizer, and runs the event callback's destroy. Tokens and configurations live on.
 * Thread: any, once no other call uses it; never from inside a callback. */
ILT_API void ilt_session_free(ilt_session* session) ILT_NOEXCEPT;

/* Sets the function that is told of steps, checkpoints and epochs; NULL removes it. destroy may be NULL; that of the
 * function set before has run when this returns, and this one also runs if the call fails.
 * Thread: one at a time, not from inside a callback.
 * Errors: BUSY, INVALID_STATE. */
ILT_API ILT_MUST_USE ilt_status ilt_session_set_event_callback(ilt_session* session, ilt_event_fn fn, void* user_data,
                                                               ilt_destroy_fn destroy, ilt_error** err) ILT_NOEXCEPT;

/* Gives a session that was created without data_path what to train on and, unless NULL, what to validate on. Both stay
 * in use until the session is freed, and take no more records.
 * Thread: one at a time, not from inside a callback.
 * Errors: CONFIG (an option that training needs), DATA (no samples; a token that the model has no row for),
 * INVALID_STATE (the session has data, or has trained on batches of the host's), BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_session_set_datasets(ilt_session* session, ilt_dataset* training,
                                                         ilt_dataset* validation, ilt_error** err) ILT_NOEXCEPT;

/* The configuration that the session runs with, as JSON. *out: ilt_free(); out_length may be NULL.
 * Thread: one at a time.
 * Errors: BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_session_config_json(ilt_session* session, char** out, size_t* out_length,
                                                        ilt_error** err) ILT_NOEXCEPT;

/* The model as JSON: architecture, parameters (and how many are trained), layers, vocabulary, type, device.
 * *out: ilt_free(); out_length may be NULL.
 * Thread: one at a time.
 * Errors: BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_session_model_info_json(ilt_session* session, char** out, size_t* out_length,
                                                            ilt_error** err) ILT_NOEXCEPT;

#define ILT_LR_SCHEDULE (-1.0) /* ilt_session_set_lr(): the rate of the schedule */

/* Sets the learning rate of all optimizer steps that begin from now on. It takes the place of what the schedule says,
 * warmup and decay included; factors of single tensors (lr_scale) still multiply it. ILT_LR_SCHEDULE goes back to the
 * schedule, which is a pure function of the step: its rate is then what it would have been. Full states hold the rate
 * that is set.
 * Thread: any, also while another thread trains, and from inside callbacks.
 * Errors: INVALID_ARGUMENT (lr is neither finite and at least 0 nor ILT_LR_SCHEDULE). */
ILT_API ILT_MUST_USE ilt_status ilt_session_set_lr(ilt_session* session, double lr, ilt_error** err) ILT_NOEXCEPT;

/* 1 if the session is of no more use: its device has failed, or an error has broken off an update of the weights in
 * the middle. Every later call on it but those that any thread may make then returns the status of that failure; free
 * it, and go on from a checkpoint in a new one. 0 otherwise, and for NULL.
 * Thread: any, also while another thread trains. */
ILT_API int32_t ilt_session_is_poisoned(const ilt_session* session) ILT_NOEXCEPT;

/* ---- training ---- */

/* One optimizer step on the session's data: effective_batch_size samples, packed, forward, backward, clip, update.
 * ILT_DONE when the run's steps are used up; nothing has changed then. `out` may be NULL; else out->struct_size must be
 * set, and it receives the step's metrics. Nothing is written, and the event callback is not called.
 * Thread: one at a time.
 * Errors: INVALID_STATE (no data; inside a callback; gradients of ilt_forward_backward wait for their step), NUMERIC,
 * OOM_*, DATA, BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_train_step(ilt_session* session, ilt_metrics* out, ilt_error** err) ILT_NOEXCEPT;

/* All steps that remain, with the metrics file and the checkpoints that the configuration asks for under
 * ckpt_output_dir. `cancel` may be NULL. ILT_OK at the end of the run; ILT_STOPPED if the token was cancelled or the
 * callback asked to stop: the session is then between two steps and can go on, save, score. `out` as above.
 * Thread: one at a time; the event callback runs on this thread.
 * Errors: as ilt_train_step, CALLBACK, IO, and INVALID_STATE (another run is writing to ckpt_output_dir). */
ILT_API ILT_MUST_USE ilt_status ilt_train_run(ilt_session* session, ilt_cancel_token* cancel, ilt_metrics* out,
                                              ilt_error** err) ILT_NOEXCEPT;

/* The same for the steps that remain of the epoch: returns ILT_OK after the validation and the checkpoints that come
 * due with the epoch's last step, ILT_DONE if no step was left to take. What a run does at its end is done by the call
 * that reaches it, so that calls until ILT_DONE train and write what one ilt_train_run() does; but RUN_BEGIN, RUN_END
 * and the metrics file's line of options come with each call, and max_minutes and save_every_minutes count within it.
 * Thread: one at a time; the event callback runs on this thread.
 * Errors: as ilt_train_run. */
ILT_API ILT_MUST_USE ilt_status ilt_train_epoch(ilt_session* session, ilt_cancel_token* cancel, ilt_metrics* out,
                                                ilt_error** err) ILT_NOEXCEPT;

/* Asks the ilt_train_run() that uses the session to save a model and a full state under ckpt_output_dir after the step
 * that it is in, and to go on. Where none runs, the next one does so after its first step. Nothing for NULL.
 * Thread: any, and from a signal handler, while the session is not being freed. */
ILT_API void ilt_session_request_save(ilt_session* session) ILT_NOEXCEPT;

/* ---- the host's own loop: batches, gradients, steps ----
 *
 *   ilt_batch_add(batch, ids, labels, weights, count, &err);       each sample
 *   ilt_forward_backward(session, batch, &loss, &weight, &err);    as often as wanted: gradients add up
 *   ilt_optimizer_step(session, 0, &metrics, &err);                divides, clips, updates, clears
 *
 * Samples in the order and number of a run's step give its losses and weights bit for bit. */

/* An empty batch, to be filled with any number of samples and used with any session.
 * Thread: any.
 * Errors: INVALID_ARGUMENT. */
ILT_API ILT_MUST_USE ilt_status ilt_batch_create(ilt_batch** out, ilt_error** err) ILT_NOEXCEPT;

/* Adds one sample of `count` token ids, at least 1, which sees no other sample. labels[i], what ids[0..i-1] are to
 * predict, is mostly ids[i], or -100 where nothing is learnt; NULL: all ids. weights[i] multiplies the cross-entropy of
 * labels[i] and may be 0 or negative; NULL: 1. labels[0] and weights[0] never count.
 * Thread: one at a time.
 * Errors: INVALID_ARGUMENT (count 0, a negative id, a label that is neither -100 nor an id, a weight that is not
 * finite; nothing is added then), OOM_HOST, BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_batch_add(ilt_batch* batch, const int32_t* ids, const int32_t* labels,
                                              const float* weights, size_t count, ilt_error** err) ILT_NOEXCEPT;

/* Removes all samples and keeps the memory for the next ones.
 * Thread: one at a time.
 * Errors: BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_batch_clear(ilt_batch* batch, ilt_error** err) ILT_NOEXCEPT;

/* How many samples and tokens the batch holds; out_tokens may be NULL.
 * Thread: any, while no ilt_batch_add() or ilt_batch_clear() runs.
 * Errors: INVALID_ARGUMENT. */
ILT_API ILT_MUST_USE ilt_status ilt_batch_size(const ilt_batch* batch, int64_t* out_samples, int64_t* out_tokens,
                                               ilt_error** err) ILT_NOEXCEPT;

/* Thread: any, once no other call uses it. */
ILT_API void ilt_batch_free(ilt_batch* batch) ILT_NOEXCEPT;

/* Runs the batch, in micro-batches of at most max_batch_len tokens (a longer sample is one of its own), and adds the
 * gradient of its loss to what earlier calls have added since the last step. *out_loss = the sum of
 * weight * -log p(label), in nats; *out_weight = the sum of the weights; both may be NULL. Their quotient is the mean
 * loss. neftune_alpha and z_loss of the configuration apply. Works with and without data of the session; the first call
 * takes the memory for gradients, activations and optimizer.
 * If it fails while it computes, the gradients of earlier calls are dropped, too.
 * Thread: one at a time; the batch may serve several sessions.
 * Errors: CONFIG (an option that training needs: max_batch_len, learning_rate), INVALID_ARGUMENT (no samples; an id or
 * label that the model has no row for), INVALID_STATE (inside a callback), OOM_*, BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_forward_backward(ilt_session* session, const ilt_batch* batch, double* out_loss,
                                                     double* out_weight, ilt_error** err) ILT_NOEXCEPT;

/* Divides the gradients by `divisor`, clips their norm to max_grad_norm, updates the weights, and clears the gradients.
 * divisor 0 stands for the sum of the weights of all labels since the last step, so that the step follows the mean
 * loss; where weights have both signs, or samples are to count alike, give a positive number. The step counts as a step
 * of the run: the learning rate is the schedule's for it, and a session with data passes over that step's samples.
 * ILT_DONE when step_total steps are done (without data: max_steps; 0: there is no end); nothing has changed then.
 * `out`, unless NULL, receives the step's metrics: `loss` is the sum of losses by the divisor, step_seconds is the time
 * spent in libilt. A loss or gradient that is not finite is treated as on_nonfinite says; the gradients are then
 * dropped. Nothing is written, and the event callback is not called.
 * Thread: one at a time.
 * Errors: INVALID_STATE (no gradients; inside a callback), INVALID_ARGUMENT (divisor; a sum of weights that is not
 * positive), CONFIG (a schedule that decays, with neither data nor max_steps nor ilt_session_set_lr()), NUMERIC, OOM_*,
 * BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_optimizer_step(ilt_session* session, double divisor, ilt_metrics* out,
                                                   ilt_error** err) ILT_NOEXCEPT;

/* Drops the gradients that ilt_forward_backward() has added since the last step; no error where there are none.
 * Thread: one at a time.
 * Errors: INVALID_STATE (inside a callback), BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_zero_grad(ilt_session* session, ilt_error** err) ILT_NOEXCEPT;

/* ---- evaluation, scoring, generation ---- */

/* The loss on a data set that nothing is learnt from, NULL for the session's validation data: *out_loss, the mean over
 * its loss-bearing tokens in nats, and *out_tokens, how many these are (both may be NULL): what a validation of a run
 * gives. The result depends on batching by rounding only. Neither metrics nor the choice of a best checkpoint change.
 * Samples longer than max_seq_len are left out, as they are in training. `cancel` may be NULL; ILT_STOPPED: cancelled,
 * there is no result.
 * Thread: one at a time, and from inside the event callback.
 * Errors: INVALID_STATE (NULL, and the session has no validation data), CONFIG (max_batch_len is needed), DATA (no
 * token to predict; a token that the model has no row for; another tokenizer's data), NUMERIC (weights that give no
 * finite loss), OOM_*, BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_evaluate(ilt_session* session, const ilt_dataset* dataset, ilt_cancel_token* cancel,
                                             double* out_loss, int64_t* out_tokens, ilt_error** err) ILT_NOEXCEPT;

/* out_logprobs[i] = log p(ids[i + 1] | ids[0..i]), natural logarithm, for i = 0 .. count - 2. count is at least 2;
 * out_logprobs is the caller's array of count - 1 floats.
 * Thread: one at a time.
 * Errors: INVALID_ARGUMENT (count, an id outside the vocabulary), NUMERIC (weights that give no finite result), OOM_*,
 * BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_score(ilt_session* session, const int32_t* ids, size_t count, float* out_logprobs,
                                          ilt_error** err) ILT_NOEXCEPT;

/* Continues a prompt of at least one id. options_json, NULL for the defaults, is one object of:
 *   max_new_tokens  integer, 128; at most 10^9
 *   temperature     number, 0; 0 takes the likeliest token
 *   top_p           number in (0, 1], 1
 *   top_k           integer, 0; 0 for all
 *   seed            integer, 0
 *   stop_ids        list of integers; empty: the model's end-of-sequence ids
 * fn, unless NULL, is told of each token as it comes. *out_ids, an array of the *out_count new ids: ilt_free(); both
 * may be NULL together. `cancel` may be NULL. ILT_STOPPED: stopped by token or callback; the tokens so far are
 * returned.
 * Thread: one at a time; fn runs on this thread.
 * Errors: CONFIG (options), FORMAT (options that are no JSON), INVALID_ARGUMENT, NUMERIC (weights that give no finite
 * result), CALLBACK, OOM_*, BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_generate(ilt_session* session, const int32_t* prompt, size_t prompt_count,
                                             const char* options_json, ilt_token_fn fn, void* user_data,
                                             ilt_cancel_token* cancel, int32_t** out_ids, size_t* out_count,
                                             ilt_error** err) ILT_NOEXCEPT;

/* ---- checkpoints ---- */

/* Writes the model, or the full state of the run, to the folder `path`, which appears complete or not at all. It
 * replaces a folder of that name that is empty or of the same kind, never another, nor the one that the process works
 * in or one above that.
 * Thread: one at a time.
 * Errors: INVALID_ARGUMENT (kind, a folder that is not replaced), IO (a full disk), NUMERIC (a weight that is not
 * finite), INVALID_STATE (a full state of a session without data), BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_checkpoint_save(ilt_session* session, const char* path, ilt_checkpoint_kind kind,
                                                    ilt_error** err) ILT_NOEXCEPT;

/* Goes back, or on, to a full state: weights, optimizer, place in the data, counters, and the learning rate if one was
 * set. What follows is bit for bit what followed it then, on the CPU. The state is verified first, and held against the
 * session as the option `resume` does: other data or options that decide the order of samples are refused unless
 * resume_force is set. Gradients of ilt_forward_backward() are dropped. For weights alone, create a session on them.
 * Thread: one at a time.
 * Errors: NOT_FOUND, FORMAT (the first file that differs; tensors of another model), VERSION, CONFIG (also where
 * ckpt_output_dir holds later states, which would be mixed up with those to come), DATA, INVALID_STATE (inside a
 * callback), BUSY. The session is then unchanged. */
ILT_API ILT_MUST_USE ilt_status ilt_checkpoint_load(ilt_session* session, const char* path,
                                                    ilt_error** err) ILT_NOEXCEPT;

/* The full states under a run's ckpt_output_dir, oldest first, as a JSON array of {"step", "path", "bytes"}; those that
 * are not complete have "fault" with the reason instead of "bytes". Reads no tensors: ilt_checkpoint_verify() does.
 * *out: ilt_free(); out_length may be NULL.
 * Thread: any.
 * Errors: NOT_FOUND (no such folder). */
ILT_API ILT_MUST_USE ilt_status ilt_checkpoint_list_json(const char* output_dir, char** out, size_t* out_length,
                                                         ilt_error** err) ILT_NOEXCEPT;

/* Reads every file of a full state and compares size and checksum.
 * Thread: any.
 * Errors: NOT_FOUND, FORMAT (the first file that differs, and how). */
ILT_API ILT_MUST_USE ilt_status ilt_checkpoint_verify(const char* path, ilt_error** err) ILT_NOEXCEPT;

/* What a full state says of its run, as one JSON object: step, epoch, samples_seen, tokens_seen, config, files, ...
 * *out: ilt_free(); out_length may be NULL.
 * Thread: any.
 * Errors: NOT_FOUND, FORMAT, VERSION. */
ILT_API ILT_MUST_USE ilt_status ilt_checkpoint_info_json(const char* path, char** out, size_t* out_length,
                                                         ilt_error** err) ILT_NOEXCEPT;

/* Writes the weights of a full state as a folder that transformers loads, to out_path, which appears complete or not at
 * all. The state is verified first. options_json, NULL for none, is one object of model_path (the folder of the model
 * that was trained, for its configuration and tokenizer; by default where the run found it) and save_dtype (as the
 * option of a run).
 * Thread: any.
 * Errors: CONFIG (options), NOT_FOUND, FORMAT (the state; weights that are not that model's), VERSION, IO, NUMERIC. */
ILT_API ILT_MUST_USE ilt_status ilt_checkpoint_export(const char* state_path, const char* out_path,
                                                      const char* options_json, ilt_error** err) ILT_NOEXCEPT;

/* Writes a model in another format: model_path is a Hugging Face folder or a GGUF file, and out_path appears complete
 * or not at all. options_json is one object of format ("gguf": a file for llama.cpp; "hf": a folder that transformers
 * loads) and dtype: float32, bfloat16, float16, or q8_0 in GGUF; by default the type of the model's weights (bfloat16
 * where they are quantised). In GGUF vectors are always float32.
 * Thread: any.
 * Errors: CONFIG (options), NOT_FOUND, FORMAT, IO, NUMERIC (a weight that is not finite in that type), UNSUPPORTED
 * (what the format has no place for, by name). */
ILT_API ILT_MUST_USE ilt_status ilt_model_export(const char* model_path, const char* out_path, const char* options_json,
                                                 ilt_error** err) ILT_NOEXCEPT;

/* How two full states differ, as one JSON object: equal, run and options (name to [a, b]), tensors (file, name,
 * max_abs: the largest difference, relative: the norm of the difference over that of a), same_tensors (how many are
 * alike). *out: ilt_free(); out_length may be NULL. Thread: any. Errors: NOT_FOUND, FORMAT, VERSION. */
ILT_API ILT_MUST_USE ilt_status ilt_checkpoint_diff_json(const char* a, const char* b, char** out, size_t* out_length,
                                                         ilt_error** err) ILT_NOEXCEPT;

/* ---- parameters: the model's tensors under the names that its files have ---- */

/* How many there are.
 * Thread: any, also while another thread trains.
 * Errors: INVALID_ARGUMENT. */
ILT_API ILT_MUST_USE ilt_status ilt_param_count(const ilt_session* session, size_t* out, ilt_error** err) ILT_NOEXCEPT;

/* The name of parameter `index`, from 0, in an order that stays. Borrowed from the session, until it is freed.
 * Thread: any, also while another thread trains.
 * Errors: INVALID_ARGUMENT (index). */
ILT_API ILT_MUST_USE ilt_status ilt_param_name(const ilt_session* session, size_t index, const char** out,
                                               ilt_error** err) ILT_NOEXCEPT;

/* One parameter as a JSON object: name, shape (a list), dtype (of the session: "float32"; files may hold another),
 * device ("cpu"), trained (false where it is frozen), bytes. *out: ilt_free(); out_length may be NULL.
 * Thread: any, also while another thread trains.
 * Errors: NOT_FOUND (no such parameter: detail nearest). */
ILT_API ILT_MUST_USE ilt_status ilt_param_info_json(const ilt_session* session, const char* name, char** out,
                                                    size_t* out_length, ilt_error** err) ILT_NOEXCEPT;

/* The values of a parameter, in its file's shape, as a DLPack tensor that the caller owns: it calls (*out)->deleter,
 * from any thread, also after the session is freed. copy != 0: a copy in row-major order, to do with as one likes
 * (flag IS_COPIED). copy 0: the session's own memory with whatever strides it has, which changes with each step (flag
 * READ_ONLY; it is written with ilt_param_from_dlpack). The data are there when the call returns.
 * Thread: one at a time, and from inside the event callback.
 * Errors: NOT_FOUND, UNSUPPORTED (copy 0 of a parameter that the session holds in an order that strides cannot tell),
 * OOM_*, BUSY. */
ILT_API ILT_MUST_USE ilt_status ilt_param_to_dlpack(ilt_session* session, const char* name, int32_t copy,
                                                    struct DLManagedTensorVersioned** out,
                                                    ilt_error** err) ILT_NOEXCEPT;

/* Sets a parameter to the values of `source`: of the same shape, of type float32, float64, bfloat16 or float16 (which
 * are converted), on the CPU, with any strides. They are copied, and source->deleter is then called: in every case,
 * also if the call fails, source belongs to libilt. What the optimizer keeps stays as it is.
 * Thread: one at a time, and from inside the event callback.
 * Errors: NOT_FOUND, INVALID_ARGUMENT (shape, type, device, NULL data), VERSION (a DLPack that is not version 1),
 * BUSY; the parameter is then unchanged. */
ILT_API ILT_MUST_USE ilt_status ilt_param_from_dlpack(ilt_session* session, const char* name,
                                                      struct DLManagedTensorVersioned* source,
                                                      ilt_error** err) ILT_NOEXCEPT;

/* ---- metrics ---- */

/* The metrics of the last step that is done. out->struct_size must be set.
 * Thread: any, also while another thread trains.
 * Errors: INVALID_ARGUMENT. */
ILT_API ILT_MUST_USE ilt_status ilt_metrics_get(const ilt_session* session, ilt_metrics* out,
                                                ilt_error** err) ILT_NOEXCEPT;

/* The same as one line of the metrics file: a JSON object, with null for what is unknown before the first step. *out:
 * ilt_free(); out_length may be NULL.
 * Thread: any, also while another thread trains. */
ILT_API ILT_MUST_USE ilt_status ilt_metrics_json(const ilt_session* session, char** out, size_t* out_length,
                                                 ilt_error** err) ILT_NOEXCEPT;

/* ---- cancellation: a counted token that outlives the session ---- */

/* A new token, not cancelled, with one reference.
 * Thread: any. */
ILT_API ILT_MUST_USE ilt_status ilt_cancel_token_create(ilt_cancel_token** out, ilt_error** err) ILT_NOEXCEPT;

/* One more reference; returns the token.
 * Thread: any. */
ILT_API ilt_cancel_token* ilt_cancel_token_retain(ilt_cancel_token* token) ILT_NOEXCEPT;

/* Asks the calls that were given the token to stop at the next point where the session is consistent. For good: a
 * token is not used again.
 * Thread: any, and from a signal handler. */
ILT_API void ilt_cancel_token_cancel(ilt_cancel_token* token) ILT_NOEXCEPT;

/* 1 if cancelled, else 0.
 * Thread: any, and from a signal handler. */
ILT_API int32_t ilt_cancel_token_is_cancelled(const ilt_cancel_token* token) ILT_NOEXCEPT;

/* One reference less; the last one frees the token.
 * Thread: any. */
ILT_API void ilt_cancel_token_free(ilt_cancel_token* token) ILT_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif /* ILT_H_ */
