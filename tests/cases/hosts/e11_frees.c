/* E11: handles are freed in every order, also while a session uses what they hold, and two sessions share a data set.
 */
#include "host.h"

static ilt_dataset* make_data(const struct host* host) {
  ilt_config* config = make_config(host, 1);
  ilt_dataset* data = NULL;
  GOOD(ilt_dataset_create(config, NULL, &data, &err));
  ilt_config_free(config);
  return data;
}

static ilt_session* make_empty_session(const struct host* host) {
  ilt_config* config = make_config(host, 0);
  ilt_session* session = NULL;
  GOOD(ilt_session_create(config, &session, &err));
  ilt_config_free(config);
  return session;
}

static void free_all_but_the_session(const struct host* host) {
  ilt_session* session = make_empty_session(host);
  ilt_dataset* data = make_data(host);
  ilt_tokenizer* tokenizer = NULL;
  ilt_cancel_token* token = NULL;
  int i;
  GOOD(ilt_tokenizer_load(host->model, &tokenizer, &err));
  GOOD(ilt_cancel_token_create(&token, &err));
  GOOD(ilt_session_set_datasets(session, data, NULL, &err));
  ilt_tokenizer_free(tokenizer);
  ilt_dataset_free(data);
  ilt_cancel_token_free(token);
  for (i = 0; i < 3; ++i) take_step(host, session);
  ilt_session_free(session);
}

struct handles {
  ilt_session* session;
  ilt_dataset* data;
  ilt_tokenizer* tokenizer;
  ilt_cancel_token* token;
};

static void free_one(struct handles* h, int which) {
  switch (which) {
    case 0:
      ilt_session_free(h->session);
      break;
    case 1:
      ilt_dataset_free(h->data);
      break;
    case 2:
      ilt_tokenizer_free(h->tokenizer);
      break;
    default:
      ilt_cancel_token_free(h->token);
  }
}

static void free_in_order(const struct host* host, const int order[4]) {
  struct handles h = {make_empty_session(host), make_data(host), NULL, NULL};
  int i;
  GOOD(ilt_tokenizer_load(host->model, &h.tokenizer, &err));
  GOOD(ilt_cancel_token_create(&h.token, &err));
  GOOD(ilt_session_set_datasets(h.session, h.data, h.data, &err));
  GOOD(ilt_train_step(h.session, NULL, &err));
  for (i = 0; i < 4; ++i) free_one(&h, order[i]);
}

static void free_in_all_orders(const struct host* host) {
  int a, b, c, d;
  for (a = 0; a < 4; ++a)
    for (b = 0; b < 4; ++b)
      for (c = 0; c < 4; ++c)
        for (d = 0; d < 4; ++d) {
          const int order[4] = {a, b, c, d};
          if (a != b && a != c && a != d && b != c && b != d && c != d) free_in_order(host, order);
        }
}

static void share_a_data_set(const struct host* host) {
  ilt_session *first = make_empty_session(host), *second = make_empty_session(host);
  ilt_dataset* data = make_data(host);
  ilt_metrics a = ILT_METRICS_INIT, b = ILT_METRICS_INIT;
  GOOD(ilt_session_set_datasets(first, data, NULL, &err));
  GOOD(ilt_session_set_datasets(second, data, NULL, &err));
  ilt_dataset_free(data);
  GOOD(ilt_train_step(first, &a, &err));
  ilt_session_free(first);
  GOOD(ilt_train_step(second, &b, &err));
  ilt_session_free(second);
  CHECK(a.loss == b.loss);
}

static void retain_and_free_twice(void) {
  ilt_cancel_token* token = NULL;
  GOOD(ilt_cancel_token_create(&token, &err));
  CHECK(ilt_cancel_token_retain(token) == token);
  ilt_cancel_token_free(token);
  CHECK(ilt_cancel_token_is_cancelled(token) == 0);
  ilt_cancel_token_free(token);
}

void case_e11(struct host* host) {
  free_all_but_the_session(host);
  free_in_all_orders(host);
  share_a_data_set(host);
  retain_and_free_twice();
}
