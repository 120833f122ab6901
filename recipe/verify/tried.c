/* SPDX-License-Identifier: MIT
 * The forms of a set that have held, and what a set may take for granted. */
#include "recipe/verify/try.h"

#include "support/alloc.h"
#include "support/hash_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tried_forms {
    pthread_mutex_t lock;
    HASH_TABLE(struct tried_key, uint8_t) held; /* 1: it held */
};

struct tried_forms *recipe_tried_new(void) {
    struct tried_forms *t = xcalloc(1, sizeof *t);
    pthread_mutex_init(&t->lock, NULL);
    return t;
}

void recipe_tried_free(struct tried_forms *tried) {
    if (!tried)
        return;
    hash_table_free(&tried->held);
    pthread_mutex_destroy(&tried->lock);
    free(tried);
}

bool recipe_tried_has(struct tried_forms *tried, const struct tried_key *key) {
    pthread_mutex_lock(&tried->lock);
    bool held = hash_table_get(&tried->held, key) != NULL;
    pthread_mutex_unlock(&tried->lock);
    return held;
}

void recipe_tried_put(struct tried_forms *tried, const struct tried_key *key) {
    struct alloc_lock lock;
    alloc_lock(&lock, &tried->lock);
    *(uint8_t *)hash_table_put(&tried->held, key) = 1;
    alloc_unlock(&lock);
}
