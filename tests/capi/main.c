/* Runs the groups of the C tests that are named, or all. */
#include "tests.h"

struct group {
  const char* name;
  int (*run)(void);
};

static const struct group groups[] = {
    {"api", run_api_tests},         {"arguments", run_argument_tests},   {"checkpoint", run_checkpoint_tests},
    {"dataset", run_dataset_tests}, {"layout", run_layout_tests},        {"loop", run_loop_tests},
    {"session", run_session_tests}, {"parameters", run_parameter_tests}, {"threads", run_thread_tests},
};

static int is_named(const char* name, int argc, char** argv) {
  int i;
  for (i = 1; i < argc; ++i)
    if (strcmp(argv[i], name) == 0) return 1;
  return argc < 2;
}

int main(int argc, char** argv) {
  int failed = 0;
  size_t i;
  for (i = 0; i < sizeof groups / sizeof *groups; ++i)
    if (is_named(groups[i].name, argc, argv)) failed += groups[i].run();
  return failed;
}
