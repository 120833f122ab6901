/* SPDX-License-Identifier: MIT
 * References of rows/: elements that are asked, chosen, ordered and exchanged. */
#include "tests/programs/rows.h"

#include <stdbool.h>
#include <string.h>

/* --- the nearest neighbours --- */

enum { FEATURES = 4, CLASSES = 4 };

static uint64_t squared_distance(const int16_t *a, const int16_t *b) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < FEATURES; k++) {
        int64_t d = (int64_t)a[k] - b[k];
        sum += (uint64_t)(d * d);
    }
    return sum;
}

/* The nearest point that is none of the `count` in `before`; of equals the first. */
static uint32_t next_nearest(const int16_t *point, const int16_t *query, uint32_t n,
                             const uint64_t *before, uint32_t count) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        bool taken = false;
        for (uint32_t k = 0; k < count; k++)
            taken |= before[k] == i;
        if (!taken &&
            (best == UINT32_MAX || squared_distance(point + (size_t)FEATURES * i, query) <
                                       squared_distance(point + (size_t)FEATURES * best, query)))
            best = i;
    }
    return best;
}

/* Two points are the same, so that the first of them counts before the second. */
void rows_neighbours(struct rows_data *d, uint32_t n) {
    static const char *const names[] = {"first", "second", "third"};
    const int16_t *query = rows_random(d, "query", MPU_I16, 0, FEATURES);
    int16_t *point = rows_random(d, "point", MPU_I16, n, FEATURES);
    uint8_t *class = rows_add(&d->in, "class", MPU_U8, n, 0);
    uint64_t *votes = rows_add(&d->want, "votes", MPU_U64, 0, CLASSES), found[3];
    memcpy(point + 4 * (n - 1), query, 2 * FEATURES);
    memcpy(point + 4 * (n / 2), query, 2 * FEATURES);
    for (uint32_t i = 0; i < n; i++)
        class[i] = (uint8_t)rows_below(d, CLASSES);
    for (uint32_t k = 0; k < 3; k++) {
        found[k] = next_nearest(point, query, n, found, k);
        *(uint64_t *)rows_add(&d->want, names[k], MPU_U64, 0, 0) = found[k];
        votes[class[found[k]]]++;
    }
    uint64_t *farthest = rows_add(&d->want, "farthest", MPU_U64, 0, 0);
    *farthest = squared_distance(point + FEATURES * found[2], query);
}

/* --- a word in a text --- */

enum { WORD = 6 };

static uint8_t small(uint8_t c) {
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c;
}

static bool stands_at(const uint8_t *text, uint32_t n, uint32_t i, const uint8_t *word) {
    for (uint32_t k = 0; k < WORD; k++)
        if (small(i + k < n ? text[i + k] : 0) != small(word[k]))
            return false;
    return true;
}

/* Copies of the word, some of which the next one destroys, the last one cut off by the end. */
static void plant(struct rows_data *d, uint8_t *text, uint32_t n, const uint8_t *word) {
    for (uint32_t copy = 0; copy < n / 20; copy++) {
        uint32_t at = rows_below(d, n - WORD);
        for (uint32_t k = 0; k < WORD; k++)
            text[at + k] = rows_below(d, 2) ? word[k] : small(word[k]);
    }
    memcpy(text, word, WORD);
    memcpy(text + n - WORD + 1, word, WORD - 1);
}

void rows_grep(struct rows_data *d, uint32_t n) {
    uint8_t *text = rows_add(&d->in, "letter", MPU_U8, n, 0);
    uint8_t *word = rows_add(&d->in, "word", MPU_U8, 0, WORD);
    uint64_t *place = rows_add(&d->want, "place", MPU_U64, n, 0);
    uint64_t *found = rows_add(&d->want, "found", MPU_U64, 0, 0);
    uint64_t *last = rows_add(&d->want, "last", MPU_U64, 0, 0);
    memcpy(word, "Memory", WORD);
    for (uint32_t i = 0; i < n; i++)
        text[i] = (uint8_t)(rows_below(d, 5) ? 'a' + rows_below(d, 26) : 'A' + rows_below(d, 26));
    plant(d, text, n, word);
    for (uint32_t i = 0; i < n; i++)
        if (stands_at(text, n, i, word))
            place[(*found)++] = *last = i;
    d->want.item[0].values.shape[0] = *found;
}

/* --- sorting --- */

void rows_radix(struct rows_data *d, uint32_t n) {
    const uint8_t *key = rows_random(d, "key", MPU_U8, n, 0);
    const uint32_t *value = rows_random(d, "value", MPU_U32, n, 0);
    uint8_t *sorted_key = rows_add(&d->want, "sorted_key", MPU_U8, n, 0);
    uint32_t *sorted_value = rows_add(&d->want, "sorted_value", MPU_U32, n, 0);
    uint32_t to = 0;
    for (uint32_t k = 0; k < 256; k++)
        for (uint32_t i = 0; i < n; i++)
            if (key[i] == k) {
                sorted_key[to] = key[i];
                sorted_value[to++] = value[i];
            }
}

/* --- questions to all --- */

static void want_number(struct rows_data *d, const char *name, mpu_type type, int64_t value) {
    *(int64_t *)rows_add(&d->want, name, type, 0, 0) = value;
}

void rows_reductions(struct rows_data *d, uint32_t n) {
    const int32_t *reading = rows_random(d, "reading", MPU_I32, n, 0);
    const uint16_t *weight = rows_random(d, "weight", MPU_U16, n, 0);
    int64_t total = 0, weighed = 0, above = 0;
    uint32_t least = 0, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += reading[i];
        weighed += (int64_t)reading[i] * weight[i];
        least = reading[i] < reading[least] ? i : least;
        most = reading[i] > reading[most] ? i : most;
    }
    for (uint32_t i = 0; i < n; i++)
        above += (int64_t)reading[i] * n > total;
    want_number(d, "total", MPU_I64, total);
    want_number(d, "least", MPU_I64, reading[least]);
    want_number(d, "most", MPU_I64, reading[most]);
    want_number(d, "at_least", MPU_U64, least);
    want_number(d, "at_most", MPU_U64, most);
    want_number(d, "weighed", MPU_I64, weighed);
    want_number(d, "above", MPU_U64, above);
    want_number(d, "mean", MPU_I64, total / n);
}

/* --- MPUs that exchange --- */

enum { SIDE = 3, MPUS = SIDE * SIDE };

/* shape (3, 3, m) or (3, 3, m, each): element i of MPU p is number p * m + i of the list. */
static void over_mpus(struct rows_list *list, uint64_t m) {
    mpu_array *a = &list->item[list->count - 1].values;
    bool arrays = a->ndim == 2;
    a->ndim = arrays ? 4 : 3;
    a->shape[3] = a->shape[1];
    a->shape[0] = a->shape[1] = SIDE;
    a->shape[2] = m;
}

static void *exchanged(struct rows_data *d, const char *name, mpu_type type, uint32_t m,
                       uint32_t each) {
    void *data = rows_random(d, name, type, (uint64_t)MPUS * m, each);
    over_mpus(&d->in, m);
    return data;
}

static void *results(struct rows_data *d, const char *name, mpu_type type, uint32_t m,
                     uint32_t each) {
    void *data = rows_add(&d->want, name, type, (uint64_t)MPUS * m, each);
    over_mpus(&d->want, m);
    return data;
}

struct exchange {
    uint32_t m;
    const uint32_t *sample;
    const uint8_t *part; /* nine for each element */
    const uint32_t *wide;
};

static void want_reductions(struct rows_data *d, const struct exchange *x) {
    uint32_t *total = results(d, "total", MPU_U32, x->m, 0);
    uint32_t *least = results(d, "least", MPU_U32, x->m, 0);
    uint32_t *most = results(d, "most", MPU_U32, x->m, 0);
    uint32_t *mean = results(d, "mean", MPU_U32, x->m, 0);
    for (uint32_t e = 0; e < MPUS * x->m; e++) {
        least[e] = UINT32_MAX;
        for (uint32_t p = 0; p < MPUS; p++) {
            uint32_t other = p * x->m + e % x->m;
            total[e] += x->wide[other];
            least[e] = x->sample[other] < least[e] ? x->sample[other] : least[e];
            most[e] = x->sample[other] > most[e] ? x->sample[other] : most[e];
        }
        mean[e] = total[e] / MPUS;
    }
}

static void want_exchanges(struct rows_data *d, const struct exchange *x) {
    uint32_t *all = results(d, "all", MPU_U32, x->m, MPUS);
    uint8_t *got = results(d, "got", MPU_U8, x->m, MPUS);
    uint8_t *mine = results(d, "mine", MPU_U8, x->m, 0);
    uint32_t *first = results(d, "first", MPU_U32, x->m, 0);
    for (uint32_t e = 0; e < MPUS * x->m; e++) {
        uint32_t mpu = e / x->m, i = e % x->m;
        for (uint32_t p = 0; p < MPUS; p++) {
            all[MPUS * e + p] = x->sample[p * x->m + i];
            got[MPUS * e + p] = x->part[MPUS * (p * x->m + i) + mpu];
        }
        mine[e] = x->part[MPUS * (2 * SIDE * x->m + i) + mpu];
        first[e] = x->wide[x->m + i];
    }
}

static void want_turns(struct rows_data *d, const struct exchange *x) {
    uint32_t *turned = results(d, "turned", MPU_U32, x->m, 0);
    uint32_t *around = results(d, "around", MPU_U32, x->m, 0);
    for (uint32_t e = 0; e < MPUS * x->m; e++) {
        uint32_t row = e / x->m / SIDE, column = e / x->m % SIDE, i = e % x->m;
        turned[e] = x->sample[e] ^ x->sample[(column * SIDE + row) * x->m + i];
        for (uint32_t k = 0; k < SIDE; k++) /* the row's three, each once */
            around[e] += x->sample[(row * SIDE + k) * x->m + i];
    }
}

void rows_collectives(struct rows_data *d, uint32_t m) {
    struct exchange x = {.m = m};
    x.sample = exchanged(d, "sample", MPU_U32, m, 0);
    x.wide = exchanged(d, "wide", MPU_U32, m, 0);
    x.part = exchanged(d, "part", MPU_U8, m, MPUS);
    want_reductions(d, &x);
    want_exchanges(d, &x);
    want_turns(d, &x);
}
