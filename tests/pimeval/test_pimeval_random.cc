// SPDX-License-Identifier: MIT
// Random calls of PIMeval's interface, beside the same on arrays of the host (pim_model.h): all
// types, layouts, lengths, ranges, scalars on both sides of the type, views with inverted bits,
// operands that are one object, and calls that are refused, which write nothing.
// test_pimeval_random SEED COUNT TARGET: one run.
#include "tests/draws.h"
#include "tests/pimeval/pim_model.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>

#if defined(MPU_SANITIZED) && defined(__SANITIZE_ADDRESS__)
extern "C" void __lsan_do_leak_check(void);
#endif

using namespace model;

namespace {

uint64_t state;
uint64_t draw() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
uint64_t below(uint64_t bound) {
    return draw() >> 11 ? (draw() >> 11) % bound : 0;
}

struct Object {
    PimObjId id;
    unsigned group;
    int original; // of a view: where in `objects` what it shows is; else -1
    Values values;
};

std::vector<Object> objects;
std::string trouble;
unsigned long step;

void wrong(const char *format, const char *what, uint64_t got, uint64_t want) {
    char line[256];
    std::snprintf(line, sizeof line, format, what, got, want);
    if (trouble.empty())
        trouble = "call " + std::to_string(step) + ": " + line;
}

void status_is(const char *call, PimStatus got, bool well) {
    if ((got == PIM_OK) != well)
        wrong("%s: status %" PRIu64 ", not %" PRIu64, call, got, well);
}

// Values at the ends of the type, small ones, and any.
uint64_t element(PimDataType type) {
    const Type &t = type_of(type);
    if (t.real) {
        const float values[] = {0.0f, -0.0f, 1.0f, -1.5f, 3.25e10f, -7e-12f};
        return below(3) ? bits_of(static_cast<float>(static_cast<int64_t>(below(4001)) - 2000) / 8)
                        : bits_of(values[below(6)]);
    }
    switch (below(5)) {
    case 0:
        return cut(type, below(4));
    case 1:
        return cut(type, uint64_t(0) - below(4));
    case 2:
        return cut(type, (uint64_t(1) << (t.bits - 1)) + below(3) - 1);
    default:
        return cut(type, draw());
    }
}

// Of all 64 bits: numbers of the type, beside it, and those that a C++ int becomes.
uint64_t scalar_for(PimDataType type) {
    const Type &t = type_of(type);
    if (t.real)
        return element(type) | (below(2) ? draw() << 32 : 0);
    const uint64_t end = uint64_t(1) << (t.bits - 1);
    switch (below(7)) {
    case 0:
        return wide(type, element(type));
    case 1:
        return end + below(3) - 1;
    case 2:
        return uint64_t(0) - end + below(3) - 1;
    case 3:
        return 2 * end + below(3) - 1;
    case 4:
        return uint64_t(0) - below(3);
    case 5:
        return below(3);
    default:
        return draw();
    }
}

uint64_t seen(const Object &o, size_t i) {
    return o.original < 0 ? o.values.bits[i]
                          : cut(o.values.type, ~objects[o.original].values.bits[i]);
}

Values value_of(const Object &o) {
    Values v = o.values;
    for (size_t i = 0; i < v.bits.size(); i++)
        v.bits[i] = seen(o, i);
    return v;
}

void assign(Object &o, const Values &v) {
    Object &at = o.original < 0 ? o : objects[o.original];
    for (size_t i = 0; i < v.bits.size(); i++)
        at.values.bits[i] = o.original < 0 ? v.bits[i] : cut(v.type, ~v.bits[i]);
}

Object &any() {
    return objects[below(objects.size())];
}

// Mostly one that is associated.
Object &beside(const Object &o) {
    for (unsigned tries = 0; tries < 20; tries++) {
        Object &other = any();
        if (other.group == o.group)
            return other;
    }
    return any();
}

// Mostly one of that type, so that most calls work.
Object &beside_of(const Object &o, PimDataType type) {
    for (unsigned tries = 0; tries < 60; tries++) {
        Object &other = beside(o);
        if (other.values.type == type)
            return other;
    }
    return beside(o);
}

struct Bytes {
    std::vector<uint8_t> data;
    Bytes(PimDataType type, uint64_t count) : data(count * type_of(type).bytes + 1) {}
};

void put_bytes(const Values &v, uint64_t begin, uint64_t end, Bytes &to) {
    const unsigned bytes = type_of(v.type).bytes;
    for (uint64_t i = begin; i < end; i++) {
        // A BOOL is true by any bit.
        const uint64_t bits = v.type == PIM_BOOL && v.bits[i] ? uint64_t(1) << below(8) : v.bits[i];
        std::memcpy(&to.data[(i - begin) * bytes], &bits, bytes);
    }
}

void fill(Object &o) {
    Values v = value_of(o);
    const uint64_t n = v.bits.size();
    uint64_t begin = 0, end = 0;
    if (below(2)) {
        begin = below(n + 1);
        end = begin + below(n - begin + 1);
        begin = end ? begin : 0;
    }
    const uint64_t last = end ? end : n;
    Bytes bytes(v.type, last - begin);
    for (uint64_t i = begin; i < last; i++)
        v.bits[i] = element(v.type);
    put_bytes(v, begin, last, bytes);
    status_is("HostToDevice", pimCopyHostToDevice(bytes.data.data(), o.id, begin, end), true);
    assign(o, v);
}

// Integers that any order of additions gives the same sum of.
void fill_whole(Object &o) {
    Values v = value_of(o);
    Bytes bytes(v.type, v.bits.size());
    for (uint64_t &bits : v.bits)
        bits = bits_of(static_cast<float>(below(200)) - 100);
    put_bytes(v, 0, v.bits.size(), bytes);
    status_is("HostToDevice", pimCopyHostToDevice(bytes.data.data(), o.id), true);
    assign(o, v);
}

void check(const Object &o, uint64_t begin, uint64_t end) {
    const PimDataType type = o.values.type;
    const unsigned size = type_of(type).bytes;
    const uint64_t last = end ? end : o.values.bits.size();
    Bytes bytes(type, last - begin);
    status_is("DeviceToHost", pimCopyDeviceToHost(o.id, bytes.data.data(), begin, end), true);
    for (uint64_t i = begin; i < last; i++) {
        uint64_t got = 0;
        std::memcpy(&got, &bytes.data[(i - begin) * size], size);
        if (!same(type, got, seen(o, i)))
            wrong("%s: %016" PRIx64 ", not %016" PRIx64, type_of(type).name, got, seen(o, i));
    }
}

// ---- calls ----

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
    if (!what && type_of(type).real)
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

// In rows a type wider than its neighbour's has no room on most devices: there they are columns.
void make_objects(bool rows) {
    static const uint64_t lengths[] = {1, 7, 65, 300};
    objects.clear();
    for (unsigned group = 0; group < 4; group++) {
        PimObjId first = -1;
        for (unsigned type = PIM_BOOL; type <= PIM_FP8; type++)
            for (unsigned twice = 0; twice < 2; twice++) {
                const PimDataType t = static_cast<PimDataType>(type);
                const PimAllocEnum layout = static_cast<PimAllocEnum>(below(rows ? 3 : 2));
                const PimObjId id =
                    first < 0 ? pimAlloc(layout, lengths[group], t) : pimAllocAssociated(first, t);
                if (id < 0)
                    wrong("%s: %" PRIu64 " %" PRIu64, "no object", group, type);
                first = first < 0 ? id : first;
                objects.push_back({id, group, -1, {t, std::vector<uint64_t>(lengths[group])}});
            }
    }
}

bool run(uint64_t seed, unsigned long count, const char *target) {
    static void (*const calls[])() = {
        call_binary, call_binary, call_scalar,    call_scalar,    call_unary,      call_unary,
        call_shift,  call_slice,  call_condition, call_broadcast, call_neighbours, call_reduce,
        call_copy,   call_table,  call_check,     call_again,     call_scaled};
    state = seed * 0x9e3779b97f4a7c15u + 1;
    trouble.clear();
    setenv("MPU_TARGET", target, 1);
    const bool rows = below(2);
    if (pimCreateDevice(rows ? PIM_DEVICE_BANK_LEVEL : PIM_FUNCTIONAL, 1, 2, 4, 1024, 8192) !=
        PIM_OK)
        return false;
    make_objects(rows);
    for (step = 0; step < count && trouble.empty(); step++) {
        if (below(6) == 0)
            fill(any());
        else
            calls[below(sizeof calls / sizeof *calls)]();
    }
    for (const Object &o : objects)
        check(o, 0, 0);
    status_is("DeleteDevice", pimDeleteDevice(), true);
    if (!trouble.empty())
        std::fprintf(stderr, "%s, seed %" PRIu64 ": %s\n", target, seed, trouble.c_str());
    return trouble.empty();
}

} // namespace

int main(int argc, char **argv) {
    static const char *const targets[] = {"racer", "mimdram", "duality-cache", "pypim"};
    bool well = true;
    if (argc == 4)
        well = run(std::strtoull(argv[1], nullptr, 0), std::strtoul(argv[2], nullptr, 0), argv[3]);
    for (unsigned i = 0; argc != 4 && i < sizeof targets / sizeof *targets; i++)
        well &= run(i + 1, draws(DRAWS_PIMEVAL_CALLS), targets[i]);
    std::fflush(stdout);
#if defined(MPU_SANITIZED) && defined(__SANITIZE_ADDRESS__)
    __lsan_do_leak_check();
#endif
    std::_Exit(!well); // calls were refused, so that returning would be a failure
}
