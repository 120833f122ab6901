/* SPDX-License-Identifier: MIT
 * How the command tells what went wrong: messages of its own, exit codes, the line of progress. */
#include "tools/mpu-run/run.h"

#include <stdarg.h>

int run_exit_code(mpu_result r) {
    switch (r) {
    case MPU_OK:
        return EXIT_DONE;
    case MPU_USAGE:
        return EXIT_USAGE;
    case MPU_FILE:
        return EXIT_FILE;
    case MPU_STOPPED:
        return EXIT_STOPPED;
    default:
        return EXIT_REJECTED;
    }
}

mpu_result run_code(mpu_error *e) {
    mpu_result r = mpu_error_code(e);
    mpu_error_free(e);
    return r;
}

void run_error(const struct run_options *o, const char *format, ...) {
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    mpu_messages_add(o->messages, MPU_ERROR, arena_vprintf(&arena, format, args));
    va_end(args);
    arena_free(&arena);
}

void run_clear_line(struct run_console *c) {
    if (!c->shown)
        return;
    fprintf(c->terminal, "\r\033[K");
    fflush(c->terminal);
    c->shown = false;
}
