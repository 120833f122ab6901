/* SPDX-License-Identifier: MIT
 * The stages of a text while they are added to a pipeline. */
#ifndef PIPELINE_TEXT_ADDING_H
#define PIPELINE_TEXT_ADDING_H

#include "pipeline/text.h"

struct pipeline_text_adding {
    struct pipeline_text *t;
    const struct pipeline_given *given;
    const char *file;
    uint32_t first_line;
    struct pipeline *to;
    struct portable_fault *fault;
};

/* ---- text_values.c ---- */
/* The kernel's parameter of that name; NO_INDEX. */
uint32_t pipeline_text_parameter(const struct pipeline_text *text, const char *name);
/* The text with numbers in place of parameters that are some: those of 64 bits take the type that
 * they meet, as numbers that are written do, others have their own. */
const char *pipeline_text_with_numbers(struct pipeline_text_adding *adding, const char *text);
/* Those of the text, with numbers in them; NULL: it has none. */
const char *pipeline_text_constants(struct pipeline_text_adding *adding);
/* What the accumulator begins with (`= ..`), of that type; false: it is no constant of it. */
bool pipeline_text_init(struct pipeline_text_adding *adding,
                        const struct pipeline_named *accumulator, struct lane_type type,
                        uint64_t *value);
/* What a filter keeps; NULL. */
const struct pipeline_named *pipeline_text_kept(const struct pipeline_written *stage);

#endif
