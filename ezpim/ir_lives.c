/* SPDX-License-Identifier: MIT
 * Two flows over the steps: backward, what may be read (in = reads + (out - overwritten)), forward,
 * what may have been written (out = in + writes).  A register is held where both say so. */
#include "ezpim/ir_lives.h"
#include "ezpim/ir_build.h"
#include "ezpim/ir_touched.h"

#include <stdlib.h>
#include <string.h>

enum { NEXT = 2, SETS = 6 };
/* Sets of a step: reads before it writes, writes in all elements, writes at all; what may be read
 * in front of and behind it; what may have been written behind it. */
enum set { READS, KILLS, WRITES, LIVE_IN, LIVE_OUT, WRITTEN };

/* But for the ways back to the beginnings of loops, steps come in front of those that follow them.
 */
struct ir_step {
    struct ir_node *node;
    uint32_t next[NEXT]; /* IR_NONE: none */
    bool skips;          /* the way past a body that may be left out */
    uint64_t *sets[SETS];
};

/* Words of all sets together: 512 MiB. */
static const uint64_t MOST_WORDS = (uint64_t)1 << 26;

struct finder {
    struct ir_lives *l;
    const struct ir_program *p;
    VEC(struct ir_step) steps;
    VEC(uint32_t) begins; /* of each image */
    VEC(uint32_t) ends;
    VEC(const struct ir_node *) finishes;
    uint32_t last;    /* the step that the next one follows; IR_NONE: none does */
    uint64_t *always; /* [slot_words]: subroutines look at these */
    const struct ir_code *code;
    const struct ir_step *step; /* that the code is of */
    uint32_t region, group;
    unsigned depth, deepest; /* loops around the next step; of all steps the most */
    bool holds;              /* what is held is asked for */
    uint64_t *chained;       /* [slot_words]: slots of chained variables */
};

/* ---- steps ---- */

static void follow(struct finder *f, uint32_t from, uint32_t to) {
    if (from == IR_NONE)
        return;
    struct ir_step *s = &f->steps.data[from];
    s->next[s->next[0] != IR_NONE] = to;
}

static uint32_t add_step(struct finder *f, struct ir_node *node) {
    struct ir_step s = {.node = node, .next = {IR_NONE, IR_NONE}};
    uint32_t at = (uint32_t)f->steps.len;
    vec_push(&f->steps, s);
    follow(f, f->last, at);
    f->last = at;
    return at;
}

static void add_nodes(struct finder *f, struct ir_node *n);

/* The body of a loop. */
static void add_body(struct finder *f, struct ir_node *n) {
    f->depth++;
    f->deepest = f->depth > f->deepest ? f->depth : f->deepest;
    add_nodes(f, n->body);
    f->depth--;
}

/* True if the body may be left out: a size that is worked out from others may be 0. */
static bool may_be_skipped(const struct finder *f, struct extent count) {
    return ir_extent_range(f->p, count).least <= 0;
}

static void add_repeat(struct finder *f, struct ir_node *n) {
    uint32_t head = add_step(f, NULL);
    bool again = ir_extent_range(f->p, n->count).most > 1;
    if (again)
        add_body(f, n);
    else
        add_nodes(f, n->body);
    uint32_t end = add_step(f, NULL);
    if (again)
        follow(f, end, head);
    uint32_t skip = IR_NONE;
    if (may_be_skipped(f, n->count)) {
        f->last = head;
        skip = add_step(f, NULL);
        f->steps.data[skip].skips = true;
        f->last = end;
    }
    follow(f, skip, add_step(f, NULL));
}

/* The host may do it instead, at the end of the program. */
static void add_finish(struct finder *f, struct ir_node *n) {
    uint32_t head = add_step(f, NULL);
    add_nodes(f, n->body);
    uint32_t behind = add_step(f, NULL);
    follow(f, head, behind);
    vec_push(&f->finishes, n);
}

static void add_while(struct finder *f, struct ir_node *n) {
    uint32_t before = f->last, head, question;
    if (n->body_first) {
        head = add_step(f, NULL);
        add_body(f, n);
        question = add_step(f, n);
        follow(f, question, head);
        f->last = question;
        return;
    }
    f->last = IR_NONE;
    head = add_step(f, NULL);
    add_body(f, n);
    question = add_step(f, n);
    follow(f, before, question);
    follow(f, question, head);
    f->last = question;
}

static void add_if(struct finder *f, struct ir_node *n) {
    uint32_t question = add_step(f, n);
    add_nodes(f, n->body);
    uint32_t end = f->last;
    f->last = question;
    add_nodes(f, n->otherwise);
    uint32_t join = add_step(f, NULL);
    follow(f, end, join);
}

static void add_nodes(struct finder *f, struct ir_node *n) {
    for (; n; n = n->next) {
        if (n->kind == IR_NODE_REPEAT)
            add_repeat(f, n);
        else if (n->kind == IR_NODE_WHILE)
            add_while(f, n);
        else if (n->kind == IR_NODE_FINISH)
            add_finish(f, n);
        else if (n->kind == IR_NODE_IF)
            add_if(f, n);
        else
            add_step(f, n);
    }
}

/* ---- what a step does ---- */

static void put_in(uint64_t *set, uint32_t slot) {
    set[slot / 64] |= (uint64_t)1 << slot % 64;
}

static bool is_in(const uint64_t *set, uint32_t slot) {
    return set[slot / 64] >> slot % 64 & 1;
}

static void read_slot(const struct ir_step *s, uint32_t slot) {
    if (!is_in(s->sets[KILLS], slot))
        put_in(s->sets[READS], slot);
}

/* Instructions outside of all regions write all elements of the group; of a variable without one
 * there are registers elsewhere. */
static void look_at_vreg(void *context, uint32_t *vreg, bool writes) {
    const struct finder *f = context;
    const struct ir_vreg *v = &f->code->vregs.data[*vreg];
    if (v->variable == IR_NONE)
        return;
    uint32_t slot = f->l->first[v->variable] + v->element;
    if (!writes) {
        read_slot(f->step, slot);
        return;
    }
    put_in(f->step->sets[WRITES], slot);
    if (f->region == 0 && f->p->variables.data[v->variable].decl.group == f->group)
        put_in(f->step->sets[KILLS], slot);
}

static void look_at_code(struct finder *f, const struct ir_step *s) {
    f->code = s->node->code;
    f->step = s;
    f->group = s->node->group;
    f->region = 0;
    for (size_t i = 0; i < f->code->insns.len; i++) {
        ir_visit(&f->code->insns.data[i], look_at_vreg, f);
        f->region = ir_region_behind(f->code, &f->code->insns.data[i], f->region);
    }
}

/* Registers from .. to - 1 of a side whose last coordinate is the register. */
struct stretch {
    uint32_t from, to;
};

static uint32_t dims_of(const struct finder *f, uint32_t group) {
    return group == NO_INDEX ? 0 : ir_group_dims(f->p, group);
}

static uint32_t dims_to(const struct finder *f, const struct ir_move *m) {
    return dims_of(f, ir_move_to_group(f->p, m));
}

static uint32_t dims_from(const struct finder *f, const struct ir_move *m) {
    return dims_of(f, ir_move_from_group(f->p, m));
}

/* Those that are written: all, unless numbers say otherwise. */
static struct stretch written(const struct finder *f, const struct ir_move *m) {
    struct stretch all = {m->to_element, m->to_element + m->record.dst_count};
    uint32_t d = dims_to(f, m);
    if (m->record.strides || m->record.laps || m->record.index.kind == INDEX_SCATTER ||
        !m->record.dst_has_k || !(m->record.bounded >> d & 1) || m->record.first[d].size_coeff ||
        m->record.last[d].size_coeff || m->record.first[d].offset < 0 ||
        m->record.last[d].offset > m->record.dst_count)
        return all;
    return (struct stretch){m->to_element + (uint32_t)m->record.first[d].offset,
                            m->to_element + (uint32_t)m->record.last[d].offset};
}

static struct stretch read_by(const struct finder *f, const struct ir_move *m) {
    struct stretch all = {0, m->record.src_count};
    const struct move_affine *k = &m->record.source[dims_from(f, m)];
    uint32_t d = dims_to(f, m);
    bool fixed = !m->record.index.kind && !k->size_coeff && m->record.src_has_k && k->offset >= 0 &&
                 !m->record.laps;
    for (uint32_t c = 0; c < MOVE_MAX_DIMS; c++)
        fixed &= k->coeff[c] == 0 || (c == d && k->coeff[c] == 1 && m->record.dst_has_k);
    if (!fixed)
        return all;
    struct stretch w = written(f, m);
    bool moves = m->record.dst_has_k && k->coeff[d];
    uint32_t from = (uint32_t)k->offset + (moves ? w.from - m->to_element : 0);
    uint32_t to = (uint32_t)k->offset + (moves ? w.to - m->to_element : 1);
    return to <= all.to ? (struct stretch){from, to} : all;
}

static bool same_extent(struct extent a, struct extent b) {
    return a.size == b.size && a.value == b.value;
}

/* True if source coordinate c is inside of its extent for every destination. */
static bool stays_inside(const struct finder *f, const struct ir_move *m, uint32_t c) {
    const struct move_affine *a = &m->record.source[c];
    uint32_t to = ir_move_to_group(f->p, m), from = ir_move_from_group(f->p, m), of = IR_NONE;
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        if (a->coeff[d] && (of != IR_NONE || a->coeff[d] != 1))
            return false;
        else if (a->coeff[d])
            of = d;
    if (a->size_coeff || a->offset)
        return false;
    return of == IR_NONE || (of < dims_to(f, m) && same_extent(ir_group_extent(f->p, to, of),
                                                               ir_group_extent(f->p, from, c)));
}

/* True if every element of the registers that are written gets a value. */
static bool overwrites(const struct finder *f, const struct ir_move *m) {
    uint32_t to = dims_to(f, m), from = dims_from(f, m);
    bool some = m->record.index.kind == INDEX_SCATTER ||
                (m->record.index.kind && m->record.outside == MOVE_KEEP);
    some |= m->record.strides || m->record.laps;
    if (some || m->record.bounded & ((1u << to) - 1))
        return false;
    for (uint32_t c = 0; m->record.outside == MOVE_KEEP && c < from; c++)
        if (!stays_inside(f, m, c))
            return false;
    return true;
}

static void look_at_index(const struct finder *f, const struct ir_move *m, uint64_t *reads) {
    for (uint32_t k = 0; k < object_move_index_count(&m->record); k++)
        put_in(reads, f->l->first[m->index] + m->index_element + k);
}

static void look_at_move(struct finder *f, const struct ir_step *s) {
    const struct ir_move *m = &f->p->moves.data[s->node->move];
    struct stretch r = read_by(f, m), w = written(f, m);
    uint32_t from = f->l->first[m->from], to = f->l->first[m->to];
    for (uint32_t k = r.from; k < r.to; k++)
        put_in(s->sets[READS], from + k);
    look_at_index(f, m, s->sets[READS]);
    if (s->node->kind == IR_NODE_SEND)
        return;
    bool all = overwrites(f, m);
    for (uint32_t k = w.from; k < w.to; k++) {
        put_in(s->sets[WRITES], to + k);
        if (all)
            put_in(s->sets[KILLS], to + k);
    }
}

static void touch_variable(const struct finder *f, uint64_t *set, uint32_t v) {
    for (uint32_t slot = f->l->first[v]; slot < f->l->first[v + 1]; slot++)
        put_in(set, slot);
}

/* Nobody asks for what the body would have written to chained variables, nor for what they held. */
static void look_at_skip(struct finder *f, const struct ir_step *s) {
    memcpy(s->sets[KILLS], f->chained, f->l->slot_words * sizeof *f->chained);
}

static void look_at(struct finder *f, const struct ir_step *s) {
    if (s->skips)
        look_at_skip(f, s);
    if (!s->node)
        return;
    if (s->node->code)
        look_at_code(f, s);
    if (s->node->kind == IR_NODE_MOVE || s->node->kind == IR_NODE_SEND)
        look_at_move(f, s);
    if (s->node->kind == IR_NODE_RECV)
        touch_variable(f, s->sets[WRITES], s->node->lands);
}

/* What the program's user puts in is there at the beginning; what he takes out, or may read after
 * the run, is asked for at the end. */
static void look_at_ends(struct finder *f, const struct ir_step *begin, const struct ir_step *end) {
    for (uint32_t v = 0; v < f->p->variables.len; v++) {
        const struct ir_variable *x = &f->p->variables.data[v];
        uint8_t direction = x->decl.direction;
        if (direction & VAR_IN)
            touch_variable(f, begin->sets[WRITES], v);
        if (direction & VAR_OUT || (direction == VAR_IN && !f->l->gives))
            touch_variable(f, end->sets[READS], v);
    }
    for (size_t i = 0; i < f->p->lengths.len; i++) {
        touch_variable(f, begin->sets[WRITES], f->p->lengths.data[i].length);
        touch_variable(f, end->sets[READS], f->p->lengths.data[i].length);
    }
}

/* Elements that the host may ask for. */
static void look_at_finish(struct finder *f, const struct ir_node *n, const struct ir_step *end) {
    for (uint32_t i = 0; i < n->finish_count; i++)
        put_in(end->sets[READS], f->l->first[n->finishes[i].from] + n->finishes[i].from_element);
}

/* Subroutines see variables without a group, and may be called wherever it is. */
static void look_at_subs(struct finder *f) {
    for (size_t i = 0; i < f->p->subs.len; i++) {
        const struct ir_code *code = f->p->subs.data[i]->code;
        for (size_t v = 0; v < code->vregs.len; v++)
            if (code->vregs.data[v].variable != IR_NONE)
                put_in(f->always,
                       f->l->first[code->vregs.data[v].variable] + code->vregs.data[v].element);
    }
}

/* ---- the flows ---- */

static void join(uint64_t *set, const uint64_t *more, size_t words) {
    for (size_t i = 0; i < words; i++)
        set[i] |= more[i];
}

static void flow_back(struct finder *f, struct ir_step *s) {
    size_t words = f->l->slot_words;
    for (unsigned k = 0; k < NEXT; k++)
        if (s->next[k] != IR_NONE)
            join(s->sets[LIVE_OUT], f->steps.data[s->next[k]].sets[LIVE_IN], words);
    for (size_t i = 0; i < words; i++)
        s->sets[LIVE_IN][i] |= s->sets[READS][i] | (s->sets[LIVE_OUT][i] & ~s->sets[KILLS][i]);
}

static void flow_on(struct finder *f, struct ir_step *s) {
    size_t words = f->l->slot_words;
    join(s->sets[WRITTEN], s->sets[WRITES], words);
    for (unsigned k = 0; k < NEXT; k++)
        if (s->next[k] != IR_NONE)
            join(f->steps.data[s->next[k]].sets[WRITTEN], s->sets[WRITTEN], words);
}

/* A way that comes to no step twice goes back once at most for each loop around: so often more than
 * once all steps, in their order, are all that it takes. */
static void run_flows(struct finder *f) {
    for (unsigned lap = 0; lap <= f->deepest; lap++)
        for (size_t i = f->steps.len; i-- > 0;)
            flow_back(f, &f->steps.data[i]);
    for (unsigned lap = 0; lap <= f->deepest && f->holds; lap++)
        for (size_t i = 0; i < f->steps.len; i++)
            flow_on(f, &f->steps.data[i]);
}

/* ---- the result ---- */

/* WRITTEN behind the step holds what was written in front of it, too: what is live in front and was
 * not written anywhere before has no value yet, and needs no register. */
static uint64_t held_word(const struct finder *f, const struct ir_step *s, size_t i) {
    uint64_t here = s->sets[READS][i] | s->sets[WRITES][i];
    return here | ((s->sets[LIVE_IN][i] | s->sets[LIVE_OUT][i]) & s->sets[WRITTEN][i]) |
           f->always[i];
}

static void hold(struct ir_lives *l, uint32_t at, size_t i, uint64_t word) {
    l->held_at[at * l->slot_words + i] = word;
    for (; word; word &= word - 1) {
        size_t slot = 64 * i + (size_t)__builtin_ctzll(word);
        l->held[slot * l->step_words + at / 64] |= (uint64_t)1 << at % 64;
    }
}

static void keep_results(struct finder *f) {
    struct ir_lives *l = f->l;
    for (uint32_t at = 0; at < l->step_count; at++)
        for (size_t i = 0; i < l->slot_words; i++) {
            const struct ir_step *s = &f->steps.data[at];
            l->live_out[at * l->slot_words + i] = s->sets[LIVE_OUT][i] | f->always[i];
            if (f->holds)
                hold(l, at, i, held_word(f, s, i));
        }
}

static void number_slots(struct ir_lives *l, const struct ir_program *p) {
    l->first = xcalloc(p->variables.len + 1, sizeof *l->first);
    for (size_t v = 0; v < p->variables.len; v++) {
        l->first[v] = l->slots;
        l->slots += p->variables.data[v].decl.count;
    }
    l->first[p->variables.len] = l->slots;
    l->slot_words = l->slots / 64 + 1;
}

/* Each image begins and ends with steps of its own. */
static void add_images(struct finder *f) {
    for (size_t i = 0; i < f->p->images.len; i++) {
        f->last = IR_NONE;
        vec_push(&f->begins, add_step(f, NULL));
        add_nodes(f, f->p->images.data[i].nodes);
        vec_push(&f->ends, add_step(f, NULL));
    }
}

/* Room for all sets, in one piece; false if that would be too much. */
static bool make_sets(struct finder *f, uint64_t **room) {
    struct ir_lives *l = f->l;
    uint64_t steps = f->steps.len, words = l->slot_words;
    if ((steps + 1) * words > MOST_WORDS / (SETS + 3))
        return false;
    l->step_count = (uint32_t)steps;
    l->step_words = steps / 64 + 1;
    if (f->holds) {
        l->held = xcalloc((l->slots + 1) * l->step_words, sizeof *l->held);
        l->held_at = xcalloc(steps * words + 1, sizeof *l->held_at);
    }
    l->live_out = xcalloc(steps * words + 1, sizeof *l->live_out);
    *room = xcalloc(steps * words * SETS + 2 * words, sizeof **room);
    f->always = *room + steps * words * SETS;
    f->chained = f->always + words;
    for (uint64_t at = 0; at < steps; at++)
        for (unsigned k = 0; k < SETS; k++)
            f->steps.data[at].sets[k] = *room + (at * SETS + k) * words;
    return true;
}

static void find_all(struct finder *f) {
    look_at_subs(f);
    for (uint32_t v = 0; v < f->p->variables.len; v++)
        if (f->p->variables.data[v].chained)
            touch_variable(f, f->chained, v);
    for (size_t i = 0; i < f->steps.len; i++)
        look_at(f, &f->steps.data[i]);
    for (size_t i = 0; i < f->begins.len; i++)
        look_at_ends(f, &f->steps.data[f->begins.data[i]], &f->steps.data[f->ends.data[i]]);
    for (size_t i = 0; i < f->finishes.len; i++)
        look_at_finish(f, f->finishes.data[i], &f->steps.data[f->ends.data[0]]);
    run_flows(f);
}

static bool find_lives(struct ir_lives *l, const struct ir_program *p, bool gives, bool holds) {
    struct finder f = {.l = l, .p = p, .holds = holds};
    uint64_t *room = NULL;
    *l = (struct ir_lives){.program = p, .gives = gives};
    number_slots(l, p);
    add_images(&f);
    bool good = make_sets(&f, &room);
    if (good) {
        find_all(&f);
        keep_results(&f);
        l->nodes = xcalloc(f.steps.len + 1, sizeof(struct ir_node *));
        for (size_t i = 0; i < f.steps.len; i++)
            l->nodes[i] = f.steps.data[i].node;
    }
    free(room);
    vec_free(&f.steps);
    vec_free(&f.begins);
    vec_free(&f.ends);
    vec_free(&f.finishes);
    return good;
}

bool ir_lives_find(struct ir_lives *l, const struct ir_program *p, bool gives) {
    return find_lives(l, p, gives, true);
}

bool ir_lives_find_behind(struct ir_lives *l, const struct ir_program *p) {
    return find_lives(l, p, false, false);
}

bool ir_lives_ever(const struct ir_lives *l, uint32_t slot) {
    for (size_t i = 0; i < l->step_words; i++)
        if (l->held[slot * l->step_words + i])
            return true;
    return false;
}

void ir_lives_free(struct ir_lives *l) {
    free(l->first);
    free(l->nodes);
    free(l->held);
    free(l->held_at);
    free(l->live_out);
    *l = (struct ir_lives){0};
}
