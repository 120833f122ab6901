/* SPDX-License-Identifier: MIT
 * Operators and calls of the syntax tree as the source has them, for messages and listings. */
#include "ezpim/ez/ast.h"

const char *ez_unary_text(enum unary_op op) {
    static const char *const text[] = {[UNARY_NEG] = "-", [UNARY_INVERT] = "~", [UNARY_NOT] = "!"};
    return text[op];
}

const char *ez_binary_text(enum binary_op op) {
    static const char *const text[] = {
        [BINARY_ADD] = "+",  [BINARY_SUB] = "-",  [BINARY_MUL] = "*",  [BINARY_DIV] = "/",
        [BINARY_REM] = "%",  [BINARY_SHL] = "<<", [BINARY_SHR] = ">>", [BINARY_AND] = "&",
        [BINARY_OR] = "|",   [BINARY_XOR] = "^",  [BINARY_EQ] = "==",  [BINARY_NE] = "!=",
        [BINARY_LT] = "<",   [BINARY_LE] = "<=",  [BINARY_GT] = ">",   [BINARY_GE] = ">=",
        [BINARY_ALL] = "&&", [BINARY_ANY] = "||"};
    return text[op];
}

bool ez_binary_compares(enum binary_op op) {
    return op >= BINARY_EQ && op <= BINARY_GE;
}

const char *ez_collective_text(enum collective_kind kind) {
    static const char *const text[] = {
        [COLLECTIVE_BROADCAST] = "broadcast", [COLLECTIVE_SCATTER] = "scatter",
        [COLLECTIVE_GATHER] = "gather",       [COLLECTIVE_ALLGATHER] = "allgather",
        [COLLECTIVE_ALLTOALL] = "alltoall",   [COLLECTIVE_TRANSPOSE] = "transpose",
        [COLLECTIVE_REDUCE] = "reduce",       [COLLECTIVE_ALLREDUCE] = "allreduce"};
    return text[kind];
}
