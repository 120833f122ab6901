/* SPDX-License-Identifier: MIT
 * Sizes, and formulas of sizes, which the linker works out (object.h, struct size_decl). */
#include "ezpim/ez/check_size.h"
#include "ezpim/ez/check_flow.h"

#include <string.h>

static const ez_number MAX_SIZE = (ez_number)OBJECT_MAX_EXTENT;

/* ---- declarations ---- */

/* The bound of a size, or 0. */
static uint64_t size_bound(struct checker *c, const struct decl *d) {
    uint64_t bound = 0;
    if (d->bound) {
        check_expr(c, d->bound);
        check_integer(c, d->bound, 1, MAX_SIZE, "the bound of a size", &bound);
    }
    return bound;
}

/* The default of a size. */
static uint64_t size_default(struct checker *c, const struct decl *d, uint64_t bound) {
    uint64_t value = 0;
    ez_number most = bound ? (ez_number)bound : MAX_SIZE;
    if (check_integer(c, d->value, 1, most, "a size", &value))
        return value;
    if (d->value->kind == EXPR_BINARY && d->value->op == BINARY_LE)
        diag_note(c->u->diag, d->value->at,
                  "a bound stands in front of the default: `size %s <= %s = %s;`", d->names[0].text,
                  source_text(c, d->value->args[1]->at), source_text(c, d->value->args[0]->at));
    return 1;
}

/* A size gets its number when its formula has all of its parts. */
static void enter(struct checker *c, struct ez_symbol *s, const struct size_decl *size) {
    s->value = (ez_number)size->value;
    s->bound = size->bound;
    s->index = (uint32_t)c->u->sizes.items.len;
    vec_push(&c->u->sizes.items, s);
    vec_push(&c->u->size_decls, *size);
}

/* ---- formulas ---- */

static bool formula_of(struct checker *c, struct expr *e, struct size_decl *out);

/* A size without a name of its own, the same for the same formula. */
static uint32_t derive(struct checker *c, struct size_decl *size, struct span at) {
    object_size_normalise(size);
    for (uint32_t i = 0; i < c->u->size_decls.len; i++)
        if (object_size_same_formula(&c->u->size_decls.data[i], size))
            return i;
    uint32_t number = (uint32_t)c->u->size_decls.len;
    struct name name = {arena_printf(&c->u->arena, "$S%u", (unsigned)number), at};
    struct ez_symbol *s = symbol_new(c, SYMBOL_EZ_SIZE, name);
    s->read = true;
    size->name = s->name.text;
    object_size_derive(c->u->size_decls.data, size);
    enter(c, s, size);
    return s->index;
}

struct size_operand ez_derived(struct checker *c, enum size_op op, struct size_operand left,
                               struct size_operand right, struct span at) {
    struct size_decl size = {.op = op, .left = left, .right = right};
    return (struct size_operand){derive(c, &size, at), 0};
}

static bool number_operand(struct checker *c, const struct expr *e, struct size_operand *out) {
    *out = (struct size_operand){NO_INDEX, (int64_t)e->value};
    if (e->value >= -MAX_SIZE && e->value <= MAX_SIZE)
        return true;
    diag_error(c->u->diag, e->at, "numbers that sizes meet are in -2^40..2^40");
    return false;
}

static bool operand_of(struct checker *c, struct expr *e, struct size_operand *out) {
    struct size_decl size = {0};
    if (e->is_constant)
        return number_operand(c, e, out);
    *out = (struct size_operand){NO_INDEX, 0};
    if (is_bare_size(e)) {
        out->size = e->symbol->index;
        return true;
    }
    if (!formula_of(c, e, &size))
        return false;
    out->size = derive(c, &size, e->at);
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

static enum size_op operation_of(const struct expr *e) {
    if (e->kind == EXPR_BINARY)
        return binary_of((enum binary_op)e->op);
    if (e->kind == EXPR_UNARY)
        return e->op == UNARY_NEG ? DERIVE_SUB : SIZE_GIVEN;
    if (e->kind != EXPR_CALL)
        return SIZE_GIVEN;
    return e->function == FUNCTION_MIN   ? DERIVE_MIN
           : e->function == FUNCTION_MAX ? DERIVE_MAX
                                         : SIZE_GIVEN;
}

static bool not_derived(struct checker *c, const struct expr *e) {
    diag_error(c->u->diag, e->at,
               "this is worked out of sizes and constants by + - * / min and max alone");
    return false;
}

/* What is known of e: its type is that of numbers, and it is no constant. */
static bool formula_of(struct checker *c, struct expr *e, struct size_decl *out) {
    struct expr **args = e->args;
    out->op = operation_of(e);
    if (out->op == SIZE_GIVEN)
        return not_derived(c, e);
    out->left = (struct size_operand){NO_INDEX, 0};
    if (e->kind != EXPR_UNARY && !operand_of(c, *args++, &out->left))
        return false;
    if (!operand_of(c, *args, &out->right))
        return false;
    if (out->op != DERIVE_DIV || out->right.size != NO_INDEX || out->right.value)
        return true;
    diag_error(c->u->diag, e->at, "this divides by zero");
    return false;
}

static void become(struct checker *c, struct expr *e, uint32_t size) {
    struct ez_symbol *s = c->u->sizes.items.data[size];
    e->kind = EXPR_NAME;
    e->name = (struct name){s->name.text, e->at};
    e->symbol = s;
    e->args = NULL;
    e->arg_count = 0;
}

bool check_size(struct checker *c, struct expr *e) {
    struct size_decl size = {0};
    if (e->type.state != STATE_NUMBER || e->is_constant)
        return false;
    if (is_bare_size(e))
        return true;
    if (!formula_of(c, e, &size)) {
        poison(e);
        return false;
    }
    become(c, e, derive(c, &size, e->at));
    return true;
}

struct size_range ez_size_range(const struct unit *u, uint32_t size) {
    return object_size_range(&u->size_decls.data[size]);
}

bool check_laps(struct checker *c, struct expr *e) {
    if (!check_size(c, e))
        return false;
    if (ez_size_range(c->u, e->symbol->index).least < 0) {
        struct size_operand zero = {NO_INDEX, 0}, own = {e->symbol->index, 0};
        become(c, e, ez_derived(c, DERIVE_MAX, own, zero, e->at).size);
    }
    return true;
}

/* `size m = n / 4;`: the formula has the name. */
static void declare_derived(struct checker *c, struct decl *d) {
    struct size_decl size = {.name = d->names[0].text};
    struct expr *e = d->value;
    if (d->bound)
        diag_error(c->u->diag, d->bound->at, "the bound of `%s` follows from its formula",
                   d->names[0].text);
    bool fine = is_bare_size(e) || formula_of(c, e, &size);
    if (is_bare_size(e))
        size = (struct size_decl){.name = size.name,
                                  .op = DERIVE_ADD,
                                  .left = {e->symbol->index, 0},
                                  .right = {NO_INDEX, 0}};
    struct ez_symbol *s = declare(c, SYMBOL_EZ_SIZE, d->names[0], d);
    if (!s)
        return;
    if (fine) {
        object_size_normalise(&size);
        object_size_derive(c->u->size_decls.data, &size);
    } else {
        size.op = SIZE_GIVEN;
    }
    enter(c, s, &size);
}

void decl_size(struct checker *c, struct decl *d) {
    struct size_decl size = {.name = d->names[0].text};
    if (d->value)
        check_expr(c, d->value);
    if (d->value && d->value->type.state == STATE_NUMBER && !d->value->is_constant) {
        declare_derived(c, d);
        return;
    }
    size.bound = size_bound(c, d);
    size.value = d->value ? size_default(c, d, size.bound) : 0;
    size.has_default = size.value > 0;
    struct ez_symbol *s = declare(c, SYMBOL_EZ_SIZE, d->names[0], d);
    if (s)
        enter(c, s, &size);
}
