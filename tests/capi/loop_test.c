/* The host's own loop, epochs, evaluation, the live learning rate and going back to a state, through the C interface.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "tests.h"

/* Adds sample `index` of a data set, as it is. */
static void add_sample(ilt_batch* batch, const ilt_dataset* data, int64_t index) {
  ilt_error* err = NULL;
  int32_t *ids = NULL, *labels = NULL;
  size_t count = 0;
  expect_ok(ilt_dataset_sample(data, index, &ids, &labels, &count, &err), err);
  expect_ok(ilt_batch_add(batch, ids, labels, NULL, count, &err), err);
  ilt_free(ids);
  ilt_free(labels);
}

static ilt_dataset* tiny_data(void) {
  ilt_config* config = new_config(1);
  ilt_dataset* data = NULL;
  ilt_error* err = NULL;
  expect_ok(ilt_dataset_create(config, NULL, &data, &err), err);
  ilt_config_free(config);
  return data;
}

static ilt_session* session_in_order(int with_data) {
  ilt_config* config = new_config(with_data);
  expect_ok(ilt_config_set(config, "shuffle", "false", NULL), NULL);
  expect_ok(ilt_config_set(config, "lr_scheduler", "constant", NULL), NULL);
  return session_of(config);
}

static void the_hosts_loop_is_the_runs(void** state) {
  ilt_session *run = session_in_order(1), *host = session_in_order(0);
  ilt_dataset* data = tiny_data();
  ilt_batch* batch = NULL;
  ilt_error* err = NULL;
  int64_t samples = 0, tokens = 0, step;
  (void)state;
  expect_ok(ilt_batch_create(&batch, &err), err);
  for (step = 0; step < 2; ++step) {
    ilt_metrics expected = ILT_METRICS_INIT, got = ILT_METRICS_INIT;
    double loss = 0, weight = 0;
    expect_ok(ilt_train_step(run, &expected, &err), err);
    expect_ok(ilt_batch_clear(batch, &err), err);
    add_sample(batch, data, 2 * step);
    add_sample(batch, data, 2 * step + 1);
    expect_ok(ilt_batch_size(batch, &samples, &tokens, &err), err);
    assert_int_equal(samples, 2);
    expect_ok(ilt_forward_backward(host, batch, &loss, &weight, &err), err);
    expect_ok(ilt_optimizer_step(host, 0, &got, &err), err);
    assert_true(loss / weight == expected.loss && got.loss == expected.loss);
    assert_true(got.grad_norm == expected.grad_norm && got.lr == expected.lr);
    assert_int_equal(got.step, expected.step);
    assert_int_equal(got.tokens_seen, expected.tokens_seen);
    assert_int_equal(got.samples_seen, expected.samples_seen);
  }
  ilt_batch_free(batch);
  ilt_dataset_free(data);
  ilt_session_free(run);
  ilt_session_free(host);
}

static void batches_refuse_what_is_no_sample(void** state) {
  static const int32_t ids[] = {1, 2, -3}, labels[] = {1, -5};
  static const float weights[] = {1, INFINITY};
  ilt_batch* batch = NULL;
  ilt_error* err = NULL;
  int64_t samples = -1, tokens = -1;
  (void)state;
  expect_ok(ilt_batch_create(&batch, &err), err);
  expect_error(ilt_batch_add(batch, ids, NULL, NULL, 0, &err), ILT_ERR_INVALID_ARGUMENT, &err, "without tokens");
  expect_error(ilt_batch_add(batch, ids, NULL, NULL, 3, &err), ILT_ERR_INVALID_ARGUMENT, &err, "token id -3");
  expect_error(ilt_batch_add(batch, ids, labels, NULL, 2, &err), ILT_ERR_INVALID_ARGUMENT, &err, "label -5");
  expect_error(ilt_batch_add(batch, ids, NULL, weights, 2, &err), ILT_ERR_INVALID_ARGUMENT, &err, "weight inf");
  expect_ok(ilt_batch_size(batch, &samples, &tokens, &err), err);
  assert_int_equal(samples, 0);
  assert_int_equal(tokens, 0);
  ilt_batch_free(batch);
}

static void the_loops_rules_hold(void** state) {
  static const int32_t ids[] = {1, 2, 3}, foreign[] = {1, 4000};
  static const float signs[] = {1, 1, -1};
  ilt_session* session = session_in_order(1);
  ilt_batch* batch = NULL;
  ilt_error* err = NULL;
  ilt_metrics metrics = ILT_METRICS_INIT;
  (void)state;
  expect_ok(ilt_batch_create(&batch, &err), err);
  expect_error(ilt_forward_backward(session, batch, NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "no samples");
  expect_error(ilt_optimizer_step(session, 0, NULL, &err), ILT_ERR_INVALID_STATE, &err, "no gradients");
  expect_ok(ilt_zero_grad(session, &err), err);
  expect_ok(ilt_batch_add(batch, ids, NULL, signs, 3, &err), err);
  expect_ok(ilt_forward_backward(session, batch, NULL, NULL, &err), err);
  expect_error(ilt_train_step(session, NULL, &err), ILT_ERR_INVALID_STATE, &err, "wait for their step");
  expect_error(ilt_optimizer_step(session, 0, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "give a divisor");
  expect_error(ilt_optimizer_step(session, -1, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "divisor is -1");
  metrics.struct_size = 1;
  expect_error(ilt_optimizer_step(session, 2, &metrics, &err), ILT_ERR_INVALID_ARGUMENT, &err, "struct_size is 1");
  expect_ok(ilt_optimizer_step(session, 2, NULL, &err), err);
  expect_ok(ilt_batch_add(batch, foreign, NULL, NULL, 2, &err), err);
  expect_error(ilt_forward_backward(session, batch, NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "4000");
  ilt_batch_free(batch);
  ilt_session_free(session);
}

static void epochs_are_the_run(void** state) {
  ilt_session* session = new_session(1);
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_train_epoch(session, NULL, &metrics, &err), err);
  assert_int_equal(metrics.step, 2);
  expect_ok(ilt_train_epoch(session, NULL, &metrics, &err), err);
  assert_int_equal(metrics.step, 4);
  assert_int_equal(ilt_train_epoch(session, NULL, NULL, &err), ILT_DONE);
  ilt_session_free(session);
}

static void a_cancelled_epoch_stops(void** state) {
  ilt_session* session = new_session(1);
  ilt_cancel_token* cancel = NULL;
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_cancel_token_create(&cancel, &err), err);
  ilt_cancel_token_cancel(cancel);
  assert_int_equal(ilt_train_epoch(session, cancel, NULL, &err), ILT_STOPPED);
  ilt_cancel_token_free(cancel);
  ilt_session_free(session);
}

static void evaluates_other_data_and_its_own(void** state) {
  ilt_config* config = new_config(1);
  ilt_session* session;
  ilt_dataset* data = tiny_data();
  ilt_cancel_token* cancel = NULL;
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  double loss = 0, again = 0;
  int64_t tokens = 0;
  (void)state;
  expect_ok(ilt_config_set(config, "validation_split", "0.25", &err), err);
  session = session_of(config);
  expect_ok(ilt_train_run(session, NULL, &metrics, &err), err);
  expect_ok(ilt_evaluate(session, NULL, NULL, &loss, &tokens, &err), err);
  assert_true(loss == metrics.eval_loss);
  assert_true(tokens > 0);
  expect_ok(ilt_evaluate(session, data, NULL, &loss, NULL, &err), err);
  expect_ok(ilt_evaluate(session, data, NULL, &again, NULL, &err), err);
  assert_true(loss > 0 && loss == again);
  expect_ok(ilt_cancel_token_create(&cancel, &err), err);
  ilt_cancel_token_cancel(cancel);
  assert_int_equal(ilt_evaluate(session, data, cancel, &again, NULL, &err), ILT_STOPPED);
  ilt_cancel_token_free(cancel);
  ilt_session_free(session);
  session = new_session(1);
  expect_error(ilt_evaluate(session, NULL, NULL, &loss, NULL, &err), ILT_ERR_INVALID_STATE, &err, "validation data");
  ilt_session_free(session);
  ilt_dataset_free(data);
}

static int32_t set_rate(const ilt_event* event, void* user_data) {
  if (event->type == ILT_EVENT_STEP_END && event->metrics->step == 1)
    expect_ok(ilt_session_set_lr(user_data, 5e-4, NULL), NULL);
  if (event->type == ILT_EVENT_STEP_END && event->metrics->step == 2) {
    assert_true(event->metrics->lr == 5e-4);
    expect_ok(ilt_session_set_lr(user_data, ILT_LR_SCHEDULE, NULL), NULL);
  }
  return 0;
}

static void the_rate_changes_while_it_trains(void** state) {
  ilt_session *plain = new_session(1), *changed = new_session(1);
  ilt_metrics expected = ILT_METRICS_INIT, got = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_train_run(plain, NULL, &expected, &err), err);
  expect_ok(ilt_session_set_event_callback(changed, set_rate, changed, NULL, &err), err);
  expect_ok(ilt_train_run(changed, NULL, &got, &err), err);
  assert_true(got.lr == expected.lr); /* the schedule's again */
  assert_true(got.loss != expected.loss);
  expect_error(ilt_session_set_lr(changed, -3, &err), ILT_ERR_INVALID_ARGUMENT, &err, "learning rate is -3");
  expect_error(ilt_session_set_lr(changed, NAN, &err), ILT_ERR_INVALID_ARGUMENT, &err, "learning rate is nan");
  assert_int_equal(ilt_session_is_poisoned(changed), 0);
  assert_int_equal(ilt_session_is_poisoned(NULL), 0);
  ilt_session_free(plain);
  ilt_session_free(changed);
}

static void goes_back_to_a_state(void** state) {
  char folder[] = "/tmp/ilt-capi-XXXXXX", path[64];
  ilt_session* session = new_session(1);
  ilt_metrics first = ILT_METRICS_INIT, again = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/state", folder);
  expect_error(ilt_checkpoint_load(session, path, &err), ILT_ERR_NOT_FOUND, &err, path);
  expect_ok(ilt_train_step(session, NULL, &err), err);
  expect_ok(ilt_checkpoint_save(session, path, ILT_CKPT_FULL_STATE, &err), err);
  expect_ok(ilt_train_step(session, &first, &err), err);
  expect_ok(ilt_checkpoint_load(session, path, &err), err);
  expect_ok(ilt_train_step(session, &again, &err), err);
  assert_true(first.loss == again.loss && first.grad_norm == again.grad_norm);
  assert_int_equal(again.step, 2);
  ilt_session_free(session);
}

static void memory_is_estimated(void** state) {
  ilt_config* config = new_config(0);
  ilt_error* err = NULL;
  char* text = NULL;
  size_t length = 0;
  (void)state;
  expect_ok(ilt_memory_estimate_json(config, &text, &length, &err), err);
  assert_int_equal(length, strlen(text));
  assert_non_null(strstr(text, "\"tokens\":256"));
  assert_non_null(strstr(text, "\"optimizer\":"));
  ilt_free(text);
  expect_ok(ilt_config_set(config, "model_path", "/no/such/model", &err), err);
  expect_error(ilt_memory_estimate_json(config, &text, NULL, &err), ILT_ERR_NOT_FOUND, &err, "/no/such/model");
  ilt_config_free(config);
}

int run_loop_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_hosts_loop_is_the_runs),
      cmocka_unit_test(batches_refuse_what_is_no_sample),
      cmocka_unit_test(the_loops_rules_hold),
      cmocka_unit_test(epochs_are_the_run),
      cmocka_unit_test(a_cancelled_epoch_stops),
      cmocka_unit_test(evaluates_other_data_and_its_own),
      cmocka_unit_test(the_rate_changes_while_it_trains),
      cmocka_unit_test(goes_back_to_a_state),
      cmocka_unit_test(memory_is_estimated),
  };
  return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
