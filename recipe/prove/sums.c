/* SPDX-License-Identifier: MIT
 * A count of ones is a sum of sums (count_ones).  A product is a sum of partial products.  The
 * terms add up to it by the distributive law of numbers modulo 2^w: they are one operand times
 * powers of two that add up to the constant (split_constant), or times the bits of the other
 * operand (split_factor).  Each is added to the sum of those before by a chain of full adders; that
 * such a chain adds is a law.
 *
 * Or full adders take a term each to a sum and carries that are added later (save_carries): lap i
 * begins with s, which at first is z, and c, and its adders make of  s + c + the term / 2^i  two
 * other numbers whose sum, one of them times 2, is the same.  That holds bit by bit, which is the
 * other law.  The lowest bit of the one is bit i of the product, for nothing is added to it any
 * more, and the rest of it is the s of the next lap.  Modulo 2^w nothing is left behind lap w - 1.
 *
 * By a constant, from its highest term down (save_constant): s + 2 c, and 1 more where the term
 * before was negative and so was added as its complement, is x times the terms so far over the
 * power of two of the last one.  It is moved up to the next term, whose x or complement is taken in
 * by the same law of an adder; in the end the two numbers are added by a tree, which is the third
 * law. */
#include "recipe/prove/sums.h"

#include "recipe/verify/computes.h"
#include "recipe/prove/law.h"
#include "recipe/prove/carry_tree.h"
#include "recipe/set/uop.h"
#include "support/alloc.h"
#include "support/bits.h"

#define MOST_TERMS 64
#define NO_FACTOR  255u
#define NO_START   255u

/* + or - x * 2^shift, where bit `shift` of the factor is 1 if there is one. */
struct sum_term {
    uint8_t shift;
    bool negative;
};

struct sums {
    unsigned w;
    unsigned start, of, factor; /* registers: z or NO_START, x, y or NO_FACTOR */
    bool counts;                /* not a product: how many bits of x are 1 */
    unsigned terms;
    struct sum_term term[MOST_TERMS];
    uint32_t sum[64]; /* bits of the sum so far; at the end the product's */
};

/* --- what the contract says --- */

/* Powers of two and their negatives, no two of them neighbours, that add up to value modulo 2^w:
 * the non-adjacent form.  Micro-ops that go another way are proved another way. */
static void split_constant(struct sums *product, uint64_t value) {
    uint64_t rest = value & low_bits(product->w);
    for (unsigned i = 0; i < product->w && rest; i++) {
        uint64_t power = (uint64_t)1 << i;
        if (!(rest & power))
            continue;
        bool negative = i + 1 < product->w && rest & power << 1;
        product->term[product->terms++] = (struct sum_term){(uint8_t)i, negative};
        rest = (negative ? rest + power : rest - power) & low_bits(product->w);
    }
}

static void split_factor(struct sums *product) {
    for (unsigned i = 0; i < product->w; i++)
        product->term[product->terms++] = (struct sum_term){(uint8_t)i, false};
}

static bool read_product(struct sums *product, const struct recipe *recipe, const struct insn *insn,
                         const struct recipe_expr *expr) {
    const struct golden_lane lane = {.w = product->w, .imm = insn->imm};
    if (expr->kind != EXPR_BINARY || expr->op != '*')
        return false;
    for (unsigned i = 0; i < 2; i++) {
        struct number n = recipe_computes_value(recipe, expr->args[i], &lane);
        if (n.kind == NUMBER_CONSTANT &&
            prove_law_register(recipe, insn, expr->args[!i], &product->of)) {
            split_constant(product, n.v);
            return product->terms > 0;
        }
    }
    if (!prove_law_register(recipe, insn, expr->args[0], &product->of) ||
        !prove_law_register(recipe, insn, expr->args[1], &product->factor))
        return false;
    split_factor(product);
    return true;
}

static bool read_contract(struct sums *product, const struct recipe *recipe,
                          const struct insn *insn, const struct recipe_expr *expr) {
    product->counts = expr->kind == EXPR_CALL && recipe_computes_function(expr) == FUNCTION_POPC;
    if (product->counts)
        return prove_law_register(recipe, insn, expr->args[0], &product->of);
    if (expr->kind == EXPR_BINARY && expr->op == '+')
        return prove_law_register(recipe, insn, expr->args[0], &product->start) &&
               read_product(product, recipe, insn, expr->args[1]);
    return read_product(product, recipe, insn, expr);
}

struct sums *prove_sums_new(const struct recipe *recipe, const struct insn *insn, unsigned w) {
    const struct recipe_expr *contract = recipe_computes_of(recipe, FIELD_RD);
    struct sums *product = xcalloc(1, sizeof *product);
    *product = (struct sums){.w = w, .start = NO_START, .factor = NO_FACTOR};
    if (contract && recipe_computes_bits(insn, ROLE_RS) == w &&
        read_contract(product, recipe, insn, contract->args[1]))
        return product;
    prove_sums_free(product);
    return NULL;
}

void prove_sums_free(struct sums *product) {
    free(product);
}

bool prove_sums_reads(const struct sums *product, unsigned reg) {
    return reg == product->start || reg == product->of || reg == product->factor;
}

/* --- the bits --- */

/* What a term adds at bit j, before its sign. */
static uint32_t addend(const struct sums *product, struct fold *fold, const struct sum_term *term,
                       unsigned j) {
    uint32_t x = prove_law_input(fold, product->of, j - term->shift);
    if (product->factor == NO_FACTOR)
        return x;
    const uint32_t in[] = {x, prove_law_input(fold, product->factor, term->shift)};
    return prove_fold_apply(fold, 0x8, in, 2);
}

/* One full adder: *sum becomes *sum + y + *carry. */
static void add_bit(struct fold *fold, uint32_t *sum, uint32_t y, uint32_t *carry) {
    const uint32_t in[] = {*sum, y, *carry};
    *sum = prove_fold_apply(fold, 0x96, in, 3);
    *carry = prove_fold_apply(fold, 0xE8, in, 3);
}

/* The same in the nine NORs that it takes: of x * x, whose terms are alike in pairs, some of them
 * are bits that were met before, and micro-ops meet them there, too. */
static void add_by_nors(struct fold *fold, uint32_t *sum, uint32_t y, uint32_t *carry) {
    uint32_t neither = prove_fold_nor(fold, y, *sum);
    uint32_t same =
        prove_fold_nor(fold, prove_fold_nor(fold, y, neither), prove_fold_nor(fold, *sum, neither));
    uint32_t no_more = prove_fold_nor(fold, same, *carry);
    *sum = prove_fold_nor(fold, prove_fold_nor(fold, same, no_more),
                          prove_fold_nor(fold, *carry, no_more));
    *carry = prove_fold_nor(fold, neither, no_more);
}

/* Or in two half adders. */
static void add_by_halves(struct fold *fold, uint32_t *sum, uint32_t y, uint32_t *carry) {
    uint32_t both, more, differ = prove_fold_half_add(fold, y, *sum, &both);
    *sum = prove_fold_half_add(fold, differ, *carry, &more);
    *carry = prove_fold_not(prove_fold_nor(fold, both, more));
}

typedef void full_adder(struct fold *fold, uint32_t *sum, uint32_t y, uint32_t *carry);

/* Micro-ops may as well add x whatever the factor's bit is, and choose afterwards: the carry of
 * that, where the bit is 1, is there to be met. */
static void meet_choice(const struct sums *product, struct fold *fold, const struct sum_term *term,
                        unsigned j, uint32_t sum, uint32_t *carry) {
    add_bit(fold, &sum, prove_law_input(fold, product->of, j - term->shift), carry);
    const uint32_t in[] = {prove_law_input(fold, product->factor, term->shift), *carry};
    prove_fold_apply(fold, 0x8, in, 2);
}

/* Adds a term from its lowest bit on.  What is negative is added complemented, with a carry in of
 * 1. */
static void add_term(struct sums *product, struct fold *fold, const struct sum_term *term,
                     bool bound) {
    uint32_t carry = term->negative ? FOLD_TRUE : FOLD_FALSE, free_carry = FOLD_FALSE;
    for (unsigned j = term->shift; j < product->w; j++) {
        uint32_t before = product->sum[j], y = addend(product, fold, term, j);
        add_bit(fold, &product->sum[j], term->negative ? prove_fold_not(y) : y, &carry);
        if (product->factor != NO_FACTOR)
            meet_choice(product, fold, term, j, before, &free_carry);
    }
    for (unsigned j = term->shift; j < product->w && bound; j++)
        prove_fold_bound(fold, product->sum[j]);
}

/* The ones among `count` bits from `first` on, without the first of them: of a power of two of
 * these bits, of the rest of them, and the rest's first, which goes in as the carry.  The sum is
 * less than `count`, so that what the adders of the lower part carry out is its highest bit, and
 * bits above are 0.  Returns how many bits it has. */
static unsigned count_ones(const struct sums *product, struct fold *fold, unsigned first,
                           unsigned count, uint32_t *sum) {
    uint32_t rest[7] = {FOLD_FALSE}, carry;
    unsigned half = 1, width;
    while (2 * half < count)
        half *= 2;
    if (count < 2)
        return 0;
    width = count_ones(product, fold, first, half, sum);
    count_ones(product, fold, first + half, count - half, rest);
    carry = prove_law_input(fold, product->of, first + half);
    for (unsigned t = 0; t < width; t++)
        add_bit(fold, &sum[t], rest[t], &carry);
    sum[width] = carry;
    for (unsigned t = 0; t <= width; t++)
        prove_fold_bound(fold, sum[t]);
    return width + 1;
}

static void build_count(struct sums *product, struct fold *fold) {
    uint32_t carry = prove_law_input(fold, product->of, 0);
    unsigned width = count_ones(product, fold, 0, product->w, product->sum);
    for (unsigned t = 0; t <= width && t < product->w; t++) {
        product->sum[t] = t < width ? product->sum[t] : FOLD_FALSE;
        add_bit(fold, &product->sum[t], FOLD_FALSE, &carry);
    }
}

static void start_sum(const struct sums *product, struct fold *fold, uint32_t *sum) {
    for (unsigned j = 0; j < product->w; j++)
        sum[j] = product->start == NO_START ? FOLD_FALSE : prove_law_input(fold, product->start, j);
}

/* The terms are those of split_factor. */
static void save_carries(struct sums *product, struct fold *fold, full_adder *add) {
    uint32_t sum[64] = {0}, carry[64] = {FOLD_FALSE};
    start_sum(product, fold, sum);
    for (unsigned i = 0; i < product->w; i++) {
        for (unsigned j = 0; j < product->w - i; j++)
            add(fold, &sum[j], addend(product, fold, &product->term[i], i + j), &carry[j]);
        product->sum[i] = sum[0];
        for (unsigned j = 0; j + 1 < product->w - i; j++)
            sum[j] = sum[j + 1];
    }
}

/* s + 2 c + more, times 2^far. */
static void scale(const struct sums *product, unsigned far, uint32_t *sum, uint32_t *carry,
                  bool more) {
    for (unsigned j = product->w; j-- > 0;) {
        sum[j] = j >= far ? sum[j - far] : FOLD_FALSE;
        carry[j] = j > far ? carry[j - far - 1] : FOLD_FALSE;
    }
    carry[far] = more ? FOLD_TRUE : carry[far];
}

/* The terms are those of split_constant, from the highest one down. */
static void save_constant(struct sums *product, struct fold *fold, full_adder *add) {
    uint32_t sum[64] = {FOLD_FALSE}, carry[64] = {FOLD_FALSE}, out;
    bool more = false;
    for (unsigned k = product->terms; k-- > 0;) {
        const struct sum_term *t = &product->term[k];
        if (k + 1 < product->terms)
            scale(product, product->term[k + 1].shift - t->shift, sum, carry, more);
        for (unsigned j = 0; j < product->w; j++) {
            uint32_t x = prove_law_input(fold, product->of, j);
            add(fold, &sum[j], t->negative ? prove_fold_not(x) : x, &carry[j]);
        }
        more = t->negative;
    }
    scale(product, product->term[0].shift, sum, carry, more);
    prove_carry_tree_add(fold, sum, carry, FOLD_FALSE, product->w, product->sum, &out);
}

static bool is_by_constant(const struct sums *product) {
    return !product->counts && product->factor == NO_FACTOR && product->start == NO_START;
}

static bool may_save_carries(const struct sums *product) {
    return product->factor != NO_FACTOR || is_by_constant(product);
}

/* Of x * x bit 1 of the first term is what the second adds: micro-ops may see that, or not.  So the
 * first two attempts differ in whether what comes after the first term looks below it. */
void prove_sums_build(struct sums *product, struct fold *fold, unsigned attempt) {
    if (product->counts) {
        build_count(product, fold);
        return;
    }
    if (attempt >= 2 && may_save_carries(product)) {
        full_adder *add = attempt == 2 ? add_by_nors : add_by_halves;
        (is_by_constant(product) ? save_constant : save_carries)(product, fold, add);
        return;
    }
    start_sum(product, fold, product->sum);
    for (unsigned k = 0; k < product->terms; k++)
        add_term(product, fold, &product->term[k], k > 0 || attempt == 0);
}

bool prove_sums_result(const struct sums *product, uint8_t field, unsigned j, uint32_t *bit) {
    *bit = product->sum[j];
    return field == FIELD_RD;
}

/* --- the law --- */

/* x + y + c, of w bits, is what a chain of full adders gives; also for fewer bits, for the low ones
 * do not depend on those above.  Or what a tree gives. */
static void write_sum_law(const struct sums *product, bool tree, struct str *out) {
    struct fold *fold = prove_fold_new();
    uint32_t sum[64] = {0}, y[64] = {0}, w = product->w, carry;
    prove_law_head(w, out);
    carry = prove_fold_input(fold, PLANE(PLANE_C, 0, 0));
    for (unsigned j = 0; j < w; j++) {
        sum[j] = prove_law_input(fold, LAW_X, j);
        y[j] = prove_law_input(fold, LAW_Y, j);
    }
    for (unsigned j = 0; j < w && !tree; j++)
        add_bit(fold, &sum[j], y[j], &carry);
    if (tree)
        prove_carry_tree_add(fold, sum, y, carry, w, sum, &carry);
    prove_fold_write(fold, sum, w, out);
    str_printf(out, "(define-fun sum () (_ BitVec %u) (bvadd x y (ite c (_ bv1 %u) (_ bv0 %u))))\n",
               w, w, w);
    str_append(out, "(assert (or false\n");
    for (unsigned j = 0; j < w; j++) {
        str_append(out, " (xor ");
        prove_fold_print(fold, sum[j], out);
        str_printf(out, " (= ((_ extract %u %u) sum) #b1))\n", j, j);
    }
    str_append(out, "))\n(check-sat)\n");
    prove_fold_free(fold);
}

/* Three bits are a sum and twice a carry. */
static void write_adder_law(full_adder *add, struct str *out) {
    struct fold *fold = prove_fold_new();
    uint32_t made[2] = {prove_law_input(fold, LAW_X, 0),
                        prove_fold_input(fold, PLANE(PLANE_C, 0, 0))};
    prove_law_head(1, out);
    add(fold, &made[0], prove_law_input(fold, LAW_Y, 0), &made[1]);
    prove_fold_write(fold, made, 2, out);
    prove_law_word(fold, "made", made, 2, out);
    str_append(out,
               "(assert (not (= made (bvadd (concat #b0 x) (concat #b0 y) (ite c #b01 #b00)))))\n"
               "(check-sat)\n");
    prove_fold_free(fold);
}

bool prove_sums_law(const struct sums *product, unsigned index, struct str *out) {
    unsigned count = is_by_constant(product) ? 4 : may_save_carries(product) ? 3 : 1;
    if (index < count && (index == 1 || index == 2))
        write_adder_law(index == 1 ? add_by_nors : add_by_halves, out);
    else if (index < count)
        write_sum_law(product, index == 3, out);
    return index < count;
}
