/* SPDX-License-Identifier: MIT
 * PRINT and ASSERT. */
#include "emu/control/state.h"

#include "support/bits.h"

#include <stdio.h>
#include <stdlib.h>

/* A PRINT in an endless loop stops the program, it does not eat the host's memory. */
#define PRINT_LIMIT ((size_t)256 << 20)

const struct debug_record *control_debug_record_of(const struct control *c, uint32_t number) {
    return number < c->program->debugs.len ? &c->program->debugs.data[number] : NULL;
}

static void print_place(struct control *c, const struct dp_binding *b, struct str *out) {
    const struct target *t = c->target;
    uint32_t in_mpu = b->vrf % target_vrfs_per_mpu(t);
    control_rounds_describe(c, "", ", ", out);
    if (c->mpu_count > 1)
        str_printf(out, "MPU%u.", (unsigned)(b->vrf / target_vrfs_per_mpu(t)));
    str_printf(out, "RFH%u.VRF%u", (unsigned)(in_mpu % t->rfh_per_mpu),
               (unsigned)(in_mpu / t->rfh_per_mpu));
}

static void print_value(struct mpu_type type, uint64_t pattern, struct str *out) {
    uint64_t bits = pattern & low_bits(type.bits);
    char text[32];
    if (type.kind == TYPE_INT)
        snprintf(text, sizeof text, " %lld", (long long)sign_extend(bits, type.bits));
    else
        snprintf(text, sizeof text, " %llu", (unsigned long long)bits);
    str_append(out, text);
}

/* A disabled lane shows as "-".  True if one of these is enabled. */
static bool print_lanes(struct control *c, const struct debug_record *r, uint32_t vrf,
                        uint32_t first, uint32_t count, struct str *out) {
    uint64_t values[DP_PIECE_LANES], mask[DP_PIECE_LANES], some = 0;
    c->dp->ops->get(c->dp, vrf, DP_M, 0, first, count, mask);
    c->dp->ops->get(c->dp, vrf, DP_REGISTER, r->reg, first, count, values);
    for (uint32_t i = 0; i < count; i++) {
        some |= mask[i];
        if (mask[i])
            print_value(r->type, values[i], out);
        else
            str_append(out, " -");
    }
    return some != 0;
}

/* The line of one VRF; false if no lane is enabled. */
static bool print_vrf(struct control *c, const struct debug_record *r, const struct dp_binding *b,
                      struct str *out) {
    bool some = false;
    print_place(c, b, out);
    str_printf(out, ": %s", r->text);
    while (out->len && out->text[out->len - 1] == ' ') /* every value brings its own */
        out->text[--out->len] = '\0';
    for (uint32_t done = 0, n; done < b->valid_lanes; done += n) {
        n = dp_piece(done, b->valid_lanes);
        some |= print_lanes(c, r, b->vrf, done, n, out);
    }
    return some;
}

static void collect(struct control *c, struct str *line, uint32_t vrf) {
    struct print_line p = {vrf, (uint32_t)c->prints.len, line->text};
    c->print_bytes += line->len;
    vec_push(&c->prints, p);
    *line = (struct str){0};
}

void control_debug_print(struct control *c, const struct ensemble *e, const struct strand *s) {
    const struct debug_record *r =
        control_debug_record_of(c, (uint32_t)c->text.insns[s->flow.pc].imm);
    if (!r || !c->config.print)
        return;
    for (uint32_t i = 0; i < s->vrf_count; i++) {
        const struct dp_binding *b = control_ensemble_binding(e, s->vrfs[i]);
        struct str line = {0};
        if (!(s->off && s->off[i].off) && print_vrf(c, r, b, &line))
            collect(c, &line, b->vrf);
        str_free(&line);
    }
    if (c->print_bytes > PRINT_LIMIT)
        control_stop(c, CONTROL_STOPPED, control_strand_place(s),
                     "more than 256 MiB were printed in one ensemble");
}

static int by_vrf_then_order(const void *x, const void *y) {
    const struct print_line *a = x, *b = y;
    if (a->vrf != b->vrf)
        return a->vrf < b->vrf ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void control_debug_flush(struct control *c) {
    if (c->prints.len)
        qsort(c->prints.data, c->prints.len, sizeof *c->prints.data, by_vrf_then_order);
    for (size_t i = 0; i < c->prints.len; i++) {
        c->config.print(c->config.print_context, c->prints.data[i].line);
        free(c->prints.data[i].line);
    }
    vec_clear(&c->prints);
    c->print_bytes = 0;
}

static uint32_t failing_lane(struct control *c, const struct dp_binding *b) {
    uint64_t m[DP_PIECE_LANES], cond[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < b->valid_lanes; done += n) {
        n = dp_piece(done, b->valid_lanes);
        c->dp->ops->get(c->dp, b->vrf, DP_M, 0, done, n, m);
        c->dp->ops->get(c->dp, b->vrf, DP_C, 0, done, n, cond);
        for (uint32_t i = 0; i < n; i++)
            if (m[i] && !cond[i])
                return done + i;
    }
    return b->valid_lanes;
}

/* The batch that a VRF of a strand runs in. */
static uint32_t batch_of(const struct ensemble *e, uint32_t vrf) {
    for (uint32_t b = 0; b < e->batch_count; b++)
        for (uint32_t i = 0; i < e->batches[b].count; i++)
            if (e->batches[b].vrfs[i] == vrf)
                return e->batches[b].index;
    return NO_INDEX;
}

bool control_debug_assert_fails(struct control *c, const struct ensemble *e, const struct strand *s,
                                struct stop_place *at) {
    if (!control_strand_any(c, s, DP_ANY_M_AND_NOT_C, NULL))
        return false;
    uint32_t k = 0;
    for (uint32_t i = 0; i < s->vrf_count; i++) {
        if (s->off && s->off[i].off)
            continue;
        if (!c->bits[k++])
            continue;
        at->index = s->flow.pc;
        at->vrf = s->vrfs[i];
        at->mpu = at->vrf / target_vrfs_per_mpu(c->target);
        at->batch = batch_of(e, at->vrf);
        at->lane = failing_lane(c, control_ensemble_binding(e, at->vrf));
        return true;
    }
    return false;
}
