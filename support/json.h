/* SPDX-License-Identifier: MIT
 * JSON output, over LLVM's json::OStream: keys in the order written, two-space indentation. */
#ifndef SUPPORT_JSON_H
#define SUPPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>

struct json;
struct str;

struct json *json_new(void);
/* The same without indentation: everything on one line. */
struct json *json_new_line(void);
/* Appends the text and a newline to out and releases the writer. */
void json_finish(struct json *j, struct str *out);

/* key == NULL inside arrays and at the top. */
void json_object_begin(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array_begin(struct json *j, const char *key);
void json_array_end(struct json *j);
void json_string(struct json *j, const char *key, const char *value);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_double(struct json *j, const char *key,
                 double value); /* shortest exact; not finite: null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
