/* SPDX-License-Identifier: MIT
 * .move, and the operands of GMOVE and LANE (docs/assembly.md, "Moves"). */
#include "asm/move.h"

#include <string.h>

static bool parse_sum(struct move_parser *p, struct linear *out);

bool asm_parse_linear(struct move_parser *p, struct linear *out) {
    return parse_sum(p, out);
}

static bool expect(struct assembler *a, uint16_t code, const char *text) {
    if (asm_take_operator(a, code))
        return true;
    asm_error_token(a, &a->token, "expected '%s'", text);
    return false;
}

/* No coordinate and no lap is in it. */
static bool is_known(const struct linear *x) {
    bool known = true;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        known &= x->coeff[d] == 0;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        known &= x->lap[n] == 0;
    return known;
}

bool asm_linear_is_number(const struct linear *x) {
    return is_known(x) && x->size_coeff == 0;
}

static bool factor_fits(wide x) {
    return x >= -(wide)MOVE_MAX_FACTOR && x <= (wide)MOVE_MAX_FACTOR;
}

static bool linear_fits(struct assembler *a, const struct asm_token *at, const struct linear *x) {
    bool fits = factor_fits(x->offset) && factor_fits(x->size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        fits &= factor_fits(x->coeff[d]);
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        fits &= factor_fits(x->lap[n]);
    if (!fits)
        asm_error_token(a, at, "numbers in a move must be in -2^40..2^40");
    return fits;
}

static void scale(struct linear *x, wide by) {
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        x->coeff[d] *= by;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        x->lap[n] *= by;
    x->offset *= by;
    x->size_coeff *= by;
    if (x->size_coeff == 0)
        x->size = NO_INDEX;
}

/* What it has of sizes, as a value: with the number that stands there, or without. */
static bool size_part(struct assembler *a, const struct asm_token *at, const struct linear *x,
                      bool whole, struct asm_value *out) {
    struct asm_value factor = {.kind = VALUE_NUMBER, .number = x->size_coeff};
    struct asm_value offset = {.kind = VALUE_NUMBER, .number = whole ? x->offset : 0};
    *out = offset;
    if (x->size == NO_INDEX)
        return true;
    *out = (struct asm_value){.kind = VALUE_SIZE, .size = x->size};
    return (x->size_coeff == 1 || asm_combine_sizes(a, at, DERIVE_MUL, out, &factor, out)) &&
           (offset.number == 0 || asm_combine_sizes(a, at, DERIVE_ADD, out, &offset, out));
}

/* The sizes of both as one derived size, with the given operation between them, into x. */
static bool join_sizes(struct assembler *a, const struct asm_token *at, enum size_op op, bool whole,
                       struct linear *x, const struct linear *y) {
    struct asm_value left, right, both;
    if (!size_part(a, at, x, whole, &left) || !size_part(a, at, y, whole, &right) ||
        !asm_combine_sizes(a, at, op, &left, &right, &both) ||
        !asm_value_size(a, at, &both, &x->size))
        return false;
    x->size_coeff = 1;
    return true;
}

/* n - m as one size rather than n + (-1) * m. */
static bool join_sum(struct assembler *a, const struct asm_token *at, struct linear *x,
                     const struct linear *y) {
    struct linear right = *y;
    if (y->size_coeff < 0)
        scale(&right, -1);
    return join_sizes(a, at, y->size_coeff < 0 ? DERIVE_SUB : DERIVE_ADD, false, x, &right);
}

static bool add(struct assembler *a, const struct asm_token *at, struct linear *x,
                const struct linear *y) {
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        x->coeff[d] += y->coeff[d];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        x->lap[n] += y->lap[n];
    x->offset += y->offset;
    if (x->size != NO_INDEX && y->size != NO_INDEX && x->size != y->size)
        return join_sum(a, at, x, y) && linear_fits(a, at, x);
    x->size_coeff += y->size_coeff;
    if (x->size == NO_INDEX)
        x->size = y->size;
    if (x->size_coeff == 0)
        x->size = NO_INDEX;
    return linear_fits(a, at, x);
}

static bool multiply(struct assembler *a, const struct asm_token *at, struct linear *x,
                     struct linear *y) {
    if (!asm_linear_is_number(x)) {
        struct linear other = *x;
        *x = *y;
        *y = other;
    }
    if (!asm_linear_is_number(x) && is_known(x) && is_known(y)) {
        bool joined = join_sizes(a, at, DERIVE_MUL, true, x, y);
        x->offset = 0;
        return joined;
    }
    if (!asm_linear_is_number(x)) {
        asm_error_token(a, at, "a coordinate of a move is a sum of numbers times coordinates");
        return false;
    }
    wide by = x->offset;
    *x = *y;
    scale(x, by);
    return linear_fits(a, at, x);
}

/* x / y, min(x, y), max(x, y): of sizes, or of numbers. */
static bool join_known(struct assembler *a, const struct asm_token *at, enum size_op op,
                       struct linear *x, const struct linear *y) {
    int64_t number;
    if (!is_known(x) || !is_known(y)) {
        asm_error_token(a, at, "this takes sizes and numbers, but neither coordinates nor laps");
        return false;
    }
    if (!asm_linear_is_number(x) || !asm_linear_is_number(y)) {
        bool joined = join_sizes(a, at, op, true, x, y);
        x->offset = 0;
        return joined;
    }
    if (!object_size_compute(op, (int64_t)x->offset, (int64_t)y->offset, &number)) {
        asm_error_token(a, at, "this divides by zero");
        return false;
    }
    x->offset = number;
    return true;
}

/* The name of an index; before all other names. */
static bool take_coordinate(struct move_parser *p, struct linear *out) {
    struct assembler *a = p->a;
    size_t n = token_length(&a->token);
    for (uint32_t d = 0; p->names && d < p->names->count; d++) {
        const struct asm_token *name = &p->names->name[d];
        if (token_length(name) != n ||
            memcmp(asm_token_text(a, name), asm_token_text(a, &a->token), n) != 0)
            continue;
        out->coeff[d] = 1;
        asm_scan(a);
        return true;
    }
    return false;
}

static bool take_size(struct assembler *a, struct linear *out) {
    const uint64_t *size =
        map_get_n(&a->size_names, asm_token_text(a, &a->token), token_length(&a->token));
    if (!size)
        return false;
    out->size = (uint32_t)*size;
    out->size_coeff = 1;
    asm_scan(a);
    return true;
}

/* lap, or lap(n) of the n-th REPEAT around the innermost one. */
static bool parse_lap(struct assembler *a, struct linear *out) {
    wide n = 0;
    asm_scan(a);
    if (asm_take_operator(a, '(') &&
        (!asm_parse_number_in(a, "the number of a REPEAT", 0, MOVE_MAX_LAPS - 1, &n) ||
         !expect(a, ')', ")")))
        return false;
    out->lap[n] = 1;
    return true;
}

/* The first name in a coordinate of the destination that means nothing else. */
static bool name_index(struct move_parser *p, struct linear *out) {
    uint32_t d = p->names->count;
    p->names->name[d] = p->a->token;
    p->named = true;
    out->coeff[d] = 1;
    asm_scan(p->a);
    return true;
}

/* The index of the coordinate at hand, which has its name. */
static bool take_own_index(struct move_parser *p, struct linear *out) {
    struct coordinates own = *p->names;
    struct move_parser q = {.a = p->a, .names = &own};
    own.count++;
    return p->named && take_coordinate(&q, out);
}

/* size(n), a constant, laps, a new index. */
static bool parse_other_name(struct move_parser *p, struct linear *out) {
    struct assembler *a = p->a;
    struct asm_token at = a->token;
    uint64_t *constant = map_get_n(&a->constant_names, asm_token_text(a, &at), token_length(&at));
    if (constant) {
        out->offset = a->constants.data[*constant].value;
        asm_scan(a);
        return linear_fits(a, &at, out);
    }
    if (asm_at_name(a, "size") && asm_scan_peek(a) == '(') {
        asm_scan(a);
        asm_scan(a);
        struct asm_token name = a->token;
        if (name.kind == TOKEN_NAME && take_size(a, out))
            return expect(a, ')', ")");
        asm_error_token(a, &name, "size(...) takes the name of a size");
        return false;
    }
    if (p->names_index && (take_own_index(p, out) || (!p->named && name_index(p, out))))
        return true;
    if (map_get_n(&a->variable_names, asm_token_text(a, &at), token_length(&at))) {
        asm_error_token(a, &at,
                        "a variable is a coordinate of a move by itself alone, as in x[k[i]]; what "
                        "is computed from it goes into another before the move");
        return false;
    }
    asm_error_token(a, &at,
                    "'%.*s' is neither a coordinate of the destination nor a size or constant",
                    (int)token_length(&at), asm_token_text(a, &at));
    asm_suggest(a, &at, &a->size_names);
    return false;
}

/* min(x, y) or max(x, y), at its '('. */
static bool parse_extreme(struct move_parser *p, enum size_op op, struct linear *out) {
    struct asm_token at = p->a->token;
    struct linear right;
    return expect(p->a, '(', "(") && parse_sum(p, out) && expect(p->a, ',', ",") &&
           parse_sum(p, &right) && expect(p->a, ')', ")") && join_known(p->a, &at, op, out, &right);
}

static bool parse_factor(struct move_parser *p, struct linear *out) {
    struct assembler *a = p->a;
    struct asm_token at = a->token;
    *out = (struct linear){.size = NO_INDEX};
    if ((asm_at_name(a, "min") || asm_at_name(a, "max")) && asm_scan_peek(a) == '(') {
        enum size_op op = asm_at_name(a, "min") ? DERIVE_MIN : DERIVE_MAX;
        asm_scan(a);
        return parse_extreme(p, op, out);
    }
    if (at.kind == TOKEN_NUMBER) {
        out->offset = (wide)at.number;
        asm_scan(a);
        return linear_fits(a, &at, out);
    }
    if (at.kind == TOKEN_NAME && asm_at_name(a, "lap"))
        return parse_lap(a, out);
    if (at.kind == TOKEN_NAME)
        return take_coordinate(p, out) || take_size(a, out) || parse_other_name(p, out);
    if (asm_take_operator(a, '('))
        return parse_sum(p, out) && expect(a, ')', ")");
    if (asm_take_operator(a, '-')) {
        bool ok = ++a->expression_depth <= MAX_EXPRESSION && parse_factor(p, out);
        a->expression_depth--;
        scale(out, -1);
        return ok;
    }
    if (at.kind != TOKEN_BAD)
        asm_error_token(a, &at, "expected a number, a coordinate or a size");
    return false;
}

static bool parse_product(struct move_parser *p, struct linear *out) {
    struct linear right;
    if (!parse_factor(p, out))
        return false;
    while (asm_at_operator(p->a, '*') || asm_at_operator(p->a, '/')) {
        struct asm_token at = p->a->token;
        asm_scan(p->a);
        if (!parse_factor(p, &right) ||
            !(at.code == '*' ? multiply(p->a, &at, out, &right)
                             : join_known(p->a, &at, DERIVE_DIV, out, &right)))
            return false;
    }
    return true;
}

static bool parse_terms(struct move_parser *p, struct linear *out) {
    struct linear right;
    if (!parse_product(p, out))
        return false;
    while (asm_at_operator(p->a, '+') || asm_at_operator(p->a, '-')) {
        struct asm_token at = p->a->token;
        asm_scan(p->a);
        if (!parse_product(p, &right))
            return false;
        if (at.code == '-')
            scale(&right, -1);
        if (!add(p->a, &at, out, &right))
            return false;
    }
    return true;
}

static bool parse_sum(struct move_parser *p, struct linear *out) {
    struct assembler *a = p->a;
    bool deep = ++a->expression_depth > MAX_EXPRESSION;
    if (deep)
        asm_error_token(a, &a->token, "this expression is nested too deep");
    bool ok = !deep && parse_terms(p, out);
    a->expression_depth--;
    return ok;
}

static void narrow_laps(const struct linear *x, int64_t out[MOVE_MAX_LAPS]) {
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        out[n] = (int64_t)x->lap[n];
}

static struct move_bound narrow_bound(const struct linear *x) {
    return (struct move_bound){(int64_t)x->offset, x->size, (int64_t)x->size_coeff};
}

static void set_laps(struct assembler *a, struct move *m, enum move_form form, uint32_t d,
                     const struct linear *x) {
    int64_t laps[MOVE_MAX_LAPS];
    narrow_laps(x, laps);
    object_move_set_laps(m, form, d, laps, &a->arena);
}

static void set_bound(struct assembler *a, struct move *m, enum move_form form, uint32_t d,
                      const struct linear *x) {
    *(form == MOVE_FIRST ? &m->first[d] : &m->last[d]) = narrow_bound(x);
    m->bounded |= (uint8_t)(1u << d);
    set_laps(a, m, form, d, x);
}

static bool parse_bound(struct assembler *a, struct move *m, enum move_form form, uint32_t d) {
    struct move_parser p = {.a = a};
    struct linear x;
    if (!parse_sum(&p, &x))
        return false;
    set_bound(a, m, form, d, &x);
    return true;
}

/* r8, or r8 .. r15 of a T[8]. */
static bool parse_registers(struct assembler *a, struct gmove_side *s) {
    uint8_t last;
    s->count = 1;
    if (!asm_parse_register(a, &s->reg))
        return false;
    if (!asm_take_operator(a, OP2('.', '.')))
        return true;
    struct asm_token at = a->token;
    if (!asm_parse_register(a, &last))
        return false;
    s->has_k = true;
    s->count = (uint8_t)(last - s->reg + 1);
    if (last >= s->reg)
        return true;
    asm_error_token(a, &at, "the last register stands before the first");
    return false;
}

static bool take_variable(struct assembler *a, struct gmove_side *s) {
    const uint64_t *known =
        map_get_n(&a->variable_names, asm_token_text(a, &a->token), token_length(&a->token));
    if (a->token.kind != TOKEN_NAME || !known)
        return false;
    const struct variable *v = &a->o->vars.data[*known];
    s->group = v->group;
    s->reg = v->reg;
    s->count = (uint8_t)v->count;
    s->has_k = v->has_k;
    s->variable = v;
    asm_scan(a);
    return true;
}

/* A name that is neither a variable nor, by its first character, a register. */
static bool unknown_name(struct assembler *a) {
    struct asm_token t = a->token;
    const char *text = asm_token_text(a, &t);
    bool digit = token_length(&t) > 1 && text[1] >= '0' && text[1] <= '9';
    if (t.kind != TOKEN_NAME || ((text[0] | 0x20) == 'r' && digit))
        return false;
    asm_error_token(a, &t, "'%.*s' is neither a variable nor a register", (int)token_length(&t),
                    text);
    asm_suggest(a, &t, &a->variable_names);
    return true;
}

/* @g r3, @g r8 .. r15, r3 (no group), or a variable. */
bool asm_parse_side(struct assembler *a, struct gmove_side *s) {
    *s = (struct gmove_side){.group = NO_INDEX, .at = a->token};
    bool ok = asm_take_operator(a, '@')
                  ? asm_parse_group_name(a, &s->group) && parse_registers(a, s)
                  : take_variable(a, s) || (!unknown_name(a) && parse_registers(a, s));
    s->at.end = a->previous_end;
    s->dims = ok ? object_move_dims(a->o, s->group, s->has_k) : 0;
    return ok;
}

bool asm_check_dims(struct assembler *a, const struct gmove_side *s, uint32_t given) {
    if (given == s->dims)
        return true;
    asm_error_token(a, &s->at, "this has %u coordinate%s, not %u", (unsigned)s->dims,
                    s->dims == 1 ? "" : "s", (unsigned)given);
    return false;
}

/* A coordinate without an index: the one place that it says. */
static bool set_place(struct assembler *a, struct coordinates *c, struct move *m,
                      const struct linear *x) {
    struct linear behind = *x;
    uint32_t d = c->count;
    if (asm_at_operator(a, ':')) {
        asm_error_token(a, &a->token, "a coordinate without an index has no range");
        return false;
    }
    behind.offset++;
    c->name[d] = (struct asm_token){0};
    c->own[d] = *x;
    c->count++;
    set_bound(a, m, MOVE_FIRST, d, x);
    set_bound(a, m, MOVE_LAST, d, &behind);
    return true;
}

/* 2 * i + 1, or a place; what follows is left. */
static bool parse_strided(struct assembler *a, struct coordinates *c, struct move *m) {
    struct move_parser p = {.a = a, .names = c, .names_index = true};
    struct asm_token at = a->token;
    uint32_t d = c->count;
    struct linear x;
    if (!parse_sum(&p, &x))
        return false;
    bool other = p.named && x.coeff[d] == 0;
    for (uint32_t k = 0; k < d; k++)
        other |= x.coeff[k] != 0;
    at.end = a->previous_end;
    c->text[d] = at;
    if (other) {
        asm_error_token(a, &at,
                        "a coordinate of the destination is a multiple of an index of its "
                        "own, which is not 0, and numbers");
        return false;
    }
    if (!p.named)
        return set_place(a, c, m, &x);
    const struct move_bound offset = narrow_bound(&x);
    object_move_set_stride(m, d, (int64_t)x.coeff[d], &offset, &a->arena);
    set_laps(a, m, MOVE_STRIDE, d, &x);
    c->own[d] = x;
    c->count++;
    return true;
}

/* The name of an index alone, whatever else has that name. */
static bool at_plain_index(const struct assembler *a) {
    char next = asm_scan_peek(a);
    return a->token.kind == TOKEN_NAME && !asm_at_name(a, "lap") &&
           (next == ',' || next == ']' || next == ':');
}

/* i, 2 * i + 1, or either with : first .. last */
static bool parse_coordinate(struct assembler *a, struct coordinates *c, struct move *m) {
    uint32_t d = c->count;
    if (d == MOVE_MAX_DIMS) {
        asm_error_token(a, &a->token, "a move has at most %d coordinates", MOVE_MAX_DIMS);
        return false;
    }
    if (!at_plain_index(a)) {
        if (!parse_strided(a, c, m))
            return false;
    } else if (asm_take_name(a, "the name of a coordinate", &c->name[d])) {
        c->text[d] = c->name[d];
        c->own[d] = (struct linear){.size = NO_INDEX};
        c->own[d].coeff[d] = 1;
        c->count++;
    }
    if (!asm_take_operator(a, ':'))
        return true;
    return parse_bound(a, m, MOVE_FIRST, d) && expect(a, OP2('.', '.'), "..") &&
           parse_bound(a, m, MOVE_LAST, d);
}

static bool parse_coordinates(struct assembler *a, const struct gmove_side *s,
                              struct coordinates *c, struct move *m) {
    if (asm_take_operator(a, '[')) {
        do {
            if (!parse_coordinate(a, c, m))
                return false;
        } while (asm_take_operator(a, ','));
        if (!expect(a, ']', "]"))
            return false;
    }
    return asm_check_dims(a, s, c->count);
}

static bool parse_source_coordinate(struct move_parser *p, uint32_t c, struct move *m) {
    struct move_affine *out = &m->source[c];
    struct linear x;
    if (asm_at_move_index(p->a))
        return asm_parse_move_index(p, c, m);
    if (!parse_sum(p, &x))
        return false;
    for (unsigned k = 0; k < MOVE_MAX_DIMS; k++)
        out->coeff[k] = (int64_t)x.coeff[k];
    out->offset = (int64_t)x.offset;
    out->size = x.size;
    out->size_coeff = (int64_t)x.size_coeff;
    set_laps(p->a, m, MOVE_SOURCE, c, &x);
    return true;
}

/* The coordinates of `s` in those of `near`, which are named. */
static bool parse_source(struct assembler *a, const struct gmove_side *s,
                         const struct gmove_side *near, struct coordinates *c, struct move *m) {
    struct move_parser p = {.a = a, .names = c, .near = near};
    uint32_t d = 0;
    if (asm_take_operator(a, '[')) {
        do {
            if (d == MOVE_MAX_DIMS) {
                asm_error_token(a, &a->token, "a move has at most %d coordinates", MOVE_MAX_DIMS);
                return false;
            }
            if (!parse_source_coordinate(&p, d++, m))
                return false;
        } while (asm_take_operator(a, ','));
        if (!expect(a, ']', "]"))
            return false;
    }
    return asm_check_dims(a, s, d);
}

/* keep (as nothing), wrap, clip, or else NUMBER. */
static bool parse_outside(struct assembler *a, struct move *m) {
    wide low = -((wide)1 << (m->width - 1)), high = ((wide)1 << m->width) - 1, fill;
    if (asm_at_name(a, "clip") && !asm_check_clip(a, m))
        return false;
    if (asm_at_name(a, "keep") || asm_at_name(a, "wrap") || asm_at_name(a, "clip")) {
        m->outside = asm_at_name(a, "wrap")   ? MOVE_WRAP
                     : asm_at_name(a, "clip") ? MOVE_CLIP
                                              : MOVE_KEEP;
        asm_scan(a);
        return true;
    }
    if (!asm_at_name(a, "else"))
        return true;
    if (!asm_check_else(a, m))
        return false;
    asm_scan(a);
    if (!asm_parse_number_in(a, "the constant", low, high, &fill))
        return false;
    m->outside = MOVE_FILL;
    m->fill = (uint64_t)fill;
    return true;
}

/* y[i] = x[..] */
static bool parse_gather(struct assembler *a, struct gmove_side *dst, struct gmove_side *src,
                         struct move *m) {
    struct coordinates c = {.count = 0};
    return asm_parse_side(a, dst) && parse_coordinates(a, dst, &c, m) && expect(a, '=', "=") &&
           asm_parse_side(a, src) && parse_source(a, src, dst, &c, m);
}

/* y[k[i]] = x[i]: the names of coordinates stand on the right, which therefore is read first. */
static bool parse_scatter(struct assembler *a, struct gmove_side *dst, struct gmove_side *src,
                          struct move *m) {
    struct coordinates c = {.count = 0};
    struct scan_mark left, right;
    if (!asm_parse_side(a, dst))
        return false;
    left = asm_scan_mark(a);
    if (!asm_skip_brackets(a) || !expect(a, '=', "=") || !asm_parse_side(a, src) ||
        !parse_coordinates(a, src, &c, m))
        return false;
    right = asm_scan_mark(a);
    asm_scan_return(a, &left);
    m->index.kind = INDEX_SCATTER;
    bool ok = parse_source(a, dst, src, &c, m);
    asm_scan_return(a, &right);
    return ok;
}

static bool parse_move(struct assembler *a, struct move *m) {
    struct gmove_side dst, src;
    struct mpu_type type;
    if (!asm_parse_type(a, &type) ||
        !(asm_at_scatter(a) ? parse_scatter(a, &dst, &src, m) : parse_gather(a, &dst, &src, m)))
        return false;
    m->width = type.bits;
    m->dst_group = dst.group;
    m->dst_reg = dst.reg;
    m->dst_count = dst.count;
    m->dst_has_k = dst.has_k;
    m->src_group = src.group;
    m->src_reg = src.reg;
    m->src_count = src.count;
    m->src_has_k = src.has_k;
    if (dst.variable)
        m->scope = dst.variable->scope;
    return parse_outside(a, m) && asm_parse_scope(a, dst.group, &m->scope);
}

void asm_declare_move(struct assembler *a) {
    struct asm_token name;
    struct move m = {0};
    if (!asm_take_name(a, "the name of the move", &name))
        return;
    m.name = asm_keep(a, asm_token_text(a, &name), token_length(&name));
    m.place = asm_place(a, name.begin);
    if (!parse_move(a, &m))
        return;
    const uint64_t *first = map_get(&a->move_names, m.name);
    if (first) {
        asm_error_token(a, &name, "move '%s' is declared twice", m.name);
        diag_note(a->d, object_span(a->o, a->o->moves.data[*first].place, a->d),
                  "first declared here");
        return;
    }
    map_put(&a->move_names, m.name, a->o->moves.len);
    builder_gmove_record(a->b, &m);
}

void asm_gmove(struct assembler *a, const struct asm_token *mnemonic) {
    struct asm_token name;
    wide index;
    uint32_t move;
    if (a->token.kind == TOKEN_NUMBER && a->o->moves.len) {
        if (!asm_parse_number_in(a, "the move", 0, (wide)a->o->moves.len - 1, &index))
            return;
        move = (uint32_t)index;
    } else {
        if (!asm_take_name(a, "the name of a move", &name))
            return;
        const uint64_t *known =
            map_get_n(&a->move_names, asm_token_text(a, &name), token_length(&name));
        if (!known) {
            asm_error_token(a, &name, "there is no move '%.*s'", (int)token_length(&name),
                            asm_token_text(a, &name));
            asm_suggest(a, &name, &a->move_names);
            return;
        }
        move = (uint32_t)*known;
    }
    asm_expect_end(a);
    if (a->failed)
        return;
    asm_tell_builder(a, mnemonic->begin, mnemonic->end);
    builder_gmove(a->b, move);
}

/* The lowest k of a map. */
static wide least_k(unsigned map) {
    if (map == LANE_SHIFT || map == LANE_ROTATE)
        return -((wide)1 << 19);
    return map == LANE_BROADCAST ? 0 : 1;
}

void asm_lane(struct assembler *a, const struct asm_token *mnemonic) {
    struct insn i = {.op = OP_LANE};
    struct asm_token at = a->token;
    wide k = 0;
    while (i.mode < LANE_MAPS && !asm_at_name(a, isa_lane_map_name(i.mode)))
        i.mode++;
    if (i.mode == LANE_MAPS) {
        asm_error_token(a, &at,
                        "LANE takes identity, shift k, rotate k, gather k, scatter k, reverse or "
                        "broadcast k");
        return;
    }
    asm_scan(a);
    if (isa_lane_map_has_k(i.mode) &&
        !asm_parse_number_in(a, "k", least_k(i.mode), ((wide)1 << 19) - 1, &k))
        return;
    i.imm = (int32_t)k;
    asm_expect_end(a);
    if (a->failed)
        return;
    asm_tell_builder(a, mnemonic->begin, mnemonic->end);
    builder_emit(a->b, &i);
}
