/* SPDX-License-Identifier: MIT
 * Sequences that stand in a table several times: the first one stays, the others become pointers
 * to it.  Again and again the sequence is taken that saves most templates. */
#include "recipe/table/parts.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>
#include <string.h>

/* Longer tables do not fit the hardware anyway, and pointers reach 1,024 templates only. */
#define MAX_SHARED 8192u

struct token_suffix {
    const uint32_t *ids;
    uint32_t left; /* up to the end of its loop or recipe */
};

struct shared_choice {
    uint32_t saved, length;
    uint32_t places[MAX_SHARED]; /* ascending */
    uint32_t count;
};

struct share {
    const struct table_layout *layout;
    struct table_parts *parts;
    uint32_t *ids;   /* [n]: equal entries have equal ones */
    uint32_t *ends;  /* [n]: end of what entry i stands in */
    uint32_t *words; /* [n + 1]: templates before entry i */
    struct token_suffix *sorted;
    uint32_t *common; /* [n]: entries that sorted[i] shares with sorted[i - 1] */
    struct shared_choice *best, *candidate;
};

/* ---- the table as it is ---- */

static uint32_t after(const struct table_entry *e) {
    return e->kind == ENTRY_LOOP ? 1 + e->loop.entries : 1;
}

static void find_ends(struct share *s, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end;) {
        const struct table_entry *e = &s->parts->entries.data[i];
        s->ends[i] = end;
        if (e->kind == ENTRY_LOOP)
            find_ends(s, i + 1, i + 1 + e->loop.entries);
        i += after(e);
    }
}

static void number_entries(struct share *s) {
    struct map known = {0};
    for (size_t i = 0; i < s->parts->entries.len; i++) {
        const struct table_entry *e = &s->parts->entries.data[i];
        const uint64_t *id = map_get_n(&known, (const char *)e, sizeof *e);
        s->ids[i] = id ? (uint32_t)*id : (uint32_t)known.len;
        if (!id)
            map_put_n(&known, (const char *)e, sizeof *e, known.len);
        s->words[i + 1] = s->words[i] + e->words;
    }
    map_free(&known);
}

static int compare_suffixes(const void *a, const void *b) {
    const struct token_suffix *x = a, *y = b;
    uint32_t n = x->left < y->left ? x->left : y->left;
    for (uint32_t i = 0; i < n; i++)
        if (x->ids[i] != y->ids[i])
            return x->ids[i] < y->ids[i] ? -1 : 1;
    if (x->left != y->left)
        return x->left < y->left ? -1 : 1;
    return x->ids < y->ids ? -1 : x->ids > y->ids;
}

static uint32_t common_length(const struct token_suffix *x, const struct token_suffix *y) {
    uint32_t n = x->left < y->left ? x->left : y->left, i = 0;
    while (i < n && x->ids[i] == y->ids[i])
        i++;
    return i;
}

static void survey(struct share *s) {
    uint32_t n = (uint32_t)s->parts->entries.len;
    number_entries(s);
    for (size_t i = 0; i < s->parts->form_count; i++)
        find_ends(s, s->parts->forms[i].first, s->parts->forms[i].first + s->parts->forms[i].count);
    for (uint32_t i = 0; i < n; i++)
        s->sorted[i] = (struct token_suffix){s->ids + i, s->ends[i] - i};
    if (n)
        qsort(s->sorted, n, sizeof *s->sorted, compare_suffixes);
    for (uint32_t i = 1; i < n; i++)
        s->common[i] = common_length(&s->sorted[i - 1], &s->sorted[i]);
}

/* ---- what to share ---- */

/* At most `length` entries from `first` on that do not cut a loop. */
static uint32_t whole_length(const struct share *s, uint32_t first, uint32_t length) {
    uint32_t i = 0;
    while (i < length) {
        uint32_t step = after(&s->parts->entries.data[first + i]);
        if (step > length - i)
            break;
        i += step;
    }
    return i;
}

/* A sequence that becomes a pointer must not cut one that pointers lead to. */
static bool may_go(const struct share *s, uint32_t first, uint32_t length) {
    for (size_t i = 0; i < s->parts->pointer_count; i++) {
        const struct table_range *p = &s->parts->pointers[i];
        bool apart = first + length <= p->first || p->first + p->count <= first;
        bool inside =
            p->first <= first && first + length <= p->first + p->count && length < p->count;
        if (!apart && !inside)
            return false;
    }
    return true;
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The places of a candidate that do not overlap; the first stays. */
static void thin_out(const struct share *s, struct shared_choice *c) {
    uint32_t kept = 0;
    qsort(c->places, c->count, sizeof *c->places, by_number);
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t at = c->places[i];
        bool free = kept == 0 || c->places[kept - 1] + c->length <= at;
        if (free && (kept == 0 || may_go(s, at, c->length)))
            c->places[kept++] = at;
    }
    c->count = kept;
}

/* Looks at the sequence of `length` entries that sorted[first .. end) share. */
static void consider(struct share *s, uint32_t first, uint32_t end, uint32_t length) {
    struct shared_choice *c = s->candidate;
    uint32_t at = (uint32_t)(s->sorted[first].ids - s->ids);
    c->length = whole_length(s, at, length);
    uint32_t words = s->words[at + c->length] - s->words[at];
    if (words < 2 || words > TABLE_TEMPLATES ||
        (uint64_t)(end - first - 1) * (words - 1) <= s->best->saved)
        return;
    c->count = 0;
    for (uint32_t i = first; i < end; i++)
        c->places[c->count++] = (uint32_t)(s->sorted[i].ids - s->ids);
    thin_out(s, c);
    c->saved = (c->count - 1) * (words - 1);
    if (c->saved <= s->best->saved || s->words[c->places[0]] >= TABLE_TEMPLATES)
        return;
    s->candidate = s->best;
    s->best = c;
}

/* Every set of suffixes with a common beginning, shortest ends first: an open set begins at
 * stack[k].first and shares stack[k].length entries. */
static void find_best(struct share *s) {
    uint32_t n = (uint32_t)s->parts->entries.len, depth = 0;
    struct table_range *open = xcalloc(n + 1, sizeof *open); /* first, length */
    s->best->saved = 0;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t length = i < n ? s->common[i] : 0, first = i - 1;
        while (depth > 0 && open[depth - 1].count > length) {
            first = open[--depth].first;
            consider(s, first, i, open[depth].count);
        }
        if (length > 0 && (depth == 0 || open[depth - 1].count < length))
            open[depth++] = (struct table_range){first, length};
    }
    free(open);
}

/* ---- replacing ---- */

/* Entries [at, at + removed) become one: ranges around it shrink, those behind it move up. */
static void shrink_range(struct table_range *r, uint32_t at, uint32_t removed) {
    if (r->first > at)
        r->first -= removed - 1;
    else if (r->first + r->count > at)
        r->count -= removed - 1;
}

static void shrink_loops(struct table_parts *p, uint32_t at, uint32_t removed, uint32_t words) {
    for (uint32_t i = 0; i < at; i++) {
        struct table_entry *e = &p->entries.data[i];
        if (e->kind != ENTRY_LOOP || i + 1 + e->loop.entries <= at)
            continue;
        e->loop.entries -= removed - 1;
        e->loop.words -= words - 1;
    }
}

static void replace(struct share *s, uint32_t at, uint32_t length, uint32_t words,
                    uint32_t pointer) {
    struct table_parts *p = s->parts;
    struct table_entry e;
    memset(&e, 0, sizeof e);
    e.kind = ENTRY_POINTER;
    e.pointer = pointer;
    e.words = 1;
    shrink_loops(p, at, length, words);
    for (size_t i = 0; i < p->form_count; i++)
        shrink_range(&p->forms[i], at, length);
    for (size_t i = 0; i < p->pointer_count; i++)
        shrink_range(&p->pointers[i], at, length);
    p->entries.data[at] = e;
    memmove(&p->entries.data[at + 1], &p->entries.data[at + length],
            (p->entries.len - at - length) * sizeof e);
    p->entries.len -= length - 1;
}

/* From the last place to the first, so that those before keep their numbers. */
static void share_best(struct share *s) {
    const struct shared_choice *c = s->best;
    uint32_t words = s->words[c->places[0] + c->length] - s->words[c->places[0]];
    uint32_t pointer = (uint32_t)s->parts->pointer_count;
    for (uint32_t i = c->count; i-- > 1;)
        replace(s, c->places[i], c->length, words, pointer);
    s->parts->pointers[s->parts->pointer_count++] = (struct table_range){c->places[0], c->length};
    for (size_t i = 0; i < s->parts->entries.len; i++) {
        struct table_entry *e = &s->parts->entries.data[i];
        e->words = (uint16_t)table_entry_words(s->layout, e);
    }
}

void table_share(const struct table_layout *l, struct table_parts *parts) {
    size_t n = parts->entries.len;
    if (n > MAX_SHARED)
        return;
    struct share s = {.layout = l, .parts = parts};
    s.ids = xcalloc(n + 1, sizeof *s.ids);
    s.ends = xcalloc(n + 1, sizeof *s.ends);
    s.words = xcalloc(n + 1, sizeof *s.words);
    s.sorted = xcalloc(n + 1, sizeof *s.sorted);
    s.common = xcalloc(n + 1, sizeof *s.common);
    s.best = xcalloc(1, sizeof *s.best);
    s.candidate = xcalloc(1, sizeof *s.candidate);
    while (parts->pointer_count < TABLE_POINTERS) {
        survey(&s);
        find_best(&s);
        if (s.best->saved == 0)
            break;
        share_best(&s);
    }
    free(s.ids);
    free(s.ends);
    free(s.words);
    free(s.sorted);
    free(s.common);
    free(s.best);
    free(s.candidate);
}
