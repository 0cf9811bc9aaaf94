/* E01: nothing is written to standard output or error; what there is to say goes to the log function. */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "host.h"

static int lines;
static void on_log(ilt_log_level level, const char* component, const char* message, void* user_data) {
  (void)level, (void)component, (void)message, (void)user_data;
  ++lines;
}

#define REFUSED(call)      \
  do {                     \
    ilt_error* err = NULL; \
    CHECK((call) < 0);     \
    CHECK(err != NULL);    \
    ilt_error_free(err);   \
  } while (0)

/* One call that fails of each kind, and a run with a weight that is no number. */
static void fail_in_each_way(const struct host* host) {
  static const int32_t ids[] = {1, 2, 3};
  ilt_config* config = NULL;
  ilt_tokenizer* tokenizer = NULL;
  ilt_session *session = make_session(host), *none = NULL;
  ilt_batch* batch = NULL;
  REFUSED(ilt_config_from_json("{", 1, &config, &err));
  REFUSED(ilt_tokenizer_load("/no/such/folder", &tokenizer, &err));
  config = make_config(host, 1);
  GOOD(ilt_config_set(config, "model_path", "/no/such/folder", &err));
  REFUSED(ilt_session_create(config, &none, &err));
  ilt_config_free(config);
  GOOD(ilt_session_set_lr(session, 1e30, &err));
  GOOD(ilt_batch_create(&batch, &err));
  GOOD(ilt_batch_add(batch, ids, NULL, NULL, 3, &err));
  GOOD(ilt_forward_backward(session, batch, NULL, NULL, &err));
  GOOD(ilt_optimizer_step(session, 0, NULL, &err)); /* blows the weights up */
  GOOD(ilt_forward_backward(session, batch, NULL, NULL, &err));
  REFUSED(ilt_optimizer_step(session, 0, NULL, &err));
  ilt_batch_free(batch);
  ilt_session_free(session);
}

static void work(const struct host* host, const char* name) {
  char path[4096];
  ilt_session* session = make_session(host);
  int i;
  for (i = 0; i < 3; ++i) take_step(host, session);
  snprintf(path, sizeof path, "%s/%s", host->scratch, name);
  GOOD(ilt_checkpoint_save(session, path, ILT_CKPT_WEIGHTS, &err));
  ilt_session_free(session);
  fail_in_each_way(host);
}

void case_e01(struct host* host) {
  char seen[4096];
  int out[2], error[2];
  const int real_out = dup(1), real_error = dup(2);
  long from_out, from_error;
  host->told = fdopen(dup(1), "w");
  CHECK(host->told != NULL && pipe(out) == 0 && pipe(error) == 0);
  CHECK(fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(error[0], F_SETFL, O_NONBLOCK) == 0);
  CHECK(dup2(out[1], 1) == 1 && dup2(error[1], 2) == 2);
  work(host, "silent");
  fflush(NULL);
  from_out = (long)read(out[0], seen, sizeof seen);
  from_error = (long)read(error[0], seen, sizeof seen - 1);
  CHECK(dup2(real_out, 1) == 1 && dup2(real_error, 2) == 2);
  if (from_error > 0) seen[from_error] = '\0', fprintf(stderr, "on standard error: %s\n", seen);
  CHECK(from_out < 0 && from_error < 0);
  GOOD(ilt_log_set(on_log, NULL, NULL, ILT_LOG_INFO, &err));
  work(host, "logged");
  CHECK(lines > 0);
  GOOD(ilt_log_set(NULL, NULL, NULL, ILT_LOG_OFF, &err));
}
