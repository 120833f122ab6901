/* SPDX-License-Identifier: MIT
 * PRINT and ASSERT. */
#include "emu/control/state.h"

#include "support/bits.h"

#include <stdio.h>
#include <stdlib.h>

/* A PRINT in an endless loop stops the program, it does not eat the host's memory. */
#define PRINT_LIMIT ((size_t)256 << 20)

const struct debug_record *control_debug_record_of(const struct control *control, uint32_t number) {
    return number < control->program->debugs.len ? &control->program->debugs.data[number] : NULL;
}

static void print_place(struct control *control, const struct dp_binding *binding,
                        struct str *out) {
    const struct target *t = control->target;
    uint32_t in_mpu = binding->vrf % target_vrfs_per_mpu(t);
    control_rounds_describe(control, "", ", ", out);
    if (control->mpu_count > 1)
        str_printf(out, "MPU%u.", (unsigned)(binding->vrf / target_vrfs_per_mpu(t)));
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
static bool print_lanes(struct control *control, const struct debug_record *record, uint32_t vrf,
                        uint32_t first, uint32_t count, struct str *out) {
    uint64_t values[DP_PIECE_LANES], mask[DP_PIECE_LANES], some = 0;
    control->dp->ops->get(control->dp, vrf, DP_M, 0, first, count, mask);
    control->dp->ops->get(control->dp, vrf, DP_REGISTER, record->reg, first, count, values);
    for (uint32_t i = 0; i < count; i++) {
        some |= mask[i];
        if (mask[i])
            print_value(record->type, values[i], out);
        else
            str_append(out, " -");
    }
    return some != 0;
}

/* The line of one VRF; false if no lane is enabled. */
static bool print_vrf(struct control *control, const struct debug_record *record,
                      const struct dp_binding *binding, struct str *out) {
    bool some = false;
    print_place(control, binding, out);
    str_append(out, ": ");
    str_visible(out, record->text);
    while (out->len && out->text[out->len - 1] == ' ') /* every value brings its own */
        out->text[--out->len] = '\0';
    for (uint32_t done = 0, n; done < binding->valid_lanes; done += n) {
        n = dp_piece(done, binding->valid_lanes);
        some |= print_lanes(control, record, binding->vrf, done, n, out);
    }
    return some;
}

static void collect(struct control *control, struct str *line, uint32_t vrf) {
    struct print_line p = {vrf, (uint32_t)control->prints.lines.len, line->text};
    control->prints.bytes += line->len;
    vec_push(&control->prints.lines, p);
    *line = (struct str){0};
}

void control_debug_print(struct control *control, const struct ensemble *ensemble,
                         const struct strand *strand) {
    const struct debug_record *r =
        control_debug_record_of(control, (uint32_t)control->text.insns[strand->flow.pc].imm);
    if (!r || !control->config.print)
        return;
    for (uint32_t i = 0; i < strand->vrf_count; i++) {
        const struct dp_binding *b = control_ensemble_binding(ensemble, strand->vrfs[i]);
        struct str line = {0};
        if (!(strand->off && strand->off[i].off) && print_vrf(control, r, b, &line))
            collect(control, &line, b->vrf);
        str_free(&line);
    }
    if (control->prints.bytes > PRINT_LIMIT)
        control_stop(control, CONTROL_STOPPED, control_strand_place(strand),
                     "more than 256 MiB were printed in one ensemble");
}

static int by_vrf_then_order(const void *left, const void *right) {
    const struct print_line *a = left, *b = right;
    if (a->vrf != b->vrf)
        return a->vrf < b->vrf ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void control_debug_flush(struct control *control) {
    if (control->prints.lines.len)
        qsort(control->prints.lines.data, control->prints.lines.len,
              sizeof *control->prints.lines.data, by_vrf_then_order);
    for (size_t i = 0; i < control->prints.lines.len; i++) {
        control->config.print(control->config.print_context, control->prints.lines.data[i].line);
        free(control->prints.lines.data[i].line);
    }
    vec_clear(&control->prints.lines);
    control->prints.bytes = 0;
}

static uint32_t failing_lane(struct control *control, const struct dp_binding *binding) {
    uint64_t m[DP_PIECE_LANES], cond[DP_PIECE_LANES];
    for (uint32_t done = 0, n; done < binding->valid_lanes; done += n) {
        n = dp_piece(done, binding->valid_lanes);
        control->dp->ops->get(control->dp, binding->vrf, DP_M, 0, done, n, m);
        control->dp->ops->get(control->dp, binding->vrf, DP_C, 0, done, n, cond);
        for (uint32_t i = 0; i < n; i++)
            if (m[i] && !cond[i])
                return done + i;
    }
    return binding->valid_lanes;
}

/* The batch that a VRF of a strand runs in. */
static uint32_t batch_of(const struct ensemble *ensemble, uint32_t vrf) {
    for (uint32_t b = 0; b < ensemble->batch_count; b++)
        for (uint32_t i = 0; i < ensemble->batches[b].count; i++)
            if (ensemble->batches[b].vrfs[i] == vrf)
                return ensemble->batches[b].index;
    return NO_INDEX;
}

bool control_debug_assert_fails(struct control *control, const struct ensemble *ensemble,
                                const struct strand *strand, struct stop_place *at) {
    if (!control_strand_any(control, strand, DP_ANY_M_AND_NOT_C, NULL))
        return false;
    uint32_t k = 0;
    for (uint32_t i = 0; i < strand->vrf_count; i++) {
        if (strand->off && strand->off[i].off)
            continue;
        if (!control->answers.bits[k++])
            continue;
        at->index = strand->flow.pc;
        at->vrf = strand->vrfs[i];
        at->mpu = at->vrf / target_vrfs_per_mpu(control->target);
        at->batch = batch_of(ensemble, at->vrf);
        at->lane = failing_lane(control, control_ensemble_binding(ensemble, at->vrf));
        return true;
    }
    return false;
}
