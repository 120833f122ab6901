/* SPDX-License-Identifier: MIT
 * What names stand for while a body is carried out: numbers, and places that are read or written.
 */
#include "recipe/expand/walk.h"
#include "recipe/map/map.h"

#include <stdarg.h>

/* --- positions --- */

/* Conversions read rs at its own width, products rs and rt at theirs. */
static bool converts(const struct expansion *expansion) {
    return expansion->insn->op != OP_MASKED && expansion->info->flags & ISA_WIDTH;
}

static unsigned most(unsigned left, unsigned right) {
    return left > right ? left : right;
}

unsigned expand_positions(const struct expansion *expansion) {
    int role = converts(expansion) ? isa_constant_role(expansion->info) : -1;
    unsigned bits = expansion->w;
    if (role == ROLE_CONVERSION || role == ROLE_SHAPE)
        bits = most(bits, isa_operand_bits(expansion->insn, ROLE_RS));
    if (role == ROLE_SHAPE)
        bits = most(bits, isa_operand_bits(expansion->insn, ROLE_RT));
    return bits;
}

/* --- integers --- */

/* Bit of an immediate: those beyond its own are copies of its sign. */
static int64_t immediate_bit(int64_t number, int64_t bit) {
    return number >> (bit > 63 ? 63 : bit) & 1;
}

static bool eval_name(struct section_machine *machine, const struct recipe_expr *expr,
                      int64_t *value) {
    const struct binding *b = binding_of(machine, expr);
    if (b->kind != BOUND_INT)
        return expand_walk_fail(machine, expr->at, "'%s' is not a number", expr->name);
    *value = b->number;
    if (expr->kind == EXPR_NAME)
        return true;
    if (expr->kind == EXPR_AT)
        return expand_walk_fail(machine, expr->at, "'%s' is a number: it has no sections",
                                expr->name);
    int64_t bit;
    if (!expand_walk_eval(machine, expr->args[0], &bit))
        return false;
    if (bit < 0)
        return expand_walk_fail(machine, expr->args[0]->at, "bit %lld of '%s'", (long long)bit,
                                expr->name);
    *value = immediate_bit(b->number, bit);
    return true;
}

/* && and || leave the right side alone where the left decides. */
static bool eval_binary(struct section_machine *machine, const struct recipe_expr *expr,
                        int64_t *value) {
    int64_t b = 0;
    if (!expand_walk_eval(machine, expr->args[0], value))
        return false;
    if ((expr->op == MARK2('&', '&') && !*value) || (expr->op == MARK2('|', '|') && *value)) {
        *value = *value != 0;
        return true;
    }
    if (!expand_walk_eval(machine, expr->args[1], &b))
        return false;
    return notation_expr_binary(expr->op, *value, b, value) ||
           expand_walk_fail(machine, expr->at,
                            "not a number: a division by zero, an overflow or a shift by too much");
}

bool expand_walk_eval(struct section_machine *machine, const struct recipe_expr *expr,
                      int64_t *value) {
    switch (expr->kind) {
    case EXPR_NUMBER:
        *value = expr->number;
        return true;
    case EXPR_UNARY:
        if (!expand_walk_eval(machine, expr->args[0], value))
            return false;
        *value = expr->op == '!'       ? !*value
                 : expr->op == '~'     ? ~*value
                 : *value == INT64_MIN ? *value
                                       : -*value;
        return true;
    case EXPR_BINARY:
        return eval_binary(machine, expr, value);
    case EXPR_CALL:
        return expand_walk_fail(machine, expr->at, "a micro-op is not a number");
    default:
        return eval_name(machine, expr, value);
    }
}

bool expand_walk_position(struct section_machine *machine, const struct recipe_expr *expr,
                          int *position) {
    int64_t v, count = expand_positions(machine->x);
    if (!expand_walk_eval(machine, expr, &v))
        return false;
    if (v < 0 || v >= count)
        return expand_walk_fail(machine, expr->at, "section %lld lies outside of bits 0 .. %lld",
                                (long long)v, (long long)count - 1);
    *position = (int)v;
    return true;
}

/* --- places that are read --- */

bool expand_walk_field_is_read(const struct expansion *expansion, uint8_t field) {
    static const uint32_t flags[] = {READS_RS, READS_RT, READS_RD, READS_C, READS_M};
    return expansion->info->flags & flags[field];
}

static unsigned source_bits(const struct expansion *expansion, uint8_t field) {
    bool own = field <= FIELD_RT && converts(expansion);
    return own ? isa_operand_bits(expansion->insn, field == FIELD_RS ? ROLE_RS : ROLE_RT)
               : expansion->w;
}

static bool register_bit(struct section_machine *machine, const struct recipe_expr *expr,
                         const struct binding *binding, unsigned bits, uint32_t *place) {
    int64_t bit;
    if (expr->kind != EXPR_INDEX)
        return expand_walk_fail(machine, expr->at, "'%s' is a register: say which bit, like %s[j]",
                                expr->name, expr->name);
    if (!expand_walk_eval(machine, expr->args[0], &bit))
        return false;
    if (bit < 0 || bit >= bits)
        return expand_walk_fail(machine, expr->at, "bit %lld of '%s', which has bits 0 .. %u",
                                (long long)bit, expr->name, bits - 1);
    if (machine->frame->unit->mapped && bit != machine->position)
        return expand_walk_fail(machine, expr->at,
                                "bit %lld of '%s' at position %d: only carries move values",
                                (long long)bit, expr->name, machine->position);
    *place = PLACE(PLANE_REGISTER, (uint32_t)binding->field << 6 | (uint32_t)bit);
    return true;
}

static bool read_register(struct section_machine *machine, const struct recipe_expr *expr,
                          const struct binding *binding, uint32_t *place) {
    if (!register_bit(machine, expr, binding, source_bits(machine->x, binding->field), place))
        return false;
    if (!expand_walk_field_is_read(machine->x, binding->field) &&
        !(machine->written[binding->field] >> (*place & 63) & 1))
        return expand_walk_fail(machine, expr->at, "bit %u of '%s' is read before it is written",
                                *place & 63, expr->name);
    return true;
}

static struct position_value *value_at(const struct binding *binding, int position) {
    size_t often = (size_t)position; /* positions are mostly written from 0 on */
    if (often < binding->values.len && binding->values.data[often].position == position)
        return &binding->values.data[often];
    for (size_t i = 0; i < binding->values.len; i++)
        if (binding->values.data[i].position == position)
            return &binding->values.data[i];
    return NULL;
}

static bool read_scratch(struct section_machine *machine, const struct recipe_expr *expr,
                         const struct binding *binding, int position, uint32_t *place) {
    const struct position_value *v = value_at(binding, position);
    if (!v)
        return expand_walk_fail(machine, expr->at,
                                "'%s' is read in section %d before it is written there", expr->name,
                                position);
    *place = v->place;
    return true;
}

static struct carry_state *state_of(struct section_machine *machine,
                                    const struct binding *binding) {
    return &machine->carries[binding->carry >> 8].data[binding->carry & 0xff];
}

static bool is_last(const struct section_machine *machine, const struct carry_state *state,
                    int position) {
    return state->down ? position == 0 : position + 1 >= (int)expand_positions(machine->x);
}

static bool read_carry(struct section_machine *machine, const struct recipe_expr *expr,
                       const struct binding *binding, int position, uint32_t *place) {
    const struct carry_state *c = state_of(machine, binding);
    if (expr->kind == EXPR_NAME && is_last(machine, c, position) &&
        c->ended > c->written[position]) {
        *place = c->end_place;
        return true;
    }
    if (!c->written[position])
        return expand_walk_fail(machine, expr->at, "carry '%s' has not come into section %d",
                                expr->name, position);
    if (expr->kind == EXPR_NAME && c->handed[position] > c->written[position])
        return expand_walk_fail(
            machine, expr->at,
            "carry '%s' has been handed on; the one that came in is '%s@section'", expr->name,
            expr->name);
    *place = c->place[position];
    return true;
}

static bool read_fixed(struct section_machine *machine, const struct recipe_expr *expr,
                       uint32_t *place) {
    uint8_t field = expr->ref == SYMBOL_C ? FIELD_C : FIELD_M;
    if (expr->kind != EXPR_NAME)
        return expand_walk_fail(machine, expr->at, "'%s' is one bit and belongs to no section",
                                expr->name);
    switch (expr->ref) {
    case SYMBOL_VALID:
        *place = PLACE(PLANE_VALID, 0);
        return true;
    case SYMBOL_ZERO:
    case SYMBOL_ONE:
        *place = PLACE(PLANE_CONST, expr->ref == SYMBOL_ONE);
        return true;
    case SYMBOL_C:
    case SYMBOL_M:
        if (!expand_walk_field_is_read(machine->x, field) &&
            !(field == FIELD_C ? machine->x->wrote_c : machine->wrote_m))
            return expand_walk_fail(machine, expr->at, "'%s' is no input of this instruction",
                                    expr->name);
        *place = PLACE(field == FIELD_C ? PLANE_C : PLANE_M, 0);
        return true;
    default:
        return expand_walk_fail(machine, expr->at, "a number stands where a place is meant");
    }
}

/* Where sections can be joined, x[k] of a scratch name is x@k, so that a sub takes a register or a
 * name. */
static bool may_have_index(const struct section_machine *machine, const struct binding *binding) {
    return plane_target(machine->x->set->target)->partitioned && !machine->frame->unit->mapped &&
           (binding->kind == UNBOUND || binding->kind == BOUND_SCRATCH ||
            binding->kind == BOUND_OUT);
}

/* An output of a sub is read where its caller has it. */
static bool read_out(struct section_machine *machine, const struct binding *binding, int position,
                     uint32_t *place) {
    struct walk_frame *here = machine->frame;
    int at = machine->position;
    machine->frame = binding->frame;
    machine->position = position;
    bool fine = expand_walk_read(machine, binding->target, place);
    machine->frame = here;
    machine->position = at;
    return fine;
}

static bool read_row(struct section_machine *machine, const struct recipe_expr *expr,
                     const struct binding *binding, int position, uint32_t *place) {
    int here = machine->position;
    machine->position = position;
    bool fine = expand_walk_read_row(machine, expr->at, (uint32_t)binding->number, place);
    machine->position = here;
    return fine;
}

static bool read_bound(struct section_machine *machine, const struct recipe_expr *expr,
                       const struct binding *binding, uint32_t *place) {
    int position = machine->position;
    bool indexed = expr->kind == EXPR_INDEX && may_have_index(machine, binding);
    if ((expr->kind == EXPR_AT || indexed) &&
        !expand_walk_position(machine, expr->args[0], &position))
        return false;
    if (binding->kind == BOUND_REG)
        return read_register(machine, expr, binding, place);
    if (expr->kind == EXPR_INDEX && !indexed)
        return expand_walk_fail(machine, expr->at, "'%s' is one bit, not a register", expr->name);
    switch (binding->kind) {
    case BOUND_ROW:
        return read_row(machine, expr, binding, position, place);
    case BOUND_GROUP:
        return expand_walk_fail(machine, expr->at,
                                "'%s' is a group of rows: it stands beside arrows alone",
                                expr->name);
    case BOUND_SCRATCH:
        return read_scratch(machine, expr, binding, position, place);
    case BOUND_CARRY:
        return read_carry(machine, expr, binding, position, place);
    case BOUND_PLACE:
        *place = binding->place;
        return true;
    case BOUND_OUT:
        return read_out(machine, binding, position, place);
    case BOUND_INT:
        return expand_walk_fail(machine, expr->at, "'%s' is a number, not a place", expr->name);
    default:
        return expand_walk_fail(machine, expr->at, "'%s' is read before it is written", expr->name);
    }
}

bool expand_walk_read(struct section_machine *machine, const struct recipe_expr *expr,
                      uint32_t *place) {
    if (expr->kind != EXPR_NAME && expr->kind != EXPR_INDEX && expr->kind != EXPR_AT)
        return expand_walk_fail(machine, expr->at,
                                "expected a place: a bit of a register, a name, zero or one");
    const struct binding *b = binding_of(machine, expr);
    if (b->kind == UNBOUND && expr->ref < SYMBOL_FIXED)
        return read_fixed(machine, expr, place);
    return read_bound(machine, expr, b, place);
}

/* --- places that are written --- */

static bool write_register(struct section_machine *machine, const struct recipe_expr *expr,
                           const struct binding *binding, bool keep, uint32_t *place) {
    if (!expand_place_is_written(machine->x, binding->field))
        return expand_walk_fail(machine, expr->at,
                                "'%s' is a source of this instruction: it must stay as it is",
                                expr->name);
    if (!register_bit(machine, expr, binding, machine->x->w, place) ||
        (keep && !read_register(machine, expr, binding, place)))
        return false;
    machine->written[binding->field] |= (uint64_t)1 << (*place & 63);
    return true;
}

static uint32_t new_value(struct section_machine *machine, const void *owner, uint32_t name) {
    return expand_new_scratch(machine->x, (unsigned)section_at(machine, machine->position), owner,
                              name, machine->in_section ? machine->position : -1);
}

/* The name means this place at the position at work. */
static void set_scratch(struct section_machine *machine, struct binding *binding, uint32_t place) {
    struct position_value *v = value_at(binding, machine->position),
                          made = {(uint16_t)machine->position, place};
    binding->kind = BOUND_SCRATCH;
    if (v)
        v->place = place;
    else
        vec_push(&binding->values, made);
}

/* A name is written in the section at work; its index, where it may have one, says the same. */
static bool writes_here(struct section_machine *machine, const struct recipe_expr *expr,
                        const struct binding *binding) {
    int position = -1;
    if (expr->kind == EXPR_INDEX && may_have_index(machine, binding) &&
        !expand_walk_position(machine, expr->args[0], &position))
        return false;
    return expr->kind == EXPR_NAME || position == machine->position ||
           expand_walk_fail(machine, expr->at,
                            "a name is written in the section at work, without index or '@'");
}

static bool write_scratch(struct section_machine *machine, const struct recipe_expr *expr,
                          struct binding *binding, bool keep, uint32_t *place) {
    binding->kind = BOUND_SCRATCH;
    if (keep)
        return read_scratch(machine, expr, binding, machine->position, place);
    *place = PLACE(PLANE_SCRATCH, new_value(machine, machine->frame->unit, expr->ref));
    set_scratch(machine, binding, *place);
    return true;
}

void expand_walk_come_in(struct section_machine *machine, const struct binding *carry, int position,
                         uint32_t place) {
    struct carry_state *c = state_of(machine, carry);
    c->written[position] = ++machine->clock;
    c->place[position] = place;
}

uint32_t expand_walk_buffer(const struct section_machine *machine, const struct binding *carry,
                            int position) {
    uint32_t buffer =
        PLACE(PLANE_BUFFER, (uint32_t)section_at(machine, position) << 16 | carry->carry);
    bool mapped = machine->frame->unit->mapped;
    return mapped ? buffer | (uint32_t)(position / sections_of(machine)) << BUFFER_ROUND : buffer;
}

/* Writing a carry hands it to the next section in its direction. */
static bool write_carry(struct section_machine *machine, const struct recipe_expr *expr,
                        const struct binding *binding, bool keep, uint32_t *place) {
    struct carry_state *c = state_of(machine, binding);
    if (expr->kind != EXPR_NAME)
        return expand_walk_fail(machine, expr->at,
                                "a carry is handed to the neighbour: write it without '@'");
    if (is_last(machine, c, machine->position))
        return expand_walk_fail(machine, expr->at,
                                "carry '%s' is handed beyond section %d, the last one", expr->name,
                                machine->position);
    int to = machine->position + (c->down ? -1 : 1);
    if (keep && !c->written[to])
        return expand_walk_fail(machine, expr->at,
                                "the micro-op keeps a part of what its destination holds, and "
                                "carry '%s' holds nothing there",
                                expr->name);
    *place = expand_walk_buffer(machine, binding, to);
    expand_walk_come_in(machine, binding, to, *place);
    c->handed[machine->position] = machine->clock;
    return true;
}

static bool write_latch(struct section_machine *machine, const struct recipe_expr *expr, bool keep,
                        uint32_t *place) {
    bool c = expr->ref == SYMBOL_C;
    if (expr->kind != EXPR_NAME || (!c && expr->ref != SYMBOL_M))
        return expand_walk_fail(machine, expr->at, "'%s' cannot be written", expr->name);
    if (!expand_place_is_written(machine->x, c ? FIELD_C : FIELD_M))
        return expand_walk_fail(machine, expr->at, "'%s' is no result of this instruction",
                                expr->name);
    if (keep && !read_fixed(machine, expr, place))
        return false;
    if (c)
        machine->x->wrote_c = true;
    else
        machine->wrote_m = true;
    *place = PLACE(c ? PLANE_C : PLANE_M, 0);
    return true;
}

static bool write_row(struct section_machine *machine, const struct recipe_expr *expr,
                      const struct binding *binding, bool keep, uint32_t *place) {
    uint32_t class = (uint32_t)binding->number;
    if (expr->kind != EXPR_NAME)
        return expand_walk_fail(machine, expr->at,
                                "a row is written in the section at work, without index or '@'");
    return (!keep || expand_walk_read_row(machine, expr->at, class, place)) &&
           expand_walk_write_row(machine, expr->at, class, place);
}

bool expand_walk_replace(struct section_machine *machine, const struct recipe_expr *expr,
                         uint32_t place) {
    uint32_t payload = PLACE_PAYLOAD(place);
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        if (!expand_place_is_written(machine->x, (uint8_t)(payload >> 6)))
            return expand_walk_fail(machine, expr->at,
                                    "'%s' is a source of this instruction: it must stay as it is",
                                    expr->name);
        machine->written[payload >> 6] |= (uint64_t)1 << (payload & 63);
        return true;
    case PLANE_C:
    case PLANE_M:
        if (!expand_place_is_written(machine->x, PLANE_CLASS(place) == PLANE_C ? FIELD_C : FIELD_M))
            return expand_walk_fail(machine, expr->at, "'%s' is no result of this instruction",
                                    expr->name);
        machine->x->wrote_c |= PLANE_CLASS(place) == PLANE_C;
        machine->wrote_m |= PLANE_CLASS(place) == PLANE_M;
        return true;
    case PLANE_SCRATCH:
        return true;
    case PLANE_BUFFER:
        return expand_walk_fail(machine, expr->at,
                                "'%s' came in as a carry: an op cannot replace it", expr->name);
    default:
        return expand_walk_fail(machine, expr->at, "'%s' cannot be written", expr->name);
    }
}

bool expand_walk_write(struct section_machine *machine, const struct recipe_expr *expr, bool keep,
                       uint32_t *place) {
    struct binding *b = binding_of(machine, expr);
    if (expr->ref < SYMBOL_FIXED && b->kind == UNBOUND)
        return write_latch(machine, expr, keep, place);
    switch (b->kind) {
    case BOUND_REG:
        return write_register(machine, expr, b, keep, place);
    case BOUND_CARRY:
        return write_carry(machine, expr, b, keep, place);
    case BOUND_ROW:
        return write_row(machine, expr, b, keep, place);
    case BOUND_GROUP:
        return expand_walk_fail(machine, expr->at,
                                "'%s' is a group of rows: it stands beside arrows alone",
                                expr->name);
    case UNBOUND:
    case BOUND_SCRATCH:
        return writes_here(machine, expr, b) && write_scratch(machine, expr, b, keep, place);
    case BOUND_OUT: {
        if (!writes_here(machine, expr, b))
            return false;
        struct walk_frame *here = machine->frame;
        machine->frame = b->frame;
        bool fine = expand_walk_write(machine, b->target, keep, place);
        machine->frame = here;
        return fine;
    }
    case BOUND_PLACE: /* what is there goes on, anded with more */
        if (keep && PLANE_CLASS(b->place) == PLANE_SCRATCH && expr->kind == EXPR_NAME) {
            *place = b->place;
            return true;
        }
        __attribute__((fallthrough));
    default:
        return expand_walk_fail(machine, expr->at, "'%s' is not a place that can be written",
                                expr->name);
    }
}

/* --- assignments of mapped recipes --- */

/* True if the place may be overwritten while its value is still wanted: what the instruction
 * writes, named rows, and buffers, which serve other carries next. */
static bool is_fleeting(const struct section_machine *machine, uint32_t place) {
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        return expand_place_is_written(machine->x, (uint8_t)(PLACE_PAYLOAD(place) >> 6));
    case PLANE_C:
        return expand_place_is_written(machine->x, FIELD_C);
    case PLANE_M:
        return expand_place_is_written(machine->x, FIELD_M);
    case PLANE_BUFFER:
        return true;
    case PLANE_SCRATCH:
        return machine->x->list.values.data[PLACE_PAYLOAD(place)].named;
    default:
        return false;
    }
}

/* A place whose value lasts: this one, or a copy of it in scratch. */
static bool make_lasting(struct section_machine *machine, const struct recipe_stmt *stmt,
                         uint32_t *place) {
    if (!is_fleeting(machine, *place))
        return true;
    uint32_t copy = PLACE(PLANE_SCRATCH, new_value(machine, stmt, 0));
    bool fine = expand_walk_copy(machine, stmt, *place, copy);
    *place = copy;
    return fine;
}

/* What came into a section that gates do not read there: a copy of it in a row. */
static bool keep_incoming(struct section_machine *machine, const struct recipe_stmt *stmt,
                          int position, uint32_t *place) {
    int here = machine->position;
    if (!mapping_keeps_incoming(machine->x->set))
        return true;
    machine->position = position;
    bool fine = make_lasting(machine, stmt, place);
    machine->position = here;
    return fine;
}

static bool hand_on(struct section_machine *machine, const struct recipe_stmt *stmt,
                    const struct binding *binding, uint32_t place) {
    struct carry_state *c = state_of(machine, binding);
    if (is_last(machine, c, machine->position)) {
        if (!make_lasting(machine, stmt, &place))
            return false;
        c->ended = c->handed[machine->position] = ++machine->clock;
        c->end_place = place;
        return true;
    }
    int to = machine->position + (c->down ? -1 : 1);
    if (technology_sections_apart(machine->x->set->target) &&
        section_at(machine, to) != section_at(machine, machine->position)) {
        uint32_t buffer = expand_walk_buffer(machine, binding, to);
        if (!expand_walk_send(machine, stmt, place, &buffer) ||
            !keep_incoming(machine, stmt, to, &buffer))
            return false;
        place = buffer;
    } else if (!make_lasting(machine, stmt, &place)) {
        return false;
    }
    expand_walk_come_in(machine, binding, to, place);
    c->handed[machine->position] = machine->clock;
    return true;
}

bool expand_walk_begin(struct section_machine *machine, const struct recipe_stmt *stmt,
                       const struct binding *carry) {
    uint32_t place;
    if (!expand_walk_read(machine, stmt->value, &place) || !make_lasting(machine, stmt, &place))
        return false;
    expand_walk_come_in(machine, carry, machine->position, place);
    return true;
}

bool expand_walk_pass(struct section_machine *machine, const struct recipe_stmt *stmt) {
    const struct recipe_expr *e = stmt->targets[0];
    struct binding *b = binding_of(machine, e);
    uint32_t from, to;
    if (!expand_walk_read(machine, stmt->value, &from))
        return false;
    if (b->kind == BOUND_CARRY)
        return hand_on(machine, stmt, b, from);
    if (b->kind == BOUND_SCRATCH || (b->kind == UNBOUND && e->ref >= SYMBOL_FIXED)) {
        if (!make_lasting(machine, stmt, &from))
            return false;
        set_scratch(machine, b, from);
        return true;
    }
    return expand_walk_write(machine, e, false, &to) && expand_walk_copy(machine, stmt, from, to);
}
