// SPDX-License-Identifier: MIT
// Operations on an object and a scalar, which is a number of 64 bits.  Where the result depends on
// no more than the scalar's low bits, the machine cuts it; where it does, and the scalar is no
// number of the object's type, the result is one value for all elements, or the object itself.
#include "pimeval/pimeval.h"

#include <cstring>

using namespace mpu_pimeval;

namespace {

struct Operands {
    PimObjId src, dest;
    uint64_t scalar;
    Object *from = nullptr, *to = nullptr;
};

bool found(Call &call, Operands &o) {
    o.from = call.object(o.src);
    o.to = o.from ? call.object(o.dest) : nullptr;
    return o.to && call.associated(o.src, o.dest);
}

bool types_refused(Call &call, const Operands &o) {
    call.refuse("%s and a scalar do not go to %s", type_name(o.from->type), type_name(o.to->type));
    return false;
}

bool same_types(Call &call, const Operands &o) {
    return (o.from->type == o.to->type && o.from->type != PIM_BOOL) || types_refused(call, o);
}

// Where the scalar lies beside the numbers of the object's type; floats are never outside.
int side_of(const Operands &o) {
    const unsigned bits = type_bits(o.from->type);
    if (bits == 64 || type_is_float(o.from->type))
        return 0;
    if (!type_is_signed(o.from->type))
        return o.scalar >> bits ? 1 : 0;
    const int64_t scalar = static_cast<int64_t>(o.scalar), end = int64_t(1) << (bits - 1);
    return scalar >= end ? 1 : scalar < -end ? -1 : 0;
}

PimStatus wrapping(Call &call, const char *what, mpu_op op, Operands o) {
    if (!found(call, o) || !same_types(call, o))
        return PIM_ERROR;
    call.charge(what, *o.from);
    return call.store(*o.to,
                      call.apply(op, type_vector(o.from->type), {call.load(*o.from), o.scalar}));
}

PimStatus bitwise(Call &call, const char *what, mpu_op op, bool inverted, Operands o) {
    if (!found(call, o) || !same_types(call, o))
        return PIM_ERROR;
    if (type_is_float(o.from->type)) {
        call.say("%s has no bits to combine; nothing is written", type_name(o.from->type));
        return PIM_OK;
    }
    call.charge(what, *o.from);
    const mpu_vtype type = type_vector(o.from->type);
    Vector value = call.apply(op, type, {call.load(*o.from), o.scalar});
    if (inverted)
        value = call.apply(MPU_OP_NOT, type, {value});
    return call.store(*o.to, value);
}

// `above`, `below`: what a comparison with such a scalar says of every element.
PimStatus compare(Call &call, const char *what, mpu_op op, bool above, bool below, Operands o) {
    if (!found(call, o))
        return PIM_ERROR;
    if (o.from->type == PIM_BOOL || o.to->type != PIM_BOOL) {
        types_refused(call, o);
        return PIM_ERROR;
    }
    call.charge(what, *o.from);
    const Vector from = call.load(*o.from);
    if (const int side = side_of(o))
        return call.store(*o.to,
                          call.apply(MPU_OP_COPY, BOOL_TYPE, {uint64_t(side > 0 ? above : below)}));
    return call.store(*o.to, call.apply(op, type_vector(o.from->type), {from, o.scalar}));
}

// keeps: the side on which the scalar never wins.  Of floats the scalar comes in if it is better.
PimStatus extreme(Call &call, const char *what, mpu_op op, mpu_op better, int keeps, Operands o) {
    if (!found(call, o) || !same_types(call, o))
        return PIM_ERROR;
    call.charge(what, *o.from);
    const mpu_vtype type = type_vector(o.from->type);
    const Vector from = call.load(*o.from);
    if (const int side = side_of(o))
        return call.store(*o.to, side == keeps ? from : call.apply(MPU_OP_COPY, type, {o.scalar}));
    if (!type_is_float(o.from->type))
        return call.store(*o.to, call.apply(op, type, {from, o.scalar}));
    const Vector wins = call.apply(better, type, {o.scalar, from});
    return call.store(*o.to, call.apply(MPU_OP_SELECT, type, {wins, o.scalar, from}));
}

bool is_zero(const Operands &o) {
    if (!type_is_float(o.from->type))
        return !o.scalar;
    return !(o.scalar & 0x7fffffff); // with either sign
}

} // namespace

PimStatus pimAddScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimAddScalar");
    return wrapping(call, "add_scalar", MPU_OP_ADD, {src, dest, scalarValue});
}

PimStatus pimSubScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimSubScalar");
    return wrapping(call, "sub_scalar", MPU_OP_SUB, {src, dest, scalarValue});
}

PimStatus pimMulScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimMulScalar");
    return wrapping(call, "mul_scalar", MPU_OP_MUL, {src, dest, scalarValue});
}

// By a number outside of the type everything is 0, but for the least by what it is without its
// sign.
PimStatus pimDivScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimDivScalar");
    Operands o = {src, dest, scalarValue};
    if (!found(call, o) || !same_types(call, o))
        return PIM_ERROR;
    if (is_zero(o)) {
        call.say("Division by zero; nothing is written");
        return PIM_OK;
    }
    call.charge("div_scalar", *o.from);
    const mpu_vtype type = type_vector(o.from->type);
    const Vector from = call.load(*o.from);
    if (!side_of(o))
        return call.store(*o.to, call.apply(MPU_OP_DIV, type, {from, o.scalar}));
    const uint64_t least = uint64_t(1) << (type_bits(o.from->type) - 1);
    if (!type_is_signed(o.from->type) || o.scalar != least)
        return call.store(*o.to, call.apply(MPU_OP_COPY, type, {uint64_t(0)}));
    const Vector is_least = call.apply(MPU_OP_EQ, type, {from, least});
    return call.store(*o.to, call.apply(MPU_OP_SELECT, type, {is_least, UINT64_MAX, uint64_t(0)}));
}

PimStatus pimAndScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimAndScalar");
    return bitwise(call, "and_scalar", MPU_OP_AND, false, {src, dest, scalarValue});
}

PimStatus pimOrScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimOrScalar");
    return bitwise(call, "or_scalar", MPU_OP_OR, false, {src, dest, scalarValue});
}

PimStatus pimXorScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimXorScalar");
    return bitwise(call, "xor_scalar", MPU_OP_XOR, false, {src, dest, scalarValue});
}

PimStatus pimXnorScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimXnorScalar");
    return bitwise(call, "xnor_scalar", MPU_OP_XOR, true, {src, dest, scalarValue});
}

PimStatus pimMinScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimMinScalar");
    return extreme(call, "min_scalar", MPU_OP_MIN, MPU_OP_LT, 1, {src, dest, scalarValue});
}

PimStatus pimMaxScalar(PimObjId src, PimObjId dest, uint64_t scalarValue) {
    Call call("pimMaxScalar");
    return extreme(call, "max_scalar", MPU_OP_MAX, MPU_OP_GT, -1, {src, dest, scalarValue});
}

PimStatus pimGTScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue) {
    Call call("pimGTScalar");
    return compare(call, "gt_scalar", MPU_OP_GT, false, true, {src, destBool, scalarValue});
}

PimStatus pimLTScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue) {
    Call call("pimLTScalar");
    return compare(call, "lt_scalar", MPU_OP_LT, true, false, {src, destBool, scalarValue});
}

PimStatus pimEQScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue) {
    Call call("pimEQScalar");
    return compare(call, "eq_scalar", MPU_OP_EQ, false, false, {src, destBool, scalarValue});
}

PimStatus pimNEScalar(PimObjId src, PimObjId destBool, uint64_t scalarValue) {
    Call call("pimNEScalar");
    return compare(call, "ne_scalar", MPU_OP_NE, true, true, {src, destBool, scalarValue});
}
