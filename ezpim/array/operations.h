/* SPDX-License-Identifier: MIT
 * The operations element by element: one table for kernels, vectors on devices and the public
 * header.  Operands have one type, and so has the result, where nothing else is said. */
#ifndef EZPIM_ARRAY_OPERATIONS_H
#define EZPIM_ARRAY_OPERATIONS_H

#include "object/object.h"

/* Kinds of types that an operation takes. */
enum array_kind {
    ARRAY_KIND_BOOL = 1,
    ARRAY_KIND_INT = 2,
    ARRAY_KIND_FLOAT = 4,
    ARRAY_KIND_ANY = 7,
    /* Beside ARRAY_KIND_FLOAT: a function of the library (ezpim/lib/float.ez), which has no f64. */
    ARRAY_KIND_LIBRARY = 8
};

/* X(ID, "name", operands, kinds as letters, type of the result): letters as in mpu/mpu.h, whose
 * numbers these have, in its order; new ones go to the end.  `b`, `i`, `f` are bool, integers,
 * floating point; `l` floating point of at most 32 bits, by the subroutine of ezpim/lib/float.ez
 * that is called like the type and the operation.
 *
 * Where NumPy's cases are not those of the instructions there are two operations:
 *   FLOORDIV FLOORMOD REM  by 0 as the instructions have it (all bits 1; the dividend)
 *   FLOOR_DIVIDE REMAINDER FMOD  NumPy's: by 0 they give 0
 *   DIV TRUNC_DIVIDE  integers toward zero: by 0 as the instruction has it; 0
 *   MIN MAX  of a number and what is none the number: NumPy's fmin and fmax
 *   MINIMUM MAXIMUM CLIP SIGN  what is not a number is handed on, as the one pattern ieee_nan
 *                        (SIGN: as it is)
 *   POW POWER            the exponent is a number of the program; it is data
 * ARGMIN and ARGMAX fold elements, and are no operations on each of them.
 * Shifts have one meaning, NumPy's and the ISA's: the count is read without a sign, and from the
 * width on everything is shifted out. */
#define ARRAY_PUBLIC_OPERATIONS(X)                                                                 \
    X(COPY, "copy", 1, BIF, SAME)                                                                  \
    X(ADD, "add", 2, IF, SAME)                                                                     \
    X(SUB, "sub", 2, IF, SAME)                                                                     \
    X(MUL, "mul", 2, IF, SAME)                                                                     \
    X(DIV, "div", 2, IF, SAME)                                                                     \
    X(REM, "rem", 2, I, SAME)                                                                      \
    X(FLOORDIV, "floordiv", 2, I, SAME)                                                            \
    X(FLOORMOD, "floormod", 2, I, SAME)                                                            \
    X(SHL, "shl", 2, I, SAME)                                                                      \
    X(SHR, "shr", 2, I, SAME)                                                                      \
    X(AND, "and", 2, BI, SAME)                                                                     \
    X(OR, "or", 2, BI, SAME)                                                                       \
    X(XOR, "xor", 2, BI, SAME)                                                                     \
    X(NOT, "not", 1, BI, SAME)                                                                     \
    X(NEG, "neg", 1, IF, SAME)                                                                     \
    X(ABS, "abs", 1, IF, SAME)                                                                     \
    X(MIN, "min", 2, BIF, SAME)                                                                    \
    X(MAX, "max", 2, BIF, SAME)                                                                    \
    X(EQ, "eq", 2, BIF, TRUTH)                                                                     \
    X(NE, "ne", 2, BIF, TRUTH)                                                                     \
    X(LT, "lt", 2, BIF, TRUTH)                                                                     \
    X(LE, "le", 2, BIF, TRUTH)                                                                     \
    X(GT, "gt", 2, BIF, TRUTH)                                                                     \
    X(GE, "ge", 2, BIF, TRUTH)                                                                     \
    X(SELECT, "select", 3, BIF, SAME)                                                              \
    X(CAST, "cast", 1, BIF, SAME)                                                                  \
    X(BITCAST, "bitcast", 1, BIF, SAME)                                                            \
    X(POPCOUNT, "popcount", 1, BI, SAME)                                                           \
    X(BIT, "bit", 2, BIF, TRUTH)                                                                   \
    X(SETBIT, "setbit", 3, BIF, SAME)                                                              \
    X(SQRT, "sqrt", 1, F, SAME)                                                                    \
    X(UNORDERED, "unordered", 2, F, TRUTH)                                                         \
    X(SIGNBIT, "signbit", 1, F, TRUTH)                                                             \
    X(ISZERO, "iszero", 1, F, TRUTH)                                                               \
    X(FLOOR, "floor", 1, F, SAME)                                                                  \
    X(CEIL, "ceil", 1, F, SAME)                                                                    \
    X(TRUNC, "trunc", 1, F, SAME)                                                                  \
    X(RINT, "rint", 1, F, SAME)                                                                    \
    X(SIGN, "sign", 1, IF, SAME)                                                                   \
    X(ISNAN, "isnan", 1, F, TRUTH)                                                                 \
    X(ISINF, "isinf", 1, F, TRUTH)                                                                 \
    X(ISFINITE, "isfinite", 1, F, TRUTH)                                                           \
    X(COPYSIGN, "copysign", 2, F, SAME)                                                            \
    X(MINIMUM, "minimum", 2, BIF, SAME)                                                            \
    X(MAXIMUM, "maximum", 2, BIF, SAME)                                                            \
    X(CLIP, "clip", 3, BIF, SAME)                                                                  \
    X(FLOOR_DIVIDE, "floor_divide", 2, I, SAME)                                                    \
    X(REMAINDER, "remainder", 2, I, SAME)                                                          \
    X(FMOD, "fmod", 2, I, SAME)                                                                    \
    X(POW, "pow", 2, IF, SAME)                                                                     \
    X(ARGMIN, "argmin", 1, NONE, SAME)                                                             \
    X(ARGMAX, "argmax", 1, NONE, SAME)                                                             \
    X(POWER, "power", 2, I, SAME)                                                                  \
    X(TRUNC_DIVIDE, "trunc_divide", 2, I, SAME)                                                    \
    X(EXP, "exp", 1, L, SAME)                                                                      \
    X(EXP2, "exp2", 1, L, SAME)                                                                    \
    X(LOG, "log", 1, L, SAME)                                                                      \
    X(LOG2, "log2", 1, L, SAME)                                                                    \
    X(LOG10, "log10", 1, L, SAME)                                                                  \
    X(SIGMOID, "sigmoid", 1, L, SAME)                                                              \
    X(SILU, "silu", 1, L, SAME)                                                                    \
    X(NDTR, "ndtr", 1, L, SAME)                                                                    \
    X(GELU, "gelu", 1, L, SAME)                                                                    \
    X(ERFC, "erfc", 1, L, SAME)                                                                    \
    X(TANH, "tanh", 1, L, SAME)                                                                    \
    X(ARCTAN, "arctan", 1, L, SAME)                                                                \
    X(ERF, "erf", 1, L, SAME)                                                                      \
    X(SIN, "sin", 1, L, SAME)                                                                      \
    X(COS, "cos", 1, L, SAME)                                                                      \
    X(TAN, "tan", 1, L, SAME)                                                                      \
    X(SINH, "sinh", 1, L, SAME)                                                                    \
    X(COSH, "cosh", 1, L, SAME)                                                                    \
    X(EXPM1, "expm1", 1, L, SAME)                                                                  \
    X(LOG1P, "log1p", 1, L, SAME)                                                                  \
    X(SOFTPLUS, "softplus", 1, L, SAME)                                                            \
    X(RECIPROCAL, "reciprocal", 1, L, SAME)                                                        \
    X(RSQRT, "rsqrt", 1, L, SAME)

/* Of floating point; not in the public header: an integer by which numbers are ordered (array_key
 * says how), and back. */
#define ARRAY_INNER_OPERATIONS(X)                                                                  \
    X(KEY, "key", 1, F, SAME)                                                                      \
    X(UNKEY, "unkey", 1, F, SAME)

enum array_op {
#define X(id, name, operands, kinds, result) ARRAY_OP_##id,
    ARRAY_PUBLIC_OPERATIONS(X)
#undef X
        ARRAY_PUBLIC_OPS,
    ARRAY_OP_BEFORE_INNER = ARRAY_PUBLIC_OPS - 1,
#define X(id, name, operands, kinds, result) ARRAY_OP_##id,
    ARRAY_INNER_OPERATIONS(X)
#undef X
        ARRAY_OPS
};

struct array_op_info {
    const char *name;
    uint8_t operands; /* numbers that programs are made for among them (array_op_number) */
    uint8_t kinds;    /* enum array_kind, a bit each: of the type that it is carried out at */
    bool gives_bool;
};
/* NULL: there is none of that number. */
const struct array_op_info *array_op_info(unsigned op);
/* The operand that is a number, not data: the bit of BIT and SETBIT, the exponent of POW; 0: none
 * (operand 0 never is). */
uint32_t array_op_number(enum array_op op);
/* The type of an operand of the operation at `type`; of CAST and BITCAST, whose operand says it
 * itself, `type`. */
struct lane_type array_op_operand(enum array_op op, struct lane_type type, uint32_t operand);
enum array_kind array_kind_of(struct lane_type type);
/* The operation has a meaning at that type. */
bool array_op_takes(enum array_op op, struct lane_type type);
/* It is a function of the library. */
bool array_op_is_function(enum array_op op);

#endif
