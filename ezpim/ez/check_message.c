/* SPDX-License-Identifier: MIT
 * send and recv: who sends what to whom, and whether it is received.  From one MPU to one other
 * messages arrive in the order in which they are sent, so the first send belongs to the first recv
 * and so on, as far as both are run equally often. */
#include "ezpim/ez/check_top.h"

#include <inttypes.h>

/* How often a statement here is run; 0 when that is not known. */
static uint64_t times_here(const struct checker *c) {
    uint64_t times = 1;
    for (const struct open_loop *l = c->around; l; l = l->outer) {
        const struct stmt *s = l->stmt;
        bool repeats = s->kind == STMT_REPEAT && s->value->is_constant;
        bool counts = s->kind == STMT_FOR && s->last->is_constant;
        if (!repeats && !counts)
            return 0;
        uint64_t laps = (uint64_t)(repeats ? s->value->value : s->last->value - s->value->value);
        if (__builtin_mul_overflow(times, laps, &times))
            return 0;
    }
    return times;
}

static bool check_partner(struct checker *c, struct stmt *s, struct ez_message *x) {
    uint32_t place[GRID_MAX_DIMS];
    const char *name = x->receives ? "recv" : "send";
    if (!c->on) {
        diag_error(c->u->diag, s->at,
                   "`%s` is the business of one MPU: it stands inside of `on %s[...] { }`", name,
                   c->u->mpus ? c->u->mpus->name.text : "ring");
        return false;
    }
    if (!check_root(c, s, name, x->receives ? "from" : "to", place))
        return false;
    x->mpu = c->on->mpu;
    x->partner = ez_mpu_number(c->u, place);
    if (x->partner != x->mpu)
        return true;
    diag_error(c->u->diag, s->operands[1]->at, "this is the MPU that the statement is for");
    return false;
}

void check_message(struct checker *c, struct stmt *s) {
    struct ez_message *x = ARENA_NEW(&c->u->arena, struct ez_message);
    *x = (struct ez_message){.stmt = s, .receives = s->kind == STMT_RECV};
    x->symbol = check_whole(c, s->target);
    c->incomplete |= !x->symbol;
    if (!x->symbol || !check_partner(c, s, x))
        return;
    x->loop = c->around ? c->around->stmt : NULL;
    x->times = times_here(c);
    x->lands = x->symbol;
    if (x->receives)
        move_writes(c, x->symbol);
    else
        move_reads(c, s->target, x->symbol);
    s->message = x;
    vec_push(&c->messages, x);
}

/* ---- all messages from one MPU to one other ---- */

struct side {
    VEC(struct ez_message *) items;
    uint64_t times; /* all together; 0: not known */
    bool together;  /* all stand in one loop, or in none */
};

static void add_side(struct side *x, struct ez_message *m) {
    m->checked = true;
    const struct ez_message *last = x->items.len ? vec_last(&x->items) : NULL;
    x->together = !last || (x->together && last->loop == m->loop);
    x->times = (last && !x->times) || !m->times ? 0 : x->times + m->times;
    vec_push(&x->items, m);
}

static void collect(const struct checker *c, const struct ez_message *first, struct side *sent,
                    struct side *got) {
    uint32_t from = first->receives ? first->partner : first->mpu;
    uint32_t to = first->receives ? first->mpu : first->partner;
    for (size_t i = 0; i < c->messages.len; i++) {
        struct ez_message *m = c->messages.data[i];
        if (!m->receives && m->mpu == from && m->partner == to)
            add_side(sent, m);
        else if (m->receives && m->mpu == to && m->partner == from)
            add_side(got, m);
    }
}

/* The first ones belong together, and the second ones, and so on. */
static bool one_by_one(const struct side *sent, const struct side *got) {
    if (sent->items.len != got->items.len)
        return false;
    if (sent->together && got->together)
        return true;
    for (size_t i = 0; i < sent->items.len; i++) {
        struct ez_message *const *s = &sent->items.data[i], *const *g = &got->items.data[i];
        if (!(*s)->times || (*s)->times != (*g)->times ||
            (i && (s[-1]->loop == s[0]->loop) != (g[-1]->loop == g[0]->loop)))
            return false;
    }
    return true;
}

static void pair(struct checker *c, struct ez_message *s, const struct ez_message *g) {
    const struct ez_symbol *a = s->symbol, *b = g->symbol;
    s->lands = g->symbol;
    if (a->var.group == b->var.group && a->count == b->count &&
        type_same(a->type.type, b->type.type))
        return;
    diag_error(c->u->diag, g->stmt->at,
               "this is what the other MPU sends as `%s`, which is %s%s: `%s` is %s", a->name.text,
               type_name(c, a->type.type),
               a->count != b->count           ? " with another number of registers"
               : a->var.group != b->var.group ? " of another group"
                                              : "",
               b->name.text, type_name(c, b->type.type));
    diag_note(c->u->diag, s->stmt->at, "it is sent here");
}

/* Which message a recv takes is not known: it need not be if all are one variable. */
static void check_one_variable(struct checker *c, const struct side *sent, const struct side *got) {
    const struct ez_message *first = sent->items.data[0];
    for (size_t i = 0; i < got->items.len + sent->items.len; i++) {
        const struct ez_message *m =
            i < got->items.len ? got->items.data[i] : sent->items.data[i - got->items.len];
        if (m->symbol == first->symbol)
            continue;
        diag_error(c->u->diag, m->stmt->at,
                   "which `send` belongs to which `recv` is not plain here: then both sides name "
                   "one variable, and this is not `%s`",
                   first->symbol->name.text);
        diag_note(c->u->diag, first->stmt->at, "it is sent here");
        return;
    }
}

static void check_counts(struct checker *c, const struct side *sent, const struct side *got) {
    const struct ez_message *s = sent->items.data[0], *g = got->items.data[0];
    bool alike =
        sent->together && got->together && s->loop == g->loop && sent->items.len == got->items.len;
    if (alike)
        return;
    if (!sent->times || !got->times) {
        diag_warning(c->u->diag, W_MESSAGES, s->stmt->at,
                     "whether this is sent as often as it is received is not known before the "
                     "program runs");
        diag_note(c->u->diag, g->stmt->at, "it is received here");
    } else if (sent->times != got->times) {
        diag_error(c->u->diag, s->stmt->at,
                   "%" PRIu64 " message%s sent to this MPU, which receives %" PRIu64, sent->times,
                   sent->times == 1 ? " is" : "s are", got->times);
        diag_note(c->u->diag, g->stmt->at, "they are received here");
    }
}

static void check_pair(struct checker *c, const struct side *sent, const struct side *got) {
    if (!got->items.len) {
        diag_error(c->u->diag, sent->items.data[0]->stmt->at,
                   "the other MPU never receives what this one sends");
    } else if (!sent->items.len) {
        diag_error(c->u->diag, got->items.data[0]->stmt->at,
                   "the other MPU never sends anything to this one");
    } else if (one_by_one(sent, got)) {
        check_counts(c, sent, got);
        for (size_t i = 0; i < sent->items.len; i++)
            pair(c, sent->items.data[i], got->items.data[i]);
    } else {
        check_counts(c, sent, got);
        check_one_variable(c, sent, got);
    }
}

void check_messages(struct checker *c) {
    for (size_t i = 0; i < c->messages.len && !diag_full(c->u->diag); i++) {
        struct side sent = {.times = 0}, got = {.times = 0};
        if (c->messages.data[i]->checked)
            continue;
        collect(c, c->messages.data[i], &sent, &got);
        check_pair(c, &sent, &got);
        vec_free(&sent.items);
        vec_free(&got.items);
    }
}
