/* SPDX-License-Identifier: MIT
 * Near-bank SIMT cores for the linker and the tools: kernels, and no MPU instructions. */
#include "machines/core/simt/link/simt_link.h"

#include "support/alloc.h"

#include <stdlib.h>

uint64_t simt_memory(const struct target *t) {
    const struct simt_keys *k = simt_keys(t);
    return k->bank_bytes * k->banks * t->vrf_per_rfh * t->rfh_per_mpu * t->mpus;
}

static struct machine_library *open_library(const struct target *target,
                                            const struct user_file *files, size_t count,
                                            struct diag *diag) {
    (void)target, (void)files, (void)count, (void)diag; /* recipes are of no use here */
    return xcalloc(1, sizeof(struct machine_library));
}

static void close_library(struct machine_library *library) {
    free(library);
}

static bool has(const struct machine_library *library, enum isa_op op) {
    (void)library, (void)op;
    return false;
}

static void why_not(const struct machine_library *library, enum isa_op op, struct str *out) {
    (void)library, (void)op;
    str_append(out, ": its cores run kernels alone (docs/simt.md)");
}

static void print(const struct machine_code *code, const struct machine_library *library,
                  const struct machine_program *program, struct str *out) {
    (void)code, (void)program;
    str_printf(out, "target %s runs kernels and has no recipes\n", library->target->name);
}

static const struct machine_form *const forms[] = {&simt_ptx_form, NULL};

const struct machine simt_machine = {
    .kind = &simt_target_kind,
    .open = open_library,
    .close = close_library,
    .has = has,
    .why_not = why_not,
    .code_version = 1,
    .print = print,
    .forms = forms,
};
