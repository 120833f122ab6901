/* SPDX-License-Identifier: MIT
 * Operations on floats that W code has.  Binary16 is computed in binary32, whose 24 bits are at
 * least 2 * 11 + 2, so that sums, products, quotients and roots that are rounded twice are those
 * rounded once (Figueroa, "When is double rounding innocuous?", 1995).  A NaN is the quiet one
 * without sign and payload, which PTX leaves open. */
#include "machines/core/simt/runs/run_values.h"
#include "support/ieee.h"

#include <inttypes.h>

static bool is_whole(struct lane_type t) {
    return t.kind == TYPE_INT || t.kind == TYPE_UINT;
}
static bool is_binary(struct lane_type t) {
    return t.kind == TYPE_FLOAT && (t.bits == 16 || t.bits == 32 || t.bits == 64);
}

bool simt_run_has_float(const struct scalar_routine *r) {
    switch (r->op) {
    case OP_FADD:
    case OP_FSUB:
    case OP_FMUL:
    case OP_FDIV:
    case OP_FSQRT:
    case OP_FCMPEQ:
    case OP_FCMPLT:
    case OP_FCMPLE:
    case OP_FCMPUN:
        return is_binary(r->from);
    case OP_CVT:
        if (is_binary(r->from) && is_binary(r->to))
            return true;
        return r->from.bits == r->to.bits && r->to.bits >= 32 &&
               ((is_whole(r->from) && is_binary(r->to)) || (is_binary(r->from) && is_whole(r->to)));
    default:
        return false;
    }
}

/* ---- formats ---- */

/* A number as registers hold it: binary16 is widened. */
struct float_register {
    char kind; /* 'r', 'd' */
    uint32_t number;
};
static unsigned bits_of(struct float_register f) {
    return f.kind == 'd' ? 64 : 32;
}
static struct float_register fresh(struct simt_values *x, bool wide) {
    return (struct float_register){wide ? 'd' : 'r', wide ? ++x->pairs : ++x->words};
}

static struct float_register operand(struct simt_values *x, scalar_id id, struct lane_type t) {
    const struct simt_operand_text a = simt_operand_of(x, id);
    const struct float_register to = fresh(x, t.bits == 64);
    if (is_whole(t) || t.bits > 16) {
        simt_line_put(x, "mov.b%u %%%c%" PRIu32 ", %s;", bits_of(to), to.kind, to.number, a.text);
        return to;
    }
    const uint32_t half = ++x->halves;
    simt_line_put(x, "cvt.u16.u32 %%h%" PRIu32 ", %s;", half, a.text);
    simt_line_put(x, "cvt.f32.f16 %%r%" PRIu32 ", %%h%" PRIu32 ";", to.number, half);
    return to;
}

/* The value is that number, which has the format's bits from here on. */
static void result(struct simt_values *x, scalar_id id, struct float_register from, unsigned bits) {
    const struct ieee_format format = ieee_binary(bits);
    const uint64_t nan = ieee_infinity(format, false) | UINT64_C(1) << (format.fraction_bits - 1);
    const uint32_t none = ++x->masks;
    simt_line_put(x, "setp.nan.f%u %%p%" PRIu32 ", %%%c%" PRIu32 ", %%%c%" PRIu32 ";",
                  bits_of(from), none, from.kind, from.number, from.kind, from.number);
    if (bits == 16) {
        const uint32_t half = ++x->halves;
        const struct float_register word = fresh(x, false);
        simt_line_put(x, "cvt.rn.f16.f32 %%h%" PRIu32 ", %%r%" PRIu32 ";", half, from.number);
        simt_line_put(x, "cvt.u32.u16 %%r%" PRIu32 ", %%h%" PRIu32 ";", word.number, half);
        from = word;
    }
    simt_line_put(x, "selp.b%u %%%c%" PRIu32 ", 0x%" PRIx64 ", %%%c%" PRIu32 ", %%p%" PRIu32 ";",
                  bits_of(from), from.kind, simt_new(x, id), nan, from.kind, from.number, none);
}

/* A NaN is 0, which PTX says of some widths alone. */
static void whole_result(struct simt_values *x, scalar_id id, struct float_register from,
                         struct float_register to) {
    const uint32_t none = ++x->masks;
    simt_line_put(x, "setp.nan.f%u %%p%" PRIu32 ", %%%c%" PRIu32 ", %%%c%" PRIu32 ";",
                  bits_of(from), none, from.kind, from.number, from.kind, from.number);
    simt_line_put(x, "selp.b%u %%%c%" PRIu32 ", 0, %%%c%" PRIu32 ", %%p%" PRIu32 ";", bits_of(to),
                  to.kind, simt_new(x, id), to.kind, to.number, none);
}

/* ---- operations ---- */

static const char *name_of(enum isa_op op) {
    switch (op) {
    case OP_FADD:
        return "add.rn";
    case OP_FSUB:
        return "sub.rn";
    case OP_FMUL:
        return "mul.rn";
    case OP_FDIV:
        return "div.rn";
    case OP_FCMPEQ:
        return "setp.eq";
    case OP_FCMPLT:
        return "setp.lt";
    case OP_FCMPLE:
        return "setp.le";
    default:
        return "setp.nan";
    }
}

static void emit_operation(struct simt_values *x, scalar_id id, const struct scalar_routine *r) {
    const struct scalar_value v = *scalar_at(x->body, id);
    const struct float_register a = operand(x, v.a, r->from);
    const unsigned bits = bits_of(a);
    if (r->op == OP_FSQRT) {
        const struct float_register to = fresh(x, a.kind == 'd');
        simt_line_put(x, "sqrt.rn.f%u %%%c%" PRIu32 ", %%%c%" PRIu32 ";", bits, to.kind, to.number,
                      a.kind, a.number);
        result(x, id, to, r->from.bits);
        return;
    }
    const struct float_register b = operand(x, v.b, r->from);
    const bool compares =
        r->op == OP_FCMPEQ || r->op == OP_FCMPLT || r->op == OP_FCMPLE || r->op == OP_FCMPUN;
    const struct float_register to =
        compares ? (struct float_register){'p', ++x->masks} : fresh(x, a.kind == 'd');
    simt_line_put(x, "%s.f%u %%%c%" PRIu32 ", %%%c%" PRIu32 ", %%%c%" PRIu32 ";", name_of(r->op),
                  bits, to.kind, to.number, a.kind, a.number, b.kind, b.number);
    if (compares)
        x->made[id - 1].mask = to.number;
    else
        result(x, id, to, r->from.bits);
}

static void emit_conversion(struct simt_values *x, scalar_id id, const struct scalar_routine *r) {
    const struct scalar_value v = *scalar_at(x->body, id);
    struct float_register a = operand(x, v.a, r->from);
    const struct float_register to = fresh(x, r->to.bits == 64);
    const bool whole_from = is_whole(r->from), whole_to = is_whole(r->to);
    if (whole_from || whole_to) {
        const struct lane_type whole = whole_from ? r->from : r->to;
        const char sign = whole.kind == TYPE_INT ? 's' : 'u';
        simt_line_put(x, "cvt.%s.%c%u.%c%u %%%c%" PRIu32 ", %%%c%" PRIu32 ";",
                      whole_from ? "rn" : "rzi", whole_from ? 'f' : sign, bits_of(to),
                      whole_from ? sign : 'f', bits_of(a), to.kind, to.number, a.kind, a.number);
        if (whole_from)
            result(x, id, to, r->to.bits);
        else
            whole_result(x, id, a, to);
        return;
    }
    /* From binary64 to binary16 at once, since rounding twice would not do. */
    if (r->to.bits == 16 && a.kind == 'd') {
        const uint32_t half = ++x->halves;
        simt_line_put(x, "cvt.rn.f16.f64 %%h%" PRIu32 ", %%d%" PRIu32 ";", half, a.number);
        simt_line_put(x, "cvt.f32.f16 %%r%" PRIu32 ", %%h%" PRIu32 ";", to.number, half);
        a = to;
    } else if (bits_of(to) != bits_of(a)) {
        simt_line_put(x, "cvt%s.f%u.f%u %%%c%" PRIu32 ", %%%c%" PRIu32 ";",
                      bits_of(to) == 32 ? ".rn" : "", bits_of(to), bits_of(a), to.kind, to.number,
                      a.kind, a.number);
        a = to;
    }
    result(x, id, a, r->to.bits);
}

void simt_emit_call(struct simt_values *x, scalar_id id) {
    const struct scalar_routine r = scalar_routine_of(scalar_at(x->body, id)->k);
    if (r.op == OP_CVT)
        emit_conversion(x, id, &r);
    else
        emit_operation(x, id, &r);
}
