/* SPDX-License-Identifier: MIT
 * The number of a routine says what it does: the operation (0: a conversion), and two types. */
#include "machines/core/scalar/routines.h"
#include "machines/core/scalar/floats.h"
#include "machines/core/scalar/run.h"

static bool is_wide(struct lane_type t) {
    return t.bits > 32;
}
static unsigned room_of(struct lane_type t) {
    return is_wide(t) ? 64 : 32;
}

/* ---- numbers ---- */

static uint64_t number_of(enum isa_op op, struct lane_type from, struct lane_type to) {
    return (uint64_t)op << 32 | (uint64_t)from.kind << 24 | (uint64_t)from.bits << 16 |
           (uint64_t)to.kind << 8 | to.bits;
}
static struct lane_type type_of(uint64_t bits) {
    return (struct lane_type){(enum type_kind)(bits >> 8 & 255), (uint8_t)bits};
}
static bool compares(enum isa_op op) {
    return op == OP_FCMPEQ || op == OP_FCMPLT || op == OP_FCMPLE || op == OP_FCMPUN ||
           op == OP_BFCMPEQ || op == OP_BFCMPLT || op == OP_BFCMPLE || op == OP_BFCMPUN;
}
static bool is_root(enum isa_op op) {
    return op == OP_FSQRT || op == OP_BFSQRT;
}

struct scalar_routine scalar_routine_of(uint64_t routine) {
    return (struct scalar_routine){(enum isa_op)(routine >> 32), type_of(routine >> 16),
                                   type_of(routine)};
}

void scalar_routine_name(uint64_t routine, struct str *out) {
    const struct scalar_routine r = scalar_routine_of(routine);
    char from[8], to[8];
    object_type_text(r.from, from);
    object_type_text(r.to, to);
    if (r.op == OP_CVT)
        str_printf(out, "float_%s_to_%s", from, to);
    else
        str_printf(out, "float_%s_%s", isa_info(r.op)->name, from);
}

/* ---- calls ---- */

static bool is_called(const struct scalar_body *b, uint64_t routine) {
    return !b->calls || b->calls(routine);
}

scalar_id scalar_called_operation(struct scalar_body *b, enum isa_op op, struct lane_type type,
                                  scalar_id a, scalar_id c) {
    const bool mask = compares(op);
    const struct insn insn = {.op = op, .width = type.bits};
    /* A difference is a sum with the other sign. */
    if (op == OP_FSUB || op == OP_BFSUB) {
        scalar_id sign = scalar_const(b, UINT64_C(1) << (type.bits - 1), is_wide(type));
        return scalar_called_operation(b, op == OP_FSUB ? OP_FADD : OP_BFADD, type, a,
                                       scalar_two(b, SCALAR_XOR, c, sign));
    }
    /* What is known is computed here. */
    if ((scalar_at(b, a)->op == SCALAR_CONST && (!c || scalar_at(b, c)->op == SCALAR_CONST)) ||
        !is_called(b, number_of(op, type, type)))
        return scalar_float(b, &insn, a, c);
    return scalar_call(b, number_of(op, type, type), is_wide(type) && !mask,
                       mask ? 1 : room_of(type), a, c);
}

static scalar_id convert(struct scalar_body *b, struct lane_type from, struct lane_type to,
                         scalar_id a) {
    if (!object_type_is_float(from))
        return scalar_from_integer(b, object_type_format(to), a, from.bits, from.kind == TYPE_INT);
    if (!object_type_is_float(to))
        return scalar_fit(
            b, scalar_to_integer(b, object_type_format(from), a, to.bits, to.kind == TYPE_INT),
            is_wide(to));
    return scalar_to_format(b, object_type_format(from), object_type_format(to), a);
}
scalar_id scalar_called_conversion(struct scalar_body *b, struct lane_type from,
                                   struct lane_type to, scalar_id a) {
    if (scalar_at(b, a)->op == SCALAR_CONST || !is_called(b, number_of(OP_CVT, from, to)))
        return convert(b, from, to, a);
    return scalar_call(b, number_of(OP_CVT, from, to), is_wide(to), room_of(to), a, 0);
}

/* ---- bodies ---- */

static scalar_id operand(struct scalar_body *b, unsigned which, struct lane_type t) {
    const bool sign = t.kind == TYPE_INT;
    return scalar_argument(b, which, is_wide(t), sign ? room_of(t) : t.bits);
}
/* Steps of a lap: divisors of how many there are. */
static unsigned steps_of(const struct scalar_format *f) {
    for (unsigned n = 9;; n--)
        if (scalar_root_steps(f) % n == 0)
            return n;
}
/* What a lap of the root leaves for the next one, in this order. */
enum { NUMBER, LEFT, ROOT, LAPS };
static void put(struct scalar_body *b, const struct scalar_root *r, scalar_id laps) {
    const scalar_id values[] = {
        [NUMBER] = r->number, [LEFT] = r->left, [ROOT] = r->root, [LAPS] = laps};
    for (uint32_t i = 0; i <= LAPS; i++)
        scalar_store(b, i, scalar_at(b, values[i])->wide ? 8 : 4, values[i]);
}
static scalar_id get(const struct scalar_format *f, uint32_t cell) {
    const unsigned bytes = f->wide && cell != LAPS ? 8 : 4;
    return scalar_cell(f->b, cell, bytes, 8 * bytes);
}
/* A lap is some steps. */
static scalar_id root_in_laps(struct scalar_body *b, struct lane_type type, scalar_id x) {
    const struct scalar_format format = scalar_format_of(b, object_type_format(type)), *f = &format;
    const unsigned steps = steps_of(f);
    struct scalar_root r = scalar_root_begin(f, x);
    put(b, &r, scalar_const(b, scalar_root_steps(f) / steps, false));
    scalar_id loop = scalar_loop_begin(b, 0);
    r.number = get(f, NUMBER);
    r.left = get(f, LEFT);
    r.root = get(f, ROOT);
    for (unsigned i = 0; i < steps; i++)
        scalar_root_step(f, &r, true);
    scalar_id laps = scalar_two(b, SCALAR_SUB, get(f, LAPS), scalar_const(b, 1, false));
    put(b, &r, laps);
    scalar_loop_end(b, loop, scalar_two(b, SCALAR_NE, laps, scalar_const(b, 0, false)));
    r.left = get(f, LEFT);
    r.root = get(f, ROOT);
    return scalar_root_end(f, &r, x);
}
void scalar_routine_body(uint64_t routine, struct scalar_body *b) {
    const struct scalar_routine r = scalar_routine_of(routine);
    const enum isa_op op = r.op;
    const struct lane_type from = r.from, to = r.to;
    const struct insn insn = {.op = op, .width = from.bits};
    scalar_id a = operand(b, 0, from);
    scalar_result(b, op == OP_CVT  ? convert(b, from, to, a)
                     : is_root(op) ? root_in_laps(b, from, a)
                                   : scalar_float(b, &insn, a, operand(b, 1, from)));
}
