/* SPDX-License-Identifier: MIT
 * Quotient q and remainder r of x by y, which are the operands or, where these have signs, their
 * magnitudes.
 *
 * Round k = 1 .. w takes the remainder r of the rounds before, k-1 bits, and the dividend's bit w-k
 * below it: n = 2 r + x[w-k], k bits.  It compares them with the divisor's low k bits and with
 * whether there is a 1 among the bits above, takes away the divisor unless n is less, and gives the
 * quotient's bit w-k and the next remainder r'.
 *
 * Law of a round: for any r, y and bit, if y = 0 or r < y, then r' = 2 r + bit - q y, and y = 0 or
 * r' < y; where y = 0, q = 1.  A round sees of the divisor no more than its low k bits and the one
 * bit `above`, so it is asked of these: where `above` is 1, y is 2^k or more, and n is less.
 *
 * Hence, by induction over the rounds: x's k highest bits, as a number, are y times the quotient's
 * k highest plus r, with r < y or y = 0.  After w rounds q and r are x / y and x % y, as SMT-LIB
 * has them, and all ones and x where y = 0.
 *
 * Micro-ops may as well work on all w bits in each round, and compare by a tree of carries
 * (carry_tree.h): the other attempt.  Its round takes r, of w bits, and the dividend's bit c: n = 2
 * r + c, of which the highest bit, number w, only says that n is not less than y.  Its law is the
 * same one, and so is the induction; where y = 0, r' = 2 r + c modulo 2^w, which after w rounds is
 * x.
 *
 * What becomes of q and r where there are signs is linear, and is asked of the solver for any q and
 * r that may be those of x and y: SMT-LIB defines its divisions of signed numbers by them. */
#include "recipe/prove/division.h"

#include "recipe/verify/computes.h"
#include "recipe/prove/law.h"
#include "recipe/prove/smt_term.h"
#include "recipe/prove/carry_tree.h"
#include "recipe/set/uop.h"
#include "support/alloc.h"
#include "support/vec.h"

enum division_part { PART_NONE, PART_QUOTIENT, PART_REMAINDER, PART_FLOOR, PART_MODULUS };

struct division {
    const struct recipe *recipe;
    unsigned w;
    uint8_t dividend_field, divisor_field;
    unsigned dividend, divisor; /* registers */
    bool with_sign;
    enum division_part parts[3];         /* of FIELD_RS .. FIELD_RD */
    uint32_t x[64], y[64], q[64], r[64]; /* bits */
};

/* --- what the contract says --- */

static enum division_part part_of(const struct recipe_expr *expr) {
    if (expr->kind == EXPR_BINARY)
        return expr->op == '/' ? PART_QUOTIENT : expr->op == '%' ? PART_REMAINDER : PART_NONE;
    if (expr->kind != EXPR_CALL)
        return PART_NONE;
    enum computes_function f = recipe_computes_function(expr);
    return f == FUNCTION_FLOORDIV ? PART_FLOOR : f == FUNCTION_FLOORMOD ? PART_MODULUS : PART_NONE;
}

/* A register x, or s(x). */
static bool read_operand(const struct recipe *recipe, const struct insn *insn,
                         const struct recipe_expr *expr, uint8_t *field, unsigned *reg,
                         bool *with_sign) {
    *with_sign = expr->kind == EXPR_CALL && recipe_computes_function(expr) == FUNCTION_S;
    const struct recipe_expr *name = *with_sign ? expr->args[0] : expr;
    if (!prove_law_register(recipe, insn, name, reg))
        return false;
    *field = recipe_computes_operand(recipe, name->name);
    return true;
}

/* The results are parts of one division: of the same operands, all with signs or all without. */
static bool read_part(struct division *division, const struct insn *insn, uint8_t field,
                      bool first) {
    const struct recipe_expr *e = recipe_computes_of(division->recipe, field)->args[1];
    struct division d = *division;
    bool signs[2];
    d.parts[field - FIELD_RS] = part_of(e);
    if (part_of(e) == PART_NONE ||
        !read_operand(d.recipe, insn, e->args[0], &d.dividend_field, &d.dividend, &signs[0]) ||
        !read_operand(d.recipe, insn, e->args[1], &d.divisor_field, &d.divisor, &signs[1]) ||
        signs[0] != signs[1])
        return false;
    d.with_sign = signs[0];
    bool same = d.dividend_field == division->dividend_field &&
                d.divisor_field == division->divisor_field && d.with_sign == division->with_sign;
    *division = d;
    return first || same;
}

static bool read_contracts(struct division *division, const struct insn *insn) {
    unsigned count = 0;
    for (uint8_t field = FIELD_RS; field <= FIELD_RD; field++)
        if (recipe_computes_of(division->recipe, field) &&
            !read_part(division, insn, field, count++ == 0))
            return false;
    return count > 0;
}

struct division *prove_division_new(const struct recipe *recipe, const struct insn *insn,
                                    unsigned w) {
    struct division *division = xcalloc(1, sizeof *division);
    *division = (struct division){.recipe = recipe, .w = w};
    if (recipe_computes_bits(insn, ROLE_RS) == w && read_contracts(division, insn) &&
        division->dividend_field != division->divisor_field)
        return division;
    prove_division_free(division);
    return NULL;
}

void prove_division_free(struct division *division) {
    free(division);
}

bool prove_division_reads(const struct division *division, unsigned reg) {
    return reg == division->dividend || reg == division->divisor;
}

/* --- the bits --- */

#define AND2          0x8u
#define OR2           0xEu
#define XOR2          0x6u
#define ONLY_FIRST    0x2u  /* the first and not the second */
#define UNLESS_SECOND 0xBu  /* the first or not the second */
#define DIFFERENCE    0x96u /* of three bits */
#define BORROW        0xD4u /* of the first less the two others */

static uint32_t apply2(struct fold *fold, uint64_t truth, uint32_t first, uint32_t second) {
    const uint32_t in[] = {first, second};
    return prove_fold_apply(fold, truth, in, 2);
}

/* Each bit above the lowest 1 of a negative number turns.  The bits `sign and not some` and those
 * below are what micro-ops may go by instead: they are in the fold to be met. */
static void make_magnitude(struct fold *fold, const uint32_t *from, unsigned w, uint32_t *to) {
    uint32_t sign = from[w - 1], some = FOLD_FALSE;
    for (unsigned j = 0; j < w; j++) {
        to[j] = apply2(fold, XOR2, from[j], apply2(fold, AND2, sign, some));
        apply2(fold, ONLY_FIRST, sign, some);
        some = apply2(fold, OR2, some, from[j]);
        prove_fold_bound(fold, to[j]);
    }
}

/* The inverse and 1, where all bits below are 0, by a tree. */
static void make_tree_magnitude(struct fold *fold, const uint32_t *from, unsigned w, uint32_t *to) {
    uint32_t none[64] = {0}, sign = from[w - 1];
    for (unsigned j = 0; j < w; j++)
        none[j] = prove_fold_not(from[j]);
    prove_carry_tree_all(fold, none, w);
    for (unsigned j = 0; j < w; j++) {
        uint32_t below = j ? none[j - 1] : FOLD_TRUE;
        uint32_t negated = apply2(fold, XOR2, prove_fold_not(from[j]), below);
        to[j] = prove_fold_choose(fold, sign, negated, from[j]);
    }
    for (unsigned j = 0; j < w; j++)
        prove_fold_bound(fold, to[j]);
}

/* Round k of n, y's low k bits and whether there is a 1 above them.  What adds the
 * complement of y and 1, or all ones and 1 where n is less, is there to be met. */
static void make_round(struct fold *fold, unsigned k, const uint32_t *n, const uint32_t *y,
                       uint32_t above, uint32_t *less, uint32_t *rest) {
    uint32_t borrows[65] = {FOLD_FALSE}, differences[64];
    for (unsigned j = 0; j < k; j++) {
        const uint32_t in[] = {n[j], y[j], borrows[j]};
        differences[j] = prove_fold_apply(fold, DIFFERENCE, in, 3);
        borrows[j + 1] = prove_fold_apply(fold, BORROW, in, 3);
    }
    *less = apply2(fold, OR2, borrows[k], above);
    for (unsigned j = 0; j < k; j++) {
        const uint32_t in[] = {n[j], apply2(fold, UNLESS_SECOND, *less, y[j]),
                               apply2(fold, UNLESS_SECOND, *less, borrows[j])};
        rest[j] = prove_fold_choose(fold, *less, n[j], differences[j]);
        prove_fold_apply(fold, DIFFERENCE, in, 3);
    }
    apply2(fold, UNLESS_SECOND, *less, borrows[k]);
    for (unsigned j = 0; j < k; j++)
        prove_fold_bound(fold, rest[j]);
}

/* A round on all bits, of the remainder r before and a bit; less: the quotient's bit is 0. */
static void make_tree_round(struct fold *fold, unsigned w, const uint32_t *r, uint32_t bit,
                            const uint32_t *y, uint32_t *less, uint32_t *rest) {
    uint32_t n[64] = {0}, inverse[64] = {0}, difference[64], enough, beyond = r[w - 1];
    for (unsigned j = 0; j < w; j++) {
        n[j] = j ? r[j - 1] : bit;
        inverse[j] = prove_fold_not(y[j]);
    }
    prove_carry_tree_add(fold, n, inverse, FOLD_TRUE, w, difference, &enough);
    *less = prove_fold_not(apply2(fold, OR2, enough, beyond));
    prove_fold_bound(fold, *less);
    for (unsigned j = 0; j < w; j++)
        rest[j] = prove_carry_tree_pick(fold, *less, n[j], difference[j]);
    for (unsigned j = 0; j < w; j++)
        prove_fold_bound(fold, rest[j]);
}

static void make_tree_rounds(struct division *division, struct fold *fold) {
    unsigned w = division->w;
    uint32_t less;
    for (unsigned j = 0; j < w; j++)
        division->r[j] = FOLD_FALSE;
    for (unsigned i = w; i-- > 0;) {
        make_tree_round(fold, w, division->r, division->x[i], division->y, &less, division->r);
        division->q[i] = prove_fold_not(less);
    }
}

static void make_rounds(struct division *division, struct fold *fold) {
    unsigned w = division->w;
    uint32_t above[65] = {0}, less;
    for (unsigned j = w; j-- > 0;)
        above[j] = j + 1 < w ? apply2(fold, OR2, division->y[j], above[j + 1]) : division->y[j];
    for (unsigned j = 0; j < w; j++)
        prove_fold_bound(fold, above[j]);
    above[w] = FOLD_FALSE;
    for (unsigned k = 1; k <= w; k++) {
        uint32_t n[64];
        n[0] = division->x[w - k];
        for (unsigned j = 1; j < k; j++)
            n[j] = division->r[j - 1];
        make_round(fold, k, n, division->y, above[k], &less, division->r);
        division->q[w - k] = prove_fold_not(less);
    }
}

static void close_results(const struct division *division, struct fold *fold) {
    for (unsigned j = 0; j < division->w; j++) {
        prove_fold_close(fold, division->q[j]);
        prove_fold_close(fold, division->r[j]);
    }
}

void prove_division_build(struct division *division, struct fold *fold, unsigned attempt) {
    bool tree = attempt > 0;
    uint32_t a[64], b[64];
    for (unsigned j = 0; j < division->w; j++) {
        a[j] = division->x[j] = prove_law_input(fold, division->dividend, j);
        b[j] = division->y[j] = prove_law_input(fold, division->divisor, j);
    }
    if (division->with_sign) {
        (tree ? make_tree_magnitude : make_magnitude)(fold, a, division->w, division->x);
        (tree ? make_tree_magnitude : make_magnitude)(fold, b, division->w, division->y);
    }
    (tree ? make_tree_rounds : make_rounds)(division, fold);
    close_results(division, fold);
}

bool prove_division_result(const struct division *division, uint8_t field, unsigned j,
                           uint32_t *bit) {
    if (division->with_sign || field > FIELD_RD)
        return false;
    enum division_part part = division->parts[field - FIELD_RS];
    *bit = part == PART_QUOTIENT || part == PART_FLOOR ? division->q[j] : division->r[j];
    return true;
}

void prove_division_names(const struct division *division, struct fold_bits *bits) {
    for (unsigned j = 0; j < division->w && division->with_sign; j++) {
        vec_push(bits, division->q[j]);
        vec_push(bits, division->r[j]);
    }
}

/* --- signs --- */

/* Whether two numbers have other signs, in SMT-LIB. */
#define DIFFER "(xor (bvslt s none) (bvslt t none))"

/* SMT-LIB's definitions of bvsdiv, bvsrem and bvsmod, each by quotient and remainder of the
 * magnitudes, which are Q and R here: X and Y are the magnitudes of A and B, and nothing but A by B
 * is ever divided. */
static void define_divisions(unsigned w, struct str *out) {
    static const char *const bodies[][2] = {
        {"sdiv", "(ite " DIFFER " (bvneg Q) Q)"},
        {"srem", "(ite (bvslt s none) (bvneg R) R)"},
        {"smod", "(ite (= R none) R (ite (bvslt s none) (ite (bvslt t none) (bvneg R)"
                 " (bvadd (bvneg R) t)) (ite (bvslt t none) (bvadd R t) R)))"},
    };
    for (unsigned i = 0; i < 3; i++)
        str_printf(out,
                   "(define-fun %s ((s (_ BitVec %u)) (t (_ BitVec %u))) (_ BitVec %u)\n %s)\n",
                   bodies[i][0], w, w, w, bodies[i][1]);
}

static void define_magnitude(const char *name, unsigned reg, unsigned w, struct str *out) {
    str_printf(out,
               "(define-fun %s () (_ BitVec %u) (let ((s ((_ extract %u 0) r%u)))"
               " (ite (bvslt s none) (bvneg s) s)))\n",
               name, w, w - 1, reg);
}

/* Q and R are any numbers that may be quotient and remainder of X and Y. */
void prove_division_define(const struct division *division, const struct fold *fold,
                           struct str *out) {
    unsigned w = division->w;
    if (!division->with_sign)
        return;
    str_printf(out, "(define-fun none () (_ BitVec %u) (_ bv0 %u))\n", w, w);
    define_magnitude("X", division->dividend, w, out);
    define_magnitude("Y", division->divisor, w, out);
    prove_law_word(fold, "Q", division->q, w, out);
    prove_law_word(fold, "R", division->r, w, out);
    str_append(out, "(assert (ite (= Y none) (and (= Q (bvnot none)) (= R X)) (bvult R Y)))\n");
    define_divisions(w, out);
    for (uint8_t field = FIELD_RS; field <= FIELD_RD; field++)
        if (division->parts[field - FIELD_RS] != PART_NONE) {
            const struct golden_lane lane = {.w = w};
            str_printf(out, "(define-fun want.%s () (_ BitVec %u) ", prove_smt_operand_name(field),
                       w);
            prove_smt_term_by_magnitudes(
                division->recipe, recipe_computes_of(division->recipe, field)->args[1], &lane, out);
            str_append(out, ")\n");
        }
}

/* --- laws --- */

/* A round of fewer bits is one of w bits with zeros above: the same less and rest, and zeros. */
static bool widens(struct fold *fold, unsigned w, const uint32_t *n, const uint32_t *y,
                   uint32_t above, unsigned k) {
    uint32_t rest[64], wide_rest[64], less, wide_less, wide_n[64] = {0}, wide_y[64] = {0};
    bool same = true;
    for (unsigned j = 0; j < k; j++) {
        wide_n[j] = n[j];
        wide_y[j] = y[j];
    }
    make_round(fold, k, n, y, above, &less, rest);
    make_round(fold, w, wide_n, wide_y, above, &wide_less, wide_rest);
    for (unsigned j = 0; j < w; j++)
        same &= wide_rest[j] == (j < k ? rest[j] : FOLD_FALSE);
    return same && less == wide_less;
}

/* Of any remainder before and bit (x), any divisor's low bits (y), any bit above them (c). */
static void law_of_rounds(unsigned w, struct str *out) {
    struct fold *fold = prove_fold_new();
    uint32_t n[64] = {0}, y[64] = {0}, bits[65],
             above = prove_fold_input(fold, PLANE(PLANE_C, 0, 0));
    bool same = true;
    for (unsigned j = 0; j < w; j++) {
        n[j] = prove_law_input(fold, LAW_X, j);
        y[j] = prove_law_input(fold, LAW_Y, j);
    }
    make_round(fold, w, n, y, above, &bits[w], bits);
    for (unsigned k = 1; k < w; k++)
        same &= widens(fold, w, n, y, above, k);
    prove_law_head(w, out);
    prove_fold_write(fold, bits, w + 1, out);
    prove_law_word(fold, "rest", bits, w, out);
    str_append(out, "(define-fun less () Bool ");
    prove_fold_print(fold, bits[w], out);
    str_printf(out, ")\n(define-fun none () (_ BitVec %u) (_ bv0 %u))\n", w, w);
    str_printf(out,
               "(assert (or %s (ite c (or (not less) (distinct rest x))\n"
               " (and (or (= y none) (bvult (bvlshr x (_ bv1 %u)) y))\n"
               "  (or (xor less (bvult x y)) (distinct rest (ite less x (bvsub x y)))\n"
               "   (and (distinct y none) (bvuge rest y)))))))\n(check-sat)\n",
               same ? "false" : "true", w);
    prove_fold_free(fold);
}

/* Of any remainder before (x) and bit (c), any divisor (y). */
static void law_of_tree_rounds(unsigned w, struct str *out) {
    struct fold *fold = prove_fold_new();
    uint32_t r[64] = {0}, y[64] = {0}, bits[65], bit = prove_fold_input(fold, PLANE(PLANE_C, 0, 0));
    for (unsigned j = 0; j < w; j++) {
        r[j] = prove_law_input(fold, LAW_X, j);
        y[j] = prove_law_input(fold, LAW_Y, j);
    }
    make_tree_round(fold, w, r, bit, y, &bits[w], bits);
    prove_law_head(w, out);
    prove_fold_write(fold, bits, w + 1, out);
    prove_law_word(fold, "rest", bits, w, out);
    str_append(out, "(define-fun less () Bool ");
    prove_fold_print(fold, bits[w], out);
    str_printf(out,
               ")\n(define-fun none () (_ BitVec %u) (_ bv0 %u))\n"
               "(define-fun wide () (_ BitVec %u) (concat x (ite c #b1 #b0)))\n"
               "(define-fun n () (_ BitVec %u) ((_ extract %u 0) wide))\n"
               "(assert (and (or (= y none) (bvult x y))\n"
               " (or (xor less (bvult wide (concat #b0 y)))\n"
               "  (distinct rest (ite less n (bvsub n y)))\n"
               "  (and (distinct y none) (bvuge rest y)))))\n(check-sat)\n",
               w, w, w + 1, w, w - 1);
    prove_fold_free(fold);
}

typedef void make_magnitudes(struct fold *fold, const uint32_t *from, unsigned w, uint32_t *to);

/* What these give is the magnitude. */
static void law_of_magnitudes(unsigned w, make_magnitudes *make, struct str *out) {
    struct fold *fold = prove_fold_new();
    uint32_t from[64], to[64];
    for (unsigned j = 0; j < w; j++)
        from[j] = prove_law_input(fold, LAW_X, j);
    make(fold, from, w, to);
    prove_law_head(w, out);
    prove_fold_write(fold, to, w, out);
    prove_law_word(fold, "magnitude", to, w, out);
    str_printf(out,
               "(assert (distinct magnitude (ite (bvslt x (_ bv0 %u)) (bvneg x) x)))\n"
               "(check-sat)\n",
               w);
    prove_fold_free(fold);
}

bool prove_division_law(const struct division *division, unsigned index, struct str *out) {
    if (index == 0)
        law_of_rounds(division->w, out);
    else if (index == 1)
        law_of_tree_rounds(division->w, out);
    else if (index <= 3 && division->with_sign)
        law_of_magnitudes(division->w, index == 2 ? make_magnitude : make_tree_magnitude, out);
    else
        return false;
    return true;
}
