// SPDX-License-Identifier: MIT
// Operations on two objects, and ScaledAdd.
#include "pimeval/pimeval.h"

using namespace mpu_pimeval;

namespace {

struct Operands {
    PimObjId src1, src2, dest;
    Object *a = nullptr, *b = nullptr, *to = nullptr;
};

bool found(Call &call, Operands &o) {
    o.a = call.object(o.src1);
    o.b = o.a ? call.object(o.src2) : nullptr;
    o.to = o.b ? call.object(o.dest) : nullptr;
    return o.to && call.associated(o.src1, o.src2) && call.associated(o.src1, o.dest);
}

bool types_refused(Call &call, const Operands &o) {
    call.refuse("%s and %s do not go to %s", type_name(o.a->type), type_name(o.b->type),
                type_name(o.to->type));
    return false;
}

// All of one type, numbers alone or BOOL too.
bool same_types(Call &call, const Operands &o, bool with_bool) {
    const PimDataType type = o.a->type;
    return (type == o.b->type && type == o.to->type && (with_bool || type != PIM_BOOL)) ||
           types_refused(call, o);
}

// A BOOL may be added to anything without a fraction, and a sum with one may have any type of
// integers: operands are numbers of 64 bits there, of which the destination keeps its own.
bool sum_types(Call &call, const Operands &o, bool to_any) {
    if (o.b->type != PIM_BOOL)
        return same_types(call, o, false);
    const bool floats = type_is_float(o.a->type) || type_is_float(o.to->type);
    const bool wanted = to_any || (o.to->type == o.a->type && o.a->type != PIM_BOOL);
    return (!floats && wanted) || types_refused(call, o);
}

Vector widened(Call &call, const Object &object, PimDataType type) {
    const Vector value = call.load(object);
    return object.type == type ? value : call.apply(MPU_OP_CAST, type_vector(type), {value});
}

// To a BOOL goes the truth of the lowest byte.
Vector sum_truth(Call &call, const Operands &o) {
    if (o.a->type == PIM_BOOL)
        return call.apply(MPU_OP_OR, BOOL_TYPE, {call.load(*o.a), call.load(*o.b)});
    const mpu_vtype byte = {MPU_KIND_UINT, 8};
    const Vector a = widened(call, *o.a, PIM_UINT8), b = widened(call, *o.b, PIM_UINT8);
    return call.apply(MPU_OP_CAST, BOOL_TYPE, {call.apply(MPU_OP_ADD, byte, {a, b})});
}

PimStatus sum(Call &call, const char *what, mpu_op op, Operands o) {
    if (!found(call, o) || !sum_types(call, o, op == MPU_OP_ADD))
        return PIM_ERROR;
    call.charge(what, *o.a);
    const PimDataType type = o.to->type;
    if (type == PIM_BOOL)
        return call.store(*o.to, sum_truth(call, o));
    const Vector a = widened(call, *o.a, type), b = widened(call, *o.b, type);
    return call.store(*o.to, call.apply(op, type_vector(type), {a, b}));
}

PimStatus number(Call &call, const char *what, mpu_op op, Operands o) {
    if (!found(call, o) || !same_types(call, o, false))
        return PIM_ERROR;
    call.charge(what, *o.a);
    return call.store(*o.to,
                      call.apply(op, type_vector(o.a->type), {call.load(*o.a), call.load(*o.b)}));
}

// By a comparison where what is no number, or a zero with a sign, decides which operand it is.
PimStatus extreme(Call &call, const char *what, mpu_op op, mpu_op better, Operands o) {
    if (!found(call, o) || !same_types(call, o, false))
        return PIM_ERROR;
    call.charge(what, *o.a);
    const mpu_vtype type = type_vector(o.a->type);
    const Vector a = call.load(*o.a), b = call.load(*o.b);
    if (!type_is_float(o.a->type))
        return call.store(*o.to, call.apply(op, type, {a, b}));
    return call.store(*o.to,
                      call.apply(MPU_OP_SELECT, type, {call.apply(better, type, {a, b}), a, b}));
}

PimStatus bitwise(Call &call, const char *what, mpu_op op, bool inverted, Operands o) {
    if (!found(call, o) || !same_types(call, o, true))
        return PIM_ERROR;
    if (type_is_float(o.a->type)) {
        call.say("%s has no bits to combine; nothing is written", type_name(o.a->type));
        return PIM_OK;
    }
    call.charge(what, *o.a);
    const mpu_vtype type = type_vector(o.a->type);
    Vector value = call.apply(op, type, {call.load(*o.a), call.load(*o.b)});
    if (inverted)
        value = call.apply(MPU_OP_NOT, type, {value});
    return call.store(*o.to, value);
}

PimStatus compare(Call &call, const char *what, mpu_op op, Operands o) {
    if (!found(call, o))
        return PIM_ERROR;
    if (o.a->type != o.b->type || o.a->type == PIM_BOOL || o.to->type != PIM_BOOL) {
        types_refused(call, o);
        return PIM_ERROR;
    }
    call.charge(what, *o.a);
    return call.store(*o.to,
                      call.apply(op, type_vector(o.a->type), {call.load(*o.a), call.load(*o.b)}));
}

// Whether a division met a 0 is known when it was carried out: one BOOL for all divisions until
// something is read.
void note_zeros(Call &call, const Vector &zeros) {
    if (!zeros)
        return;
    call.charge_plain("zero_divisor");
    Device &d = *process().device;
    Vector any(mpu_fold(zeros.get(), MPU_OP_OR, BOOL_TYPE, 0, mpu_vector_length(zeros.get()),
                        mpu_vector_length(zeros.get()), call.error ? nullptr : &call.error));
    if (any && d.zero_divisor) {
        const mpu_operand both[] = {{any.get(), 0}, {d.zero_divisor.get(), 0}};
        any = Vector(mpu_apply(d.machine, MPU_OP_OR, BOOL_TYPE, 1, both, 2,
                               call.error ? nullptr : &call.error));
    }
    if (any)
        d.zero_divisor = any;
}

} // namespace

PimStatus pimAdd(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimAdd");
    return sum(call, "add", MPU_OP_ADD, {src1, src2, dest});
}

PimStatus pimSub(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimSub");
    return sum(call, "sub", MPU_OP_SUB, {src1, src2, dest});
}

PimStatus pimMul(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimMul");
    return number(call, "mul", MPU_OP_MUL, {src1, src2, dest});
}

PimStatus pimDiv(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimDiv");
    Operands o = {src1, src2, dest};
    if (!found(call, o) || !same_types(call, o, false))
        return PIM_ERROR;
    call.charge("div", *o.a);
    const mpu_vtype type = type_vector(o.a->type);
    const Vector a = call.load(*o.a), b = call.load(*o.b);
    const Vector zeros = type_is_float(o.a->type) ? call.apply(MPU_OP_ISZERO, type, {b})
                                                  : call.apply(MPU_OP_EQ, type, {b, uint64_t(0)});
    const Vector ratio = call.apply(MPU_OP_DIV, type, {a, b});
    const Vector value = call.apply(MPU_OP_SELECT, type, {zeros, call.load(*o.to), ratio});
    const PimStatus status = call.store(*o.to, value);
    if (status == PIM_OK)
        note_zeros(call, zeros);
    return call.error ? call.refuse_machine() : status;
}

PimStatus pimAnd(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimAnd");
    return bitwise(call, "and", MPU_OP_AND, false, {src1, src2, dest});
}

PimStatus pimOr(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimOr");
    return bitwise(call, "or", MPU_OP_OR, false, {src1, src2, dest});
}

PimStatus pimXor(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimXor");
    return bitwise(call, "xor", MPU_OP_XOR, false, {src1, src2, dest});
}

PimStatus pimXnor(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimXnor");
    return bitwise(call, "xnor", MPU_OP_XOR, true, {src1, src2, dest});
}

PimStatus pimMin(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimMin");
    return extreme(call, "min", MPU_OP_MIN, MPU_OP_LT, {src1, src2, dest});
}

PimStatus pimMax(PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimMax");
    return extreme(call, "max", MPU_OP_MAX, MPU_OP_GT, {src1, src2, dest});
}

PimStatus pimGT(PimObjId src1, PimObjId src2, PimObjId destBool) {
    Call call("pimGT");
    return compare(call, "gt", MPU_OP_GT, {src1, src2, destBool});
}

PimStatus pimLT(PimObjId src1, PimObjId src2, PimObjId destBool) {
    Call call("pimLT");
    return compare(call, "lt", MPU_OP_LT, {src1, src2, destBool});
}

PimStatus pimEQ(PimObjId src1, PimObjId src2, PimObjId destBool) {
    Call call("pimEQ");
    return compare(call, "eq", MPU_OP_EQ, {src1, src2, destBool});
}

PimStatus pimNE(PimObjId src1, PimObjId src2, PimObjId destBool) {
    Call call("pimNE");
    return compare(call, "ne", MPU_OP_NE, {src1, src2, destBool});
}

PimStatus pimScaledAdd(PimObjId src1, PimObjId src2, PimObjId dest, uint64_t scalarValue) {
    Call call("pimScaledAdd");
    Operands o = {src1, src2, dest};
    if (!found(call, o) || !same_types(call, o, false))
        return PIM_ERROR;
    call.charge("scaled_add", *o.a);
    const mpu_vtype type = type_vector(o.a->type);
    const Vector product = call.apply(MPU_OP_MUL, type, {call.load(*o.a), scalarValue});
    return call.store(*o.to, call.apply(MPU_OP_ADD, type, {product, call.load(*o.b)}));
}
