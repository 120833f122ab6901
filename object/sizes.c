/* SPDX-License-Identifier: MIT
 * Derived sizes: what they can be, what they are, how they are written. */
#include "object/object.h"

#include <inttypes.h>
#include <string.h>

#define LIMIT ((int64_t)OBJECT_MAX_EXTENT)

/* ---- values ---- */

static int64_t floor_div(int64_t left, int64_t right) {
    int64_t q = left / right;
    return q * right != left && (left < 0) != (right < 0) ? q - 1 : q;
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

struct size_range object_size_range(const struct size_decl *decl) {
    if (decl->op != SIZE_GIVEN)
        return (struct size_range){decl->least, decl->most};
    return (struct size_range){1, decl->bound ? (int64_t)decl->bound : LIMIT};
}

static struct size_range operand_range(const struct size_decl *sizes,
                                       const struct size_operand *operand) {
    if (operand->size == NO_INDEX)
        return (struct size_range){operand->value, operand->value};
    return object_size_range(&sizes[operand->size]);
}

/* left * right within the limit: what is beyond it is refused when there are values. */
static int64_t times(int64_t left, int64_t right) {
    int64_t z;
    bool negative = (left < 0) != (right < 0);
    if (!__builtin_mul_overflow(left, right, &z) && z >= -LIMIT && z <= LIMIT)
        return z;
    return negative ? -LIMIT : LIMIT;
}

/* The range is widened so that it holds x. */
static void hold(struct size_range *range, int64_t x) {
    range->least = x < range->least ? x : range->least;
    range->most = x > range->most ? x : range->most;
}

static struct size_range product(struct size_range left, struct size_range right) {
    struct size_range r = {LIMIT, -LIMIT};
    hold(&r, times(left.least, right.least));
    hold(&r, times(left.least, right.most));
    hold(&r, times(left.most, right.least));
    hold(&r, times(left.most, right.most));
    return r;
}

/* By divisors y.least .. y.most, which do not hold 0. */
static void hold_quotients(struct size_range *range, struct size_range left,
                           struct size_range right) {
    if (right.least > right.most)
        return;
    hold(range, floor_div(left.least, right.least));
    hold(range, floor_div(left.least, right.most));
    hold(range, floor_div(left.most, right.least));
    hold(range, floor_div(left.most, right.most));
}

/* By 0 alone it has no value, and any range is right. */
static struct size_range quotient(struct size_range left, struct size_range right) {
    struct size_range r = {LIMIT, -LIMIT};
    hold_quotients(&r, left, (struct size_range){right.least, right.most < -1 ? right.most : -1});
    hold_quotients(&r, left, (struct size_range){right.least > 1 ? right.least : 1, right.most});
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

static struct size_range derived_range(enum size_op op, struct size_range left,
                                       struct size_range right) {
    switch (op) {
    case DERIVE_ADD:
        return clipped(left.least + right.least, left.most + right.most);
    case DERIVE_SUB:
        return clipped(left.least - right.most, left.most - right.least);
    case DERIVE_MUL:
        return product(left, right);
    case DERIVE_DIV:
        return quotient(left, right);
    case DERIVE_MIN:
        return (struct size_range){left.least < right.least ? left.least : right.least,
                                   left.most < right.most ? left.most : right.most};
    default:
        return (struct size_range){left.least > right.least ? left.least : right.least,
                                   left.most > right.most ? left.most : right.most};
    }
}

void object_size_derive(const struct size_decl *sizes, struct size_decl *decl) {
    struct size_range r = derived_range(decl->op, operand_range(sizes, &decl->left),
                                        operand_range(sizes, &decl->right));
    decl->least = r.least;
    decl->most = r.most;
    decl->bound = r.most >= LIMIT ? 0 : r.most < 1 ? 1 : (uint64_t)r.most;
}

/* ---- formulas ---- */

void object_size_normalise(struct size_decl *decl) {
    bool swaps = decl->op == DERIVE_ADD || decl->op == DERIVE_MUL || decl->op == DERIVE_MIN ||
                 decl->op == DERIVE_MAX;
    if (swaps && decl->left.size == NO_INDEX && decl->right.size != NO_INDEX) {
        struct size_operand number = decl->left;
        decl->left = decl->right;
        decl->right = number;
    }
    if (decl->op == DERIVE_SUB && decl->right.size == NO_INDEX) {
        decl->op = DERIVE_ADD;
        decl->right.value = -decl->right.value;
    }
}

static bool same_operand(const struct size_operand *left, const struct size_operand *right) {
    return left->size == right->size && (left->size != NO_INDEX || left->value == right->value);
}

bool object_size_same_formula(const struct size_decl *left, const struct size_decl *right) {
    return left->op == right->op &&
           (left->op == SIZE_GIVEN ||
            (same_operand(&left->left, &right->left) && same_operand(&left->right, &right->right)));
}

static bool operand_ok(const struct size_operand *operand, uint32_t size) {
    if (operand->size != NO_INDEX)
        return operand->size < size && operand->value == 0;
    return operand->value >= -LIMIT && operand->value <= LIMIT;
}

/* As object_size_normalise leaves it. */
static bool is_normal(const struct size_decl *decl) {
    struct size_decl normal = *decl;
    object_size_normalise(&normal);
    return object_size_same_formula(decl, &normal);
}

bool object_size_formula_ok(const struct size_decl *decl, uint32_t size) {
    bool of_sizes = decl->left.size != NO_INDEX || decl->right.size != NO_INDEX;
    return decl->op <= DERIVE_MAX && of_sizes && operand_ok(&decl->left, size) &&
           operand_ok(&decl->right, size) && is_normal(decl);
}

bool object_size_is_unnamed(const struct size_decl *decl) {
    return decl->op != SIZE_GIVEN && strncmp(decl->name, "$S", 2) == 0;
}

const char *object_size_name(struct object *object) {
    char name[16];
    size_t k = object->sizes.len;
    do
        snprintf(name, sizeof name, "$S%u", (unsigned)k++);
    while (object_find_size(object, name) != NO_INDEX);
    return arena_strdup(&object->arena, name);
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

static void put_formula(struct size_writer *writer, const struct size_decl *decl, unsigned around);

static void put_operand(struct size_writer *writer, const struct size_operand *operand,
                        unsigned around) {
    if (operand->size == NO_INDEX) {
        str_printf(writer->out, operand->value < 0 ? "(%" PRId64 ")" : "%" PRId64, operand->value);
        return;
    }
    const struct size_decl *s = &writer->o->sizes.data[operand->size];
    if (!object_size_is_unnamed(s) || writer->levels == 0) {
        str_append(writer->out, s->name);
        return;
    }
    writer->levels--;
    put_formula(writer, s, around);
    writer->levels++;
}

static void put_call(struct size_writer *writer, const struct size_decl *decl) {
    str_append(writer->out, decl->op == DERIVE_MIN ? "min(" : "max(");
    put_operand(writer, &decl->left, SUM);
    str_append(writer->out, ", ");
    put_operand(writer, &decl->right, SUM);
    str_char(writer->out, ')');
}

/* n + (-3) is written n - 3, and n * 2 as 2 * n; parentheses keep n + (m + 1) what it is. */
static void put_operator(struct size_writer *writer, const struct size_decl *decl, unsigned binds) {
    static const char signs[] = {
        [DERIVE_ADD] = '+', [DERIVE_SUB] = '-', [DERIVE_MUL] = '*', [DERIVE_DIV] = '/'};
    struct size_operand left = decl->left, right = decl->right;
    char sign = signs[decl->op];
    if (decl->op == DERIVE_ADD && right.size == NO_INDEX && right.value < 0) {
        sign = '-';
        right.value = -right.value;
    }
    if (decl->op == DERIVE_MUL && right.size == NO_INDEX) {
        right = decl->left;
        left = decl->right;
    }
    put_operand(writer, &left, binds);
    str_printf(writer->out, " %c ", sign);
    put_operand(writer, &right, binds + 1);
}

/* In parentheses where what stands around it binds as tightly as `around`, and it less. */
static void put_formula(struct size_writer *writer, const struct size_decl *decl, unsigned around) {
    if (decl->op == DERIVE_MIN || decl->op == DERIVE_MAX) {
        put_call(writer, decl);
        return;
    }
    unsigned binds = decl->op == DERIVE_ADD || decl->op == DERIVE_SUB ? SUM : PRODUCT;
    str_append(writer->out, binds < around ? "(" : "");
    put_operator(writer, decl, binds);
    str_append(writer->out, binds < around ? ")" : "");
}

void object_size_formula(const struct object *object, uint32_t size, struct str *out) {
    struct size_writer f = {object, out, FORMULA_LEVELS};
    put_formula(&f, &object->sizes.data[size], SUM);
}

void object_size_text(const struct object *object, uint32_t size, struct str *out) {
    const struct size_decl *s = &object->sizes.data[size];
    struct size_writer f = {object, out, 0};
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

size_t object_given_sizes(const struct object *object, const char **names) {
    size_t n = 0;
    for (size_t i = 0; i < object->sizes.len; i++)
        if (object->sizes.data[i].op == SIZE_GIVEN)
            names[n++] = object->sizes.data[i].name;
    return n;
}

/* ---- messages ---- */

bool object_size_allows(const struct object *object, uint32_t size, uint64_t value,
                        struct diag *diag) {
    const struct size_decl *s = &object->sizes.data[size];
    bool allowed = !s->bound || value <= s->bound;
    if (diag && !allowed)
        diag_error(diag, object_span(object, s->place, diag),
                   "size '%s' cannot be %" PRIu64 "; it is at most %" PRIu64, s->name, value,
                   s->bound);
    return allowed;
}

static void mark(const struct size_operand *operand, uint8_t *needed) {
    if (operand->size != NO_INDEX)
        needed[operand->size] = 1;
}

static void mark_operands(const struct size_decl *decl, uint8_t *needed) {
    mark(&decl->left, needed);
    mark(&decl->right, needed);
}

/* Operands stand before what is made of them. */
void object_size_parts(const struct object *object, uint32_t size, uint8_t *needed) {
    memset(needed, 0, object->sizes.len);
    needed[size] = 1;
    for (uint32_t i = size + 1; i-- > 0;)
        if (needed[i] && object->sizes.data[i].op != SIZE_GIVEN)
            mark_operands(&object->sizes.data[i], needed);
}

/* The sizes that stand in a formula by their names, and unnamed parts of it. */
static void find_written(const struct object *object, uint32_t size, uint8_t *seen) {
    mark_operands(&object->sizes.data[size], seen);
    for (uint32_t i = size; i-- > 0;)
        if (seen[i] && object_size_is_unnamed(&object->sizes.data[i]))
            mark_operands(&object->sizes.data[i], seen);
}

/* ", with n = 10, h = 3" */
static void put_values(const struct object *object, uint32_t size, const int64_t *values,
                       struct str *out) {
    uint8_t *seen = xcalloc(object->sizes.len, 1);
    const char *between = ", with ";
    find_written(object, size, seen);
    for (uint32_t i = 0; i < size; i++) {
        if (!seen[i] || object_size_is_unnamed(&object->sizes.data[i]))
            continue;
        str_printf(out, "%s%s = %" PRId64, between, object->sizes.data[i].name, values[i]);
        between = ", ";
    }
    free(seen);
}

static int64_t operand_value(const struct size_operand *operand, const int64_t *values) {
    return operand->size == NO_INDEX ? operand->value : values[operand->size];
}

void object_size_said(const struct object *object, uint32_t size, struct str *out) {
    if (object_size_is_unnamed(&object->sizes.data[size]))
        object_size_formula(object, size, out);
    else
        str_printf(out, "size '%s'", object->sizes.data[size].name);
}

/* "size 'm' = n / k", or the formula alone of one without a name. */
static void put_named(const struct object *object, uint32_t size, struct str *out) {
    const struct size_decl *s = &object->sizes.data[size];
    if (!object_size_is_unnamed(s))
        str_printf(out, "size '%s' = ", s->name);
    object_size_formula(object, size, out);
}

static void no_value(const struct object *object, uint32_t size, const int64_t *values,
                     struct diag *diag) {
    const struct size_decl *s = &object->sizes.data[size];
    bool zero = s->op == DERIVE_DIV && operand_value(&s->right, values) == 0;
    struct str text = {0};
    put_named(object, size, &text);
    str_append(&text, zero ? " divides by zero" : " is not in -2^40..2^40");
    put_values(object, size, values, &text);
    diag_error(diag, object_span(object, s->place, diag), "%s", str_text(&text));
    str_free(&text);
}

bool object_size_value(const struct object *object, uint32_t size, const int64_t *values,
                       int64_t *out, struct diag *diag) {
    const struct size_decl *s = &object->sizes.data[size];
    if (object_size_compute(s->op, operand_value(&s->left, values),
                            operand_value(&s->right, values), out))
        return true;
    if (diag)
        no_value(object, size, values, diag);
    return false;
}

void object_size_note(const struct object *object, uint32_t size, const int64_t *values,
                      struct diag *diag) {
    struct str text = {0};
    if (object->sizes.data[size].op == SIZE_GIVEN)
        return;
    put_named(object, size, &text);
    str_printf(&text, " is %" PRId64, values[size]);
    put_values(object, size, values, &text);
    diag_note(diag, object_span(object, object->sizes.data[size].place, diag), "%s",
              str_text(&text));
    str_free(&text);
}

void object_size_derived(const struct object *object, uint32_t size, struct diag *diag) {
    struct str formula = {0};
    object_size_formula(object, size, &formula);
    diag_error(diag, object_span(object, object->sizes.data[size].place, diag),
               "size '%s' is derived and cannot be given a value: it is %s",
               object->sizes.data[size].name, str_text(&formula));
    str_free(&formula);
}

bool object_extent_ok(const struct object *object, const struct extent *extent) {
    if (extent->size != NO_INDEX)
        return extent->size < object->sizes.len;
    return extent->value >= 1 && extent->value <= OBJECT_MAX_EXTENT;
}
