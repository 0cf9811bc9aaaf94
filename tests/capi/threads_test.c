/* Many threads on one handle, sessions beside each other, cancelling from a signal handler, and what stays behind. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "tests.h"

enum { THREADS = 8, CALLS = 200 };

struct crew {
  ilt_session* session;
  ilt_tokenizer* tokenizer;
  ilt_batch* batch;
  int busy, done, odd; /* counted with add() */
};

static void add(int* counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void count(struct crew* crew, ilt_status status) {
  if (status == ILT_OK)
    add(&crew->done);
  else if (status == ILT_ERR_BUSY)
    add(&crew->busy);
  else
    add(&crew->odd);
}

/* Calls that take turns, calls that any thread may make, and calls on other handles, all at once. */
static void* hammer(void* data) {
  static const int32_t ids[] = {1, 20, 30, 40};
  struct crew* crew = data;
  int i;
  for (i = 0; i < CALLS; ++i) {
    ilt_metrics metrics = ILT_METRICS_INIT;
    ilt_cancel_token* token = NULL;
    ilt_error* err = NULL;
    float scores[3];
    size_t parameters = 0;
    count(crew, ilt_score(crew->session, ids, 4, scores, &err));
    ilt_error_free(err);
    count(crew, ilt_zero_grad(crew->session, NULL));
    count(crew, ilt_batch_add(crew->batch, ids, NULL, NULL, 4, NULL));
    if (ilt_metrics_get(crew->session, &metrics, NULL) != ILT_OK ||
        ilt_param_count(crew->session, &parameters, NULL) != ILT_OK || parameters == 0 ||
        ilt_session_set_lr(crew->session, 1e-4, NULL) != ILT_OK || ilt_session_is_poisoned(crew->session) != 0)
      add(&crew->odd);
    ilt_session_request_save(crew->session);
    if (ilt_cancel_token_create(&token, NULL) != ILT_OK) add(&crew->odd);
    ilt_cancel_token_free(ilt_cancel_token_retain(token));
    ilt_cancel_token_cancel(token);
    ilt_cancel_token_free(token);
  }
  return NULL;
}

static void busy_handles_say_so(void** state) {
  struct crew crew = {NULL, NULL, NULL, 0, 0, 0};
  pthread_t threads[THREADS];
  ilt_error* err = NULL;
  int64_t samples = 0;
  int i;
  (void)state;
  crew.session = new_session(0);
  expect_ok(ilt_batch_create(&crew.batch, &err), err);
  for (i = 0; i < THREADS; ++i) assert_int_equal(pthread_create(&threads[i], NULL, hammer, &crew), 0);
  for (i = 0; i < THREADS; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(crew.odd, 0);
  assert_int_equal(crew.busy + crew.done, 3 * THREADS * CALLS);
  assert_true(crew.done >= CALLS);
  expect_ok(ilt_batch_size(crew.batch, &samples, NULL, &err), err);
  assert_true(samples > 0 && samples <= THREADS * CALLS);
  ilt_batch_free(crew.batch);
  ilt_session_free(crew.session);
}

/* One tokenizer for all: every call works, and gives the same ids. */
static void* encode(void* data) {
  static const char text[] = "Where does the sun rise? In the east.";
  struct crew* crew = data;
  int32_t *first = NULL, *ids = NULL;
  size_t expected = 0, got = 0;
  int i;
  count(crew, ilt_tokenizer_encode(crew->tokenizer, text, sizeof text - 1, 0, &first, &expected, NULL));
  for (i = 0; i < CALLS; ++i) {
    char* back = NULL;
    count(crew, ilt_tokenizer_encode(crew->tokenizer, text, sizeof text - 1, 0, &ids, &got, NULL));
    if (got != expected || memcmp(ids, first, got * sizeof *ids) != 0) add(&crew->odd);
    count(crew, ilt_tokenizer_decode(crew->tokenizer, ids, got, 0, &back, NULL, NULL));
    if (back == NULL || strcmp(back, text) != 0) add(&crew->odd);
    ilt_free(back);
    ilt_free(ids);
  }
  ilt_free(first);
  return NULL;
}

static void a_tokenizer_serves_all_at_once(void** state) {
  struct crew crew = {NULL, NULL, NULL, 0, 0, 0};
  pthread_t threads[THREADS];
  ilt_error* err = NULL;
  int i;
  (void)state;
  expect_ok(ilt_tokenizer_load(ILT_TINY_MODEL, &crew.tokenizer, &err), err);
  for (i = 0; i < THREADS; ++i) assert_int_equal(pthread_create(&threads[i], NULL, encode, &crew), 0);
  for (i = 0; i < THREADS; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(crew.odd, 0);
  assert_int_equal(crew.busy, 0);
  assert_int_equal(crew.done, THREADS * (2 * CALLS + 1));
  ilt_tokenizer_free(crew.tokenizer);
}

/* The losses of a whole run. */
struct run {
  const char* seed;
  double losses[4];
};

static void* train(void* data) {
  struct run* run = data;
  ilt_config* config = new_config(1);
  ilt_session* session;
  ilt_metrics metrics = ILT_METRICS_INIT;
  int i;
  expect_ok(ilt_config_set(config, "seed", run->seed, NULL), NULL);
  session = session_of(config);
  for (i = 0; i < 4; ++i) {
    expect_ok(ilt_train_step(session, &metrics, NULL), NULL);
    run->losses[i] = metrics.loss;
  }
  ilt_session_free(session);
  return NULL;
}

static void sessions_do_not_know_of_each_other(void** state) {
  struct run alone[2] = {{"1", {0}}, {"2", {0}}}, together[2] = {{"1", {0}}, {"2", {0}}},
             in_turn[2] = {{"1", {0}}, {"2", {0}}};
  ilt_session* sessions[2];
  pthread_t threads[2];
  int i, step;
  (void)state;
  for (i = 0; i < 2; ++i) train(&alone[i]);
  assert_memory_not_equal(alone[0].losses, alone[1].losses, sizeof alone[0].losses);
  for (i = 0; i < 2; ++i) assert_int_equal(pthread_create(&threads[i], NULL, train, &together[i]), 0);
  for (i = 0; i < 2; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (i = 0; i < 2; ++i) {
    ilt_config* config = new_config(1);
    expect_ok(ilt_config_set(config, "seed", in_turn[i].seed, NULL), NULL);
    sessions[i] = session_of(config);
  }
  for (step = 0; step < 4; ++step) {
    for (i = 0; i < 2; ++i) {
      ilt_metrics metrics = ILT_METRICS_INIT;
      expect_ok(ilt_train_step(sessions[i], &metrics, NULL), NULL);
      in_turn[i].losses[step] = metrics.loss;
    }
  }
  for (i = 0; i < 2; ++i) {
    assert_memory_equal(alone[i].losses, together[i].losses, sizeof alone[i].losses);
    assert_memory_equal(alone[i].losses, in_turn[i].losses, sizeof alone[i].losses);
    ilt_session_free(sessions[i]);
  }
}

static ilt_cancel_token* asked_by_signal;
static ilt_session* saved_by_signal;
static void on_signal(int number) {
  (void)number;
  ilt_session_request_save(saved_by_signal);
  ilt_cancel_token_cancel(asked_by_signal);
}

static int32_t raise_at_step_two(const ilt_event* event, void* user_data) {
  (void)user_data;
  if (event->type == ILT_EVENT_STEP_END && event->metrics->step == 2) raise(SIGUSR1);
  return 0;
}

static void a_signal_handler_cancels(void** state) {
  ilt_session* session = new_session(1);
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  struct sigaction action, before;
  (void)state;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  saved_by_signal = session;
  expect_ok(ilt_cancel_token_create(&asked_by_signal, &err), err);
  assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
  expect_ok(ilt_session_set_event_callback(session, raise_at_step_two, NULL, NULL, &err), err);
  assert_int_equal(ilt_train_run(session, asked_by_signal, &metrics, &err), ILT_STOPPED);
  assert_int_equal(metrics.step, 2);
  assert_int_equal(ilt_cancel_token_is_cancelled(asked_by_signal), 1);
  assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
  ilt_session_free(session);
  ilt_cancel_token_free(asked_by_signal);
}

static int entries(const char* folder) {
  DIR* directory = opendir(folder);
  int n = 0;
  assert_non_null(directory);
  while (readdir(directory) != NULL) ++n;
  closedir(directory);
  return n;
}

static int32_t cancel_at_once(const ilt_event* event, void* user_data) {
  if (event->type == ILT_EVENT_STEP_END) ilt_cancel_token_cancel(user_data);
  return 0;
}

static long resident_kib(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  long pages = 0, resident = 0;
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

#ifdef ILT_SANITIZED
static const long may_grow_kib = LONG_MAX; /* a sanitizer keeps freed memory for a while; it finds leaks itself */
#else
static const long may_grow_kib = 8 * 1024; /* a session takes 6 MiB: not one of the ninety is kept */
#endif

static void nothing_stays_behind(void** state) {
  int fds = 0, threads = 0, i;
  long memory = 0;
  (void)state;
  for (i = 0; i < 100; ++i) {
    ilt_session* session = new_session(1);
    ilt_cancel_token* cancel = NULL;
    ilt_error* err = NULL;
    expect_ok(ilt_cancel_token_create(&cancel, &err), err);
    expect_ok(ilt_session_set_event_callback(session, cancel_at_once, cancel, NULL, &err), err);
    assert_int_equal(ilt_train_run(session, cancel, NULL, &err), ILT_STOPPED);
    ilt_session_free(session);
    ilt_cancel_token_free(cancel);
    if (i == 10) fds = entries("/proc/self/fd"), threads = entries("/proc/self/task"), memory = resident_kib();
  }
  assert_int_equal(entries("/proc/self/fd"), fds);
  assert_int_equal(entries("/proc/self/task"), threads);
  assert_true(resident_kib() - memory < may_grow_kib);
}

int run_thread_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(busy_handles_say_so),
      cmocka_unit_test(a_tokenizer_serves_all_at_once),
      cmocka_unit_test(sessions_do_not_know_of_each_other),
      cmocka_unit_test(a_signal_handler_cancels),
      cmocka_unit_test(nothing_stays_behind),
  };
  return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
