/* SPDX-License-Identifier: MIT
 * What a recipe set remembers of the tables made with it. */
#include "recipe/table/made_before.h"

#include "support/alloc.h"
#include "support/map.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES          (32u << 20)
#define MOST_CONSTANT_BYTES (8u << 20)

/* So many programs can take turns with new immediates. */
enum { MOST_BASES = 16 };

struct known_base {
    struct str key;
    struct table_base *base; /* NULL: there is none */
    uint64_t used;
};

/* The maps give numbers in the lists. */
struct table_memory {
    pthread_mutex_t lock;
    struct map asked, forms, generals;
    VEC(struct table_made_forms) answers;
    VEC(struct table_made_form *) made;
    VEC(struct table_general *) general;
    size_t bytes, constant_bytes; /* all, and of forms for one constant */
    struct known_base bases[MOST_BASES];
    uint64_t used; /* counts when bases were asked for */
};

struct table_form_key table_form_key(const struct recipe_form *form) {
    return (struct table_form_key){
        {form->opcode, form->width, form->alias, form->constant, form->masking,
         (uint8_t)(form->imm & 0xff), (uint8_t)(form->imm >> 8 & 0xff),
         (uint8_t)(form->imm >> 16 & 0xff), (uint8_t)(form->imm >> 24 & 0xff)}};
}

static const uint64_t *number_of(const struct map *map, const struct recipe_form *form) {
    const struct table_form_key key = table_form_key(form);
    return map_get_n(map, (const char *)key.bytes, sizeof key.bytes);
}

/* The number of a form, `next` if it is new. */
static uint64_t add(struct map *map, const struct recipe_form *form, size_t next) {
    const struct table_form_key key = table_form_key(form);
    return *map_add_n(map, (const char *)key.bytes, sizeof key.bytes, next);
}

static void free_form(struct table_made_form *form) {
    vec_free(&form->entries);
    vec_free(&form->list);
    free(form);
}

static void free_general(struct table_general *general) {
    free(general->tokens);
    free(general);
}

struct table_memory *table_memory_new(void) {
    struct table_memory *memory = xcalloc(1, sizeof *memory);
    pthread_mutex_init(&memory->lock, NULL);
    return memory;
}

void table_memory_free(struct table_memory *memory) {
    if (!memory)
        return;
    for (size_t i = 0; i < memory->made.len; i++)
        free_form(memory->made.data[i]);
    for (size_t i = 0; i < memory->general.len; i++)
        free_general(memory->general.data[i]);
    for (size_t i = 0; i < MOST_BASES; i++) {
        str_free(&memory->bases[i].key);
        table_base_drop(memory->bases[i].base);
    }
    vec_free(&memory->made);
    vec_free(&memory->general);
    vec_free(&memory->answers);
    map_free(&memory->asked);
    map_free(&memory->forms);
    map_free(&memory->generals);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

bool table_memory_full(struct table_memory *memory) {
    pthread_mutex_lock(&memory->lock);
    bool full = memory->bytes >= MOST_BYTES;
    pthread_mutex_unlock(&memory->lock);
    return full;
}

bool table_memory_has_constants(struct table_memory *memory) {
    pthread_mutex_lock(&memory->lock);
    bool full = memory->constant_bytes >= MOST_CONSTANT_BYTES;
    pthread_mutex_unlock(&memory->lock);
    return full;
}

bool table_memory_forms(struct table_memory *memory, const struct recipe_form *asked,
                        struct table_made_forms *out) {
    pthread_mutex_lock(&memory->lock);
    const uint64_t *known = number_of(&memory->asked, asked);
    if (known)
        *out = memory->answers.data[*known];
    pthread_mutex_unlock(&memory->lock);
    return known;
}

void table_memory_put_forms(struct table_memory *memory, const struct recipe_form *asked,
                            const struct table_made_forms *forms) {
    struct alloc_lock lock;
    alloc_lock(&lock, &memory->lock);
    vec_reserve(&memory->answers, memory->answers.len + 1);
    if (add(&memory->asked, asked, memory->answers.len) == memory->answers.len)
        vec_push(&memory->answers, *forms);
    alloc_unlock(&lock);
}

const struct table_made_form *table_memory_form(struct table_memory *memory,
                                                const struct recipe_form *form) {
    pthread_mutex_lock(&memory->lock);
    const uint64_t *known = number_of(&memory->forms, form);
    const struct table_made_form *found = known ? memory->made.data[*known] : NULL;
    pthread_mutex_unlock(&memory->lock);
    return found;
}

const struct table_made_form *table_memory_put_form(struct table_memory *memory,
                                                    struct table_made_form *form) {
    struct alloc_lock lock;
    alloc_lock(&lock, &memory->lock);
    vec_reserve(&memory->made, memory->made.len + 1);
    uint64_t at = add(&memory->forms, &form->form, memory->made.len);
    if (at == memory->made.len) {
        vec_push(&memory->made, form);
        size_t bytes = sizeof *form + form->entries.len * sizeof *form->entries.data +
                       form->list.len * sizeof *form->list.data;
        memory->bytes += bytes;
        memory->constant_bytes += form->form.constant == CONSTANT_ONE ? bytes : 0;
    } else
        free_form(form);
    form = memory->made.data[at];
    alloc_unlock(&lock);
    return form;
}

const struct table_general *table_memory_general(struct table_memory *memory,
                                                 const struct recipe_form *asked) {
    pthread_mutex_lock(&memory->lock);
    const uint64_t *known = number_of(&memory->generals, asked);
    const struct table_general *found = known ? memory->general.data[*known] : NULL;
    pthread_mutex_unlock(&memory->lock);
    return found;
}

const struct table_general *table_memory_put_general(struct table_memory *memory,
                                                     const struct recipe_form *asked,
                                                     struct table_general *general) {
    struct alloc_lock lock;
    alloc_lock(&lock, &memory->lock);
    vec_reserve(&memory->general, memory->general.len + 1);
    uint64_t at = add(&memory->generals, asked, memory->general.len);
    if (at == memory->general.len) {
        vec_push(&memory->general, general);
        memory->bytes += general->count * sizeof *general->tokens;
    } else
        free_general(general);
    general = memory->general.data[at];
    alloc_unlock(&lock);
    return general;
}

/* ---- what forms share ---- */

struct table_base *table_base_new(void) {
    struct table_base *base = xcalloc(1, sizeof *base);
    base->refs = 1;
    return base;
}

void table_base_drop(struct table_base *base) {
    if (!base || --base->refs)
        return;
    vec_free(&base->parts.entries);
    free(base->parts.forms);
    recipe_table_free(base->table);
    free(base);
}

static struct known_base *find_base(struct table_memory *memory, const struct str *key) {
    for (size_t i = 0; i < MOST_BASES; i++) {
        struct known_base *known = &memory->bases[i];
        if (known->base && known->key.len == key->len &&
            (!key->len || memcmp(known->key.text, key->text, key->len) == 0))
            return known;
    }
    return NULL;
}

struct table_base *table_memory_base(struct table_memory *memory, const struct str *key) {
    pthread_mutex_lock(&memory->lock);
    struct known_base *known = find_base(memory, key);
    struct table_base *base = known ? known->base : NULL;
    if (base) {
        known->used = ++memory->used;
        base->refs++;
    }
    pthread_mutex_unlock(&memory->lock);
    return base;
}

void table_memory_put_base(struct table_memory *memory, const struct str *key,
                           struct table_base *base) {
    struct alloc_lock lock;
    alloc_lock(&lock, &memory->lock);
    struct known_base *oldest = &memory->bases[0];
    for (size_t i = 1; i < MOST_BASES; i++)
        if (memory->bases[i].used < oldest->used)
            oldest = &memory->bases[i];
    if (!find_base(memory, key)) {
        struct str copy = {0};
        str_append_n(&copy, str_text(key), key->len);
        str_free(&oldest->key);
        table_base_drop(oldest->base);
        base->refs++;
        *oldest = (struct known_base){copy, base, ++memory->used};
    }
    alloc_unlock(&lock);
}
