/* E08: one OpenMP runtime and one libtorch in the process, and no more threads than were asked for (num_threads 1). */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>

#include "host.h"

/* How many files whose name begins with `name` are mapped. */
static int mapped(const char* name) {
  char line[4096], files[8][256];
  int count = 0, i;
  FILE* maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL) {
    const char* base = strrchr(line, '/');
    if (base == NULL || strncmp(base + 1, name, strlen(name)) != 0) continue;
    for (i = 0; i < count; ++i)
      if (strncmp(files[i], base, sizeof files[i] - 1) == 0) break;
    if (i < count || count == 8) continue;
    snprintf(files[count++], sizeof files[0], "%.255s", base);
  }
  fclose(maps);
  return count;
}

static int threads(void) {
  DIR* tasks = opendir("/proc/self/task");
  int count = -2; /* . and .. */
  CHECK(tasks != NULL);
  while (readdir(tasks) != NULL) ++count;
  closedir(tasks);
  return count;
}

void case_e08(struct host* host) {
  ilt_session* session = make_session(host);
  int i;
  for (i = 0; i < 3; ++i) take_step(host, session);
  CHECK(mapped("libgomp") + mapped("libiomp") + mapped("libomp") == 1);
  CHECK(mapped("libtorch_cpu") == 1);
  CHECK(threads() <= 2);
  ilt_session_free(session);
}
