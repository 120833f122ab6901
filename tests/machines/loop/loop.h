/* SPDX-License-Identifier: MIT
 * A toy form of kernels that every machine can carry out which likes to: a loop over elements.
 *
 *     for i < n
 *         t = x[i] + a      # numbers of 64 bits
 *         y[i] = t << 2
 *
 * The body is carried out for each i from 0 to n - 1, in an order that the text does not settle.
 * A statement has one operation, + - & | ^ << >> (with zeros) or < (of unsigned numbers), or none;
 * operands are numbers, parameters, i, names that the body assigns (0 before), and elements of
 * buffers of 8 bytes. */
#ifndef LOOP_H
#define LOOP_H

#include "portable/portable.h"
#include "support/vec.h"

enum loop_operand_kind {
    LOOP_NONE,
    LOOP_NUMBER,
    LOOP_VALUE,  /* of a slot */
    LOOP_ELEMENT /* of the buffer whose address a slot has, at `index` or, without, at the slot */
};
enum { LOOP_I, LOOP_PARAMETERS, LOOP_SLOTS = 64, LOOP_NO_SLOT = LOOP_SLOTS };
struct loop_operand {
    enum loop_operand_kind kind;
    uint32_t slot;       /* 0: i; then parameters, then names */
    uint32_t index_slot; /* LOOP_NO_SLOT: at the number */
    int64_t number;
};
struct loop_statement {
    struct loop_operand to, left, right; /* `to` is a value or an element */
    char op[3];                          /* "+", "<<"; "": none */
    uint32_t line;
};
struct portable_kernel {
    struct loop_operand bound; /* a number or a value */
    uint32_t bound_line;
    VEC(struct loop_statement) body;
    uint32_t slots, parameters;
    uint32_t offsets[LOOP_SLOTS], bytes[LOOP_SLOTS]; /* [parameters] */
    bool is_signed[LOOP_SLOTS];
};

extern const struct portable_form loop_form;
struct portable_kernel *loop_read(const struct kernel_decl *decl, struct portable_fault *fault);
void loop_free(struct portable_kernel *kernel);

#endif
