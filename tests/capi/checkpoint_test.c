/* Full states through the C interface: saving, listing, verifying, describing, exporting and comparing them. */
#define _POSIX_C_SOURCE 200809L

#include <sys/stat.h>
#include <unistd.h>

#include "tests.h"

static char folder[64];

/* A path in the test's folder; up to four live at once. */
static const char* in_folder(const char* name) {
  static char paths[4][192];
  static int next = 0;
  char* const path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static ilt_session* session_in(const char* output) {
  ilt_config* config = new_config(1);
  ilt_error* err = NULL;
  expect_ok(ilt_config_set(config, "ckpt_output_dir", output, &err), err);
  return session_of(config);
}

static void expect_json(ilt_status status, ilt_error* err, char** text, const char* part) {
  expect_ok(status, err);
  if (strstr(*text, part) == NULL) fail_msg("no %s in %s", part, *text);
  ilt_free(*text);
  *text = NULL;
}

static void states_are_saved_listed_and_compared(void** state) {
  ilt_session* session = session_in(in_folder("saved"));
  ilt_error* err = NULL;
  char* text = NULL;
  size_t length = 0;
  (void)state;
  expect_ok(ilt_train_step(session, NULL, &err), err);
  expect_ok(ilt_checkpoint_save(session, in_folder("one"), ILT_CKPT_FULL_STATE, &err), err);
  expect_ok(ilt_train_step(session, NULL, &err), err);
  expect_ok(ilt_checkpoint_save(session, in_folder("two"), ILT_CKPT_FULL_STATE, &err), err);
  ilt_session_free(session);

  expect_ok(ilt_checkpoint_verify(in_folder("one"), &err), err);
  expect_json(ilt_checkpoint_info_json(in_folder("two"), &text, &length, &err), err, &text, "\"step\":2");
  expect_json(ilt_checkpoint_diff_json(in_folder("one"), in_folder("one"), &text, NULL, &err), err, &text,
              "\"equal\":true");
  expect_json(ilt_checkpoint_diff_json(in_folder("one"), in_folder("two"), &text, &length, &err), err, &text,
              "\"step\":[1,2]");
  expect_error(ilt_checkpoint_diff_json(in_folder("one"), in_folder("none"), &text, NULL, &err), ILT_ERR_NOT_FOUND,
               &err, "none");
  expect_error(ilt_checkpoint_diff_json(NULL, in_folder("one"), &text, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err,
               "'a' is NULL");
}

static void states_are_exported(void** state) {
  struct stat info;
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_checkpoint_export(in_folder("two"), in_folder("model"), NULL, &err), err);
  assert_int_equal(stat(in_folder("model/tokenizer.json"), &info), 0);
  expect_ok(ilt_checkpoint_export(in_folder("two"), in_folder("half"), "{\"save_dtype\": \"bfloat16\"}", &err), err);
  assert_int_equal(stat(in_folder("half/model.safetensors"), &info), 0);
  expect_error(ilt_checkpoint_export(in_folder("two"), in_folder("x"), "{\"save_type\": 1}", &err), ILT_ERR_CONFIG,
               &err, "save_dtype");
  expect_error(ilt_checkpoint_export(in_folder("two"), in_folder("x"), "{\"model_path\": \"/no/model\"}", &err),
               ILT_ERR_NOT_FOUND, &err, "/no/model");
  expect_error(ilt_checkpoint_export(in_folder("model"), in_folder("x"), NULL, &err), ILT_ERR_FORMAT, &err, "manifest");
  expect_error(ilt_checkpoint_export(in_folder("two"), "", NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "out_path");
  expect_error(ilt_checkpoint_export(NULL, in_folder("x"), NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "state_path");
  assert_int_equal(stat(in_folder("x"), &info), -1);
}

static void models_are_written_in_other_formats(void** state) {
  const char* gguf = ILT_TEST_DATA "/gguf/tied.gguf";
  struct stat info;
  ilt_error* err = NULL;
  (void)state;
  expect_ok(ilt_model_export(gguf, in_folder("from_gguf"), "{\"format\": \"hf\"}", &err), err);
  assert_int_equal(stat(in_folder("from_gguf/model.safetensors"), &info), 0);
  expect_ok(ilt_model_export(in_folder("from_gguf"), in_folder("x.gguf"), "{\"format\": \"gguf\", \"dtype\": \"q8_0\"}",
                             &err),
            err);
  assert_int_equal(stat(in_folder("x.gguf"), &info), 0);
  expect_error(ilt_model_export(gguf, in_folder("y"), "{}", &err), ILT_ERR_CONFIG, &err, "format");
  expect_error(ilt_model_export(gguf, in_folder("y"), "{\"format\": \"onnx\"}", &err), ILT_ERR_CONFIG, &err, "gguf");
  expect_error(ilt_model_export("/no/model", in_folder("y"), "{\"format\": \"hf\"}", &err), ILT_ERR_NOT_FOUND, &err,
               "/no/model");
  expect_error(ilt_model_export(gguf, in_folder("y"), NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "options_json");
  expect_error(ilt_model_export(gguf, "", "{\"format\": \"hf\"}", &err), ILT_ERR_INVALID_ARGUMENT, &err, "out_path");
  assert_int_equal(stat(in_folder("y"), &info), -1);
}

static int32_t ask_at_the_first_step(const ilt_event* event, void* session) {
  if (event->type == ILT_EVENT_STEP_END && event->metrics->step == 1) ilt_session_request_save(session);
  return 0;
}

static void a_run_saves_on_request(void** state) {
  ilt_session* session = session_in(in_folder("run"));
  ilt_error* err = NULL;
  char* text = NULL;
  struct stat info;
  (void)state;
  ilt_session_request_save(NULL);
  expect_ok(ilt_session_set_event_callback(session, ask_at_the_first_step, session, NULL, &err), err);
  expect_ok(ilt_train_run(session, NULL, NULL, &err), err);
  ilt_session_free(session);
  expect_ok(ilt_checkpoint_verify(in_folder("run/full_state/step_4"), &err), err);
  assert_int_equal(stat(in_folder("run/hf_format/samples_2/model.safetensors"), &info), 0);
  expect_json(ilt_checkpoint_list_json(in_folder("run"), &text, NULL, &err), err, &text, "\"step\":2");
  expect_error(ilt_checkpoint_list_json(in_folder("none"), &text, NULL, &err), ILT_ERR_NOT_FOUND, &err, "none");
}

static void a_broken_state_is_named(void** state) {
  ilt_error* err = NULL;
  char* text = NULL;
  (void)state;
  assert_int_equal(truncate(in_folder("one/weights.safetensors"), 100), 0);
  expect_error(ilt_checkpoint_verify(in_folder("one"), &err), ILT_ERR_FORMAT, &err, "weights.safetensors");
  assert_int_equal(truncate(in_folder("one/manifest.json"), 10), 0);
  expect_error(ilt_checkpoint_info_json(in_folder("one"), &text, NULL, &err), ILT_ERR_FORMAT, &err, "manifest.json");
  expect_error(ilt_checkpoint_verify(NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "'path' is NULL");
}

static int make_folder(void** state) {
  (void)state;
  strcpy(folder, "/tmp/ilt_capi_XXXXXX");
  return mkdtemp(folder) == NULL;
}

static int remove_folder(void** state) {
  char command[96];
  (void)state;
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

int run_checkpoint_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_are_saved_listed_and_compared),
      cmocka_unit_test(states_are_exported),
      cmocka_unit_test(models_are_written_in_other_formats),
      cmocka_unit_test(a_run_saves_on_request),
      cmocka_unit_test(a_broken_state_is_named),
  };
  return cmocka_run_group_tests_name("checkpoint", tests, make_folder, remove_folder);
}
