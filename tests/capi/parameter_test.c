/* Parameters by name and as DLPack tensors. */
#include "dlpack.h"
#include "tests.h"

#define EMBEDDING "model.embed_tokens.weight"

static void names_and_shapes_are_told(void** state) {
  ilt_session* session = new_session(0);
  ilt_error* err = NULL;
  const char* name = NULL;
  char* text = NULL;
  size_t count = 0, i, found = 0;
  (void)state;
  expect_ok(ilt_param_count(session, &count, &err), err);
  for (i = 0; i < count; ++i) {
    expect_ok(ilt_param_name(session, i, &name, &err), err);
    found += strcmp(name, EMBEDDING) == 0;
    expect_ok(ilt_param_info_json(session, name, &text, NULL, &err), err);
    assert_non_null(strstr(text, name));
    ilt_free(text);
  }
  assert_int_equal(found, 1);
  expect_error(ilt_param_name(session, count, &name, &err), ILT_ERR_INVALID_ARGUMENT, &err, "there is no parameter");
  expect_ok(ilt_param_info_json(session, EMBEDDING, &text, NULL, &err), err);
  assert_non_null(strstr(text, "\"dtype\":\"float32\""));
  assert_non_null(strstr(text, "\"trained\":true"));
  ilt_free(text);
  expect_error(ilt_param_info_json(session, "model.embed_token.weight", &text, NULL, &err), ILT_ERR_NOT_FOUND, &err,
               "did you mean '" EMBEDDING "'");
  ilt_session_free(session);
}

static size_t values_in(const DLManagedTensorVersioned* tensor) {
  size_t n = 1;
  int32_t i;
  for (i = 0; i < tensor->dl_tensor.ndim; ++i) n *= (size_t)tensor->dl_tensor.shape[i];
  return n;
}

static void tensors_leave_as_views_and_copies(void** state) {
  ilt_session* session = new_session(1);
  ilt_error* err = NULL;
  DLManagedTensorVersioned *view = NULL, *copy = NULL;
  size_t bytes;
  (void)state;
  expect_ok(ilt_param_to_dlpack(session, EMBEDDING, 0, &view, &err), err);
  expect_ok(ilt_param_to_dlpack(session, EMBEDDING, 1, &copy, &err), err);
  assert_int_equal(view->version.major, 1);
  assert_int_equal(view->flags, DL_READ_ONLY);
  assert_int_equal(copy->flags, DL_IS_COPIED);
  assert_int_equal(copy->dl_tensor.device.device_type, DL_CPU);
  assert_int_equal(copy->dl_tensor.dtype.code, DL_FLOAT);
  assert_int_equal(copy->dl_tensor.dtype.bits, 32);
  assert_int_equal(copy->dl_tensor.dtype.lanes, 1);
  assert_int_equal(copy->dl_tensor.ndim, 2);
  assert_int_equal(copy->dl_tensor.shape[0], 256);
  assert_int_equal(copy->dl_tensor.strides[0], copy->dl_tensor.shape[1]);
  assert_int_equal(copy->dl_tensor.strides[1], 1);
  bytes = values_in(copy) * sizeof(float);
  assert_memory_equal(view->dl_tensor.data, copy->dl_tensor.data, bytes);
  expect_ok(ilt_train_step(session, NULL, &err), err);
  expect_ok(ilt_train_step(session, NULL, &err), err);
  assert_memory_not_equal(view->dl_tensor.data, copy->dl_tensor.data, bytes);
  ilt_session_free(session);
  ((float*)copy->dl_tensor.data)[0] = ((float*)view->dl_tensor.data)[0]; /* both outlive it */
  view->deleter(view);
  copy->deleter(copy);
  session = new_session(0);
  expect_error(ilt_param_to_dlpack(session, "lm_hea", 0, &view, &err), ILT_ERR_NOT_FOUND, &err, "lm_hea");
  ilt_session_free(session);
}

static int deleted;
static void count_deletion(DLManagedTensorVersioned* self) {
  (void)self;
  ++deleted;
}

/* A host's tensor over `data`, of the embedding's shape. */
static DLManagedTensorVersioned of_host(void* data, int64_t* shape, int64_t* strides, uint8_t code, uint8_t bits) {
  DLManagedTensorVersioned tensor;
  memset(&tensor, 0, sizeof tensor);
  tensor.version.major = 1;
  tensor.deleter = count_deletion;
  tensor.dl_tensor.data = data;
  tensor.dl_tensor.device.device_type = DL_CPU;
  tensor.dl_tensor.ndim = 2;
  tensor.dl_tensor.dtype.code = code;
  tensor.dl_tensor.dtype.bits = bits;
  tensor.dl_tensor.dtype.lanes = 1;
  tensor.dl_tensor.shape = shape;
  tensor.dl_tensor.strides = strides;
  return tensor;
}

static void tensors_come_back_in_any_layout(void** state) {
  ilt_session* session = new_session(0);
  ilt_error* err = NULL;
  DLManagedTensorVersioned *original = NULL, *now = NULL, given;
  int64_t shape[2], columns_first[2];
  double* values;
  size_t rows, columns, r, c;
  (void)state;
  expect_ok(ilt_param_to_dlpack(session, EMBEDDING, 1, &original, &err), err);
  rows = (size_t)original->dl_tensor.shape[0];
  columns = (size_t)original->dl_tensor.shape[1];
  shape[0] = (int64_t)rows, shape[1] = (int64_t)columns;
  columns_first[0] = 1, columns_first[1] = (int64_t)rows;
  /* Doubles, column after column, behind an offset: 2 x the embedding. */
  values = malloc((rows * columns + 3) * sizeof *values);
  assert_non_null(values);
  for (r = 0; r < rows; ++r)
    for (c = 0; c < columns; ++c)
      values[3 + c * rows + r] = 2 * (double)((float*)original->dl_tensor.data)[r * columns + c];
  deleted = 0;
  given = of_host(values, shape, columns_first, DL_FLOAT, 64);
  given.dl_tensor.byte_offset = 3 * sizeof *values;
  expect_ok(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), err);
  assert_int_equal(deleted, 1);
  free(values);
  expect_ok(ilt_param_to_dlpack(session, EMBEDDING, 0, &now, &err), err);
  for (r = 0; r < rows * columns; ++r)
    assert_true(((float*)now->dl_tensor.data)[r] == 2 * ((float*)original->dl_tensor.data)[r]);
  /* The library's own tensor back, which it consumes; without strides. */
  original->dl_tensor.strides = NULL;
  expect_ok(ilt_param_from_dlpack(session, EMBEDDING, original, &err), err);
  assert_true(((float*)now->dl_tensor.data)[5] != 0);
  now->deleter(now);
  ilt_session_free(session);
}

static void tensors_that_do_not_fit_are_refused(void** state) {
  static float data[4];
  ilt_session* session = new_session(0);
  ilt_error* err = NULL;
  DLManagedTensorVersioned *original = NULL, *after = NULL, given;
  int64_t small[2] = {2, 2}, shape[2], backwards[2];
  (void)state;
  expect_ok(ilt_param_to_dlpack(session, EMBEDDING, 1, &original, &err), err);
  shape[0] = original->dl_tensor.shape[0], shape[1] = original->dl_tensor.shape[1];
  backwards[0] = shape[1], backwards[1] = -1;
  deleted = 0;
  given = of_host(data, small, NULL, DL_FLOAT, 32);
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "shape [2,2]");
  given = of_host(data, shape, NULL, DL_INT, 32);
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "type");
  given = of_host(data, shape, NULL, DL_FLOAT, 8);
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "8 bits");
  given = of_host(data, shape, NULL, DL_FLOAT, 32);
  given.dl_tensor.device.device_type = DL_CUDA;
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "device");
  given = of_host(data, shape, backwards, DL_FLOAT, 32);
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "stride");
  given = of_host(NULL, shape, NULL, DL_FLOAT, 32);
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "no data");
  given = of_host(data, shape, NULL, DL_FLOAT, 32);
  given.version.major = 2;
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, &given, &err), ILT_ERR_VERSION, &err, "DLPack 2");
  given = of_host(data, shape, NULL, DL_FLOAT, 32);
  expect_error(ilt_param_from_dlpack(session, "none", &given, &err), ILT_ERR_NOT_FOUND, &err, "none");
  expect_error(ilt_param_from_dlpack(session, NULL, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "name");
  expect_error(ilt_param_from_dlpack(NULL, EMBEDDING, &given, &err), ILT_ERR_INVALID_ARGUMENT, &err, "session");
  expect_error(ilt_param_from_dlpack(session, EMBEDDING, NULL, &err), ILT_ERR_INVALID_ARGUMENT, &err, "source");
  assert_int_equal(deleted, 10); /* consumed each time */
  expect_ok(ilt_param_to_dlpack(session, EMBEDDING, 1, &after, &err), err);
  assert_memory_equal(after->dl_tensor.data, original->dl_tensor.data, values_in(after) * sizeof(float));
  after->deleter(after);
  original->deleter(original);
  ilt_session_free(session);
}

int run_parameter_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_shapes_are_told),
      cmocka_unit_test(tensors_leave_as_views_and_copies),
      cmocka_unit_test(tensors_come_back_in_any_layout),
      cmocka_unit_test(tensors_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}
