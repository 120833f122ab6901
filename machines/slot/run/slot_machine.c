/* SPDX-License-Identifier: MIT
 * A machine of pairs of subarrays: opened and closed, set up, asked and watched. */
#include "machines/slot/run/machine.h"
#include "machines/dtc/dtc.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const counter_names[SLOT_COUNTERS] = {
    "slots without a match", "reloads", "sweeps", "rows swept", "ACT", "PRE", "RBM", "RD", "WR"};

/* ---- setting up ---- */

struct setting_up {
    struct slot_datapath *m;
    struct dp_cost *cost;
    uint32_t mpu;
    uint64_t rows, bank_rows;  /* of the kin's tables */
    struct slot_shared shared; /* where those of bank_rows lie */
    uint64_t ps, most;         /* of this MPU; of the slowest */
};

/* Tables in pairs of the bank are there for all of its VRFs; what lay in these pairs is gone.
 * False: they are there already. */
static bool take_pairs(struct slot_bank *bank, const struct slot_shared *wanted) {
    size_t kept = 0;
    for (size_t i = 0; i < bank->tables.len; i++) {
        const struct slot_shared x = bank->tables.data[i];
        if (x.key == wanted->key && x.first == wanted->first && x.end == wanted->end)
            return false;
        if (x.end <= wanted->first || x.first >= wanted->end)
            bank->tables.data[kept++] = x;
    }
    bank->tables.len = kept;
    vec_push(&bank->tables, *wanted);
    return true;
}

static void set_up_vrf(struct setting_up *x, uint32_t v, uint32_t kin) {
    struct slot_datapath *m = x->m;
    const struct target *t = m->target;
    uint32_t mpu = v / target_vrfs_per_mpu(t), bank = v % t->rfh_per_mpu;
    bool is_new = m->established[v] != x->shared.key;
    uint64_t rows = is_new ? x->rows : 0,
             constants = is_new ? slot_pool_of(m, kin)->constants.len : 0;
    if (x->bank_rows && take_pairs(&m->banks[mpu * t->rfh_per_mpu + bank], &x->shared))
        rows += x->bank_rows;
    m->established[v] = x->shared.key;
    struct slot_cost each = slot_cost_load(t, 1), row = slot_cost_access(t, SLOT_WR);
    slot_take(m, x->cost, SLOT_LOAD_TABLE, m->own->load == SLOT_LOAD_RESIDENT ? 0 : rows, &each);
    slot_take(m, x->cost, SLOT_LOAD_CONSTANT, constants, &row);
    x->ps = (mpu == x->mpu ? x->ps : 0) + rows * each.ps + constants * row.ps;
    x->mpu = mpu;
    x->most = x->ps > x->most ? x->ps : x->most;
}

/* Tables and constants come over the channel of each MPU, row after row. */
static void establish(struct datapath *dp, struct vrf_set set, uint32_t kin, struct dp_cost *cost) {
    struct slot_datapath *m = slot_datapath_of(dp);
    struct setting_up x = {.m = m, .cost = cost, .mpu = UINT32_MAX};
    const uint64_t key = slot_pool_key(m, kin);
    if (key) {
        struct slot_tables tables = slot_pool_tables(m, kin);
        uint64_t first = slot_code_of(m->setup.code)->kins.data[kin].first_pair;
        x.rows = tables.rows;
        x.bank_rows = tables.bank_rows;
        x.shared = (struct slot_shared){key, first, first + tables.parts};
        slot_tables_free(&tables);
    }
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t v = set.ranges[r].first; v < set.ranges[r].first + set.ranges[r].count; v++)
            if (key)
                set_up_vrf(&x, v, kin);
    cost->known = true;
    cost->ps = x.most;
}

/* ---- answers: the controller reads M, and C, of each VRF over the channel ---- */

static uint8_t some_lane(struct slot_datapath *m, enum dp_any what, uint32_t v) {
    struct slot_vrf *x = slot_vrf(m, v);
    const uint64_t *enabled = slot_row(m, x, v, SLOT_ROW_M),
                   *c = what == DP_ANY_M ? NULL : slot_row(m, x, v, SLOT_ROW_C);
    for (size_t i = 0; enabled && i < x->words; i++)
        if (enabled[i] & ~(c ? c[i] : 0))
            return 1;
    return 0;
}

static void any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                struct dp_cost *cost) {
    struct slot_datapath *m = slot_datapath_of(dp);
    struct slot_cost row = slot_cost_access(m->target, SLOT_RD);
    uint64_t rows = what == DP_ANY_M ? 1 : 2, here = 0, most = 0;
    uint32_t mpu = UINT32_MAX;
    for (size_t r = 0; r < set.count; r++)
        for (uint32_t k = 0; k < set.ranges[r].count; k++) {
            uint32_t v = set.ranges[r].first + k, of = v / target_vrfs_per_mpu(m->target);
            *bits++ = m->setup.costs_only ? 0 : some_lane(m, what, v);
            here = of == mpu ? here + rows : rows;
            mpu = of;
            most = here > most ? here : most;
        }
    if (!cost)
        return;
    cost->known = true;
    cost->ps = most * row.ps;
    slot_take(m, cost, SLOT_READ, rows * vrf_set_size(set), &row);
}

/* ---- what others see ---- */

static void counters(const struct datapath *dp, uint64_t *values) {
    for (unsigned i = 0; i < SLOT_COUNTERS; i++)
        values[i] = slot_datapath_of(dp)->counters[i];
}

static void observe(struct datapath *dp, dp_observer *observer, void *context) {
    struct slot_datapath *m = slot_datapath_of(dp);
    m->observer = observer;
    m->observer_context = context;
    dp->observed = observer != NULL;
}

static void command_text(const struct slot_record *r, const struct insn *insn, struct str *out) {
    if (r->command->kind < ROW_COMMANDS)
        row_command_text(r->command, r->pool, insn, out);
    else
        str_printf(out, "pluto_subarray_alloc lut%d, %" PRIu32, r->command->b, r->command->count);
}

/* What a kernel has to say before the command (docs/pluto.md). */
static void tell(const struct slot_record *r, struct str *out) {
    if (r->slot)
        str_printf(out, "slot %u\n", r->slot);
    if (!r->tells)
        return;
    const struct row_table *t = &r->pool->tables.data[r->command->b];
    str_printf(out, "table lut%d =", r->command->b);
    for (uint64_t i = 0; i < slot_table_rows(t); i++)
        str_printf(out, "%s %" PRIu64, i ? "," : "", t->entries[i]);
    str_char(out, '\n');
}

static void format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                   struct str *out) {
    const struct slot_record *r = e->record;
    struct str text = {0};
    (void)dp;
    if (format == SLOT_FORMAT_PLUTO)
        tell(r, out);
    command_text(r, r->insn, &text);
    const char *operands = strchr(str_text(&text), ' ');
    if (format != SLOT_FORMAT_CSV || !operands)
        str_append(out, str_text(&text));
    else
        str_printf(out, "%.*s,\"%s\"", (int)(operands - str_text(&text)), str_text(&text),
                   operands + 1);
    str_free(&text);
}

/* ---- opening and closing ---- */

static void close_machine(struct datapath *dp) {
    struct slot_datapath *m = slot_datapath_of(dp);
    while (m->codes) {
        struct dp_code *code = m->codes;
        m->codes = code->next;
        slot_code_free(code);
    }
    if (m->vrf)
        slot_forget_all(m);
    slot_heap_close(m);
    state_memory_close(&m->memory);
    row_library_close(m->library_own);
    vec_free(&m->used);
    free(m->vrf);
    free(m->established);
    for (size_t b = 0; m->banks && b < (size_t)m->setup.mpus * m->target->rfh_per_mpu; b++)
        vec_free(&m->banks[b].tables);
    free(m->banks);
    free(m->pool_keys);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static bool lay_out(struct slot_datapath *m, struct diag *d) {
    const struct target *t = m->target;
    uint64_t vrfs = (uint64_t)t->vrf_per_rfh * t->rfh_per_mpu * m->setup.mpus;
    m->lanes = m->setup.lanes ? m->setup.lanes : t->lanes;
    m->row_words = m->own->row_bits / 64;
    if (!vrfs || vrfs > UINT32_MAX || !m->lanes) {
        diag_error(d, NO_SPAN,
                   "target %s with %u MPUs has no lanes, or more VRFs than can be "
                   "numbered",
                   t->name, m->setup.mpus);
        return false;
    }
    m->vrfs = (uint32_t)vrfs;
    m->vrf = calloc(m->vrfs, sizeof *m->vrf);
    m->established = calloc(m->vrfs, sizeof *m->established);
    m->banks = calloc((size_t)m->setup.mpus * t->rfh_per_mpu, sizeof *m->banks);
    if (!m->vrf || !m->established || !m->banks)
        diag_error(d, NO_SPAN, "no memory for a machine of %u VRFs", m->vrfs);
    return m->vrf && m->established && m->banks;
}

static bool open_library(struct slot_datapath *m, struct diag *d) {
    if (m->setup.library)
        m->library = ((const struct slot_library *)(const void *)m->setup.library)->rows;
    else
        m->library = m->library_own = row_library_open(NULL, 0, d);
    return m->library != NULL;
}

/* Each kind where all micro-ops of it cost the same. */
static void name_kinds(struct slot_datapath *m) {
    static const char *const others[] = {[SLOT_LOAD_TABLE - ROW_COMMANDS] = "pluto_subarray_alloc",
                                         [SLOT_LOAD_CONSTANT - ROW_COMMANDS] = "pluto_row_alloc",
                                         [SLOT_READ - ROW_COMMANDS] = "read",
                                         [SLOT_WRITE - ROW_COMMANDS] = "write",
                                         [SLOT_HOP - ROW_COMMANDS] = "hop"};
    static const uint8_t parts[SLOT_KINDS] = {[SLOT_LOAD_TABLE] = SLOT_WR,
                                              [SLOT_LOAD_CONSTANT] = SLOT_WR,
                                              [SLOT_READ] = SLOT_RD,
                                              [SLOT_WRITE] = SLOT_WR,
                                              [SLOT_HOP] = SLOT_RBM};
    const struct slot_step alone = {m->target, 1};
    for (unsigned k = 0; k < SLOT_KINDS; k++) {
        struct slot_cost c = {0};
        if (k < ROW_COMMANDS && k != ROW_QUERY)
            c = slot_price(&alone, (enum row_kind)k, 1);
        else if (k == SLOT_LOAD_TABLE)
            c = slot_cost_load(m->target, 1);
        else if (k > SLOT_LOAD_TABLE && k < SLOT_HOP)
            c = slot_cost_access(m->target, k == SLOT_READ ? SLOT_RD : SLOT_WR);
        uint64_t fj = k == SLOT_HOP ? m->own->rbm_fj : slot_cost_fj(&c);
        m->kinds[k] = (struct dp_kind){
            k < ROW_COMMANDS ? row_kind_names[k] : others[k - ROW_COMMANDS], k, parts[k], fj};
    }
}

static struct datapath *open_machine(const struct dp_setup *setup, struct diag *d) {
    struct slot_datapath *m = xcalloc(1, sizeof *m);
    m->setup = *setup;
    m->target = setup->target;
    m->own = slot_target_of(setup->target);
    for (unsigned r = 0; r < 64 && setup->reg_bits; r++)
        m->reg_bits[r] = setup->reg_bits[r] < 64 ? setup->reg_bits[r] : 64;
    m->setup.reg_bits = m->reg_bits;
    pthread_mutex_init(&m->lock, NULL);
    state_memory_open(&m->memory, 0);
    name_kinds(m);
    slot_make_keys(m);
    m->base.ops = &slot_engine;
    m->base.grain = 1;
    m->base.tables = (struct dp_tables){.kinds = m->kinds,
                                        .kind_count = SLOT_KINDS,
                                        .parts = slot_command_names,
                                        .part_count = SLOT_COMMANDS,
                                        .counters = counter_names,
                                        .counter_count = SLOT_COUNTERS,
                                        .answers = true,
                                        .establishes = true,
                                        .at_once = slot_depends_on_others(m)};
    if (open_library(m, d) && lay_out(m, d))
        return &m->base;
    close_machine(&m->base);
    return NULL;
}

const struct datapath_ops slot_engine = {
    .name = "strict",
    .open = open_machine,
    .close = close_machine,
    .prepare = slot_prepare,
    .describe = slot_describe,
    .remap = slot_remap,
    .forget = slot_forget,
    .shape = slot_shape,
    .bind = slot_bind,
    .establish = establish,
    .execute = slot_execute,
    .follow = slot_follow,
    .pass = slot_pass,
    .any = any,
    .copy = slot_copy,
    .get = slot_get,
    .put = slot_put,
    .put_elements = slot_put_elements,
    .get_elements = slot_get_elements,
    .counters = counters,
    .observe = observe,
    .format = format,
    .snapshot = slot_snapshot,
    .mem_alloc = slot_mem_alloc,
    .mem_free = slot_mem_free,
    .mem_put = slot_mem_put,
    .mem_get = slot_mem_get,
    .launch = slot_launch,
};
