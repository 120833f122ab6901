/* SPDX-License-Identifier: MIT
 * Moves of which a register holds one coordinate: x[k[i]] (docs/assembly.md, "Indexed moves"). */
#include "asm/move.h"

#include <string.h>

bool asm_at_move_index(const struct assembler *a) {
    const struct asm_token *t = &a->token;
    if (t->kind == TOKEN_NAME)
        return asm_scan_peek(a) == '[' &&
               map_get_n(&a->variable_names, asm_token_text(a, t), token_length(t));
    return asm_at_operator(a, '@');
}

/* ---- looking ahead ---- */

struct scan_mark asm_scan_mark(const struct assembler *a) {
    return (struct scan_mark){a->token, a->previous_end, a->in->pos};
}

void asm_scan_return(struct assembler *a, const struct scan_mark *mark) {
    a->token = mark->token;
    a->previous_end = mark->previous_end;
    a->in->pos = mark->pos;
}

/* Nothing but brackets within brackets makes a scatter of `y[..] = ..`. */
bool asm_at_scatter(const struct assembler *a) {
    const struct asm_input *in = a->in;
    unsigned depth = 0;
    for (size_t at = in->pos; at < in->size && in->text[at] != '\n' && in->text[at] != '='; at++) {
        depth += in->text[at] == '[';
        if (depth == 2)
            return true;
        depth -= in->text[at] == ']' && depth;
    }
    return false;
}

bool asm_skip_brackets(struct assembler *a) {
    unsigned depth = 0;
    do {
        if (a->token.kind == TOKEN_BAD)
            return false;
        if (a->token.kind == TOKEN_END) {
            asm_error_token(a, &a->token, "expected ']'");
            return false;
        }
        depth += asm_at_operator(a, '[');
        depth -= asm_at_operator(a, ']') && depth;
        asm_scan(a);
    } while (depth);
    return true;
}

/* ---- the index ---- */

static bool check_group(struct assembler *a, const struct gmove_side *near,
                        const struct gmove_side *s) {
    if (near->group != NO_INDEX && s->group != NO_INDEX &&
        object_groups_match(a->o, near->group, s->group))
        return true;
    asm_error_token(
        a, &s->at,
        "the index must lie beside the elements whose coordinates it is given: in their "
        "group, or one that is like it with the same extents");
    return false;
}

/* The type of the index: its variable's, or `: u16` behind its registers. */
static bool parse_index_type(struct assembler *a, const struct gmove_side *s,
                             struct mpu_type *type) {
    struct asm_token at = s->at;
    if (s->variable)
        *type = s->variable->type;
    else if (!asm_expect_char(a, ':') || !asm_parse_type(a, type))
        return false;
    if (type->kind == TYPE_UINT || type->kind == TYPE_INT)
        return true;
    asm_error_token(a, &at, "an index is of an integer type, u1 to u64 or i2 to i64");
    return false;
}

/* Whether both are the same sum. */
static bool same_linear(const struct linear *a, const struct linear *b) {
    bool same = a->offset == b->offset && a->size_coeff == b->size_coeff &&
                (a->size_coeff == 0 || a->size == b->size);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        same &= a->coeff[d] == b->coeff[d];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        same &= a->lap[n] == b->lap[n];
    return same;
}

/* Which register of an array: a number, or the near side's own. */
static bool choose_register(struct move_parser *p, const struct gmove_side *s,
                            const struct linear *x, struct move_index *out) {
    const struct gmove_side *near = p->near;
    if (near->has_k && same_linear(x, &p->names->own[near->dims - 1])) {
        out->follows = true;
        if (s->count == near->count)
            return true;
        asm_error_token(p->a, &s->at, "there are %u registers of indices for %u registers",
                        (unsigned)s->count, (unsigned)near->count);
        return false;
    }
    if (asm_linear_is_number(x) && x->offset >= 0 && x->offset < s->count) {
        out->reg = (uint8_t)(s->reg + x->offset);
        return true;
    }
    asm_error_token(
        p->a, &s->at,
        "the register of the index is a number below %u, or that of the elements beside "
        "it",
        (unsigned)s->count);
    return false;
}

/* Coordinate number d of the index must be the near side's own. */
static bool check_own(struct move_parser *p, const struct asm_token *at, const struct linear *x,
                      uint32_t d) {
    const struct asm_token *text = &p->names->text[d];
    if (same_linear(x, &p->names->own[d]))
        return true;
    asm_error_token(p->a, at,
                    "an index has the coordinates of the elements beside it, in their order: here "
                    "that is '%.*s'",
                    (int)token_length(text), asm_token_text(p->a, text));
    return false;
}

/* Those of the near side, in order; then that of the register. */
static bool parse_index_coordinates(struct move_parser *p, const struct gmove_side *s,
                                    struct move_index *out) {
    uint32_t given = 0, own = s->dims - s->has_k;
    struct assembler *a = p->a;
    if (!asm_expect_char(a, '['))
        return false;
    do {
        struct linear x;
        struct asm_token at = a->token;
        if (!asm_parse_linear(p, &x))
            return false;
        at.end = a->previous_end;
        if (given < own && !check_own(p, &at, &x, given))
            return false;
        if (given == own && s->has_k && !choose_register(p, s, &x, out))
            return false;
        given++;
    } while (asm_take_operator(a, ','));
    return asm_expect_char(a, ']') && asm_check_dims(a, s, given);
}

/* Nothing is computed from an index. */
static bool check_whole(struct assembler *a) {
    if (asm_at_operator(a, ',') || asm_at_operator(a, ']'))
        return true;
    asm_error_token(a, &a->token,
                    "an index is the whole of its coordinate; what is computed from it goes into a "
                    "register before the move");
    return false;
}

bool asm_parse_move_index(struct move_parser *p, uint32_t d, struct move *m) {
    struct assembler *a = p->a;
    struct asm_token at = a->token;
    struct gmove_side s;
    bool scatter = m->index.kind == INDEX_SCATTER;
    if (m->index.type.bits) {
        asm_error_token(a, &at, "a move has one index");
        return false;
    }
    m->index = (struct move_index){.kind = scatter ? INDEX_SCATTER : INDEX_GATHER,
                                   .coordinate = (uint8_t)d};
    if (!asm_parse_side(a, &s))
        return false;
    m->index.reg = s.reg;
    return check_group(a, p->near, &s) && parse_index_type(a, &s, &m->index.type) &&
           parse_index_coordinates(p, &s, &m->index) && check_whole(a);
}

/* ---- what goes with it ---- */

bool asm_check_clip(struct assembler *a, const struct move *m) {
    if (m->index.kind)
        return true;
    asm_error_token(a, &a->token, "clip is for moves with an index, such as x[k[i]]");
    return false;
}

bool asm_check_else(struct assembler *a, const struct move *m) {
    if (m->index.kind != INDEX_SCATTER)
        return true;
    asm_error_token(
        a, &a->token,
        "every element that a scatter writes has a source; keep, wrap and clip say what "
        "becomes of one that falls outside");
    return false;
}
