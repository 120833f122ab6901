/* SPDX-License-Identifier: MIT
 * A list of micro-ops carried out for every index of a table, 64 indices in a word. */
#include "recipe/lut/lut.h"

#include "recipe/lut/truth.h"
#include "support/alloc.h"
#include "support/hash_table.h"

#include <stdlib.h>
#include <string.h>

/* Words of each plane that are worked on at once. */
#define MOST_WORDS 64

/* Registers of the instruction. */
enum { FROM = 1, TO = 2 };

/* Planes have values in the order in which the list comes to speak of them. */
struct list_bench {
    const struct target *t;
    const struct insn *insn;
    const struct uop_list *list;
    unsigned inputs;
    HASH_TABLE(uint32_t, uint32_t) numbers; /* plane -> 1 + its number */
    VEC(uint32_t) planes;                   /* by their numbers */
    uint64_t *values;                       /* [planes.len][MOST_WORDS] */
};

static bool is_bit_of(uint32_t plane, unsigned reg, unsigned bits) {
    return PLANE_CLASS(plane) == PLANE_REGISTER && PLANE_NUMBER(plane) >> 6 == reg &&
           (PLANE_NUMBER(plane) & 63) < bits;
}

static uint32_t number_of(struct list_bench *bench, uint32_t plane) {
    uint32_t *at = hash_table_put(&bench->numbers, &plane);
    if (!*at) {
        vec_push(&bench->planes, plane);
        *at = (uint32_t)bench->planes.len;
    }
    return *at - 1;
}

/* What nobody has written holds a value if it is a constant or indexes the table. */
static bool may_read(struct list_bench *bench, uint32_t plane) {
    size_t before = bench->planes.len;
    bool known = number_of(bench, plane) < before;
    return known || PLANE_CLASS(plane) == PLANE_CONST || is_bit_of(plane, FROM, bench->inputs);
}

static bool may_write(const struct list_bench *bench, uint32_t plane) {
    return PLANE_CLASS(plane) == PLANE_SCRATCH || PLANE_CLASS(plane) == PLANE_BUFFER ||
           is_bit_of(plane, TO, bench->insn->width);
}

/* Gives planes their numbers; false if the micro-op may not be there. */
static bool look_at(struct list_bench *bench, const struct uop *uop) {
    bool fine = PLANE_CLASS(uop->predicate) == PLANE_NONE;
    const struct target_op *op = &plane_target(bench->t)->ops[uop->kind];
    for (unsigned s = 0; s < uop->nsrc && fine; s++)
        fine = may_read(bench, uop->src[s]);
    for (unsigned k = 0; k < uop->ndst && fine; k++)
        fine = may_write(bench, uop->dst[k]) &&
               (!plane_op_uses_old(op, k) || may_read(bench, uop->dst[k]));
    for (unsigned k = 0; k < uop->ndst && fine; k++)
        number_of(bench, uop->dst[k]);
    return fine;
}

static bool look_at_all(struct list_bench *bench) {
    bool fine = true;
    for (size_t i = 0; i < bench->list->len && fine; i++)
        fine = look_at(bench, &bench->list->data[i]);
    for (unsigned bit = 0; bit < bench->insn->width && fine; bit++) {
        const uint32_t plane = PLANE(PLANE_REGISTER, 0, TO << 6 | bit);
        fine = hash_table_get(&bench->numbers, &plane);
    }
    return fine;
}

/* --- carrying out --- */

static uint64_t *values_of(struct list_bench *bench, uint32_t plane) {
    return bench->values + (size_t)number_of(bench, plane) * MOST_WORDS;
}

static uint64_t first_value(uint32_t plane, size_t word) {
    if (PLANE_CLASS(plane) == PLANE_CONST)
        return PLANE_NUMBER(plane) ? UINT64_MAX : 0;
    return lut_variable_word(PLANE_NUMBER(plane) & 63, word);
}

/* Words [first, first + count) of all indices. */
static void begin(struct list_bench *bench, size_t first, size_t count) {
    for (size_t i = 0; i < bench->planes.len; i++) {
        uint32_t plane = bench->planes.data[i];
        bool given = PLANE_CLASS(plane) == PLANE_CONST || is_bit_of(plane, FROM, bench->inputs);
        for (size_t w = 0; w < count && given; w++)
            bench->values[i * MOST_WORDS + w] = first_value(plane, first + w);
    }
}

/* Adds the lanes in which the sources are as a row of the truth table has them. */
static void add_row(unsigned row, uint64_t *const *in, unsigned sources, size_t count,
                    uint64_t *out) {
    uint64_t term[MOST_WORDS];
    memset(term, 0xff, sizeof term);
    for (unsigned s = 0; s < sources; s++) {
        uint64_t inverted = row >> s & 1 ? 0 : UINT64_MAX;
        for (size_t w = 0; w < count; w++)
            term[w] &= in[s][w] ^ inverted;
    }
    for (size_t w = 0; w < count; w++)
        out[w] |= term[w];
}

static void run_one(struct list_bench *bench, const struct uop *uop, size_t count) {
    const struct target_op *op = &plane_target(bench->t)->ops[uop->kind];
    unsigned sources = (unsigned)uop->nsrc + op->reads_old;
    uint64_t *in[UOP_MAX + 1], out[UOP_MAX][MOST_WORDS] = {{0}};
    for (unsigned s = 0; s < uop->nsrc; s++)
        in[s] = values_of(bench, uop->src[s]);
    for (unsigned k = 0; k < uop->ndst; k++) {
        in[uop->nsrc] = values_of(bench, uop->dst[k]);
        for (unsigned row = 0; row < 1u << sources; row++)
            if (op->truth[k] >> row & 1)
                add_row(row, in, sources, count, out[k]);
    }
    for (unsigned k = 0; k < uop->ndst; k++)
        memcpy(values_of(bench, uop->dst[k]), out[k], count * sizeof **out);
}

static bool is_right(struct list_bench *bench, const struct lut_truth *truth, size_t first,
                     size_t count) {
    bool right = true;
    for (unsigned bit = 0; bit < bench->insn->width && right; bit++)
        right = memcmp(values_of(bench, PLANE(PLANE_REGISTER, 0, TO << 6 | bit)),
                       lut_truth_of(truth, bit) + first, count * sizeof *truth->bits) == 0;
    return right;
}

static bool run_all(struct list_bench *bench, const struct lut_truth *truth) {
    bool right = true;
    bench->values = xcalloc(bench->planes.len * MOST_WORDS, sizeof *bench->values);
    for (size_t first = 0; first < truth->words && right; first += MOST_WORDS) {
        size_t left = truth->words - first, count = left < MOST_WORDS ? left : MOST_WORDS;
        begin(bench, first, count);
        for (size_t i = 0; i < bench->list->len; i++)
            run_one(bench, &bench->list->data[i], count);
        right = is_right(bench, truth, first, count);
    }
    free(bench->values);
    return right;
}

bool lut_list_holds(const struct target *target, const struct insn *insn,
                    const struct uop_list *list) {
    struct list_bench b = {.t = target, .insn = insn, .list = list};
    struct lut_truth truth;
    b.inputs = insn->table->index_bits < insn->width ? insn->table->index_bits : insn->width;
    lut_truth_make(insn->table, b.inputs, insn->width, &truth);
    bool holds = look_at_all(&b) && run_all(&b, &truth);
    lut_truth_free(&truth);
    hash_table_free(&b.numbers);
    vec_free(&b.planes);
    return holds;
}
