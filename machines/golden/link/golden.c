/* SPDX-License-Identifier: MIT */
#include "machines/golden/link/golden.h"
#include "recipe/recipe.h"

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

static const char *hash(const struct machine_library *l) {
    (void)l;
    return NULL;
}

static bool has(const struct machine_library *l, enum mpu_op op) {
    return !(isa_info(op)->flags & ISA_USER) || recipe_contracts_have(l->contracts, op);
}

static void why_not(const struct machine_library *l, enum mpu_op op, struct str *out) {
    (void)l, (void)op, (void)out;
}

static bool fits(const struct machine_library *l, const struct insn *insn, struct str *problem) {
    (void)l, (void)insn, (void)problem;
    return true;
}

static bool has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem) {
    (void)t, (void)reg_bits, (void)problem;
    return true;
}

static uint32_t lanes(const struct target *t, const uint8_t reg_bits[64]) {
    (void)reg_bits;
    return t->lanes;
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

static void load(const struct machine_code *c, struct machine_load *out) {
    (void)c;
    *out = (struct machine_load){.parts = NULL};
}

static uint32_t part_of(const struct machine_code *c, const struct text *text, uint32_t index,
                        bool masked) {
    (void)c, (void)text, (void)index, (void)masked;
    return MACHINE_NO_PART;
}

const struct machine golden_machine = {
    .kind = &golden_target_kind,
    .open = open_library,
    .close = close_library,
    .hash = hash,
    .has = has,
    .why_not = why_not,
    .fits = fits,
    .has_room = has_room,
    .lanes = lanes,
    .code_version = 1,
    .build = build,
    .write = write_code,
    .read = read_code,
    .ready = ready,
    .free = free_code,
    .print = print,
    .load = load,
    .part_of = part_of,
};
