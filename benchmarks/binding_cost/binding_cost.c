/* What small calls and steps cost in C: the measure for the bindings (run.py).
 *
 *   binding_cost MODEL_FOLDER
 *
 * Prints a line for each case: its name, and nanoseconds a call, the least of many batches.
 */
#define _POSIX_C_SOURCE 200809L

#include <ilt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCHES = 200, CALLS = 200, STEPS = 1000 };

static ilt_session* session;
static ilt_tokenizer* tokenizer;

static void check(ilt_status status, ilt_error* err) {
  if (status >= 0) return;
  fprintf(stderr, "%s: %s\n", ilt_status_name(status), ilt_error_message(err));
  exit(1);
}

static void call_version(void) {
  if (ilt_version_number() == 0) exit(1);
}

static void call_metrics(void) {
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  check(ilt_metrics_get(session, &metrics, &err), err);
}

static void call_encode(void) {
  ilt_error* err = NULL;
  int32_t* ids = NULL;
  size_t count = 0;
  check(ilt_tokenizer_encode(tokenizer, "Hello", 5, 0, &ids, &count, &err), err);
  ilt_free(ids);
}

static void call_decode(void) {
  static const int32_t ids[] = {40, 41, 42};
  ilt_error* err = NULL;
  char* text = NULL;
  check(ilt_tokenizer_decode(tokenizer, ids, 3, 0, &text, NULL, &err), err);
  ilt_free(text);
}

static void call_failing(void) {
  static const int32_t ids[] = {-1};
  ilt_error* err = NULL;
  char* text = NULL;
  if (ilt_tokenizer_decode(tokenizer, ids, 1, 0, &text, NULL, &err) == ILT_ERR_INVALID_ARGUMENT) ilt_error_free(err);
}

static void call_step(void) {
  ilt_metrics metrics = ILT_METRICS_INIT;
  ilt_error* err = NULL;
  check(ilt_train_step(session, &metrics, &err), err);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(const char* name, int batches, int calls, void (*call)(void)) {
  double least = 1e300;
  int batch, i;
  for (batch = 0; batch < batches; ++batch) {
    const double begin = now();
    double mean;
    for (i = 0; i < calls; ++i) call();
    mean = (now() - begin) / calls;
    if (mean < least) least = mean;
  }
  printf("%s %.1f\n", name, least);
}

int main(int argc, char** argv) {
  static const char* const options[][2] = {{"effective_batch_size", "4"}, {"max_seq_len", "128"},
                                           {"max_batch_len", "256"},      {"learning_rate", "1e-5"},
                                           {"max_steps", "1000000"},      {"num_threads", "1"}};
  char data[4096];
  ilt_config* config = NULL;
  ilt_error* err = NULL;
  size_t i;
  if (argc != 2) return 2;
  snprintf(data, sizeof data, "%s.jsonl", argv[1]);
  check(ilt_config_create(&config, &err), err);
  check(ilt_config_set(config, "model_path", argv[1], &err), err);
  check(ilt_config_set(config, "data_path", data, &err), err);
  for (i = 0; i < sizeof options / sizeof *options; ++i)
    check(ilt_config_set(config, options[i][0], options[i][1], &err), err);
  check(ilt_session_create(config, &session, &err), err);
  check(ilt_tokenizer_load(argv[1], &tokenizer, &err), err);

  measure("version", BATCHES, CALLS, call_version);
  measure("metrics", BATCHES, CALLS, call_metrics);
  measure("encode", BATCHES, CALLS, call_encode);
  measure("decode", BATCHES, CALLS, call_decode);
  measure("failing", BATCHES, CALLS, call_failing);
  measure("step", STEPS, 1, call_step);

  ilt_tokenizer_free(tokenizer);
  ilt_session_free(session);
  ilt_config_free(config);
  return 0;
}
