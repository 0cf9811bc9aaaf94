/* The C interface of the ilt_text crate: tokenizers and chat templates. Private to src/text. */
#ifndef ILT_TEXT_H
#define ILT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ilt_text_tokenizer ilt_text_tokenizer;
typedef struct ilt_text_template ilt_text_template;

/* Bytes owned by the crate (UTF-8 where they are text); released with ilt_text_string_free. */
typedef struct {
  char* data;
  size_t size;
} ilt_text_string;

/* `offsets` holds `size` pairs: the byte range of the text that each id stands for. */
typedef struct {
  uint32_t* ids;
  size_t* offsets;
  size_t size;
} ilt_text_encoding;

/* Functions that return int32_t give 0, or -1 and fill `error`. No function unwinds. All but the two frees and
 * ilt_text_template_set_time may be called on one object from several threads at once. */
void ilt_text_string_free(ilt_text_string* string);
void ilt_text_encoding_free(ilt_text_encoding* encoding);

/* `json` is the content of tokenizer.json; its truncation and padding are switched off. */
int32_t ilt_text_tokenizer_new(const char* json, size_t size, ilt_text_tokenizer** out, ilt_text_string* error);
void ilt_text_tokenizer_free(ilt_text_tokenizer* tokenizer);
int32_t ilt_text_tokenizer_encode(const ilt_text_tokenizer* tokenizer, const char* text, size_t size,
                                  int32_t add_special, ilt_text_encoding* out, ilt_text_string* error);
int32_t ilt_text_tokenizer_decode(const ilt_text_tokenizer* tokenizer, const uint32_t* ids, size_t size,
                                  int32_t skip_special, ilt_text_string* out, ilt_text_string* error);
/* -1 where there is no such token. */
int64_t ilt_text_tokenizer_token_id(const ilt_text_tokenizer* tokenizer, const char* token, size_t size);
/* Largest id + 1, added tokens included. */
size_t ilt_text_tokenizer_vocab_size(const ilt_text_tokenizer* tokenizer);
/* Bytes of the longest token's name. */
size_t ilt_text_tokenizer_longest_token(const ilt_text_tokenizer* tokenizer);
int32_t ilt_text_tokenizer_is_special(const ilt_text_tokenizer* tokenizer, uint32_t id);

int32_t ilt_text_template_new(const char* source, size_t size, int64_t unix_time, ilt_text_template** out,
                              ilt_text_string* error);
void ilt_text_template_free(ilt_text_template* tmpl);
/* What strftime_now prints, in seconds since 1970, read as UTC. */
void ilt_text_template_set_time(ilt_text_template* tmpl, int64_t unix_time);
/* `variables` is a JSON object with everything that the template may name. */
int32_t ilt_text_template_render(const ilt_text_template* tmpl, const char* variables, size_t size,
                                 ilt_text_string* out, ilt_text_string* error);

/* Parquet and Arrow files as lines of JSON; only in a crate built with the feature "columnar". */
typedef struct ilt_text_rows ilt_text_rows;
int32_t ilt_text_rows_open(const char* path, size_t size, ilt_text_rows** out, ilt_text_string* error);
void ilt_text_rows_free(ilt_text_rows* rows);
/* The next rows, a JSON object a line; an empty string at the end. To be called no more after an error. */
int32_t ilt_text_rows_next(ilt_text_rows* rows, ilt_text_string* out, ilt_text_string* error);
/* How many bytes of the file the rows so far have taken. */
uint64_t ilt_text_rows_position(const ilt_text_rows* rows);

#ifdef __cplusplus
}
#endif

#endif
