/* SPDX-License-Identifier: MIT
 * How far a long command is: on a terminal a line that overwrites itself; elsewhere nothing, or
 * where it is asked for a line at each quarter.  All on standard error. */
#ifndef TOOLS_MPU_RECIPE_PROGRESS_H
#define TOOLS_MPU_RECIPE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Overwrites the line before; nothing unless standard error is a terminal. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same behind the share of a whole: `done` parts of `all`, called with one more each time.
 * Where standard error is no terminal and `asked`, a line of its own at each quarter. */
struct progress_parts {
    size_t done, all;
    bool asked;
};
void progress_part(const struct progress_parts *parts, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What removes the line; NULL where there is none. */
const char *progress_eraser(void);
/* Removes the line; before anything else is printed. */
void progress_clear(void);

#endif
