/* SPDX-License-Identifier: MIT
 * --list-targets, --print-target, --list-keys. */
#include "tools/mpu-run/run.h"

#include <stdlib.h>

/* A number and the ending of its noun, for "%u MPU%s". */
#define COUNTED(n) (unsigned)(n), (n) == 1 ? "" : "s"

/* 0: the target has none. */
static uint64_t number(const mpu_target *t, const char *name) {
    uint64_t value = 0;
    return mpu_target_number(t, name, &value) == MPU_OK ? value : 0;
}

/* How many registers a lane has, and rows for their bits. */
static void registers_line(const mpu_target *t, struct str *out) {
    uint64_t there = number(t, "rows"), least = number(t, "rows_least");
    str_printf(out, "%-16s a lane has 64 registers", "");
    if (there)
        str_printf(out, " and %u rows for their bits; instructions leave at least %u of these",
                   (unsigned)there, (unsigned)least);
    str_char(out, '\n');
}

static void geometry_lines(const mpu_target *t, struct str *out) {
    uint64_t lanes = number(t, "lanes"), vrfs = number(t, "vrf_per_rfh");
    uint64_t rfhs = number(t, "rfh_per_mpu"), mpus = number(t, "mpus");
    uint64_t assumed = number(t, "assumed");
    str_printf(out, "%-16s %u lane%s per VRF, %u VRF%s per RFH, %u RFH%s per MPU", "",
               COUNTED(lanes), COUNTED(vrfs), COUNTED(rfhs));
    if (!mpus)
        str_append(out, ", as many MPUs as a program needs\n");
    else
        str_printf(out, ", %u MPU%s; %u of its numbers %s assumed\n", COUNTED(mpus),
                   (unsigned)assumed, assumed == 1 ? "is" : "are");
    registers_line(t, out);
}

int run_list_targets(const struct run_options *o) {
    struct str text = {0};
    const char *name;
    for (size_t i = 0; (name = mpu_target_builtin(i)); i++) {
        mpu_target *t = o->verbose ? mpu_target_open_with(name, NULL, o->messages, NULL) : NULL;
        str_printf(&text, "%-16s %s\n", name, mpu_target_summary(name));
        if (t)
            geometry_lines(t, &text);
        mpu_target_close(t);
    }
    fputs(str_text(&text), o->stdout_file); /* the command's end asks whether that was written */
    str_free(&text);
    return mpu_messages_errors(o->messages) ? EXIT_REJECTED : EXIT_DONE;
}

static int show(const char *name, const struct run_options *o, char *print(const mpu_target *)) {
    VEC(const char *) set = {0};
    struct arena arena = {0};
    mpu_error *e = NULL;
    for (size_t i = 0; i < o->set_axes.len; i++)
        vec_push(&set, arena_printf(&arena, "%s=%s", o->set_axes.data[i].name,
                                    o->set_axes.data[i].values[0]));
    vec_push(&set, NULL);
    mpu_target *t = mpu_target_open_with(name, set.data, o->messages, &e);
    vec_free(&set);
    arena_free(&arena);
    if (!t)
        return run_exit_code(run_code(e));
    char *text = print(t);
    fputs(text, o->stdout_file);
    mpu_string_free(text);
    mpu_target_close(t);
    return EXIT_DONE;
}

int run_print_target(const struct run_options *o) {
    return show(o->print_target, o, mpu_target_print);
}

int run_list_keys(const struct run_options *o) {
    return show(o->list_keys, o, mpu_target_keys);
}
