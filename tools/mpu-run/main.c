/* SPDX-License-Identifier: MIT
 * mpu-run: runs a program on an emulated machine. */
#include "tools/mpu-run/run.h"

#include <signal.h>
#include <unistd.h>

static struct run_signals signals;

/* While the program runs the first interrupt ends it at a precise place; every other one ends the
 * tool, whatever it waits for. */
static void on_interrupt(int signal_number) {
    bool first = signals.running && !signals.interrupted;
    signal(signal_number, SIG_DFL);
    signals.interrupted = RUN_INTERRUPTED;
    if (!first)
        raise(signal_number);
}

/* Who reads an output has read enough. */
static void on_closed_pipe(int signal_number) {
    (void)signal_number;
    signals.interrupted = RUN_PIPE_CLOSED;
}

/* Data files are mapped, and there is nothing behind the end of one that became shorter.  Only what
 * a signal handler may call: no output has its name yet, and none gets it. */
static void on_shortened_file(int signal_number) {
    static const char text[] = "mpu-run: error: a data file became shorter while it was in use\n";
    (void)signal_number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* nobody is left to be told */
    _exit(EXIT_FILE);
}

int main(int argc, char **argv) {
    struct command_line cl;
    int code;
    if (!command_line_parse(&mpu_run_tool, argc, argv, &cl, &code))
        return code;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    signal(SIGPIPE, on_closed_pipe);
    signal(SIGBUS, on_shortened_file);
    code = mpu_run_command(&cl, argc, argv, &signals, stdout);
    command_line_free(&cl);
    return code;
}
