/* SPDX-License-Identifier: MIT
 * Near-bank SIMT cores for the linker and the tools. */
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

static const struct machine_form *const forms[] = {&simt_ptx_form, NULL};

const struct machine simt_machine = {
    .kind = &simt_target_kind,
    .open = open_library,
    .close = close_library,
    .has = simt_has,
    .why_not = simt_why_not,
    .has_room = simt_has_room,
    .lanes = simt_vrf_lanes,
    .code_version = 2,
    .build = simt_build,
    .write = simt_code_write,
    .read = simt_code_read,
    .ready = machine_code_serves,
    .free = simt_code_free,
    .print = simt_code_print,
    .load = simt_code_load,
    .forms = forms,
};
