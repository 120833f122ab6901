/* SPDX-License-Identifier: MIT
 * Kernels of words, and the arrays of the host that get what their READ words return. */
#include "machines/plane/link/host_kernel.h"
#include "machines/plane/run/host_stream.h"

#include "object/bytes.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void plane_launch_open(struct plane_machine *machine) {
    state_memory_open(&machine->memory, 0);
    if (!machine->setup.kernels)
        return;
    machine->stream_counts = xcalloc(STREAM_COUNTS, sizeof *machine->stream_counts);
    struct dp_tables *t = &machine->base.tables;
    machine->counter_names = xcalloc(t->counter_count + STREAM_COUNTS, sizeof *t->counters);
    for (uint32_t i = 0; i < t->counter_count; i++)
        machine->counter_names[i] = t->counters[i];
    for (uint32_t i = 0; i < STREAM_COUNTS; i++)
        machine->counter_names[t->counter_count + i] = plane_stream_names[i];
    t->counters = machine->counter_names;
    t->counter_count += STREAM_COUNTS;
}

void plane_launch_close(struct plane_machine *machine) {
    state_memory_close(&machine->memory);
    free(machine->stream_counts);
    free(machine->counter_names);
}

void plane_counters(const struct datapath *dp, uint64_t *values) {
    const struct plane_machine *m = plane_of_const(dp);
    uint32_t own = m->stream_counts ? STREAM_COUNTS : 0, sides = dp->tables.counter_count - own;
    memcpy(values, m->counters, sides * sizeof *values);
    if (own)
        memcpy(values + sides, m->stream_counts, own * sizeof *values);
}

/* ---- arrays ---- */

bool plane_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d) {
    return state_memory_alloc(&plane_of(dp)->memory, bytes, address, d);
}

bool plane_mem_free(struct datapath *dp, uint64_t address, struct diag *d) {
    return state_memory_free(&plane_of(dp)->memory, address, d);
}

bool plane_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                   struct diag *d) {
    return state_memory_put(&plane_of(dp)->memory, address, bytes, size, d);
}

bool plane_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                   struct diag *d) {
    return state_memory_get(&plane_of(dp)->memory, address, bytes, size, d);
}

/* ---- a launch ---- */

/* Numbers that were read go to the buffer one after another. */
static bool keep_reads(struct plane_machine *machine, const struct dp_launch *x,
                       const struct plane_reads *reads, struct diag *d) {
    uint64_t bytes = get_u64(x->kernel);
    if (!reads->len || machine->setup.costs_only)
        return true;
    if (x->argument_count != 1 || bytes == 0 || bytes > 8) {
        diag_error(d, NO_SPAN, "READ words return numbers, and there is no buffer for them");
        return false;
    }
    uint64_t address = datapath_argument(x, 0);
    unsigned char *to = state_memory_at(&machine->memory, address, bytes * reads->len);
    if (!to)
        diag_error(d, NO_SPAN, "no buffer has %" PRIu64 " bytes at 0x%" PRIx64, bytes * reads->len,
                   address);
    for (size_t i = 0; to && i < reads->len; i++)
        for (uint64_t k = 0; k < bytes; k++)
            to[i * bytes + k] = (unsigned char)(reads->data[i] >> 8 * k);
    return to;
}

static void settle(struct plane_machine *machine, const struct plane_stream_result *result,
                   struct dp_cost *cost) {
    cost->known = true;
    cost->ps = sat_mul(result->done, plane_word_ps(machine->target));
    for (unsigned p = 0; cost->energy_fj && p < PLANE_PARTS; p++)
        cost->energy_fj[p] = sat_add(cost->energy_fj[p], result->energy_fj[p]);
    for (unsigned c = 0; machine->stream_counts && c < STREAM_COUNTS; c++)
        machine->stream_counts[c] = sat_add(machine->stream_counts[c], result->counts[c]);
}

/* The words in memory that is aligned for them. */
static uint64_t *words_of(const struct dp_launch *x, size_t *count) {
    const unsigned char *bytes = x->kernel;
    *count = x->size < PLANE_KERNEL_HEAD ? 0 : (x->size - PLANE_KERNEL_HEAD) / 8;
    uint64_t *words = xcalloc(*count + 1, sizeof *words);
    for (size_t i = 0; i < *count; i++)
        words[i] = get_u64(bytes + PLANE_KERNEL_HEAD + 8 * i);
    return words;
}

bool plane_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                  struct diag *d) {
    struct plane_machine *m = plane_of(dp);
    struct plane_stream_result result = {.uops = cost->uops, .kind_fj = cost->kind_fj};
    uint32_t errors = diag_errors(d);
    size_t count;
    uint64_t *words = words_of(x, &count);
    const struct plane_stream stream = {words, count, cost->begin_ps, x->go_on, x->context};
    bool fine = plane_stream_run(m, &stream, &result, d) && keep_reads(m, x, &result.reads, d);
    if (x->stopped)
        *x->stopped = !fine && diag_errors(d) > errors && result.done < count
                          ? (uint32_t)result.done
                          : UINT32_MAX;
    settle(m, &result, cost);
    for (uint32_t i = 0; m->selected && i < m->setup.mpus; i++)
        m->selected[i] = (struct plane_selection){{0, 0, 0}, {0, 0, 0}}; /* its words' */
    vec_free(&result.reads);
    free(words);
    return fine;
}
