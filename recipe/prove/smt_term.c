/* SPDX-License-Identifier: MIT
 * Writes an expression in bits: each operator of the notation has one of QF_BV, or a term made of
 * several.  Comparisons of floats are those of QF_BVFP, which knows the formats of IEEE 754. */
#include "recipe/prove/smt_term.h"

#include "recipe/set/uop.h"
#include "support/bits.h"

#include <string.h>

struct term {
    const struct recipe *c;
    const struct golden_lane *lane;
    struct str *out;
    unsigned w;
    unsigned lets;      /* names given so far */
    const char *prefix; /* of sdiv, srem and smod: "bv", or "" */
};

static void write_term(struct term *term, const struct recipe_expr *expr);

const char *prove_smt_operand_name(uint8_t operand) {
    switch (operand) {
    case FIELD_RS:
        return "rs";
    case FIELD_RT:
        return "rt";
    case FIELD_RD:
        return "rd";
    case FIELD_C:
        return "C";
    case FIELD_M:
        return "M";
    default:
        return "valid";
    }
}

void prove_smt_print_input(uint32_t plane, struct str *out) {
    uint32_t n = PLANE_NUMBER(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        str_printf(out, "r%u.%u", n >> 6, n & 63);
        break;
    case PLANE_C:
        str_append(out, "c");
        break;
    case PLANE_M:
        str_append(out, "m");
        break;
    default:
        str_append(out, "v");
    }
}

void prove_smt_define_input(uint32_t plane, struct str *out) {
    uint32_t n = PLANE_NUMBER(plane);
    str_printf(out, "(define-fun r%u.%u () Bool (= ((_ extract %u %u) r%u) #b1))\n", n >> 6, n & 63,
               n & 63, n & 63, n >> 6);
}

void prove_smt_declare_register(unsigned reg, struct str *out) {
    str_printf(out, "(declare-const r%u (_ BitVec 64))\n", reg);
}

static struct number number_of(const struct term *term, const struct recipe_expr *expr) {
    return recipe_computes_value(term->c, expr, term->lane);
}

static void write_number(struct term *term, uint64_t value) {
    str_printf(term->out, "(_ bv%llu %u)", (unsigned long long)(value & low_bits(term->w)),
               term->w);
}

static void write_all(struct term *term, const char *function, const struct recipe_expr *expr) {
    str_printf(term->out, "(%s", function);
    for (unsigned i = 0; i < expr->count; i++) {
        str_char(term->out, ' ');
        write_term(term, expr->args[i]);
    }
    str_char(term->out, ')');
}

/* --- conditions --- */

/* True where two operands that meet are read as signed. */
static bool meet_signed(const struct term *term, const struct recipe_expr *expr) {
    return number_of(term, expr->args[0]).kind == NUMBER_SIGNED ||
           number_of(term, expr->args[1]).kind == NUMBER_SIGNED;
}

static const char *comparison(uint16_t op, bool with_sign) {
    switch (op) {
    case '<':
        return with_sign ? "bvslt" : "bvult";
    case '>':
        return with_sign ? "bvsgt" : "bvugt";
    case MARK2('<', '='):
        return with_sign ? "bvsle" : "bvule";
    case MARK2('>', '='):
        return with_sign ? "bvsge" : "bvuge";
    case MARK2('=', '='):
        return "=";
    case MARK2('!', '='):
        return "distinct";
    default:
        return NULL;
    }
}

static void write_condition(struct term *term, const struct recipe_expr *expr);

static void write_conditions(struct term *term, const char *function,
                             const struct recipe_expr *expr) {
    str_printf(term->out, "(%s", function);
    for (unsigned i = 0; i < expr->count; i++) {
        str_char(term->out, ' ');
        write_condition(term, expr->args[i]);
    }
    str_char(term->out, ')');
}

/* The connective of conditions that the operator is, or NULL. */
static const char *connective(const struct recipe_expr *expr) {
    if (expr->kind == EXPR_UNARY)
        return expr->op == '!' ? "not" : NULL;
    if (expr->kind != EXPR_BINARY)
        return NULL;
    return expr->op == MARK2('&', '&') ? "and" : expr->op == MARK2('|', '|') ? "or" : NULL;
}

/* Comparisons of floats; *bfloat as recipe_computes_float says. */
static enum computes_float float_comparison(const struct recipe_expr *expr, bool *bfloat) {
    if (expr->kind != EXPR_CALL || recipe_computes_function(expr) != FUNCTION_FLOAT)
        return FLOAT_COUNT;
    enum computes_float f = recipe_computes_float(expr, bfloat);
    bool compares = f == FLOAT_ZERO || (f >= FLOAT_EQ && f <= FLOAT_UN);
    return compares ? f : FLOAT_COUNT;
}

static bool is_condition(const struct recipe_expr *expr) {
    bool bfloat;
    return float_comparison(expr, &bfloat) != FLOAT_COUNT || connective(expr) ||
           (expr->kind == EXPR_BINARY && comparison(expr->op, false));
}

static unsigned open_let(struct term *term, const struct recipe_expr *expr);

/* x<n> or y<n> as a float. */
static void write_float(struct term *term, char name, unsigned n, bool bfloat) {
    struct ieee_format f = bfloat ? IEEE_BFLOAT16 : ieee_binary(term->w);
    str_printf(term->out, "((_ to_fp %u %u) %c%u)", f.exponent_bits, f.fraction_bits + 1u, name, n);
}

/* (function x<n> y<n>) */
static void write_float_call(struct term *term, const char *function, unsigned n, bool bfloat) {
    str_printf(term->out, "(%s ", function);
    write_float(term, 'x', n, bfloat);
    str_char(term->out, ' ');
    write_float(term, 'y', n, bfloat);
    str_char(term->out, ')');
}

/* (function x<n>), of x or y. */
static void write_float_test(struct term *term, const char *function, char name, unsigned n,
                             bool bfloat) {
    str_printf(term->out, "(%s ", function);
    write_float(term, name, n, bfloat);
    str_char(term->out, ')');
}

static void write_float_comparison(struct term *term, const struct recipe_expr *expr) {
    bool bfloat;
    enum computes_float f = float_comparison(expr, &bfloat);
    unsigned n = open_let(term, expr);
    if (f == FLOAT_ZERO) {
        write_float_test(term, "fp.isZero", 'x', n, bfloat);
    } else if (f == FLOAT_UN) {
        str_append(term->out, "(or ");
        write_float_test(term, "fp.isNaN", 'x', n, bfloat);
        str_char(term->out, ' ');
        write_float_test(term, "fp.isNaN", 'y', n, bfloat);
        str_char(term->out, ')');
    } else {
        write_float_call(term,
                         f == FLOAT_EQ   ? "fp.eq"
                         : f == FLOAT_LT ? "fp.lt"
                                         : "fp.leq",
                         n, bfloat);
    }
    str_char(term->out, ')');
}

/* A term of sort Bool: whether the expression is not 0. */
static void write_condition(struct term *term, const struct recipe_expr *expr) {
    struct number n = number_of(term, expr);
    if (n.kind == NUMBER_CONSTANT) {
        str_append(term->out, n.v ? "true" : "false");
    } else if (expr->kind == EXPR_CALL && is_condition(expr)) {
        write_float_comparison(term, expr);
    } else if (connective(expr)) {
        write_conditions(term, connective(expr), expr);
    } else if (is_condition(expr)) {
        write_all(term, comparison(expr->op, meet_signed(term, expr)), expr);
    } else {
        str_append(term->out, "(distinct ");
        write_term(term, expr);
        str_char(term->out, ' ');
        write_number(term, 0);
        str_char(term->out, ')');
    }
}

/* --- functions --- */

/* The float with the zero of its sign in the place of a subnormal number. */
static void write_flushed(struct term *term, const struct recipe_expr *expr, bool bfloat) {
    struct ieee_format f = bfloat ? IEEE_BFLOAT16 : ieee_binary(term->w);
    unsigned n = term->lets++, sign = term->w - 1;
    str_printf(term->out, "(let ((z%u ", n);
    write_term(term, expr);
    str_printf(term->out,
               ")) (ite (= ((_ extract %u %u) z%u) (_ bv0 %u)) "
               "(concat ((_ extract %u %u) z%u) (_ bv0 %u)) z%u))",
               sign - 1, f.fraction_bits, n, f.exponent_bits, sign, sign, n, sign, n);
}

static void write_operand(struct term *term, const struct recipe_expr *call, unsigned index) {
    bool bfloat,
        is_float = call->kind == EXPR_CALL && recipe_computes_function(call) == FUNCTION_FLOAT;
    if (!is_float || !term->lane->flush) {
        write_term(term, call->args[index]);
        return;
    }
    recipe_computes_float(call, &bfloat);
    write_flushed(term, call->args[index], bfloat);
}

/* Gives the operands of a call the names x<n> and y<n>; returns n. */
static unsigned open_let(struct term *term, const struct recipe_expr *expr) {
    unsigned n = term->lets++;
    str_printf(term->out, "(let ((x%u ", n);
    write_operand(term, expr, 0);
    if (expr->count > 1) {
        str_printf(term->out, ") (y%u ", n);
        write_operand(term, expr, 1);
    }
    str_append(term->out, ")) ");
    return n;
}

/* minimumNumber and maximumNumber: of a number and none the number; of two zeros the one that -0 <
 * +0 asks for. */
static void write_float_extreme(struct term *term, const struct recipe_expr *expr, bool max,
                                bool bfloat) {
    struct ieee_format format = bfloat ? IEEE_BFLOAT16 : ieee_binary(term->w);
    unsigned n = open_let(term, expr);
    str_append(term->out, "(ite ");
    write_float_test(term, "fp.isNaN", 'x', n, bfloat);
    str_append(term->out, " (ite ");
    write_float_test(term, "fp.isNaN", 'y', n, bfloat);
    str_char(term->out, ' ');
    write_number(term, ieee_nan(format));
    str_printf(term->out, " y%u) (ite ", n);
    write_float_test(term, "fp.isNaN", 'y', n, bfloat);
    str_printf(term->out, " x%u (ite (or ", n);
    write_float_call(term, max ? "fp.gt" : "fp.lt", n, bfloat);
    str_append(term->out, " (and ");
    write_float_call(term, "fp.eq", n, bfloat);
    str_printf(term->out, " (= ((_ extract %u %u) x%u) #b%d))) x%u y%u))))", term->w - 1,
               term->w - 1, n, !max, n, n);
}

static void write_extreme(struct term *term, const struct recipe_expr *expr, bool max) {
    const char *less = meet_signed(term, expr) ? "bvslt" : "bvult";
    unsigned n = open_let(term, expr);
    str_printf(term->out, "(ite (%s x%u y%u) %c%u %c%u))", less, n, n, max ? 'y' : 'x', n,
               max ? 'x' : 'y', n);
}

/* The bits in pairs, then pairs of these, and so on: sums no deeper than they must be. */
static void write_count(struct term *term, unsigned n, unsigned first, unsigned count) {
    if (count > 1) {
        str_append(term->out, "(bvadd ");
        write_count(term, n, first, count / 2);
        str_char(term->out, ' ');
        write_count(term, n, first + count / 2, count - count / 2);
        str_char(term->out, ')');
    } else {
        str_printf(term->out, "((_ zero_extend %u) ((_ extract %u %u) x%u))", term->w - 1, first,
                   first, n);
    }
}

static void write_popc(struct term *term, const struct recipe_expr *expr) {
    unsigned n = open_let(term, expr);
    write_count(term, n, 0, term->w);
    str_char(term->out, ')');
}

static void write_flip(struct term *term, const struct recipe_expr *expr) {
    if (term->w == 1) {
        write_term(term, expr->args[0]);
        return;
    }
    unsigned n = open_let(term, expr);
    str_append(term->out, "(concat");
    for (unsigned j = 0; j < term->w; j++)
        str_printf(term->out, " ((_ extract %u %u) x%u)", j, j, n);
    str_append(term->out, "))");
}

static void write_extended(struct term *term, const struct recipe_expr *expr) {
    uint64_t v = number_of(term, expr->args[1]).v;
    if (v < 1) {
        write_number(term, 0);
        return;
    }
    if (v >= term->w) {
        write_term(term, expr->args[0]);
        return;
    }
    str_printf(term->out, "((_ sign_extend %u) ((_ extract %u 0) ", term->w - (unsigned)v,
               (unsigned)v - 1);
    write_term(term, expr->args[0]);
    str_append(term->out, "))");
}

/* SMT-LIB's bvsdiv by 0 is 1 for negative dividends, ours all ones; its bvudiv, bvurem, bvsrem and
 * bvsmod by 0 are ours. */
static void write_sdiv(struct term *term, const struct recipe_expr *expr) {
    unsigned n = open_let(term, expr);
    str_printf(term->out, "(ite (= y%u (_ bv0 %u)) (bvnot (_ bv0 %u)) (%ssdiv x%u y%u)))", n,
               term->w, term->w, term->prefix, n, n);
}

/* Rounded down: one less where remainder and modulus differ. */
static void write_floordiv(struct term *term, const struct recipe_expr *expr) {
    unsigned n = open_let(term, expr);
    const char *p = term->prefix;
    str_printf(term->out,
               "(ite (= y%u (_ bv0 %u)) (bvnot (_ bv0 %u)) (ite (= (%ssrem x%u y%u) (%ssmod x%u "
               "y%u)) (%ssdiv x%u y%u) (bvsub (%ssdiv x%u y%u) (_ bv1 %u)))))",
               n, term->w, term->w, p, n, n, p, n, n, p, n, n, p, n, n, term->w);
}

static void write_division(struct term *term, const struct recipe_expr *expr, bool floor,
                           bool remainder) {
    bool with_sign = meet_signed(term, expr);
    if (!with_sign)
        write_all(term, remainder ? "bvurem" : "bvudiv", expr);
    else if (remainder)
        write_all(term, (floor ? "bvsmod" : "bvsrem") + (*term->prefix ? 0 : strlen("bv")), expr);
    else if (floor)
        write_floordiv(term, expr);
    else
        write_sdiv(term, expr);
}

static void write_select(struct term *term, const struct recipe_expr *expr) {
    str_append(term->out, "(ite ");
    write_condition(term, expr->args[0]);
    for (unsigned i = 1; i < 3; i++) {
        str_char(term->out, ' ');
        write_term(term, expr->args[i]);
    }
    str_char(term->out, ')');
}

static void write_call(struct term *term, const struct recipe_expr *expr) {
    enum computes_function f = recipe_computes_function(expr);
    bool bfloat;
    switch (f) {
    case FUNCTION_FLOAT: { /* a comparison is a condition; the rest has no term */
        enum computes_float extreme = recipe_computes_float(expr, &bfloat);
        write_float_extreme(term, expr, extreme == FLOAT_MAX, bfloat);
        break;
    }
    case FUNCTION_S:
        write_term(term, expr->args[0]);
        break;
    case FUNCTION_S_OF:
        write_extended(term, expr);
        break;
    case FUNCTION_MIN:
    case FUNCTION_MAX:
        write_extreme(term, expr, f == FUNCTION_MAX);
        break;
    case FUNCTION_POPC:
        write_popc(term, expr);
        break;
    case FUNCTION_FLIP:
        write_flip(term, expr);
        break;
    case FUNCTION_SELECT:
        write_select(term, expr);
        break;
    default:
        write_division(term, expr, true, f == FUNCTION_FLOORMOD);
    }
}

/* --- operators --- */

/* Counts of w and more act alike, so a constant one needs no more than w. */
static void write_shift(struct term *term, const struct recipe_expr *expr) {
    struct number a = number_of(term, expr->args[0]), n = number_of(term, expr->args[1]);
    str_printf(term->out, "(%s ",
               expr->op == MARK2('<', '<') ? "bvshl"
               : a.kind == NUMBER_SIGNED   ? "bvashr"
                                           : "bvlshr");
    write_term(term, expr->args[0]);
    str_char(term->out, ' ');
    if (n.kind == NUMBER_CONSTANT)
        write_number(term, n.v < term->w ? n.v : term->w);
    else
        write_term(term, expr->args[1]);
    str_char(term->out, ')');
}

static void write_binary(struct term *term, const struct recipe_expr *expr) {
    switch (expr->op) {
    case '/':
    case '%':
        write_division(term, expr, false, expr->op == '%');
        break;
    case '+':
        write_all(term, "bvadd", expr);
        break;
    case '-':
        write_all(term, "bvsub", expr);
        break;
    case '*':
        write_all(term, "bvmul", expr);
        break;
    case '&':
        write_all(term, "bvand", expr);
        break;
    case '|':
        write_all(term, "bvor", expr);
        break;
    case '^':
        write_all(term, "bvxor", expr);
        break;
    default:
        write_shift(term, expr);
    }
}

static void write_truth(struct term *term, const struct recipe_expr *expr) {
    str_append(term->out, "(ite ");
    write_condition(term, expr);
    str_char(term->out, ' ');
    write_number(term, 1);
    str_char(term->out, ' ');
    write_number(term, 0);
    str_char(term->out, ')');
}

static void write_term(struct term *term, const struct recipe_expr *expr) {
    struct number n = number_of(term, expr);
    if (n.kind == NUMBER_CONSTANT)
        write_number(term, n.v);
    else if (expr->kind == EXPR_NAME)
        str_append(term->out, prove_smt_operand_name(recipe_computes_operand(term->c, expr->name)));
    else if (is_condition(expr))
        write_truth(term, expr);
    else if (expr->kind == EXPR_CALL)
        write_call(term, expr);
    else if (expr->kind == EXPR_UNARY)
        write_all(term, expr->op == '~' ? "bvnot" : "bvneg", expr);
    else
        write_binary(term, expr);
}

bool prove_smt_term_is_float(const struct recipe_expr *expr) {
    bool found = expr->kind == EXPR_CALL && recipe_computes_function(expr) == FUNCTION_FLOAT;
    for (unsigned i = 0; i < expr->count && !found; i++)
        found = prove_smt_term_is_float(expr->args[i]);
    return found;
}

bool prove_smt_term_exists(const struct recipe_expr *expr) {
    bool bfloat;
    enum computes_function f =
        expr->kind == EXPR_CALL ? recipe_computes_function(expr) : FUNCTION_COUNT;
    bool fine = f != FUNCTION_CONVERT && f != FUNCTION_PRODUCT;
    if (f == FUNCTION_FLOAT) {
        enum computes_float g = recipe_computes_float(expr, &bfloat);
        fine = g > FLOAT_SQRT;
    }
    for (unsigned i = 0; i < expr->count && fine; i++)
        fine = prove_smt_term_exists(expr->args[i]);
    return fine;
}

void prove_smt_term(const struct recipe *recipe, const struct recipe_expr *expr,
                    const struct golden_lane *lane, struct str *out) {
    struct term t = {recipe, lane, out, lane->w, 0, "bv"};
    write_term(&t, expr);
}

void prove_smt_term_by_magnitudes(const struct recipe *recipe, const struct recipe_expr *expr,
                                  const struct golden_lane *lane, struct str *out) {
    struct term t = {recipe, lane, out, lane->w, 0, ""};
    write_term(&t, expr);
}
