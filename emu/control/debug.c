/* SPDX-License-Identifier: MIT
 * PRINT and ASSERT, in terms of elements.  What they write depends on the program and its data
 * alone: on every target the same lines in the same order. */
#include "emu/control/state.h"

#include "linker/package/element_place.h"
#include "support/bits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A PRINT in an endless loop stops the program, it does not eat the host's memory. */
#define PRINT_LIMIT 8000000u

/* Values in a row of a line. */
#define PRINT_ROW 16

const struct debug_record *control_debug_record_of(const struct control *control, uint32_t number) {
    return number < control->program->debugs.len ? &control->program->debugs.data[number] : NULL;
}

static void print_value(struct lane_type type, uint64_t pattern, struct str *out) {
    str_char(out, ' ');
    object_pattern_text(type, pattern, out);
}

/* "RFH0.VRF1", of which MPU where there are several. */
static void print_vrf(const struct control *control, uint32_t vrf, struct str *out) {
    const struct target *t = control->target;
    uint32_t in_mpu = vrf % target_vrfs_per_mpu(t);
    if (control->mpu_count > 1)
        str_printf(out, "MPU%u.", (unsigned)(vrf / target_vrfs_per_mpu(t)));
    str_printf(out, "RFH%u.VRF%u", (unsigned)(in_mpu % t->rfh_per_mpu),
               (unsigned)(in_mpu / t->rfh_per_mpu));
}

/* The group of a VRF of the ensemble, NO_INDEX for a fixed one. */
static uint32_t group_of(const struct ensemble *ensemble, const struct dp_binding *binding) {
    return ensemble->groups[binding - ensemble->bindings];
}

/* ---- PRINT ---- */

static void collect_lanes(struct control *control, const struct ensemble *ensemble,
                          const struct dp_binding *binding, struct printed at, uint32_t first,
                          uint32_t count) {
    uint64_t values[DP_PIECE_LANES], mask[DP_PIECE_LANES];
    uint32_t group = group_of(ensemble, binding);
    control->dp->ops->get(control->dp, binding->vrf, DP_M, 0, first, count, mask);
    control->dp->ops->get(control->dp, binding->vrf, DP_REGISTER,
                          control->program->debugs.data[at.record].reg, first, count, values);
    at.group = group;
    at.vrf = group == NO_INDEX ? binding->vrf : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!mask[i])
            continue;
        at.element = (group == NO_INDEX ? 0 : binding->first_element) + first + i;
        at.order = control->prints.len;
        at.value = values[i];
        vec_push(&control->prints, at);
    }
}

void control_debug_print(struct control *control, const struct ensemble *ensemble,
                         const struct strand *strand) {
    uint32_t pc = strand->flow.pc, record = (uint32_t)control->text.insns[pc].imm;
    if (!control_debug_record_of(control, record) || !control->config.print)
        return;
    for (uint32_t i = 0; i < strand->vrf_count; i++) {
        const struct dp_binding *b = control_ensemble_binding(ensemble, strand->vrfs[i]);
        if (strand->off && strand->off[i].off)
            continue;
        for (uint32_t done = 0, n; done < b->valid_lanes; done += n) {
            n = dp_piece(done, b->valid_lanes);
            collect_lanes(control, ensemble, b, (struct printed){.pc = pc, .record = record}, done,
                          n);
        }
    }
    if (control->prints.len > PRINT_LIMIT)
        control_stop(control, CONTROL_STOPPED, control_strand_place(strand),
                     "more than %u values were printed in one ensemble", PRINT_LIMIT);
}

/* Whose value: -1, 0 or 1. */
static int compare_elements(const struct printed *left, const struct printed *right) {
    if (left->group != right->group)
        return left->group < right->group ? -1 : 1;
    if (left->vrf != right->vrf)
        return left->vrf < right->vrf ? -1 : 1;
    return (left->element > right->element) - (left->element < right->element);
}

static int by_element(const void *left, const void *right) {
    const struct printed *a = left, *b = right;
    int order = compare_elements(a, b);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* The values that are next, one of each element: a heap whose first is earliest in the text, of
 * several there the one of the first element. */
struct heads {
    const struct printed **list;
    size_t count;
};

static bool goes_first(const struct printed *left, const struct printed *right) {
    return left->pc != right->pc ? left->pc < right->pc : compare_elements(left, right) < 0;
}

static void push_head(struct heads *heads, const struct printed *value) {
    size_t i = heads->count++;
    for (; i && goes_first(value, heads->list[(i - 1) / 2]); i = (i - 1) / 2)
        heads->list[i] = heads->list[(i - 1) / 2];
    heads->list[i] = value;
}

static const struct printed *pop_head(struct heads *heads) {
    const struct printed *first = heads->list[0], *last = heads->list[--heads->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heads->count; i = child) {
        child += child + 1 < heads->count && goes_first(heads->list[child + 1], heads->list[child]);
        if (!goes_first(heads->list[child], last))
            break;
        heads->list[i] = heads->list[child];
    }
    heads->list[i] = last;
    return first;
}

/* One line: values of neighbours of one row, all printed at the same time. */
static void print_row(struct control *control, const struct printed *const *values, size_t count,
                      struct str *out) {
    const struct printed *row = values[0];
    const struct debug_record *r = &control->program->debugs.data[row->record];
    str_clear(out);
    if (row->group == NO_INDEX) {
        print_vrf(control, row->vrf, out);
        str_append(out, ": ");
    }
    str_visible(out, r->text);
    while (out->len && strchr(" =:", out->text[out->len - 1])) /* "x =", as labels are written */
        out->text[--out->len] = '\0';
    if (row->group != NO_INDEX)
        package_element_text(control->package, control->program, row->group, row->element, count,
                             out);
    else if (count > 1)
        str_printf(out, "[%llu:%llu]", (unsigned long long)row->element,
                   (unsigned long long)(row->element + count));
    else
        str_printf(out, "[%llu]", (unsigned long long)row->element);
    str_append(out, " =");
    for (size_t i = 0; i < count; i++)
        print_value(r->type, values[i]->value, out);
    control->config.print(control->config.print_context, out->text);
}

/* Values that belong into the line of the first. */
static size_t row_length(const struct control *control, const struct printed *const *values,
                         size_t count) {
    const struct printed *first = values[0];
    uint64_t left = PRINT_ROW;
    if (first->group != NO_INDEX)
        left =
            package_elements_left(control->package, control->program, first->group, first->element);
    size_t n = 1;
    while (n < count && n < left && n < PRINT_ROW && values[n]->group == first->group &&
           values[n]->vrf == first->vrf && values[n]->element == first->element + n)
        n++;
    return n;
}

/* Elements whose next values stand at the same place print them together, and each goes on to its
 * next one: so would lanes that each go their own way, of which the one that is behind in the text
 * always goes first. */
static void print_in_step(struct control *control, struct heads *heads, const struct printed *end) {
    const struct printed **here = xcalloc(heads->count, sizeof *here);
    struct str line = {0};
    while (heads->count) {
        size_t count = 0;
        do
            here[count++] = pop_head(heads);
        while (heads->count && heads->list[0]->pc == here[0]->pc);
        for (size_t i = 0, n; i < count; i += n) {
            n = row_length(control, &here[i], count - i);
            print_row(control, &here[i], n, &line);
        }
        for (size_t i = 0; i < count; i++)
            if (here[i] + 1 < end && compare_elements(here[i] + 1, here[i]) == 0)
                push_head(heads, here[i] + 1);
    }
    str_free(&line);
    free(here);
}

void control_debug_flush(struct control *control) {
    size_t n = control->prints.len;
    struct printed *all = control->prints.data;
    struct heads heads = {n ? xcalloc(n, sizeof *heads.list) : NULL, 0};
    if (!n)
        return;
    qsort(all, n, sizeof *all, by_element);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare_elements(&all[i - 1], &all[i]) != 0)
            push_head(&heads, &all[i]);
    print_in_step(control, &heads, all + n);
    free(heads.list);
    vec_clear(&control->prints);
}

/* ---- ASSERT ---- */

/* Lanes of the VRF in which the assertion fails; the first of them is *lane. */
static uint32_t failing_lanes(struct control *control, const struct dp_binding *binding,
                              uint32_t *lane) {
    uint64_t m[DP_PIECE_LANES], cond[DP_PIECE_LANES];
    uint32_t count = 0;
    for (uint32_t done = 0, n; done < binding->valid_lanes; done += n) {
        n = dp_piece(done, binding->valid_lanes);
        control->dp->ops->get(control->dp, binding->vrf, DP_M, 0, done, n, m);
        control->dp->ops->get(control->dp, binding->vrf, DP_C, 0, done, n, cond);
        for (uint32_t i = 0; i < n; i++)
            if (m[i] && !cond[i] && count++ == 0)
                *lane = done + i;
    }
    return count;
}

/* The batch that a VRF of a strand runs in. */
static uint32_t batch_of(const struct ensemble *ensemble, uint32_t vrf) {
    for (uint32_t b = 0; b < ensemble->batch_count; b++)
        for (uint32_t i = 0; i < ensemble->batches[b].count; i++)
            if (ensemble->batches[b].vrfs[i] == vrf)
                return ensemble->batches[b].index;
    return NO_INDEX;
}

static bool is_before(const struct failing_element *left, const struct failing_element *right) {
    if (left->group != right->group)
        return left->group < right->group;
    return left->group == NO_INDEX
               ? left->vrf < right->vrf || (left->vrf == right->vrf && left->lane < right->lane)
               : left->element < right->element;
}

void control_debug_find_failing(struct control *control, const struct ensemble *ensemble,
                                const struct strand *strand, struct failing_element *first) {
    if (!control_strand_any(control, strand, DP_ANY_M_AND_NOT_C, NULL))
        return;
    uint32_t k = 0;
    for (uint32_t i = 0; i < strand->vrf_count; i++) {
        if ((strand->off && strand->off[i].off) || !control->answers.bits[k++])
            continue;
        const struct dp_binding *b = control_ensemble_binding(ensemble, strand->vrfs[i]);
        struct failing_element x = {.group = group_of(ensemble, b), .vrf = b->vrf};
        uint64_t count = failing_lanes(control, b, &x.lane);
        x.element = b->first_element + x.lane;
        x.batch = batch_of(ensemble, x.vrf);
        if (!first->count || is_before(&x, first)) {
            x.count = first->count;
            *first = x;
        }
        first->count += count;
    }
}

/* "y[77] = 154, x[77] = 3", of the values that stand before the assertion's record. */
static void say_values(struct control *control, uint32_t record, const struct failing_element *at,
                       struct str *out) {
    const struct debug_record *list = control->program->debugs.data;
    uint32_t first = record;
    while (first && list[first - 1].kind == DEBUG_SHOW)
        first--;
    for (uint32_t i = first; i < record; i++) {
        uint64_t value;
        control->dp->ops->get(control->dp, at->vrf, DP_REGISTER, list[i].reg, at->lane, 1, &value);
        str_printf(out, "%s%s", i > first ? ", " : ": ", list[i].text);
        if (at->group != NO_INDEX)
            package_element_text(control->package, control->program, at->group, at->element, 1,
                                 out);
        str_append(out, " =");
        print_value(list[i].type, value, out);
    }
    if (first == record && at->group != NO_INDEX) {
        str_printf(out, ": element ");
        package_element_text(control->package, control->program, at->group, at->element, 1, out);
        str_printf(out, " of %s", control->program->groups.data[at->group].name);
    }
}

/* The element is the same on every target; where it lies stands in a note, but for a fixed VRF. */
bool control_debug_failed(struct control *control, const struct failing_element *at, uint32_t pc) {
    uint32_t record = (uint32_t)control->text.insns[pc].imm;
    const struct debug_record *r = control_debug_record_of(control, record);
    struct stop_place place = STOP_AT(pc);
    struct str text = {0};
    if (r)
        say_values(control, record, at, &text);
    if (at->count > 1)
        str_printf(&text, ", and %llu more", (unsigned long long)at->count - 1);
    if (at->group == NO_INDEX) {
        place.mpu = at->vrf / target_vrfs_per_mpu(control->target);
        place.batch = at->batch;
        place.vrf = at->vrf;
        place.lane = at->lane;
    }
    control_stop(control, CONTROL_STOPPED, place, "assertion failed: %s%s", r ? r->text : "",
                 str_text(&text));
    if (at->group != NO_INDEX) {
        str_clear(&text);
        str_printf(&text, "lane %u of ", (unsigned)at->lane);
        print_vrf(control, at->vrf, &text);
        str_printf(&text, ", batch %u", (unsigned)at->batch);
        control_note(control, NO_INDEX, str_text(&text));
    }
    str_free(&text);
    return false;
}
