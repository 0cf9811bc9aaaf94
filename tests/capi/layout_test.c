/* What compiled programs rely on: sizes and offsets of structs, and the values of constants. None of these may change;
 * members are added at the end, with a size of their own here. */
#include "tests.h"

#define AT(type, member, offset, size)                     \
  do {                                                     \
    assert_int_equal(offsetof(type, member), offset);      \
    assert_int_equal(sizeof(((type*)NULL)->member), size); \
  } while (0)

static void metrics_lie_where_they_lay(void** state) {
  (void)state;
  AT(ilt_metrics, struct_size, 0, 4);
  AT(ilt_metrics, epoch, 4, 4);
  AT(ilt_metrics, step, 8, 8);
  AT(ilt_metrics, step_total, 16, 8);
  AT(ilt_metrics, samples_seen, 24, 8);
  AT(ilt_metrics, tokens_seen, 32, 8);
  AT(ilt_metrics, loss, 40, 8);
  AT(ilt_metrics, grad_norm, 48, 8);
  AT(ilt_metrics, lr, 56, 8);
  AT(ilt_metrics, tokens_per_second, 64, 8);
  AT(ilt_metrics, step_seconds, 72, 8);
  AT(ilt_metrics, mem_host_bytes_peak, 80, 8);
  AT(ilt_metrics, eval_loss, 88, 8);
  assert_int_equal(sizeof(ilt_metrics), 96);
}

static void events_lie_where_they_lay(void** state) {
  (void)state;
  AT(ilt_event, struct_size, 0, 4);
  AT(ilt_event, type, 4, 4);
  AT(ilt_event, metrics, 8, sizeof(void*));
  AT(ilt_event, path, 8 + sizeof(void*), sizeof(void*));
  assert_int_equal(sizeof(ilt_event), 8 + 2 * sizeof(void*));
}

static void devices_lie_where_they_lay(void** state) {
  (void)state;
  AT(ilt_device_info, struct_size, 0, 4);
  AT(ilt_device_info, type, 4, 4);
  AT(ilt_device_info, index, 8, 4);
  AT(ilt_device_info, reserved, 12, 4);
  AT(ilt_device_info, mem_total_bytes, 16, 8);
  AT(ilt_device_info, mem_free_bytes, 24, 8);
  AT(ilt_device_info, id, 32, 16);
  AT(ilt_device_info, name, 48, 128);
  assert_int_equal(sizeof(ilt_device_info), 176);
}

static void constants_keep_their_values(void** state) {
  static const int statuses[][2] = {{ILT_OK, 0},
                                    {ILT_DONE, 1},
                                    {ILT_STOPPED, 2},
                                    {ILT_ERR_INVALID_ARGUMENT, -1},
                                    {ILT_ERR_INVALID_STATE, -2},
                                    {ILT_ERR_BUSY, -3},
                                    {ILT_ERR_CONFIG, -4},
                                    {ILT_ERR_NOT_FOUND, -5},
                                    {ILT_ERR_IO, -6},
                                    {ILT_ERR_FORMAT, -7},
                                    {ILT_ERR_DATA, -8},
                                    {ILT_ERR_OOM_HOST, -9},
                                    {ILT_ERR_OOM_DEVICE, -10},
                                    {ILT_ERR_DEVICE, -11},
                                    {ILT_ERR_NUMERIC, -12},
                                    {ILT_ERR_DIST, -13},
                                    {ILT_ERR_TIMEOUT, -14},
                                    {ILT_ERR_UNSUPPORTED, -15},
                                    {ILT_ERR_VERSION, -16},
                                    {ILT_ERR_CALLBACK, -17},
                                    {ILT_ERR_FORKED, -18},
                                    {ILT_ERR_INTERNAL, -127}};
  static const int others[][2] = {
      {ILT_LOG_TRACE, 0},       {ILT_LOG_DEBUG, 1},      {ILT_LOG_INFO, 2},       {ILT_LOG_WARN, 3},
      {ILT_LOG_ERROR, 4},       {ILT_LOG_OFF, 5},        {ILT_DEVICE_CPU, 1},     {ILT_DEVICE_CUDA, 2},
      {ILT_DEVICE_METAL, 8},    {ILT_DEVICE_ROCM, 10},   {ILT_DEVICE_OTHER, 12},  {ILT_DEVICE_ONEAPI, 14},
      {ILT_EVENT_RUN_BEGIN, 1}, {ILT_EVENT_STEP_END, 2}, {ILT_EVENT_EVAL_END, 3}, {ILT_EVENT_CHECKPOINT, 4},
      {ILT_EVENT_EPOCH_END, 5}, {ILT_EVENT_RUN_END, 6},  {ILT_CKPT_WEIGHTS, 1},   {ILT_CKPT_FULL_STATE, 2}};
  size_t i;
  (void)state;
  for (i = 0; i < sizeof statuses / sizeof *statuses; ++i) {
    assert_int_equal(statuses[i][0], statuses[i][1]);
    assert_string_not_equal(ilt_status_name(statuses[i][0]), "unknown status");
  }
  for (i = 0; i < sizeof others / sizeof *others; ++i) assert_int_equal(others[i][0], others[i][1]);
  assert_true(ILT_LR_SCHEDULE == -1.0);
  assert_int_equal(sizeof(ilt_status), 4);
  assert_int_equal(ilt_abi_version(), ILT_ABI_VERSION);
  assert_int_equal(ILT_ABI_VERSION, 1);
}

int run_layout_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(metrics_lie_where_they_lay),
      cmocka_unit_test(events_lie_where_they_lay),
      cmocka_unit_test(devices_lie_where_they_lay),
      cmocka_unit_test(constants_keep_their_values),
  };
  return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
