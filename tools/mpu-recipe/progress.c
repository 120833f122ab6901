/* SPDX-License-Identifier: MIT
 * Progress on standard error. */
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

static unsigned percent_of(const struct progress_parts *parts, size_t done) {
    return (unsigned)(done * 100 / parts->all);
}

static bool is_quarter(const struct progress_parts *parts) {
    return percent_of(parts, parts->done) / 25 != percent_of(parts, parts->done - 1) / 25;
}

void progress_part(const struct progress_parts *parts, const char *format, ...) {
    bool terminal = isatty(STDERR_FILENO);
    va_list args;
    if (!terminal && !(parts->asked && is_quarter(parts)))
        return;
    va_start(args, format);
    fprintf(stderr, "%smpu-recipe: %3u %%  ", terminal ? FRESH_LINE : "",
            percent_of(parts, parts->done));
    vfprintf(stderr, format, args);
    fputs(terminal ? "" : "\n", stderr);
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
