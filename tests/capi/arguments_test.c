/* Every function with NULL for each pointer that must not be, and with texts, ids and counts that make no sense: a
 * status comes back, an error that says why, and outputs as they were. */
#include "tests.h"

/* What outputs hold before a call that fails, and after it. */
static void* const untouched = (void*)&untouched;

/* The call must be refused, with and without an error to fill, whatever its status. */
#define REFUSED(call)                                  \
  do {                                                 \
    ilt_error* e = NULL;                               \
    ilt_error** err = &e;                              \
    const ilt_status with = (call);                    \
    assert_true(with < 0);                             \
    assert_int_equal(ilt_error_status(e), with);       \
    assert_string_not_equal(ilt_error_message(e), ""); \
    ilt_error_free(e);                                 \
    err = NULL;                                        \
    assert_int_equal((call), with);                    \
  } while (0)

/* The same, because an argument is NULL. */
#define NEEDED(call)                                               \
  do {                                                             \
    ilt_error* e = NULL;                                           \
    ilt_error** err = &e;                                          \
    expect_error((call), ILT_ERR_INVALID_ARGUMENT, &e, "is NULL"); \
    err = NULL;                                                    \
    assert_int_equal((call), ILT_ERR_INVALID_ARGUMENT);            \
  } while (0)

static char* long_text(void) {
  const size_t length = 1 << 20;
  char* text = malloc(length + 1);
  assert_non_null(text);
  memset(text, 'a', length);
  text[length] = '\0';
  return text;
}

static void nulls_without_a_handle(void** state) {
  ilt_config* config = untouched;
  ilt_tokenizer* tokenizer = untouched;
  ilt_dataset* dataset = untouched;
  ilt_device_info info = ILT_DEVICE_INFO_INIT;
  char* text = untouched;
  (void)state;
  NEEDED(ilt_device_count(NULL, err));
  NEEDED(ilt_device_get(0, NULL, err));
  info.struct_size = 0;
  REFUSED(ilt_device_get(0, &info, err));
  NEEDED(ilt_config_create(NULL, err));
  NEEDED(ilt_config_from_json(NULL, 0, &config, err));
  NEEDED(ilt_config_from_json("{}", 2, NULL, err));
  NEEDED(ilt_tokenizer_load(NULL, &tokenizer, err));
  NEEDED(ilt_tokenizer_load("x", NULL, err));
  NEEDED(ilt_dataset_open(NULL, &dataset, err));
  NEEDED(ilt_dataset_open("x", NULL, err));
  NEEDED(ilt_batch_create(NULL, err));
  NEEDED(ilt_cancel_token_create(NULL, err));
  NEEDED(ilt_checkpoint_list_json(NULL, &text, NULL, err));
  NEEDED(ilt_checkpoint_list_json("/", NULL, NULL, err));
  NEEDED(ilt_checkpoint_verify(NULL, err));
  NEEDED(ilt_checkpoint_info_json(NULL, &text, NULL, err));
  NEEDED(ilt_checkpoint_diff_json(NULL, "x", &text, NULL, err));
  NEEDED(ilt_checkpoint_diff_json("x", NULL, &text, NULL, err));
  NEEDED(ilt_checkpoint_export(NULL, "x", NULL, err));
  NEEDED(ilt_checkpoint_export("x", NULL, NULL, err));
  NEEDED(ilt_model_export(NULL, "x", "{}", err));
  NEEDED(ilt_model_export("x", NULL, "{}", err));
  NEEDED(ilt_model_export("x", "y", NULL, err));
  REFUSED(ilt_log_set(NULL, NULL, NULL, 77, err));
  assert_int_equal(ilt_has_feature(NULL), 0);
  assert_ptr_equal(config, untouched);
  assert_ptr_equal(tokenizer, untouched);
  assert_ptr_equal(dataset, untouched);
  assert_ptr_equal(text, untouched);
}

static void nulls_with_a_config(void** state) {
  ilt_config* config = new_config(1);
  ilt_session* session = untouched;
  ilt_dataset* dataset = untouched;
  char* text = untouched;
  (void)state;
  NEEDED(ilt_config_set(NULL, "seed", "1", err));
  NEEDED(ilt_config_set(config, NULL, "1", err));
  NEEDED(ilt_config_set(config, "seed", NULL, err));
  NEEDED(ilt_config_get(NULL, "seed", &text, err));
  NEEDED(ilt_config_get(config, NULL, &text, err));
  NEEDED(ilt_config_get(config, "seed", NULL, err));
  NEEDED(ilt_config_validate(NULL, err));
  NEEDED(ilt_config_to_json(NULL, &text, NULL, err));
  NEEDED(ilt_config_to_json(config, NULL, NULL, err));
  NEEDED(ilt_memory_estimate_json(NULL, &text, NULL, err));
  NEEDED(ilt_memory_estimate_json(config, NULL, NULL, err));
  NEEDED(ilt_dataset_process(NULL, "x", NULL, NULL, NULL, err));
  NEEDED(ilt_dataset_process(config, NULL, NULL, NULL, NULL, err));
  NEEDED(ilt_dataset_create(NULL, NULL, &dataset, err));
  NEEDED(ilt_dataset_create(config, NULL, NULL, err));
  NEEDED(ilt_session_create(NULL, &session, err));
  NEEDED(ilt_session_create(config, NULL, err));
  assert_ptr_equal(session, untouched);
  assert_ptr_equal(dataset, untouched);
  assert_ptr_equal(text, untouched);
  ilt_config_free(config);
}

static void nulls_with_a_tokenizer(void** state) {
  static const int32_t id = 1;
  ilt_tokenizer* tokenizer = NULL;
  int32_t *ids = untouched, *labels = untouched;
  char* text = untouched;
  size_t count = 7;
  (void)state;
  expect_ok(ilt_tokenizer_load(ILT_TINY_MODEL, &tokenizer, NULL), NULL);
  NEEDED(ilt_tokenizer_encode(NULL, "a", 1, 0, &ids, &count, err));
  NEEDED(ilt_tokenizer_encode(tokenizer, NULL, 1, 0, &ids, &count, err));
  NEEDED(ilt_tokenizer_encode(tokenizer, "a", 1, 0, NULL, &count, err));
  NEEDED(ilt_tokenizer_encode(tokenizer, "a", 1, 0, &ids, NULL, err));
  NEEDED(ilt_tokenizer_decode(NULL, &id, 1, 0, &text, NULL, err));
  NEEDED(ilt_tokenizer_decode(tokenizer, NULL, 1, 0, &text, NULL, err));
  NEEDED(ilt_tokenizer_decode(tokenizer, &id, 1, 0, NULL, NULL, err));
  NEEDED(ilt_tokenizer_render_chat(NULL, "[]", 2, 0, &text, NULL, err));
  NEEDED(ilt_tokenizer_render_chat(tokenizer, NULL, 0, 0, &text, NULL, err));
  NEEDED(ilt_tokenizer_render_chat(tokenizer, "[]", 2, 0, NULL, NULL, err));
  NEEDED(ilt_tokenizer_apply_chat(NULL, "{}", 2, &ids, &labels, &count, err));
  NEEDED(ilt_tokenizer_apply_chat(tokenizer, NULL, 0, &ids, &labels, &count, err));
  NEEDED(ilt_tokenizer_apply_chat(tokenizer, "{}", 2, NULL, &labels, &count, err));
  NEEDED(ilt_tokenizer_apply_chat(tokenizer, "{}", 2, &ids, NULL, &count, err));
  NEEDED(ilt_tokenizer_apply_chat(tokenizer, "{}", 2, &ids, &labels, NULL, err));
  REFUSED(ilt_tokenizer_encode(tokenizer, "\xff", 1, 0, &ids, &count, err));
  REFUSED(ilt_tokenizer_render_chat(tokenizer, "{", 1, 0, &text, NULL, err));
  REFUSED(ilt_tokenizer_render_chat(tokenizer, "\xff", 1, 0, &text, NULL, err));
  REFUSED(ilt_tokenizer_apply_chat(tokenizer, "", 0, &ids, &labels, &count, err));
  assert_int_equal(ilt_tokenizer_vocab_size(NULL), 0);
  assert_ptr_equal(ids, untouched);
  assert_ptr_equal(labels, untouched);
  assert_ptr_equal(text, untouched);
  assert_int_equal(count, 7);
  ilt_tokenizer_free(tokenizer);
}

static void nulls_with_a_data_set_and_a_batch(void** state) {
  static const int32_t id = 1;
  ilt_config* config = new_config(0);
  ilt_dataset* dataset = NULL;
  ilt_batch* batch = NULL;
  int32_t *ids = untouched, *labels = untouched;
  char* text = untouched;
  size_t count = 7;
  int64_t samples = 7;
  (void)state;
  expect_ok(ilt_dataset_create(config, NULL, &dataset, NULL), NULL);
  expect_ok(ilt_batch_create(&batch, NULL), NULL);
  NEEDED(ilt_dataset_add(NULL, "{}", 2, NULL, err));
  NEEDED(ilt_dataset_add(dataset, NULL, 0, NULL, err));
  REFUSED(ilt_dataset_add(dataset, "{", 1, NULL, err));
  REFUSED(ilt_dataset_add(dataset, "\xff", 1, NULL, err));
  NEEDED(ilt_dataset_sample(NULL, 0, &ids, &labels, &count, err));
  NEEDED(ilt_dataset_sample(dataset, 0, NULL, &labels, &count, err));
  NEEDED(ilt_dataset_sample(dataset, 0, &ids, NULL, &count, err));
  NEEDED(ilt_dataset_sample(dataset, 0, &ids, &labels, NULL, err));
  REFUSED(ilt_dataset_sample(dataset, -1, &ids, &labels, &count, err));
  REFUSED(ilt_dataset_sample(dataset, INT64_MAX, &ids, &labels, &count, err));
  NEEDED(ilt_dataset_stats_json(NULL, NULL, &text, NULL, err));
  NEEDED(ilt_dataset_stats_json(dataset, NULL, NULL, NULL, err));
  REFUSED(ilt_dataset_stats_json(dataset, "{", &text, NULL, err));
  REFUSED(ilt_dataset_stats_json(dataset, "{\"ranks\": -1}", &text, NULL, err));
  assert_int_equal(ilt_dataset_num_samples(NULL), 0);
  assert_int_equal(ilt_dataset_num_tokens(NULL), 0);
  NEEDED(ilt_batch_add(NULL, &id, NULL, NULL, 1, err));
  NEEDED(ilt_batch_add(batch, NULL, NULL, NULL, 1, err));
  REFUSED(ilt_batch_add(batch, &id, NULL, NULL, 0, err));
  NEEDED(ilt_batch_clear(NULL, err));
  NEEDED(ilt_batch_size(NULL, &samples, NULL, err));
  NEEDED(ilt_batch_size(batch, NULL, NULL, err));
  assert_ptr_equal(ids, untouched);
  assert_ptr_equal(labels, untouched);
  assert_ptr_equal(text, untouched);
  assert_int_equal(samples, 7);
  ilt_config_free(config);
  ilt_dataset_free(dataset);
  ilt_batch_free(batch);
}

static void nulls_with_a_session(void** state) {
  static const int32_t ids[] = {1, 2, -1, 512};
  ilt_session* session = new_session(1);
  struct DLManagedTensorVersioned* tensor = untouched;
  ilt_metrics metrics = ILT_METRICS_INIT;
  const char* name = untouched;
  char* text = untouched;
  int32_t* out = untouched;
  float scores[4] = {7, 7, 7, 7};
  double loss = 7;
  size_t count = 7;
  (void)state;
  NEEDED(ilt_session_set_event_callback(NULL, NULL, NULL, NULL, err));
  NEEDED(ilt_session_set_datasets(NULL, NULL, NULL, err));
  NEEDED(ilt_session_set_datasets(session, NULL, NULL, err));
  NEEDED(ilt_session_config_json(NULL, &text, NULL, err));
  NEEDED(ilt_session_config_json(session, NULL, NULL, err));
  NEEDED(ilt_session_model_info_json(NULL, &text, NULL, err));
  NEEDED(ilt_session_model_info_json(session, NULL, NULL, err));
  NEEDED(ilt_session_set_lr(NULL, 1, err));
  NEEDED(ilt_train_step(NULL, NULL, err));
  NEEDED(ilt_train_epoch(NULL, NULL, NULL, err));
  NEEDED(ilt_train_run(NULL, NULL, NULL, err));
  NEEDED(ilt_forward_backward(NULL, NULL, NULL, NULL, err));
  NEEDED(ilt_forward_backward(session, NULL, &loss, NULL, err));
  NEEDED(ilt_optimizer_step(NULL, 0, NULL, err));
  NEEDED(ilt_zero_grad(NULL, err));
  NEEDED(ilt_evaluate(NULL, NULL, NULL, &loss, NULL, err));
  NEEDED(ilt_score(NULL, ids, 2, scores, err));
  NEEDED(ilt_score(session, NULL, 2, scores, err));
  NEEDED(ilt_score(session, ids, 2, NULL, err));
  REFUSED(ilt_score(session, ids, 0, scores, err));
  REFUSED(ilt_score(session, ids, 3, scores, err));
  REFUSED(ilt_score(session, ids + 3, 1, scores, err));
  NEEDED(ilt_generate(NULL, ids, 2, NULL, NULL, NULL, NULL, &out, &count, err));
  NEEDED(ilt_generate(session, NULL, 2, NULL, NULL, NULL, NULL, &out, &count, err));
  NEEDED(ilt_generate(session, ids, 2, NULL, NULL, NULL, NULL, NULL, &count, err));
  NEEDED(ilt_generate(session, ids, 2, NULL, NULL, NULL, NULL, &out, NULL, err));
  REFUSED(ilt_generate(session, ids, 3, NULL, NULL, NULL, NULL, &out, &count, err));
  REFUSED(ilt_generate(session, ids, 2, "{", NULL, NULL, NULL, &out, &count, err));
  NEEDED(ilt_checkpoint_save(NULL, "x", ILT_CKPT_WEIGHTS, err));
  NEEDED(ilt_checkpoint_save(session, NULL, ILT_CKPT_WEIGHTS, err));
  NEEDED(ilt_checkpoint_load(NULL, "x", err));
  NEEDED(ilt_checkpoint_load(session, NULL, err));
  REFUSED(ilt_checkpoint_load(session, "", err));
  NEEDED(ilt_param_count(NULL, &count, err));
  NEEDED(ilt_param_count(session, NULL, err));
  NEEDED(ilt_param_name(NULL, 0, &name, err));
  NEEDED(ilt_param_name(session, 0, NULL, err));
  NEEDED(ilt_param_info_json(NULL, "x", &text, NULL, err));
  NEEDED(ilt_param_info_json(session, NULL, &text, NULL, err));
  NEEDED(ilt_param_info_json(session, "model.norm.weight", NULL, NULL, err));
  NEEDED(ilt_param_to_dlpack(NULL, "x", 0, &tensor, err));
  NEEDED(ilt_param_to_dlpack(session, NULL, 0, &tensor, err));
  NEEDED(ilt_param_to_dlpack(session, "model.norm.weight", 0, NULL, err));
  NEEDED(ilt_param_from_dlpack(session, "model.norm.weight", NULL, err));
  NEEDED(ilt_metrics_get(NULL, &metrics, err));
  NEEDED(ilt_metrics_get(session, NULL, err));
  NEEDED(ilt_metrics_json(NULL, &text, NULL, err));
  NEEDED(ilt_metrics_json(session, NULL, NULL, err));
  metrics.struct_size = 0;
  REFUSED(ilt_train_epoch(session, NULL, &metrics, err));
  REFUSED(ilt_train_run(session, NULL, &metrics, err));
  metrics.struct_size = UINT32_MAX;
  REFUSED(ilt_metrics_get(session, &metrics, err));
  assert_ptr_equal(tensor, untouched);
  assert_ptr_equal(name, untouched);
  assert_ptr_equal(text, untouched);
  assert_ptr_equal(out, untouched);
  assert_true(scores[0] == 7 && loss == 7 && count == 7);
  ilt_session_free(session);
}

static void odd_texts_are_refused(void** state) {
  char* const texts[] = {"", "{", "\xff", long_text()};
  ilt_config* config = NULL;
  ilt_session* session = new_session(0);
  ilt_tokenizer* tokenizer = untouched;
  ilt_dataset* dataset = untouched;
  char* text = untouched;
  size_t i;
  (void)state;
  expect_ok(ilt_config_create(&config, NULL), NULL);
  for (i = 0; i < sizeof texts / sizeof *texts; ++i) {
    const char* odd = texts[i];
    ilt_config* other = untouched;
    REFUSED(ilt_config_from_json(odd, strlen(odd), &other, err));
    REFUSED(ilt_config_set(config, odd, "1", err));
    REFUSED(ilt_config_set(config, "seed", odd, err));
    REFUSED(ilt_config_get(config, odd, &text, err));
    REFUSED(ilt_tokenizer_load(odd, &tokenizer, err));
    REFUSED(ilt_dataset_open(odd, &dataset, err));
    REFUSED(ilt_checkpoint_list_json(odd, &text, NULL, err));
    REFUSED(ilt_checkpoint_verify(odd, err));
    REFUSED(ilt_checkpoint_info_json(odd, &text, NULL, err));
    REFUSED(ilt_checkpoint_diff_json(odd, odd, &text, NULL, err));
    REFUSED(ilt_checkpoint_export(odd, "/nonexistent/x", NULL, err));
    REFUSED(ilt_checkpoint_export("/nonexistent", "/nonexistent/x", odd, err));
    REFUSED(ilt_model_export(odd, "/nonexistent/x", "{\"format\": \"gguf\"}", err));
    REFUSED(ilt_model_export(ILT_TINY_MODEL, "/nonexistent/x", odd, err));
    REFUSED(ilt_checkpoint_load(session, odd, err));
    REFUSED(ilt_param_info_json(session, odd, &text, NULL, err));
    assert_int_equal(ilt_has_feature(odd), 0);
    assert_ptr_equal(other, untouched);
  }
  assert_ptr_equal(text, untouched);
  free(texts[3]);
  ilt_config_free(config);
  ilt_session_free(session);
}

static void nothing_is_freed_twice(void** state) {
  (void)state;
  ilt_error_free(NULL);
  ilt_free(NULL);
  ilt_config_free(NULL);
  ilt_tokenizer_free(NULL);
  ilt_dataset_free(NULL);
  ilt_batch_free(NULL);
  ilt_session_free(NULL);
  ilt_cancel_token_free(NULL);
  ilt_cancel_token_cancel(NULL);
  ilt_session_request_save(NULL);
  assert_null(ilt_cancel_token_retain(NULL));
  assert_int_equal(ilt_cancel_token_is_cancelled(NULL), 0);
}

int run_argument_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nulls_without_a_handle), cmocka_unit_test(nulls_with_a_config),
      cmocka_unit_test(nulls_with_a_tokenizer), cmocka_unit_test(nulls_with_a_data_set_and_a_batch),
      cmocka_unit_test(nulls_with_a_session),   cmocka_unit_test(odd_texts_are_refused),
      cmocka_unit_test(nothing_is_freed_twice),
  };
  return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
