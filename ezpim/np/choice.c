/* SPDX-License-Identifier: MIT */
#include "ezpim/np/unit.h"

#include <string.h>

/* Elements of an axis in registers, at most; bits that they take of a lane without being asked. */
enum { MOST_REGISTERS = 16, MOST_BITS = 256 };

/* ---- comments ---- */

static const char *skip(const char *c, const char *end) {
    while (c < end && (*c == ' ' || *c == '\t' || *c == '\r'))
        c++;
    return c;
}

static const char *word(const char *c, const char *end) {
    while (c < end && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                       (*c >= '0' && *c <= '9') || *c == '_'))
        c++;
    return c;
}

static struct span span_of(const struct np_unit *u, const char *first, const char *last) {
    return (struct span){u->source, (uint32_t)(first - u->text), (uint32_t)(last - u->text)};
}

/* "(8)" behind `registers` and `split`; NULL: it is not that. */
static const char *read_number(struct np_unit *u, struct np_wish *w, const char *c,
                               const char *end) {
    const char *first = skip(c, end) + 1, *last = first;
    if (first > end || first[-1] != '(')
        return NULL;
    for (; last < end && *last >= '0' && *last <= '9' && last < first + 6; last++)
        w->number = w->number * 10 + (uint64_t)(*last - '0');
    w->number_at = span_of(u, first, last);
    return last > first && last < end && *last == ')' ? last + 1 : NULL;
}

static bool is_word(const char *text, const char *first, const char *last) {
    return strlen(text) == (size_t)(last - first) && memcmp(text, first, strlen(text)) == 0;
}

/* "img = lanes"; false: it is nothing of that kind. */
static bool read_wish(struct np_unit *u, struct np_wish *w) {
    const char *end = u->text + w->at.end, *name = skip(u->text + w->at.begin, end);
    const char *behind = word(name, end), *c = skip(behind, end);
    w->name_at = span_of(u, name, behind);
    w->name = arena_strndup(&u->arena, name, (size_t)(behind - name));
    if (behind == name || c == end || *c != '=')
        return false;
    const char *what = skip(c + 1, end), *rest = word(what, end);
    bool lanes = is_word("lanes", what, rest), split = is_word("split", what, rest);
    if (!lanes && !split && !is_word("registers", what, rest))
        return false;
    w->layout = lanes ? NP_LAYOUT_LANES : split ? NP_LAYOUT_SPLIT : NP_LAYOUT_REGISTERS;
    w->at = span_of(u, name, rest);
    if (!lanes && !(rest = read_number(u, w, rest, end)))
        return false;
    rest = skip(rest, end);
    return rest == end || *rest == ';' || *rest == '#';
}

void np_find_wishes(struct np_unit *u) {
    for (const struct np_comment *c = u->module->layouts; c; c = c->next) {
        struct np_wish w = {.at = c->at};
        if (read_wish(u, &w))
            vec_push(&u->choices.wishes, w);
        else
            np_error(u, w.at, "a layout is `x = lanes`, `x = registers(0)` or `x = split(8)`");
    }
}

/* ---- what a wish may be ---- */

static struct np_lay wished(struct np_unit *u, const struct np_wish *w,
                            const struct np_storage *s) {
    struct np_lay lay = {.axis = s->ndim - 1, .count = 1, .split = w->layout == NP_LAYOUT_SPLIT};
    uint64_t last = s->ndim ? s->shape[s->ndim - 1] : 1;
    if (w->layout != NP_LAYOUT_LANES && !u->choices.sides.data[2 * s->serial].free) {
        np_error(u, w->name_at, "`%s` is made in lanes; a copy of it may lie otherwise", w->name);
    } else if (lay.split &&
               (w->number < 2 || w->number > MOST_REGISTERS || last % w->number != 0)) {
        np_error(u, w->number_at,
                 "`%s` is split by a divisor of its last axis, of %llu elements, between 2 and %d",
                 w->name, (unsigned long long)last, MOST_REGISTERS);
    } else if (lay.split) {
        lay.count = (uint32_t)w->number;
    } else if (w->layout == NP_LAYOUT_REGISTERS) {
        lay.axis = (uint32_t)w->number;
        bool outer = s->ndim > 1 && (w->number == 0 || w->number == s->ndim - 1);
        if (!outer)
            np_error(u, w->number_at,
                     "the first or the last of several axes lies in registers, and `%s` has %u",
                     w->name, s->ndim);
        else if (s->shape[w->number] > MOST_REGISTERS)
            np_error(u, w->number_at,
                     "an axis in registers has at most %d elements, and this one %llu",
                     MOST_REGISTERS, (unsigned long long)s->shape[w->number]);
        else
            lay.count = (uint32_t)s->shape[w->number];
    }
    return lay;
}

/* ---- what is noted ---- */

static uint32_t find(struct np_choices *c, uint32_t i) {
    while (c->sides.data[i].like != i)
        i = c->sides.data[i].like = c->sides.data[c->sides.data[i].like].like;
    return i;
}

static void join(struct np_unit *u, const struct np_storage *a, unsigned last,
                 const struct np_storage *b, unsigned other_last) {
    struct np_choices *c = &u->choices;
    uint32_t x = find(c, 2 * a->serial + last), y = find(c, 2 * b->serial + other_last);
    c->sides.data[x].like = y;
    c->sides.data[y].against |= c->sides.data[x].against;
    c->sides.data[y].wanted |= c->sides.data[x].wanted;
    c->sides.data[y].split |= last && other_last ? c->sides.data[x].split : 0;
}

static void mark(struct np_unit *u, const struct np_storage *s, unsigned last, bool wanted) {
    struct np_side *x = &u->choices.sides.data[find(&u->choices, 2 * s->serial + last)];
    x->wanted |= wanted;
    x->against |= !wanted;
}

/* Storages that no walk counts are all in lanes. */
static bool is_counted(const struct np_unit *u, const struct np_storage *s) {
    return u->checks && s->serial < u->choices.lays.len;
}

void np_note_storage(struct np_unit *u, const struct np_storage *s, bool free) {
    struct np_choices *c = &u->choices;
    for (uint32_t last = 0; last < 2 && u->checks; last++) {
        uint32_t axis = last && s->ndim ? s->ndim - 1 : 0;
        uint64_t n = s->ndim ? s->shape[axis] : 1;
        struct np_side side = {
            .axis = axis, .extent = (uint32_t)n, .like = (uint32_t)c->sides.len, .free = free};
        side.against =
            !free || s->ndim < 2 || n < 2 || n > MOST_REGISTERS || n * s->type.bits > MOST_BITS;
        vec_push(&c->sides, side);
    }
    if (u->checks)
        vec_push(&c->lays, ((struct np_lay){.count = 0}));
}

void np_note_name(struct np_unit *u, const char *name, const struct np_storage *s) {
    struct np_choices *c = &u->choices;
    if (!is_counted(u, s) || c->lays.data[s->serial].count)
        return;
    for (size_t i = 0; i < c->wishes.len; i++) {
        struct np_wish *w = &c->wishes.data[i];
        if (strcmp(w->name, name) != 0)
            continue;
        w->used = true;
        struct np_lay lay = c->lays.data[s->serial] = wished(u, w, s);
        if (lay.split)
            c->sides.data[find(c, 2 * s->serial + 1)].split = lay.count;
        mark(u, s, 0, lay.count > 1 && !lay.split && lay.axis == 0);
        mark(u, s, 1, lay.count > 1 && !lay.split && lay.axis > 0);
    }
}

/* The only axis that the coordinate follows; NP_DIMS: none, NP_DIMS + 1: several. */
static uint32_t followed(const struct np_array *a, uint32_t r) {
    uint32_t axis = NP_DIMS;
    for (uint32_t v = 0; v < a->ndim; v++)
        if (a->shape[v] > 1 && a->map[r].coeff[v])
            axis = axis == NP_DIMS ? v : NP_DIMS + 1;
    return np_laps_any(&a->map[r].laps) ? NP_DIMS + 1 : axis;
}

static void meet(struct np_unit *u, const struct np_array *a, unsigned last,
                 const struct np_storage *y, const int *target) {
    const struct np_storage *s = a->root;
    uint32_t v = np_same_shape(a->rdim, a->rshape, s->ndim, s->shape)
                     ? followed(a, last ? s->ndim - 1 : 0)
                     : NP_DIMS + 1;
    int t = v < NP_DIMS && y && is_counted(u, y) ? target[v] : -1;
    if (v == NP_DIMS)
        mark(u, s, last, true);
    else if (t >= 0 && (uint32_t)t == y->ndim - 1 && (t > 0 || last))
        join(u, s, last, y, 1);
    else if (t == 0)
        join(u, s, last, y, 0);
    else
        mark(u, s, last, false);
}

void np_note_meeting(struct np_unit *u, const struct np_array *a, const struct np_storage *y,
                     const int *target) {
    for (unsigned last = 0; a->root && a->root->ndim && is_counted(u, a->root) && last < 2; last++)
        meet(u, a, last, y, target);
}

void np_note_fold(struct np_unit *u, const struct np_array *a, uint32_t axis) {
    for (unsigned last = 0; a->root && a->root->ndim && is_counted(u, a->root) && last < 2;
         last++) {
        uint32_t v = followed(a, last ? a->root->ndim - 1 : 0);
        if (np_same_shape(a->rdim, a->rshape, a->root->ndim, a->root->shape) && v < NP_DIMS &&
            (axis == ARRAY_ALL || axis == v))
            mark(u, a->root, last, true);
        else
            meet(u, a, last, NULL, NULL);
    }
}

void np_note_stacked(struct np_unit *u, const struct np_array *view) {
    const struct np_storage *s = view->root;
    for (unsigned last = 0; s->ndim && is_counted(u, s) && last < 2; last++)
        if (followed(view, last ? s->ndim - 1 : 0) == NP_DIMS)
            mark(u, s, last, true);
    for (uint32_t r = 0; r < view->rdim && is_counted(u, s); r++)
        u->choices.sides.data[2 * s->serial + 1].counted |= np_laps_any(&view->map[r].laps);
}

/* ---- what is chosen ---- */

static void check_wishes(struct np_unit *u) {
    for (size_t i = 0; i < u->choices.wishes.len; i++) {
        const struct np_wish *w = &u->choices.wishes.data[i];
        const char *names[64];
        size_t n = 0;
        if (w->used)
            continue;
        np_error(u, w->name_at, "no array of its own is called `%s`", w->name);
        for (size_t k = 0; k < u->params.len && n < 64; k++)
            if (u->params.data[k].place == NP_PLACE_LANES)
                names[n++] = u->params.data[k].name;
        np_suggest(u, w->name_at, w->name, names, n);
    }
}

/* What is chosen where no comment says it. */
static struct np_lay chosen(struct np_choices *c, uint32_t serial) {
    for (unsigned last = 0; last < 2; last++) {
        const struct np_side *own = &c->sides.data[2 * serial + last];
        const struct np_side *all = &c->sides.data[find(c, 2 * serial + last)];
        if (all->wanted && !all->against)
            return (struct np_lay){.axis = own->axis, .count = own->extent};
        if (last && all->split && own->free && !own->counted && own->extent % all->split == 0)
            return (struct np_lay){.axis = own->axis, .count = all->split, .split = true};
    }
    return (struct np_lay){.count = 1};
}

bool np_choose(struct np_unit *u) {
    struct np_choices *c = &u->choices;
    bool some = false;
    check_wishes(u);
    for (uint32_t i = 0; i < c->lays.len; i++) {
        struct np_lay *lay = &c->lays.data[i];
        if (!lay->count)
            *lay = chosen(c, i);
        if (lay->split && c->sides.data[2 * i + 1].counted)
            *lay = (struct np_lay){.count = 1};
        some |= lay->count > 1;
    }
    return some;
}

struct np_lay np_lay_of(const struct np_unit *u, uint32_t serial) {
    const struct np_lay all = {.count = 1};
    bool known = !u->checks && serial < u->choices.lays.len;
    return known && u->choices.lays.data[serial].count ? u->choices.lays.data[serial] : all;
}

void np_choices_clear(struct np_choices *c) {
    vec_clear(&c->sides);
    vec_clear(&c->lays);
}

void np_choices_free(struct np_choices *c) {
    vec_free(&c->wishes);
    vec_free(&c->sides);
    vec_free(&c->lays);
}
