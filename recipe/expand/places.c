/* SPDX-License-Identifier: MIT
 * What names stand for while a body is carried out: numbers, and places that are read or written.
 */
#include "recipe/expand/walk.h"

#include <stdarg.h>

/* --- integers --- */

/* Bit of an immediate: those beyond its own are copies of its sign. */
static int64_t immediate_bit(int64_t number, int64_t bit) {
    return number >> (bit > 63 ? 63 : bit) & 1;
}

static bool eval_name(struct section_machine *m, const struct recipe_expr *e, int64_t *v) {
    const struct binding *b = binding_of(m, e);
    if (b->kind != BOUND_INT)
        return expand_walk_fail(m, e->at, "'%s' is not a number", e->name);
    *v = b->number;
    if (e->kind == EXPR_NAME)
        return true;
    if (e->kind == EXPR_AT)
        return expand_walk_fail(m, e->at, "'%s' is a number: it has no sections", e->name);
    int64_t bit;
    if (!expand_walk_eval(m, e->args[0], &bit))
        return false;
    if (bit < 0)
        return expand_walk_fail(m, e->args[0]->at, "bit %lld of '%s'", (long long)bit, e->name);
    *v = immediate_bit(b->number, bit);
    return true;
}

/* && and || leave the right side alone where the left decides. */
static bool eval_binary(struct section_machine *m, const struct recipe_expr *e, int64_t *v) {
    int64_t b = 0;
    if (!expand_walk_eval(m, e->args[0], v))
        return false;
    if ((e->op == MARK2('&', '&') && !*v) || (e->op == MARK2('|', '|') && *v)) {
        *v = *v != 0;
        return true;
    }
    if (!expand_walk_eval(m, e->args[1], &b))
        return false;
    return notation_expr_binary(e->op, *v, b, v) ||
           expand_walk_fail(m, e->at,
                            "not a number: a division by zero, an overflow or a shift by too much");
}

bool expand_walk_eval(struct section_machine *m, const struct recipe_expr *e, int64_t *v) {
    switch (e->kind) {
    case EXPR_NUMBER:
        *v = e->number;
        return true;
    case EXPR_UNARY:
        if (!expand_walk_eval(m, e->args[0], v))
            return false;
        *v = e->op == '!' ? !*v : e->op == '~' ? ~*v : *v == INT64_MIN ? *v : -*v;
        return true;
    case EXPR_BINARY:
        return eval_binary(m, e, v);
    case EXPR_CALL:
        return expand_walk_fail(m, e->at, "a micro-op is not a number");
    default:
        return eval_name(m, e, v);
    }
}

bool expand_walk_position(struct section_machine *m, const struct recipe_expr *e, int *position) {
    int64_t v;
    if (!expand_walk_eval(m, e, &v))
        return false;
    if (v < 0 || v >= (m->x->w > 1 ? (int64_t)m->x->w : 1))
        return expand_walk_fail(m, e->at, "section %lld lies outside of bits 0 .. %u", (long long)v,
                                m->x->w - 1);
    *position = (int)v;
    return true;
}

/* --- places that are read --- */

bool expand_walk_field_is_read(const struct expansion *x, uint8_t field) {
    static const uint32_t flags[] = {READS_RS, READS_RT, READS_RD, READS_C, READS_M};
    return x->info->flags & flags[field];
}

/* ZEXT and SEXT read their source at its own width. */
static unsigned source_bits(const struct expansion *x, uint8_t field) {
    for (unsigned i = 0; field == FIELD_RS && i < x->info->operand_count; i++)
        if (x->info->operands[i] == ROLE_SRCWIDTH && x->insn->imm >= 1 && x->insn->imm <= 64)
            return (unsigned)x->insn->imm;
    return x->w;
}

static bool register_bit(struct section_machine *m, const struct recipe_expr *e,
                         const struct binding *b, unsigned bits, uint32_t *place) {
    int64_t bit;
    if (e->kind != EXPR_INDEX)
        return expand_walk_fail(m, e->at, "'%s' is a register: say which bit, like %s[j]", e->name,
                                e->name);
    if (!expand_walk_eval(m, e->args[0], &bit))
        return false;
    if (bit < 0 || bit >= bits)
        return expand_walk_fail(m, e->at, "bit %lld of '%s', which has bits 0 .. %u",
                                (long long)bit, e->name, bits - 1);
    if (m->frame->unit->mapped && bit != m->position)
        return expand_walk_fail(m, e->at,
                                "bit %lld of '%s' at position %d: only carries move values",
                                (long long)bit, e->name, m->position);
    *place = PLACE(PLANE_REGISTER, (uint32_t)b->field << 6 | (uint32_t)bit);
    return true;
}

static bool read_register(struct section_machine *m, const struct recipe_expr *e,
                          const struct binding *b, uint32_t *place) {
    if (!register_bit(m, e, b, source_bits(m->x, b->field), place))
        return false;
    if (!expand_walk_field_is_read(m->x, b->field) && !(m->written[b->field] >> (*place & 63) & 1))
        return expand_walk_fail(m, e->at, "bit %u of '%s' is read before it is written",
                                *place & 63, e->name);
    return true;
}

static struct position_value *value_at(const struct binding *b, int position) {
    for (size_t i = 0; i < b->values.len; i++)
        if (b->values.data[i].position == position)
            return &b->values.data[i];
    return NULL;
}

static bool read_scratch(struct section_machine *m, const struct recipe_expr *e,
                         const struct binding *b, int position, uint32_t *place) {
    const struct position_value *v = value_at(b, position);
    if (!v)
        return expand_walk_fail(m, e->at, "'%s' is read in section %d before it is written there",
                                e->name, position);
    *place = v->place;
    return true;
}

static struct carry_state *state_of(struct section_machine *m, const struct binding *b) {
    return &m->carries[b->carry >> 8][b->carry & 0xff];
}

static bool is_last(const struct section_machine *m, const struct carry_state *c, int position) {
    return c->down ? position == 0 : position + 1 >= (int)m->x->w;
}

static bool read_carry(struct section_machine *m, const struct recipe_expr *e,
                       const struct binding *b, int position, uint32_t *place) {
    const struct carry_state *c = state_of(m, b);
    if (e->kind == EXPR_NAME && is_last(m, c, position) && c->ended > c->written[position]) {
        *place = c->end_place;
        return true;
    }
    if (!c->written[position])
        return expand_walk_fail(m, e->at, "carry '%s' has not come into section %d", e->name,
                                position);
    if (e->kind == EXPR_NAME && c->handed[position] > c->written[position])
        return expand_walk_fail(
            m, e->at, "carry '%s' has been handed on; the one that came in is '%s@section'",
            e->name, e->name);
    *place = c->place[position];
    return true;
}

static bool read_fixed(struct section_machine *m, const struct recipe_expr *e, uint32_t *place) {
    uint8_t field = e->ref == SYMBOL_C ? FIELD_C : FIELD_M;
    if (e->kind != EXPR_NAME)
        return expand_walk_fail(m, e->at, "'%s' is one bit and belongs to no section", e->name);
    switch (e->ref) {
    case SYMBOL_VALID:
        *place = PLACE(PLANE_VALID, 0);
        return true;
    case SYMBOL_ZERO:
    case SYMBOL_ONE:
        *place = PLACE(PLANE_CONST, e->ref == SYMBOL_ONE);
        return true;
    case SYMBOL_C:
    case SYMBOL_M:
        if (!expand_walk_field_is_read(m->x, field) &&
            !(field == FIELD_C ? m->wrote_c : m->wrote_m))
            return expand_walk_fail(m, e->at, "'%s' is no input of this instruction", e->name);
        *place = PLACE(field == FIELD_C ? PLANE_C : PLANE_M, 0);
        return true;
    default:
        return expand_walk_fail(m, e->at, "a number stands where a place is meant");
    }
}

/* An output of a sub is read where its caller has it. */
static bool read_out(struct section_machine *m, const struct binding *b, uint32_t *place) {
    struct walk_frame *here = m->frame;
    m->frame = b->frame;
    bool fine = expand_walk_read(m, b->target, place);
    m->frame = here;
    return fine;
}

static bool read_row(struct section_machine *m, const struct recipe_expr *e,
                     const struct binding *b, int position, uint32_t *place) {
    int here = m->position;
    m->position = position;
    bool fine = expand_walk_read_row(m, e->at, (uint32_t)b->number, place);
    m->position = here;
    return fine;
}

static bool read_bound(struct section_machine *m, const struct recipe_expr *e,
                       const struct binding *b, uint32_t *place) {
    int position = m->position;
    if (e->kind == EXPR_AT && !expand_walk_position(m, e->args[0], &position))
        return false;
    if (b->kind == BOUND_REG)
        return read_register(m, e, b, place);
    if (e->kind == EXPR_INDEX)
        return expand_walk_fail(m, e->at, "'%s' is one bit, not a register", e->name);
    switch (b->kind) {
    case BOUND_ROW:
        return read_row(m, e, b, position, place);
    case BOUND_GROUP:
        return expand_walk_fail(m, e->at, "'%s' is a group of rows: it stands beside arrows alone",
                                e->name);
    case BOUND_SCRATCH:
        return read_scratch(m, e, b, position, place);
    case BOUND_CARRY:
        return read_carry(m, e, b, position, place);
    case BOUND_PLACE:
        *place = b->place;
        return true;
    case BOUND_OUT:
        return read_out(m, b, place);
    case BOUND_INT:
        return expand_walk_fail(m, e->at, "'%s' is a number, not a place", e->name);
    default:
        return expand_walk_fail(m, e->at, "'%s' is read before it is written", e->name);
    }
}

bool expand_walk_read(struct section_machine *m, const struct recipe_expr *e, uint32_t *place) {
    if (e->kind != EXPR_NAME && e->kind != EXPR_INDEX && e->kind != EXPR_AT)
        return expand_walk_fail(m, e->at,
                                "expected a place: a bit of a register, a name, zero or one");
    const struct binding *b = binding_of(m, e);
    if (b->kind == UNBOUND && e->ref < SYMBOL_FIXED)
        return read_fixed(m, e, place);
    return read_bound(m, e, b, place);
}

/* --- places that are written --- */

static bool write_register(struct section_machine *m, const struct recipe_expr *e,
                           const struct binding *b, bool keep, uint32_t *place) {
    if (!expand_place_is_written(m->x, b->field))
        return expand_walk_fail(
            m, e->at, "'%s' is a source of this instruction: it must stay as it is", e->name);
    if (!register_bit(m, e, b, m->x->w, place) || (keep && !read_register(m, e, b, place)))
        return false;
    m->written[b->field] |= (uint64_t)1 << (*place & 63);
    return true;
}

static uint32_t new_value(struct section_machine *m, const void *owner, uint32_t name) {
    return expand_new_scratch(m->x, (unsigned)section_at(m, m->position), owner, name,
                              m->in_section ? m->position : -1);
}

/* The name means this place at the position at work. */
static void set_scratch(struct section_machine *m, struct binding *b, uint32_t place) {
    struct position_value *v = value_at(b, m->position), made = {(uint16_t)m->position, place};
    b->kind = BOUND_SCRATCH;
    if (v)
        v->place = place;
    else
        vec_push(&b->values, made);
}

static bool write_scratch(struct section_machine *m, const struct recipe_expr *e, struct binding *b,
                          bool keep, uint32_t *place) {
    if (e->kind != EXPR_NAME)
        return expand_walk_fail(m, e->at,
                                "a name is written in the section at work, without index or '@'");
    b->kind = BOUND_SCRATCH;
    if (keep)
        return read_scratch(m, e, b, m->position, place);
    *place = PLACE(PLANE_SCRATCH, new_value(m, m->frame->unit, e->ref));
    set_scratch(m, b, *place);
    return true;
}

void expand_walk_come_in(struct section_machine *m, const struct binding *carry, int position,
                         uint32_t place) {
    struct carry_state *c = state_of(m, carry);
    c->written[position] = ++m->clock;
    c->place[position] = place;
}

static uint32_t buffer_at(const struct section_machine *m, const struct binding *carry,
                          int position) {
    return PLACE(PLANE_BUFFER, (uint32_t)section_at(m, position) << 16 | carry->carry);
}

/* Writing a carry hands it to the next section in its direction. */
static bool write_carry(struct section_machine *m, const struct recipe_expr *e,
                        const struct binding *b, bool keep, uint32_t *place) {
    struct carry_state *c = state_of(m, b);
    if (e->kind != EXPR_NAME)
        return expand_walk_fail(m, e->at,
                                "a carry is handed to the neighbour: write it without '@'");
    if (is_last(m, c, m->position))
        return expand_walk_fail(m, e->at, "carry '%s' is handed beyond section %d, the last one",
                                e->name, m->position);
    int to = m->position + (c->down ? -1 : 1);
    if (keep && !c->written[to])
        return expand_walk_fail(m, e->at,
                                "the micro-op keeps a part of what its destination holds, and "
                                "carry '%s' holds nothing there",
                                e->name);
    *place = buffer_at(m, b, to);
    expand_walk_come_in(m, b, to, *place);
    c->handed[m->position] = m->clock;
    return true;
}

static bool write_latch(struct section_machine *m, const struct recipe_expr *e, bool keep,
                        uint32_t *place) {
    bool c = e->ref == SYMBOL_C;
    if (e->kind != EXPR_NAME || (!c && e->ref != SYMBOL_M))
        return expand_walk_fail(m, e->at, "'%s' cannot be written", e->name);
    if (!expand_place_is_written(m->x, c ? FIELD_C : FIELD_M))
        return expand_walk_fail(m, e->at, "'%s' is no result of this instruction", e->name);
    if (keep && !read_fixed(m, e, place))
        return false;
    if (c)
        m->wrote_c = true;
    else
        m->wrote_m = true;
    *place = PLACE(c ? PLANE_C : PLANE_M, 0);
    return true;
}

static bool write_row(struct section_machine *m, const struct recipe_expr *e,
                      const struct binding *b, bool keep, uint32_t *place) {
    uint32_t class = (uint32_t)b->number;
    if (e->kind != EXPR_NAME)
        return expand_walk_fail(m, e->at,
                                "a row is written in the section at work, without index or '@'");
    return (!keep || expand_walk_read_row(m, e->at, class, place)) &&
           expand_walk_write_row(m, e->at, class, place);
}

bool expand_walk_replace(struct section_machine *m, const struct recipe_expr *e, uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place);
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        if (!expand_place_is_written(m->x, (uint8_t)(payload >> 6)))
            return expand_walk_fail(
                m, e->at, "'%s' is a source of this instruction: it must stay as it is", e->name);
        m->written[payload >> 6] |= (uint64_t)1 << (payload & 63);
        return true;
    case PLANE_C:
    case PLANE_M:
        if (!expand_place_is_written(m->x, PLANE_CLASS(place) == PLANE_C ? FIELD_C : FIELD_M))
            return expand_walk_fail(m, e->at, "'%s' is no result of this instruction", e->name);
        m->wrote_c |= PLANE_CLASS(place) == PLANE_C;
        m->wrote_m |= PLANE_CLASS(place) == PLANE_M;
        return true;
    case PLANE_SCRATCH:
        return true;
    case PLANE_BUFFER:
        return expand_walk_fail(m, e->at, "'%s' came in as a carry: an op cannot replace it",
                                e->name);
    default:
        return expand_walk_fail(m, e->at, "'%s' cannot be written", e->name);
    }
}

bool expand_walk_write(struct section_machine *m, const struct recipe_expr *e, bool keep,
                       uint32_t *place) {
    struct binding *b = binding_of(m, e);
    if (e->ref < SYMBOL_FIXED && b->kind == UNBOUND)
        return write_latch(m, e, keep, place);
    switch (b->kind) {
    case BOUND_REG:
        return write_register(m, e, b, keep, place);
    case BOUND_CARRY:
        return write_carry(m, e, b, keep, place);
    case BOUND_ROW:
        return write_row(m, e, b, keep, place);
    case BOUND_GROUP:
        return expand_walk_fail(m, e->at, "'%s' is a group of rows: it stands beside arrows alone",
                                e->name);
    case UNBOUND:
    case BOUND_SCRATCH:
        return write_scratch(m, e, b, keep, place);
    case BOUND_OUT: {
        if (e->kind != EXPR_NAME)
            return expand_walk_fail(m, e->at, "'%s' is one bit", e->name);
        struct walk_frame *here = m->frame;
        m->frame = b->frame;
        bool fine = expand_walk_write(m, b->target, keep, place);
        m->frame = here;
        return fine;
    }
    default:
        return expand_walk_fail(m, e->at, "'%s' is not a place that can be written", e->name);
    }
}

/* --- assignments of mapped recipes --- */

/* True if the place may be overwritten while its value is still wanted: what the instruction
 * writes, named rows, and buffers, which serve other carries next. */
static bool is_fleeting(const struct section_machine *m, uint32_t place) {
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        return expand_place_is_written(m->x, (uint8_t)(PLACE_PAYLOAD(place) >> 6));
    case PLANE_C:
        return expand_place_is_written(m->x, FIELD_C);
    case PLANE_M:
        return expand_place_is_written(m->x, FIELD_M);
    case PLANE_BUFFER:
        return true;
    case PLANE_SCRATCH:
        return m->x->list.values.data[PLACE_PAYLOAD(place)].named;
    default:
        return false;
    }
}

static bool emit_copy(struct section_machine *m, const struct recipe_stmt *s, uint32_t from,
                      uint32_t to) {
    struct copy_list c;
    uint64_t path = m->path;
    bool fine = true;
    if (!expand_make_copy(m->x, from, to, section_at(m, m->position), &c))
        return expand_walk_fail(m, s->at, "target '%s' has no micro-op that copies this",
                                m->x->set->target->name);
    for (unsigned i = 0; i < c.count && fine; i++) {
        m->path = path ^ (uint64_t)(s->id + 1) * 0xd1342543de82ef95u ^ i;
        fine = c.preset[i] || expand_walk_emit(m, s, c.uops[i].kind, c.uops[i].src, c.uops[i].dst);
    }
    m->path = path;
    return fine;
}

/* A place whose value lasts: this one, or a copy of it in scratch. */
static bool make_lasting(struct section_machine *m, const struct recipe_stmt *s, uint32_t *place) {
    if (!is_fleeting(m, *place))
        return true;
    uint32_t copy = PLACE(PLANE_SCRATCH, new_value(m, s, 0));
    bool fine = emit_copy(m, s, *place, copy);
    *place = copy;
    return fine;
}

static bool hand_on(struct section_machine *m, const struct recipe_stmt *s, const struct binding *b,
                    uint32_t place) {
    struct carry_state *c = state_of(m, b);
    if (is_last(m, c, m->position)) {
        if (!make_lasting(m, s, &place))
            return false;
        c->ended = c->handed[m->position] = ++m->clock;
        c->end_place = place;
        return true;
    }
    int to = m->position + (c->down ? -1 : 1);
    if (section_at(m, to) != section_at(m, m->position)) {
        uint32_t buffer = buffer_at(m, b, to);
        if (!emit_copy(m, s, place, buffer))
            return false;
        place = buffer;
    } else if (!make_lasting(m, s, &place)) {
        return false;
    }
    expand_walk_come_in(m, b, to, place);
    c->handed[m->position] = m->clock;
    return true;
}

bool expand_walk_begin(struct section_machine *m, const struct recipe_stmt *s,
                       const struct binding *carry) {
    uint32_t place;
    if (!expand_walk_read(m, s->value, &place) || !make_lasting(m, s, &place))
        return false;
    expand_walk_come_in(m, carry, m->position, place);
    return true;
}

bool expand_walk_pass(struct section_machine *m, const struct recipe_stmt *s) {
    const struct recipe_expr *e = s->targets[0];
    struct binding *b = binding_of(m, e);
    uint32_t from, to;
    if (!expand_walk_read(m, s->value, &from))
        return false;
    if (b->kind == BOUND_CARRY)
        return hand_on(m, s, b, from);
    if (b->kind == BOUND_SCRATCH || (b->kind == UNBOUND && e->ref >= SYMBOL_FIXED)) {
        if (!make_lasting(m, s, &from))
            return false;
        set_scratch(m, b, from);
        return true;
    }
    return expand_walk_write(m, e, false, &to) && emit_copy(m, s, from, to);
}
