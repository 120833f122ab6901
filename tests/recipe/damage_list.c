/* SPDX-License-Identifier: MIT
 * Damages to an expanded list of micro-ops, as a wrong expansion, row allocation or table would do
 * them. */
#include "damage.h"

#include <string.h>

#define NOWHERE PLANE(PLANE_NONE, 0, 0)

static bool is_local(uint32_t p) {
    return PLANE_CLASS(p) == PLANE_SCRATCH || PLANE_CLASS(p) == PLANE_BUFFER;
}

static bool is_scratch(uint32_t p) {
    return PLANE_CLASS(p) == PLANE_SCRATCH;
}

static bool is_register(uint32_t p) {
    return PLANE_CLASS(p) == PLANE_REGISTER;
}

static bool reads(const struct uop *u, uint32_t plane) {
    for (unsigned k = 0; k < u->nsrc; k++)
        if (u->src[k] == plane)
            return true;
    return false;
}

/* Nothing in the list is forwarded any more: what is left to find is the other damage. */
static void forget_forwarding(struct uop_list *l) {
    for (size_t i = 0; i < l->len; i++)
        l->data[i].forwarded = l->data[i].pipelined = 0;
}

static void leave_out(struct uop_list *l, size_t i) {
    forget_forwarding(l);
    memmove(&l->data[i], &l->data[i + 1], (l->len - i - 1) * sizeof *l->data);
    l->len--;
}

/* --- gates and operands --- */

static bool same_shape(const struct target_op *a, const struct target_op *b) {
    return a->nsrc == b->nsrc && a->ndst == b->ndst && a->reads_old == b->reads_old && !a->preset &&
           !b->preset && a->class == b->class && memcmp(a->truth, b->truth, sizeof a->truth) != 0;
}

static uint16_t other_gate(const struct list_case *c, uint16_t kind) {
    for (uint16_t k = 0; k < plane_target(c->target)->op_count; k++)
        if (same_shape(&plane_target(c->target)->ops[kind], &plane_target(c->target)->ops[k]))
            return k;
    return kind;
}

static bool has_other_gate(const struct list_case *c, const struct uop_list *l, size_t i) {
    return other_gate(c, l->data[i].kind) != l->data[i].kind;
}

static void change_gate(const struct list_case *c, struct uop_list *l, size_t i) {
    l->data[i].kind = other_gate(c, l->data[i].kind);
}

static bool reads_register(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].nsrc > 0 && is_register(l->data[i].src[0]);
}

/* Where a carry that is not cleared can come in: what is wrong in section 0 alone may still be
 * right, as the carry is 0 there. */
static bool is_inside(const struct list_case *c, const struct uop *u) {
    return u->section > 0 || c->insn->width == 0;
}

static bool reads_register_inside(const struct list_case *c, const struct uop_list *l, size_t i) {
    return reads_register(c, l, i) && is_inside(c, &l->data[i]);
}

static void read_constant(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].src[0] = PLANE(PLANE_CONST, 0, 1);
}

static void read_bystander(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].src[0] ^= 32u << 6;
}

static bool reads_constant(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].nsrc > 0 && PLANE_CLASS(l->data[i].src[l->data[i].nsrc - 1]) == PLANE_CONST;
}

/* What a carry begins with is a damage of its own. */
static bool computes_with_constant(const struct list_case *c, const struct uop_list *l, size_t i) {
    return reads_constant(c, l, i) && PLANE_CLASS(l->data[i].dst[0]) != PLANE_BUFFER;
}

static void change_constant(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].src[l->data[i].nsrc - 1] ^= 1;
}

static bool reads_local(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].nsrc > 0 && is_local(l->data[i].src[0]) && l->data[i].ndst > 0 &&
           l->data[i].dst[0] != l->data[i].src[0]; /* a tied result is there already */
}

static void write_source(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].dst[0] = l->data[i].src[0];
}

/* --- rows --- */

/* The first value that lies in another row of the section while the scratch that micro-op i makes
 * is still to be read; NOWHERE if there is none. */
static uint32_t live_neighbour(const struct uop_list *l, size_t i) {
    uint32_t mine = l->data[i].ndst > 0 ? l->data[i].dst[0] : NOWHERE;
    if (!is_scratch(mine))
        return NOWHERE;
    for (size_t k = i + 1; k < l->len && l->data[k].dst[0] != mine; k++) {
        uint32_t other = l->data[k].dst[0];
        if (!is_scratch(other) || PLANE_SECTION(other) != PLANE_SECTION(mine))
            continue;
        for (size_t r = k + 1; r < l->len && l->data[r].dst[0] != mine; r++)
            if (reads(&l->data[r], mine))
                return other;
    }
    return NOWHERE;
}

static bool has_live_neighbour(const struct list_case *c, const struct uop_list *l, size_t i) {
    return is_inside(c, &l->data[i]) && live_neighbour(l, i) != NOWHERE;
}

/* Everything in the neighbour's row goes to the row of micro-op i instead. */
static void share_row(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    uint32_t mine = l->data[i].dst[0], other = live_neighbour(l, i);
    for (size_t k = i; k < l->len; k++) {
        struct uop *u = &l->data[k];
        for (unsigned s = 0; s < u->nsrc; s++)
            u->src[s] = u->src[s] == other ? mine : u->src[s];
        for (unsigned d = 0; d < u->ndst; d++)
            u->dst[d] = u->dst[d] == other ? mine : u->dst[d];
    }
}

static bool writes_scratch(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].ndst > 0 && is_scratch(l->data[i].dst[0]);
}

static void row_beyond(const struct list_case *c, struct uop_list *l, size_t i) {
    l->data[i].dst[0] =
        PLANE(PLANE_SCRATCH, l->data[i].section, plane_target(c->target)->scratch_rows);
}

static bool makes_local(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].ndst > 0 && is_local(l->data[i].dst[0]);
}

static void drop(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    leave_out(l, i);
}

static bool clears_buffer(const struct list_case *c, const struct uop_list *l, size_t i) {
    return reads_constant(c, l, i) && PLANE_CLASS(l->data[i].dst[0]) == PLANE_BUFFER;
}

static bool feeds_next(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return i + 1 < l->len && l->data[i].ndst > 0 && reads(&l->data[i + 1], l->data[i].dst[0]);
}

static void exchange(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    struct uop first = l->data[i];
    forget_forwarding(l);
    first.forwarded = first.pipelined = 0;
    l->data[i] = l->data[i + 1];
    l->data[i + 1] = first;
}

/* --- destinations --- */

static bool writes_register(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].ndst > 0 && is_register(l->data[i].dst[0]);
}

static void write_bystander(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].dst[0] ^= 32u << 6;
}

static void write_above(const struct list_case *c, struct uop_list *l, size_t i) {
    l->data[i].dst[0] = (l->data[i].dst[0] & ~63u) | c->insn->width;
}

static bool writes_any(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].ndst > 0;
}

static void write_valid(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].dst[0] = PLANE(PLANE_VALID, 0, 0);
}

static bool changes_no_c(const struct list_case *c, const struct uop_list *l, size_t i) {
    return l->data[i].ndst > 0 && !(isa_info(c->insn->op)->flags & WRITES_C);
}

static void write_c(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].dst[0] = PLANE(PLANE_C, 0, 0);
}

static bool changes_no_m(const struct list_case *c, const struct uop_list *l, size_t i) {
    return l->data[i].ndst > 0 && !(isa_info(c->insn->op)->flags & WRITES_M);
}

static void write_m(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].dst[0] = PLANE(PLANE_M, 0, 0);
}

/* --- masks --- */

static bool is_predicated(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].predicate != NOWHERE;
}

static void ignore_mask(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].predicate = NOWHERE;
}

/* Where the mask is no line of the array but is loaded or merged. */
static bool reads_mask(const struct list_case *c, const struct uop_list *l, size_t i) {
    return plane_target(c->target)->mask_by != MASK_GATE && l->data[i].nsrc > 0 &&
           l->data[i].src[0] == PLANE(PLANE_M, 0, 0);
}

static void read_other_mask(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].src[0] = PLANE(PLANE_VALID, 0, 0);
}

static bool is_not_predicated(const struct list_case *c, const struct uop_list *l, size_t i) {
    return !is_predicated(c, l, i);
}

static void add_mask(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].predicate = PLANE(PLANE_M, 0, 0);
}

/* --- sections --- */

static bool writes_buffer(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].ndst > 0 && PLANE_CLASS(l->data[i].dst[0]) == PLANE_BUFFER;
}

static void cross_too_far(const struct list_case *c, struct uop_list *l, size_t i) {
    uint32_t p = l->data[i].dst[0],
             section = (PLANE_SECTION(p) + 2) % plane_target(c->target)->sections;
    l->data[i].dst[0] = PLANE(PLANE_BUFFER, section, PLANE_NUMBER(p));
}

static void cross_into_other(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].dst[0] ^= 1u << 8;
}

static bool has_place(const struct list_case *c, const struct uop_list *l, size_t i) {
    return plane_target(c->target)->sections > 1 && l->data[i].ndst > 0 &&
           (is_register(l->data[i].dst[0]) || is_scratch(l->data[i].dst[0]));
}

static void issue_elsewhere(const struct list_case *c, struct uop_list *l, size_t i) {
    l->data[i].section = (uint16_t)((l->data[i].section + 1u) % plane_target(c->target)->sections);
}

static bool is_forwarded(const struct list_case *c, const struct uop_list *l, size_t i) {
    (void)c;
    return l->data[i].forwarded != 0;
}

/* Forwarded like the one behind it, whose counterpart it takes. */
static bool is_forwarded_with_next(const struct list_case *c, const struct uop_list *l, size_t i) {
    return is_forwarded(c, l, i) && i + 1 < l->len &&
           l->data[i + 1].forwarded == l->data[i].forwarded;
}

static bool is_forwarded_with_previous(const struct list_case *c, const struct uop_list *l,
                                       size_t i) {
    return i > 0 && is_forwarded_with_next(c, l, i - 1);
}

static void forward_later(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].forwarded--;
    l->data[i].pipelined = 1;
}

static void forward_earlier(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].forwarded++;
}

static bool is_behind_its_section(const struct list_case *c, const struct uop_list *l, size_t i) {
    return i > 0 && !is_forwarded(c, l, i) && l->data[i - 1].section == l->data[i].section;
}

static void forward_anyhow(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i].forwarded = l->data[i].pipelined = 1;
}

/* --- presets --- */

static bool is_preset(const struct list_case *c, const struct uop_list *l, size_t i) {
    return plane_target(c->target)->ops[l->data[i].kind].preset != 0;
}

static void leave_out_preset(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    leave_out(l, i - 1);
}

static void preset_elsewhere(const struct list_case *c, struct uop_list *l, size_t i) {
    (void)c;
    l->data[i - 1].dst[0] ^= is_register(l->data[i - 1].dst[0]) ? 1u << 6 : 1u << 5;
}

const struct list_damage list_damages[] = {
    {"wrong gate", has_other_gate, change_gate, true, false},
    {"constant read instead of a register", reads_register_inside, read_constant, false, true},
    {"register read that is no operand", reads_register, read_bystander, true, false},
    {"other constant", computes_with_constant, change_constant, false, false},
    {"own source overwritten", reads_local, write_source, false, false},
    {"two live values in one row", has_live_neighbour, share_row, true, false},
    {"row that does not exist", writes_scratch, row_beyond, false, false},
    {"value left out", makes_local, drop, true, false},
    {"carry not cleared", clears_buffer, drop, true, false},
    {"result left out", writes_register, drop, false, false},
    {"reader before writer", feeds_next, exchange, false, false},
    {"register written that is no operand", writes_register, write_bystander, true, false},
    {"bit above the width written", writes_register, write_above, true, false},
    {"valid written", writes_any, write_valid, false, false},
    {"C written", changes_no_c, write_c, true, false},
    {"M written", changes_no_m, write_m, true, false},
    {"mask ignored", is_predicated, ignore_mask, true, false},
    {"mask replaced by all lanes", reads_mask, read_other_mask, false, false},
    {"mask where none belongs", is_not_predicated, add_mask, false, false},
    {"crossing too far", writes_buffer, cross_too_far, false, false},
    {"crossing into the other buffer", writes_buffer, cross_into_other, false, false},
    {"issued in another section", has_place, issue_elsewhere, false, false},
    {"forwarded from the next one", is_forwarded_with_next, forward_later, false, false},
    {"forwarded from the one before", is_forwarded_with_previous, forward_earlier, false, false},
    {"forwarded from its own section", is_behind_its_section, forward_anyhow, false, false},
    {"preset left out", is_preset, leave_out_preset, true, false},
    {"preset of another place", is_preset, preset_elsewhere, false, false},
};
const size_t list_damage_count = sizeof list_damages / sizeof *list_damages;
