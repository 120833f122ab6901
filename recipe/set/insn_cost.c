/* SPDX-License-Identifier: MIT
 * What one instruction costs, counted and scheduled. */
#include "recipe/set/set.h"
#include "recipe/timing/timing.h"
#include "recipe/set/words.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Copies of an instruction, one behind the other, whose distance is the interval. */
#define REPEATS 8

static uint64_t cycles(const struct target *target, uint64_t ps) {
    return (ps + target->datapath_ps - 1) / target->datapath_ps;
}

uint64_t recipe_uop_energy(const struct target *target, unsigned kind) {
    return plane_op_fj(target, &plane_target(target)->ops[kind]);
}

static void count_classes(const struct target *target, const struct uop_list *list,
                          struct recipe_count *out) {
    uint64_t parts = 0;
    for (size_t i = 0; i < list->len; i++) {
        const struct target_op *op = &plane_target(target)->ops[list->data[i].kind];
        parts = sat_add(parts, plane_op_parts(target, op));
        if (recipe_word_goes_on(target, &list->data[i]))
            continue;
        out->micro_ops++;
        out->logic += op->class == OPCLASS_LOGIC;
        out->copies += op->class == OPCLASS_COPY;
        out->crossings += op->class == OPCLASS_CROSSING;
    }
    out->energy_fj += parts / plane_target(target)->energy_parts;
}

/* Rows of one section that hold something which is still wanted, walking back through a list. */
struct held_rows {
    unsigned char *held;  /* [section][row] */
    uint32_t *now, *most; /* [section][class] */
};

static void hold_row(const struct target *target, struct held_rows *rows, uint32_t plane,
                     bool held) {
    uint32_t section = PLANE_SECTION(plane), row = PLANE_NUMBER(plane), class = 0;
    if (PLANE_CLASS(plane) != PLANE_SCRATCH || section >= plane_target(target)->sections ||
        row >= plane_target(target)->scratch_rows ||
        rows->held[(size_t)section * plane_target(target)->scratch_rows + row] == held)
        return;
    while (row - plane_target(target)->row_classes[class].first_scratch >=
           plane_target(target)->row_classes[class].scratch_rows)
        class ++;
    uint32_t at = section * plane_target(target)->row_class_count + class;
    rows->held[(size_t)section * plane_target(target)->scratch_rows + row] = held;
    rows->now[at] += held ? 1 : UINT32_MAX;
    rows->most[at] = rows->now[at] > rows->most[at] ? rows->now[at] : rows->most[at];
}

/* What a micro-op writes is there after it, what it reads before it; what it keeps a part of, both
 * times. */
static void hold_rows(const struct target *target, struct held_rows *rows, const struct uop *uop) {
    const struct target_op *op = &plane_target(target)->ops[uop->kind];
    for (unsigned k = 0; k < uop->ndst; k++)
        hold_row(target, rows, uop->dst[k], true);
    for (unsigned k = 0; k < uop->nsrc; k++)
        hold_row(target, rows, uop->src[k], true);
    for (unsigned k = 0; k < uop->ndst; k++)
        if (!op->tied[k] && !op->reads_old)
            hold_row(target, rows, uop->dst[k], false);
}

/* The most rows that hold something at once in one section, class by class. */
static void count_scratch(const struct target *target, const struct uop_list *list,
                          struct recipe_count *out) {
    struct held_rows h = {
        .held = xcalloc(
            (size_t)plane_target(target)->sections * plane_target(target)->scratch_rows + 1, 1)};
    h.now =
        xcalloc((size_t)plane_target(target)->sections * plane_target(target)->row_class_count + 1,
                sizeof *h.now);
    h.most =
        xcalloc((size_t)plane_target(target)->sections * plane_target(target)->row_class_count + 1,
                sizeof *h.most);
    for (size_t i = list->len; i-- > 0;)
        hold_rows(target, &h, &list->data[i]);
    for (uint32_t s = 0; s < plane_target(target)->sections; s++) {
        uint32_t rows = 0;
        for (uint32_t c = 0; c < plane_target(target)->row_class_count; c++)
            rows += h.most[s * plane_target(target)->row_class_count + c];
        out->scratch_rows = rows > out->scratch_rows ? rows : out->scratch_rows;
    }
    free(h.held);
    free(h.now);
    free(h.most);
}

static uint32_t scratch_in(const struct row_class *class, uint32_t plane) {
    uint32_t at = PLANE_NUMBER(plane) - class->first_scratch;
    return PLANE_CLASS(plane) == PLANE_SCRATCH && at < class->scratch_rows ? at + 1 : 0;
}

uint32_t recipe_highest_scratch(const struct target *target, const struct uop_list *list) {
    const struct row_class *c =
        &plane_target(target)->row_classes[plane_target(target)->register_class];
    uint32_t most = 0;
    for (size_t i = 0; i < list->len; i++) {
        const struct uop *u = &list->data[i];
        for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++) {
            uint32_t rows = scratch_in(c, k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc]);
            most = rows > most ? rows : most;
        }
    }
    return most;
}

/* The largest distance between the ends of neighbouring sections' work. */
static uint64_t handover_ps(const struct timing_profile *profile) {
    uint64_t most = 0;
    for (unsigned s = 1; s < TIMING_MAX_SECTIONS; s++) {
        if (profile->first_ps[s] == TIMING_UNUSED || profile->first_ps[s - 1] == TIMING_UNUSED)
            continue;
        uint64_t a = profile->last_ps[s - 1], b = profile->last_ps[s], d = a > b ? a - b : b - a;
        most = d > most ? d : most;
    }
    return most;
}

static uint64_t first_work_ps(const struct timing_profile *profile) {
    uint64_t first = profile->done_ps;
    for (unsigned s = 0; s < TIMING_MAX_SECTIONS; s++)
        if (profile->first_ps[s] < first)
            first = profile->first_ps[s];
    return first;
}

bool recipe_count_list(const struct target *target, const struct uop_list *list,
                       struct recipe_count *out, const char **error) {
    struct timing_profile p;
    uint64_t done_ps[REPEATS];
    *out = (struct recipe_count){0};
    count_classes(target, list, out);
    count_scratch(target, list, out);
    if (!recipe_timing_repeat(target, list->data, list->len, REPEATS, &p, done_ps, error))
        return false;
    uint64_t half_ps = done_ps[REPEATS - 1] - done_ps[REPEATS / 2 - 1];
    out->interval_cycles = (cycles(target, half_ps) + REPEATS / 2 - 1) / (REPEATS / 2);
    out->handover = (uint32_t)cycles(target, handover_ps(&p));
    out->latency_cycles = cycles(target, p.done_ps - first_work_ps(&p));
    return true;
}

bool recipe_count(const struct recipe_set *set, const struct insn *insn, bool masked,
                  struct recipe_count *out) {
    struct uop_list list = {0};
    const char *error;
    bool fine = recipe_expand(set, insn, masked, &list, NULL) &&
                recipe_count_list(set->target, &list, out, &error);
    vec_free(&list);
    return fine;
}
