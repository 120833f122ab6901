/* SPDX-License-Identifier: MIT
 * Programs that the search has found for a target's gates, in the cache: one entry for each set of
 * gates, of all that any recipe asked for.  An entry is read when the first program is missing, and
 * written anew with what was found since, together with what others have put there meanwhile. */
#include "recipe/map/memo.h"

#include "support/alloc.h"
#include "support/cache.h"

#include "recipe_sources.h" /* generated: RECIPE_SOURCES_HASH */

#include <stdlib.h>
#include <string.h>

/* Bytes of a program: its key, then these, then its steps. */
#define FOUND     (sizeof(struct search_key))
#define MINIMAL   (FOUND + 1)
#define COST      (FOUND + 2)
#define CHAIN     (COST + 8)
#define OUTPUTS   (CHAIN + 8)
#define STEPS     (OUTPUTS + SEARCH_MAX_OUTPUTS)
#define HEAD_SIZE (STEPS + 1)
/* Of a step: gate, place, sources. */
#define STEP_SIZE (2 + SEARCH_MAX_SRC)

/* Numbers of programs in an entry at most: about 10 MiB. */
#define MOST_PROGRAMS 65536

/* All that a program follows from beside its key; what gates are called is not among it. */
static struct cache_key key_of(const struct map_gates *gates) {
    struct str text = {0};
    str_printf(&text, "%s %d %d", RECIPE_SOURCES_HASH, gates->zero, gates->one);
    for (unsigned i = 0; i < gates->count; i++) {
        const struct search_gate *g = &gates->gates[i];
        str_printf(&text, "\n%u %u %u %u:", g->nsrc, g->truth, g->dst_places, (unsigned)g->cost);
        for (unsigned s = 0; s < g->nsrc; s++)
            str_printf(&text, " %u", g->src_places[s]);
    }
    struct cache_key key = cache_key_of("search", str_text(&text), text.len);
    str_free(&text);
    return key;
}

/* --- bytes --- */

static void put_number(struct str *out, uint64_t number) {
    for (unsigned i = 0; i < 8; i++)
        str_char(out, (char)(number >> 8 * i & 0xFF));
}

static uint64_t get_number(const unsigned char *at) {
    uint64_t number = 0;
    for (unsigned i = 0; i < 8; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static void put_memory(struct str *out, const struct search_memory *memory) {
    const struct search_program *p = &memory->program;
    str_append_n(out, (const char *)&memory->key, sizeof memory->key);
    str_char(out, (char)memory->found);
    str_char(out, (char)p->minimal);
    put_number(out, p->cost);
    put_number(out, p->chain);
    str_append_n(out, (const char *)p->outputs, sizeof p->outputs);
    str_char(out, (char)p->step_count);
    for (unsigned i = 0; i < p->step_count; i++) {
        str_char(out, (char)p->steps[i].gate);
        str_char(out, (char)p->steps[i].place);
        str_append_n(out, (const char *)p->steps[i].src, sizeof p->steps[i].src);
    }
}

static bool get_step(const struct map_gates *gates, const unsigned char *at,
                     struct search_step *step) {
    if (at[0] >= gates->count || at[1] >= SEARCH_PLACES)
        return false;
    const struct search_gate *g = &gates->gates[at[0]];
    *step = (struct search_step){.tag = g->tag, .gate = at[0], .nsrc = g->nsrc, .place = at[1]};
    memcpy(step->src, &at[2], sizeof step->src);
    return true;
}

/* Values before a program's steps. */
static unsigned values_of(const struct map_gates *gates, const struct search_key *key) {
    return key->value_count + (unsigned)gates->zero + (unsigned)gates->one;
}

/* Each step reads what is there before it, and outputs are what there is at the end. */
static bool is_sound(const struct map_gates *gates, const struct search_memory *memory) {
    const struct search_program *p = &memory->program;
    unsigned values = values_of(gates, &memory->key);
    bool sound = memory->key.value_count <= SEARCH_MAX_INPUTS &&
                 memory->key.output_count <= SEARCH_MAX_OUTPUTS;
    for (unsigned i = 0; i < p->step_count; i++)
        for (unsigned s = 0; s < p->steps[i].nsrc; s++)
            sound &= p->steps[i].src[s] < values + i;
    for (unsigned i = 0; memory->found && i < memory->key.output_count; i++)
        sound &= p->outputs[i] < values + p->step_count;
    return sound;
}

/* How many bytes it takes; 0 if they are no program. */
static size_t get_memory(const struct map_gates *gates, const unsigned char *at, size_t left,
                         struct search_memory *memory) {
    struct search_program *p = &memory->program;
    *memory = (struct search_memory){0};
    if (left < HEAD_SIZE || at[STEPS] > SEARCH_MAX_STEPS ||
        left < HEAD_SIZE + at[STEPS] * (size_t)STEP_SIZE)
        return 0;
    memcpy(&memory->key, at, sizeof memory->key);
    memory->found = at[FOUND] == 1;
    p->minimal = at[MINIMAL] == 1;
    p->cost = get_number(&at[COST]);
    p->chain = get_number(&at[CHAIN]);
    memcpy(p->outputs, &at[OUTPUTS], sizeof p->outputs);
    p->step_count = at[STEPS];
    bool fine = true;
    for (unsigned i = 0; i < p->step_count && fine; i++)
        fine = get_step(gates, &at[HEAD_SIZE + i * STEP_SIZE], &p->steps[i]);
    return fine && is_sound(gates, memory) ? HEAD_SIZE + p->step_count * (size_t)STEP_SIZE : 0;
}

/* --- entries --- */

/* What is not known yet joins what is. */
static void take(struct recipe_set *set, const struct search_memory *memory) {
    struct search_memory **known =
        hash_table_put(&set->searches->by_key[EFFORT_FULL], &memory->key);
    if (*known)
        return;
    *known = ARENA_NEW(&set->arena, struct search_memory);
    **known = *memory;
    (*known)->next_kept = set->searches->kept;
    set->searches->kept = *known;
    set->searches->kept_count++;
}

static void read_entry(struct recipe_set *set) {
    const struct cache_key key = key_of(&set->searches->gates);
    struct str bytes = {0};
    if (cache_get(set->cache, &key, &bytes)) {
        const unsigned char *at = (const unsigned char *)str_text(&bytes);
        struct search_memory memory;
        size_t left = bytes.len;
        for (size_t n; (n = get_memory(&set->searches->gates, at, left, &memory)); left -= n) {
            take(set, &memory);
            at += n;
        }
    }
    str_free(&bytes);
}

void mapping_kept_read(struct recipe_set *set) {
    if (!set->cache || set->search_anew || set->searches->read)
        return;
    set->searches->read = true;
    read_entry(set);
}

void mapping_kept_note(struct search_memo *memo, struct search_memory *memory) {
    memory->next_kept = memo->kept;
    memo->kept = memory;
    memo->kept_count++;
    memo->unwritten = true;
}

void mapping_kept_write(struct recipe_set *set) {
    struct search_memo *memo = set->searches;
    struct str bytes = {0};
    if (!set->cache || set->search_anew || !memo->unwritten || memo->kept_count > MOST_PROGRAMS)
        return;
    memo->unwritten = false;
    read_entry(set);
    for (const struct search_memory *m = memo->kept; m; m = m->next_kept)
        put_memory(&bytes, m);
    const struct cache_key key = key_of(&memo->gates);
    cache_put(set->cache, &key, str_text(&bytes), bytes.len);
    str_free(&bytes);
}
