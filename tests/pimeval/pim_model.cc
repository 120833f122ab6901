// SPDX-License-Identifier: MIT
// What PIMeval's calls compute (pim_model.h).
#include "tests/pimeval/pim_model.h"

#include <cmath>
#include <cstring>

namespace model {

namespace {

const Type types[] = {
    {"bool", 1, 1, false, false},    {"int8", 8, 1, true, false},
    {"int16", 16, 2, true, false},   {"int32", 32, 4, true, false},
    {"int64", 64, 8, true, false},   {"uint8", 8, 1, false, false},
    {"uint16", 16, 2, false, false}, {"uint32", 32, 4, false, false},
    {"uint64", 64, 8, false, false}, {"fp32", 32, 4, false, true},
    {"fp16", 32, 4, false, true},    {"bf16", 32, 4, false, true},
    {"fp8", 32, 4, false, true},
};

int64_t as_signed(uint64_t bits) {
    int64_t value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

bool compares(Op op) {
    return op == GT || op == LT || op == EQ || op == NE;
}

bool bitwise(Op op) {
    return op == AND || op == OR || op == XOR || op == XNOR;
}

template <class T> uint64_t compared(Op op, T a, T b) {
    return op == GT ? a > b : op == LT ? a < b : op == EQ ? a == b : a != b;
}

uint64_t divided(bool sign, uint64_t a, uint64_t b) {
    if (!sign)
        return a / b;
    if (as_signed(b) == -1) // also of the least
        return uint64_t(0) - a;
    return static_cast<uint64_t>(as_signed(a) / as_signed(b));
}

// Numbers of 64 bits, with a sign or without; b is not 0 where it divides.
uint64_t whole(Op op, bool sign, uint64_t a, uint64_t b) {
    const bool less = sign ? as_signed(a) < as_signed(b) : a < b;
    switch (op) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case DIV:
        return divided(sign, a, b);
    case AND:
        return a & b;
    case OR:
        return a | b;
    case XOR:
        return a ^ b;
    case XNOR:
        return ~(a ^ b);
    case MIN:
        return less ? a : b;
    case MAX:
        return less ? b : a;
    default:
        return sign ? compared(op, as_signed(a), as_signed(b)) : compared(op, a, b);
    }
}

uint64_t of_reals(Op op, float a, float b) {
    switch (op) {
    case ADD:
        return bits_of(a + b);
    case SUB:
        return bits_of(a - b);
    case MUL:
        return bits_of(a * b);
    case DIV:
        return bits_of(a / b);
    case MIN:
        return bits_of(a < b ? a : b);
    case MAX:
        return bits_of(a > b ? a : b);
    default:
        return compared(op, a, b);
    }
}

bool is_zero(PimDataType type, uint64_t bits) {
    return types[type].real ? real(bits) == 0 : !bits;
}

} // namespace

const Type &type_of(PimDataType type) {
    return types[type];
}

uint64_t cut(PimDataType type, uint64_t value) {
    const unsigned bits = types[type].bits;
    return bits == 64 ? value : value & ((uint64_t(1) << bits) - 1);
}

uint64_t wide(PimDataType type, uint64_t bits) {
    const unsigned width = types[type].bits;
    if (types[type].sign && width < 64 && bits >> (width - 1) & 1)
        return bits | ~uint64_t(0) << width;
    return bits;
}

float real(uint64_t bits) {
    const uint32_t low = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &low, sizeof value);
    return value;
}

uint64_t bits_of(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

bool takes(Op op, PimDataType a, PimDataType b, PimDataType dest) {
    if (compares(op))
        return a == b && a != PIM_BOOL && dest == PIM_BOOL;
    const bool reals = types[a].real || types[dest].real;
    if (b == PIM_BOOL && op == ADD)
        return !reals;
    if (b == PIM_BOOL && op == SUB)
        return !reals && a == dest && a != PIM_BOOL;
    return a == b && a == dest && (bitwise(op) || a != PIM_BOOL);
}

bool takes_scalar(Op op, PimDataType a, PimDataType dest) {
    return a != PIM_BOOL && (compares(op) ? dest == PIM_BOOL : a == dest);
}

void binary(Op op, const Values &a, const Values &b, Values &dest) {
    if (types[a.type].real && bitwise(op))
        return;
    for (size_t i = 0; i < a.bits.size(); i++) {
        if (op == DIV && is_zero(b.type, b.bits[i]))
            continue;
        const uint64_t value =
            types[a.type].real
                ? of_reals(op, real(a.bits[i]), real(b.bits[i]))
                : whole(op, types[a.type].sign, wide(a.type, a.bits[i]), wide(b.type, b.bits[i]));
        // A BOOL keeps the low byte's truth.
        dest.bits[i] =
            dest.type == PIM_BOOL && op != XNOR ? (value & 0xff) != 0 : cut(dest.type, value);
    }
}

void scalar(Op op, const Values &a, uint64_t value, Values &dest) {
    if (types[a.type].real && (bitwise(op) || (op == DIV && real(value) == 0)))
        return;
    if (op == DIV && !value)
        return;
    for (size_t i = 0; i < a.bits.size(); i++) {
        if (!types[a.type].real) {
            dest.bits[i] =
                cut(dest.type, whole(op, types[a.type].sign, wide(a.type, a.bits[i]), value));
            continue;
        }
        // The scalar comes in if it is better: that is how what is no number decides.
        const float x = real(a.bits[i]), s = real(value);
        dest.bits[i] = op == MIN   ? bits_of(s < x ? s : x)
                       : op == MAX ? bits_of(s > x ? s : x)
                                   : of_reals(op, x, s);
    }
}

bool divides_by_zero(const Values &b) {
    for (uint64_t bits : b.bits)
        if (is_zero(b.type, bits))
            return true;
    return false;
}

bool takes_unary(Unary op, PimDataType a, PimDataType dest) {
    const bool reals = types[a].real || types[dest].real;
    switch (op) {
    case CONVERT:
        return !reals;
    case PREFIX_SUM:
        return types[a].real == types[dest].real && dest != PIM_BOOL;
    case NOT:
        return a == dest && !reals;
    default:
        return a == dest && a != PIM_BOOL;
    }
}

namespace {

uint64_t ones(uint64_t bits) {
    uint64_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

uint64_t absolute(PimDataType type, uint64_t bits) {
    if (types[type].real)
        return bits & 0x7fffffff;
    const uint64_t value = wide(type, bits);
    return cut(type, types[type].sign && as_signed(value) < 0 ? uint64_t(0) - value : value);
}

} // namespace

void unary(Unary op, const Values &a, Values &dest) {
    const PimDataType type = a.type;
    const std::vector<uint64_t> from = a.bits; // dest may be a
    if (op == POPCOUNT && types[type].real)
        return;
    uint64_t sum = 0;
    float real_sum = 0;
    for (size_t i = 0; i < from.size(); i++) {
        const uint64_t x = from[i];
        sum += wide(type, x);
        real_sum = i ? real_sum + real(x) : real(x);
        switch (op) {
        case ABS:
            dest.bits[i] = absolute(type, x);
            break;
        case NOT:
            dest.bits[i] = cut(type, ~x);
            break;
        case POPCOUNT:
            dest.bits[i] = ones(x);
            break;
        case PREFIX_SUM:
            dest.bits[i] = types[type].real ? bits_of(real_sum) : cut(dest.type, sum);
            break;
        default:
            dest.bits[i] = dest.type == PIM_BOOL ? (x & 0xff) != 0 : cut(dest.type, wide(type, x));
        }
    }
}

void shift(bool right, const Values &a, unsigned amount, Values &dest) {
    const Type &type = types[a.type];
    if (type.real)
        return;
    for (size_t i = 0; i < a.bits.size(); i++) {
        const uint64_t value = wide(a.type, a.bits[i]);
        const bool negative = type.sign && as_signed(value) < 0;
        uint64_t moved = right && negative ? ~uint64_t(0) : 0;
        if (amount < type.bits && right)
            moved = negative ? ~(~value >> amount) : value >> amount;
        else if (amount < type.bits)
            moved = value << amount;
        dest.bits[i] = cut(a.type, moved);
    }
}

void reduce_sum(const Values &a, uint64_t begin, uint64_t end, uint64_t *result) {
    if (types[a.type].real) {
        float sum = 0;
        for (uint64_t i = begin; i < end; i++)
            sum += real(a.bits[i]);
        *result = (*result & ~uint64_t(0xffffffff)) | bits_of(real(*result) + sum);
        return;
    }
    for (uint64_t i = begin; i < end; i++)
        *result += wide(a.type, a.bits[i]);
}

// Of *result the low bits are an element.
void reduce_extreme(bool largest, const Values &a, uint64_t begin, uint64_t end, uint64_t *result) {
    const uint64_t low = cut(a.type, *result);
    uint64_t best = low;
    for (uint64_t i = begin; i < end; i++)
        best = types[a.type].real ? of_reals(largest ? MAX : MIN, real(best), real(a.bits[i]))
                                  : cut(a.type, whole(largest ? MAX : MIN, types[a.type].sign,
                                                      wide(a.type, best), wide(a.type, a.bits[i])));
    *result = *result - low + best;
}

bool same(PimDataType type, uint64_t one, uint64_t other) {
    return one == other || (types[type].real && std::isnan(real(one)) && std::isnan(real(other)));
}

} // namespace model
