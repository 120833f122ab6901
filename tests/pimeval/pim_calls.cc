// SPDX-License-Identifier: MIT
// Random calls of PIMeval's interface, each beside what it has to do to the arrays of the host.
#include "tests/pimeval/pim_objects.h"

#include <cinttypes>
#include <cstring>

using namespace model;

namespace drawn {

namespace {

typedef PimStatus Binary(PimObjId, PimObjId, PimObjId);
typedef PimStatus Scalar(PimObjId, PimObjId, uint64_t);
const struct {
    const char *name;
    Binary *binary;
    Scalar *scalar;
} ops[OPS] = {
    {"Add", pimAdd, pimAddScalar}, {"Sub", pimSub, pimSubScalar},    {"Mul", pimMul, pimMulScalar},
    {"Div", pimDiv, pimDivScalar}, {"And", pimAnd, pimAndScalar},    {"Or", pimOr, pimOrScalar},
    {"Xor", pimXor, pimXorScalar}, {"Xnor", pimXnor, pimXnorScalar}, {"Min", pimMin, pimMinScalar},
    {"Max", pimMax, pimMaxScalar}, {"GT", pimGT, pimGTScalar},       {"LT", pimLT, pimLTScalar},
    {"EQ", pimEQ, pimEQScalar},    {"NE", pimNE, pimNEScalar}};

PimDataType result_type(Op op, PimDataType type) {
    return op >= GT ? PIM_BOOL : type;
}

void call_binary() {
    const Op op = static_cast<Op>(below(OPS));
    const Object &a = any();
    const bool mixed = op <= SUB && !below(3);
    const Object &b = beside_of(a, mixed ? PIM_BOOL : a.values.type);
    Object &dest = mixed && op == ADD ? beside(a) : beside_of(a, result_type(op, a.values.type));
    const bool well = a.group == b.group && a.group == dest.group &&
                      takes(op, a.values.type, b.values.type, dest.values.type);
    status_is(ops[op].name, ops[op].binary(a.id, b.id, dest.id), well);
    if (!well)
        return;
    Values v = value_of(dest);
    binary(op, value_of(a), value_of(b), v);
    assign(dest, v);
}

void call_scalar() {
    const Op op = static_cast<Op>(below(OPS));
    const Object &a = any();
    Object &dest = beside_of(a, result_type(op, a.values.type));
    const uint64_t value = scalar_for(a.values.type);
    const bool well = a.group == dest.group && takes_scalar(op, a.values.type, dest.values.type);
    status_is(ops[op].name, ops[op].scalar(a.id, dest.id, value), well);
    if (!well)
        return;
    Values v = value_of(dest);
    scalar(op, value_of(a), value, v);
    assign(dest, v);
}

void call_scaled() {
    const Object &a = any();
    const PimDataType type = a.values.type;
    const Object &b = beside_of(a, type);
    Object &dest = beside_of(a, type);
    const uint64_t value = scalar_for(type);
    const bool well = a.group == b.group && a.group == dest.group &&
                      takes(MUL, type, b.values.type, dest.values.type);
    status_is("ScaledAdd", pimScaledAdd(a.id, b.id, dest.id, value), well);
    if (!well)
        return;
    Values product = value_of(dest), v = product;
    scalar(MUL, value_of(a), value, product);
    binary(ADD, product, value_of(b), v);
    assign(dest, v);
}

void call_unary() {
    static PimStatus (*const calls[UNARIES])(PimObjId, PimObjId) = {pimAbs, pimNot, pimPopCount,
                                                                    pimPrefixSum, pimConvertType};
    const Unary op = static_cast<Unary>(below(UNARIES));
    Object &a = any();
    Object &dest =
        op == CONVERT || (op == PREFIX_SUM && below(2)) ? beside(a) : beside_of(a, a.values.type);
    const bool well = a.group == dest.group && takes_unary(op, a.values.type, dest.values.type);
    if (well && op == PREFIX_SUM && type_of(a.values.type).real)
        fill_whole(a);
    status_is("unary", calls[op](a.id, dest.id), well);
    if (!well)
        return;
    Values v = value_of(dest);
    unary(op, value_of(a), v);
    assign(dest, v);
}

void call_shift() {
    const Object &a = any();
    Object &dest = beside_of(a, a.values.type);
    const bool right = below(2);
    const unsigned amount = static_cast<unsigned>(below(4) ? below(70) : draw());
    const bool well =
        a.group == dest.group && a.values.type == dest.values.type && a.values.type != PIM_BOOL;
    status_is("shift", (right ? pimShiftBitsRight : pimShiftBitsLeft)(a.id, dest.id, amount), well);
    if (!well)
        return;
    Values v = value_of(dest);
    shift(right, value_of(a), amount, v);
    assign(dest, v);
}

void call_slice() {
    const bool in = below(2);
    Object &number = any(), &truth = beside_of(number, PIM_BOOL);
    const unsigned bit = static_cast<unsigned>(below(type_of(number.values.type).bits + 1));
    const bool well = number.group == truth.group && truth.values.type == PIM_BOOL &&
                      bit < type_of(number.values.type).bits;
    status_is("slice",
              in ? pimBitSliceInsert(truth.id, number.id, bit)
                 : pimBitSliceExtract(number.id, truth.id, bit),
              well);
    if (!well)
        return;
    Values v = value_of(in ? number : truth);
    const Values from = value_of(in ? truth : number);
    for (size_t i = 0; i < v.bits.size(); i++)
        v.bits[i] = in ? (v.bits[i] & ~(uint64_t(1) << bit)) | from.bits[i] << bit
                       : from.bits[i] >> bit & 1;
    assign(in ? number : truth, v);
}

void call_condition() {
    const unsigned what = static_cast<unsigned>(below(4));
    Object &dest = any();
    const PimDataType type = dest.values.type;
    const Object &cond = beside_of(dest, PIM_BOOL), &a = beside_of(dest, type),
                 &b = beside_of(dest, type);
    const uint64_t bits = draw();
    bool well = cond.group == dest.group && cond.values.type == PIM_BOOL;
    well &= what == 1 || (a.group == dest.group && a.values.type == type);
    well &= what != 2 || (b.group == dest.group && b.values.type == type);
    status_is("condition",
              what == 0   ? pimCondCopy(cond.id, a.id, dest.id)
              : what == 1 ? pimCondBroadcast(cond.id, bits, dest.id)
              : what == 2 ? pimCondSelect(cond.id, a.id, b.id, dest.id)
                          : pimCondSelectScalar(cond.id, a.id, bits, dest.id),
              well);
    if (!well)
        return;
    const uint64_t one = type == PIM_BOOL ? (bits & 0xff) != 0 : cut(type, bits);
    Values v = value_of(dest);
    const Values truth = value_of(cond), yes = value_of(a), no = value_of(b);
    for (size_t i = 0; i < v.bits.size(); i++) {
        const uint64_t where[][2] = {{v.bits[i], yes.bits[i]},
                                     {v.bits[i], one},
                                     {what == 2 ? no.bits[i] : 0, what == 2 ? yes.bits[i] : 0},
                                     {one, what == 3 ? yes.bits[i] : 0}};
        v.bits[i] = where[what][truth.bits[i]];
    }
    assign(dest, v);
}

void call_broadcast() {
    Object &o = any();
    const PimDataType type = o.values.type;
    uint64_t bits = draw();
    if (below(3) == 0) {
        bits = element(PIM_FP32);
        status_is("BroadcastFP", pimBroadcastFP(o.id, real(bits)), true);
    } else if (below(2)) {
        int64_t value;
        std::memcpy(&value, &bits, sizeof value);
        status_is("BroadcastInt", pimBroadcastInt(o.id, value), true);
    } else {
        status_is("BroadcastUInt", pimBroadcastUInt(o.id, bits), true);
    }
    Values v = value_of(o);
    for (uint64_t &b : v.bits)
        b = type == PIM_BOOL ? (bits & 0xff) != 0 : cut(type, bits);
    assign(o, v);
}

void call_neighbours() {
    static PimStatus (*const calls[4])(PimObjId) = {pimShiftElementsRight, pimShiftElementsLeft,
                                                    pimRotateElementsRight, pimRotateElementsLeft};
    const unsigned what = static_cast<unsigned>(below(4));
    Object &o = any();
    status_is("neighbours", calls[what](o.id), true);
    const Values from = value_of(o);
    Values v = from;
    const size_t n = v.bits.size();
    for (size_t i = 0; i < n; i++) {
        const size_t source = (what & 1 ? i + 1 : i + n - 1) % n;
        const bool out = what & 1 ? i + 1 == n : i == 0;
        v.bits[i] = what < 2 && out ? 0 : from.bits[source];
    }
    assign(o, v);
}

void call_reduce() {
    static PimStatus (*const calls[3])(PimObjId, void *, uint64_t,
                                       uint64_t) = {pimRedSum, pimRedMin, pimRedMax};
    const unsigned what = static_cast<unsigned>(below(3));
    Object &o = any();
    const PimDataType type = o.values.type;
    if (type_of(type).real) // in which order, and what is no number, may differ
        fill_whole(o);
    const Values v = value_of(o);
    const uint64_t n = v.bits.size(), begin = below(3) ? 0 : below(n + 2);
    const uint64_t end = below(3) ? 0 : below(n + 3);
    const uint64_t last = !end || end > n ? n : end;
    const bool well = begin <= last && (!what || type != PIM_BOOL);
    const uint64_t before = what || type_of(type).real ? element(type) : draw();
    uint64_t got = before, want = before;
    if (!what && type_of(type).real)
        got = want = bits_of(static_cast<float>(below(50)));
    status_is("reduction", calls[what](o.id, &got, begin, end), well);
    if (well && what)
        reduce_extreme(what == 2, v, begin, last, &want);
    else if (well)
        reduce_sum(v, begin, last, &want);
    // Zeros of both signs are one extreme.
    if (got != want && !(type_of(type).real && real(got) == real(want)))
        wrong("reduction of %s: %016" PRIx64 ", not %016" PRIx64, type_of(type).name, got, want);
}

void call_copy() {
    const bool whole = below(2);
    const Object &from = any();
    Object &to = beside_of(from, from.values.type);
    const uint64_t n = from.values.bits.size();
    const bool associated = from.group == to.group;
    if (whole) {
        const bool well = associated && from.values.type == to.values.type;
        status_is("ObjectToObject", pimCopyObjectToObject(from.id, to.id), well);
        if (well)
            assign(to, value_of(from));
        return;
    }
    const uint64_t begin = below(n + 1), end = begin + below(n - begin + 2);
    const bool well = associated && end <= n && (end || !begin) &&
                      type_of(from.values.type).bytes == type_of(to.values.type).bytes;
    status_is("DeviceToDevice", pimCopyDeviceToDevice(from.id, to.id, begin, end), well);
    if (!well)
        return;
    const Values source = value_of(from);
    Values v = value_of(to);
    for (uint64_t i = begin; i < (end ? end : n); i++)
        v.bits[i] = to.values.type == PIM_BOOL ? source.bits[i] != 0 : source.bits[i];
    assign(to, v);
}

void call_table() {
    const Object &a = any();
    Object &dest = beside_of(a, a.values.type);
    std::vector<uint8_t> lut(below(8) ? 256 : 255);
    for (uint8_t &entry : lut)
        entry = static_cast<uint8_t>(draw());
    const bool well = a.group == dest.group && a.values.type == PIM_UINT8 &&
                      dest.values.type == PIM_UINT8 && lut.size() == 256;
    status_is("Sbox", (below(2) ? pimAesSbox : pimAesInverseSbox)(a.id, dest.id, lut), well);
    if (!well)
        return;
    Values v = value_of(a);
    for (uint64_t &bits : v.bits)
        bits = lut[bits];
    assign(dest, v);
}

void call_check() {
    const Object &o = any();
    const uint64_t n = o.values.bits.size(), begin = below(n), end = begin + 1 + below(n - begin);
    check(o, begin, begin || below(2) ? end : 0);
}

// One object goes, one of the same group comes; what shows it goes with it.
void call_again() {
    const size_t at = below(objects.size());
    Object &o = objects[at];
    for (const Object &view : objects)
        if (view.original == static_cast<int>(at))
            return;
    for (const Object &other : objects) {
        if (&other == &o || other.group != o.group || other.original >= 0)
            continue;
        status_is("Free", pimFree(o.id), true);
        const bool view = !below(4);
        o.id =
            view ? pimCreateDualContactRef(other.id) : pimAllocAssociated(other.id, o.values.type);
        o.original = view ? static_cast<int>(&other - objects.data()) : -1;
        o.values.type = view ? other.values.type : o.values.type;
        o.values.bits.assign(o.values.bits.size(), 0);
        if (o.id < 0)
            wrong("%s: %" PRIu64 " %" PRIu64, "no object", 0, 0);
        return;
    }
}

} // namespace

void call_something() {
    static void (*const calls[])() = {
        call_binary, call_binary, call_scalar,    call_scalar,    call_unary,      call_unary,
        call_shift,  call_slice,  call_condition, call_broadcast, call_neighbours, call_reduce,
        call_copy,   call_table,  call_check,     call_again,     call_scaled};
    // Soon enough: what comes later may write over it.
    if (written && below(4) == 0)
        check(*written, 0, 0);
    if (below(6) == 0)
        fill(any());
    else
        calls[below(sizeof calls / sizeof *calls)]();
}

} // namespace drawn
