/* SPDX-License-Identifier: MIT
 * A stage while it is added to a pipeline. */
#ifndef PIPELINE_ADDING_H
#define PIPELINE_ADDING_H

#include "pipeline/pipeline.h"

/* A stage that is being added.  Why it cannot be: `wrong`, or, if a pipeline of its own behind what
 * is there could have it, `cut`. */
struct pipeline_adding {
    struct pipeline *p;
    const struct pipeline_request *asked;
    struct pipeline_function function, combine;
    struct pipeline_stage stage;
    uint32_t number, length; /* length: of what goes in; NO_INDEX: not known yet */
    struct str wrong, cut;
    /* Arrays that it changes, and which stage did before. */
    uint32_t changed[PIPELINE_MAX_PARAMETERS], before[PIPELINE_MAX_PARAMETERS];
    size_t changes;
};
/* Says what is wrong; false. */
bool pipeline_wrong(struct pipeline_adding *adding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "argument 2", or "`b`" where it has a name. */
const char *pipeline_argument_text(struct pipeline_adding *adding, size_t i);

/* ---- requests.c: what is asked for, whatever the pipeline has ---- */
/* Pattern, arguments, sizes and functions; these are read.  False where something is wrong. */
bool pipeline_check_request(struct pipeline_adding *adding);
/* Whether the function has a parameter for argument i: a filter's OUTPUT has none. */
bool pipeline_is_passed(const struct pipeline_adding *adding, size_t i);

#endif
