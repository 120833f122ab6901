/* SPDX-License-Identifier: MIT */
#include "recipe/prove/smt_term.h"

#include "support/bits.h"

struct term {
    const struct recipe *c;
    const struct golden_lane *lane;
    struct str *out;
    unsigned w;
    unsigned lets; /* names given so far */
};

static void write_term(struct term *t, const struct recipe_expr *e);

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

static struct number number_of(const struct term *t, const struct recipe_expr *e) {
    return recipe_computes_value(t->c, e, t->lane);
}

static void write_number(struct term *t, uint64_t v) {
    str_printf(t->out, "(_ bv%llu %u)", (unsigned long long)(v & low_bits(t->w)), t->w);
}

static void write_all(struct term *t, const char *function, const struct recipe_expr *e) {
    str_printf(t->out, "(%s", function);
    for (unsigned i = 0; i < e->count; i++) {
        str_char(t->out, ' ');
        write_term(t, e->args[i]);
    }
    str_char(t->out, ')');
}

/* --- conditions --- */

/* True where two operands that meet are read as signed. */
static bool meet_signed(const struct term *t, const struct recipe_expr *e) {
    return number_of(t, e->args[0]).kind == NUMBER_SIGNED ||
           number_of(t, e->args[1]).kind == NUMBER_SIGNED;
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

static void write_condition(struct term *t, const struct recipe_expr *e);

static void write_conditions(struct term *t, const char *function, const struct recipe_expr *e) {
    str_printf(t->out, "(%s", function);
    for (unsigned i = 0; i < e->count; i++) {
        str_char(t->out, ' ');
        write_condition(t, e->args[i]);
    }
    str_char(t->out, ')');
}

/* The connective of conditions that the operator is, or NULL. */
static const char *connective(const struct recipe_expr *e) {
    if (e->kind == EXPR_UNARY)
        return e->op == '!' ? "not" : NULL;
    if (e->kind != EXPR_BINARY)
        return NULL;
    return e->op == MARK2('&', '&') ? "and" : e->op == MARK2('|', '|') ? "or" : NULL;
}

static bool is_condition(const struct recipe_expr *e) {
    return connective(e) || (e->kind == EXPR_BINARY && comparison(e->op, false));
}

/* A term of sort Bool: whether the expression is not 0. */
static void write_condition(struct term *t, const struct recipe_expr *e) {
    struct number n = number_of(t, e);
    if (n.kind == NUMBER_CONSTANT) {
        str_append(t->out, n.v ? "true" : "false");
    } else if (connective(e)) {
        write_conditions(t, connective(e), e);
    } else if (is_condition(e)) {
        write_all(t, comparison(e->op, meet_signed(t, e)), e);
    } else {
        str_append(t->out, "(distinct ");
        write_term(t, e);
        str_char(t->out, ' ');
        write_number(t, 0);
        str_char(t->out, ')');
    }
}

/* --- functions --- */

/* Gives the operands of a call the names x<n> and y<n>; returns n. */
static unsigned open_let(struct term *t, const struct recipe_expr *e) {
    unsigned n = t->lets++;
    str_printf(t->out, "(let ((x%u ", n);
    write_term(t, e->args[0]);
    if (e->count > 1) {
        str_printf(t->out, ") (y%u ", n);
        write_term(t, e->args[1]);
    }
    str_append(t->out, ")) ");
    return n;
}

static void write_extreme(struct term *t, const struct recipe_expr *e, bool max) {
    const char *less = meet_signed(t, e) ? "bvslt" : "bvult";
    unsigned n = open_let(t, e);
    str_printf(t->out, "(ite (%s x%u y%u) %c%u %c%u))", less, n, n, max ? 'y' : 'x', n,
               max ? 'x' : 'y', n);
}

/* The bits in pairs, then pairs of these, and so on: sums no deeper than they must be. */
static void write_count(struct term *t, unsigned n, unsigned first, unsigned count) {
    if (count > 1) {
        str_append(t->out, "(bvadd ");
        write_count(t, n, first, count / 2);
        str_char(t->out, ' ');
        write_count(t, n, first + count / 2, count - count / 2);
        str_char(t->out, ')');
    } else {
        str_printf(t->out, "((_ zero_extend %u) ((_ extract %u %u) x%u))", t->w - 1, first, first,
                   n);
    }
}

static void write_popc(struct term *t, const struct recipe_expr *e) {
    unsigned n = open_let(t, e);
    write_count(t, n, 0, t->w);
    str_char(t->out, ')');
}

static void write_flip(struct term *t, const struct recipe_expr *e) {
    if (t->w == 1) {
        write_term(t, e->args[0]);
        return;
    }
    unsigned n = open_let(t, e);
    str_append(t->out, "(concat");
    for (unsigned j = 0; j < t->w; j++)
        str_printf(t->out, " ((_ extract %u %u) x%u)", j, j, n);
    str_append(t->out, "))");
}

static void write_extended(struct term *t, const struct recipe_expr *e) {
    uint64_t v = number_of(t, e->args[1]).v;
    if (v < 1) {
        write_number(t, 0);
        return;
    }
    if (v >= t->w) {
        write_term(t, e->args[0]);
        return;
    }
    str_printf(t->out, "((_ sign_extend %u) ((_ extract %u 0) ", t->w - (unsigned)v,
               (unsigned)v - 1);
    write_term(t, e->args[0]);
    str_append(t->out, "))");
}

/* SMT-LIB's bvsdiv by 0 is 1 for negative dividends, ours all ones; its bvudiv, bvurem, bvsrem and
 * bvsmod by 0 are ours. */
static void write_sdiv(struct term *t, const struct recipe_expr *e) {
    unsigned n = open_let(t, e);
    str_printf(t->out, "(ite (= y%u (_ bv0 %u)) (bvnot (_ bv0 %u)) (bvsdiv x%u y%u)))", n, t->w,
               t->w, n, n);
}

/* Rounded down: one less where remainder and modulus differ. */
static void write_floordiv(struct term *t, const struct recipe_expr *e) {
    unsigned n = open_let(t, e);
    str_printf(t->out,
               "(ite (= y%u (_ bv0 %u)) (bvnot (_ bv0 %u)) (ite (= (bvsrem x%u y%u) (bvsmod x%u "
               "y%u)) (bvsdiv x%u y%u) (bvsub (bvsdiv x%u y%u) (_ bv1 %u)))))",
               n, t->w, t->w, n, n, n, n, n, n, n, n, t->w);
}

static void write_division(struct term *t, const struct recipe_expr *e, bool floor,
                           bool remainder) {
    bool with_sign = meet_signed(t, e);
    if (!with_sign)
        write_all(t, remainder ? "bvurem" : "bvudiv", e);
    else if (remainder)
        write_all(t, floor ? "bvsmod" : "bvsrem", e);
    else if (floor)
        write_floordiv(t, e);
    else
        write_sdiv(t, e);
}

static void write_select(struct term *t, const struct recipe_expr *e) {
    str_append(t->out, "(ite ");
    write_condition(t, e->args[0]);
    for (unsigned i = 1; i < 3; i++) {
        str_char(t->out, ' ');
        write_term(t, e->args[i]);
    }
    str_char(t->out, ')');
}

static void write_call(struct term *t, const struct recipe_expr *e) {
    enum computes_function f = recipe_computes_function(e);
    switch (f) {
    case FUNCTION_S:
        write_term(t, e->args[0]);
        break;
    case FUNCTION_S_OF:
        write_extended(t, e);
        break;
    case FUNCTION_MIN:
    case FUNCTION_MAX:
        write_extreme(t, e, f == FUNCTION_MAX);
        break;
    case FUNCTION_POPC:
        write_popc(t, e);
        break;
    case FUNCTION_FLIP:
        write_flip(t, e);
        break;
    case FUNCTION_SELECT:
        write_select(t, e);
        break;
    default:
        write_division(t, e, true, f == FUNCTION_FLOORMOD);
    }
}

/* --- operators --- */

/* Counts of w and more act alike, so a constant one needs no more than w. */
static void write_shift(struct term *t, const struct recipe_expr *e) {
    struct number a = number_of(t, e->args[0]), n = number_of(t, e->args[1]);
    str_printf(t->out, "(%s ",
               e->op == MARK2('<', '<')  ? "bvshl"
               : a.kind == NUMBER_SIGNED ? "bvashr"
                                         : "bvlshr");
    write_term(t, e->args[0]);
    str_char(t->out, ' ');
    if (n.kind == NUMBER_CONSTANT)
        write_number(t, n.v < t->w ? n.v : t->w);
    else
        write_term(t, e->args[1]);
    str_char(t->out, ')');
}

static void write_binary(struct term *t, const struct recipe_expr *e) {
    switch (e->op) {
    case '/':
    case '%':
        write_division(t, e, false, e->op == '%');
        break;
    case '+':
        write_all(t, "bvadd", e);
        break;
    case '-':
        write_all(t, "bvsub", e);
        break;
    case '*':
        write_all(t, "bvmul", e);
        break;
    case '&':
        write_all(t, "bvand", e);
        break;
    case '|':
        write_all(t, "bvor", e);
        break;
    case '^':
        write_all(t, "bvxor", e);
        break;
    default:
        write_shift(t, e);
    }
}

static void write_truth(struct term *t, const struct recipe_expr *e) {
    str_append(t->out, "(ite ");
    write_condition(t, e);
    str_char(t->out, ' ');
    write_number(t, 1);
    str_char(t->out, ' ');
    write_number(t, 0);
    str_char(t->out, ')');
}

static void write_term(struct term *t, const struct recipe_expr *e) {
    struct number n = number_of(t, e);
    if (n.kind == NUMBER_CONSTANT)
        write_number(t, n.v);
    else if (e->kind == EXPR_NAME)
        str_append(t->out, prove_smt_operand_name(recipe_computes_operand(t->c, e->name)));
    else if (is_condition(e))
        write_truth(t, e);
    else if (e->kind == EXPR_CALL)
        write_call(t, e);
    else if (e->kind == EXPR_UNARY)
        write_all(t, e->op == '~' ? "bvnot" : "bvneg", e);
    else
        write_binary(t, e);
}

void prove_smt_term(const struct recipe *c, const struct recipe_expr *e,
                    const struct golden_lane *lane, struct str *out) {
    struct term t = {c, lane, out, lane->w, 0};
    write_term(&t, e);
}
