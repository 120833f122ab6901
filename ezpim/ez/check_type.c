/* SPDX-License-Identifier: MIT
 * Types: how untyped numbers take one, and how two operands agree on one. */
#include "ezpim/ez/check.h"
#include "ezpim/ez/move.h"
#include "ezpim/ir.h"
#include "support/bits.h"

#include <string.h>

const struct mpu_type type_bool = {TYPE_BOOL, 1};

struct value_type type_of(struct mpu_type t) {
    return (struct value_type){.state = STATE_TYPED, .type = t};
}

bool type_is_bool(struct value_type t) {
    return t.state == STATE_TYPED && t.type.kind == TYPE_BOOL;
}

bool type_is_integer(struct value_type t) {
    return t.state == STATE_TYPED && t.type.kind != TYPE_BOOL;
}

bool type_same(struct mpu_type a, struct mpu_type b) {
    return a.kind == b.kind && a.bits == b.bits;
}

const char *type_name(struct checker *c, struct mpu_type t) {
    char text[8];
    object_type_text(t, text);
    return arena_strdup(&c->u->arena, text);
}

const char *number_text(struct checker *c, ez_number v) {
    char digits[48];
    char *p = digits + sizeof digits;
    bool negative = v < 0;
    *--p = '\0';
    do {
        int digit = (int)(v % 10);
        *--p = (char)('0' + (negative ? -digit : digit));
        v /= 10;
    } while (v);
    if (negative)
        *--p = '-';
    return arena_strdup(&c->u->arena, p);
}

const char *source_text(struct checker *c, struct span at) {
    size_t size;
    const char *text = diag_source_text(c->u->diag, at.source, &size);
    return arena_strndup(&c->u->arena, text + at.begin, at.end - at.begin);
}

void suggest_cast(struct checker *c, const struct expr *e, struct mpu_type to) {
    const char *text = source_text(c, e->at);
    bool bare = e->parenthesized && e->kind == EXPR_BINARY;
    const char *fix = arena_printf(&c->u->arena, bare ? "%s%s" : "%s(%s)", type_name(c, to), text);
    diag_note(c->u->diag, e->at, "write `%s`", fix);
    diag_fixit(c->u->diag, e->at, fix);
}

uint64_t ez_all_elements(const struct ez_symbol *s) {
    return s->count >= 64 ? UINT64_MAX : ((uint64_t)1 << s->count) - 1;
}

uint64_t ez_pattern(ez_number value, struct mpu_type type) {
    return (uint64_t)value & low_bits(type.bits);
}

ez_number ez_value(uint64_t pattern, struct mpu_type type) {
    if (type.kind == TYPE_INT)
        return sign_extend(pattern, type.bits);
    return pattern;
}

bool number_fits(ez_number v, struct mpu_type t) {
    ez_number one = 1;
    if (t.kind == TYPE_INT)
        return v >= -(one << (t.bits - 1)) && v < one << (t.bits - 1);
    return v >= 0 && v < one << t.bits;
}

void set_constant(struct expr *e, ez_number v, struct mpu_type t) {
    e->is_constant = true;
    e->type = type_of(t);
    e->value = ez_value(ez_pattern(v, t), t);
}

static void coerce_constant(struct checker *c, struct expr *e, struct mpu_type t, bool silent) {
    if (!silent && !number_fits(e->value, t)) {
        ez_number last = ((ez_number)1 << (t.kind == TYPE_INT ? t.bits - 1 : t.bits)) - 1;
        ez_number first = t.kind == TYPE_INT ? -last - 1 : 0;
        diag_error(c->u->diag, e->at, "the constant %s does not fit %s", number_text(c, e->value),
                   type_name(c, t));
        diag_note(c->u->diag, e->at, "%s goes from %s to %s; `%s(%s)` drops the bits above",
                  type_name(c, t), number_text(c, first), number_text(c, last), type_name(c, t),
                  source_text(c, e->at));
    }
    set_constant(e, e->value, t);
}

static void coerce_size(struct checker *c, struct expr *e, struct mpu_type t, bool silent) {
    unsigned bits = t.kind == TYPE_INT ? t.bits - 1u : t.bits;
    unsigned needed = ez_type_up_to(e->symbol->bound, EZ_SIZE_BITS).bits;
    int64_t least = ez_size_range(c->u, e->symbol->index).least;
    if (!silent && least < 0 && !number_fits(least, t)) {
        diag_warning(c->u->diag, W_TRUNCATED, e->at, "the size `%s` may be %s and is cut to %s",
                     e->name.text, number_text(c, least), type_name(c, t));
        suggest_cast(c, e, t);
    } else if (!silent && bits < needed) {
        diag_warning(c->u->diag, W_TRUNCATED, e->at,
                     "the size `%s` may need %u bits and is cut to %s", e->name.text, needed,
                     type_name(c, t));
        suggest_cast(c, e, t);
    }
    e->type = type_of(t);
}

static void coerce_counter(struct checker *c, struct expr *e, struct mpu_type t, bool silent) {
    const struct ez_symbol *k = e->symbol;
    if (!silent && (!number_fits(k->value, t) || !number_fits(k->counter.last, t)))
        diag_error(c->u->diag, e->at, "`%s` goes from %s to %s, which does not fit %s",
                   k->name.text, number_text(c, k->value), number_text(c, k->counter.last),
                   type_name(c, t));
    e->type = type_of(t);
}

static bool is_shift(const struct expr *e) {
    return e->kind == EXPR_BINARY && (e->op == BINARY_SHL || e->op == BINARY_SHR);
}

static void coerce_operands(struct checker *c, struct expr *e, struct mpu_type t, bool silent) {
    uint32_t first = e->kind == EXPR_CALL && e->function == FUNCTION_SELECT ? 1 : 0;
    uint32_t end = is_shift(e) ? 1 : e->arg_count;
    for (uint32_t i = first; i < end; i++)
        coerce(c, e->args[i], t, silent);
    e->type = type_of(t);
    e->operand_type = t;
    fold_typed(e);
}

void coerce(struct checker *c, struct expr *e, struct mpu_type t, bool silent) {
    if (e->type.state != STATE_NUMBER)
        return;
    if (t.kind == TYPE_BOOL) {
        diag_error(c->u->diag, e->at, "a number is no bool; write `true`, `false` or a comparison");
        poison(e);
    } else if (e->is_constant)
        coerce_constant(c, e, t, silent);
    else if (e->kind == EXPR_NAME && e->symbol->kind == SYMBOL_EZ_COUNTER)
        coerce_counter(c, e, t, silent);
    else if (e->kind == EXPR_NAME)
        coerce_size(c, e, t, silent);
    else
        coerce_operands(c, e, t, silent);
}

static bool report_mixed_bool(struct checker *c, const char *what, struct span at) {
    diag_error(c->u->diag, at, "`%s` mixes bool and a number", what);
    diag_note(c->u->diag, at, "a bool becomes a number by a cast, a number a bool by `!= 0`");
    return false;
}

static bool report_mixed_sign(struct checker *c, const char *what, struct span at, struct expr *a,
                              struct expr *b) {
    struct mpu_type x = a->type.type, y = b->type.type;
    diag_error(c->u->diag, at, "`%s` mixes %s and %s", what, type_name(c, x), type_name(c, y));
    struct mpu_type to = {x.kind, x.bits > y.bits ? x.bits : y.bits};
    suggest_cast(c, b, to);
    return false;
}

static bool agree(struct checker *c, const char *what, struct span at, struct expr *a,
                  struct expr *b, struct value_type *t) {
    struct mpu_type x = a->type.type, y = b->type.type;
    if ((x.kind == TYPE_BOOL) != (y.kind == TYPE_BOOL))
        return report_mixed_bool(c, what, at);
    if (x.kind != y.kind)
        return report_mixed_sign(c, what, at, a, b);
    *t = type_of(x.bits >= y.bits ? x : y);
    return true;
}

bool common_type(struct checker *c, const char *what, struct span at, struct expr *a,
                 struct expr *b, struct value_type *t) {
    if (a->type.state == STATE_ERROR || b->type.state == STATE_ERROR)
        return false;
    *t = TYPE_NUMBER;
    if (a->type.state == STATE_NUMBER && b->type.state == STATE_NUMBER)
        return true;
    if (a->type.state == STATE_NUMBER)
        coerce(c, a, b->type.type, false);
    else
        coerce(c, b, a->type.type, false);
    if (a->type.state == STATE_ERROR || b->type.state == STATE_ERROR)
        return false;
    return agree(c, what, at, a, b, t);
}

static bool report_assign(struct checker *c, struct expr *e, struct mpu_type t, struct span name) {
    struct mpu_type from = e->type.type;
    bool narrows = from.kind == t.kind;
    diag_error(c->u->diag, e->at,
               narrows ? "%s does not fit into `%s` of type %s"
                       : "%s cannot be stored in `%s` of type %s",
               type_name(c, from), source_text(c, name), type_name(c, t));
    if (t.kind == TYPE_BOOL)
        diag_note(c->u->diag, e->at, "write `%s != 0`", source_text(c, e->at));
    else
        suggest_cast(c, e, t);
    return false;
}

bool check_assignable(struct checker *c, struct expr *e, struct mpu_type t, struct span name) {
    coerce(c, e, t, false);
    if (e->type.state != STATE_TYPED)
        return false;
    struct mpu_type from = e->type.type;
    if (from.kind != t.kind || from.bits > t.bits)
        return report_assign(c, e, t, name);
    return true;
}

static bool is_float_name(const char *name) {
    static const char *const floats[] = {"f16", "bf16", "f32", "f64"};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (strcmp(name, floats[i]) == 0)
            return true;
    return false;
}

bool resolve_type(struct checker *c, struct name name, struct mpu_type *t) {
    static const char *const common[] = {"bool", "u8",  "u16", "u32", "u64",
                                         "i8",   "i16", "i32", "i64"};
    if (is_float_name(name.text)) {
        report_unsupported(c, name.at, name.text);
        return false;
    }
    if (!object_type_parse(name.text, strlen(name.text), t)) {
        diag_error(c->u->diag, name.at, "`%s` is not a type", name.text);
        diag_suggest(c->u->diag, name.at, name.text, common, sizeof common / sizeof *common);
        diag_note(c->u->diag, name.at, "types are bool, u1 to u64 and i2 to i64");
        return false;
    }
    return true;
}

bool resolve_count(struct checker *c, struct expr *count, uint32_t *k) {
    uint64_t value = 1;
    check_expr(c, count);
    if (!check_integer(c, count, 1, IR_REGISTERS, "the number of registers", &value))
        return false;
    *k = (uint32_t)value;
    return true;
}
