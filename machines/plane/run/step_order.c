/* SPDX-License-Identifier: MIT
 * From a covered graph to steps.  Nodes are computed in the order in which their values were made
 * first.  A plane of the tile gets its result when nothing reads any more what it held at first:
 * a value that is there earlier waits, as a node that is not computed yet where nobody else wants
 * it, else in scratch.
 *
 * Invariant: `left` of a node counts the steps that have not yet been written and read it; a
 * plane's result is written when `left` of the plane's first value is 0, or 1 and that one is the
 * step itself. */
#include "machines/plane/run/functions.h"

#include <string.h>

#define NOWHERE UINT32_MAX

struct ordered_node {
    uint32_t left;
    uint32_t place; /* operand that holds it, or its opposite; NOWHERE: it is not computed */
    bool opposite;
    bool inside;        /* computed under the mask, by the step of the node that it is for */
    uint32_t result;    /* 1 + index of the first result that it is for; 0: of none */
    uint32_t held_back; /* of a plane's first value: 1 + index of the result that waits for it */
};

struct ordered_result {
    uint32_t next;        /* 1 + index of the next one of the same node */
    uint32_t first_value; /* node of what the plane holds at first; NOWHERE: nobody reads that */
    bool written;
};

struct step_order {
    struct plane_functions *functions;
    struct step_list *steps;
    struct ordered_node *nodes;
    struct ordered_result *results;
    VEC(uint32_t) free_slots;
    VEC(uint32_t) ready; /* results whose planes nothing reads any more */
    uint32_t scratch_slots;
};

static void compute(struct step_order *order, uint32_t node, bool may_wait);

static const struct plane_cut *cut_of(const struct step_order *order, uint32_t node) {
    const struct plane_node *n = &order->functions->nodes.data[node];
    return &n->cut[n->best];
}

static bool is_computed(const struct step_order *order, uint32_t node) {
    return order->functions->nodes.data[node].count > 0;
}

static uint32_t new_slot(struct step_order *order) {
    if (order->free_slots.len > 0)
        return order->free_slots.data[--order->free_slots.len];
    return order->scratch_slots++;
}

/* What the plane held at first is read by no further step, but for steps of `node`, or the one that
 * gives the plane the opposite of that. */
static bool is_free(const struct step_order *order, uint32_t result, uint32_t node) {
    uint32_t first = order->results[result].first_value;
    uint32_t own = order->functions->results.data[result].value / 2 == first;
    if (first == NOWHERE || order->nodes[first].place & 1) /* or moved to scratch */
        return true;
    for (unsigned k = 0; is_computed(order, node) && k < cut_of(order, node)->count; k++) {
        uint32_t leaf = cut_of(order, node)->leaf[k];
        own += leaf == first;
        for (unsigned i = 0; order->nodes[leaf].inside && i < cut_of(order, leaf)->count; i++)
            own += cut_of(order, leaf)->leaf[i] == first;
    }
    return order->nodes[first].left <= own;
}

/* A step that reads the node has been written. */
static void let_go(struct step_order *order, uint32_t node) {
    struct ordered_node *n = &order->nodes[node];
    n->left--;
    if (n->left == 0 && n->place != NOWHERE && n->place & 1 &&
        n->place / PLANE_STRIDE >= SLOT_FIRST)
        vec_push(&order->free_slots, n->place / PLANE_STRIDE);
    if (!n->held_back)
        return;
    uint32_t result = n->held_back - 1;
    uint32_t value = order->functions->results.data[result].value / 2;
    if (is_free(order, result, order->nodes[value].place == NOWHERE ? value : 0)) {
        n->held_back = 0;
        vec_push(&order->ready, result);
    }
}

/* --- steps --- */

/* Truth table of the cut over what its leaves' places hold. */
static uint8_t truth_in_places(const struct step_order *order, const struct plane_cut *cut) {
    uint8_t truth = cut->truth;
    for (unsigned k = 0; k < cut->count; k++)
        if (order->nodes[cut->leaf[k]].opposite)
            truth = plane_truth_flip(truth, k);
    return truth;
}

static void emit_cut(struct step_order *order, const struct plane_cut *cut, bool opposite,
                     uint32_t dst, bool masked, uint32_t mask) {
    uint8_t truth = (uint8_t)(truth_in_places(order, cut) ^ (opposite ? 0xff : 0));
    uint32_t operands[3];
    for (unsigned k = 0; k < cut->count; k++)
        operands[k] = order->nodes[cut->leaf[k]].place;
    plane_emit(order->steps, truth, operands, cut->count, dst, masked, mask);
}

/* plane = value, which has a place or is a constant. */
static void emit_copy(struct step_order *order, plane_value value, uint32_t plane) {
    uint32_t node = value / 2;
    bool opposite = (value & 1) != order->nodes[node].opposite;
    plane_emit(order->steps, opposite ? 1 : 2, &order->nodes[node].place, node ? 1 : 0, plane,
               false, 0);
}

/* --- masks --- */

/* The node is `mask ? then : first`, or the opposite of that, where `first` is what the plane of
 * the result holds at first; leaves by their place in the cut. */
struct mask_form {
    unsigned mask, then;
    bool opposite; /* of what is to be computed under the mask, beside the node's */
};

static bool has_mask_form(const struct step_order *order, const struct plane_cut *cut,
                          uint32_t first_value, bool opposite, struct mask_form *form) {
    static const uint8_t leaf[3] = {0xaa, 0xcc, 0xf0};
    uint8_t truth = (uint8_t)(cut->truth ^ (opposite ? 0xff : 0));
    if (cut->count != 3)
        return false;
    for (unsigned old = 0; old < 3; old++)
        for (unsigned k = 0; cut->leaf[old] == first_value && k < 2; k++) {
            unsigned mask = (old + 1 + k) % 3, then = (old + 2 - k) % 3;
            for (unsigned o = 0; o < 2; o++) {
                uint8_t t = (uint8_t)(leaf[then] ^ (o ? 0xff : 0));
                if (truth == ((leaf[mask] & t) | (~leaf[mask] & leaf[old] & 0xff)) &&
                    is_computed(order, cut->leaf[then])) {
                    *form = (struct mask_form){mask, then, o};
                    return true;
                }
            }
        }
    return false;
}

/* Nodes that nobody but a masked result wants are computed by the result's step. */
static void find_inside(struct step_order *order) {
    const struct plane_functions *f = order->functions;
    for (size_t i = 0; i < f->results.len; i++) {
        uint32_t node = f->results.data[i].value / 2;
        struct mask_form form;
        if (f->nodes.data[node].users != 1 || !is_computed(order, node) ||
            !has_mask_form(order, cut_of(order, node), order->results[i].first_value,
                           f->results.data[i].value & 1, &form))
            continue;
        uint32_t then = cut_of(order, node)->leaf[form.then];
        order->nodes[then].inside = f->nodes.data[then].users == 1;
    }
}

/* Into the plane of the result, which holds its first value still. */
static bool emit_masked(struct step_order *order, uint32_t node, uint32_t result) {
    const struct plane_result *r = &order->functions->results.data[result];
    const struct plane_cut *cut = cut_of(order, node);
    struct mask_form form;
    if (!has_mask_form(order, cut, order->results[result].first_value, r->value & 1, &form))
        return false;
    uint32_t mask = cut->leaf[form.mask], then = cut->leaf[form.then];
    if (!order->nodes[then].inside || order->nodes[then].place != NOWHERE ||
        order->nodes[mask].opposite)
        return false;
    emit_cut(order, cut_of(order, then), form.opposite, r->plane, true, order->nodes[mask].place);
    for (unsigned k = 0; k < cut_of(order, then)->count; k++)
        let_go(order, cut_of(order, then)->leaf[k]);
    return true;
}

/* --- results --- */

static void hold_back(struct step_order *order, uint32_t result) {
    order->nodes[order->results[result].first_value].held_back = 1 + result;
}

/* The result of a node that is computed, or is a first value. */
static void write_result(struct step_order *order, uint32_t result) {
    const struct plane_result *r = &order->functions->results.data[result];
    if (order->results[result].written)
        return;
    order->results[result].written = true;
    emit_copy(order, r->value, r->plane);
    let_go(order, r->value / 2);
}

/* A result of the node whose plane can have it now; NOWHERE without one. */
static uint32_t free_result(const struct step_order *order, uint32_t node) {
    uint32_t at = order->nodes[node].result;
    while (at && !is_free(order, at - 1, node))
        at = order->results[at - 1].next;
    return at ? at - 1 : NOWHERE;
}

static void write_or_hold(struct step_order *order, uint32_t node) {
    for (uint32_t at = order->nodes[node].result; at; at = order->results[at - 1].next)
        if (order->results[at - 1].written)
            continue;
        else if (is_free(order, at - 1, 0))
            write_result(order, at - 1);
        else
            hold_back(order, at - 1);
}

/* --- nodes --- */

/* Computes what a masked step was to compute. */
static void bring_out(struct step_order *order, const struct plane_cut *cut) {
    for (unsigned k = 0; k < cut->count; k++)
        if (order->nodes[cut->leaf[k]].inside && order->nodes[cut->leaf[k]].place == NOWHERE) {
            order->nodes[cut->leaf[k]].inside = false;
            compute(order, cut->leaf[k], false);
        }
}

/* To its plane, or to scratch. */
static void emit_node(struct step_order *order, uint32_t node, uint32_t result) {
    struct ordered_node *n = &order->nodes[node];
    const struct plane_cut *cut = cut_of(order, node);
    if (result != NOWHERE && emit_masked(order, node, result)) {
        n->place = order->functions->results.data[result].plane;
        n->opposite = order->functions->results.data[result].value & 1;
    } else {
        bring_out(order, cut);
        n->opposite = result != NOWHERE && order->functions->results.data[result].value & 1;
        uint32_t to = result != NOWHERE ? order->functions->results.data[result].plane
                                        : scratch_operand(new_slot(order));
        emit_cut(order, cut, n->opposite, to, false, 0);
        n->place = to;
    }
    for (unsigned k = 0; k < cut->count; k++)
        let_go(order, cut->leaf[k]);
}

/* Once; may_wait: not yet where only a plane wants it that is still read. */
static void compute(struct step_order *order, uint32_t node, bool may_wait) {
    struct ordered_node *n = &order->nodes[node];
    if (n->place != NOWHERE)
        return;
    uint32_t result = n->result ? free_result(order, node) : NOWHERE;
    if (may_wait && result == NOWHERE && n->result && n->left == 1) {
        hold_back(order, n->result - 1);
        return;
    }
    emit_node(order, node, result);
    if (result != NOWHERE) {
        order->results[result].written = true;
        let_go(order, node);
    }
    write_or_hold(order, node);
}

static void write_ready(struct step_order *order) {
    while (order->ready.len > 0) {
        uint32_t result = order->ready.data[--order->ready.len];
        uint32_t node = order->functions->results.data[result].value / 2;
        if (order->nodes[node].place == NOWHERE)
            compute(order, node, false);
        else
            write_result(order, result);
    }
}

/* Planes that wait for one another: what one of them held at first goes to scratch. */
static void break_circles(struct step_order *order) {
    for (size_t i = 0; i < order->functions->results.len; i++) {
        if (order->results[i].written)
            continue;
        struct ordered_node *first = &order->nodes[order->results[i].first_value];
        uint32_t slot = scratch_operand(new_slot(order));
        plane_emit(order->steps, 2, &first->place, 1, slot, false, 0);
        first->place = slot;
        first->held_back = 0;
        vec_push(&order->ready, (uint32_t)i);
        write_ready(order);
    }
}

static void begin(struct step_order *order) {
    const struct plane_functions *f = order->functions;
    for (size_t i = 0; i < f->nodes.len; i++)
        order->nodes[i] = (struct ordered_node){
            .left = f->nodes.data[i].users,
            .place = f->nodes.data[i].count ? NOWHERE : f->nodes.data[i].plane};
    for (size_t i = f->results.len; i-- > 0;) {
        struct ordered_node *n = &order->nodes[f->results.data[i].value / 2];
        const struct plane_content *held = plane_functions_content(f, f->results.data[i].plane);
        order->results[i] = (struct ordered_result){
            .next = n->result,
            .first_value = held->first == PLANE_VALUE_NONE ? NOWHERE : held->first / 2};
        n->result = 1 + (uint32_t)i;
    }
    find_inside(order);
}

void plane_functions_write(struct plane_functions *functions, struct step_list *steps,
                           uint32_t *scratch_slots) {
    struct step_order order = {.functions = functions,
                               .steps = steps,
                               .nodes = xcalloc(functions->nodes.len, sizeof *order.nodes),
                               .results =
                                   xcalloc(functions->results.len + 1, sizeof *order.results),
                               .scratch_slots = SLOT_FIRST};
    begin(&order);
    for (uint32_t i = 0; i < functions->nodes.len; i++) {
        if (!is_computed(&order, i))
            write_or_hold(&order, i);
        else if (functions->nodes.data[i].users && !order.nodes[i].inside)
            compute(&order, i, true);
        write_ready(&order);
    }
    break_circles(&order);
    if (*scratch_slots < order.scratch_slots)
        *scratch_slots = order.scratch_slots;
    free(order.nodes);
    free(order.results);
    vec_free(&order.free_slots);
    vec_free(&order.ready);
}
