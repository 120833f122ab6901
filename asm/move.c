/* SPDX-License-Identifier: MIT
 * .move, and the operands of GMOVE and LANE (docs/assembly.md, "Moves"). */
#include "asm/move.h"

#include <string.h>

static bool parse_sum(struct move_parser *parser, struct linear *out);

bool asm_parse_linear(struct move_parser *parser, struct linear *out) {
    return parse_sum(parser, out);
}

static bool expect(struct assembler *assembler, uint16_t code, const char *text) {
    if (asm_take_operator(assembler, code))
        return true;
    asm_error_token(assembler, &assembler->token, "expected '%s'", text);
    return false;
}

/* No coordinate and no lap is in it. */
static bool is_known(const struct linear *linear) {
    bool known = true;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        known &= linear->coeff[d] == 0;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        known &= linear->lap[n] == 0;
    return known;
}

bool asm_linear_is_number(const struct linear *linear) {
    return is_known(linear) && linear->size_coeff == 0;
}

static bool factor_fits(wide x) {
    return x >= -(wide)MOVE_MAX_FACTOR && x <= (wide)MOVE_MAX_FACTOR;
}

static bool linear_fits(struct assembler *assembler, const struct asm_token *at,
                        const struct linear *linear) {
    bool fits = factor_fits(linear->offset) && factor_fits(linear->size_coeff);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        fits &= factor_fits(linear->coeff[d]);
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        fits &= factor_fits(linear->lap[n]);
    if (!fits)
        asm_error_token(assembler, at, "numbers in a move must be in -2^40..2^40");
    return fits;
}

static void scale(struct linear *linear, wide by) {
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        linear->coeff[d] *= by;
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        linear->lap[n] *= by;
    linear->offset *= by;
    linear->size_coeff *= by;
    if (linear->size_coeff == 0)
        linear->size = NO_INDEX;
}

/* What it has of sizes, as a value: with the number that stands there, or without. */
static bool size_part(struct assembler *assembler, const struct asm_token *at,
                      const struct linear *linear, bool whole, struct asm_value *out) {
    struct asm_value factor = {.kind = VALUE_NUMBER, .number = linear->size_coeff};
    struct asm_value offset = {.kind = VALUE_NUMBER, .number = whole ? linear->offset : 0};
    *out = offset;
    if (linear->size == NO_INDEX)
        return true;
    *out = (struct asm_value){.kind = VALUE_SIZE, .size = linear->size};
    return (linear->size_coeff == 1 ||
            asm_combine_sizes(assembler, at, DERIVE_MUL, out, &factor, out)) &&
           (offset.number == 0 || asm_combine_sizes(assembler, at, DERIVE_ADD, out, &offset, out));
}

/* The sizes of both as one derived size, with the given operation between them, into x. */
static bool join_sizes(struct assembler *assembler, const struct asm_token *at, enum size_op op,
                       bool whole, struct linear *x, const struct linear *y) {
    struct asm_value left, right, both;
    if (!size_part(assembler, at, x, whole, &left) || !size_part(assembler, at, y, whole, &right) ||
        !asm_combine_sizes(assembler, at, op, &left, &right, &both) ||
        !asm_value_size(assembler, at, &both, &x->size))
        return false;
    x->size_coeff = 1;
    return true;
}

/* n - m as one size rather than n + (-1) * m. */
static bool join_sum(struct assembler *assembler, const struct asm_token *at, struct linear *x,
                     const struct linear *y) {
    struct linear right = *y;
    if (y->size_coeff < 0)
        scale(&right, -1);
    return join_sizes(assembler, at, y->size_coeff < 0 ? DERIVE_SUB : DERIVE_ADD, false, x, &right);
}

static bool add(struct assembler *assembler, const struct asm_token *at, struct linear *left,
                const struct linear *right) {
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        left->coeff[d] += right->coeff[d];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        left->lap[n] += right->lap[n];
    left->offset += right->offset;
    if (left->size != NO_INDEX && right->size != NO_INDEX && left->size != right->size)
        return join_sum(assembler, at, left, right) && linear_fits(assembler, at, left);
    left->size_coeff += right->size_coeff;
    if (left->size == NO_INDEX)
        left->size = right->size;
    if (left->size_coeff == 0)
        left->size = NO_INDEX;
    return linear_fits(assembler, at, left);
}

static bool multiply(struct assembler *assembler, const struct asm_token *at, struct linear *left,
                     struct linear *right) {
    if (!asm_linear_is_number(left)) {
        struct linear other = *left;
        *left = *right;
        *right = other;
    }
    if (!asm_linear_is_number(left) && is_known(left) && is_known(right)) {
        bool joined = join_sizes(assembler, at, DERIVE_MUL, true, left, right);
        left->offset = 0;
        return joined;
    }
    if (!asm_linear_is_number(left)) {
        asm_error_token(assembler, at,
                        "a coordinate of a move is a sum of numbers times coordinates");
        return false;
    }
    wide by = left->offset;
    *left = *right;
    scale(left, by);
    return linear_fits(assembler, at, left);
}

/* left / right, min(left, right), max(left, right): of sizes, or of numbers. */
static bool join_known(struct assembler *assembler, const struct asm_token *at, enum size_op op,
                       struct linear *left, const struct linear *right) {
    int64_t number;
    if (!is_known(left) || !is_known(right)) {
        asm_error_token(assembler, at,
                        "this takes sizes and numbers, but neither coordinates nor laps");
        return false;
    }
    if (!asm_linear_is_number(left) || !asm_linear_is_number(right)) {
        bool joined = join_sizes(assembler, at, op, true, left, right);
        left->offset = 0;
        return joined;
    }
    if (!object_size_compute(op, (int64_t)left->offset, (int64_t)right->offset, &number)) {
        asm_error_token(assembler, at, "this divides by zero");
        return false;
    }
    left->offset = number;
    return true;
}

/* The name of an index; before all other names. */
static bool take_coordinate(struct move_parser *parser, struct linear *out) {
    struct assembler *a = parser->a;
    size_t n = token_length(&a->token);
    for (uint32_t d = 0; parser->names && d < parser->names->count; d++) {
        const struct asm_token *name = &parser->names->name[d];
        if (token_length(name) != n ||
            memcmp(asm_token_text(a, name), asm_token_text(a, &a->token), n) != 0)
            continue;
        out->coeff[d] = 1;
        asm_scan(a);
        return true;
    }
    return false;
}

static bool take_size(struct assembler *assembler, struct linear *out) {
    const uint64_t *size =
        map_get_n(&assembler->size_names, asm_token_text(assembler, &assembler->token),
                  token_length(&assembler->token));
    if (!size)
        return false;
    out->size = (uint32_t)*size;
    out->size_coeff = 1;
    asm_scan(assembler);
    return true;
}

/* lap, or lap(n) of the n-th REPEAT around the innermost one. */
static bool parse_lap(struct assembler *assembler, struct linear *out) {
    wide n = 0;
    asm_scan(assembler);
    if (asm_take_operator(assembler, '(') &&
        (!asm_parse_number_in(assembler, "the number of a REPEAT", 0, MOVE_MAX_LAPS - 1, &n) ||
         !expect(assembler, ')', ")")))
        return false;
    out->lap[n] = 1;
    return true;
}

/* The first name in a coordinate of the destination that means nothing else. */
static bool name_index(struct move_parser *parser, struct linear *out) {
    uint32_t d = parser->names->count;
    parser->names->name[d] = parser->a->token;
    parser->named = true;
    out->coeff[d] = 1;
    asm_scan(parser->a);
    return true;
}

/* The index of the coordinate at hand, which has its name. */
static bool take_own_index(struct move_parser *parser, struct linear *out) {
    struct coordinates own = *parser->names;
    struct move_parser q = {.a = parser->a, .names = &own};
    own.count++;
    return parser->named && take_coordinate(&q, out);
}

/* size(n), a constant, laps, a new index. */
static bool parse_other_name(struct move_parser *parser, struct linear *out) {
    struct assembler *a = parser->a;
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
    if (parser->names_index &&
        (take_own_index(parser, out) || (!parser->named && name_index(parser, out))))
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
static bool parse_extreme(struct move_parser *parser, enum size_op op, struct linear *out) {
    struct asm_token at = parser->a->token;
    struct linear right;
    return expect(parser->a, '(', "(") && parse_sum(parser, out) && expect(parser->a, ',', ",") &&
           parse_sum(parser, &right) && expect(parser->a, ')', ")") &&
           join_known(parser->a, &at, op, out, &right);
}

static bool parse_factor(struct move_parser *parser, struct linear *out) {
    struct assembler *a = parser->a;
    struct asm_token at = a->token;
    *out = (struct linear){.size = NO_INDEX};
    if ((asm_at_name(a, "min") || asm_at_name(a, "max")) && asm_scan_peek(a) == '(') {
        enum size_op op = asm_at_name(a, "min") ? DERIVE_MIN : DERIVE_MAX;
        asm_scan(a);
        return parse_extreme(parser, op, out);
    }
    if (at.kind == TOKEN_NUMBER) {
        out->offset = (wide)at.number;
        asm_scan(a);
        return linear_fits(a, &at, out);
    }
    if (at.kind == TOKEN_NAME && asm_at_name(a, "lap"))
        return parse_lap(a, out);
    if (at.kind == TOKEN_NAME)
        return take_coordinate(parser, out) || take_size(a, out) || parse_other_name(parser, out);
    if (asm_take_operator(a, '('))
        return parse_sum(parser, out) && expect(a, ')', ")");
    if (asm_take_operator(a, '-')) {
        bool ok = asm_enter_expression(a, &at) && parse_factor(parser, out);
        a->expression_depth--;
        scale(out, -1);
        return ok;
    }
    if (at.kind != TOKEN_BAD)
        asm_error_token(a, &at, "expected a number, a coordinate or a size");
    return false;
}

static bool parse_product(struct move_parser *parser, struct linear *out) {
    struct linear right;
    if (!parse_factor(parser, out))
        return false;
    while (asm_at_operator(parser->a, '*') || asm_at_operator(parser->a, '/')) {
        struct asm_token at = parser->a->token;
        asm_scan(parser->a);
        if (!parse_factor(parser, &right) ||
            !(at.code == '*' ? multiply(parser->a, &at, out, &right)
                             : join_known(parser->a, &at, DERIVE_DIV, out, &right)))
            return false;
    }
    return true;
}

static bool parse_terms(struct move_parser *parser, struct linear *out) {
    struct linear right;
    if (!parse_product(parser, out))
        return false;
    while (asm_at_operator(parser->a, '+') || asm_at_operator(parser->a, '-')) {
        struct asm_token at = parser->a->token;
        asm_scan(parser->a);
        if (!parse_product(parser, &right))
            return false;
        if (at.code == '-')
            scale(&right, -1);
        if (!add(parser->a, &at, out, &right))
            return false;
    }
    return true;
}

static bool parse_sum(struct move_parser *parser, struct linear *out) {
    struct assembler *a = parser->a;
    bool ok = asm_enter_expression(a, &a->token) && parse_terms(parser, out);
    a->expression_depth--;
    return ok;
}

static void narrow_laps(const struct linear *linear, int64_t out[MOVE_MAX_LAPS]) {
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        out[n] = (int64_t)linear->lap[n];
}

static struct move_bound narrow_bound(const struct linear *linear) {
    return (struct move_bound){(int64_t)linear->offset, linear->size, (int64_t)linear->size_coeff};
}

static void set_laps(struct assembler *assembler, struct move *move, enum move_form form,
                     uint32_t d, const struct linear *linear) {
    int64_t laps[MOVE_MAX_LAPS];
    narrow_laps(linear, laps);
    object_move_set_laps(move, form, d, laps, &assembler->arena);
}

static void set_bound(struct assembler *assembler, struct move *move, enum move_form form,
                      uint32_t d, const struct linear *linear) {
    *(form == MOVE_FIRST ? &move->first[d] : &move->last[d]) = narrow_bound(linear);
    move->bounded |= (uint8_t)(1u << d);
    set_laps(assembler, move, form, d, linear);
}

static bool parse_bound(struct assembler *assembler, struct move *move, enum move_form form,
                        uint32_t d) {
    struct move_parser p = {.a = assembler};
    struct linear x;
    if (!parse_sum(&p, &x))
        return false;
    set_bound(assembler, move, form, d, &x);
    return true;
}

/* r8, or r8 .. r15 of a T[8]. */
static bool parse_registers(struct assembler *assembler, struct gmove_side *side) {
    uint8_t last;
    side->count = 1;
    if (!asm_parse_register(assembler, &side->reg))
        return false;
    if (!asm_take_operator(assembler, OP2('.', '.')))
        return true;
    struct asm_token at = assembler->token;
    if (!asm_parse_register(assembler, &last))
        return false;
    side->has_k = true;
    side->count = (uint8_t)(last - side->reg + 1);
    if (last >= side->reg)
        return true;
    asm_error_token(assembler, &at, "the last register stands before the first");
    return false;
}

static bool take_variable(struct assembler *assembler, struct gmove_side *side) {
    const uint64_t *known =
        map_get_n(&assembler->variable_names, asm_token_text(assembler, &assembler->token),
                  token_length(&assembler->token));
    if (assembler->token.kind != TOKEN_NAME || !known)
        return false;
    const struct variable *v = &assembler->o->vars.data[*known];
    side->group = v->group;
    side->reg = v->reg;
    side->count = (uint8_t)v->count;
    side->has_k = v->has_k;
    side->variable = v;
    asm_scan(assembler);
    return true;
}

/* A name that is neither a variable nor, by its first character, a register. */
static bool unknown_name(struct assembler *assembler) {
    struct asm_token t = assembler->token;
    const char *text = asm_token_text(assembler, &t);
    bool digit = token_length(&t) > 1 && text[1] >= '0' && text[1] <= '9';
    if (t.kind != TOKEN_NAME || ((text[0] | 0x20) == 'r' && digit))
        return false;
    asm_error_token(assembler, &t, "'%.*s' is neither a variable nor a register",
                    (int)token_length(&t), text);
    asm_suggest(assembler, &t, &assembler->variable_names);
    return true;
}

/* @g r3, @g r8 .. r15, r3 (no group), or a variable. */
bool asm_parse_side(struct assembler *assembler, struct gmove_side *side) {
    *side = (struct gmove_side){.group = NO_INDEX, .at = assembler->token};
    bool ok =
        asm_take_operator(assembler, '@')
            ? asm_parse_group_name(assembler, &side->group) && parse_registers(assembler, side)
            : take_variable(assembler, side) ||
                  (!unknown_name(assembler) && parse_registers(assembler, side));
    side->at.end = assembler->previous_end;
    side->dims = ok ? object_move_dims(assembler->o, side->group, side->has_k) : 0;
    return ok;
}

bool asm_check_dims(struct assembler *assembler, const struct gmove_side *side, uint32_t given) {
    if (given == side->dims)
        return true;
    asm_error_token(assembler, &side->at, "this has %u coordinate%s, not %u", (unsigned)side->dims,
                    side->dims == 1 ? "" : "s", (unsigned)given);
    return false;
}

/* A coordinate without an index: the one place that it says. */
static bool set_place(struct assembler *assembler, struct coordinates *coordinates,
                      struct move *move, const struct linear *linear) {
    struct linear behind = *linear;
    uint32_t d = coordinates->count;
    if (asm_at_operator(assembler, ':')) {
        asm_error_token(assembler, &assembler->token, "a coordinate without an index has no range");
        return false;
    }
    behind.offset++;
    coordinates->name[d] = (struct asm_token){0};
    coordinates->own[d] = *linear;
    coordinates->count++;
    set_bound(assembler, move, MOVE_FIRST, d, linear);
    set_bound(assembler, move, MOVE_LAST, d, &behind);
    return true;
}

/* 2 * i + 1, or a place; what follows is left. */
static bool parse_strided(struct assembler *assembler, struct coordinates *coordinates,
                          struct move *move) {
    struct move_parser p = {.a = assembler, .names = coordinates, .names_index = true};
    struct asm_token at = assembler->token;
    uint32_t d = coordinates->count;
    struct linear x;
    if (!parse_sum(&p, &x))
        return false;
    bool other = p.named && x.coeff[d] == 0;
    for (uint32_t k = 0; k < d; k++)
        other |= x.coeff[k] != 0;
    at.end = assembler->previous_end;
    coordinates->text[d] = at;
    if (other) {
        asm_error_token(assembler, &at,
                        "a coordinate of the destination is a multiple of an index of its "
                        "own, which is not 0, and numbers");
        return false;
    }
    if (!p.named)
        return set_place(assembler, coordinates, move, &x);
    const struct move_bound offset = narrow_bound(&x);
    object_move_set_stride(move, d, (int64_t)x.coeff[d], &offset, &assembler->arena);
    set_laps(assembler, move, MOVE_STRIDE, d, &x);
    coordinates->own[d] = x;
    coordinates->count++;
    return true;
}

/* The name of an index alone, whatever else has that name. */
static bool at_plain_index(const struct assembler *assembler) {
    char next = asm_scan_peek(assembler);
    return assembler->token.kind == TOKEN_NAME && !asm_at_name(assembler, "lap") &&
           (next == ',' || next == ']' || next == ':');
}

/* i, 2 * i + 1, or either with : first .. last */
static bool parse_coordinate(struct assembler *assembler, struct coordinates *coordinates,
                             struct move *move) {
    uint32_t d = coordinates->count;
    if (d == MOVE_MAX_DIMS) {
        asm_error_token(assembler, &assembler->token, "a move has at most %d coordinates",
                        MOVE_MAX_DIMS);
        return false;
    }
    if (!at_plain_index(assembler)) {
        if (!parse_strided(assembler, coordinates, move))
            return false;
    } else if (asm_take_name(assembler, "the name of a coordinate", &coordinates->name[d])) {
        coordinates->text[d] = coordinates->name[d];
        coordinates->own[d] = (struct linear){.size = NO_INDEX};
        coordinates->own[d].coeff[d] = 1;
        coordinates->count++;
    }
    if (!asm_take_operator(assembler, ':'))
        return true;
    return parse_bound(assembler, move, MOVE_FIRST, d) && expect(assembler, OP2('.', '.'), "..") &&
           parse_bound(assembler, move, MOVE_LAST, d);
}

static bool parse_coordinates(struct assembler *assembler, const struct gmove_side *side,
                              struct coordinates *coordinates, struct move *move) {
    if (asm_take_operator(assembler, '[')) {
        do {
            if (!parse_coordinate(assembler, coordinates, move))
                return false;
        } while (asm_take_operator(assembler, ','));
        if (!expect(assembler, ']', "]"))
            return false;
    }
    return asm_check_dims(assembler, side, coordinates->count);
}

static bool parse_source_coordinate(struct move_parser *parser, uint32_t c, struct move *move) {
    struct move_affine *out = &move->source[c];
    struct linear x;
    if (asm_at_move_index(parser->a))
        return asm_parse_move_index(parser, c, move);
    if (!parse_sum(parser, &x))
        return false;
    for (unsigned k = 0; k < MOVE_MAX_DIMS; k++)
        out->coeff[k] = (int64_t)x.coeff[k];
    out->offset = (int64_t)x.offset;
    out->size = x.size;
    out->size_coeff = (int64_t)x.size_coeff;
    set_laps(parser->a, move, MOVE_SOURCE, c, &x);
    return true;
}

/* The coordinates of `side` in those of `near`, which are named. */
static bool parse_source(struct assembler *assembler, const struct gmove_side *side,
                         const struct gmove_side *near, struct coordinates *coordinates,
                         struct move *move) {
    struct move_parser p = {.a = assembler, .names = coordinates, .near = near};
    uint32_t d = 0;
    if (asm_take_operator(assembler, '[')) {
        do {
            if (d == MOVE_MAX_DIMS) {
                asm_error_token(assembler, &assembler->token, "a move has at most %d coordinates",
                                MOVE_MAX_DIMS);
                return false;
            }
            if (!parse_source_coordinate(&p, d++, move))
                return false;
        } while (asm_take_operator(assembler, ','));
        if (!expect(assembler, ']', "]"))
            return false;
    }
    return asm_check_dims(assembler, side, d);
}

/* Numbers of an integer type may be written with and without a sign. */
static bool parse_fill(struct assembler *assembler, struct lane_type type, wide *fill) {
    wide low = -((wide)1 << (type.bits - 1)), high = ((wide)1 << type.bits) - 1;
    return object_type_is_float(type)
               ? asm_parse_real(assembler, type, fill)
               : asm_parse_number_in(assembler, "the constant", low, high, fill);
}

/* keep (as nothing), wrap, clip, or else NUMBER. */
static bool parse_outside(struct assembler *assembler, struct lane_type type, struct move *move) {
    wide fill;
    if (asm_at_name(assembler, "clip") && !asm_check_clip(assembler, move))
        return false;
    if (asm_at_name(assembler, "keep") || asm_at_name(assembler, "wrap") ||
        asm_at_name(assembler, "clip")) {
        move->outside = asm_at_name(assembler, "wrap")   ? MOVE_WRAP
                        : asm_at_name(assembler, "clip") ? MOVE_CLIP
                                                         : MOVE_KEEP;
        asm_scan(assembler);
        return true;
    }
    if (!asm_at_name(assembler, "else"))
        return true;
    if (!asm_check_else(assembler, move))
        return false;
    asm_scan(assembler);
    if (!parse_fill(assembler, type, &fill))
        return false;
    move->outside = MOVE_FILL;
    move->fill = (uint64_t)fill;
    return true;
}

/* y[i] = x[..] */
static bool parse_gather(struct assembler *assembler, struct gmove_side *dst,
                         struct gmove_side *src, struct move *move) {
    struct coordinates c = {.count = 0};
    return asm_parse_side(assembler, dst) && parse_coordinates(assembler, dst, &c, move) &&
           expect(assembler, '=', "=") && asm_parse_side(assembler, src) &&
           parse_source(assembler, src, dst, &c, move);
}

/* y[k[i]] = x[i]: the names of coordinates stand on the right, which therefore is read first. */
static bool parse_scatter(struct assembler *assembler, struct gmove_side *dst,
                          struct gmove_side *src, struct move *move) {
    struct coordinates c = {.count = 0};
    struct scan_mark left, right;
    if (!asm_parse_side(assembler, dst))
        return false;
    left = asm_scan_mark(assembler);
    if (!asm_skip_brackets(assembler) || !expect(assembler, '=', "=") ||
        !asm_parse_side(assembler, src) || !parse_coordinates(assembler, src, &c, move))
        return false;
    right = asm_scan_mark(assembler);
    asm_scan_return(assembler, &left);
    move->index.kind = INDEX_SCATTER;
    bool ok = parse_source(assembler, dst, src, &c, move);
    asm_scan_return(assembler, &right);
    return ok;
}

static bool parse_move(struct assembler *assembler, struct move *move) {
    struct gmove_side dst, src;
    struct lane_type type;
    if (!asm_parse_type(assembler, &type) ||
        !(asm_at_scatter(assembler) ? parse_scatter(assembler, &dst, &src, move)
                                    : parse_gather(assembler, &dst, &src, move)))
        return false;
    move->width = type.bits;
    move->dst_group = dst.group;
    move->dst_reg = dst.reg;
    move->dst_count = dst.count;
    move->dst_has_k = dst.has_k;
    move->src_group = src.group;
    move->src_reg = src.reg;
    move->src_count = src.count;
    move->src_has_k = src.has_k;
    if (dst.variable)
        move->scope = dst.variable->scope;
    return parse_outside(assembler, type, move) &&
           asm_parse_scope(assembler, dst.group, &move->scope);
}

void asm_declare_move(struct assembler *assembler) {
    struct asm_token name;
    struct move m = {0};
    if (!asm_take_name(assembler, "the name of the move", &name))
        return;
    m.name = asm_keep(assembler, asm_token_text(assembler, &name), token_length(&name));
    m.place = asm_place(assembler, name.begin);
    if (!parse_move(assembler, &m))
        return;
    if (assembler->o->moves.len > OBJECT_MAX_MOVES)
        return; /* after reporting the first that is too many */
    if (assembler->o->moves.len == OBJECT_MAX_MOVES)
        asm_error_token(assembler, &name, "a program has at most 2^16 moves");
    const uint64_t *first = map_get(&assembler->move_names, m.name);
    if (first) {
        asm_error_token(assembler, &name, "move '%s' is declared twice", m.name);
        diag_note(assembler->d,
                  object_span(assembler->o, assembler->o->moves.data[*first].place, assembler->d),
                  "first declared here");
        return;
    }
    map_put(&assembler->move_names, m.name, assembler->o->moves.len);
    builder_gmove_record(assembler->b, &m);
}

void asm_gmove(struct assembler *assembler, const struct asm_token *mnemonic) {
    struct asm_token name;
    wide index;
    uint32_t move;
    if (assembler->token.kind == TOKEN_NUMBER && assembler->o->moves.len) {
        if (!asm_parse_number_in(assembler, "the move", 0, (wide)assembler->o->moves.len - 1,
                                 &index))
            return;
        move = (uint32_t)index;
    } else {
        if (!asm_take_name(assembler, "the name of a move", &name))
            return;
        const uint64_t *known = map_get_n(&assembler->move_names, asm_token_text(assembler, &name),
                                          token_length(&name));
        if (!known) {
            asm_error_token(assembler, &name, "there is no move '%.*s'", (int)token_length(&name),
                            asm_token_text(assembler, &name));
            asm_suggest(assembler, &name, &assembler->move_names);
            return;
        }
        move = (uint32_t)*known;
    }
    asm_expect_end(assembler);
    if (assembler->failed)
        return;
    asm_tell_builder(assembler, mnemonic->begin, mnemonic->end);
    builder_gmove(assembler->b, move);
}

/* The lowest k of a map. */
static wide least_k(unsigned map) {
    if (map == LANE_SHIFT || map == LANE_ROTATE)
        return -((wide)1 << 19);
    return map == LANE_BROADCAST ? 0 : 1;
}

void asm_lane(struct assembler *assembler, const struct asm_token *mnemonic) {
    struct insn i = {.op = OP_LANE};
    struct asm_token at = assembler->token;
    wide k = 0;
    while (i.mode < LANE_MAPS && !asm_at_name(assembler, isa_lane_map_name(i.mode)))
        i.mode++;
    if (i.mode == LANE_MAPS) {
        asm_error_token(assembler, &at,
                        "LANE takes identity, shift k, rotate k, gather k, scatter k, reverse or "
                        "broadcast k");
        return;
    }
    asm_scan(assembler);
    if (isa_lane_map_has_k(i.mode) &&
        !asm_parse_number_in(assembler, "k", least_k(i.mode), ((wide)1 << 19) - 1, &k))
        return;
    i.imm = (int32_t)k;
    asm_expect_end(assembler);
    if (assembler->failed)
        return;
    asm_tell_builder(assembler, mnemonic->begin, mnemonic->end);
    builder_emit(assembler->b, &i);
}
