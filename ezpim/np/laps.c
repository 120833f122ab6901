/* SPDX-License-Identifier: MIT
 * Counters of loops that are repeated rather than walked lap by lap: numbers of which it is known
 * how they grow, as indices of moves, and as values in lanes. */
#include "ezpim/np/loop.h"

#include <string.h>

/* ---- numbers ---- */

static struct np_laps laps_of(const struct np_value *v) {
    const struct np_laps none = {{0}};
    return v->kind == NP_LAP ? *v->laps : none;
}

bool np_laps_any(const struct np_laps *l) {
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++)
        if (l->coeff[d])
            return true;
    return false;
}

void np_laps_add(struct np_laps *a, int64_t times, const struct np_laps *b) {
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++)
        a->coeff[d] += times * b->coeff[d];
}

struct np_value np_lap_value(struct np_unit *u, np_int first, const struct np_laps *laps,
                             struct span at) {
    struct np_value v = np_int_value(first, at);
    struct np_laps *own = ARENA_NEW(&u->arena, struct np_laps);
    *own = *laps;
    v.laps = own;
    v.kind = np_laps_any(laps) ? NP_LAP : NP_INT;
    return v;
}

struct np_range np_lap_range(const struct np_unit *u, const struct np_value *v) {
    struct np_range r = {v->number, v->number};
    for (const struct np_repeat *x = u->repeat; v->kind == NP_LAP && x; x = x->outer) {
        np_int more = (np_int)v->laps->coeff[x->depth] * (np_int)(x->laps - 1);
        *(more < 0 ? &r.low : &r.high) += more;
    }
    return r;
}

bool np_is_lap_operation(enum np_operator op, const struct np_value *a, const struct np_value *b) {
    bool x = a->kind == NP_LAP, y = b->kind == NP_LAP;
    if ((!x && a->kind != NP_INT) || (!y && b->kind != NP_INT) || (!x && !y))
        return false;
    return op == NP_OP_ADD || op == NP_OP_SUB || (op == NP_OP_MUL && !(x && y));
}

/* Beyond this nothing is an index. */
static const np_int MOST = (np_int)1 << 42;

struct np_value np_lap_operation(struct np_unit *u, enum np_operator op, const struct np_value *a,
                                 const struct np_value *b, struct span at) {
    struct np_laps laps = {{0}}, x = laps_of(a), y = laps_of(b);
    np_int n = a->number, m = b->number;
    if (n > MOST || n < -MOST || m > MOST || m < -MOST)
        return np_error(u, at, "numbers of more than 42 bits beside a counter");
    np_laps_add(&laps, op == NP_OP_MUL ? (int64_t)m : 1, &x);
    np_laps_add(&laps, op == NP_OP_MUL ? (int64_t)n : op == NP_OP_SUB ? -1 : 1, &y);
    n = op == NP_OP_MUL ? n * m : op == NP_OP_SUB ? n - m : n + m;
    for (uint32_t d = 0; d < MOVE_MAX_LAPS; d++)
        if (laps.coeff[d] > (int64_t)MOST || laps.coeff[d] < -(int64_t)MOST)
            return np_error(u, at, "numbers of more than 42 bits beside a counter");
    return np_lap_value(u, n, &laps, at);
}

/* ---- indices of moves ---- */

void np_set_laps(struct np_unit *u, struct move *m, enum move_form form, uint32_t d,
                 const struct np_laps *laps) {
    int64_t coeff[MOVE_MAX_LAPS] = {0};
    for (const struct np_repeat *x = u->repeat; x; x = x->outer)
        coeff[u->b.repeats - 1 - x->around] = laps->coeff[x->depth];
    object_move_set_laps(m, form, d, coeff, &u->arena);
}

/* ---- values in lanes ---- */

/* A variable that begins with `first` and grows by `step` each lap. */
static uint32_t counting(struct np_unit *u, struct np_repeat *x, struct mpu_type type, np_int first,
                         np_int step) {
    struct np_counter c = {.type = type, .first = np_pattern(first, type)};
    c.step = np_pattern(step, type);
    for (size_t i = 0; i < x->counters.len; i++) {
        const struct np_counter *k = &x->counters.data[i];
        if (np_same_type(k->type, type) && k->first == c.first && k->step == c.step)
            return k->variable;
    }
    c.variable = ir_local(&u->b, 0, type, 1);
    u->b.p->variables.data[c.variable].at = x->stmt->word;
    vec_push(&x->counters, c);
    return c.variable;
}

/* The sum of what each loop adds; the first one that counts has what there is from the start. */
struct np_array *np_lap_array(struct np_unit *u, const struct np_value *v, struct mpu_type type) {
    const struct np_uniform *sum = NULL;
    np_int first = v->number;
    for (struct np_repeat *x = u->repeat; x; x = x->outer) {
        struct np_uniform *one = ARENA_NEW(&u->arena, struct np_uniform), *both;
        if (!v->laps->coeff[x->depth])
            continue;
        *one = (struct np_uniform){.kind = NP_UNIFORM_COUNTER, .type = type};
        one->link = counting(u, x, type, first, v->laps->coeff[x->depth]);
        both = ARENA_NEW(&u->arena, struct np_uniform);
        *both = (struct np_uniform){.kind = NP_UNIFORM_OPERATION,
                                    .type = type,
                                    .op = NP_OP_ADD,
                                    .operand = type,
                                    .args = {sum, one}};
        sum = sum ? both : one;
        first = 0;
    }
    struct np_array *a = np_uniform_array(u, sum, v->at);
    a->range = np_lap_range(u, v);
    return a;
}

/* ---- loops ---- */

void np_open_epoch(struct np_unit *u) {
    vec_push(&u->epochs, ++u->epoch);
}

void np_close_epoch(struct np_unit *u) {
    u->epochs.len--;
}

bool np_epoch_is_open(const struct np_unit *u, uint32_t epoch) {
    for (size_t i = u->epochs.len; i-- > 0;)
        if (u->epochs.data[i] == epoch)
            return true;
    return false;
}

static void grow(struct np_unit *u, const struct np_repeat *x, struct span at) {
    for (size_t i = 0; i < x->counters.len; i++) {
        const struct np_counter *c = &x->counters.data[i];
        ir_begin_ensemble(&u->b, 0, at);
        uint32_t v = ir_element(&u->b, c->variable, 0);
        ir_operation(&u->b, IR_ADD, c->type, v, v,
                     ir_constant(&u->b, c->type, c->step, IR_NONE, at), IR_NONE, 0, at);
    }
}

/* In front of the loop, which *link names. */
static void begin_counting(struct np_unit *u, struct np_repeat *x, struct ir_node **link,
                           struct span at) {
    struct ir_node *first, **outer = ir_open_list(&u->b, &first), **last;
    for (size_t i = 0; i < x->counters.len; i++) {
        const struct np_counter *c = &x->counters.data[i];
        ir_begin_ensemble(&u->b, 0, at);
        ir_constant(&u->b, c->type, c->first, ir_element(&u->b, c->variable, 0), at);
    }
    last = u->b.end;
    ir_close_list(&u->b, outer);
    if (first) {
        *last = *link;
        *link = first;
    }
    vec_free(&x->counters);
}

/* Loops of this many laps, those around them counted in, are walked: their moves and widths are
 * those of each lap. */
enum { FEW = 16 };

/* Laps of one REPEAT, as the ISA has them. */
static const np_int MOST_LAPS = (1 << 22) - 1;

bool np_repeats(const struct np_unit *u, const struct np_stmt *s, np_int laps) {
    if (!u->frame->function || laps > MOST_LAPS || laps * u->copies <= FEW ||
        u->b.repeats + u->laps >= MOVE_MAX_LAPS)
        return false;
    for (size_t i = 0; i < u->unrolled.len; i++)
        if (u->unrolled.data[i] == s)
            return false;
    return true;
}

void np_unroll(struct np_unit *u, const struct np_stmt *s) {
    if (!u->again)
        vec_push(&u->unrolled, s);
    u->again = true;
}

void np_run_repeat(struct np_unit *u, const struct np_stmt *s, const struct np_value *range,
                   np_int laps) {
    struct np_repeat x = {.stmt = s, .laps = (uint64_t)laps, .outer = u->repeat};
    struct np_laps grows = {{0}};
    np_int copies = u->copies;
    x.depth = x.outer ? x.outer->depth + 1 : 0;
    x.around = u->b.repeats;
    grows.coeff[x.depth] = (int64_t)range->items[2].number;
    struct np_loop *l = np_carry(u, s);
    u->frame->loops++;
    np_catch_up(u);
    struct ir_node **link = u->b.end;
    struct ir_repeat r = ir_open_repeat(&u->b, (struct extent){NO_INDEX, x.laps}, s->at);
    u->repeat = &x;
    u->copies = 1;
    np_open_epoch(u);
    np_bind(u, s->target->name, np_lap_value(u, range->items[0].number, &grows, s->target->at));
    np_run(u, s->body);
    np_carry_home(l);
    np_catch_up(u);
    grow(u, &x, s->at);
    np_close_epoch(u);
    u->copies = copies;
    u->repeat = x.outer;
    ir_close_repeat(&u->b, &r);
    begin_counting(u, &x, link, s->at);
    if (!r.node->body) {
        *link = NULL;
        u->b.end = link;
        u->b.last = NULL;
    }
    np_carry_end(l);
    np_bind(
        u, s->target->name,
        np_int_value(range->items[0].number + (laps - 1) * range->items[2].number, s->target->at));
}
