/* E03: a child made by fork() is told that its handles are of no use, at once; its parent goes on as if nothing were.
 */
#define _POSIX_C_SOURCE 200809L

#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

/* Each answer of the child is a bit of its exit status. */
static int use_in_child(ilt_session* session, ilt_tokenizer* tokenizer, ilt_batch* batch) {
  static const int32_t ids[] = {1, 2};
  int32_t* out = NULL;
  size_t count = 0;
  int wrong = 0;
  alarm(5);
  wrong |= ilt_train_step(session, NULL, NULL) != ILT_ERR_FORKED;
  wrong |= (ilt_tokenizer_encode(tokenizer, "a", 1, 0, &out, &count, NULL) != ILT_ERR_FORKED) << 1;
  wrong |= (ilt_batch_add(batch, ids, NULL, NULL, 2, NULL) != ILT_ERR_FORKED) << 2;
  ilt_session_free(session);
  ilt_tokenizer_free(tokenizer);
  ilt_batch_free(batch);
  return wrong;
}

void case_e03(struct host* host) {
  ilt_session* session = make_session(host);
  ilt_tokenizer* tokenizer = NULL;
  ilt_batch* batch = NULL;
  int result = 0;
  pid_t child;
  GOOD(ilt_tokenizer_load(host->model, &tokenizer, &err));
  GOOD(ilt_batch_create(&batch, &err));
  take_step(host, session);
  fflush(NULL);
  child = fork();
  CHECK(child >= 0);
  if (child == 0) _exit(use_in_child(session, tokenizer, batch));
  CHECK(waitpid(child, &result, 0) == child);
  CHECK(WIFEXITED(result));
  CHECK(WEXITSTATUS(result) == 0);
  take_step(host, session);
  take_step(host, session);
  ilt_batch_free(batch);
  ilt_tokenizer_free(tokenizer);
  ilt_session_free(session);
}
