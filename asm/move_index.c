/* SPDX-License-Identifier: MIT
 * Moves with one coordinate that a register holds: x[k[i]] (docs/assembly.md, "Indexed moves"). */
#include "asm/move.h"

#include <string.h>

bool asm_at_move_index(const struct assembler *assembler) {
    const struct asm_token *t = &assembler->token;
    if (t->kind == TOKEN_NAME)
        return asm_scan_peek(assembler) == '[' &&
               map_get_n(&assembler->variable_names, asm_token_text(assembler, t), token_length(t));
    return asm_at_operator(assembler, '@');
}

/* ---- looking ahead ---- */

struct scan_mark asm_scan_mark(const struct assembler *assembler) {
    return (struct scan_mark){assembler->token, assembler->previous_end, assembler->in->pos};
}

void asm_scan_return(struct assembler *assembler, const struct scan_mark *mark) {
    assembler->token = mark->token;
    assembler->previous_end = mark->previous_end;
    assembler->in->pos = mark->pos;
}

/* Nothing but brackets within brackets makes a scatter of `y[..] = ..`. */
bool asm_at_scatter(const struct assembler *assembler) {
    const struct asm_input *in = assembler->in;
    unsigned depth = 0;
    for (size_t at = in->pos; at < in->size && in->text[at] != '\n' && in->text[at] != '='; at++) {
        depth += in->text[at] == '[';
        if (depth == 2)
            return true;
        depth -= in->text[at] == ']' && depth;
    }
    return false;
}

bool asm_skip_brackets(struct assembler *assembler) {
    unsigned depth = 0;
    do {
        if (assembler->token.kind == TOKEN_BAD)
            return false;
        if (assembler->token.kind == TOKEN_END) {
            asm_error_token(assembler, &assembler->token, "expected ']'");
            return false;
        }
        depth += asm_at_operator(assembler, '[');
        depth -= asm_at_operator(assembler, ']') && depth;
        asm_scan(assembler);
    } while (depth);
    return true;
}

/* ---- the index ---- */

static bool check_group(struct assembler *assembler, const struct gmove_side *near,
                        const struct gmove_side *side) {
    if (near->group != NO_INDEX && side->group != NO_INDEX &&
        object_groups_match(assembler->o, near->group, side->group))
        return true;
    asm_error_token(
        assembler, &side->at,
        "the index must lie beside the elements whose coordinates it is given: in their "
        "group, or one that is like it with the same extents");
    return false;
}

/* The type of the index: its variable's, or `: u16` behind its registers. */
static bool parse_index_type(struct assembler *assembler, const struct gmove_side *side,
                             struct lane_type *type) {
    struct asm_token at = side->at;
    if (side->variable)
        *type = side->variable->type;
    else if (!asm_expect_char(assembler, ':') || !asm_parse_type(assembler, type))
        return false;
    if (type->kind == TYPE_UINT || type->kind == TYPE_INT)
        return true;
    asm_error_token(assembler, &at, "an index is of an integer type, u1 to u64 or i2 to i64");
    return false;
}

/* Whether both are the same sum. */
static bool same_linear(const struct linear *left, const struct linear *right) {
    bool same = left->offset == right->offset && left->size_coeff == right->size_coeff &&
                (left->size_coeff == 0 || left->size == right->size);
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++)
        same &= left->coeff[d] == right->coeff[d];
    for (unsigned n = 0; n < MOVE_MAX_LAPS; n++)
        same &= left->lap[n] == right->lap[n];
    return same;
}

/* Which register of an array: a number, or the near side's own. */
static bool choose_register(struct move_parser *parser, const struct gmove_side *side,
                            const struct linear *linear, struct move_index *out) {
    const struct gmove_side *near = parser->near;
    if (near->has_k && same_linear(linear, &parser->names->own[near->dims - 1])) {
        out->follows = true;
        if (side->count == near->count)
            return true;
        asm_error_token(parser->a, &side->at, "there are %u registers of indices for %u registers",
                        (unsigned)side->count, (unsigned)near->count);
        return false;
    }
    if (asm_linear_is_number(linear) && linear->offset >= 0 && linear->offset < side->count) {
        out->reg = (uint8_t)(side->reg + linear->offset);
        return true;
    }
    asm_error_token(
        parser->a, &side->at,
        "the register of the index is a number below %u, or that of the elements beside "
        "it",
        (unsigned)side->count);
    return false;
}

/* Coordinate number d of the index must be the near side's own. */
static bool check_own(struct move_parser *parser, const struct asm_token *at,
                      const struct linear *linear, uint32_t d) {
    const struct asm_token *text = &parser->names->text[d];
    if (same_linear(linear, &parser->names->own[d]))
        return true;
    asm_error_token(parser->a, at,
                    "an index has the coordinates of the elements beside it, in their order: here "
                    "that is '%.*s'",
                    (int)token_length(text), asm_token_text(parser->a, text));
    return false;
}

/* Those of the near side, in order; then that of the register. */
static bool parse_index_coordinates(struct move_parser *parser, const struct gmove_side *side,
                                    struct move_index *out) {
    uint32_t given = 0, own = side->dims - side->has_k;
    struct assembler *a = parser->a;
    if (!asm_expect_char(a, '['))
        return false;
    do {
        struct linear x;
        struct asm_token at = a->token;
        if (!asm_parse_linear(parser, &x))
            return false;
        at.end = a->previous_end;
        if (given < own && !check_own(parser, &at, &x, given))
            return false;
        if (given == own && side->has_k && !choose_register(parser, side, &x, out))
            return false;
        given++;
    } while (asm_take_operator(a, ','));
    return asm_expect_char(a, ']') && asm_check_dims(a, side, given);
}

/* Nothing is computed from an index. */
static bool check_whole(struct assembler *assembler) {
    if (asm_at_operator(assembler, ',') || asm_at_operator(assembler, ']'))
        return true;
    asm_error_token(assembler, &assembler->token,
                    "an index is the whole of its coordinate; what is computed from it goes into a "
                    "register before the move");
    return false;
}

bool asm_parse_move_index(struct move_parser *parser, uint32_t d, struct move *move) {
    struct assembler *a = parser->a;
    struct asm_token at = a->token;
    struct gmove_side s;
    bool scatter = move->index.kind == INDEX_SCATTER;
    if (move->index.type.bits) {
        asm_error_token(a, &at, "a move has one index");
        return false;
    }
    move->index = (struct move_index){.kind = scatter ? INDEX_SCATTER : INDEX_GATHER,
                                      .coordinate = (uint8_t)d};
    if (!asm_parse_side(a, &s))
        return false;
    move->index.reg = s.reg;
    return check_group(a, parser->near, &s) && parse_index_type(a, &s, &move->index.type) &&
           parse_index_coordinates(parser, &s, &move->index) && check_whole(a);
}

/* ---- what goes with it ---- */

bool asm_check_clip(struct assembler *assembler, const struct move *move) {
    if (move->index.kind)
        return true;
    asm_error_token(assembler, &assembler->token,
                    "clip is for moves with an index, such as x[k[i]]");
    return false;
}

bool asm_check_else(struct assembler *assembler, const struct move *move) {
    if (move->index.kind != INDEX_SCATTER)
        return true;
    asm_error_token(
        assembler, &assembler->token,
        "every element that a scatter writes has a source; keep, wrap and clip say what "
        "becomes of one that falls outside");
    return false;
}
