/* SPDX-License-Identifier: MIT
 * A loop whose laps depend on data, or that is repeated, is walked once.  Before it every array
 * that a lap binds anew gets a home; at the end of the lap what the name stands for then goes
 * there.  So a lap finds everything where the one before found it. */
#include "ezpim/np/loop.h"

#include <string.h>

enum { MOST_CARRIED = 64 };

/* A name that a lap binds or writes. */
struct carried {
    const char *name;
    bool rebound;          /* else its elements are written where they are */
    bool known;            /* it was bound before the loop */
    struct np_value value; /* then */
    struct array_ref *home;
    uint32_t version; /* of its home before a lap */
    bool entangled;   /* its home stands for what has another name, or not */
};

/* An array that there is before a lap. */
struct seen {
    const struct array_storage *storage;
    uint32_t version; /* then */
    struct seen *next;
};

struct np_loop {
    struct np_unit *u;
    const struct np_stmt *stmt;
    bool repeats;          /* there is a lap */
    struct carried *names; /* [count] */
    uint32_t count;
    struct seen *seen;
};

/* ---- what a lap changes ---- */

static void note_name(struct np_loop *l, const char *name, bool rebound) {
    uint32_t i = 0;
    while (i < l->count && strcmp(l->names[i].name, name) != 0)
        i++;
    if (i == MOST_CARRIED) {
        np_error(l->u, l->stmt->word, "a lap of this loop changes more than %d names",
                 MOST_CARRIED);
        return;
    }
    if (i == l->count)
        l->names[l->count++] = (struct carried){.name = name};
    l->names[i].rebound |= rebound;
}

static void note_target(struct np_loop *l, const struct np_expr *e, bool rebound) {
    if (e->kind == NP_EXPR_NAME)
        note_name(l, e->name, rebound);
    else if (e->kind == NP_EXPR_INDEX)
        note_target(l, e->a, false);
    for (const struct np_expr *x = e->items; x && e->kind != NP_EXPR_INDEX; x = x->next)
        note_target(l, x, rebound);
}

/* Functions may write what they are given. */
static void note_calls(struct np_loop *l, const struct np_expr *e) {
    if (!e)
        return;
    bool passes = e->kind == NP_EXPR_CALL && e->a->kind == NP_EXPR_NAME;
    note_calls(l, e->a);
    note_calls(l, e->b);
    note_calls(l, e->c);
    for (const struct np_expr *x = e->items; x; x = x->next) {
        if (passes && x->kind == NP_EXPR_NAME)
            note_name(l, x->name, false);
        note_calls(l, x);
    }
}

static void note_changes(struct np_loop *l, const struct np_stmt *s) {
    for (; s; s = s->next) {
        const struct np_value *v =
            s->target && s->target->kind == NP_EXPR_NAME ? np_find(l->u, s->target->name) : NULL;
        bool in_place = s->kind == NP_STMT_COMPUTE && v && v->kind == NP_ARRAY && v->array->ndim;
        if (s->target && s->kind != NP_STMT_FROM)
            note_target(l, s->target, !in_place);
        note_calls(l, s->value);
        note_changes(l, s->body);
        note_changes(l, s->otherwise);
    }
}

/* ---- arrays of several names ---- */

static bool stands_for(const struct np_value *v, const struct array_storage *s) {
    if (v->kind == NP_ARRAY)
        return v->array->root == s || (v->mask && v->mask->root == s);
    for (uint32_t i = 0; np_is_list(v) && i < v->count; i++)
        if (stands_for(&v->items[i], s))
            return true;
    return false;
}

/* Whether somebody but this name of the function at hand sees the elements. */
static bool has_other_name(const struct np_unit *u, const struct array_storage *s,
                           const char *name) {
    for (size_t i = 0; i < u->params.len; i++)
        if (u->params.data[i].storage == s)
            return true;
    for (const struct np_frame *f = u->frame; f; f = f->caller)
        for (size_t i = 0; i < f->names.len; i++) {
            const struct np_binding *b = &f->names.data[i];
            if ((f != u->frame || strcmp(b->name, name) != 0) && stands_for(&b->value, s))
                return true;
        }
    return false;
}

/* It depends on the laps whether the name stands for s or for its home.  That does no harm as long
 * as neither is written where the other one is seen. */
static void entangle(struct np_loop *l, struct carried *c, struct array_storage *s) {
    if (!c->rebound || !s || s == c->home->root || !has_other_name(l->u, s, c->name))
        return;
    np_entangle(l->u, s, l->stmt);
    c->entangled = true;
}

/* ---- homes ---- */

/* A list may be changed where it is. */
static struct np_value copy_items(struct np_unit *u, const struct np_value *v) {
    struct np_value x = *v;
    if (!v->count)
        return x;
    x.items = ARENA_ARRAY(&u->arena, v->count, struct np_value);
    for (uint32_t i = 0; i < v->count; i++)
        x.items[i] = copy_items(u, &v->items[i]);
    return x;
}

/* What a name stands for where only walking the loop lap by lap says it. */
static void forget(struct np_loop *l, const char *name) {
    np_bind(l->u, name, (struct np_value){.kind = NP_GONE, .function = l->stmt});
}

static void find_home(struct np_loop *l, struct carried *c) {
    struct np_value *v = np_find(l->u, c->name);
    c->known = v != NULL;
    if (!v)
        return;
    c->value = v->kind == NP_LIST ? copy_items(l->u, v) : *v;
    if (l->repeats && c->rebound && v->kind != NP_ARRAY)
        forget(l, c->name);
    if (v->kind != NP_ARRAY || v->mask || (!c->rebound && !v->array->root) ||
        !(c->home = np_need_array(l->u, v, "a loop")))
        return;
    struct array_storage *before = c->home->root;
    if (c->rebound && (c->home = np_fresh(l->u, c->home, l->stmt->word)))
        np_bind(l->u, c->name, np_array_value(c->home, v->at));
    if (!c->home)
        return;
    entangle(l, c, before);
    if (c->entangled)
        np_entangle(l->u, c->home->root, l->stmt);
    c->home->range = array_type_range(c->home->type);
    if (!c->rebound) /* views of it that were made before the loop are old from the second lap on */
        np_touch(l->u, c->home->root, l->stmt->word);
    c->version = c->home->root->version;
}

static bool same_items(const struct np_value *a, const struct np_value *b) {
    bool same = a->kind == b->kind && a->number == b->number && a->count == b->count &&
                a->array == b->array && a->function == b->function;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = same_items(&a->items[i], &b->items[i]);
    return same;
}

/* What the name stands for at the end of a lap, where it differs from its home; or NULL. */
static struct array_ref *end_of_lap(struct np_loop *l, const struct carried *c) {
    const struct np_value *v = np_find(l->u, c->name);
    if (!c->known || !v || v->kind == NP_ERROR || c->value.kind == NP_ERROR)
        return NULL;
    if (!c->home) {
        if (!(l->repeats && c->rebound) && !same_items(v, &c->value))
            np_error(l->u, l->stmt->word,
                     "`%s` is another value after each lap, and how many laps there are is known "
                     "when the kernel runs",
                     c->name);
        return NULL;
    }
    struct array_ref *x = v->kind == NP_ARRAY ? np_need_array(l->u, v, "a loop") : NULL;
    if (!x || !array_same_type(x->type, c->home->type) ||
        !array_same_shape(x->ndim, x->shape, c->home->ndim, c->home->shape)) {
        np_error(l->u, l->stmt->word, "`%s` is %s before a lap and %s behind it", c->name,
                 np_value_text(l->u, &c->value), np_value_text(l->u, v));
        return NULL;
    }
    return x == c->home ? NULL : x;
}

static bool is_home(const struct np_loop *l, const struct array_storage *s) {
    for (uint32_t i = 0; i < l->count; i++)
        if (l->names[i].home && s == l->names[i].home->root)
            return true;
    return false;
}

/* ---- arrays that a lap writes under no name of its own ---- */

static void see(struct np_loop *l, const struct np_value *v) {
    if (v->kind == NP_ARRAY && v->array->root) {
        struct seen *x = ARENA_NEW(&l->u->arena, struct seen);
        *x = (struct seen){v->array->root, v->array->root->version, l->seen};
        l->seen = x;
    }
    for (uint32_t i = 0; i < v->count; i++)
        see(l, &v->items[i]);
}

static void see_all(struct np_loop *l) {
    for (const struct np_frame *f = l->u->frame; f; f = f->caller)
        for (size_t i = 0; i < f->names.len; i++)
            see(l, &f->names.data[i].value);
}

/* What was known of it before the lap does not hold in the next one. */
static void check_written(struct np_loop *l) {
    const struct seen *x = l->seen;
    while (x && (x->storage->version == x->version || is_home(l, x->storage)))
        x = x->next;
    if (!x)
        return;
    np_error(l->u, x->storage->written,
             "a lap of a loop writes an array here that it has no name for");
    np_note(l->u, l->stmt->word,
            "the loop stands here; a name that is bound to the array in front of it, and written "
            "or passed in the lap, helps");
}

/* What a lap wrote the next one writes again: it has no other name by then. */
static void check_names(struct np_loop *l, struct carried *c, struct array_ref *end) {
    struct array_storage *home = c->home->root, *s = end->root;
    bool was_entangled = c->entangled;
    bool written = home->version != c->version;
    for (uint32_t i = 0; i < l->count && s; i++)
        if (l->names[i].home && l->names[i].home->root == s)
            written |= s->version != l->names[i].version;
    entangle(l, c, s);
    if (c->entangled && !was_entangled && written)
        np_touch(l->u, s, home->version != c->version ? home->written : s->written);
}

/* All values are there before the first of them goes home. */
void np_carry_home(struct np_loop *l) {
    struct array_ref *ends[MOST_CARRIED];
    check_written(l);
    for (uint32_t i = 0; i < l->count; i++) {
        ends[i] = end_of_lap(l, &l->names[i]);
        if (ends[i])
            check_names(l, &l->names[i], ends[i]);
        if (ends[i] && is_home(l, ends[i]->root))
            ends[i] = np_fresh(l->u, ends[i], l->stmt->word);
    }
    for (uint32_t i = 0; i < l->count; i++) {
        struct carried *c = &l->names[i];
        if (ends[i])
            np_entangle(l->u, c->home->root, NULL);
        if (ends[i])
            np_elementwise(l->u, NP_OP_PLUS, 1, &ends[i], c->home->type, 0, c->home->root,
                           l->stmt->word);
        if (c->home) {
            c->home->range = array_type_range(c->home->type);
            if (c->entangled)
                np_entangle(l->u, c->home->root, l->stmt);
            np_bind(l->u, c->name, np_array_value(c->home, c->value.at));
        }
    }
}

/* Nobody knows whether there is a lap. */
static void forget_new_names(struct np_loop *l) {
    for (uint32_t i = 0; i < l->count; i++)
        for (size_t k = l->u->frame->names.len; k-- > 0 && !l->names[i].known;)
            if (strcmp(l->u->frame->names.data[k].name, l->names[i].name) == 0)
                l->u->frame->names.data[k].name = "";
}

struct np_loop *np_carry(struct np_unit *u, const struct np_stmt *s) {
    struct np_loop *l = ARENA_NEW(&u->arena, struct np_loop);
    struct carried names[MOST_CARRIED];
    *l = (struct np_loop){.u = u, .stmt = s, .repeats = s->kind == NP_STMT_FOR, .names = names};
    note_changes(l, s->body);
    l->names = ARENA_ARRAY(&u->arena, l->count + 1, struct carried);
    memcpy(l->names, names, l->count * sizeof *names);
    for (uint32_t i = 0; i < l->count; i++)
        find_home(l, &l->names[i]);
    see_all(l);
    return l;
}

void np_carry_end(struct np_loop *l) {
    l->u->frame->loops--;
    for (uint32_t i = 0; i < l->count; i++)
        if (l->repeats && l->names[i].rebound && !l->names[i].home)
            forget(l, l->names[i].name);
    if (!l->repeats)
        forget_new_names(l);
}

/* ---- the question ---- */

struct question {
    const struct np_expr *of; /* whose elements are asked */
    bool all, opposite;
    struct span at;
};

static bool is_question(struct np_unit *u, const struct np_expr *e, struct question *q) {
    q->at = e->at;
    for (; e->kind == NP_EXPR_NOT; e = e->a)
        q->opposite = !q->opposite;
    if (e->kind != NP_EXPR_CALL || e->a->kind != NP_EXPR_ATTRIBUTE)
        return false;
    q->all = strcmp(e->a->name, "all") == 0;
    const struct np_value *v = e->a->a->kind == NP_EXPR_NAME ? np_find(u, e->a->a->name) : NULL;
    bool module = v && v->kind == NP_MODULE;
    q->of = module ? e->items : e->a->a;
    return (q->all || strcmp(e->a->name, "any") == 0) && e->count == module && q->of;
}

/* The truth of each element, in lanes; for `all` of those that have it not. */
static struct array_ref *answers(struct np_unit *u, const struct question *q) {
    static const struct mpu_type truth = {TYPE_BOOL, 1};
    struct np_value v = np_eval(u, q->of);
    struct array_ref *x = np_need_array(u, &v, q->all ? "all" : "any");
    if (x && !array_is_bool(x->type))
        x = np_cast(u, x, truth, q->at);
    if (x && q->all)
        x = np_elementwise(u, NP_OP_INVERT, 1, &x, truth, 0, NULL, q->at);
    return x;
}

static void run_laps(struct np_loop *l, const struct question *q, struct array_ref *c) {
    struct np_unit *u = l->u;
    u->frame->loops++;
    struct array_while w = array_open_while(&u->arrays, q->all != q->opposite, l->stmt->at);
    u->laps++;
    np_run(u, l->stmt->body);
    np_carry_home(l);
    struct array_ref *again = np_failed(u) ? NULL : answers(u, q);
    if (again && array_same_shape(again->ndim, again->shape, c->ndim, c->shape))
        np_elementwise(u, NP_OP_PLUS, 1, &again, c->type, 0, c->root, q->at);
    u->laps--;
    array_close_while(&u->arrays, &w, c, q->at);
}

void np_run_while(struct np_unit *u, const struct np_stmt *s) {
    struct question q = {.at = s->value->at};
    if (!is_question(u, s->value, &q)) {
        np_error(u, s->value->at,
                 "a `while` asks `np.any(c)` or `np.all(c)`, or `not` of one of them");
        return;
    }
    struct np_loop *l = np_carry(u, s);
    struct array_ref *c = np_failed(u) ? NULL : answers(u, &q);
    c = c ? np_fresh(u, c, q.at) : NULL;
    if (!c)
        return;
    array_note_meeting(&u->arrays, c, NULL, NULL);
    run_laps(l, &q, c);
    np_carry_end(l);
}
