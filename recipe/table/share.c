/* SPDX-License-Identifier: MIT
 * Sequences that stand in a table several times: the first one stays, the others become pointers
 * to it.  Again and again the sequence is taken that saves most templates.
 *
 * Forms that are made for one immediate come behind all others, which do not know of them: they
 * point to what those share, and to what they share among themselves.  So what the others share
 * need not be looked for again when nothing but an immediate is another one. */
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
    struct map known; /* entries met so far: their kinds */
    uint32_t *kinds;  /* [n]: equal entries have equal ones */
    uint32_t *ids;    /* [n]: the same, numbered as they come in the table as it is */
    uint32_t *ends;   /* [n]: end of what entry i stands in */
    uint32_t *words;  /* [n + 1]: templates before entry i */
    struct token_suffix *sorted;
    uint32_t *common; /* [n]: entries that sorted[i] shares with sorted[i - 1] */
    struct shared_choice *best, *candidate;
};

/* ---- the table as it is ---- */

static uint32_t after(const struct table_entry *entry) {
    return entry->kind == ENTRY_LOOP ? 1 + entry->loop.entries : 1;
}

static void find_ends(struct share *share, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end;) {
        const struct table_entry *e = &share->parts->entries.data[i];
        share->ends[i] = end;
        if (e->kind == ENTRY_LOOP)
            find_ends(share, i + 1, i + 1 + e->loop.entries);
        i += after(e);
    }
}

static void find_kind(struct share *share, size_t i) {
    const struct table_entry *e = &share->parts->entries.data[i];
    share->kinds[i] = map_number(&share->known, (const char *)e, sizeof *e);
}

static void number_entries(struct share *share) {
    uint32_t *numbers = xcalloc(share->known.len + 1, sizeof *numbers), next = 0;
    for (size_t i = 0; i < share->parts->entries.len; i++) {
        uint32_t *number = &numbers[share->kinds[i]];
        if (!*number)
            *number = ++next;
        share->ids[i] = *number - 1;
        share->words[i + 1] = share->words[i] + share->parts->entries.data[i].words;
    }
    free(numbers);
}

static int compare_suffixes(const void *left, const void *right) {
    const struct token_suffix *x = left, *y = right;
    uint32_t n = x->left < y->left ? x->left : y->left;
    for (uint32_t i = 0; i < n; i++)
        if (x->ids[i] != y->ids[i])
            return x->ids[i] < y->ids[i] ? -1 : 1;
    if (x->left != y->left)
        return x->left < y->left ? -1 : 1;
    return x->ids < y->ids ? -1 : x->ids > y->ids;
}

static uint32_t common_length(const struct token_suffix *left, const struct token_suffix *right) {
    uint32_t n = left->left < right->left ? left->left : right->left, i = 0;
    while (i < n && left->ids[i] == right->ids[i])
        i++;
    return i;
}

/* By their first entries at once, then each part of its own. */
static void sort_suffixes(struct share *share, uint32_t n) {
    uint32_t *ends = xcalloc((size_t)n + 2, sizeof *ends);
    for (uint32_t i = 0; i < n; i++)
        ends[share->ids[i] + 2]++;
    for (uint32_t id = 1; id <= n; id++)
        ends[id + 1] += ends[id];
    for (uint32_t i = 0; i < n; i++)
        share->sorted[ends[share->ids[i] + 1]++] =
            (struct token_suffix){share->ids + i, share->ends[i] - i};
    for (uint32_t id = 0; id < n; id++)
        if (ends[id + 1] - ends[id] > 1)
            qsort(share->sorted + ends[id], ends[id + 1] - ends[id], sizeof *share->sorted,
                  compare_suffixes);
    free(ends);
}

static void survey(struct share *share) {
    uint32_t n = (uint32_t)share->parts->entries.len;
    number_entries(share);
    for (size_t i = 0; i < share->parts->form_count; i++)
        find_ends(share, share->parts->forms[i].first,
                  share->parts->forms[i].first + share->parts->forms[i].count);
    sort_suffixes(share, n);
    for (uint32_t i = 1; i < n; i++)
        share->common[i] = common_length(&share->sorted[i - 1], &share->sorted[i]);
}

/* ---- what to share ---- */

/* At most `length` entries from `first` on that do not cut a loop. */
static uint32_t whole_length(const struct share *share, uint32_t first, uint32_t length) {
    uint32_t i = 0;
    while (i < length) {
        uint32_t step = after(&share->parts->entries.data[first + i]);
        if (step > length - i)
            break;
        i += step;
    }
    return i;
}

/* A sequence that becomes a pointer must not cut one that pointers lead to. */
static bool may_go(const struct share *share, uint32_t first, uint32_t length) {
    for (size_t i = share->parts->given; i < share->parts->pointer_count; i++) {
        const struct table_range *p = &share->parts->pointers[i];
        bool apart = first + length <= p->first || p->first + p->count <= first;
        bool inside =
            p->first <= first && first + length <= p->first + p->count && length < p->count;
        if (!apart && !inside)
            return false;
    }
    return true;
}

static int by_number(const void *left, const void *right) {
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return (x > y) - (x < y);
}

/* The places of a candidate that do not overlap; the first stays. */
static void thin_out(const struct share *share, struct shared_choice *choice) {
    uint32_t kept = 0;
    qsort(choice->places, choice->count, sizeof *choice->places, by_number);
    for (uint32_t i = 0; i < choice->count; i++) {
        uint32_t at = choice->places[i];
        bool free = kept == 0 || choice->places[kept - 1] + choice->length <= at;
        if (free && (kept == 0 || may_go(share, at, choice->length)))
            choice->places[kept++] = at;
    }
    choice->count = kept;
}

/* Looks at the sequence of `length` entries that sorted[first .. end) share. */
static void consider(struct share *share, uint32_t first, uint32_t end, uint32_t length) {
    struct shared_choice *c = share->candidate;
    uint32_t at = (uint32_t)(share->sorted[first].ids - share->ids);
    c->length = whole_length(share, at, length);
    uint32_t words = share->words[at + c->length] - share->words[at];
    if (words < 2 || words > TABLE_TEMPLATES ||
        (uint64_t)(end - first - 1) * (words - 1) <= share->best->saved)
        return;
    c->count = 0;
    for (uint32_t i = first; i < end; i++)
        c->places[c->count++] = (uint32_t)(share->sorted[i].ids - share->ids);
    thin_out(share, c);
    c->saved = (c->count - 1) * (words - 1);
    if (c->saved <= share->best->saved ||
        share->parts->before + share->words[c->places[0]] >= TABLE_TEMPLATES)
        return;
    share->candidate = share->best;
    share->best = c;
}

/* Every set of suffixes with a common beginning, shortest ends first: an open set begins at
 * stack[k].first and shares stack[k].length entries. */
static void find_best(struct share *share) {
    uint32_t n = (uint32_t)share->parts->entries.len, depth = 0;
    struct table_range *open = xcalloc(n + 1, sizeof *open); /* first, length */
    share->best->saved = 0;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t length = i < n ? share->common[i] : 0, first = i - 1;
        while (depth > 0 && open[depth - 1].count > length) {
            first = open[--depth].first;
            consider(share, first, i, open[depth].count);
        }
        if (length > 0 && (depth == 0 || open[depth - 1].count < length))
            open[depth++] = (struct table_range){first, length};
    }
    free(open);
}

/* ---- replacing ---- */

/* Entries [at, at + removed) become one: ranges around it shrink, those behind it move up. */
static void shrink_range(struct table_range *range, uint32_t at, uint32_t removed) {
    if (range->first > at)
        range->first -= removed - 1;
    else if (range->first + range->count > at)
        range->count -= removed - 1;
}

static void shrink_loops(struct table_parts *parts, uint32_t at, uint32_t removed, uint32_t words) {
    for (uint32_t i = 0; i < at; i++) {
        struct table_entry *e = &parts->entries.data[i];
        if (e->kind != ENTRY_LOOP || i + 1 + e->loop.entries <= at)
            continue;
        e->loop.entries -= removed - 1;
        e->loop.words -= words - 1;
    }
}

static void replace(struct share *share, uint32_t at, uint32_t length, uint32_t words,
                    uint32_t pointer) {
    struct table_parts *p = share->parts;
    struct table_entry e;
    memset(&e, 0, sizeof e);
    e.kind = ENTRY_POINTER;
    e.pointer = pointer;
    e.words = 1;
    shrink_loops(p, at, length, words);
    for (size_t i = 0; i < p->form_count; i++)
        shrink_range(&p->forms[i], at, length);
    for (size_t i = p->given; i < p->pointer_count; i++)
        shrink_range(&p->pointers[i], at, length);
    p->entries.data[at] = e;
    size_t behind = p->entries.len - at - length;
    memmove(&p->entries.data[at + 1], &p->entries.data[at + length], behind * sizeof e);
    memmove(&share->kinds[at + 1], &share->kinds[at + length], behind * sizeof *share->kinds);
    p->entries.len -= length - 1;
}

/* What stands there has other words when something in it became a pointer. */
static void count_again(struct share *share) {
    for (size_t i = 0; i < share->parts->entries.len; i++) {
        struct table_entry *e = &share->parts->entries.data[i];
        if (e->kind != ENTRY_LOOP && e->kind != ENTRY_POINTER)
            continue;
        e->words = (uint16_t)table_entry_words(share->layout, e);
        find_kind(share, i);
    }
}

/* From the last place to the first, so that those before keep their numbers. */
static void share_best(struct share *share) {
    const struct shared_choice *c = share->best;
    uint32_t words = share->words[c->places[0] + c->length] - share->words[c->places[0]];
    uint32_t pointer = (uint32_t)share->parts->pointer_count;
    for (uint32_t i = c->count; i-- > 1;)
        replace(share, c->places[i], c->length, words, pointer);
    share->parts->pointers[share->parts->pointer_count++] =
        (struct table_range){c->places[0], c->length};
    count_again(share);
}

static void open_share(struct share *share) {
    size_t n = share->parts->entries.len;
    share->kinds = xcalloc(n + 1, sizeof *share->kinds);
    share->ids = xcalloc(n + 1, sizeof *share->ids);
    share->ends = xcalloc(n + 1, sizeof *share->ends);
    share->words = xcalloc(n + 1, sizeof *share->words);
    share->sorted = xcalloc(n + 1, sizeof *share->sorted);
    share->common = xcalloc(n + 1, sizeof *share->common);
    share->best = xcalloc(1, sizeof *share->best);
    share->candidate = xcalloc(1, sizeof *share->candidate);
    for (size_t i = 0; i < n; i++)
        find_kind(share, i);
}

static void close_share(struct share *share) {
    map_free(&share->known);
    free(share->kinds);
    free(share->ids);
    free(share->ends);
    free(share->words);
    free(share->sorted);
    free(share->common);
    free(share->best);
    free(share->candidate);
}

static void share_all(struct share *share) {
    while (share->parts->pointer_count < TABLE_POINTERS) {
        survey(share);
        find_best(share);
        if (share->best->saved == 0)
            break;
        share_best(share);
    }
}

void table_share(const struct table_layout *layout, struct table_parts *parts) {
    struct share s = {.layout = layout, .parts = parts};
    if (parts->entries.len > MAX_SHARED)
        return;
    open_share(&s);
    share_all(&s);
    close_share(&s);
}

/* ---- behind others ---- */

/* Where the entries stand as a whole from `from` on, or the end of all. */
static uint32_t find_again(struct share *share, uint32_t from, const struct table_entry *entries,
                           uint32_t count) {
    const struct entry_list *list = &share->parts->entries;
    while (from < list->len && (share->ends[from] - from < count ||
                                memcmp(list->data + from, entries, count * sizeof *entries) != 0))
        from++;
    return from;
}

static void find_all_ends(struct share *share) {
    for (size_t i = 0; i < share->parts->form_count; i++)
        find_ends(share, share->parts->forms[i].first,
                  share->parts->forms[i].first + share->parts->forms[i].count);
}

static void use_pointer(struct share *share, const struct table_parts *others, uint32_t pointer) {
    const struct table_range *p = &others->pointers[pointer];
    const struct table_entry *entries = others->entries.data + p->first;
    uint32_t words = 0, at = 0;
    for (uint32_t i = 0; i < p->count; i++)
        words += entries[i].words;
    find_all_ends(share);
    while ((at = find_again(share, at, entries, p->count)) < share->parts->entries.len) {
        replace(share, at, p->count, words, pointer);
        count_again(share);
        find_all_ends(share);
    }
}

/* A sequence may have pointers in it, which were made after it. */
void table_share_behind(const struct table_layout *layout, const struct table_parts *others,
                        struct table_parts *parts) {
    struct share s = {.layout = layout, .parts = parts};
    if (others->entries.len + parts->entries.len > MAX_SHARED)
        return;
    parts->given = parts->pointer_count = others->pointer_count;
    for (size_t i = 0; i < others->entries.len; i++)
        parts->before += others->entries.data[i].words;
    open_share(&s);
    for (uint32_t i = (uint32_t)others->pointer_count; i-- > 0;)
        use_pointer(&s, others, i);
    share_all(&s);
    close_share(&s);
}
