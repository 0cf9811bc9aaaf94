/* A preloaded library that makes one call on files under a folder fail: the how-manieth, and how, the environment says.
 *
 *   FAULT_ROOT   the folder; calls on other files pass
 *   FAULT_AT     the number of the call, from 1; 0 only counts
 *   FAULT_KIND   ENOSPC, EIO, short (half of a write), kill (SIGKILL before the call), killed (SIGKILL after it)
 *   FAULT_COUNT  a file that the number of calls is written to at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static long calls = 0;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int under_root(const char* path) {
  const char* root = getenv("FAULT_ROOT");
  return root != NULL && path != NULL && strncmp(path, root, strlen(root)) == 0;
}

static int descriptor_under_root(int fd) {
  char link[64], path[PATH_MAX];
  ssize_t n;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink(link, path, sizeof path - 1);
  if (n <= 0) return 0;
  path[n] = '\0';
  return under_root(path);
}

/* Whether this call is the one; `kill` never returns. */
static const char* fault(int counts) {
  const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
  long number;
  if (!counts || at == NULL || kind == NULL) return NULL;
  pthread_mutex_lock(&mutex);
  number = ++calls;
  pthread_mutex_unlock(&mutex);
  if (number != atol(at)) return NULL;
  if (strcmp(kind, "kill") == 0) raise(SIGKILL);
  return kind;
}

static int fails(const char* kind) {
  if (kind == NULL || strcmp(kind, "short") == 0 || strcmp(kind, "killed") == 0) return 0;
  errno = strcmp(kind, "EIO") == 0 ? EIO : ENOSPC;
  return 1;
}

#define AFTER(kind, result)                                            \
  do {                                                                 \
    if ((kind) != NULL && strcmp(kind, "killed") == 0) raise(SIGKILL); \
    return result;                                                     \
  } while (0)

ssize_t write(int fd, const void* data, size_t size) {
  const char* kind = fault(descriptor_under_root(fd));
  ssize_t n;
  if (fails(kind)) return -1;
  n = REAL(write)(fd, data, kind != NULL && strcmp(kind, "short") == 0 && size > 1 ? size / 2 : size);
  AFTER(kind, n);
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  const char* kind = fault(descriptor_under_root(fd));
  ssize_t n;
  if (fails(kind)) return -1;
  n = REAL(pwrite)(fd, data, kind != NULL && strcmp(kind, "short") == 0 && size > 1 ? size / 2 : size, offset);
  AFTER(kind, n);
}

int fsync(int fd) {
  const char* kind = fault(descriptor_under_root(fd));
  int result;
  if (fails(kind)) return -1;
  result = REAL(fsync)(fd);
  AFTER(kind, result);
}

int fdatasync(int fd) {
  const char* kind = fault(descriptor_under_root(fd));
  int result;
  if (fails(kind)) return -1;
  result = REAL(fdatasync)(fd);
  AFTER(kind, result);
}

int rename(const char* from, const char* to) {
  const char* kind = fault(under_root(to));
  int result;
  if (fails(kind)) return -1;
  result = REAL(rename)(from, to);
  AFTER(kind, result);
}

int renameat2(int from_fd, const char* from, int to_fd, const char* to, unsigned flags) {
  const char* kind = fault(under_root(to));
  int result;
  if (fails(kind)) return -1;
  result = REAL(renameat2)(from_fd, from, to_fd, to, flags);
  AFTER(kind, result);
}

int mkdir(const char* path, mode_t mode) {
  const char* kind = fault(under_root(path));
  int result;
  if (fails(kind)) return -1;
  result = REAL(mkdir)(path, mode);
  AFTER(kind, result);
}

int unlink(const char* path) {
  const char* kind = fault(under_root(path));
  int result;
  if (fails(kind)) return -1;
  result = REAL(unlink)(path);
  AFTER(kind, result);
}

/* Of what lies in an open folder, the folder is looked up. */
int unlinkat(int folder, const char* path, int flags) {
  const char* kind = fault(folder == AT_FDCWD ? under_root(path) : descriptor_under_root(folder));
  int result;
  if (fails(kind)) return -1;
  result = REAL(unlinkat)(folder, path, flags);
  AFTER(kind, result);
}

int rmdir(const char* path) {
  const char* kind = fault(under_root(path));
  int result;
  if (fails(kind)) return -1;
  result = REAL(rmdir)(path);
  AFTER(kind, result);
}

int open(const char* path, int flags, ...) {
  const char* kind = fault(under_root(path) && (flags & O_CREAT) != 0);
  va_list arguments;
  mode_t mode;
  int result;
  va_start(arguments, flags);
  mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (fails(kind)) return -1;
  result = REAL(open)(path, flags, mode);
  AFTER(kind, result);
}

__attribute__((destructor)) static void report(void) {
  const char* path = getenv("FAULT_COUNT");
  FILE* file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld\n", calls);
  fclose(file);
}
