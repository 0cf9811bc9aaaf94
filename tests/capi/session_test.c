/* A tiny model through the whole C interface: sessions, callbacks, training, scores, checkpoints, threads. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

static void a_missing_model_is_named(void** state) {
  ilt_config* config = new_config(0);
  ilt_session* session = NULL;
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_config_set(config, "model_path", "/no/such/model", &err), err);
  expect_error(ilt_session_create(config, &session, &err), ILT_ERR_NOT_FOUND, &err, "/no/such/model");
  assert_null(session);
  expect_ok(ilt_config_set(config, "model_path", ILT_TINY_MODEL, &err), err);
  expect_ok(ilt_config_set(config, "device", "cuda:77", &err), err);
  expect_error(ilt_session_create(config, &session, &err), ILT_ERR_DEVICE, &err, "cuda:77");
  ilt_config_free(config);
}

static void steps_train_until_done(void** state) {
  ilt_session* session = new_session(1);
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  char* text = NULL;
  double first;
  int i;
  (void)state;
  expect_ok(ilt_metrics_get(session, &metrics, &err), err);
  assert_int_equal(metrics.step, 0);
  assert_int_equal(metrics.step_total, 4);
  assert_true(isnan(metrics.loss));
  expect_ok(ilt_metrics_json(session, &text, NULL, &err), err);
  assert_non_null(strstr(text, "\"loss\":null"));
  assert_non_null(strstr(text, "\"lr\":null"));
  ilt_free(text);
  metrics.struct_size = 3;
  expect_error(ilt_train_step(session, &metrics, &err), ILT_ERR_INVALID_ARGUMENT, &err, "struct_size is 3");
  metrics.struct_size = sizeof metrics;
  expect_ok(ilt_train_step(session, &metrics, &err), err);
  first = metrics.loss;
  for (i = 1; i < 4; ++i) expect_ok(ilt_train_step(session, &metrics, &err), err);
  assert_int_equal(metrics.step, 4);
  assert_int_equal(metrics.samples_seen, 8);
  assert_true(metrics.loss < first);
  assert_int_equal(ilt_train_step(session, NULL, &err), ILT_DONE);
  expect_ok(ilt_metrics_json(session, &text, NULL, &err), err);
  assert_non_null(strstr(text, "\"gradnorm\":"));
  ilt_free(text);
  expect_ok(ilt_session_config_json(session, &text, NULL, &err), err);
  assert_non_null(strstr(text, "\"effective_batch_size\": 2"));
  ilt_free(text);
  expect_ok(ilt_session_model_info_json(session, &text, NULL, &err), err);
  assert_non_null(strstr(text, "LlamaForCausalLM"));
  ilt_free(text);
  ilt_session_free(session);
}

static void without_data_nothing_trains(void** state) {
  ilt_session* session = new_session(0);
  ilt_error* err = NULL;
  (void)state;
  expect_error(ilt_train_step(session, NULL, &err), ILT_ERR_INVALID_STATE, &err, "data_path");
  expect_error(ilt_train_run(session, NULL, NULL, &err), ILT_ERR_INVALID_STATE, &err, "data_path");
  ilt_session_free(session);
}

struct host {
  ilt_session* session;
  int32_t answer;
  int steps;
  int destroyed;
};

static void destroy_host(void* user_data) {
  ++((struct host*)user_data)->destroyed;
}

static int32_t on_event(const ilt_event* event, void* user_data) {
  struct host* host = user_data;
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  if (event->type != ILT_EVENT_STEP_END) return 0;
  ++host->steps;
  assert_int_equal(event->metrics->step, host->steps);
  /* Metrics and saving are possible here, training and new callbacks are not. */
  expect_ok(ilt_metrics_get(host->session, &metrics, &err), err);
  assert_int_equal(metrics.step, host->steps);
  expect_error(ilt_train_step(host->session, NULL, &err), ILT_ERR_INVALID_STATE, &err, "inside a callback");
  expect_error(ilt_session_set_event_callback(host->session, NULL, NULL, NULL, &err), ILT_ERR_INVALID_STATE, &err,
               "inside a callback");
  ilt_session_free(host->session); /* refused: the session is in use */
  return host->answer;
}

static void callbacks_stop_and_fail(void** state) {
  struct host host = {NULL, 1, 0, 0};
  ilt_error* err = NULL;
  (void)state;
  host.session = new_session(1);
  expect_ok(ilt_session_set_event_callback(host.session, on_event, &host, destroy_host, &err), err);
  assert_int_equal(ilt_train_run(host.session, NULL, NULL, &err), ILT_STOPPED);
  assert_int_equal(host.steps, 1);
  host.answer = -5;
  expect_error(ilt_train_run(host.session, NULL, NULL, &err), ILT_ERR_CALLBACK, &err, "returned -5");
  host.answer = 0;
  expect_ok(ilt_train_run(host.session, NULL, NULL, &err), err);
  assert_int_equal(host.steps, 4);
  assert_int_equal(host.destroyed, 0);
  ilt_session_free(host.session);
  assert_int_equal(host.destroyed, 1);
}

static void a_cancelled_run_stops_before_its_first_step(void** state) {
  ilt_session* session = new_session(1);
  ilt_cancel_token* cancel = NULL;
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_cancel_token_create(&cancel, &err), err);
  ilt_cancel_token_cancel(cancel);
  assert_int_equal(ilt_train_run(session, cancel, &metrics, &err), ILT_STOPPED);
  assert_int_equal(metrics.step, 0);
  ilt_cancel_token_free(cancel);
  ilt_session_free(session);
}

static void* step_once(void* session) {
  static ilt_status status;
  status = ilt_train_step(session, NULL, NULL);
  return &status;
}

static int32_t meet_another_thread(const ilt_event* event, void* user_data) {
  pthread_t thread;
  void* status = NULL;
  if (event->type != ILT_EVENT_STEP_END) return 0;
  assert_int_equal(pthread_create(&thread, NULL, step_once, user_data), 0);
  assert_int_equal(pthread_join(thread, &status), 0);
  assert_int_equal(*(ilt_status*)status, ILT_ERR_BUSY);
  return 1;
}

static void a_second_thread_is_told_busy(void** state) {
  ilt_session* session = new_session(1);
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_session_set_event_callback(session, meet_another_thread, session, NULL, &err), err);
  assert_int_equal(ilt_train_run(session, NULL, NULL, &err), ILT_STOPPED);
  ilt_session_free(session);
}

static int32_t stop_at_two(int32_t id, void* user_data) {
  (void)id;
  return ++*(int*)user_data == 2;
}

static void scores_and_tokens_come_out(void** state) {
  static const int32_t ids[] = {1, 20, 30, 40};
  static const int32_t foreign[] = {1, 256};
  ilt_session* session = new_session(0);
  ilt_error* err = NULL;
  float scores[3] = {1, 1, 1};
  int32_t* out = NULL;
  size_t count = 0;
  int seen = 0, i;
  (void)state;
  expect_ok(ilt_score(session, ids, 4, scores, &err), err);
  for (i = 0; i < 3; ++i) assert_true(scores[i] < 0);
  expect_error(ilt_score(session, ids, 1, scores, &err), ILT_ERR_INVALID_ARGUMENT, &err, "at least 2");
  expect_error(ilt_score(session, foreign, 2, scores, &err), ILT_ERR_INVALID_ARGUMENT, &err, "256");
  expect_ok(ilt_generate(session, ids, 4, "{\"max_new_tokens\": 3, \"stop_ids\": [255]}", NULL, NULL, NULL, &out,
                         &count, &err),
            err);
  assert_true(count <= 3);
  ilt_free(out);
  assert_int_equal(ilt_generate(session, ids, 4, "{\"stop_ids\": [255]}", stop_at_two, &seen, NULL, &out, &count, &err),
                   ILT_STOPPED);
  assert_int_equal(count, 2);
  ilt_free(out);
  expect_error(ilt_generate(session, ids, 4, "{\"top_q\": 1}", NULL, NULL, NULL, &out, &count, &err), ILT_ERR_CONFIG,
               &err, "did you mean 'top_p'");
  expect_error(ilt_generate(session, ids, 4, "{\"seed\": 1, \"seed\": 2}", NULL, NULL, NULL, &out, &count, &err),
               ILT_ERR_FORMAT, &err, "the key \"seed\" is given twice");
  expect_error(ilt_generate(session, ids, 4, "{\"max_new_tokens\": 1e18}", NULL, NULL, NULL, &out, &count, &err),
               ILT_ERR_CONFIG, &err, "max_new_tokens");
  expect_error(ilt_generate(session, ids, 0, NULL, NULL, NULL, NULL, &out, &count, &err), ILT_ERR_INVALID_ARGUMENT,
               &err, "empty");
  ilt_session_free(session);
}

static void a_saved_model_scores_the_same(void** state) {
  static const int32_t ids[] = {1, 20, 30, 40};
  char path[] = "/tmp/ilt-capi-XXXXXX", model[64];
  ilt_session *session = new_session(1), *again = NULL;
  ilt_config* config = new_config(0);
  ilt_error* err = NULL;
  float before[3], after[3];
  (void)state;
  assert_non_null(mkdtemp(path));
  snprintf(model, sizeof model, "%s/model", path);
  expect_ok(ilt_train_step(session, NULL, &err), err);
  expect_error(ilt_checkpoint_save(session, model, 9, &err), ILT_ERR_INVALID_ARGUMENT, &err, "kind 9");
  expect_error(ilt_checkpoint_save(session, "", ILT_CKPT_WEIGHTS, &err), ILT_ERR_INVALID_ARGUMENT, &err, "empty");
  expect_error(ilt_checkpoint_save(session, ".", ILT_CKPT_WEIGHTS, &err), ILT_ERR_INVALID_ARGUMENT, &err, "works in");
  expect_error(ilt_checkpoint_save(session, "/tmp", ILT_CKPT_WEIGHTS, &err), ILT_ERR_INVALID_ARGUMENT, &err, "/tmp");
  expect_ok(ilt_checkpoint_save(session, model, ILT_CKPT_WEIGHTS, &err), err);
  expect_ok(ilt_score(session, ids, 4, before, &err), err);
  expect_ok(ilt_config_set(config, "model_path", model, &err), err);
  expect_ok(ilt_session_create(config, &again, &err), err);
  expect_ok(ilt_score(again, ids, 4, after, &err), err);
  assert_memory_equal(before, after, sizeof before);
  ilt_config_free(config);
  ilt_session_free(again);
  ilt_session_free(session);
}

static void text_goes_to_tokens_and_back(void** state) {
  static const int32_t foreign[] = {1, 1000000, -1};
  static const char messages[] = "[{\"role\": \"user\", \"content\": \"Hi\"}]";
  ilt_tokenizer* tokenizer = NULL;
  ilt_error* err = NULL;
  int32_t* ids = NULL;
  char* text = NULL;
  size_t count = 0, length = 0;
  (void)state;
  expect_ok(ilt_tokenizer_load(ILT_TINY_MODEL, &tokenizer, &err), err);
  assert_true(ilt_tokenizer_vocab_size(tokenizer) > 100);
  expect_ok(ilt_tokenizer_render_chat(tokenizer, messages, strlen(messages), 1, &text, &length, &err), err);
  assert_string_equal(text, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  expect_ok(ilt_tokenizer_encode(tokenizer, text, length, 0, &ids, &count, &err), err);
  ilt_free(text);
  expect_ok(ilt_tokenizer_decode(tokenizer, ids, count, 0, &text, NULL, &err), err);
  assert_string_equal(text, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n");
  ilt_free(text);
  ilt_free(ids);
  expect_ok(ilt_tokenizer_encode(tokenizer, NULL, 0, 0, &ids, &count, &err), err);
  assert_int_equal(count, 0);
  ilt_free(ids);
  expect_error(ilt_tokenizer_decode(tokenizer, foreign, 2, 0, &text, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err,
               "token id 1000000 at position 1");
  expect_error(ilt_tokenizer_decode(tokenizer, foreign + 2, 1, 0, &text, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err,
               "token id -1 at position 0");
  expect_error(ilt_tokenizer_render_chat(tokenizer, "{}", 2, 1, &text, NULL, &err), ILT_ERR_DATA, &err, "a list");
  expect_error(ilt_tokenizer_render_chat(tokenizer, "[", 1, 1, &text, NULL, &err), ILT_ERR_FORMAT, &err, "messages");
  ilt_tokenizer_free(tokenizer);
}

static void a_forked_child_makes_no_session(void** state) {
  ilt_session* session = new_session(0);
  int result = 0;
  pid_t child;
  (void)state;
  child = fork();
  if (child == 0) {
    ilt_config* config = NULL;
    ilt_session* own = NULL;
    ilt_error* err = NULL;
    int good = ilt_config_create(&config, NULL) == ILT_OK &&
               ilt_config_set(config, "model_path", ILT_TINY_MODEL, NULL) == ILT_OK &&
               ilt_session_create(config, &own, &err) == ILT_ERR_FORKED &&
               strstr(ilt_error_message(err), "fork before the first session") != NULL;
    _exit(good ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &result, 0), child);
  assert_int_equal(result, 0);
  ilt_session_free(session);
}

int run_session_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_missing_model_is_named),
      cmocka_unit_test(steps_train_until_done),
      cmocka_unit_test(without_data_nothing_trains),
      cmocka_unit_test(callbacks_stop_and_fail),
      cmocka_unit_test(a_cancelled_run_stops_before_its_first_step),
      cmocka_unit_test(a_second_thread_is_told_busy),
      cmocka_unit_test(scores_and_tokens_come_out),
      cmocka_unit_test(a_saved_model_scores_the_same),
      cmocka_unit_test(text_goes_to_tokens_and_back),
      cmocka_unit_test(a_forked_child_makes_no_session),
  };
  return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
