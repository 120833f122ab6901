/* SPDX-License-Identifier: MIT
 * Launches on a near-bank SIMT machine, in memory of the caller's. */
#include "tests/simt/simt_launch.h"

#include "machines/core/simt/compile.h"
#include "machines/core/simt/run/core.h"
#include "machines/machine.h"
#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

static void keep_first(void *context, const struct diag *d, const struct message *m) {
    struct portable_fault *fault = context;
    (void)d;
    if (m->severity == SEVERITY_ERROR && !fault->what.len)
        str_append(&fault->what, m->text);
}

struct goer {
    const struct portable_launch *launch;
};
static bool go_on(void *context, uint64_t steps) {
    const struct portable_launch *l = ((const struct goer *)context)->launch;
    return !l->go_on || l->go_on(l->context, steps);
}

static uint32_t line_at(const struct simt_kernel *k, uint32_t place) {
    for (uint32_t i = 0; i < k->insn_count; i++)
        if (k->places[i] == place)
            return k->lines[i].line;
    return 0;
}

/* What is counted by place adds up to what is counted for the cores: a cycle of a subcore that has
 * warps is an issue or one stall. */
static bool adds_up(const struct simt_launch_time *x, uint32_t count,
                    struct portable_fault *fault) {
    uint64_t issued = 0, stalls = 0, bytes = 0, columns = 0, requests = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct simt_place_time *p = &x->places[i];
        issued += p->issued;
        bytes += p->tsv_bytes;
        columns += p->extension;
        requests += p->row_hits + p->activates;
        for (unsigned s = 0; s < SIMT_STALLS; s++)
            stalls += p->stalls[s];
        if (p->worked > p->issued || p->near > p->worked || p->row_conflicts > p->activates)
            str_printf(&fault->what, "place %u: a part is more than the whole", (unsigned)i);
    }
    if (issued != x->busy_cycles || issued + stalls != x->subcore_cycles)
        str_printf(&fault->what, "%llu issues and %llu stalls in %llu and %llu cycles of subcores",
                   (unsigned long long)issued, (unsigned long long)stalls,
                   (unsigned long long)x->busy_cycles, (unsigned long long)x->subcore_cycles);
    if (bytes != x->up_bytes + x->down_bytes || x->sent_bytes != x->received_bytes)
        str_append(&fault->what, "bytes at the ends of the TSVs or of the network differ");
    if (requests < columns) /* a row that a refresh closes is opened once more */
        str_append(&fault->what, "a column is neither a hit nor a miss");
    return !fault->what.len;
}

static bool run(struct simt_program *p, const struct portable_launch *launch,
                const struct simt_region *regions, size_t count, const struct simt_how *how,
                struct diag *d, struct portable_fault *fault) {
    struct target *target = NULL;
    struct machine_library *library = NULL;
    struct goer goer = {launch};
    uint32_t stopped = UINT32_MAX;
    const struct target_override set = {how->key, how->value};
    if (machine_open_target("simt", &set, how->key != NULL, d, &target, &library) != TARGET_FINE)
        return false;
    struct simt_keys keys = *simt_keys(target);
    if (how->watchdog)
        keys.watchdog = how->watchdog;
    struct target own = *target;
    own.own = &keys;
    struct state_memory memory = {.limit = 0};
    struct dp_launch x = {.parameters = launch->parameters,
                          .parameter_bytes = launch->parameter_bytes,
                          .shared = launch->shared,
                          .bytes = launch->bytes,
                          .go_on = go_on,
                          .context = &goer,
                          .stopped = &stopped};
    struct simt_run r = {.program = p, .launch = &x, .target = &own, .memory = &memory, .diag = d};
    memcpy(x.grid, launch->grid, sizeof x.grid);
    memcpy(x.block, launch->block, sizeof x.block);
    for (size_t i = 0; i < count; i++)
        vec_push(&memory.arrays, ((struct state_array){.address = regions[i].address,
                                                       .size = regions[i].size,
                                                       .slices = 1,
                                                       .stride = UINT64_C(1) << 40,
                                                       .bytes = regions[i].bytes}));
    struct simt_launch_time time = {.cycles = 0};
    if (how->timed) {
        time.places = xcalloc((size_t)p->kernel->insn_count + 1, sizeof *time.places);
        r.timed = &time;
    }
    bool fine = simt_launch(&r);
    fine = fine && (!how->timed || adds_up(&time, p->kernel->insn_count, fault));
    free(time.places);
    if (stopped != UINT32_MAX)
        fault->line = line_at(p->kernel, stopped);
    vec_free(&memory.arrays);
    machine_library_close(library);
    target_free(target);
    return fine;
}

bool simt_launch_code(const void *code, size_t size, const struct portable_launch *launch,
                      const struct simt_region *regions, size_t count, const struct simt_how *how,
                      struct portable_fault *fault) {
    const char *problem = NULL;
    struct simt_program *p = simt_program_new(code, size, simt_rows_at(how->rows), &problem);
    if (!p) {
        str_append(&fault->what, problem);
        return false;
    }
    struct diag *d = diag_new(keep_first, fault);
    bool fine = run(p, launch, regions, count, how, d, fault);
    diag_flush(d);
    diag_free(d);
    simt_program_free(p);
    return fine;
}

static uint32_t entry_of(const struct ptx_module *module) {
    uint32_t found = ptx_find_function(module, "k");
    for (uint32_t i = 0; found == PTX_NONE && i < module->functions.len; i++)
        if (module->functions.data[i].is_entry)
            found = i;
    return found;
}

bool simt_launch_text(const char *text, size_t size, const struct portable_launch *launch,
                      const struct simt_region *regions, size_t count, const struct simt_how *how,
                      struct portable_fault *fault) {
    const struct simt_options options = {
        .registers = how->registers ? how->registers : SIMT_REGISTERS, .near_shared = true};
    struct ptx_module *module = ptx_read(text, size, fault);
    struct simt_kernel *k = module ? simt_compile(module, entry_of(module), &options, fault) : NULL;
    struct str code = {0};
    bool fine = k != NULL;
    if (fine) {
        simt_kernel_write(k, &code);
        fine = simt_launch_code(code.text, code.len, launch, regions, count, how, fault);
    }
    simt_kernel_free(k);
    ptx_free(module);
    str_free(&code);
    return fine;
}
