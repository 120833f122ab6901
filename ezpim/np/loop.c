/* SPDX-License-Identifier: MIT
 * A loop whose laps depend on data, or that is repeated, is walked once.  Before it every name that
 * a lap binds to a new array gets a home, an array of its own; at the end of the lap the array that
 * the name stands for is copied there.  So each lap finds everything where the lap before found it.
 */
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

static void note_name(struct np_loop *loop, const char *name, bool rebound) {
    uint32_t i = 0;
    while (i < loop->count && strcmp(loop->names[i].name, name) != 0)
        i++;
    if (i == MOST_CARRIED) {
        np_error(loop->u, loop->stmt->word, "an iteration of this loop changes more than %d names",
                 MOST_CARRIED);
        return;
    }
    if (i == loop->count)
        loop->names[loop->count++] = (struct carried){.name = name};
    loop->names[i].rebound |= rebound;
}

static void note_target(struct np_loop *loop, const struct np_expr *expr, bool rebound) {
    if (expr->kind == NP_EXPR_NAME)
        note_name(loop, expr->name, rebound);
    else if (expr->kind == NP_EXPR_INDEX)
        note_target(loop, expr->a, false);
    for (const struct np_expr *x = expr->items; x && expr->kind != NP_EXPR_INDEX; x = x->next)
        note_target(loop, x, rebound);
}

/* Functions may write what they are given. */
static void note_calls(struct np_loop *loop, const struct np_expr *expr) {
    if (!expr)
        return;
    bool passes = expr->kind == NP_EXPR_CALL && expr->a->kind == NP_EXPR_NAME;
    note_calls(loop, expr->a);
    note_calls(loop, expr->b);
    note_calls(loop, expr->c);
    for (const struct np_expr *x = expr->items; x; x = x->next) {
        if (passes && x->kind == NP_EXPR_NAME)
            note_name(loop, x->name, false);
        note_calls(loop, x);
    }
}

static void note_changes(struct np_loop *loop, const struct np_stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        if (stmt->kind == NP_STMT_DEF) { /* its names are its own */
            note_name(loop, stmt->name, true);
            continue;
        }
        const struct np_value *v = stmt->target && stmt->target->kind == NP_EXPR_NAME
                                       ? np_find(loop->u, stmt->target->name)
                                       : NULL;
        bool in_place = stmt->kind == NP_STMT_COMPUTE && v && v->kind == NP_ARRAY && v->array->ndim;
        if (stmt->target && stmt->kind != NP_STMT_FROM)
            note_target(loop, stmt->target, !in_place);
        note_calls(loop, stmt->value);
        note_changes(loop, stmt->body);
        note_changes(loop, stmt->otherwise);
    }
}

/* ---- arrays of several names ---- */

static bool stands_for(const struct np_value *value, const struct array_storage *storage) {
    if (value->kind == NP_ARRAY)
        return value->array->root == storage || (value->mask && value->mask->root == storage);
    for (uint32_t i = 0; np_is_list(value) && i < value->count; i++)
        if (stands_for(&value->items[i], storage))
            return true;
    return false;
}

/* Whether somebody but this name of the function at hand sees the elements. */
static bool has_other_name(const struct np_unit *unit, const struct array_storage *storage,
                           const char *name) {
    for (size_t i = 0; i < unit->params.len; i++)
        if (unit->params.data[i].storage == storage)
            return true;
    for (const struct np_frame *f = unit->frame; f; f = f->caller)
        for (size_t i = 0; i < f->names.len; i++) {
            const struct np_binding *b = &f->names.data[i];
            if ((f != unit->frame || strcmp(b->name, name) != 0) && stands_for(&b->value, storage))
                return true;
        }
    return false;
}

/* It depends on the laps whether the name stands for s or for its home.  That does no harm as long
 * as neither is written where the other one is seen. */
static void entangle(struct np_loop *loop, struct carried *c, struct array_storage *storage) {
    if (!c->rebound || !storage || storage == c->home->root ||
        !has_other_name(loop->u, storage, c->name))
        return;
    np_entangle(loop->u, storage, loop->stmt);
    c->entangled = true;
}

/* ---- homes ---- */

/* A list may be changed where it is. */
static struct np_value copy_items(struct np_unit *unit, const struct np_value *value) {
    struct np_value x = *value;
    if (!value->count)
        return x;
    x.items = ARENA_ARRAY(&unit->arena, value->count, struct np_value);
    for (uint32_t i = 0; i < value->count; i++)
        x.items[i] = copy_items(unit, &value->items[i]);
    return x;
}

/* What a name stands for where only walking the loop lap by lap says it. */
static void forget(struct np_loop *loop, const char *name) {
    np_bind(loop->u, name, (struct np_value){.kind = NP_GONE, .function = loop->stmt});
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
    c->entangled |= before && np_is_entangled(l->u, before); /* by a loop before this one */
    if (c->entangled)
        np_entangle(l->u, c->home->root, l->stmt);
    c->home->range = array_type_range(c->home->type);
    if (!c->rebound) /* views of it that were made before the loop are old from the second lap on */
        np_touch(l->u, c->home->root, l->stmt->word);
    c->version = c->home->root->version;
}

static bool same_items(const struct np_value *left, const struct np_value *right) {
    bool same = left->kind == right->kind && left->number == right->number &&
                left->count == right->count && left->array == right->array &&
                left->function == right->function;
    for (uint32_t i = 0; same && i < left->count; i++)
        same = same_items(&left->items[i], &right->items[i]);
    return same;
}

/* What the name stands for at the end of a lap, where it differs from its home; or NULL. */
static struct array_ref *end_of_lap(struct np_loop *loop, const struct carried *carried) {
    const struct np_value *v = np_find(loop->u, carried->name);
    if (!carried->known || !v || v->kind == NP_ERROR || carried->value.kind == NP_ERROR)
        return NULL;
    if (!carried->home) {
        if (!(loop->repeats && carried->rebound) && (!loop->stmt->once || loop->stmt->depends) &&
            !same_items(v, &carried->value))
            np_error(loop->u, loop->stmt->word,
                     loop->stmt->once
                         ? "`%s` has another value behind this `if`, and whether it is carried out "
                           "is known only when the kernel runs"
                         : "`%s` has another value after each iteration, and their number is known "
                           "only when the kernel runs",
                     carried->name);
        return NULL;
    }
    struct array_ref *x = v->kind == NP_ARRAY ? np_need_array(loop->u, v, "a loop") : NULL;
    if (!x || !array_same_type(x->type, carried->home->type) ||
        !array_same_shape(x->ndim, x->shape, carried->home->ndim, carried->home->shape)) {
        np_error(loop->u, loop->stmt->word, "`%s` is %s before an iteration and %s after it",
                 carried->name, np_value_text(loop->u, &carried->value), np_value_text(loop->u, v));
        return NULL;
    }
    return x == carried->home ? NULL : x;
}

static bool is_home(const struct np_loop *loop, const struct array_storage *storage) {
    for (uint32_t i = 0; i < loop->count; i++)
        if (loop->names[i].home && storage == loop->names[i].home->root)
            return true;
    return false;
}

/* ---- arrays that a lap writes under no name of its own ---- */

static void see(struct np_loop *loop, const struct np_value *value) {
    if (value->kind == NP_ARRAY && value->array->root) {
        struct seen *x = ARENA_NEW(&loop->u->arena, struct seen);
        *x = (struct seen){value->array->root, value->array->root->version, loop->seen};
        loop->seen = x;
    }
    for (uint32_t i = 0; i < value->count; i++)
        see(loop, &value->items[i]);
}

static void see_all(struct np_loop *loop) {
    for (const struct np_frame *f = loop->u->frame; f; f = f->caller)
        for (size_t i = 0; i < f->names.len; i++)
            see(loop, &f->names.data[i].value);
}

/* What was known of it before the lap does not hold in the next one. */
static void check_written(struct np_loop *loop) {
    const struct seen *x = loop->seen;
    while (x && (x->storage->version == x->version || is_home(loop, x->storage)))
        x = x->next;
    if (!x)
        return;
    np_error(loop->u, x->storage->written,
             "an iteration of a loop writes an array here that it has no name for");
    np_note(loop->u, loop->stmt->word,
            "the loop stands here; a name that is bound to the array in front of it, and written "
            "or passed in its body, helps");
}

/* What a lap wrote the next one writes again: it has no other name by then. */
static void check_names(struct np_loop *loop, struct carried *carried, struct array_ref *end) {
    struct array_storage *home = carried->home->root, *s = end->root;
    bool was_entangled = carried->entangled;
    bool written = home->version != carried->version;
    for (uint32_t i = 0; i < loop->count && s; i++)
        if (loop->names[i].home && loop->names[i].home->root == s)
            written |= s->version != loop->names[i].version;
    entangle(loop, carried, s);
    carried->entangled |= carried->rebound && s && s != home && np_is_entangled(loop->u, s);
    if (carried->entangled && !was_entangled && written)
        np_touch(loop->u, s, home->version != carried->version ? home->written : s->written);
}

/* All values are there before the first of them goes home. */
void np_carry_home(struct np_loop *loop) {
    struct array_ref *ends[MOST_CARRIED];
    check_written(loop);
    for (uint32_t i = 0; i < loop->count; i++) {
        ends[i] = end_of_lap(loop, &loop->names[i]);
        if (ends[i])
            check_names(loop, &loop->names[i], ends[i]);
        if (ends[i] && is_home(loop, ends[i]->root))
            ends[i] = np_fresh(loop->u, ends[i], loop->stmt->word);
    }
    for (uint32_t i = 0; i < loop->count; i++) {
        struct carried *c = &loop->names[i];
        if (ends[i])
            np_entangle(loop->u, c->home->root, NULL);
        if (ends[i])
            np_elementwise(loop->u, NP_OP_PLUS, 1, &ends[i], c->home->type, 0, c->home->root,
                           loop->stmt->word);
        if (c->home) {
            c->home->range = array_type_range(c->home->type);
            if (c->entangled)
                np_entangle(loop->u, c->home->root, loop->stmt);
            np_bind(loop->u, c->name, np_array_value(c->home, c->value.at));
        }
    }
}

/* Nobody knows whether there is a lap. */
static void forget_new_names(struct np_loop *loop) {
    for (uint32_t i = 0; i < loop->count; i++)
        for (size_t k = loop->u->frame->names.len; k-- > 0 && !loop->names[i].known;)
            if (strcmp(loop->u->frame->names.data[k].name, loop->names[i].name) == 0)
                loop->u->frame->names.data[k].name = "";
}

struct np_loop *np_carry(struct np_unit *unit, const struct np_stmt *s) {
    struct np_loop *l = ARENA_NEW(&unit->arena, struct np_loop);
    struct carried names[MOST_CARRIED];
    *l = (struct np_loop){.u = unit, .stmt = s, .repeats = s->kind == NP_STMT_FOR, .names = names};
    note_changes(l, s->body);
    l->names = ARENA_ARRAY(&unit->arena, l->count + 1, struct carried);
    memcpy(l->names, names, l->count * sizeof *names);
    for (uint32_t i = 0; i < l->count; i++)
        find_home(l, &l->names[i]);
    see_all(l);
    return l;
}

void np_carry_end(struct np_loop *loop) {
    loop->u->frame->loops--;
    for (uint32_t i = 0; i < loop->count; i++)
        if (loop->repeats && loop->names[i].rebound && !loop->names[i].home)
            forget(loop, loop->names[i].name);
    if (!loop->repeats)
        forget_new_names(loop);
}

/* ---- the question ---- */

bool np_is_question(struct np_unit *unit, const struct np_expr *expr, struct np_question *q) {
    q->at = expr->at;
    for (; expr->kind == NP_EXPR_NOT; expr = expr->a)
        q->opposite = !q->opposite;
    if (expr->kind == NP_EXPR_ASKED) {
        q->of = expr->a;
        q->all = expr->number & NP_ASKED_ALL;
        q->opposite ^= (expr->number & NP_ASKED_NOT) != 0;
        return true;
    }
    if (expr->kind != NP_EXPR_CALL || expr->a->kind != NP_EXPR_ATTRIBUTE)
        return false;
    q->all = strcmp(expr->a->name, "all") == 0;
    const struct np_value *v =
        expr->a->a->kind == NP_EXPR_NAME ? np_find(unit, expr->a->a->name) : NULL;
    bool module = v && v->kind == NP_MODULE;
    q->of = module ? expr->items : expr->a->a;
    return (q->all || strcmp(expr->a->name, "any") == 0) && expr->count == module && q->of;
}

/* The truth of each element, in lanes; for `all` of those that have it not. */
static struct array_ref *answers(struct np_unit *unit, const struct np_question *question) {
    static const struct lane_type truth = {TYPE_BOOL, 1};
    struct np_value v = np_eval(unit, question->of);
    struct array_ref *x = np_need_array(unit, &v, question->all ? "all" : "any");
    if (x && !array_is_bool(x->type))
        x = np_cast(unit, x, truth, question->at);
    if (x && question->all)
        x = np_elementwise(unit, NP_OP_INVERT, 1, &x, truth, 0, NULL, question->at);
    return x;
}

/* A branch is over after one lap: what it asks is not so any more. */
static void end_branch(struct np_unit *unit, const struct np_question *q,
                       struct array_ref *condition) {
    bool truth = q->all ? !q->opposite : q->opposite; /* of `all` the elements that have it not */
    struct array_ref *constant = array_constant(&unit->arrays, condition->type, truth, q->at);
    np_elementwise(unit, NP_OP_PLUS, 1, &constant, condition->type, 0, condition->root, q->at);
}

static void run_laps(struct np_loop *loop, const struct np_question *q,
                     struct array_ref *condition) {
    struct np_unit *u = loop->u;
    u->frame->loops++;
    struct array_while w = array_open_while(&u->arrays, q->all != q->opposite, loop->stmt->at);
    u->laps++;
    np_run(u, loop->stmt->body);
    if (u->frame->left && !loop->stmt->once)
        np_error(u, loop->stmt->word,
                 "`break` and `continue` of a loop whose number of iterations depends on data "
                 "stand under `if np.any(c):` or `if np.all(c):`");
    np_carry_home(loop);
    struct array_ref *again = np_failed(u) || loop->stmt->once ? NULL : answers(u, q);
    if (again && array_same_shape(again->ndim, again->shape, condition->ndim, condition->shape))
        np_elementwise(u, NP_OP_PLUS, 1, &again, condition->type, 0, condition->root, q->at);
    if (loop->stmt->once && !np_failed(u))
        end_branch(u, q, condition);
    u->laps--;
    array_close_while(&u->arrays, &w, condition, q->at);
}

static void run_asking(struct np_unit *unit, const struct np_stmt *stmt, struct np_question q) {
    struct np_loop *l = np_carry(unit, stmt);
    struct array_ref *c = np_failed(unit) ? NULL : answers(unit, &q);
    c = c ? np_fresh(unit, c, q.at) : NULL;
    if (!c)
        return;
    array_note_meeting(&unit->arrays, c, NULL, NULL);
    run_laps(l, &q, c);
    np_carry_end(l);
}

/* As long as what is known says so. */
static void run_known(struct np_unit *unit, const struct np_stmt *stmt) {
    for (;;) {
        struct np_value c = np_eval(unit, stmt->value);
        bool known;
        if (c.kind == NP_ARRAY && c.array->ndim == 0) {
            np_depends(unit, stmt);
            return;
        }
        if (!np_truth(unit, &c, &known) || !known)
            return;
        np_run(unit, stmt->body);
        if (!np_goes_on(unit, stmt))
            return;
    }
}

void np_run_while(struct np_unit *unit, const struct np_stmt *stmt) {
    struct np_question q = {.at = stmt->value->at};
    struct np_stmt *made = np_left_early(unit, (struct np_stmt *)(uintptr_t)stmt);
    if (made) {
        np_run(unit, made);
        np_forget_known(unit, stmt);
    } else if (np_is_question(unit, stmt->value, &q)) {
        run_asking(unit, stmt, q);
    } else if (stmt->depends) {
        run_asking(unit, stmt, (struct np_question){.of = stmt->value, .at = stmt->value->at});
    } else {
        run_known(unit, stmt);
    }
}

void np_depends(struct np_unit *unit, const struct np_stmt *stmt) {
    ((struct np_stmt *)(uintptr_t)stmt)->depends = true;
    unit->again = true;
}

void np_forget_known(struct np_unit *unit, const struct np_stmt *loop) {
    struct carried names[MOST_CARRIED];
    struct np_loop l = {.u = unit, .stmt = loop, .names = names};
    note_changes(&l, loop->body);
    for (uint32_t i = 0; i < l.count; i++) {
        const struct np_value *v = np_find(unit, names[i].name);
        if (v && v->kind != NP_ARRAY)
            np_bind(unit, names[i].name, (struct np_value){.kind = NP_GONE});
    }
}
