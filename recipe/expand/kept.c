/* SPDX-License-Identifier: MIT
 * Lists by recipe and operands; registers stand in them by field, and get their numbers when a
 * list is asked for. */
#include "recipe/expand/kept.h"

#include "support/alloc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LISTS 512
#define MAX_UOPS  ((size_t)1 << 18) /* in all lists together: about 20 MiB */

struct kept_list {
    struct kept_key key;
    struct uop_list list;
    uint64_t used; /* when it was asked for last */
};

#define MAX_BODIES    4
#define MAX_BODY_UOPS ((size_t)1 << 16) /* of one: about 8 MiB */

struct kept_body {
    const struct recipe *recipe; /* NULL: none */
    int32_t imm;
    unsigned w;
    bool in_order, copies_at_home, saved_carries; /* as it was begun */
    bool distributed, crossed, saves_carries;     /* as it ended */
    unsigned carries[2];
    struct sym_list list;
};

/* A body that was made, and is kept if it is made once more. */
struct made_body {
    const struct recipe *recipe; /* NULL: none */
    int32_t imm;
    unsigned w;
};
#define MADE_BODIES 16

#define MAX_ANSWERS 8 /* as many threads as find them */

struct kept_lists {
    pthread_mutex_t lock;
    struct allowed_memo *answers[MAX_ANSWERS];
    unsigned answers_count;
    struct kept_body bodies[MAX_BODIES];
    unsigned next_body; /* to be replaced */
    struct made_body made[MADE_BODIES];
    unsigned next_made;
    struct kept_list lists[MAX_LISTS];
    unsigned count;
    size_t uops; /* of all lists */
    uint64_t clock;
};

struct kept_lists *expand_kept_new(void) {
    struct kept_lists *k = xcalloc(1, sizeof *k);
    pthread_mutex_init(&k->lock, NULL);
    return k;
}

void expand_kept_free(struct kept_lists *lists) {
    if (!lists)
        return;
    for (unsigned i = 0; i < lists->count; i++)
        vec_free(&lists->lists[i].list);
    for (unsigned i = 0; i < MAX_BODIES; i++)
        expand_sym_list_free(&lists->bodies[i].list);
    for (unsigned i = 0; i < lists->answers_count; i++)
        expand_allowed_free(lists->answers[i]);
    pthread_mutex_destroy(&lists->lock);
    free(lists);
}

struct kept_key expand_kept_key_of(const struct recipe *recipe, const struct insn *insn,
                                   bool masked) {
    uint32_t flags = recipe_info(insn->op)->flags;
    bool rs = flags & (READS_RS | WRITES_RS), rt = flags & (READS_RT | WRITES_RT);
    bool rd = flags & (READS_RD | WRITES_RD);
    unsigned alias = (unsigned)(rs && rt && insn->rs == insn->rt) |
                     (unsigned)(rs && rd && insn->rs == insn->rd) << 1 |
                     (unsigned)(rt && rd && insn->rt == insn->rd) << 2;
    return (struct kept_key){recipe, insn->imm, insn->width, (uint8_t)alias, masked};
}

static uint32_t name_register(const struct insn *insn, uint32_t plane) {
    const uint8_t registers[] = {insn->rs, insn->rt, insn->rd};
    if (PLANE_CLASS(plane) != PLANE_REGISTER)
        return plane;
    return PLANE(PLANE_REGISTER, 0,
                 (uint32_t)registers[PLANE_NUMBER(plane) >> 6] << 6 | (plane & 63));
}

static struct kept_list *find(struct kept_lists *lists, const struct kept_key *key) {
    for (unsigned i = 0; i < lists->count; i++) {
        const struct kept_key *l = &lists->lists[i].key;
        if (l->recipe == key->recipe && l->imm == key->imm && l->width == key->width &&
            l->alias == key->alias && l->masked == key->masked)
            return &lists->lists[i];
    }
    return NULL;
}

void expand_kept_append(const struct uop *uops, size_t count, const struct insn *insn,
                        struct uop_list *out) {
    vec_reserve(out, out->len + count);
    for (size_t i = 0; i < count; i++) {
        struct uop *u = &out->data[out->len++];
        *u = uops[i];
        for (unsigned s = 0; s < u->nsrc; s++)
            u->src[s] = name_register(insn, u->src[s]);
        for (unsigned d = 0; d < u->ndst; d++)
            u->dst[d] = name_register(insn, u->dst[d]);
    }
}

bool expand_kept_get(struct kept_lists *lists, const struct kept_key *key, const struct insn *insn,
                     struct uop_list *out) {
    struct alloc_lock lock;
    alloc_lock(&lock, &lists->lock);
    struct kept_list *l = find(lists, key);
    if (l) {
        l->used = ++lists->clock;
        expand_kept_append(l->list.data, l->list.len, insn, out);
    }
    alloc_unlock(&lock);
    return l != NULL;
}

bool expand_kept_get_alike(struct kept_lists *lists, const struct target *target,
                           const struct kept_key *key, const struct insn *insn,
                           struct uop_list *out) {
    struct kept_key apart = *key;
    struct alloc_lock lock;
    if (!key->alias)
        return false;
    apart.alias = 0;
    alloc_lock(&lock, &lists->lock);
    struct kept_list *l = find(lists, &apart);
    bool serves = l && expand_serves_alias(target, insn, &l->list);
    if (serves) {
        l->used = ++lists->clock;
        expand_kept_append(l->list.data, l->list.len, insn, out);
    }
    alloc_unlock(&lock);
    return serves;
}

/* Lets the list go that was not asked for the longest. */
static void drop_one(struct kept_lists *lists) {
    unsigned oldest = 0;
    for (unsigned i = 1; i < lists->count; i++)
        if (lists->lists[i].used < lists->lists[oldest].used)
            oldest = i;
    lists->uops -= lists->lists[oldest].list.len;
    vec_free(&lists->lists[oldest].list);
    lists->lists[oldest] = lists->lists[--lists->count];
}

void expand_kept_put(struct kept_lists *lists, const struct kept_key *key, struct uop_list *list) {
    size_t count = list->len;
    pthread_mutex_lock(&lists->lock);
    /* Two threads may have made it. */
    bool keep = count <= MAX_UOPS && !find(lists, key);
    while (keep && (lists->count == MAX_LISTS || lists->uops + count > MAX_UOPS))
        drop_one(lists);
    if (keep) {
        lists->lists[lists->count++] = (struct kept_list){*key, *list, ++lists->clock};
        lists->uops += count;
        *list = (struct uop_list){0};
    }
    pthread_mutex_unlock(&lists->lock);
    vec_free(list);
}

/* --- bodies --- */

static void copy_list(const struct sym_list *from, struct sym_list *to) {
    *to = (struct sym_list){0};
    vec_reserve(&to->uops, from->uops.len + 1);
    vec_reserve(&to->values, from->values.len + from->values.len / 8 + 64); /* some are added */
    if (from->uops.len)
        memcpy(to->uops.data, from->uops.data, from->uops.len * sizeof *from->uops.data);
    if (from->values.len)
        memcpy(to->values.data, from->values.data, from->values.len * sizeof *from->values.data);
    to->uops.len = from->uops.len;
    to->values.len = from->values.len;
}

static bool is_body_of(const struct kept_body *body, const struct expansion *expansion) {
    return body->recipe == expansion->recipe && body->imm == expansion->insn->imm &&
           body->w == expansion->w && body->in_order == expansion->in_order &&
           body->copies_at_home == expansion->copies_at_home &&
           body->saved_carries == expansion->saves_carries;
}

bool expand_kept_get_body(struct kept_lists *lists, struct expansion *expansion) {
    struct alloc_lock lock;
    bool found = false;
    alloc_lock(&lock, &lists->lock);
    for (unsigned i = 0; i < MAX_BODIES && !found; i++) {
        const struct kept_body *b = &lists->bodies[i];
        found = is_body_of(b, expansion);
        if (!found)
            continue;
        copy_list(&b->list, &expansion->list);
        expansion->distributed = b->distributed;
        expansion->crossed = b->crossed;
        expansion->saves_carries = b->saves_carries;
        memcpy(expansion->carries, b->carries, sizeof b->carries);
    }
    alloc_unlock(&lock);
    return found;
}

/* Where lines of the array apply the mask, most bodies are asked for once: copying them would be
 * wasted. */
static bool is_made_again(struct kept_lists *lists, const struct expansion *expansion) {
    struct alloc_lock lock;
    bool again = plane_target(expansion->set->target)->mask_by != MASK_GATE;
    alloc_lock(&lock, &lists->lock);
    for (unsigned i = 0; i < MADE_BODIES && !again; i++) {
        const struct made_body *m = &lists->made[i];
        again = m->recipe == expansion->recipe && m->imm == expansion->insn->imm &&
                m->w == expansion->w;
    }
    if (!again)
        lists->made[lists->next_made++ % MADE_BODIES] =
            (struct made_body){expansion->recipe, expansion->insn->imm, expansion->w};
    alloc_unlock(&lock);
    return again;
}

void expand_kept_put_body(struct kept_lists *lists, const struct expansion *expansion,
                          bool saved_carries) {
    struct kept_body made = {.recipe = expansion->recipe,
                             .imm = expansion->insn->imm,
                             .w = expansion->w,
                             .in_order = expansion->in_order,
                             .copies_at_home = expansion->copies_at_home,
                             .saved_carries = saved_carries,
                             .saves_carries = expansion->saves_carries,
                             .distributed = expansion->distributed,
                             .crossed = expansion->crossed,
                             .carries = {expansion->carries[0], expansion->carries[1]}};
    if (expansion->list.uops.len > MAX_BODY_UOPS || !is_made_again(lists, expansion))
        return;
    copy_list(&expansion->list, &made.list);
    pthread_mutex_lock(&lists->lock);
    struct kept_body *place = &lists->bodies[lists->next_body++ % MAX_BODIES];
    struct kept_body old = *place;
    *place = made;
    pthread_mutex_unlock(&lists->lock);
    expand_sym_list_free(&old.list);
}

/* --- answers --- */

struct allowed_memo *expand_kept_take_answers(struct kept_lists *lists) {
    pthread_mutex_lock(&lists->lock);
    struct allowed_memo *a = lists->answers_count ? lists->answers[--lists->answers_count] : NULL;
    pthread_mutex_unlock(&lists->lock);
    return a ? a : expand_allowed_new();
}

void expand_kept_give_answers(struct kept_lists *lists, struct allowed_memo *answers) {
    pthread_mutex_lock(&lists->lock);
    bool keep = lists->answers_count < MAX_ANSWERS && !expand_allowed_is_full(answers);
    if (keep)
        lists->answers[lists->answers_count++] = answers;
    pthread_mutex_unlock(&lists->lock);
    if (!keep)
        expand_allowed_free(answers);
}
