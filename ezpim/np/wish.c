/* SPDX-License-Identifier: MIT
 * Comments `# layout: x = ..`, which say where an array lies. */
#include "ezpim/np/unit.h"

#include <string.h>

/* ---- comments ---- */

static const char *skip(const char *cursor, const char *end) {
    while (cursor < end && (*cursor == ' ' || *cursor == '\t' || *cursor == '\r'))
        cursor++;
    return cursor;
}

static const char *word(const char *cursor, const char *end) {
    while (cursor < end &&
           ((*cursor >= 'a' && *cursor <= 'z') || (*cursor >= 'A' && *cursor <= 'Z') ||
            (*cursor >= '0' && *cursor <= '9') || *cursor == '_'))
        cursor++;
    return cursor;
}

static struct span span_of(const struct np_unit *unit, const char *first, const char *last) {
    return (struct span){unit->source, (uint32_t)(first - unit->text),
                         (uint32_t)(last - unit->text)};
}

/* "(8)" behind `registers` and `split`; NULL: it is not that. */
static const char *read_number(struct np_unit *unit, struct np_wish *wish, const char *cursor,
                               const char *end) {
    const char *first = skip(cursor, end) + 1, *last = first;
    if (first > end || first[-1] != '(')
        return NULL;
    for (; last < end && *last >= '0' && *last <= '9' && last < first + 6; last++)
        wish->number = wish->number * 10 + (uint64_t)(*last - '0');
    wish->number_at = span_of(unit, first, last);
    return last > first && last < end && *last == ')' ? last + 1 : NULL;
}

static bool is_word(const char *text, const char *first, const char *last) {
    return strlen(text) == (size_t)(last - first) && memcmp(text, first, strlen(text)) == 0;
}

/* "img = lanes"; false: it is nothing of that kind. */
static bool read_wish(struct np_unit *unit, struct np_wish *wish) {
    const char *end = unit->text + wish->at.end, *name = skip(unit->text + wish->at.begin, end);
    const char *behind = word(name, end), *c = skip(behind, end);
    wish->name_at = span_of(unit, name, behind);
    wish->name = arena_strndup(&unit->arena, name, (size_t)(behind - name));
    if (behind == name || c == end || *c != '=')
        return false;
    const char *what = skip(c + 1, end), *rest = word(what, end);
    bool lanes = is_word("lanes", what, rest), split = is_word("split", what, rest);
    if (!lanes && !split && !is_word("registers", what, rest))
        return false;
    wish->layout = lanes ? NP_LAYOUT_LANES : split ? NP_LAYOUT_SPLIT : NP_LAYOUT_REGISTERS;
    wish->at = span_of(unit, name, rest);
    if (!lanes && !(rest = read_number(unit, wish, rest, end)))
        return false;
    rest = skip(rest, end);
    return rest == end || *rest == ';' || *rest == '#';
}

void np_find_wishes(struct np_unit *unit) {
    for (const struct np_comment *c = unit->module->layouts; c; c = c->next) {
        struct np_wish w = {.at = c->at};
        if (read_wish(unit, &w))
            vec_push(&unit->wishes, w);
        else
            np_error(unit, w.at, "a layout is `x = lanes`, `x = registers(0)` or `x = split(8)`");
    }
}

/* ---- what a wish may be ---- */

static struct array_lay wished(struct np_unit *unit, const struct np_wish *wish,
                               const struct array_storage *storage) {
    struct array_lay lay = {
        .axis = storage->ndim - 1, .count = 1, .split = wish->layout == NP_LAYOUT_SPLIT};
    uint64_t last = storage->ndim ? storage->shape[storage->ndim - 1] : 1;
    if (wish->layout != NP_LAYOUT_LANES && !array_may_lie(&unit->arrays, storage)) {
        np_error(unit, wish->name_at, "`%s` is made in lanes; a copy of it may lie otherwise",
                 wish->name);
    } else if (lay.split && (wish->number < 2 || wish->number > ARRAY_MOST_REGISTERS ||
                             last % wish->number != 0)) {
        np_error(unit, wish->number_at,
                 "`%s` is split by a divisor of its last axis, of %llu elements, between 2 and %d",
                 wish->name, (unsigned long long)last, ARRAY_MOST_REGISTERS);
    } else if (lay.split) {
        lay.count = (uint32_t)wish->number;
    } else if (wish->layout == NP_LAYOUT_REGISTERS) {
        lay.axis = (uint32_t)wish->number;
        bool outer = storage->ndim > 1 && (wish->number == 0 || wish->number == storage->ndim - 1);
        if (!outer)
            np_error(unit, wish->number_at,
                     "the first or the last of several axes lies in registers, and `%s` has %u",
                     wish->name, storage->ndim);
        else if (storage->shape[wish->number] > ARRAY_MOST_REGISTERS)
            np_error(unit, wish->number_at,
                     "an axis in registers has at most %d elements, and this one %llu",
                     ARRAY_MOST_REGISTERS, (unsigned long long)storage->shape[wish->number]);
        else
            lay.count = (uint32_t)storage->shape[wish->number];
    }
    return lay;
}

void np_note_name(struct np_unit *unit, const char *name, const struct array_storage *storage) {
    if (!array_is_undecided(&unit->arrays, storage))
        return;
    for (size_t i = 0; i < unit->wishes.len; i++) {
        struct np_wish *w = &unit->wishes.data[i];
        if (strcmp(w->name, name) != 0)
            continue;
        w->used = true;
        array_wish(&unit->arrays, storage, wished(unit, w, storage));
    }
}

void np_check_wishes(struct np_unit *unit) {
    for (size_t i = 0; i < unit->wishes.len; i++) {
        const struct np_wish *w = &unit->wishes.data[i];
        const char *names[64];
        size_t n = 0;
        if (w->used)
            continue;
        np_error(unit, w->name_at, "no array of its own is called `%s`", w->name);
        for (size_t k = 0; k < unit->params.len && n < 64; k++)
            if (unit->params.data[k].place == NP_PLACE_LANES)
                names[n++] = unit->params.data[k].own.name;
        np_suggest(unit, w->name_at, w->name, names, n);
    }
}
