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
int run_checkpoint_tests(void);
int run_dataset_tests(void);
int run_session_tests(void);

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

#endif
