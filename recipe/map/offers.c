/* SPDX-License-Identifier: MIT
 * Derived gates for the search: those that two cheaper gates cannot replace at their cost, and the
 * places where each may read and write. */
#include "recipe/map/derive.h"
#include "recipe/map/memo.h"

#include <stdlib.h>
#include <string.h>

#define NEVER     UINT32_MAX
#define FUNCTIONS 256

/* --- places --- */

/* Where inputs of sequences may lie: the places of the search before this one, for a sequence's
 * inputs are rows like others (CLASS_HOME), and so SEARCH_REGISTER is none. */
#define PLACES        SEARCH_REGISTER
#define PLACE_CHOICES (PLACES * PLACES * PLACES)
_Static_assert(FRAME_INPUTS == 3, "a digit of a choice for each input");

/* A place of the search stands for at most two classes: two homes, or two constants.  Bit i of a
 * choice says which of them input i lies in, the bit behind them all which one the result does. */
#define CLASSES_OF_PLACE 2
#define CLASS_CHOICES    (1u << (FRAME_INPUTS + 1))

/* The classes of rows that a place of the search stands for. */
static unsigned classes_of(const struct op_frame *frame, enum search_place place, int *classes) {
    const struct target *t = frame->target;
    unsigned n = 0;
    switch (place) {
    case SEARCH_ROW:
        for (; n < frame->home_count; n++)
            classes[n] = frame->homes[n];
        return n;
    case SEARCH_CONST:
        for (unsigned i = FRAME_INPUTS; i < frame->first_written; i++)
            classes[n++] = frame->places[i].class;
        return n;
    case SEARCH_BUFFER:
        classes[0] = CLASS_BUFFER;
        return technology_sections_apart(t);
    case SEARCH_C:
        classes[0] = plane_target(t)->class_of_c;
        return 1;
    case SEARCH_M:
        classes[0] = plane_target(t)->class_of_m;
        return 1;
    default:
        classes[0] = plane_target(t)->class_of_valid;
        return 1;
    }
}

/* Classes of the inputs and of the result. */
struct at_classes {
    int input[FRAME_INPUTS], out;
};

static bool step_holds(const struct op_frame *frame, const struct step_template *template,
                       const struct op_use *use, const struct at_classes *at) {
    const struct target_op *op = &plane_target(frame->target)->ops[use->op];
    struct where_place places[OP_MAX_SOURCES + OP_MAX_DESTS];
    for (unsigned i = 0; i < use->nsrc + (unsigned)use->ndst; i++) {
        unsigned place = i < use->nsrc ? use->src[i] : use->dst[i - use->nsrc];
        places[i] = mapping_frame_where(frame, place, frame->homes[frame->home_count - 1]);
        if (place < FRAME_INPUTS)
            places[i].class = at->input[place];
        else if (place == template->out)
            places[i].class = at->out;
    }
    return technology_where_holds(op->where, places, 0) &&
           technology_presets_hold(frame->target, op, &places[use->nsrc]);
}

/* Does the sequence work with its inputs and its result in these places? */
static bool works(const struct op_frame *frame, const struct step_template *template, unsigned nsrc,
                  const enum search_place *inputs, enum search_place out) {
    for (unsigned n = 0; n < CLASS_CHOICES; n++) {
        struct at_classes at;
        bool possible = true;
        for (unsigned i = 0; i < nsrc + 1 && possible; i++) {
            int classes[CLASSES_OF_PLACE];
            unsigned count = classes_of(frame, i < nsrc ? inputs[i] : out, classes);
            if (count == 0)
                return false;
            possible = (n >> i & 1) < count;
            *(i < nsrc ? &at.input[i] : &at.out) = classes[possible ? n >> i & 1 : 0];
        }
        for (unsigned s = 0; s < template->step_count && possible; s++)
            if (!step_holds(frame, template, &template->steps[s], &at))
                return false;
    }
    return true;
}

/* All combinations of the gate's places. */
static bool all_work(const struct op_frame *frame, const struct step_template *template,
                     const struct search_gate *gate) {
    for (unsigned n = 0; n < PLACE_CHOICES; n++) {
        enum search_place inputs[FRAME_INPUTS] = {n % PLACES, n / PLACES % PLACES,
                                                  n / (PLACES * PLACES)};
        bool meant = true; /* and no input is counted that the gate has not: it stays in place 0 */
        for (unsigned i = 0; i < FRAME_INPUTS; i++)
            meant = meant && (i < gate->nsrc ? gate->src_places[i] >> inputs[i] & 1 : !inputs[i]);
        if (meant && !works(frame, template, gate->nsrc, inputs, SEARCH_ROW))
            return false;
    }
    return true;
}

static void find_places(const struct op_frame *frame, const struct step_template *template,
                        struct search_gate *gate) {
    static const enum search_place rows[FRAME_INPUTS] = {SEARCH_ROW, SEARCH_ROW, SEARCH_ROW};
    for (unsigned i = 0; i < gate->nsrc; i++)
        for (unsigned place = SEARCH_ROW; place < PLACES; place++) {
            enum search_place inputs[FRAME_INPUTS] = {SEARCH_ROW, SEARCH_ROW, SEARCH_ROW};
            inputs[i] = place;
            if (works(frame, template, gate->nsrc, inputs, SEARCH_ROW))
                gate->src_places[i] |= (uint8_t)SEARCH_IN(place);
        }
    for (unsigned i = 0; i < gate->nsrc && !all_work(frame, template, gate); i++)
        gate->src_places[i] &= (uint8_t) ~(SEARCH_IN(SEARCH_CONST) | SEARCH_IN(SEARCH_BUFFER));
    gate->dst_places = SEARCH_IN(SEARCH_ROW);
    for (unsigned place = SEARCH_C; place <= SEARCH_M; place++)
        if (works(frame, template, gate->nsrc, rows, place))
            gate->dst_places |= (uint8_t)SEARCH_IN(place);
}

/* --- what is worth a gate --- */

/* Least costs of functions: with one gate on inputs and constants, and with two. */
struct offers {
    const struct map_gates *gates;
    uint8_t leaves[FRAME_INPUTS + 2];
    unsigned leaf_count;
    uint32_t one[FUNCTIONS], two[FUNCTIONS];
};

static uint8_t apply(const struct search_gate *gate, const uint8_t *args) {
    uint8_t result = 0;
    for (unsigned row = 0; row < 1u << gate->nsrc; row++) {
        uint8_t here = gate->truth >> row & 1 ? 0xff : 0;
        for (unsigned i = 0; i < gate->nsrc && here; i++)
            here &= row >> i & 1 ? args[i] : (uint8_t)~args[i];
        result |= here;
    }
    return result;
}

/* With all arguments from the leaves and h; `into` keeps the least cost of each function. */
static void try_all(const struct offers *offers, const struct search_gate *gate, uint8_t h,
                    uint32_t cost, uint32_t *into) {
    unsigned choices = offers->leaf_count + 1, all = 1;
    for (unsigned i = 0; i < gate->nsrc; i++)
        all *= choices;
    for (unsigned n = 0; n < all; n++) {
        uint8_t args[SEARCH_MAX_SRC];
        for (unsigned i = 0, rest = n; i < gate->nsrc; i++, rest /= choices)
            args[i] = rest % choices < offers->leaf_count ? offers->leaves[rest % choices] : h;
        uint8_t f = apply(gate, args);
        if (cost < into[f])
            into[f] = cost;
    }
}

static bool uses_rows(const struct search_gate *gate) {
    bool rows = gate->dst_places & SEARCH_IN(SEARCH_ROW);
    for (unsigned i = 0; i < gate->nsrc; i++)
        rows = rows && gate->src_places[i] & SEARCH_IN(SEARCH_ROW);
    return rows;
}

/* What the last of the gates adds. */
static void note_gate(struct offers *offers) {
    const struct search_gate *made = &offers->gates->gates[offers->gates->count - 1];
    uint32_t before[FUNCTIONS];
    if (!uses_rows(made))
        return;
    memcpy(before, offers->one, sizeof before);
    try_all(offers, made, offers->leaves[0], made->cost, offers->one);
    for (unsigned h = 0; h < FUNCTIONS; h++) {
        if (offers->one[h] == NEVER)
            continue;
        unsigned first = offers->one[h] < before[h] ? 0 : offers->gates->count - 1;
        for (unsigned i = first; i < offers->gates->count; i++) {
            const struct search_gate *g = &offers->gates->gates[i];
            if (uses_rows(g))
                try_all(offers, g, (uint8_t)h, offers->one[h] + g->cost, offers->two);
        }
    }
}

static void start_offers(struct offers *offers, struct map_gates *gates) {
    *offers = (struct offers){.gates = gates};
    memcpy(offers->leaves, mapping_variables, FRAME_INPUTS);
    offers->leaf_count = FRAME_INPUTS;
    if (gates->zero)
        offers->leaves[offers->leaf_count++] = 0x00;
    if (gates->one)
        offers->leaves[offers->leaf_count++] = 0xff;
    for (unsigned f = 0; f < FUNCTIONS; f++)
        offers->one[f] = offers->two[f] = NEVER;
    unsigned count = gates->count;
    for (gates->count = 1; gates->count <= count; gates->count++)
        note_gate(offers);
    gates->count = count;
}

static int by_cost(const void *left, const void *right) {
    const struct template_group *x = *(const struct template_group *const *)left;
    const struct template_group *y = *(const struct template_group *const *)right;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (x->nsrc != y->nsrc)
        return x->nsrc < y->nsrc ? -1 : 1;
    return x->truth < y->truth ? -1 : x->truth > y->truth;
}

void mapping_offer_derived(struct map_gates *gates) {
    const struct derived *d = gates->derived;
    const struct template_group *list[FUNCTIONS];
    unsigned most = gates->count + MOST_DERIVED;
    struct offers o;
    start_offers(&o, gates);
    for (unsigned i = 0; i < d->group_count; i++)
        list[i] = &d->groups[i];
    qsort(list, d->group_count, sizeof list[0], by_cost);
    for (unsigned i = 0; i < d->group_count && gates->count < most; i++) {
        const struct template_group *x = list[i];
        struct search_gate g = {.nsrc = x->nsrc, .truth = x->truth, .cost = x->cost};
        if (x->nsrc < FRAME_INPUTS)
            g.truth &= (uint8_t)((1u << (1u << x->nsrc)) - 1);
        if (o.one[x->truth] <= x->cost || o.two[x->truth] <= x->cost)
            continue;
        g.tag = DERIVED_TAG + (uint32_t)(x - d->groups);
        find_places(&d->frame, &x->list[0], &g);
        gates->gates[gates->count++] = g;
        note_gate(&o);
    }
}
