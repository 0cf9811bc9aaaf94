/* Data sets through the C interface: from files, from a processed file, record by record, and into a session. */
#include <unistd.h>

#include "tests.h"

static const char record[] =
    "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}, {\"role\": \"assistant\", \"content\": \"Yes\"}]}";

static ilt_config* data_config(int with_data) {
  ilt_config* config = NULL;
  ilt_error* err = NULL;
  expect_ok(ilt_config_create(&config, &err), err);
  expect_ok(ilt_config_set(config, "model_path", ILT_TINY_MODEL, &err), err);
  expect_ok(ilt_config_set(config, "max_seq_len", "128", &err), err);
  if (with_data) expect_ok(ilt_config_set(config, "data_path", ILT_TINY_MODEL ".jsonl", &err), err);
  return config;
}

static ilt_dataset* empty_dataset(void) {
  ilt_config* config = data_config(0);
  ilt_dataset* dataset = NULL;
  ilt_error* err = NULL;
  expect_ok(ilt_dataset_create(config, NULL, &dataset, &err), err);
  ilt_config_free(config);
  return dataset;
}

static int32_t stop_with(int64_t records, int64_t done, int64_t total, void* answer) {
  assert_true(records > 0);
  assert_true(done > 0 && done <= total);
  return *(const int32_t*)answer;
}

static void files_are_processed_and_opened(void** state) {
  static const char path[] = ILT_TINY_MODEL ".safetensors";
  ilt_config* config = data_config(1);
  ilt_dataset *loaded = NULL, *opened = NULL;
  ilt_error* err = NULL;
  int64_t i;
  int32_t answer = 0;
  char* text = NULL;
  (void)state;
  expect_ok(ilt_dataset_process(config, path, stop_with, &answer, NULL, &err), err);
  expect_ok(ilt_dataset_create(config, NULL, &loaded, &err), err);
  expect_ok(ilt_dataset_open(path, &opened, &err), err);
  assert_int_equal(ilt_dataset_num_samples(opened), ilt_dataset_num_samples(loaded));
  assert_int_equal(ilt_dataset_num_tokens(opened), ilt_dataset_num_tokens(loaded));
  for (i = 0; i < ilt_dataset_num_samples(loaded); ++i) {
    int32_t *ids[2], *labels[2];
    size_t counts[2];
    expect_ok(ilt_dataset_sample(opened, i, &ids[0], &labels[0], &counts[0], &err), err);
    expect_ok(ilt_dataset_sample(loaded, i, &ids[1], &labels[1], &counts[1], &err), err);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(ids[0], ids[1], counts[0] * sizeof(int32_t));
    assert_memory_equal(labels[0], labels[1], counts[0] * sizeof(int32_t));
    ilt_free(ids[0]), ilt_free(ids[1]), ilt_free(labels[0]), ilt_free(labels[1]);
  }
  expect_ok(ilt_dataset_stats_json(opened, "{\"max_batch_len\": 128, \"effective_batch_size\": 2}", &text, NULL, &err),
            err);
  assert_non_null(strstr(text, "\"micro_batches\": "));
  assert_non_null(strstr(text, "\"terminators\": {"));
  ilt_free(text);
  expect_error(ilt_dataset_stats_json(opened, "{\"max_batch\": 1}", &text, NULL, &err), ILT_ERR_CONFIG, &err,
               "max_batch_len");
  expect_error(ilt_dataset_sample(opened, 99, (int32_t**)&text, (int32_t**)&text, (size_t*)&text, &err),
               ILT_ERR_INVALID_ARGUMENT, &err, "99");
  expect_error(ilt_dataset_open(ILT_TINY_MODEL ".jsonl", &opened, &err), ILT_ERR_FORMAT, &err, ".jsonl");
  unlink(path);
  answer = -7;
  expect_error(ilt_dataset_process(config, path, stop_with, &answer, NULL, &err), ILT_ERR_CALLBACK, &err, "-7");
  answer = 1;
  assert_int_equal(ilt_dataset_process(config, path, stop_with, &answer, NULL, &err), ILT_STOPPED);
  assert_int_equal(access(path, F_OK), -1);
  answer = 0;
  expect_ok(ilt_dataset_process(config, path, NULL, NULL, NULL, &err), err);
  unlink(path);
  ilt_dataset_free(opened);
  ilt_dataset_free(loaded);
  ilt_config_free(config);
}

static void records_come_one_by_one(void** state) {
  ilt_dataset* dataset = empty_dataset();
  ilt_error* err = NULL;
  int32_t kept = -1;
  (void)state;
  expect_ok(ilt_dataset_add(dataset, record, strlen(record), &kept, &err), err);
  assert_int_equal(kept, 1);
  expect_ok(ilt_dataset_add(dataset, "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}", 49, &kept, &err),
            err);
  assert_int_equal(kept, 0);
  assert_int_equal(ilt_dataset_num_samples(dataset), 1);
  expect_error(ilt_dataset_add(dataset, "{\"messages\": 3}", 15, NULL, &err), ILT_ERR_DATA, &err, "record 3");
  expect_error(ilt_dataset_add(dataset, "{", 1, NULL, &err), ILT_ERR_DATA, &err, "record 3");
  expect_error(ilt_dataset_add(NULL, record, 1, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "dataset");
  ilt_dataset_free(dataset);
}

static void chats_are_masked(void** state) {
  ilt_tokenizer* tokenizer = NULL;
  ilt_error* err = NULL;
  int32_t *ids = NULL, *labels = NULL;
  size_t count = 0, i, learnt = 0;
  char* text = NULL;
  (void)state;
  expect_ok(ilt_tokenizer_load(ILT_TINY_MODEL, &tokenizer, &err), err);
  expect_ok(ilt_tokenizer_apply_chat(tokenizer, record, strlen(record), &ids, &labels, &count, &err), err);
  for (i = 0; i < count; ++i) {
    assert_true(labels[i] == ids[i] || labels[i] == -100);
    if (labels[i] >= 0) ids[learnt++] = labels[i];
  }
  expect_ok(ilt_tokenizer_decode(tokenizer, ids, learnt, 0, &text, NULL, &err), err);
  assert_string_equal(text, "Yes<|im_end|>");
  ilt_free(text), ilt_free(ids), ilt_free(labels);
  /* A list of messages is a record, too. */
  expect_ok(ilt_tokenizer_apply_chat(tokenizer, record + 13, strlen(record) - 14, &ids, &labels, &i, &err), err);
  assert_int_equal(i, count);
  ilt_free(ids), ilt_free(labels);
  expect_error(ilt_tokenizer_apply_chat(tokenizer, "{\"a\": 1}", 8, &ids, &labels, &count, &err), ILT_ERR_DATA, &err,
               "messages");
  ilt_tokenizer_free(tokenizer);
}

static void sessions_train_on_data_sets(void** state) {
  ilt_dataset* dataset = empty_dataset();
  ilt_config* config = data_config(0);
  ilt_session* session = NULL;
  ilt_error* err = NULL;
  ilt_metrics metrics = ILT_METRICS_INIT;
  (void)state;
  expect_ok(ilt_dataset_add(dataset, record, strlen(record), NULL, &err), err);
  expect_ok(ilt_config_set(config, "effective_batch_size", "1", &err), err);
  expect_ok(ilt_config_set(config, "max_batch_len", "128", &err), err);
  expect_ok(ilt_session_create(config, &session, &err), err);
  expect_error(ilt_session_set_datasets(session, dataset, NULL, &err), ILT_ERR_CONFIG, &err, "learning_rate");
  ilt_session_free(session);
  expect_ok(ilt_config_set(config, "learning_rate", "1e-3", &err), err);
  expect_ok(ilt_session_create(config, &session, &err), err);
  expect_error(ilt_session_set_datasets(session, NULL, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "training");
  expect_ok(ilt_session_set_datasets(session, dataset, dataset, &err), err);
  expect_error(ilt_dataset_add(dataset, record, strlen(record), NULL, &err), ILT_ERR_INVALID_STATE, &err, "session");
  expect_error(ilt_session_set_datasets(session, dataset, NULL, &err), ILT_ERR_INVALID_STATE, &err,
               "has training data");
  ilt_dataset_free(dataset); /* the session keeps it */
  expect_ok(ilt_train_run(session, NULL, &metrics, &err), err);
  assert_int_equal(metrics.step, 1);
  assert_true(metrics.eval_loss > 0 && metrics.eval_loss < metrics.loss);
  ilt_session_free(session);
  ilt_config_free(config);
}

int run_dataset_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_processed_and_opened),
      cmocka_unit_test(records_come_one_by_one),
      cmocka_unit_test(chats_are_masked),
      cmocka_unit_test(sessions_train_on_data_sets),
  };
  return cmocka_run_group_tests_name("data sets", tests, NULL, NULL);
}
