/* SPDX-License-Identifier: MIT
 * Texts of Python, which are known: their characters and the numbers of these. */
#include "ezpim/np/texts.h"

#include <string.h>

static struct np_value text_of(struct np_unit *unit, const char *bytes, size_t count,
                               struct span at) {
    return (struct np_value){.kind = NP_TEXT,
                             .at = at,
                             .text = arena_copy(&unit->arena, bytes, count),
                             .count = (uint32_t)count};
}

static unsigned digit_of(char c) {
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 16;
}

/* The number of at most `most` digits from *at on; -1: there is none, or it is no byte. */
static int number_at(const char **at, unsigned base, unsigned most) {
    unsigned value = 0, n = 0;
    for (; n < most && digit_of(**at) < base; n++, (*at)++)
        value = value * base + digit_of(**at);
    return n && value < 256 ? (int)value : -1;
}

/* The character behind a \ at *at; -2: none, the line goes on, -1: one that is not taken. */
static int escaped(const char **at) {
    static const char letters[] = "n\nt\tr\ra\ab\bf\fv\v\\\\''\"\"";
    char c = *(*at)++;
    for (const char *l = letters; *l; l += 2)
        if (*l == c)
            return l[1];
    if (c == '\n')
        return -2;
    if (c == 'x')
        return number_at(at, 16, 2);
    (*at)--;
    return number_at(at, 8, 3);
}

struct np_value np_text_value(struct np_unit *unit, const struct np_expr *expr) {
    const char *from = expr->name + strcspn(expr->name, "\"'");
    bool raw = strcspn(expr->name, "rR") < (size_t)(from - expr->name);
    bool bytes = strcspn(expr->name, "bB") < (size_t)(from - expr->name);
    size_t quotes = strlen(from) >= 6 && from[1] == from[0] && from[2] == from[0] ? 3 : 1;
    const char *end = from + strlen(from) - quotes;
    char *text = ARENA_ARRAY(&unit->arena, strlen(from) + 1, char);
    uint32_t n = 0;
    for (from += quotes; from < end;) {
        int c = (unsigned char)*from++;
        if (c == '\\' && !raw && (c = escaped(&from)) == -1)
            return np_error(unit, expr->at, "a sign behind `\\` that kernels do not take");
        if (c >= 0)
            text[n++] = (char)c;
    }
    if (!bytes)
        return text_of(unit, text, n, expr->at);
    struct np_value *items = ARENA_ARRAY(&unit->arena, n + 1, struct np_value);
    for (uint32_t i = 0; i < n; i++)
        items[i] = np_int_value((unsigned char)text[i], expr->at);
    return np_items_value(NP_TUPLE, items, n, expr->at);
}

uint32_t np_characters(struct np_unit *unit, const struct np_value *text, struct np_value **items) {
    *items = ARENA_ARRAY(&unit->arena, text->count + 1, struct np_value);
    for (uint32_t i = 0; i < text->count; i++) {
        if ((unsigned char)text->text[i] >= 128) {
            np_error(unit, text->at, "a text with signs outside of ASCII has no single ones here");
            return 0;
        }
        (*items)[i] = text_of(unit, text->text + i, 1, text->at);
    }
    return text->count;
}

struct np_value np_joined_text(struct np_unit *unit, const struct np_value *characters,
                               struct span at) {
    char *text = ARENA_ARRAY(&unit->arena, characters->count + 1, char);
    for (uint32_t i = 0; i < characters->count; i++)
        text[i] = characters->items[i].text[0];
    return text_of(unit, text, characters->count, at);
}

struct np_value np_text_function(struct np_unit *unit, const char *name, const struct np_value *arg,
                                 struct span at) {
    if (strcmp(name, "len") == 0 && arg->kind == NP_TEXT) {
        struct np_value *items;
        uint32_t n = np_characters(unit, arg, &items);
        return n < arg->count ? (struct np_value){.kind = NP_ERROR} : np_int_value(n, at);
    }
    if (strcmp(name, "ord") == 0 && arg->kind == NP_TEXT && arg->count == 1)
        return np_int_value((unsigned char)arg->text[0], at);
    if (strcmp(name, "chr") == 0 && arg->kind == NP_INT && arg->number >= 0 && arg->number < 128) {
        const char c = (char)arg->number;
        return text_of(unit, &c, 1, at);
    }
    return (struct np_value){.kind = NP_NONE};
}

bool np_text_operator(struct np_unit *unit, enum np_operator op, const struct np_value *left,
                      const struct np_value *right, struct np_value *v, struct span at) {
    if (left->kind != NP_TEXT || right->kind != NP_TEXT)
        return false;
    uint32_t common = left->count < right->count ? left->count : right->count;
    int order = memcmp(left->text, right->text, common);
    order = order ? order : (int)(left->count > right->count) - (int)(left->count < right->count);
    if (np_compares(op)) {
        *v = np_bool_value(np_known_compare(op, order), at);
    } else if (op == NP_OP_ADD) {
        char *both = ARENA_ARRAY(&unit->arena, left->count + right->count + 1, char);
        memcpy(both, left->text, left->count);
        memcpy(both + left->count, right->text, right->count);
        *v = text_of(unit, both, left->count + right->count, at);
    } else {
        return false;
    }
    return true;
}

/* ---- in, is ---- */

static bool is_known(const struct np_value *value) {
    bool known = np_is_number(value) || value->kind == NP_TEXT || value->kind == NP_NONE ||
                 np_is_list(value);
    for (uint32_t i = 0; known && np_is_list(value) && i < value->count; i++)
        known = is_known(&value->items[i]);
    return known;
}

/* A text in a text is a part of it. */
static bool is_part(const struct np_value *text, const struct np_value *part) {
    for (uint32_t i = 0; i + part->count <= text->count; i++)
        if (memcmp(text->text + i, part->text, part->count) == 0)
            return true;
    return false;
}

struct np_value np_membership(struct np_unit *unit, enum np_operator op,
                              const struct np_value *left, const struct np_value *right,
                              struct span at) {
    struct np_value *items;
    bool found = false, negative = op == NP_OP_NOT_IN || op == NP_OP_IS_NOT;
    if (left->kind == NP_ERROR || right->kind == NP_ERROR)
        return (struct np_value){.kind = NP_ERROR, .at = at};
    if (op == NP_OP_IS || op == NP_OP_IS_NOT) {
        if (right->kind != NP_NONE)
            return np_error(unit, at, "`%s` asks for None; equality is written `==`",
                            np_operator_text(op));
        return np_bool_value((left->kind == NP_NONE) != negative, at);
    }
    bool texts = left->kind == NP_TEXT && right->kind == NP_TEXT;
    bool listed = right->kind == NP_RANGE || (np_is_list(right) && is_known(right));
    if (!is_known(left) || !(texts || listed))
        return np_error(unit, at, "`%s` is of what is known, and this is %s in %s",
                        np_operator_text(op), np_value_text(unit, left),
                        np_value_text(unit, right));
    uint32_t count = texts ? 0 : np_sequence(unit, right, &items);
    for (uint32_t i = 0; i < count && !found; i++)
        found = np_same_items(left, &items[i]);
    return np_bool_value((found || (texts && is_part(right, left))) != negative, at);
}
