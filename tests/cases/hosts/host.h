/* What the hosts of the cases about embedding share: the run that they make, checks that say where they fail, and the
 * losses that they tell on the last lines of standard output. */
#ifndef ILT_CASES_HOST_H_
#define ILT_CASES_HOST_H_

#include <ilt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct host {
  const char *model, *rows, *scratch;
  FILE* told; /* what is told, also where standard output is being watched */
};

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

#define GOOD(call)                                                                           \
  do {                                                                                       \
    ilt_error* err = NULL;                                                                   \
    const ilt_status status_ = (call);                                                       \
    if (status_ != ILT_OK) {                                                                 \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, ilt_error_message(err)); \
      exit(1);                                                                               \
    }                                                                                        \
  } while (0)

/* The run of case R01; its data come from the file, or from the host. */
static inline ilt_config* make_config(const struct host* host, int with_data) {
  static const char* const options[][2] = {
      {"effective_batch_size", "4"}, {"num_epochs", "3"},      {"learning_rate", "1e-3"}, {"lr_scheduler", "constant"},
      {"max_seq_len", "128"},        {"max_batch_len", "256"}, {"num_threads", "1"},      {"shuffle", "false"}};
  ilt_config* config = NULL;
  size_t i;
  GOOD(ilt_config_create(&config, &err));
  GOOD(ilt_config_set(config, "model_path", host->model, &err));
  if (with_data) GOOD(ilt_config_set(config, "data_path", host->rows, &err));
  for (i = 0; i < sizeof options / sizeof *options; ++i)
    GOOD(ilt_config_set(config, options[i][0], options[i][1], &err));
  return config;
}

static inline ilt_session* make_session(const struct host* host) {
  ilt_config* config = make_config(host, 1);
  ilt_session* session = NULL;
  GOOD(ilt_session_create(config, &session, &err));
  ilt_config_free(config);
  return session;
}

/* One step, whose loss is told. */
static inline void take_step(const struct host* host, ilt_session* session) {
  ilt_metrics metrics = ILT_METRICS_INIT;
  GOOD(ilt_train_step(session, &metrics, &err));
  fprintf(host->told, "loss %.9g\n", metrics.loss);
}

void case_e01(struct host* host);
void case_e03(struct host* host);
void case_e08(struct host* host);
void case_e11(struct host* host);

#endif
