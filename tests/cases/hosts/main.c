/* A host for each case about embedding: case_host ID MODEL ROWS SCRATCH. */
#include "host.h"

int main(int argc, char** argv) {
  static const struct {
    const char* id;
    void (*run)(struct host*);
  } cases[] = {{"E01", case_e01}, {"E03", case_e03}, {"E08", case_e08}, {"E11", case_e11}};
  struct host host;
  size_t i;
  CHECK(argc == 5);
  host.model = argv[2], host.rows = argv[3], host.scratch = argv[4], host.told = stdout;
  for (i = 0; i < sizeof cases / sizeof *cases; ++i) {
    if (strcmp(cases[i].id, argv[1]) != 0) continue;
    cases[i].run(&host);
    return 0;
  }
  fprintf(stderr, "no such case: %s\n", argv[1]);
  return 2;
}
