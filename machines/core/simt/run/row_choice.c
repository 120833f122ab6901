/* SPDX-License-Identifier: MIT
 * Which function a form has, and which of their tables serves on this computer. */
#include "machines/core/simt/run/rows.h"

#include <stddef.h>

static const struct {
    enum ptx_op op;
    uint32_t types;
    struct simt_row_shape shape;
} rows[SIMT_ROWS] = {
#define KIND_W SIMT_ROW_32
#define KIND_L SIMT_ROW_64
#define KIND_P SIMT_ROW_PREDICATE
#define KIND_N SIMT_ROW_NONE
#define ROW(name, op, types, when, result, a, b, c, value)                                         \
    [SIMT_ROW_##name] = {PTX_OP_##op, types, {KIND_##result, {KIND_##a, KIND_##b, KIND_##c}}},
#define LINE(name, op, types, when, a, value)                                                      \
    [SIMT_ROW_##                                                                                   \
        name] = {PTX_OP_##op, types, {SIMT_ROW_PREDICATE, {KIND_##a, KIND_##a, SIMT_ROW_NONE}}},
#include "machines/core/simt/run/rows.def"
};

static bool suits(enum simt_row row, const struct ptx_modifiers *m, unsigned bits) {
    switch (row) {
#define ROW(name, op, types, when, result, a, b, c, value)                                         \
    case SIMT_ROW_##name:                                                                          \
        return when;
#define LINE(name, op, types, when, a, value)                                                      \
    case SIMT_ROW_##name:                                                                          \
        return when;
#include "machines/core/simt/run/rows.def"
    case SIMT_ROWS:
        break;
    }
    (void)bits;
    return false;
}

enum simt_row simt_row_find(enum ptx_op op, const struct ptx_modifiers *m, unsigned bits) {
    for (unsigned i = 0; i < SIMT_ROWS; i++)
        if (rows[i].op == op && rows[i].types >> m->type[0] & 1 && m->vector <= 1 &&
            suits((enum simt_row)i, m, bits))
            return (enum simt_row)i;
    return SIMT_ROWS;
}

struct simt_row_shape simt_row_shape(enum simt_row row) {
    return rows[row].shape;
}

extern const struct simt_rows simt_rows_base, simt_rows_avx2;

const struct simt_rows *simt_rows_at(unsigned i) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return i == 0 ? &simt_rows_avx2 : i == 1 ? &simt_rows_base : NULL;
#endif
    return i == 0 ? &simt_rows_base : NULL;
}
