/* SPDX-License-Identifier: MIT
 * How the command tells what went wrong: messages of its own, exit codes, the line of progress. */
#include "tools/mpu-run/run.h"

#include <stdarg.h>
#include <stdio.h>

int run_exit_code(mpu_result result) {
    switch (result) {
    case MPU_OK:
        return EXIT_DONE;
    case MPU_USAGE:
        return EXIT_USAGE;
    case MPU_FILE:
        return EXIT_FILE;
    case MPU_STOPPED:
        return EXIT_STOPPED;
    case MPU_CAPACITY: /* of the host's memory, which no sink of messages hears of */
        fputs("error: out of memory\n", stderr);
        return EXIT_FILE;
    default:
        return EXIT_REJECTED;
    }
}

mpu_result run_code(mpu_error *error) {
    mpu_result r = mpu_error_code(error);
    mpu_error_free(error);
    return r;
}

void run_error(const struct run_options *options, const char *format, ...) {
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    mpu_messages_add(options->messages, MPU_ERROR, arena_vprintf(&arena, format, args));
    va_end(args);
    arena_free(&arena);
}

bool run_is_unheard(const struct run_options *options) {
    return options->signals && options->signals->interrupted == RUN_PIPE_CLOSED;
}

void run_clear_line(struct run_console *console) {
    if (!console->shown)
        return;
    fprintf(console->terminal, "\r\033[K");
    fflush(console->terminal);
    console->shown = false;
}
