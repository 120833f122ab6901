/* SPDX-License-Identifier: MIT
 * A line that overwrites itself; nothing where standard error is no terminal. */
#include "tools/mpu-recipe/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* Back to the first column and the rest of the line empty (ECMA-48 EL). */
#define FRESH_LINE "\r\033[K"

void progress_show(const char *format, ...) {
    va_list args;
    if (!isatty(STDERR_FILENO))
        return;
    va_start(args, format);
    fputs(FRESH_LINE "mpu-recipe: ", stderr);
    vfprintf(stderr, format, args);
    fflush(stderr);
    va_end(args);
}

const char *progress_eraser(void) {
    return isatty(STDERR_FILENO) ? FRESH_LINE : NULL;
}

void progress_clear(void) {
    if (isatty(STDERR_FILENO))
        fputs(FRESH_LINE, stderr);
}
