/* E02: signal actions and masks, locale, floating-point mode, umask, folder and environment stay as they were, from
 * before libilt is loaded to after it has worked. Loads the library itself: e02_actions LIBRARY MODEL ROWS SCRATCH. */
#define _DEFAULT_SOURCE

#include <dlfcn.h>
#include <ilt.h>
#include <stdint.h>

#include "../files/_common/snapshot.h"

#define FUNCTION(name) __typeof__(&name) name##_ = (__typeof__(&name))(uintptr_t)dlsym(library, #name)
#define DONE(call)                                                         \
  do {                                                                     \
    if ((call) != ILT_OK) return fprintf(stderr, "%s failed\n", #call), 1; \
  } while (0)

static int work(void* library, char** argv) {
  static const char* const options[][2] = {
      {"effective_batch_size", "4"}, {"num_epochs", "3"},      {"learning_rate", "1e-3"}, {"lr_scheduler", "constant"},
      {"max_seq_len", "128"},        {"max_batch_len", "256"}, {"num_threads", "2"},      {"shuffle", "false"}};
  FUNCTION(ilt_config_create);
  FUNCTION(ilt_config_set);
  FUNCTION(ilt_session_create);
  FUNCTION(ilt_train_step);
  FUNCTION(ilt_checkpoint_save);
  FUNCTION(ilt_session_free);
  FUNCTION(ilt_config_free);
  ilt_config* config = NULL;
  ilt_session* session = NULL;
  char path[4096];
  size_t i;
  DONE(ilt_config_create_(&config, NULL));
  DONE(ilt_config_set_(config, "model_path", argv[2], NULL));
  DONE(ilt_config_set_(config, "data_path", argv[3], NULL));
  for (i = 0; i < sizeof options / sizeof *options; ++i)
    DONE(ilt_config_set_(config, options[i][0], options[i][1], NULL));
  DONE(ilt_session_create_(config, &session, NULL));
  for (i = 0; i < 3; ++i) {
    ilt_metrics metrics = ILT_METRICS_INIT;
    DONE(ilt_train_step_(session, &metrics, NULL));
    printf("loss %.9g\n", metrics.loss);
  }
  snprintf(path, sizeof path, "%s/saved", argv[4]);
  DONE(ilt_checkpoint_save_(session, path, ILT_CKPT_WEIGHTS, NULL));
  ilt_session_free_(session);
  ilt_config_free_(config);
  return 0;
}

int main(int argc, char** argv) {
  static snap before, loaded, after;
  void* library;
  if (argc != 5) return 2;
  snap_take(&before);
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return fprintf(stderr, "%s\n", dlerror()), 1;
  snap_take(&loaded);
  if (snap_diff(&before, &loaded) != 0) return fprintf(stderr, "loading changes the process\n"), 1;
  if (work(library, argv) != 0) return 1;
  snap_take(&after);
  if (snap_diff(&before, &after) != 0) return fprintf(stderr, "working changes the process\n"), 1;
  return 0;
}
