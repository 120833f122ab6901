/* SPDX-License-Identifier: MIT
 * The text of a function that a stage carries out, as its author wrote it:
 * `[](uint32_t *c, uint32_t *a) { *c = *a; }`, or without `[]`, or in parentheses. */
#ifndef PIPELINE_LAMBDA_H
#define PIPELINE_LAMBDA_H

#include "object/object.h"

struct pipeline_parameter {
    const char *name;
    struct lane_type type; /* bits 0: its words are no type that is known here */
};
struct pipeline_function {
    VEC(struct pipeline_parameter) parameters;
    const char *body; /* what stands between the braces */
};
#define PIPELINE_MAX_PARAMETERS 64

/* ---- texts of C ---- */
/* Behind blanks and comments. */
const char *pipeline_skip(const char *at);
/* Letters, digits and underscores from there on. */
size_t pipeline_word_length(const char *at);
bool pipeline_is_word(const char *at, size_t n, const char *word);
/* Behind the partner of the bracket at `at`; NULL: it has none before `end`. */
const char *pipeline_partner(const char *at, const char *end);

/* Names and texts lie in the arena.  False, with what is wrong appended, for what is no such
 * function: captures, parameters that are no pointers, braces without a partner. */
bool pipeline_parse_function(const char *text, struct arena *arena,
                             struct pipeline_function *function, struct str *wrong);
/* The text with each word that is from[i] replaced by to[i]. */
const char *pipeline_rename(struct arena *arena, const char *text, const char *const *from,
                            const char *const *to, size_t count);
/* Whether the text is a name of C. */
bool pipeline_is_name(const char *text);
/* Whether the word stands in the text. */
bool pipeline_has_word(const char *text, const char *word);

#endif
