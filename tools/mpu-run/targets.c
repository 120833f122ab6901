/* SPDX-License-Identifier: MIT
 * --list-targets, --print-target, --list-keys. */
#include "tools/mpu-run/run.h"

#include <stdlib.h>

/* A number and the ending of its noun, for "%u MPU%s". */
#define COUNTED(n) (unsigned)(n), (n) == 1 ? "" : "s"

/* 0: the target has none. */
static uint64_t number(const mpu_target *target, const char *name) {
    uint64_t value = 0;
    return mpu_target_number(target, name, &value) == MPU_OK ? value : 0;
}

/* How many registers a lane has, and rows for their bits. */
static void registers_line(const mpu_target *target, struct str *out) {
    uint64_t there = number(target, "rows"), least = number(target, "rows_least"),
             bits = number(target, "row_bits");
    str_printf(out, "%-16s a lane has 64 registers", "");
    if (bits > 1)
        str_printf(out, " and %u columns for %u of their bits each", (unsigned)there,
                   (unsigned)bits);
    else if (there)
        str_printf(out, " and %u rows for their bits", (unsigned)there);
    if (there)
        str_printf(out, "; instructions leave at least %u of these", (unsigned)least);
    str_char(out, '\n');
}

static void geometry_lines(const mpu_target *target, struct str *out) {
    uint64_t lanes = number(target, "lanes"), vrfs = number(target, "vrf_per_rfh");
    uint64_t rfhs = number(target, "rfh_per_mpu"), mpus = number(target, "mpus");
    uint64_t assumed = number(target, "assumed");
    str_printf(out, "%-16s %u lane%s per VRF, %u VRF%s per RFH, %u RFH%s per MPU", "",
               COUNTED(lanes), COUNTED(vrfs), COUNTED(rfhs));
    if (!mpus)
        str_append(out, ", as many MPUs as a program needs\n");
    else
        str_printf(out, ", %u MPU%s; %u of its numbers %s assumed\n", COUNTED(mpus),
                   (unsigned)assumed, assumed == 1 ? "is" : "are");
    registers_line(target, out);
}

int run_list_targets(const struct run_options *options) {
    struct str text = {0};
    const char *name;
    for (size_t i = 0; (name = mpu_target_builtin(i)); i++) {
        mpu_target *t =
            options->verbose ? mpu_target_open_with(name, NULL, options->messages, NULL) : NULL;
        str_printf(&text, "%-16s %s\n", name, mpu_target_summary(name));
        if (t)
            geometry_lines(t, &text);
        mpu_target_close(t);
    }
    fputs(str_text(&text),
          options->stdout_file); /* the command's end asks whether that was written */
    str_free(&text);
    return mpu_messages_errors(options->messages) ? EXIT_REJECTED : EXIT_DONE;
}

static int show(const char *name, const struct run_options *options,
                char *print(const mpu_target *)) {
    VEC(const char *) set = {0};
    struct arena arena = {0};
    mpu_error *e = NULL;
    for (size_t i = 0; i < options->set_axes.len; i++)
        vec_push(&set, arena_printf(&arena, "%s=%s", options->set_axes.data[i].name,
                                    options->set_axes.data[i].values[0]));
    vec_push(&set, NULL);
    mpu_target *t = mpu_target_open_with(name, set.data, options->messages, &e);
    vec_free(&set);
    arena_free(&arena);
    if (!t)
        return run_exit_code(run_code(e));
    char *text = print(t);
    fputs(text, options->stdout_file);
    mpu_string_free(text);
    mpu_target_close(t);
    return EXIT_DONE;
}

int run_print_target(const struct run_options *options) {
    return show(options->print_target, options, mpu_target_print);
}

int run_list_keys(const struct run_options *options) {
    return show(options->list_keys, options, mpu_target_keys);
}
