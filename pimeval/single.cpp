// SPDX-License-Identifier: MIT
// Operations on one object: by its elements, by its bits, by a table, and of all elements together.
#include "pimeval/pimeval.h"

#include <cstring>

using namespace mpu_pimeval;

namespace {

struct Pair {
    Object *from, *to;
};

bool found(Call &call, PimObjId src, PimObjId dest, Pair &p) {
    p.from = call.object(src);
    p.to = p.from ? call.object(dest) : nullptr;
    return p.to && call.associated(src, dest);
}

bool types_refused(Call &call, const Pair &p) {
    call.refuse("%s does not go to %s", type_name(p.from->type), type_name(p.to->type));
    return false;
}

bool same_types(Call &call, const Pair &p, bool with_bool) {
    return (p.from->type == p.to->type && (with_bool || p.from->type != PIM_BOOL)) ||
           types_refused(call, p);
}

bool bit_is_there(Call &call, const Object &object, unsigned bit) {
    if (bit < type_bits(object.type))
        return true;
    call.refuse("%s has no bit %u", type_name(object.type), bit);
    return false;
}

// Of floating point nothing is done, and said.
bool has_bits(const Call &call, const Object &object) {
    if (!type_is_float(object.type))
        return true;
    call.say("%s has no bits to work on; nothing is written", type_name(object.type));
    return false;
}

PimStatus unary(Call &call, const char *what, mpu_op op, const Pair &p) {
    call.charge(what, *p.from);
    return call.store(*p.to, call.apply(op, type_vector(p.from->type), {call.load(*p.from)}));
}

// By as many bits as there are, and more, everything goes out.
PimStatus shift(Call &call, const char *what, mpu_op op, PimObjId src, PimObjId dest,
                unsigned amount) {
    Pair p;
    if (!found(call, src, dest, p) || !same_types(call, p, false))
        return PIM_ERROR;
    if (!has_bits(call, *p.from))
        return PIM_OK;
    call.charge(what, *p.from);
    const mpu_vtype type = type_vector(p.from->type);
    const Vector from = call.load(*p.from);
    const bool sign = op == MPU_OP_SHR && type_is_signed(p.from->type);
    if (amount >= type.bits && !sign)
        return call.store(*p.to, call.apply(MPU_OP_COPY, type, {uint64_t(0)}));
    const uint64_t count = amount < type.bits ? amount : type.bits - 1u;
    return call.store(*p.to, call.apply(op, type, {from, count}));
}

PimStatus table(Call &call, const char *what, PimObjId src, PimObjId dest,
                const std::vector<uint8_t> &lut) {
    Pair p;
    if (!found(call, src, dest, p))
        return PIM_ERROR;
    if (p.from->type != PIM_UINT8 || p.to->type != PIM_UINT8) {
        types_refused(call, p);
        return PIM_ERROR;
    }
    if (lut.size() != 256)
        return call.refuse("a table of 256 bytes is wanted, not of %zu", lut.size());
    call.charge(what, *p.from);
    const Vector from = call.load(*p.from);
    return call.store(
        *p.to, from ? Vector(mpu_take_entries(from.get(), MPU_U8, lut.data(), 256, &call.error))
                    : Vector());
}

// The pattern that elements of the type have for these bits; a BOOL is a byte to who writes it.
uint64_t pattern(PimDataType type, uint64_t bits) {
    return type == PIM_BOOL ? (bits & 0xff) != 0 : bits;
}

PimStatus broadcast(Call &call, PimObjId dest, uint64_t bits) {
    Object *to = call.object(dest);
    if (!to)
        return PIM_ERROR;
    call.charge("broadcast", *to);
    return call.store(*to,
                      call.apply(MPU_OP_COPY, type_vector(to->type), {pattern(to->type, bits)}));
}

PimStatus neighbour(Call &call, const char *what, PimObjId src, int64_t first, int wrap) {
    Object *object = call.object(src);
    if (!object)
        return PIM_ERROR;
    call.charge(what, *object);
    const Vector value = call.load(*object);
    const mpu_dim all = {object->count, 1};
    return call.store(*object,
                      value ? Vector(mpu_move(value.get(), &all, 1, first, wrap, 0, &call.error))
                            : Vector());
}

// A condition, and what it is about.
bool condition(Call &call, PimObjId cond, PimObjId dest, Pair &p) {
    if (!found(call, cond, dest, p))
        return false;
    if (p.from->type == PIM_BOOL)
        return true;
    call.refuse("a condition is bool, not %s", type_name(p.from->type));
    return false;
}

const Object *chosen(Call &call, PimObjId src, PimObjId cond, const Object &dest) {
    const Object *object = call.object(src);
    if (!object || !call.associated(src, cond))
        return nullptr;
    if (object->type == dest.type)
        return object;
    call.refuse("%s does not go to %s", type_name(object->type), type_name(dest.type));
    return nullptr;
}

PimStatus select(Call &call, const char *what, const Pair &p, const Operand &yes,
                 const Operand &no) {
    call.charge(what, *p.to);
    return call.store(
        *p.to, call.apply(MPU_OP_SELECT, type_vector(p.to->type), {call.load(*p.from), yes, no}));
}

} // namespace

PimStatus pimAbs(PimObjId src, PimObjId dest) {
    Call call("pimAbs");
    Pair p;
    if (!found(call, src, dest, p) || !same_types(call, p, false))
        return PIM_ERROR;
    // Of what has no sign it is that.
    const bool sign = type_is_signed(p.from->type) || type_is_float(p.from->type);
    return unary(call, "abs", sign ? MPU_OP_ABS : MPU_OP_COPY, p);
}

PimStatus pimNot(PimObjId src, PimObjId dest) {
    Call call("pimNot");
    Pair p;
    if (!found(call, src, dest, p) || !same_types(call, p, true))
        return PIM_ERROR;
    if (type_is_float(p.from->type))
        return call.refuse("%s has no bits to invert", type_name(p.from->type));
    return unary(call, "not", MPU_OP_NOT, p);
}

PimStatus pimPopCount(PimObjId src, PimObjId dest) {
    Call call("pimPopCount");
    Pair p;
    if (!found(call, src, dest, p) || !same_types(call, p, false))
        return PIM_ERROR;
    return has_bits(call, *p.from) ? unary(call, "popcount", MPU_OP_POPCOUNT, p) : PIM_OK;
}

PimStatus pimPrefixSum(PimObjId src, PimObjId dest) {
    Call call("pimPrefixSum");
    Pair p;
    if (!found(call, src, dest, p))
        return PIM_ERROR;
    if (type_is_float(p.from->type) != type_is_float(p.to->type) || p.to->type == PIM_BOOL) {
        types_refused(call, p);
        return PIM_ERROR;
    }
    call.charge("prefix_sum", *p.from);
    const mpu_vtype type = type_vector(p.to->type);
    Vector value = call.load(*p.from);
    if (p.from->type != p.to->type && !type_is_float(p.to->type))
        value = call.apply(MPU_OP_CAST, type, {value});
    return call.store(*p.to,
                      value ? Vector(mpu_scan(value.get(), MPU_OP_ADD, type, &call.error)) : value);
}

PimStatus pimShiftBitsRight(PimObjId src, PimObjId dest, unsigned shiftAmount) {
    Call call("pimShiftBitsRight");
    return shift(call, "shift_bits_right", MPU_OP_SHR, src, dest, shiftAmount);
}

PimStatus pimShiftBitsLeft(PimObjId src, PimObjId dest, unsigned shiftAmount) {
    Call call("pimShiftBitsLeft");
    return shift(call, "shift_bits_left", MPU_OP_SHL, src, dest, shiftAmount);
}

PimStatus pimBitSliceExtract(PimObjId src, PimObjId destBool, unsigned bitIdx) {
    Call call("pimBitSliceExtract");
    Pair p;
    if (!found(call, src, destBool, p))
        return PIM_ERROR;
    if (p.to->type != PIM_BOOL) {
        types_refused(call, p);
        return PIM_ERROR;
    }
    if (!bit_is_there(call, *p.from, bitIdx))
        return PIM_ERROR;
    call.charge("bit_slice_extract", *p.from);
    return call.store(*p.to, call.apply(MPU_OP_BIT, type_vector(p.from->type),
                                        {call.load(*p.from), uint64_t(bitIdx)}));
}

PimStatus pimBitSliceInsert(PimObjId srcBool, PimObjId dest, unsigned bitIdx) {
    Call call("pimBitSliceInsert");
    Pair p;
    if (!found(call, srcBool, dest, p))
        return PIM_ERROR;
    if (p.from->type != PIM_BOOL) {
        types_refused(call, p);
        return PIM_ERROR;
    }
    if (!bit_is_there(call, *p.to, bitIdx))
        return PIM_ERROR;
    call.charge("bit_slice_insert", *p.to);
    return call.store(*p.to, call.apply(MPU_OP_SETBIT, type_vector(p.to->type),
                                        {call.load(*p.to), call.load(*p.from), uint64_t(bitIdx)}));
}

PimStatus pimCondCopy(PimObjId condBool, PimObjId src, PimObjId dest) {
    Call call("pimCondCopy");
    Pair p;
    if (!condition(call, condBool, dest, p))
        return PIM_ERROR;
    const Object *from = chosen(call, src, condBool, *p.to);
    if (!from)
        return PIM_ERROR;
    const Vector yes = call.load(*from), no = call.load(*p.to);
    return select(call, "cond_copy", p, yes, no);
}

PimStatus pimCondBroadcast(PimObjId condBool, uint64_t scalarBits, PimObjId dest) {
    Call call("pimCondBroadcast");
    Pair p;
    if (!condition(call, condBool, dest, p))
        return PIM_ERROR;
    const Vector no = call.load(*p.to);
    return select(call, "cond_broadcast", p, pattern(p.to->type, scalarBits), no);
}

PimStatus pimCondSelect(PimObjId condBool, PimObjId src1, PimObjId src2, PimObjId dest) {
    Call call("pimCondSelect");
    Pair p;
    if (!condition(call, condBool, dest, p))
        return PIM_ERROR;
    const Object *a = chosen(call, src1, condBool, *p.to);
    const Object *b = a ? chosen(call, src2, condBool, *p.to) : nullptr;
    if (!b)
        return PIM_ERROR;
    const Vector yes = call.load(*a), no = call.load(*b);
    return select(call, "cond_select", p, yes, no);
}

PimStatus pimCondSelectScalar(PimObjId condBool, PimObjId src1, uint64_t scalarBits,
                              PimObjId dest) {
    Call call("pimCondSelectScalar");
    Pair p;
    if (!condition(call, condBool, dest, p))
        return PIM_ERROR;
    const Object *a = chosen(call, src1, condBool, *p.to);
    if (!a)
        return PIM_ERROR;
    const Vector yes = call.load(*a);
    return select(call, "cond_select_scalar", p, yes, pattern(p.to->type, scalarBits));
}

PimStatus pimBroadcastInt(PimObjId dest, int64_t value) {
    Call call("pimBroadcastInt");
    return broadcast(call, dest, static_cast<uint64_t>(value));
}

PimStatus pimBroadcastUInt(PimObjId dest, uint64_t value) {
    Call call("pimBroadcastUInt");
    return broadcast(call, dest, value);
}

PimStatus pimBroadcastFP(PimObjId dest, float value) {
    Call call("pimBroadcastFP");
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return broadcast(call, dest, bits);
}

PimStatus pimAesSbox(PimObjId src, PimObjId dest, const std::vector<uint8_t> &lut) {
    Call call("pimAesSbox");
    return table(call, "aes_sbox", src, dest, lut);
}

PimStatus pimAesInverseSbox(PimObjId src, PimObjId dest, const std::vector<uint8_t> &lut) {
    Call call("pimAesInverseSbox");
    return table(call, "aes_inverse_sbox", src, dest, lut);
}

PimStatus pimRotateElementsRight(PimObjId src) {
    Call call("pimRotateElementsRight");
    return neighbour(call, "rotate_elements_right", src, -1, 1);
}

PimStatus pimRotateElementsLeft(PimObjId src) {
    Call call("pimRotateElementsLeft");
    return neighbour(call, "rotate_elements_left", src, 1, 1);
}

PimStatus pimShiftElementsRight(PimObjId src) {
    Call call("pimShiftElementsRight");
    return neighbour(call, "shift_elements_right", src, -1, 0);
}

PimStatus pimShiftElementsLeft(PimObjId src) {
    Call call("pimShiftElementsLeft");
    return neighbour(call, "shift_elements_left", src, 1, 0);
}
