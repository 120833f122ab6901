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

void scalar_routine_name(uint64_t routine, struct str *out) {
    const enum isa_op op = (enum isa_op)(routine >> 32);
    char from[8], to[8];
    object_type_text(type_of(routine >> 16), from);
    object_type_text(type_of(routine), to);
    if (op == OP_CVT)
        str_printf(out, "float_%s_to_%s", from, to);
    else
        str_printf(out, "float_%s_%s", isa_info(op)->name, from);
}

/* ---- calls ---- */

scalar_id scalar_called_operation(struct scalar_body *b, enum isa_op op, struct lane_type type,
                                  scalar_id a, scalar_id c) {
    const bool mask = compares(op);
    const struct insn insn = {.op = op, .width = type.bits};
    /* What is known is computed here. */
    if (scalar_at(b, a)->op == SCALAR_CONST && (!c || scalar_at(b, c)->op == SCALAR_CONST))
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
    if (scalar_at(b, a)->op == SCALAR_CONST)
        return convert(b, from, to, a);
    return scalar_call(b, number_of(OP_CVT, from, to), is_wide(to), room_of(to), a, 0);
}

/* ---- bodies ---- */

static scalar_id operand(struct scalar_body *b, unsigned which, struct lane_type t) {
    const bool sign = t.kind == TYPE_INT;
    return scalar_argument(b, which, is_wide(t), sign ? room_of(t) : t.bits);
}
void scalar_routine_body(uint64_t routine, struct scalar_body *b) {
    const enum isa_op op = (enum isa_op)(routine >> 32);
    const struct lane_type from = type_of(routine >> 16), to = type_of(routine);
    const struct insn insn = {.op = op, .width = from.bits};
    scalar_id a = operand(b, 0, from);
    if (op == OP_CVT)
        scalar_result(b, convert(b, from, to, a));
    else
        scalar_result(b, scalar_float(b, &insn, a, is_root(op) ? 0 : operand(b, 1, from)));
}
