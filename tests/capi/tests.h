/* What the C tests share: cmocka with its headers, the groups, and a check of a call's status and error. */
#ifndef ILT_TESTS_H_
#define ILT_TESTS_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>
#include <ilt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_api_tests(void);
int run_argument_tests(void);
int run_checkpoint_tests(void);
int run_dataset_tests(void);
int run_layout_tests(void);
int run_loop_tests(void);
int run_parameter_tests(void);
int run_session_tests(void);
int run_thread_tests(void);

/* The status must be as expected and the message hold `part`; frees *err. */
static inline void expect_error(ilt_status status, ilt_status expected, ilt_error** err, const char* part) {
  if (status != expected || strstr(ilt_error_message(*err), part) == NULL)
    fail_msg("got %s '%s', expected %s '%s'", ilt_status_name(status), ilt_error_message(*err),
             ilt_status_name(expected), part);
  assert_int_equal(ilt_error_status(*err), expected);
  ilt_error_free(*err);
  *err = NULL;
}

static inline void expect_ok(ilt_status status, ilt_error* err) {
  if (status != ILT_OK) fail_msg("%s: %s", ilt_status_name(status), ilt_error_message(err));
}

/* A configuration that trains the tiny model on one thread, four steps, on its data or on what the host gives. */
static inline ilt_config* new_config(int with_data) {
  static const char* const options[][2] = {{"model_path", ILT_TINY_MODEL}, {"effective_batch_size", "2"},
                                           {"max_seq_len", "128"},         {"max_batch_len", "256"},
                                           {"learning_rate", "1e-3"},      {"num_epochs", "2"},
                                           {"num_threads", "1"},           {"data_path", ILT_TINY_MODEL ".jsonl"}};
  const size_t count = sizeof options / sizeof *options - (with_data ? 0 : 1);
  ilt_config* config = NULL;
  ilt_error* err = NULL;
  size_t i;
  expect_ok(ilt_config_create(&config, &err), err);
  for (i = 0; i < count; ++i) expect_ok(ilt_config_set(config, options[i][0], options[i][1], &err), err);
  return config;
}

static inline ilt_session* session_of(ilt_config* config) {
  ilt_session* session = NULL;
  ilt_error* err = NULL;
  expect_ok(ilt_session_create(config, &session, &err), err);
  ilt_config_free(config); /* the session has its own copy */
  return session;
}

static inline ilt_session* new_session(int with_data) {
  return session_of(new_config(with_data));
}

#endif
