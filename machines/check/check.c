/* SPDX-License-Identifier: MIT
 * Strict and golden side by side: the same calls to both, every answer compared.  What the caller
 * sees (values, costs) comes from strict. */
#include "machines/check/check.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct dp_code {
    struct dp_code *next;
    struct dp_code *strict, *golden; /* each its own datapath's */
    struct check_writes writes;
};

static void close_part(struct datapath *dp) {
    if (dp)
        dp->ops->close(dp);
}

static void check_close(struct datapath *dp) {
    struct check_machine *x = check_of(dp);
    while (x->codes) {
        struct dp_code *code = x->codes;
        x->codes = code->next;
        free(code);
    }
    close_part(x->strict);
    close_part(x->golden);
    vec_free(&x->bound);
    free(x->kin_of);
    free(x->beyond);
    str_free(&x->difference);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

static struct datapath *check_open(const struct dp_setup *setup, struct diag *diag) {
    struct check_machine *x = xcalloc(1, sizeof *x);
    const struct target *t = setup->target;
    const struct datapath_ops *first = datapath_find(t->kind->name, setup->engine);
    x->base.ops = &check_ops;
    x->lanes = setup->lanes ? setup->lanes : t->lanes;
    x->rfh_per_mpu = t->rfh_per_mpu;
    x->vrfs_per_mpu = target_vrfs_per_mpu(t);
    if (!setup->bits)
        memcpy(x->reg_bits, setup->reg_bits, sizeof x->reg_bits);
    pthread_mutex_init(&x->lock, NULL);
    x->kins = setup->kins;
    x->slots = setup->library && setup->library->machine->slots;
    if (x->kins || setup->bits)
        x->kin_of = xcalloc((size_t)setup->mpus * x->vrfs_per_mpu + 1, sizeof *x->kin_of);
    x->strict = first->open(setup, diag);
    x->golden = x->strict ? golden_ops.open(setup, diag) : NULL;
    if (x->golden) {
        x->base.grain = x->strict->grain;
        x->base.tables = x->strict->tables;
        x->base.has_cells = x->strict->has_cells;
        check_beyond_open(x, setup->mpus * x->vrfs_per_mpu);
        return &x->base;
    }
    check_close(&x->base);
    return NULL;
}

static struct dp_code *check_prepare(struct datapath *dp, const struct dp_run *run,
                                     struct diag *diag) {
    struct check_machine *x = check_of(dp);
    struct dp_code *strict = x->strict->ops->prepare(x->strict, run, diag);
    struct dp_code *golden = strict ? x->golden->ops->prepare(x->golden, run, diag) : NULL;
    if (!golden)
        return NULL;
    struct dp_code *code = xcalloc(1, sizeof *code);
    code->strict = strict;
    code->golden = golden;
    code->writes = check_find_writes(run);
    pthread_mutex_lock(&x->lock);
    code->next = x->codes;
    x->codes = code;
    pthread_mutex_unlock(&x->lock);
    return code;
}

void check_take_over(struct check_machine *x, uint32_t v, enum dp_what what, unsigned reg,
                     unsigned bits, uint32_t first, uint32_t end) {
    uint64_t values[DP_PIECE_LANES];
    for (uint32_t n; first < end; first += n) {
        n = dp_piece(first, end);
        x->strict->ops->get(x->strict, v, what, reg, first, n, values);
        x->golden->ops->put(x->golden, v, what, reg, bits, first, n, values);
    }
}

/* What a register holds that nobody has written is what strict has there: golden goes by bits of a
 * lane, and may have others. */
static void take_over_fresh(struct check_machine *machine, const struct dp_map *map) {
    for (size_t i = 0; i < map->there.count; i++)
        for (uint32_t k = 0; k < map->there.ranges[i].count; k++)
            for (unsigned r = 0; r < 64; r++)
                if (map->fresh >> r & 1 && map->bits[r])
                    check_take_over(machine, map->there.ranges[i].first + k, DP_REGISTER, r,
                                    map->bits[r], 0, map->lanes[i]);
}

static void check_remap(struct datapath *dp, const struct dp_map *map) {
    struct check_machine *x = check_of(dp);
    memcpy(x->reg_bits, map->bits, sizeof x->reg_bits);
    x->strict->ops->remap(x->strict, map);
    x->golden->ops->remap(x->golden, map);
    x->base.tables = x->strict->tables;
    x->kins = map->kins;
    if (x->slots)
        take_over_fresh(x, map);
}

static void check_forget(struct datapath *dp, struct dp_code *code) {
    struct check_machine *x = check_of(dp);
    pthread_mutex_lock(&x->lock);
    struct dp_code **link = &x->codes;
    while (*link != code)
        link = &(*link)->next;
    *link = code->next;
    pthread_mutex_unlock(&x->lock);
    x->strict->ops->forget(x->strict, code->strict);
    x->golden->ops->forget(x->golden, code->golden);
    free(code);
}

static void check_describe(const struct datapath *dp, const struct dp_code *code,
                           struct dp_description *out) {
    const struct check_machine *x = (const struct check_machine *)(const void *)dp;
    struct dp_description golden;
    x->strict->ops->describe(x->strict, code->strict, out);
    x->golden->ops->describe(x->golden, code->golden, &golden);
    out->host_ps += golden.host_ps;
    out->host_bytes += golden.host_bytes;
}

/* Passes on that a part has no memory left. */
static void pass_failure(struct check_machine *machine) {
    if (!machine->base.failure)
        machine->base.failure =
            machine->strict->failure ? machine->strict->failure : machine->golden->failure;
    machine->base.failure_insn = machine->strict->failure_insn;
}

static void check_shape(struct datapath *dp, struct vrf_set set, unsigned slot) {
    struct check_machine *x = check_of(dp);
    if (x->strict->ops->shape)
        x->strict->ops->shape(x->strict, set, slot);
    x->golden->ops->shape(x->golden, set, slot);
}

static void check_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count) {
    struct check_machine *x = check_of(dp);
    for (size_t i = 0; i < count; i++)
        check_beyond_bind(x, bindings[i].vrf, bindings[i].valid_lanes);
    x->strict->ops->bind(x->strict, bindings, count);
    x->golden->ops->bind(x->golden, bindings, count);
    struct alloc_lock lock;
    alloc_lock(&lock, &x->lock);
    for (size_t i = 0; i < count; i++)
        vec_push(&x->bound, bindings[i].vrf);
    for (size_t i = 0; x->kins && i < count; i++)
        x->kin_of[bindings[i].vrf] = bindings[i].kin;
    pass_failure(x);
    alloc_unlock(&lock);
}

static void check_establish(struct datapath *dp, struct vrf_set set, uint32_t kin,
                            struct dp_cost *cost) {
    struct check_machine *x = check_of(dp);
    x->strict->ops->establish(x->strict, set, kin, cost);
}

static void check_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                          struct dp_moment begin, struct dp_outcome *out) {
    struct check_machine *x = check_of(dp);
    x->strict->ops->execute(x->strict, code->strict, set, begin, out);
    if (set.count)
        x->golden->ops->execute(x->golden, code->golden, set, begin, NULL);
    check_beyond_execute(x, set, code->writes);
    if (x->strict->failure) {
        pthread_mutex_lock(&x->lock);
        pass_failure(x);
        if (x->strict->failure_code == code->strict)
            x->base.failure_code = code;
        pthread_mutex_unlock(&x->lock);
    }
}

static void check_follow(struct datapath *dp, const struct dp_code *code,
                         const struct dp_description *about, const struct dp_issue *issue,
                         struct dp_times *out) {
    struct check_machine *x = check_of(dp);
    x->strict->ops->follow(x->strict, code->strict, about, issue, out);
}

static uint64_t check_pass(struct datapath *dp, uint64_t clock, uint64_t ps) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->pass(x->strict, clock, ps);
}

static size_t check_clock_memory(struct datapath *dp, bool forget) {
    struct datapath *strict = check_of(dp)->strict;
    return strict->ops->clock_memory ? strict->ops->clock_memory(strict, forget) : 0;
}

/* --- comparing --- */

static void name_vrf(const struct check_machine *machine, uint32_t value, struct str *what) {
    uint32_t in_mpu = value % machine->vrfs_per_mpu;
    str_printf(what, "MPU%u RFH%u VRF%u", value / machine->vrfs_per_mpu,
               in_mpu % machine->rfh_per_mpu, in_mpu / machine->rfh_per_mpu);
}

static void any_differs(struct check_machine *machine, uint32_t value, enum dp_any what,
                        uint8_t strict) {
    struct alloc_lock lock;
    alloc_lock(&lock, &machine->lock);
    if (machine->difference.len == 0) {
        name_vrf(machine, value, &machine->difference);
        str_printf(&machine->difference, ": a lane with %s is %s on %s, %s on golden",
                   what == DP_ANY_M ? "M" : "M and not C", strict ? "there" : "not there",
                   machine->strict->ops->name, strict ? "not there" : "there");
    }
    alloc_unlock(&lock);
}

static void check_any(struct datapath *dp, enum dp_any what, struct vrf_set set, uint8_t *bits,
                      struct dp_cost *cost) {
    struct check_machine *x = check_of(dp);
    uint8_t *other = xmalloc((size_t)vrf_set_size(set) + 1), *o = other;
    x->strict->ops->any(x->strict, what, set, bits, cost);
    x->golden->ops->any(x->golden, what, set, other, NULL);
    for (size_t i = 0; i < set.count; i++)
        for (uint32_t k = 0; k < set.ranges[i].count; k++, bits++, o++)
            if (*bits != *o)
                any_differs(x, set.ranges[i].first + k, what, *bits);
    free(other);
}

static void check_select(struct datapath *dp, const struct dp_selection *selection,
                         struct dp_cost *cost) {
    struct check_machine *x = check_of(dp);
    x->strict->ops->select(x->strict, selection, cost);
}

static void check_selected(struct datapath *dp, uint32_t vrf, bool restore,
                           struct dp_selected *state) {
    struct check_machine *x = check_of(dp);
    x->strict->ops->selected(x->strict, vrf, restore, state);
}

static uint64_t check_lanes(struct datapath *dp, struct vrf_set set) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->lanes(x->strict, set);
}

/* Lanes first .. first + count - 1 of a VRF on both sides. */
struct sides {
    uint32_t v, first, count;
    uint32_t used; /* up to the last valid one: a VRF may have fewer lanes than others */
    uint64_t valid[DP_PIECE_LANES], strict[DP_PIECE_LANES], golden[DP_PIECE_LANES];
};

static uint32_t valid_lanes(struct sides *sides) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sides->count; i++)
        count += sides->valid[i] != 0;
    for (sides->used = sides->count; sides->used && !sides->valid[sides->used - 1];)
        sides->used--;
    return count;
}

/* What is compared, in this order: r0 .. r63, C, M. */
enum { SEEN_C = 64, SEEN_M, SEEN };

static void describe_difference(const struct check_machine *machine, const struct sides *sides,
                                unsigned seen, uint32_t index, struct str *what) {
    str_clear(what); /* of a later register, in an earlier piece */
    name_vrf(machine, sides->v, what);
    str_printf(what, " lane %u, ", sides->first + index);
    if (seen < SEEN_C)
        str_printf(what, "r%u", seen);
    else
        str_append(what, seen == SEEN_C ? "C" : "M");
    str_printf(what, ": 0x%" PRIx64 " on %s, 0x%" PRIx64 " on golden", sides->strict[index],
               machine->strict->ops->name, sides->golden[index]);
}

/* Bits that both sides have: of a register those of the VRF's kin. */
static unsigned bits_seen(const struct check_machine *machine, uint32_t v, unsigned seen) {
    if (seen >= SEEN_C)
        return 1;
    return machine->kins ? machine->kins[machine->kin_of[v]].reg_bits[seen]
                         : machine->reg_bits[seen];
}

/* Compares one register (or C, or M) in the valid lanes; true and described if it differs. */
static bool plane_differs(const struct check_machine *machine, struct sides *sides, unsigned seen,
                          struct str *what) {
    enum dp_what kind = seen < SEEN_C ? DP_REGISTER : seen == SEEN_C ? DP_C : DP_M;
    unsigned bits = bits_seen(machine, sides->v, seen);
    if (!bits)
        return false;
    machine->strict->ops->get(machine->strict, sides->v, kind, seen & 63, sides->first, sides->used,
                              sides->strict);
    machine->golden->ops->get(machine->golden, sides->v, kind, seen & 63, sides->first, sides->used,
                              sides->golden);
    for (uint32_t i = 0; i < sides->used; i++)
        if (sides->valid[i] && ((sides->strict[i] ^ sides->golden[i]) & low_bits(bits))) {
            describe_difference(machine, sides, seen, i, what);
            return true;
        }
    return false;
}

static bool some_valid(struct check_machine *machine, struct sides *sides) {
    machine->golden->ops->get(machine->golden, sides->v, DP_VALID, 0, sides->first, sides->count,
                              sides->valid);
    uint32_t lanes = valid_lanes(sides);
    machine->counts.elements += lanes;
    return lanes != 0;
}

/* Tells of the first register that differs, and of its first lane. */
static bool vrf_differs(struct check_machine *machine, uint32_t value, struct sides *sides,
                        struct str *what) {
    unsigned first = SEEN;
    struct str said = {0};
    sides->v = value;
    for (sides->first = 0; sides->first < machine->lanes; sides->first += sides->count) {
        sides->count = dp_piece(sides->first, machine->lanes);
        if (!some_valid(machine, sides))
            continue;
        for (unsigned seen = 0; seen < first; seen++)
            if (plane_differs(machine, sides, seen, &said))
                first = seen;
    }
    str_append(what, str_text(&said));
    str_free(&said);
    return first < SEEN;
}

static int by_number(const void *left, const void *right) {
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return (x > y) - (x < y);
}

static bool bound_differ(struct check_machine *machine, struct str *what) {
    struct sides *s = xmalloc(sizeof *s);
    bool differ = false;
    if (machine->bound.len > 0)
        qsort(machine->bound.data, machine->bound.len, sizeof *machine->bound.data, by_number);
    for (size_t i = 0; i < machine->bound.len && !differ; i++)
        if (i == 0 || machine->bound.data[i] != machine->bound.data[i - 1])
            differ = vrf_differs(machine, machine->bound.data[i], s, what);
    free(s);
    return differ;
}

bool check_differs(struct datapath *dp, struct str *what) {
    struct check_machine *x = check_of(dp);
    bool differ = x->difference.len > 0;
    if (differ)
        str_append(what, str_text(&x->difference));
    else
        differ = bound_differ(x, what);
    str_clear(&x->difference);
    x->counts.ensembles += x->bound.len != 0;
    vec_clear(&x->bound);
    return differ;
}

struct check_counts check_take_counts(struct datapath *dp) {
    struct check_machine *x = check_of(dp);
    struct check_counts counts = x->counts;
    x->counts = (struct check_counts){0};
    return counts;
}

/* --- state --- */

static void check_copy(struct datapath *dp, const struct dp_transfer *transfer,
                       struct dp_cost *cost) {
    struct check_machine *x = check_of(dp);
    struct dp_cost unused = {0};
    check_beyond_copy(x, transfer);
    x->strict->ops->copy(x->strict, transfer, cost);
    x->golden->ops->copy(x->golden, transfer, &unused);
}

static void check_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg,
                      uint32_t first, uint32_t count, uint64_t *values) {
    struct check_machine *x = check_of(dp);
    x->strict->ops->get(x->strict, vrf, what, reg, first, count, values);
}

static void check_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg,
                      unsigned width, uint32_t first, uint32_t count, const uint64_t *values) {
    struct check_machine *x = check_of(dp);
    check_beyond_settle(x, vrf, (uint64_t)first + count);
    x->strict->ops->put(x->strict, vrf, what, reg, width, first, count, values);
    x->golden->ops->put(x->golden, vrf, what, reg, width, first, count, values);
    pthread_mutex_lock(&x->lock);
    pass_failure(x);
    pthread_mutex_unlock(&x->lock);
}

static void check_put_elements(struct datapath *dp, const struct dp_elements *elements) {
    struct check_machine *x = check_of(dp);
    check_beyond_elements(x, elements);
    datapath_put_elements(x->strict, elements);
    datapath_put_elements(x->golden, elements);
    pthread_mutex_lock(&x->lock);
    pass_failure(x);
    pthread_mutex_unlock(&x->lock);
}

static void check_get_elements(struct datapath *dp, const struct dp_elements *elements) {
    datapath_get_elements(check_of(dp)->strict, elements);
}

static void check_observe(struct datapath *dp, dp_observer *observer, void *context) {
    struct check_machine *x = check_of(dp);
    x->strict->ops->observe(x->strict, observer, context);
    x->base.observed = x->strict->observed;
}

static bool check_write(struct datapath *dp, unsigned format, dp_sink *sink, void *context,
                        struct diag *d) {
    struct check_machine *x = check_of(dp);
    bool fine = x->strict->ops->write(x->strict, format, sink, context, d);
    x->base.observed = x->strict->observed;
    return fine;
}

static bool check_write_end(struct datapath *dp, const void *context, struct diag *d) {
    struct check_machine *x = check_of(dp);
    bool fine = x->strict->ops->write_end(x->strict, context, d);
    x->base.observed = x->strict->observed;
    return fine;
}

static void check_format(const struct datapath *dp, const struct dp_event *event, unsigned format,
                         struct str *out) {
    const struct check_machine *x = (const struct check_machine *)(const void *)dp;
    x->strict->ops->format(x->strict, event, format, out);
}

static void check_cell_text(const struct datapath *dp, uint32_t cell, struct str *out,
                            uint32_t *unit) {
    const struct check_machine *x = (const struct check_machine *)(const void *)dp;
    x->strict->ops->cell_text(x->strict, cell, out, unit);
}

static void check_counters(const struct datapath *dp, uint64_t *values) {
    const struct check_machine *x = (const struct check_machine *)(const void *)dp;
    x->strict->ops->counters(x->strict, values);
}

static void check_unit_counters(const struct datapath *dp, uint64_t *values) {
    const struct check_machine *x = (const struct check_machine *)(const void *)dp;
    x->strict->ops->unit_counters(x->strict, values);
}

static bool check_snapshot(struct datapath *dp, bool restore, struct str *state) {
    struct check_machine *x = check_of(dp);
    if (restore)
        return check_beyond_restore(x, state) && x->golden->ops->snapshot(x->golden, true, state) &&
               x->strict->ops->snapshot(x->strict, true, state);
    if (!x->strict->ops->snapshot(x->strict, false, state) ||
        !x->golden->ops->snapshot(x->golden, false, state))
        return false;
    check_beyond_save(x, state);
    return true;
}

const struct datapath_ops check_ops = {
    .name = "check",
    .open = check_open,
    .close = check_close,
    .prepare = check_prepare,
    .remap = check_remap,
    .forget = check_forget,
    .describe = check_describe,
    .shape = check_shape,
    .bind = check_bind,
    .establish = check_establish,
    .execute = check_execute,
    .follow = check_follow,
    .pass = check_pass,
    .clock_memory = check_clock_memory,
    .any = check_any,
    .select = check_select,
    .selected = check_selected,
    .lanes = check_lanes,
    .copy = check_copy,
    .get = check_get,
    .put = check_put,
    .put_elements = check_put_elements,
    .get_elements = check_get_elements,
    .counters = check_counters,
    .unit_counters = check_unit_counters,
    .mem_alloc = check_mem_alloc,
    .mem_alloc_slices = check_mem_alloc_slices,
    .mem_free = check_mem_free,
    .mem_put = check_mem_put,
    .mem_get = check_mem_get,
    .launch = check_launch,
    .forget_kernel = check_forget_kernel,
    .observe = check_observe,
    .write = check_write,
    .write_end = check_write_end,
    .format = check_format,
    .cell_text = check_cell_text,
    .snapshot = check_snapshot,
};
