/* Fine-tunes a model on a file of chat records, shows each step, and saves the result.
 *
 *   finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]
 */
#include <ilt.h>
#include <stdio.h>
#include <string.h>

static int32_t show_step(const ilt_event* event, void* user_data) {
  (void)user_data;
  if (event->type == ILT_EVENT_STEP_END)
    printf("step %lld of %lld: loss %.4f, gradient norm %.3f, %.0f tokens/s\n", (long long)event->metrics->step,
           (long long)event->metrics->step_total, event->metrics->loss, event->metrics->grad_norm,
           event->metrics->tokens_per_second);
  return 0; /* 1 would stop the run after this step */
}

/* Sets "option=value". */
static ilt_status set_option(ilt_config* config, const char* text, ilt_error** err) {
  char key[64];
  const char* equals = strchr(text, '=');
  size_t length = equals != NULL ? (size_t)(equals - text) : strlen(text);
  if (length >= sizeof key) length = sizeof key - 1;
  memcpy(key, text, length);
  key[length] = '\0';
  return ilt_config_set(config, key, equals != NULL ? equals + 1 : "", err);
}

int main(int argc, char** argv) {
  static const char* const defaults[] = {"effective_batch_size=16", "max_seq_len=2048", "max_batch_len=4096",
                                         "learning_rate=1e-5"};
  ilt_config* config = NULL;
  ilt_session* session = NULL;
  ilt_error* err = NULL;
  ilt_status status;
  size_t i;
  int arg;

  if (argc < 4) {
    fprintf(stderr, "usage: finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]\n");
    return 2;
  }

  status = ilt_config_create(&config, &err);
  if (status == ILT_OK) status = ilt_config_set(config, "model_path", argv[1], &err);
  if (status == ILT_OK) status = ilt_config_set(config, "data_path", argv[2], &err);
  for (i = 0; status == ILT_OK && i < sizeof defaults / sizeof *defaults; ++i)
    status = set_option(config, defaults[i], &err);
  for (arg = 4; status == ILT_OK && arg < argc; ++arg) status = set_option(config, argv[arg], &err);

  if (status == ILT_OK) status = ilt_session_create(config, &session, &err);
  if (status == ILT_OK) status = ilt_session_set_event_callback(session, show_step, NULL, NULL, &err);
  if (status == ILT_OK) status = ilt_train_run(session, NULL, NULL, &err);
  if (status >= ILT_OK) status = ilt_checkpoint_save(session, argv[3], ILT_CKPT_WEIGHTS, &err);

  if (status < 0) fprintf(stderr, "%s: %s\n", ilt_status_name(status), ilt_error_message(err));
  ilt_error_free(err);
  ilt_session_free(session);
  ilt_config_free(config);
  return status < 0 ? 1 : 0;
}
