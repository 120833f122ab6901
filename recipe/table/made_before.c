/* SPDX-License-Identifier: MIT
 * What a recipe set remembers of the tables made with it. */
#include "recipe/table/made_before.h"

#include "support/alloc.h"
#include "support/map.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_BYTES (32u << 20)

/* The maps give numbers in the lists. */
struct table_memory {
    pthread_mutex_t lock;
    struct map asked, forms, generals;
    VEC(struct table_made_forms) answers;
    VEC(struct table_made_form *) made;
    VEC(struct table_general *) general;
    size_t bytes;
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
        memory->bytes += form->entries.len * sizeof *form->entries.data +
                         form->list.len * sizeof *form->list.data;
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
