/* Memory that runs out, at each allocation of a call in turn: once, and from there on. The call must say so and leave
 * what it was given as it was, and the process must live. A program of its own, whose malloc() fails on demand. */
#include "tests.h"

/* ---- the failing malloc(): glibc's, which all of the process then uses; one thread can be told to run out ---- */

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
int posix_memalign(void** out, size_t alignment, size_t size);
void* aligned_alloc(size_t alignment, size_t size);

enum { OFF, ONCE, FROM_THERE_ON };
static __thread struct {
  int mode;
  long left; /* allocations until the one that fails */
  long failed;
} shortage;

static int runs_out(void) {
  if (shortage.mode == OFF || shortage.left-- > 0) return 0;
  if (shortage.mode == ONCE && shortage.failed > 0) return 0;
  ++shortage.failed;
  return 1;
}

void* malloc(size_t size) {
  return runs_out() ? NULL : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return runs_out() ? NULL : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  return runs_out() ? NULL : __libc_realloc(memory, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return runs_out() ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  void* const memory = runs_out() ? NULL : __libc_memalign(alignment, size);
  if (memory == NULL) return 12; /* ENOMEM */
  *out = memory;
  return 0;
}

static void begin_shortage(int mode, long after) {
  shortage.left = after;
  shortage.failed = 0;
  shortage.mode = mode;
}
static long end_shortage(void) {
  shortage.mode = OFF;
  return shortage.failed;
}

/* What follows a call, with all the memory that it needs. */
static void plenty(ilt_status status) {
  assert_int_equal(status, ILT_OK);
}
#define WITH_MEMORY(call)           \
  do {                              \
    const int mode = shortage.mode; \
    shortage.mode = OFF;            \
    plenty(call);                   \
    shortage.mode = mode;           \
  } while (0)

/* ---- the calls: those that hold no JSON document, as nlohmann::json allocates in its destructor, which must not fail,
 * and do not go into the tokenizer, as Rust's collections end the process ---- */

static ilt_config* config;
static ilt_batch* batch;
static ilt_session* session;
static char* text;

static const int32_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static ilt_status create_config(ilt_error** err) {
  ilt_config* out = NULL;
  const ilt_status status = ilt_config_create(&out, err);
  ilt_config_free(out);
  return status;
}
static ilt_status set_option(ilt_error** err) {
  return ilt_config_set(config, "ckpt_output_dir", "a folder with a name that no short string holds", err);
}
static ilt_status get_option(ilt_error** err) {
  return ilt_config_get(config, "lr_scheduler", &text, err);
}
static ilt_status create_batch(ilt_error** err) {
  ilt_batch* out = NULL;
  const ilt_status status = ilt_batch_create(&out, err);
  ilt_batch_free(out);
  return status;
}
static ilt_status fill_batch(ilt_error** err) {
  int64_t before = 0, after = 0;
  ilt_status status;
  WITH_MEMORY(ilt_batch_size(batch, &before, NULL, NULL));
  status = ilt_batch_add(batch, ids, NULL, NULL, sizeof ids / sizeof *ids, err);
  WITH_MEMORY(ilt_batch_size(batch, &after, NULL, NULL));
  assert_int_equal(after, before + (status == ILT_OK));
  return status;
}
static ilt_status create_token(ilt_error** err) {
  ilt_cancel_token* out = NULL;
  const ilt_status status = ilt_cancel_token_create(&out, err);
  ilt_cancel_token_free(out);
  return status;
}
static ilt_status describe_device(ilt_error** err) {
  ilt_device_info info = ILT_DEVICE_INFO_INIT;
  return ilt_device_get(0, &info, err);
}
static int destroyed;
static void destroy(void* user_data) {
  (void)user_data;
  ++destroyed;
}
static void on_log(ilt_log_level level, const char* component, const char* message, void* user_data) {
  (void)level, (void)component, (void)message, (void)user_data;
}
static int32_t on_event(const ilt_event* event, void* user_data) {
  (void)event, (void)user_data;
  return 0;
}
static ilt_status set_log(ilt_error** err) {
  const int before = destroyed;
  const ilt_status status = ilt_log_set(on_log, &destroyed, destroy, ILT_LOG_ERROR, err);
  if (status != ILT_OK) assert_int_equal(destroyed, before + 1);
  WITH_MEMORY(ilt_log_set(NULL, NULL, NULL, ILT_LOG_OFF, NULL));
  assert_int_equal(destroyed, before + 1); /* once, whatever came of it */
  return status;
}
static ilt_status set_callback(ilt_error** err) {
  const int before = destroyed;
  const ilt_status status = ilt_session_set_event_callback(session, on_event, &destroyed, destroy, err);
  if (status != ILT_OK) assert_int_equal(destroyed, before + 1);
  if (status == ILT_OK) WITH_MEMORY(ilt_session_set_event_callback(session, NULL, NULL, NULL, NULL));
  assert_int_equal(destroyed, before + 1);
  return status;
}
static ilt_status export_parameter(ilt_error** err) {
  struct DLManagedTensorVersioned* out = NULL;
  const ilt_status status = ilt_param_to_dlpack(session, "model.norm.weight", 0, &out, err);
  if (status != ILT_OK) assert_null(out);
  if (status == ILT_OK) WITH_MEMORY(ilt_param_from_dlpack(session, "model.norm.weight", out, NULL));
  return status;
}

/* Every allocation of the call fails once. */
static void sweep(const char* name, ilt_status (*call)(ilt_error** err), int mode) {
  long after, failed = 1;
  expect_ok(call(NULL), NULL); /* what is made once in a process */
  ilt_free(text), text = NULL;
  for (after = 0; failed > 0; ++after) {
    ilt_error* err = NULL;
    ilt_status status;
    begin_shortage(mode, after);
    status = call(&err);
    failed = end_shortage();
    if (status != ILT_OK && status != ILT_ERR_OOM_HOST)
      fail_msg("%s, allocation %ld: %s: %s", name, after, ilt_status_name(status), ilt_error_message(err));
    if (failed == 0) assert_int_equal(status, ILT_OK);
    if (status != ILT_OK) assert_null(text);
    if (err != NULL && status != ILT_OK) assert_int_equal(ilt_error_status(err), status);
    ilt_error_free(err);
    ilt_free(text), text = NULL;
  }
  assert_true(after > 1); /* the call does allocate */
}

static void small_calls_survive(void** state) {
  static const struct {
    const char* name;
    ilt_status (*call)(ilt_error** err);
  } calls[] = {{"ilt_config_create", create_config},
               {"ilt_config_set", set_option},
               {"ilt_config_get", get_option},
               {"ilt_batch_create", create_batch},
               {"ilt_batch_add", fill_batch},
               {"ilt_cancel_token_create", create_token},
               {"ilt_device_get", describe_device},
               {"ilt_log_set", set_log},
               {"ilt_session_set_event_callback", set_callback},
               {"ilt_param_to_dlpack", export_parameter}};
  size_t i;
  (void)state;
  expect_ok(ilt_config_create(&config, NULL), NULL);
  expect_ok(ilt_batch_create(&batch, NULL), NULL);
  session = new_session(0);
  for (i = 0; i < sizeof calls / sizeof *calls; ++i) {
    sweep(calls[i].name, calls[i].call, ONCE);
    sweep(calls[i].name, calls[i].call, FROM_THERE_ON);
  }
  ilt_config_free(config);
  ilt_batch_free(batch);
  ilt_session_free(session);
}

/* With an optimizer that allocates in its update. */
static ilt_session* session_that_allocates(void) {
  ilt_config* own = new_config(0);
  expect_ok(ilt_config_set(own, "optimizer", "adamw_8bit", NULL), NULL);
  expect_ok(ilt_config_set(own, "lr_scheduler", "constant", NULL), NULL);
  return session_of(own);
}

/* A step that runs out of memory says so; the next one works, or the session says that it is lost. */
static void a_step_survives(void** state) {
  ilt_session* own = session_that_allocates();
  ilt_batch* samples = NULL;
  long after, failed = 1, told = 0, lost = 0;
  (void)state;
  expect_ok(ilt_batch_create(&samples, NULL), NULL);
  expect_ok(ilt_batch_add(samples, ids, NULL, NULL, sizeof ids / sizeof *ids, NULL), NULL);
  expect_ok(ilt_forward_backward(own, samples, NULL, NULL, NULL), NULL);
  expect_ok(ilt_optimizer_step(own, 0, NULL, NULL), NULL);
  for (after = 0; failed > 0; after += 1 + after / 16) {
    ilt_error* err = NULL;
    ilt_status status;
    begin_shortage(ONCE, after);
    status = ilt_forward_backward(own, samples, NULL, NULL, &err);
    if (status == ILT_OK) status = ilt_optimizer_step(own, 0, NULL, &err);
    failed = end_shortage();
    if (status != ILT_OK && status != ILT_ERR_OOM_HOST)
      fail_msg("allocation %ld: %s: %s", after, ilt_status_name(status), ilt_error_message(err));
    told += status == ILT_ERR_OOM_HOST;
    ilt_error_free(err), err = NULL;
    if (ilt_session_is_poisoned(own)) {
      ilt_metrics metrics = ILT_METRICS_INIT;
      ++lost;
      expect_error(ilt_zero_grad(own, &err), ILT_ERR_OOM_HOST, &err, "of no more use");
      expect_error(ilt_checkpoint_save(own, "/nonexistent/x", ILT_CKPT_WEIGHTS, &err), ILT_ERR_OOM_HOST, &err,
                   "of no more use");
      expect_ok(ilt_metrics_get(own, &metrics, &err), err);
      ilt_session_free(own);
      own = session_that_allocates();
    } else {
      expect_ok(ilt_zero_grad(own, &err), err);
    }
    expect_ok(ilt_forward_backward(own, samples, NULL, NULL, &err), err);
    expect_ok(ilt_optimizer_step(own, 0, NULL, &err), err);
  }
  assert_true(told > 0 && lost > 0);
  ilt_batch_free(samples);
  ilt_session_free(own);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_calls_survive),
      cmocka_unit_test(a_step_survives),
  };
  return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
