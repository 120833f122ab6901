/* SPDX-License-Identifier: MIT
 * Kernels of rows: elements of buffers go over the channel into rows, VRF after VRF, all VRFs of
 * the machine carry the program out in step, and rows that it has written go back. */
#include "machines/slot/run/machine.h"
#include "support/alloc.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- buffers ---- */

bool slot_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d) {
    return state_memory_alloc(&slot_datapath_of(dp)->memory, bytes, address, d);
}

bool slot_mem_free(struct datapath *dp, uint64_t address, struct diag *d) {
    return state_memory_free(&slot_datapath_of(dp)->memory, address, d);
}

bool slot_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                  struct diag *d) {
    return state_memory_put(&slot_datapath_of(dp)->memory, address, bytes, size, d);
}

bool slot_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                  struct diag *d) {
    return state_memory_get(&slot_datapath_of(dp)->memory, address, bytes, size, d);
}

/* ---- a launch ---- */

struct row_launch {
    struct slot_datapath *m;
    const struct dp_launch *about;
    struct slot_kernel kernel;
    struct dp_code *code;
    struct slot_vrf vrf; /* rows of one at a time */
    uint64_t *scratch;   /* [code.scratch + 1][words] */
    unsigned char *data[SLOT_KERNEL_PARAMETERS];
    uint64_t n, vrfs;
    uint32_t lanes;
};

/* Elements from the address to the end of its array. */
static uint64_t elements_at(const struct slot_datapath *m, uint64_t address, unsigned bytes) {
    for (size_t i = 0; i < m->memory.arrays.len; i++) {
        const struct state_array *a = &m->memory.arrays.data[i];
        if (address >= a->address && address - a->address < a->size)
            return (a->size - (address - a->address)) / bytes;
    }
    return 0;
}

/* Buffers of equal lengths, which are there. */
static bool find_buffers(struct row_launch *l, struct diag *d) {
    const struct dp_launch *x = l->about;
    if (x->argument_count != l->kernel.parameter_count) {
        diag_error(d, NO_SPAN, "a kernel with %" PRIu32 " parameters is called with %zu",
                   l->kernel.parameter_count, x->argument_count);
        return false;
    }
    for (uint32_t i = 0; i < l->kernel.parameter_count; i++) {
        unsigned bytes = l->kernel.parameters[i].bytes;
        uint64_t address = datapath_argument(x, i), n = elements_at(l->m, address, bytes);
        l->n = i ? l->n : n;
        if (!n || n != l->n) {
            diag_error(d, NO_SPAN,
                       "'%s' has %" PRIu64 " elements, '%s' %" PRIu64
                       "; buffers of a kernel of rows are equally long, and not empty",
                       x->decl->parameters[0].name, l->n, x->decl->parameters[i].name, n);
            return false;
        }
        l->data[i] = state_memory_at(&l->m->memory, address, n * bytes);
    }
    l->lanes = l->m->own->row_bits / l->kernel.slot;
    l->n = l->kernel.parameter_count ? l->n : l->lanes;
    l->vrfs = ceil_div(l->n, l->lanes);
    return true;
}

/* ---- what a VRF does ---- */

static uint64_t *row_of(const struct row_launch *l, unsigned row) {
    return l->scratch + row * l->vrf.words;
}

static void fill_row(const struct row_launch *l, uint32_t i, uint64_t first, uint32_t count) {
    unsigned bytes = l->kernel.parameters[i].bytes, bits = l->kernel.parameters[i].bits;
    uint64_t *row = row_of(l, slot_kernel_row(&l->kernel, i));
    for (uint32_t lane = 0; lane < count; lane++) {
        uint64_t value = 0;
        memcpy(&value, l->data[i] + (first + lane) * bytes, bytes);
        slot_lane_write(row, l->kernel.slot, lane, l->kernel.slot, value & low_bits(bits));
    }
}

static void store_row(const struct row_launch *l, uint32_t i, uint64_t first, uint32_t count) {
    unsigned bytes = l->kernel.parameters[i].bytes, bits = l->kernel.parameters[i].bits;
    const uint64_t *row = row_of(l, slot_kernel_row(&l->kernel, i));
    for (uint32_t lane = 0; lane < count; lane++) {
        uint64_t value = slot_lane_read(row, l->kernel.slot, lane) & low_bits(bits);
        if (l->kernel.parameters[i].is_signed)
            value = (uint64_t)sign_extend(value, bits);
        memcpy(l->data[i] + (first + lane) * bytes, &value, bytes);
    }
}

static bool run_vrf(struct row_launch *l, uint64_t v, struct diag *d) {
    uint64_t first = v * l->lanes, left = l->n - first;
    uint32_t count = left < l->lanes ? (uint32_t)left : l->lanes, word = 0;
    struct str why = {0};
    memset(l->scratch, 0, (l->code->scratch + 1) * l->vrf.words * sizeof *l->scratch);
    for (uint32_t lane = 0; lane < l->lanes; lane++)
        slot_lane_write(l->vrf.row[SLOT_ROW_VALID], l->kernel.slot, lane, l->kernel.slot,
                        lane < count ? UINT64_MAX : 0);
    memcpy(row_of(l, ROW_TEXT_M - ROW_SCRATCH), l->vrf.row[SLOT_ROW_VALID],
           l->vrf.words * sizeof *l->scratch);
    for (uint32_t i = 0; i < l->kernel.parameter_count; i++)
        if (l->kernel.use.reads[slot_kernel_row(&l->kernel, i)])
            fill_row(l, i, first, count);
    slot_forget_remains(l->m, &l->vrf);
    bool fine = slot_execute_alone(l->m, l->code, &l->vrf, (uint32_t)v, l->scratch, &why, &word);
    if (!fine) {
        diag_error(d, NO_SPAN, "%s", str_text(&why));
        if (l->about->stopped)
            *l->about->stopped = word;
    }
    for (uint32_t i = 0; fine && i < l->kernel.parameter_count; i++)
        if (l->kernel.use.writes[slot_kernel_row(&l->kernel, i)])
            store_row(l, i, first, count);
    str_free(&why);
    return fine;
}

static bool run_all(struct row_launch *l, struct diag *d) {
    bool fine = true;
    l->vrf.slot = (uint8_t)l->kernel.slot;
    l->vrf.lanes = l->lanes;
    l->vrf.rows = 1;
    l->vrf.words = l->m->row_words;
    l->vrf.row[SLOT_ROW_VALID] = xcalloc(l->vrf.words, sizeof *l->scratch);
    l->scratch = xcalloc((l->code->scratch + 1) * l->vrf.words, sizeof *l->scratch);
    for (uint64_t v = 0; fine && v < l->vrfs; v++)
        fine = run_vrf(l, v, d);
    slot_forget_remains(l->m, &l->vrf);
    free(l->vrf.row[SLOT_ROW_VALID]);
    free(l->scratch);
    return fine;
}

/* ---- what it takes ---- */

static void take(const struct row_launch *l, struct dp_cost *cost, unsigned kind, uint64_t count,
                 const struct slot_cost *each) {
    slot_take(l->m, cost, kind, count, each);
    if (cost->kind_fj)
        cost->kind_fj[kind] = sat_add(cost->kind_fj[kind], sat_mul(slot_cost_fj(each), count));
}

/* Of so many VRFs, those of an MPU in as many banks as there are: rows of tables, of each VRF or
 * once for each bank. */
static uint64_t table_rows(const struct row_launch *l, uint64_t vrfs) {
    const struct target *t = l->m->target;
    uint64_t per_mpu = target_vrfs_per_mpu(t), last = vrfs % per_mpu,
             banks =
                 vrfs / per_mpu * t->rfh_per_mpu + (last < t->rfh_per_mpu ? last : t->rfh_per_mpu);
    return l->code->tables.rows * vrfs + l->code->tables.bank_rows * banks;
}

/* Tables and constants come before, once; MPUs side by side. */
static uint64_t take_set_up(const struct row_launch *l, struct dp_cost *cost, uint64_t vrfs,
                            uint64_t vrfs_of_mpu) {
    uint64_t constants = l->kernel.pool.constants.len;
    struct slot_cost load = slot_cost_load(l->m->target, 1),
                     write = slot_cost_access(l->m->target, SLOT_WR);
    take(l, cost, SLOT_LOAD_TABLE, table_rows(l, vrfs), &load);
    take(l, cost, SLOT_LOAD_CONSTANT, constants * vrfs, &write);
    return sat_add(sat_mul(table_rows(l, vrfs_of_mpu), load.ps),
                   sat_mul(vrfs_of_mpu, constants * write.ps));
}

/* Rows that buffers fill, and rows that fill buffers. */
static uint64_t take_rows(const struct row_launch *l, struct dp_cost *cost, uint64_t vrfs_of_mpu) {
    struct slot_cost read = slot_cost_access(l->m->target, SLOT_RD),
                     write = slot_cost_access(l->m->target, SLOT_WR);
    uint64_t in = 0, out = 0;
    for (uint32_t i = 0; i < l->kernel.parameter_count; i++) {
        in += l->kernel.use.reads[slot_kernel_row(&l->kernel, i)];
        out += l->kernel.use.writes[slot_kernel_row(&l->kernel, i)];
    }
    take(l, cost, SLOT_WRITE, in * l->vrfs, &write);
    take(l, cost, SLOT_READ, out * l->vrfs, &read);
    return sat_mul(vrfs_of_mpu, in * write.ps + out * read.ps);
}

static void take_commands(const struct row_launch *l, struct dp_cost *cost) {
    const struct dp_code *code = l->code;
    for (unsigned k = 0; k < SLOT_KINDS; k++) {
        if (cost->uops)
            cost->uops[k] += code->uops[k] * l->vrfs;
        if (cost->kind_fj)
            cost->kind_fj[k] = sat_add(cost->kind_fj[k], sat_mul(code->kind_fj[k], l->vrfs));
    }
    for (unsigned c = 0; cost->energy_fj && c < SLOT_COMMANDS; c++)
        cost->energy_fj[c] = sat_add(cost->energy_fj[c], sat_mul(code->energy_fj[c], l->vrfs));
    slot_count(l->m, code, l->vrfs, 0);
}

/* In turns, where there are not so many VRFs; in each MPU after MPU has its share. */
static void take_all(const struct row_launch *l, struct dp_cost *cost) {
    const struct target *t = l->m->target;
    uint64_t per_mpu = target_vrfs_per_mpu(t), all = per_mpu * t->mpus, left = l->vrfs,
             first = left < all ? left : all, ps;
    cost->known = true;
    ps = take_set_up(l, cost, first, first < per_mpu ? first : per_mpu);
    for (uint64_t now; left; left -= now) {
        now = left < all ? left : all;
        ps = sat_add(ps, slot_code_ps(l->m, l->code, now < per_mpu ? now : per_mpu));
    }
    uint64_t turns = ceil_div(l->vrfs, all), last = l->vrfs - (turns - 1) * all;
    cost->ps =
        sat_add(ps, take_rows(l, cost, (turns - 1) * per_mpu + (last < per_mpu ? last : per_mpu)));
    take_commands(l, cost);
}

bool slot_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                 struct diag *d) {
    struct row_launch *l = xcalloc(1, sizeof *l);
    l->m = slot_datapath_of(dp);
    l->about = x;
    if (x->stopped)
        *x->stopped = UINT32_MAX;
    const char *problem = slot_kernel_read(x->kernel, x->size, l->m->own->row_bits, &l->kernel);
    if (problem)
        diag_error(d, NO_SPAN, "%s", problem);
    bool fine = !problem && find_buffers(l, d);
    if (fine) {
        l->code = slot_code_alone(l->m, &l->kernel);
        fine = l->m->setup.costs_only || run_all(l, d);
        take_all(l, cost);
        slot_code_free(l->code);
    }
    slot_kernel_free(&l->kernel);
    free(l);
    return fine;
}
