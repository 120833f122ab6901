/* SPDX-License-Identifier: MIT
 * Derived sizes: what they can be, what they are, how they are written. */
#include "object/object.h"

#include <inttypes.h>
#include <string.h>

#define LIMIT ((int64_t)OBJECT_MAX_EXTENT)

/* ---- values ---- */

static int64_t floor_div(int64_t x, int64_t y) {
    int64_t q = x / y;
    return q * y != x && (x < 0) != (y < 0) ? q - 1 : q;
}

bool object_size_compute(enum size_op op, int64_t left, int64_t right, int64_t *out) {
    bool fits = true;
    switch (op) {
    case DERIVE_ADD:
        *out = left + right;
        break;
    case DERIVE_SUB:
        *out = left - right;
        break;
    case DERIVE_MUL:
        fits = !__builtin_mul_overflow(left, right, out);
        break;
    case DERIVE_DIV:
        fits = right != 0;
        *out = fits ? floor_div(left, right) : 0;
        break;
    case DERIVE_MIN:
        *out = left < right ? left : right;
        break;
    default:
        *out = left > right ? left : right;
        break;
    }
    return fits && *out >= -LIMIT && *out <= LIMIT;
}

/* ---- ranges ---- */

struct size_range object_size_range(const struct size_decl *s) {
    if (s->op != SIZE_GIVEN)
        return (struct size_range){s->least, s->most};
    return (struct size_range){1, s->bound ? (int64_t)s->bound : LIMIT};
}

static struct size_range operand_range(const struct size_decl *sizes,
                                       const struct size_operand *x) {
    if (x->size == NO_INDEX)
        return (struct size_range){x->value, x->value};
    return object_size_range(&sizes[x->size]);
}

/* x * y within the limit: what is beyond it is refused when there are values. */
static int64_t times(int64_t x, int64_t y) {
    int64_t z;
    bool negative = (x < 0) != (y < 0);
    if (!__builtin_mul_overflow(x, y, &z) && z >= -LIMIT && z <= LIMIT)
        return z;
    return negative ? -LIMIT : LIMIT;
}

/* The range is widened so that it holds x. */
static void hold(struct size_range *r, int64_t x) {
    r->least = x < r->least ? x : r->least;
    r->most = x > r->most ? x : r->most;
}

static struct size_range product(struct size_range a, struct size_range b) {
    struct size_range r = {LIMIT, -LIMIT};
    hold(&r, times(a.least, b.least));
    hold(&r, times(a.least, b.most));
    hold(&r, times(a.most, b.least));
    hold(&r, times(a.most, b.most));
    return r;
}

/* By divisors y.least .. y.most, which do not hold 0. */
static void hold_quotients(struct size_range *r, struct size_range x, struct size_range y) {
    if (y.least > y.most)
        return;
    hold(r, floor_div(x.least, y.least));
    hold(r, floor_div(x.least, y.most));
    hold(r, floor_div(x.most, y.least));
    hold(r, floor_div(x.most, y.most));
}

/* By 0 alone it has no value, and any range is right. */
static struct size_range quotient(struct size_range x, struct size_range y) {
    struct size_range r = {LIMIT, -LIMIT};
    hold_quotients(&r, x, (struct size_range){y.least, y.most < -1 ? y.most : -1});
    hold_quotients(&r, x, (struct size_range){y.least > 1 ? y.least : 1, y.most});
    return r.least <= r.most ? r : (struct size_range){-LIMIT, LIMIT};
}

static struct size_range clipped(int64_t least, int64_t most) {
    struct size_range r = {least < -LIMIT  ? -LIMIT
                           : least > LIMIT ? LIMIT
                                           : least,
                           most < -LIMIT  ? -LIMIT
                           : most > LIMIT ? LIMIT
                                          : most};
    return r;
}

static struct size_range derived_range(enum size_op op, struct size_range a, struct size_range b) {
    switch (op) {
    case DERIVE_ADD:
        return clipped(a.least + b.least, a.most + b.most);
    case DERIVE_SUB:
        return clipped(a.least - b.most, a.most - b.least);
    case DERIVE_MUL:
        return product(a, b);
    case DERIVE_DIV:
        return quotient(a, b);
    case DERIVE_MIN:
        return (struct size_range){a.least < b.least ? a.least : b.least,
                                   a.most < b.most ? a.most : b.most};
    default:
        return (struct size_range){a.least > b.least ? a.least : b.least,
                                   a.most > b.most ? a.most : b.most};
    }
}

void object_size_derive(const struct size_decl *sizes, struct size_decl *s) {
    struct size_range r =
        derived_range(s->op, operand_range(sizes, &s->left), operand_range(sizes, &s->right));
    s->least = r.least;
    s->most = r.most;
    s->bound = r.most >= LIMIT ? 0 : r.most < 1 ? 1 : (uint64_t)r.most;
}

/* ---- formulas ---- */

void object_size_normalise(struct size_decl *s) {
    bool swaps =
        s->op == DERIVE_ADD || s->op == DERIVE_MUL || s->op == DERIVE_MIN || s->op == DERIVE_MAX;
    if (swaps && s->left.size == NO_INDEX && s->right.size != NO_INDEX) {
        struct size_operand number = s->left;
        s->left = s->right;
        s->right = number;
    }
    if (s->op == DERIVE_SUB && s->right.size == NO_INDEX) {
        s->op = DERIVE_ADD;
        s->right.value = -s->right.value;
    }
}

static bool same_operand(const struct size_operand *a, const struct size_operand *b) {
    return a->size == b->size && (a->size != NO_INDEX || a->value == b->value);
}

bool object_size_same_formula(const struct size_decl *a, const struct size_decl *b) {
    return a->op == b->op && (a->op == SIZE_GIVEN || (same_operand(&a->left, &b->left) &&
                                                      same_operand(&a->right, &b->right)));
}

static bool operand_ok(const struct size_operand *x, uint32_t size) {
    if (x->size != NO_INDEX)
        return x->size < size && x->value == 0;
    return x->value >= -LIMIT && x->value <= LIMIT;
}

/* As object_size_normalise leaves it. */
static bool is_normal(const struct size_decl *s) {
    struct size_decl normal = *s;
    object_size_normalise(&normal);
    return object_size_same_formula(s, &normal);
}

bool object_size_formula_ok(const struct size_decl *s, uint32_t size) {
    bool of_sizes = s->left.size != NO_INDEX || s->right.size != NO_INDEX;
    return s->op <= DERIVE_MAX && of_sizes && operand_ok(&s->left, size) &&
           operand_ok(&s->right, size) && is_normal(s);
}

bool object_size_is_unnamed(const struct size_decl *s) {
    return s->op != SIZE_GIVEN && strncmp(s->name, "$S", 2) == 0;
}

const char *object_size_name(struct object *o) {
    char name[16];
    size_t k = o->sizes.len;
    do
        snprintf(name, sizeof name, "$S%u", (unsigned)k++);
    while (object_find_size(o, name) != NO_INDEX);
    return arena_strdup(&o->arena, name);
}

/* How tightly an operator binds; a name or number most. */
enum { SUM = 1, PRODUCT, ATOM };

/* Formulas share parts, so that what is written out grows twofold with each level. */
#define FORMULA_LEVELS 8

struct size_writer {
    const struct object *o;
    struct str *out;
    unsigned levels; /* of unnamed parts that are still written out */
};

static void put_formula(struct size_writer *f, const struct size_decl *s, unsigned around);

static void put_operand(struct size_writer *f, const struct size_operand *x, unsigned around) {
    if (x->size == NO_INDEX) {
        str_printf(f->out, x->value < 0 ? "(%" PRId64 ")" : "%" PRId64, x->value);
        return;
    }
    const struct size_decl *s = &f->o->sizes.data[x->size];
    if (!object_size_is_unnamed(s) || f->levels == 0) {
        str_append(f->out, s->name);
        return;
    }
    f->levels--;
    put_formula(f, s, around);
    f->levels++;
}

static void put_call(struct size_writer *f, const struct size_decl *s) {
    str_append(f->out, s->op == DERIVE_MIN ? "min(" : "max(");
    put_operand(f, &s->left, SUM);
    str_append(f->out, ", ");
    put_operand(f, &s->right, SUM);
    str_char(f->out, ')');
}

/* n + (-3) is written n - 3, and n * 2 as 2 * n. */
static void put_operator(struct size_writer *f, const struct size_decl *s, unsigned binds) {
    static const char signs[] = {
        [DERIVE_ADD] = '+', [DERIVE_SUB] = '-', [DERIVE_MUL] = '*', [DERIVE_DIV] = '/'};
    struct size_operand left = s->left, right = s->right;
    char sign = signs[s->op];
    if (s->op == DERIVE_ADD && right.size == NO_INDEX && right.value < 0) {
        sign = '-';
        right.value = -right.value;
    }
    if (s->op == DERIVE_MUL && right.size == NO_INDEX) {
        right = s->left;
        left = s->right;
    }
    put_operand(f, &left, binds);
    str_printf(f->out, " %c ", sign);
    put_operand(f, &right, s->op == DERIVE_ADD ? binds : binds + 1);
}

/* In parentheses where what stands around it binds as tightly as `around`, and it less. */
static void put_formula(struct size_writer *f, const struct size_decl *s, unsigned around) {
    if (s->op == DERIVE_MIN || s->op == DERIVE_MAX) {
        put_call(f, s);
        return;
    }
    unsigned binds = s->op == DERIVE_ADD || s->op == DERIVE_SUB ? SUM : PRODUCT;
    str_append(f->out, binds < around ? "(" : "");
    put_operator(f, s, binds);
    str_append(f->out, binds < around ? ")" : "");
}

void object_size_formula(const struct object *o, uint32_t size, struct str *out) {
    struct size_writer f = {o, out, FORMULA_LEVELS};
    put_formula(&f, &o->sizes.data[size], SUM);
}

void object_size_text(const struct object *o, uint32_t size, struct str *out) {
    const struct size_decl *s = &o->sizes.data[size];
    struct size_writer f = {o, out, 0};
    str_append(out, s->name);
    if (s->op != SIZE_GIVEN) {
        str_append(out, " = ");
        put_formula(&f, s, SUM);
        return;
    }
    if (s->bound)
        str_printf(out, " <= %" PRIu64, s->bound);
    if (s->has_default)
        str_printf(out, " = %" PRIu64, s->value);
}

size_t object_given_sizes(const struct object *o, const char **names) {
    size_t n = 0;
    for (size_t i = 0; i < o->sizes.len; i++)
        if (o->sizes.data[i].op == SIZE_GIVEN)
            names[n++] = o->sizes.data[i].name;
    return n;
}

/* ---- messages ---- */

bool object_size_allows(const struct object *o, uint32_t size, uint64_t value, struct diag *d) {
    const struct size_decl *s = &o->sizes.data[size];
    bool allowed = !s->bound || value <= s->bound;
    if (d && !allowed)
        diag_error(d, object_span(o, s->place, d),
                   "size '%s' cannot be %" PRIu64 "; it is at most %" PRIu64, s->name, value,
                   s->bound);
    return allowed;
}

static void mark(const struct size_operand *x, uint8_t *needed) {
    if (x->size != NO_INDEX)
        needed[x->size] = 1;
}

static void mark_operands(const struct size_decl *s, uint8_t *needed) {
    mark(&s->left, needed);
    mark(&s->right, needed);
}

/* Operands stand before what is made of them. */
void object_size_parts(const struct object *o, uint32_t size, uint8_t *needed) {
    memset(needed, 0, o->sizes.len);
    needed[size] = 1;
    for (uint32_t i = size + 1; i-- > 0;)
        if (needed[i] && o->sizes.data[i].op != SIZE_GIVEN)
            mark_operands(&o->sizes.data[i], needed);
}

/* The sizes that stand in a formula by their names, and unnamed parts of it. */
static void find_written(const struct object *o, uint32_t size, uint8_t *seen) {
    mark_operands(&o->sizes.data[size], seen);
    for (uint32_t i = size; i-- > 0;)
        if (seen[i] && object_size_is_unnamed(&o->sizes.data[i]))
            mark_operands(&o->sizes.data[i], seen);
}

/* ", with n = 10, h = 3" */
static void put_values(const struct object *o, uint32_t size, const int64_t *values,
                       struct str *out) {
    uint8_t *seen = xcalloc(o->sizes.len, 1);
    const char *between = ", with ";
    find_written(o, size, seen);
    for (uint32_t i = 0; i < size; i++) {
        if (!seen[i] || object_size_is_unnamed(&o->sizes.data[i]))
            continue;
        str_printf(out, "%s%s = %" PRId64, between, o->sizes.data[i].name, values[i]);
        between = ", ";
    }
    free(seen);
}

static int64_t operand_value(const struct size_operand *x, const int64_t *values) {
    return x->size == NO_INDEX ? x->value : values[x->size];
}

void object_size_said(const struct object *o, uint32_t size, struct str *out) {
    if (object_size_is_unnamed(&o->sizes.data[size]))
        object_size_formula(o, size, out);
    else
        str_printf(out, "size '%s'", o->sizes.data[size].name);
}

/* "size 'm' = n / k", or the formula alone of one without a name. */
static void put_named(const struct object *o, uint32_t size, struct str *out) {
    const struct size_decl *s = &o->sizes.data[size];
    if (!object_size_is_unnamed(s))
        str_printf(out, "size '%s' = ", s->name);
    object_size_formula(o, size, out);
}

static void no_value(const struct object *o, uint32_t size, const int64_t *values, struct diag *d) {
    const struct size_decl *s = &o->sizes.data[size];
    bool zero = s->op == DERIVE_DIV && operand_value(&s->right, values) == 0;
    struct str text = {0};
    put_named(o, size, &text);
    str_append(&text, zero ? " divides by zero" : " is not in -2^40..2^40");
    put_values(o, size, values, &text);
    diag_error(d, object_span(o, s->place, d), "%s", str_text(&text));
    str_free(&text);
}

bool object_size_value(const struct object *o, uint32_t size, const int64_t *values, int64_t *out,
                       struct diag *d) {
    const struct size_decl *s = &o->sizes.data[size];
    if (object_size_compute(s->op, operand_value(&s->left, values),
                            operand_value(&s->right, values), out))
        return true;
    if (d)
        no_value(o, size, values, d);
    return false;
}

void object_size_note(const struct object *o, uint32_t size, const int64_t *values,
                      struct diag *d) {
    struct str text = {0};
    if (o->sizes.data[size].op == SIZE_GIVEN)
        return;
    put_named(o, size, &text);
    str_printf(&text, " is %" PRId64, values[size]);
    put_values(o, size, values, &text);
    diag_note(d, object_span(o, o->sizes.data[size].place, d), "%s", str_text(&text));
    str_free(&text);
}

void object_size_derived(const struct object *o, uint32_t size, struct diag *d) {
    struct str formula = {0};
    object_size_formula(o, size, &formula);
    diag_error(d, object_span(o, o->sizes.data[size].place, d),
               "size '%s' is derived and cannot be given a value: it is %s",
               o->sizes.data[size].name, str_text(&formula));
    str_free(&formula);
}
