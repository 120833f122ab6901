/* SPDX-License-Identifier: MIT
 * A line on the terminal that says how far a long command is. */
#ifndef TOOLS_MPU_RECIPE_PROGRESS_H
#define TOOLS_MPU_RECIPE_PROGRESS_H

/* Overwrites the line before; nothing unless standard error is a terminal. */
void progress_show(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* What removes the line; NULL where there is none. */
const char *progress_eraser(void);
/* Removes the line; before anything else is printed. */
void progress_clear(void);

#endif
