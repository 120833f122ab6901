/* SPDX-License-Identifier: MIT
 * mpu-run: runs a program on an emulated machine. */
#include "runtime/run/run.h"

#include <signal.h>

static volatile sig_atomic_t interrupted;

/* The first interrupt ends the program at a precise place; the second ends the tool. */
static void on_interrupt(int signal_number) {
    interrupted = 1;
    signal(signal_number, SIG_DFL);
}

int main(int argc, char **argv) {
    struct command_line cl;
    int code;
    if (!command_line_parse(&mpu_run_tool, argc, argv, &cl, &code))
        return code;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    code = mpu_run_command(&cl, argc, argv, &interrupted, stdout);
    command_line_free(&cl);
    return code;
}
