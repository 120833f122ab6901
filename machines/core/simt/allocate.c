/* SPDX-License-Identifier: MIT
 * Locations, colours and numbers of registers; what does not fit is spilled, and all is looked at
 * anew. */
#include "machines/core/simt/allocate.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PREDICATE SIMT_LOCATIONS /* their class for simt_choose */

static uint32_t even(uint32_t units) {
    return (units + 1) / 2 * 2;
}

static const uint8_t order[] = {SIMT_NEAR, SIMT_BOTH, SIMT_FAR};

/* Near, both, far: pairs begin at even numbers in each. */
static uint32_t number_classes(struct simt_allocation *a) {
    uint32_t next = 0;
    for (unsigned i = 0; i < 3; i++) {
        a->first[order[i]] = next;
        a->units[order[i]] = a->colours.units[order[i]];
        if (i < 2)
            a->units[order[i]] = even(a->units[order[i]]);
        next += a->units[order[i]];
    }
    return next;
}

static void look_at(const struct simt_lowered *l, const struct simt_options *options, bool one_side,
                    struct simt_allocation *a) {
    const struct ptx_function *f = &l->function;
    a->at = xcalloc(f->registers.len + 1, 1);
    simt_locate(f, SIMT_REPAIRED, options->near_shared, a->at);
    if (options->locate)
        options->locate(options->context, f, a->at);
    for (size_t i = 0; one_side && i < f->registers.len; i++)
        if (a->at[i] != SIMT_UNKNOWN)
            a->at[i] = SIMT_FAR;
    ptx_cfg_make(f, &a->cfg);
    simt_live_make(f, &a->cfg, &a->live);
    simt_colour(&a->live, a->at, &a->colours);
}

void simt_allocation_free(struct simt_allocation *a) {
    simt_colours_free(&a->colours);
    simt_live_free(&a->live);
    ptx_cfg_free(&a->cfg);
    free(a->at);
    *a = (struct simt_allocation){.at = NULL};
}

/* Classes as simt_choose has them. */
static uint8_t *classes_of(const struct simt_lowered *l, const struct simt_allocation *a) {
    const uint32_t n = (uint32_t)l->function.registers.len;
    uint8_t *class = xcalloc(n + 1u, 1);
    for (uint32_t i = 0; i < n; i++)
        class[i] =
            a->at[i] && l->function.registers.data[i].type == PTX_PRED ? PREDICATE : a->at[i];
    return class;
}

/* From the class with most units, if something can leave it; else from others. */
static bool spill_some(struct simt_lowered *l, const struct simt_allocation *a, uint32_t units,
                       uint32_t predicates) {
    const uint32_t n = (uint32_t)l->function.registers.len;
    uint8_t *class = classes_of(l, a), *marked = xcalloc(n + 1u, 1);
    bool tried[SIMT_LOCATIONS] = {false};
    uint32_t freed = 0;
    if (predicates)
        freed = simt_choose(l, &a->live, class, PREDICATE, a->colours.most_live_predicates,
                            predicates, marked);
    while (units && !freed) {
        unsigned most = 0;
        for (unsigned i = 0; i < 3; i++)
            if (!tried[order[i]] && (!most || a->colours.units[order[i]] > a->colours.units[most]))
                most = order[i];
        if (!most)
            break;
        tried[most] = true;
        freed = simt_choose(l, &a->live, class, most, a->colours.most_live[most], units, marked);
    }
    if (freed)
        simt_spill(l, marked);
    free(class);
    free(marked);
    return freed != 0;
}

/* Whether all of them fit where they are if they lie on one side. */
static bool fits_one_side(const struct simt_lowered *l, const struct simt_options *options) {
    struct simt_allocation a;
    look_at(l, options, true, &a);
    const bool fits = number_classes(&a) <= options->registers;
    simt_allocation_free(&a);
    return fits;
}

bool simt_allocate(struct simt_lowered *l, const struct simt_options *options,
                   struct simt_allocation *out, struct portable_fault *fault) {
    const uint32_t registers = options->registers;
    bool one_side = false;
    *out = (struct simt_allocation){.at = NULL};
    for (bool first = true;; first = false) {
        look_at(l, options, one_side, out);
        const uint32_t units = number_classes(out), predicates = out->colours.predicates;
        const uint32_t beyond = units > registers ? units - registers : 0;
        const uint32_t more = predicates > SIMT_PREDICATES ? predicates - SIMT_PREDICATES : 0;
        if (!beyond && !more)
            return true;
        if (l->function.insns.len > SIMT_CODE_WORDS) {
            str_printf(&fault->what, "with what is spilled a kernel has at most %d words of code",
                       SIMT_CODE_WORDS);
            return false;
        }
        if (beyond && first && fits_one_side(l, options)) {
            one_side = true;
        } else if (!spill_some(l, out, beyond, more)) {
            if (one_side || more) {
                str_printf(&fault->what,
                           "it needs %" PRIu32 " registers at once, and a thread has %" PRIu32,
                           units, registers);
                return false;
            }
            one_side = true;
        }
        simt_allocation_free(out);
    }
}
