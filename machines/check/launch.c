/* SPDX-License-Identifier: MIT
 * Memory and kernels on both sides: after each launch all memory is compared.  Where a form's
 * threads have an order that its text does not settle, golden carries them out in two orders: bytes
 * that come out differently depend on it; they are counted, and golden goes on with strict's. */
#include "machines/check/check.h"
#include "machines/golden/run/golden.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* The same addresses, for arguments are addresses. */
static bool same(uint64_t strict, uint64_t golden, struct diag *diag) {
    if (strict != golden)
        diag_error(diag, NO_SPAN,
                   "buffers of strict and golden lie at different addresses: 0x%" PRIx64
                   " and 0x%" PRIx64,
                   strict, golden);
    return strict == golden;
}

bool check_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *diag) {
    struct check_machine *x = check_of(dp);
    uint64_t golden;
    return x->strict->ops->mem_alloc(x->strict, bytes, address, diag) &&
           golden_mem_alloc(x->golden, bytes, &golden, diag) && same(*address, golden, diag);
}

bool check_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                            uint64_t *stride, struct diag *diag) {
    struct check_machine *x = check_of(dp);
    uint64_t golden, step;
    return x->strict->ops->mem_alloc_slices(x->strict, bytes, units, address, stride, diag) &&
           golden_mem_alloc_slices(x->golden, bytes, units, &golden, &step, diag) &&
           same(*address, golden, diag) && same(*stride, step, diag);
}

bool check_mem_free(struct datapath *dp, uint64_t address, struct diag *diag) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->mem_free(x->strict, address, diag) &&
           golden_mem_free(x->golden, address, diag);
}

bool check_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                   struct diag *diag) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->mem_put(x->strict, address, bytes, size, diag) &&
           golden_mem_put(x->golden, address, bytes, size, diag);
}

bool check_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                   struct diag *diag) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->mem_get(x->strict, address, bytes, size, diag);
}

/* ---- comparing ---- */

/* What all arrays of golden hold, one slice behind the other. */
static unsigned char *copy_memory(const struct state_memory *memory) {
    size_t all = 0, at = 0;
    for (size_t i = 0; i < memory->arrays.len; i++)
        all += (size_t)(memory->arrays.data[i].slices * memory->arrays.data[i].pitch);
    unsigned char *copy = xmalloc(all + 1);
    for (size_t i = 0; i < memory->arrays.len; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        memcpy(copy + at, a->bytes, (size_t)(a->slices * a->pitch));
        at += (size_t)(a->slices * a->pitch);
    }
    return copy;
}

static void set_memory(struct state_memory *memory, const unsigned char *copy) {
    for (size_t i = 0; i < memory->arrays.len; i++) {
        struct state_array *a = &memory->arrays.data[i];
        memcpy(a->bytes, copy, (size_t)(a->slices * a->pitch));
        copy += a->slices * a->pitch;
    }
}

/* Golden before the launch, and after it in both orders; `descending` is NULL where there is one.
 */
struct golden_states {
    unsigned char *before, *ascending, *descending;
};

/* Sets where golden and strict differ in a slice at `address`, of which `golden` has the bytes and
 * `other` those of the other order (or the same); strict's take the place of unsettled ones. */
static bool slice_differs(struct check_machine *machine, uint64_t address, uint64_t size,
                          unsigned char *golden, const unsigned char *other,
                          const unsigned char *strict) {
    for (uint64_t i = 0; i < size; i++) {
        if (golden[i] != other[i]) {
            machine->counts.unsettled++;
            golden[i] = strict[i];
        }
        if (golden[i] == strict[i])
            continue;
        struct check_memory *d = &machine->memory;
        uint64_t from = i - i % 8;
        d->address = address + from;
        d->size = (uint32_t)(size - from < 8 ? size - from : 8);
        d->byte = (uint32_t)(i - from);
        memcpy(d->golden, golden + from, d->size);
        memcpy(d->strict, strict + from, d->size);
        return true;
    }
    machine->counts.bytes += size;
    return false;
}

/* False after reporting that strict has no such memory. */
static bool compare(struct check_machine *machine, const struct golden_states *states,
                    struct diag *diag) {
    struct state_memory *memory = &golden_of(machine->golden)->memory;
    const unsigned char *other = states->descending ? states->descending : states->ascending;
    bool fine = true;
    for (size_t i = 0; i < memory->arrays.len && fine && !machine->memory_differs; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        unsigned char *strict = xmalloc((size_t)a->size + 1);
        for (uint64_t s = 0; s < a->slices && fine && !machine->memory_differs; s++) {
            uint64_t address = a->address + s * a->stride;
            fine = machine->strict->ops->mem_get(machine->strict, address, strict, a->size, diag);
            if (fine)
                machine->memory_differs = slice_differs(machine, address, a->size,
                                                        a->bytes + s * a->pitch,
                                                        other + s * a->pitch, strict);
        }
        other += a->slices * a->pitch;
        free(strict);
    }
    return fine;
}

/* ---- launches ---- */

static bool carry_out(struct check_machine *machine, const struct dp_launch *launch,
                      struct golden_states *states, struct diag *diag) {
    struct golden_machine *g = golden_of(machine->golden);
    struct golden_watch watch = {.address = UINT64_MAX};
    states->before = copy_memory(&g->memory);
    if (golden_is_ordered(launch->decl)) {
        if (!golden_carry_out(g, launch, true, &watch, diag))
            return false;
        states->descending = copy_memory(&g->memory);
        set_memory(&g->memory, states->before);
    }
    if (!golden_carry_out(g, launch, false, &watch, diag))
        return false;
    states->ascending = copy_memory(&g->memory);
    return true;
}

/* Which line wrote the byte on golden: once more from where it began. */
static void find_line(struct check_machine *machine, const struct dp_launch *launch,
                      const struct golden_states *states) {
    struct golden_machine *g = golden_of(machine->golden);
    struct golden_watch watch = {.address = machine->memory.address + machine->memory.byte};
    struct diag *quiet = diag_new(NULL, NULL);
    set_memory(&g->memory, states->before);
    golden_carry_out(g, launch, false, &watch, quiet);
    machine->memory.line = watch.line;
    diag_free(quiet);
}

bool check_launch(struct datapath *dp, const struct dp_launch *launch, struct dp_cost *cost,
                  struct diag *diag) {
    struct check_machine *x = check_of(dp);
    struct golden_states states = {NULL, NULL, NULL};
    struct dp_launch golden = *launch;
    golden.go_on = NULL; /* its steps are no cycles; strict came to an end */
    golden.stopped = NULL; /* its faults have lines */
    if (!x->strict->ops->launch(x->strict, launch, cost, diag))
        return false;
    x->counts.launches++;
    bool fine = carry_out(x, &golden, &states, diag) && compare(x, &states, diag);
    if (fine && x->memory_differs)
        find_line(x, &golden, &states);
    free(states.before);
    free(states.ascending);
    free(states.descending);
    return fine;
}

bool check_memory_differs(struct datapath *dp, struct check_memory *out) {
    const struct check_machine *x = check_of(dp);
    *out = x->memory;
    return x->memory_differs;
}
