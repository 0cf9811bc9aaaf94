/* What needs no model: NULLs, options, errors, devices, the log, cancel tokens, forks. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

static void versions_agree(void** state) {
  char expected[32];
  (void)state;
  snprintf(expected, sizeof expected, "%d.%d.%d", ILT_VERSION_MAJOR, ILT_VERSION_MINOR, ILT_VERSION_PATCH);
  assert_string_equal(ilt_version_string(), expected);
  assert_int_equal(ilt_version_number(), ILT_VERSION_MAJOR << 24 | ILT_VERSION_MINOR << 16 | ILT_VERSION_PATCH);
  assert_non_null(strstr(ilt_build_info_json(), "\"libtorch\":"));
  assert_int_equal(ilt_has_feature("cpu"), 1);
  assert_int_equal(ilt_has_feature("teleport"), 0);
  assert_int_equal(ilt_has_feature(NULL), 0);
}

static void nulls_are_refused(void** state) {
  ilt_error* err = NULL;
  ilt_config* config = NULL;
  char* text = NULL;
  int32_t* ids = NULL;
  float score = 0;
  size_t count = 0;
  (void)state;
  expect_error(ilt_config_create(NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'out' is NULL");
  expect_error(ilt_config_set(NULL, "seed", "1", &err), ILT_ERR_INVALID_ARGUMENT, &err, "'config' is NULL");
  expect_error(ilt_config_from_json(NULL, 0, &config, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'json' is NULL");
  expect_error(ilt_config_get(NULL, "seed", &text, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'config' is NULL");
  expect_error(ilt_config_validate(NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  expect_error(ilt_config_to_json(NULL, &text, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  expect_error(ilt_tokenizer_load(NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'model_path' is NULL");
  expect_error(ilt_tokenizer_encode(NULL, "a", 1, 0, &ids, &count, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  expect_error(ilt_tokenizer_decode(NULL, NULL, 0, 0, &text, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  expect_error(ilt_session_create(NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'config' is NULL");
  expect_error(ilt_train_step(NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'session' is NULL");
  expect_error(ilt_train_run(NULL, NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'session' is NULL");
  expect_error(ilt_score(NULL, NULL, 0, &score, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'session' is NULL");
  expect_error(ilt_checkpoint_save(NULL, "x", ILT_CKPT_WEIGHTS, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  expect_error(ilt_metrics_get(NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'session' is NULL");
  expect_error(ilt_metrics_json(NULL, NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  expect_error(ilt_cancel_token_create(NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  expect_error(ilt_device_count(NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "NULL");
  assert_int_equal(ilt_tokenizer_vocab_size(NULL), 0);
  assert_int_equal(ilt_cancel_token_is_cancelled(NULL), 0);
  /* An error that nobody wants is no crash. */
  assert_int_equal(ilt_config_create(NULL, NULL), ILT_ERR_INVALID_ARGUMENT);
  ilt_free(NULL);
  ilt_error_free(NULL);
  ilt_config_free(NULL);
  ilt_session_free(NULL);
  ilt_tokenizer_free(NULL);
  ilt_cancel_token_free(NULL);
  ilt_cancel_token_cancel(NULL);
  assert_null(ilt_cancel_token_retain(NULL));
}

static void errors_have_facts(void** state) {
  ilt_error* err = NULL;
  ilt_config* config = NULL;
  (void)state;
  assert_int_equal(ilt_error_status(NULL), ILT_OK);
  assert_string_equal(ilt_error_message(NULL), "");
  assert_string_equal(ilt_error_detail_json(NULL), "{}");
  assert_string_equal(ilt_status_name(ILT_ERR_BUSY), "ILT_ERR_BUSY");
  assert_string_equal(ilt_status_name(77), "unknown status");
  expect_ok(ilt_config_create(&config, &err), err);
  assert_int_equal(ilt_config_set(config, "max_seqlen", "1", &err), ILT_ERR_CONFIG);
  assert_string_equal(ilt_error_detail_json(err), "{\"key\":\"max_seqlen\",\"nearest\":\"max_seq_len\"}");
  expect_error(ILT_ERR_CONFIG, ILT_ERR_CONFIG, &err, "did you mean 'max_seq_len'?");
  assert_int_equal(ilt_config_set(config, "max_seq_len", "-1", &err), ILT_ERR_CONFIG);
  assert_string_equal(ilt_error_detail_json(err),
                      "{\"key\":\"max_seq_len\",\"got\":\"-1\",\"expected\":\"an integer >= 2\"}");
  ilt_error_free(err);
  err = NULL;
  /* Bytes that are no UTF-8 come back as valid text. */
  expect_error(ilt_config_set(config, "\xff\xfe", "1", &err), ILT_ERR_CONFIG, &err, "\xef\xbf\xbd");
  ilt_config_free(config);
}

static void options_go_in_and_out(void** state) {
  static const char json[] = "{\"model_path\": \"m\", \"random_seed\": 7}";
  ilt_error* err = NULL;
  ilt_config* config = NULL;
  char* text = NULL;
  size_t length = 0;
  (void)state;
  expect_error(ilt_config_from_json("{", 1, &config, &err), ILT_ERR_FORMAT, &err, "line 1, column 2");
  expect_ok(ilt_config_from_json(json, strlen(json), &config, &err), err);
  expect_ok(ilt_config_get(config, "seed", &text, &err), err);
  assert_string_equal(text, "7");
  ilt_free(text);
  expect_ok(ilt_config_to_json(config, &text, &length, &err), err);
  assert_int_equal(strlen(text), length);
  assert_non_null(strstr(text, "\"model_path\": \"m\""));
  ilt_free(text);
  expect_ok(ilt_config_validate(config, &err), err);
  expect_ok(ilt_config_set(config, "data_path", "d.jsonl", &err), err);
  expect_error(ilt_config_validate(config, &err), ILT_ERR_CONFIG, &err, "'effective_batch_size' is required");
  assert_non_null(strstr(ilt_config_schema_json(), "\"max_batch_len\""));
  assert_non_null(strstr(ilt_model_families_json(), "\"LlamaForCausalLM\""));
  ilt_config_free(config);
}

static void devices_start_with_the_cpu(void** state) {
  ilt_error* err = NULL;
  ilt_device_info info = ILT_DEVICE_INFO_INIT;
  int32_t count = 0;
  (void)state;
  expect_ok(ilt_device_count(&count, &err), err);
  assert_true(count >= 1);
  expect_ok(ilt_device_get(0, &info, &err), err);
  assert_int_equal(info.type, ILT_DEVICE_CPU);
  assert_string_equal(info.id, "cpu");
  assert_true(info.mem_total_bytes > 0);
  expect_error(ilt_device_get(count, &info, &err), ILT_ERR_INVALID_ARGUMENT, &err, "outside 0 to");
  info.struct_size = 0;
  expect_error(ilt_device_get(0, &info, &err), ILT_ERR_INVALID_ARGUMENT, &err, "struct_size is 0");
  info.struct_size = sizeof info - 8;
  expect_error(ilt_device_get(0, &info, &err), ILT_ERR_INVALID_ARGUMENT, &err, "struct_size");
  info.struct_size = 0xffffffffu;
  expect_error(ilt_device_get(0, &info, &err), ILT_ERR_INVALID_ARGUMENT, &err, "struct_size");
}

/* A struct of a later version: what this library does not know becomes zero. */
static void a_larger_struct_is_served(void** state) {
  struct {
    ilt_device_info info;
    int64_t later;
    int64_t beyond;
  } larger = {ILT_DEVICE_INFO_INIT, 5, 6};
  ilt_error* err = NULL;
  (void)state;
  larger.info.struct_size = sizeof larger.info + sizeof larger.later;
  expect_ok(ilt_device_get(0, &larger.info, &err), err);
  assert_string_equal(larger.info.id, "cpu");
  assert_int_equal(larger.later, 0);
  assert_int_equal(larger.beyond, 6);
}

static void count_destroy(void* user_data) {
  ++*(int*)user_data;
}
static void ignore_line(ilt_log_level level, const char* component, const char* message, void* user_data) {
  (void)level, (void)component, (void)message, (void)user_data;
}

static void the_log_is_replaced_and_destroyed_once(void** state) {
  int first = 0, second = 0, refused = 0;
  ilt_error* err = NULL;
  (void)state;
  assert_int_equal(ilt_log_level_get(), ILT_LOG_OFF);
  expect_ok(ilt_log_set(ignore_line, &first, count_destroy, ILT_LOG_INFO, &err), err);
  assert_int_equal(ilt_log_level_get(), ILT_LOG_INFO);
  assert_int_equal(first, 0);
  expect_ok(ilt_log_set(ignore_line, &second, count_destroy, ILT_LOG_WARN, &err), err);
  assert_int_equal(first, 1);
  expect_error(ilt_log_set(ignore_line, &refused, count_destroy, 9, &err), ILT_ERR_INVALID_ARGUMENT, &err,
               "min_level is 9");
  assert_int_equal(refused, 1);
  ilt_log_level_set(ILT_LOG_DEBUG);
  assert_int_equal(ilt_log_level_get(), ILT_LOG_DEBUG);
  ilt_log_level_set(99);
  assert_int_equal(ilt_log_level_get(), ILT_LOG_OFF);
  ilt_log_level_set(-1);
  assert_int_equal(ilt_log_level_get(), ILT_LOG_TRACE);
  expect_ok(ilt_log_set(NULL, NULL, NULL, ILT_LOG_INFO, &err), err);
  assert_int_equal(second, 1);
  assert_int_equal(ilt_log_level_get(), ILT_LOG_OFF);
  ilt_log_level_set(ILT_LOG_INFO); /* there is no function to log to */
  assert_int_equal(ilt_log_level_get(), ILT_LOG_OFF);
}

static void* cancel_it(void* token) {
  ilt_cancel_token_cancel(token);
  ilt_cancel_token_free(token);
  return NULL;
}

static void tokens_are_counted(void** state) {
  ilt_error* err = NULL;
  ilt_cancel_token* token = NULL;
  pthread_t thread;
  (void)state;
  expect_ok(ilt_cancel_token_create(&token, &err), err);
  assert_int_equal(ilt_cancel_token_is_cancelled(token), 0);
  assert_ptr_equal(ilt_cancel_token_retain(token), token);
  assert_int_equal(pthread_create(&thread, NULL, cancel_it, token), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(ilt_cancel_token_is_cancelled(token), 1);
  ilt_cancel_token_free(token);
}

static void a_forked_child_is_told(void** state) {
  ilt_error* err = NULL;
  ilt_config* config = NULL;
  int result = 0;
  pid_t child;
  (void)state;
  expect_ok(ilt_config_create(&config, &err), err);
  child = fork();
  if (child == 0) {
    const ilt_status status = ilt_config_set(config, "seed", "1", NULL);
    ilt_config_free(config); /* does nothing here */
    _exit(status == ILT_ERR_FORKED ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  ilt_config_free(config);
}

int run_api_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions_agree),
      cmocka_unit_test(nulls_are_refused),
      cmocka_unit_test(errors_have_facts),
      cmocka_unit_test(options_go_in_and_out),
      cmocka_unit_test(devices_start_with_the_cpu),
      cmocka_unit_test(a_larger_struct_is_served),
      cmocka_unit_test(the_log_is_replaced_and_destroyed_once),
      cmocka_unit_test(tokens_are_counted),
      cmocka_unit_test(a_forked_child_is_told),
  };
  return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
