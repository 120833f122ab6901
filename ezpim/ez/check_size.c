/* SPDX-License-Identifier: MIT
 * Sizes, and formulas of sizes, which the linker works out (object.h, struct size_decl). */
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/check_flow.h"

#include <string.h>

static const ez_number MAX_SIZE = (ez_number)OBJECT_MAX_EXTENT;

/* ---- declarations ---- */

/* The bound of a size, or 0. */
static uint64_t size_bound(struct checker *checker, const struct decl *decl) {
    uint64_t bound = 0;
    if (decl->bound) {
        ez_check_expr(checker, decl->bound);
        ez_check_integer(checker, decl->bound, 1, MAX_SIZE, "the bound of a size", &bound);
    }
    return bound;
}

/* The default of a size. */
static uint64_t size_default(struct checker *checker, const struct decl *decl, uint64_t bound) {
    uint64_t value = 0;
    ez_number most = bound ? (ez_number)bound : MAX_SIZE;
    if (ez_check_integer(checker, decl->value, 1, most, "a size", &value))
        return value;
    if (decl->value->kind == EXPR_BINARY && decl->value->op == BINARY_LE)
        diag_note(checker->u->diag, decl->value->at,
                  "a bound stands in front of the default: `size %s <= %s = %s;`",
                  decl->names[0].text, ez_source_text(checker, decl->value->args[1]->at),
                  ez_source_text(checker, decl->value->args[0]->at));
    return 1;
}

/* A size gets its number when its formula has all of its parts. */
static void enter(struct checker *checker, struct ez_symbol *symbol, const struct size_decl *size) {
    symbol->value = (ez_number)size->value;
    symbol->bound = size->bound;
    symbol->index = (uint32_t)checker->u->sizes.items.len;
    vec_push(&checker->u->sizes.items, symbol);
    vec_push(&checker->u->size_decls, *size);
}

/* ---- formulas ---- */

static bool formula_of(struct checker *checker, struct expr *expr, struct size_decl *out);

/* A size without a name of its own, the same for the same formula. */
static uint32_t derive(struct checker *checker, struct size_decl *size, struct span at) {
    object_size_normalise(size);
    for (uint32_t i = 0; i < checker->u->size_decls.len; i++)
        if (object_size_same_formula(&checker->u->size_decls.data[i], size))
            return i;
    uint32_t number = (uint32_t)checker->u->size_decls.len;
    struct ez_name name = {arena_printf(&checker->u->arena, "$S%u", (unsigned)number), at};
    struct ez_symbol *s = ez_symbol_new(checker, SYMBOL_EZ_SIZE, name);
    s->read = true;
    size->name = s->name.text;
    object_size_derive(checker->u->size_decls.data, size);
    enter(checker, s, size);
    return s->index;
}

struct size_operand ez_derived(struct checker *checker, enum size_op op, struct size_operand left,
                               struct size_operand right, struct span at) {
    struct size_decl size = {.op = op, .left = left, .right = right};
    return (struct size_operand){derive(checker, &size, at), 0};
}

static bool number_operand(struct checker *checker, const struct expr *expr,
                           struct size_operand *out) {
    *out = (struct size_operand){NO_INDEX, (int64_t)expr->value};
    if (expr->value >= -MAX_SIZE && expr->value <= MAX_SIZE)
        return true;
    diag_error(checker->u->diag, expr->at, "numbers that sizes meet are in -2^40..2^40");
    return false;
}

static bool operand_of(struct checker *checker, struct expr *expr, struct size_operand *out) {
    struct size_decl size = {0};
    if (expr->is_constant)
        return number_operand(checker, expr, out);
    *out = (struct size_operand){NO_INDEX, 0};
    if (ez_is_bare_size(expr)) {
        out->size = expr->symbol->index;
        return true;
    }
    if (!formula_of(checker, expr, &size))
        return false;
    out->size = derive(checker, &size, expr->at);
    return true;
}

/* SIZE_GIVEN: the linker does not work it out. */
static enum size_op binary_of(enum binary_op op) {
    switch (op) {
    case BINARY_ADD:
        return DERIVE_ADD;
    case BINARY_SUB:
        return DERIVE_SUB;
    case BINARY_MUL:
        return DERIVE_MUL;
    case BINARY_DIV:
        return DERIVE_DIV;
    default:
        return SIZE_GIVEN;
    }
}

static enum size_op operation_of(const struct expr *expr) {
    if (expr->kind == EXPR_BINARY)
        return binary_of((enum binary_op)expr->op);
    if (expr->kind == EXPR_UNARY)
        return expr->op == UNARY_NEG ? DERIVE_SUB : SIZE_GIVEN;
    if (expr->kind != EXPR_CALL)
        return SIZE_GIVEN;
    return expr->function == FUNCTION_MIN   ? DERIVE_MIN
           : expr->function == FUNCTION_MAX ? DERIVE_MAX
                                            : SIZE_GIVEN;
}

static bool not_derived(struct checker *checker, const struct expr *expr) {
    diag_error(checker->u->diag, expr->at,
               "this is worked out of sizes and constants by + - * / min and max alone");
    return false;
}

/* What is known of `expr`: its type is that of numbers, and it is no constant. */
static bool formula_of(struct checker *checker, struct expr *expr, struct size_decl *out) {
    struct expr **args = expr->args;
    out->op = operation_of(expr);
    if (out->op == SIZE_GIVEN)
        return not_derived(checker, expr);
    out->left = (struct size_operand){NO_INDEX, 0};
    if (expr->kind != EXPR_UNARY && !operand_of(checker, *args++, &out->left))
        return false;
    if (!operand_of(checker, *args, &out->right))
        return false;
    if (out->op != DERIVE_DIV || out->right.size != NO_INDEX || out->right.value)
        return true;
    diag_error(checker->u->diag, expr->at, "this divides by zero");
    return false;
}

static void become(struct checker *checker, struct expr *expr, uint32_t size) {
    struct ez_symbol *s = checker->u->sizes.items.data[size];
    expr->kind = EXPR_NAME;
    expr->name = (struct ez_name){s->name.text, expr->at};
    expr->symbol = s;
    expr->args = NULL;
    expr->arg_count = 0;
}

bool ez_check_size(struct checker *checker, struct expr *expr) {
    struct size_decl size = {0};
    if (expr->type.state != STATE_NUMBER || expr->is_constant)
        return false;
    if (ez_is_bare_size(expr))
        return true;
    if (!ez_refuse_float(checker, expr, "a size is an integer") ||
        !formula_of(checker, expr, &size)) {
        ez_poison(expr);
        return false;
    }
    become(checker, expr, derive(checker, &size, expr->at));
    return true;
}

bool ez_check_laps(struct checker *checker, struct expr *expr) {
    if (!ez_check_size(checker, expr))
        return false;
    if (ez_size_range(checker->u, expr->symbol->index).least < 0) {
        struct size_operand zero = {NO_INDEX, 0}, own = {expr->symbol->index, 0};
        become(checker, expr, ez_derived(checker, DERIVE_MAX, own, zero, expr->at).size);
    }
    return true;
}

bool ez_check_extent(struct checker *checker, struct expr *expr, uint64_t least, const char *what,
                     struct extent *extent) {
    *extent = (struct extent){NO_INDEX, 1};
    ez_check_expr(checker, expr);
    if (!ez_check_size(checker, expr))
        return ez_check_integer(checker, expr, (ez_number)least, MAX_SIZE, what, &extent->value);
    *extent = (struct extent){expr->symbol->index, 0};
    return true;
}

/* `size m = n / 4;`: the formula has the name. */
static void declare_derived(struct checker *checker, struct decl *decl) {
    struct size_decl size = {.name = decl->names[0].text};
    struct expr *e = decl->value;
    if (decl->bound)
        diag_error(checker->u->diag, decl->bound->at, "the bound of `%s` follows from its formula",
                   decl->names[0].text);
    bool fine = ez_is_bare_size(e) || formula_of(checker, e, &size);
    if (ez_is_bare_size(e))
        size = (struct size_decl){.name = size.name,
                                  .op = DERIVE_ADD,
                                  .left = {e->symbol->index, 0},
                                  .right = {NO_INDEX, 0}};
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_SIZE, decl->names[0], decl);
    if (!s)
        return;
    if (fine) {
        object_size_normalise(&size);
        object_size_derive(checker->u->size_decls.data, &size);
    } else {
        size.op = SIZE_GIVEN;
    }
    enter(checker, s, &size);
}

void ez_decl_size(struct checker *checker, struct decl *decl) {
    struct size_decl size = {.name = decl->names[0].text};
    if (decl->value)
        ez_check_expr(checker, decl->value);
    if (decl->value && decl->value->type.state == STATE_NUMBER && !decl->value->is_constant) {
        declare_derived(checker, decl);
        return;
    }
    size.bound = size_bound(checker, decl);
    size.value = decl->value ? size_default(checker, decl, size.bound) : 0;
    size.has_default = size.value > 0;
    struct ez_symbol *s = ez_declare(checker, SYMBOL_EZ_SIZE, decl->names[0], decl);
    if (s)
        enter(checker, s, &size);
}
