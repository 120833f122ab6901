/* SPDX-License-Identifier: MIT */
#include "machines/golden/link/golden.h"

#include "support/alloc.h"

#include <stdlib.h>

static struct machine_library *open_library(const struct target *t, const struct user_file *files,
                                            size_t count, struct diag *d) {
    (void)t, (void)files, (void)count, (void)d; /* contracts are all that it needs */
    return xcalloc(1, sizeof(struct machine_library));
}

static void close_library(struct machine_library *l) {
    free(l);
}

static struct machine_code *code_new(void) {
    struct machine_code *c = xcalloc(1, sizeof *c);
    c->machine = &golden_machine;
    return c;
}

static struct machine_code *build(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d) {
    (void)l, (void)p, (void)d;
    return code_new();
}

static void write_code(const struct machine_code *c, struct str *out) {
    (void)c, (void)out;
}

static struct machine_code *read_code(const void *bytes, size_t size, const char **problem) {
    (void)bytes;
    *problem = "it has code for a machine that needs none";
    return size ? NULL : code_new();
}

static bool ready(struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p) {
    (void)c, (void)l, (void)p;
    return true;
}

static void free_code(struct machine_code *c) {
    free(c);
}

static void print(const struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p, struct str *out) {
    (void)c, (void)p;
    str_printf(out, "target %s computes in host arithmetic and has no recipes\n", l->target->name);
}

const struct machine golden_machine = {
    .kind = &golden_target_kind,
    .open = open_library,
    .close = close_library,
    .code_version = 1,
    .build = build,
    .write = write_code,
    .read = read_code,
    .ready = ready,
    .free = free_code,
    .print = print,
};
