/* Runs all groups of the C tests. */
#include "tests.h"

int main(void) {
  return run_api_tests() + run_checkpoint_tests() + run_dataset_tests() + run_loop_tests() + run_parameter_tests() +
         run_session_tests();
}
