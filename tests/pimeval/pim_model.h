/* SPDX-License-Identifier: MIT
 * What PIMeval's calls compute, on arrays of the host: integers are widened to 64 bits by the sign
 * of the first operand's type, computed, and cut; a BOOL is a bit; floats are floats.  Written
 * after the description of the calls, apart from the library. */
#ifndef TESTS_PIMEVAL_PIM_MODEL_H
#define TESTS_PIMEVAL_PIM_MODEL_H

#include <mpu/pimeval/libpimeval.h>

#include <cstdint>
#include <vector>

namespace model {

struct Type {
    const char *name;
    unsigned bits, bytes;
    bool sign, real;
};
const Type &type_of(PimDataType type);

/* Patterns, with zeros above the type's bits. */
struct Values {
    PimDataType type;
    std::vector<uint64_t> bits;
};

enum Op { ADD, SUB, MUL, DIV, AND, OR, XOR, XNOR, MIN, MAX, GT, LT, EQ, NE, OPS };

uint64_t cut(PimDataType type, uint64_t value);
/* The element as a number of 64 bits. */
uint64_t wide(PimDataType type, uint64_t bits);
float real(uint64_t bits);
uint64_t bits_of(float value);

/* Whether the types are such that the call works. */
bool takes(Op op, PimDataType a, PimDataType b, PimDataType dest);
bool takes_scalar(Op op, PimDataType a, PimDataType dest);
/* dest[i] = a[i] op b[i]; a division by 0 leaves it as it is. */
void binary(Op op, const Values &a, const Values &b, Values &dest);
/* The scalar is a number of 64 bits, or the bits of a float. */
void scalar(Op op, const Values &a, uint64_t value, Values &dest);
bool divides_by_zero(const Values &b);

enum Unary { ABS, NOT, POPCOUNT, PREFIX_SUM, CONVERT, UNARIES };
bool takes_unary(Unary op, PimDataType a, PimDataType dest);
void unary(Unary op, const Values &a, Values &dest);
void shift(bool right, const Values &a, unsigned amount, Values &dest);

/* What a reduction leaves in eight bytes of *result. */
void reduce_sum(const Values &a, uint64_t begin, uint64_t end, uint64_t *result);
void reduce_extreme(bool largest, const Values &a, uint64_t begin, uint64_t end, uint64_t *result);

/* Equal bits, or both no numbers. */
bool same(PimDataType type, uint64_t one, uint64_t other);

} // namespace model

#endif
