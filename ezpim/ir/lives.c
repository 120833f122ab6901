/* SPDX-License-Identifier: MIT
 * Two flows over the steps: backward, what may be read (in = reads + (out - overwritten)), forward,
 * what may have been written (out = in + writes).  A register is held where both say so. */
#include "ezpim/ir/lives.h"
#include "ezpim/ir/build.h"
#include "ezpim/ir/touched.h"

#include <stdlib.h>
#include <string.h>

enum { NEXT = 2, SETS = 6 };
/* Sets of a step: reads before it writes, writes in all elements, writes at all; what may be read
 * in front of and behind it; what may have been written behind it. */
enum live_set { READS, KILLS, WRITES, LIVE_IN, LIVE_OUT, WRITTEN };

/* But for the ways back to the beginnings of loops, steps come in front of those that follow them.
 */
struct ir_step {
    struct ir_node *node;
    uint32_t next[NEXT]; /* IR_NONE: none */
    bool skips;          /* the way past a body that may be left out */
    unsigned depth;      /* loops around, with the one that it begins or ends */
    uint64_t *sets[SETS];
};

/* Words of all sets together: 512 MiB. */
static const uint64_t MOST_WORDS = (uint64_t)1 << 26;

struct life_finder {
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
    bool enters_inside;      /* some loop begins with its question, which is its last step */
    bool holds;              /* what is held is asked for */
    uint64_t *chained;       /* [slot_words]: slots of chained variables */
};

/* ---- steps ---- */

static void follow(struct life_finder *finder, uint32_t from, uint32_t to) {
    if (from == IR_NONE)
        return;
    struct ir_step *s = &finder->steps.data[from];
    s->next[s->next[0] != IR_NONE] = to;
}

static uint32_t add_step(struct life_finder *finder, struct ir_node *node) {
    struct ir_step s = {.node = node, .next = {IR_NONE, IR_NONE}, .depth = finder->depth};
    uint32_t at = (uint32_t)finder->steps.len;
    vec_push(&finder->steps, s);
    follow(finder, finder->last, at);
    finder->last = at;
    return at;
}

static void add_nodes(struct life_finder *finder, struct ir_node *node);

static void open_loop(struct life_finder *finder) {
    finder->depth++;
    finder->deepest = finder->depth > finder->deepest ? finder->depth : finder->deepest;
}

/* True if the body may be left out: a size that is worked out from others may be 0. */
static bool may_be_skipped(const struct life_finder *finder, struct extent count) {
    return ir_extent_range(finder->p, count).least <= 0;
}

static void add_repeat(struct life_finder *finder, struct ir_node *node) {
    bool again = ir_extent_range(finder->p, node->count).most > 1;
    if (again)
        open_loop(finder);
    uint32_t head = add_step(finder, NULL);
    add_nodes(finder, node->body);
    uint32_t end = again ? add_step(finder, NULL) : finder->last;
    if (again)
        follow(finder, end, head);
    finder->depth -= again;
    uint32_t skip = IR_NONE;
    if (may_be_skipped(finder, node->count)) {
        finder->last = head;
        skip = add_step(finder, NULL);
        finder->steps.data[skip].skips = true;
        finder->last = end;
    }
    follow(finder, skip, add_step(finder, NULL));
}

/* The host may do it instead, at the end of the program. */
static void add_finish(struct life_finder *finder, struct ir_node *node) {
    uint32_t head = add_step(finder, NULL);
    add_nodes(finder, node->body);
    uint32_t behind = add_step(finder, NULL);
    follow(finder, head, behind);
    vec_push(&finder->finishes, node);
}

static void add_while(struct life_finder *finder, struct ir_node *node) {
    uint32_t before = finder->last;
    open_loop(finder);
    if (!node->body_first)
        finder->last = IR_NONE;
    uint32_t head = add_step(finder, NULL);
    add_nodes(finder, node->body);
    uint32_t question = add_step(finder, node);
    if (!node->body_first)
        follow(finder, before, question);
    finder->enters_inside |= !node->body_first;
    follow(finder, question, head);
    finder->last = question;
    finder->depth--;
}

static void add_if(struct life_finder *finder, struct ir_node *node) {
    uint32_t question = add_step(finder, node);
    add_nodes(finder, node->body);
    uint32_t end = finder->last;
    finder->last = question;
    add_nodes(finder, node->otherwise);
    uint32_t join = add_step(finder, NULL);
    follow(finder, end, join);
}

static void add_nodes(struct life_finder *finder, struct ir_node *node) {
    for (; node; node = node->next) {
        if (node->kind == IR_NODE_REPEAT)
            add_repeat(finder, node);
        else if (node->kind == IR_NODE_WHILE)
            add_while(finder, node);
        else if (node->kind == IR_NODE_FINISH)
            add_finish(finder, node);
        else if (node->kind == IR_NODE_IF || node->kind == IR_NODE_LAUNCH)
            add_if(finder, node);
        else
            add_step(finder, node);
    }
}

/* ---- what a step does ---- */

static void put_in(uint64_t *set, uint32_t slot) {
    set[slot / 64] |= (uint64_t)1 << slot % 64;
}

static bool is_in(const uint64_t *set, uint32_t slot) {
    return set[slot / 64] >> slot % 64 & 1;
}

static void read_slot(const struct ir_step *step, uint32_t slot) {
    if (!is_in(step->sets[KILLS], slot))
        put_in(step->sets[READS], slot);
}

/* Instructions outside of all regions write all elements of the group; of a variable without one
 * there are registers elsewhere. */
static void look_at_vreg(void *context, uint32_t *vreg, bool writes) {
    const struct life_finder *f = context;
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

static void look_at_code(struct life_finder *finder, const struct ir_step *step) {
    finder->code = step->node->code;
    finder->step = step;
    finder->group = step->node->group;
    finder->region = 0;
    for (size_t i = 0; i < finder->code->insns.len; i++) {
        ir_visit(&finder->code->insns.data[i], look_at_vreg, finder);
        finder->region =
            ir_region_behind(finder->code, &finder->code->insns.data[i], finder->region);
    }
}

/* Registers from .. to - 1 of a side whose last coordinate is the register. */
struct life_stretch {
    uint32_t from, to;
};

static uint32_t dims_of(const struct life_finder *finder, uint32_t group) {
    return group == NO_INDEX ? 0 : ir_group_dims(finder->p, group);
}

static uint32_t dims_to(const struct life_finder *finder, const struct ir_move *move) {
    return dims_of(finder, ir_move_to_group(finder->p, move));
}

static uint32_t dims_from(const struct life_finder *finder, const struct ir_move *move) {
    return dims_of(finder, ir_move_from_group(finder->p, move));
}

/* Those that are written: all, unless numbers say otherwise. */
static struct life_stretch written(const struct life_finder *finder, const struct ir_move *move) {
    struct life_stretch all = {move->to_element, move->to_element + move->record.dst_count};
    uint32_t d = dims_to(finder, move);
    if (move->record.strides || move->record.laps || move->record.index.kind == INDEX_SCATTER ||
        !move->record.dst_has_k || !(move->record.bounded >> d & 1) ||
        move->record.first[d].size_coeff || move->record.last[d].size_coeff ||
        move->record.first[d].offset < 0 || move->record.last[d].offset > move->record.dst_count)
        return all;
    return (struct life_stretch){move->to_element + (uint32_t)move->record.first[d].offset,
                                 move->to_element + (uint32_t)move->record.last[d].offset};
}

static struct life_stretch read_by(const struct life_finder *finder, const struct ir_move *move) {
    struct life_stretch all = {0, move->record.src_count};
    const struct move_affine *k = &move->record.source[dims_from(finder, move)];
    uint32_t d = dims_to(finder, move);
    bool fixed = !move->record.index.kind && !k->size_coeff && move->record.src_has_k &&
                 k->offset >= 0 && !move->record.laps;
    for (uint32_t c = 0; c < MOVE_MAX_DIMS; c++)
        fixed &= k->coeff[c] == 0 || (c == d && k->coeff[c] == 1 && move->record.dst_has_k);
    if (!fixed)
        return all;
    struct life_stretch w = written(finder, move);
    bool moves = move->record.dst_has_k && k->coeff[d];
    uint32_t from = (uint32_t)k->offset + (moves ? w.from - move->to_element : 0);
    uint32_t to = (uint32_t)k->offset + (moves ? w.to - move->to_element : 1);
    return to <= all.to ? (struct life_stretch){from, to} : all;
}

static bool same_extent(struct extent left, struct extent right) {
    return left.size == right.size && left.value == right.value;
}

/* True if source coordinate c is inside of its extent for every destination. */
static bool stays_inside(const struct life_finder *finder, const struct ir_move *move, uint32_t c) {
    const struct move_affine *a = &move->record.source[c];
    uint32_t to = ir_move_to_group(finder->p, move), from = ir_move_from_group(finder->p, move),
             of = IR_NONE;
    for (uint32_t d = 0; d < MOVE_MAX_DIMS; d++)
        if (a->coeff[d] && (of != IR_NONE || a->coeff[d] != 1))
            return false;
        else if (a->coeff[d])
            of = d;
    struct extent there = ir_group_extent(finder->p, from, c);
    if (of == IR_NONE && !a->size_coeff)
        return a->offset == 0 ||
               (a->offset > 0 && there.size == NO_INDEX && a->offset < (int64_t)there.value);
    return !a->size_coeff && !a->offset && of < dims_to(finder, move) &&
           same_extent(ir_group_extent(finder->p, to, of), there);
}

/* True if every element of the registers that are written gets a value. */
static bool overwrites(const struct life_finder *finder, const struct ir_move *move) {
    uint32_t to = dims_to(finder, move), from = dims_from(finder, move);
    bool some = move->record.index.kind == INDEX_SCATTER ||
                (move->record.index.kind && move->record.outside == MOVE_KEEP);
    some |= move->record.strides || move->record.laps;
    if (some || move->record.bounded & ((1u << to) - 1))
        return false;
    for (uint32_t c = 0; move->record.outside == MOVE_KEEP && c < from; c++)
        if (!stays_inside(finder, move, c))
            return false;
    return true;
}

static void look_at_index(const struct life_finder *finder, const struct ir_move *move,
                          uint64_t *reads) {
    for (uint32_t k = 0; k < object_move_index_count(&move->record); k++)
        put_in(reads, finder->l->first[move->index] + move->index_element + k);
}

static void look_at_move(struct life_finder *finder, const struct ir_step *step) {
    const struct ir_move *m = &finder->p->moves.data[step->node->move];
    struct life_stretch r = read_by(finder, m), w = written(finder, m);
    uint32_t from = finder->l->first[m->from], to = finder->l->first[m->to];
    for (uint32_t k = r.from; k < r.to; k++)
        put_in(step->sets[READS], from + k);
    look_at_index(finder, m, step->sets[READS]);
    if (step->node->kind == IR_NODE_SEND)
        return;
    bool all = overwrites(finder, m);
    for (uint32_t k = w.from; k < w.to; k++) {
        put_in(step->sets[WRITES], to + k);
        if (all)
            put_in(step->sets[KILLS], to + k);
    }
}

static void touch_variable(const struct life_finder *finder, uint64_t *set, uint32_t value) {
    for (uint32_t slot = finder->l->first[value]; slot < finder->l->first[value + 1]; slot++)
        put_in(set, slot);
}

/* Nobody asks for what the body would have written to chained variables, nor for what they held. */
static void look_at_skip(struct life_finder *finder, const struct ir_step *step) {
    memcpy(step->sets[KILLS], finder->chained, finder->l->slot_words * sizeof *finder->chained);
}

static void look_at(struct life_finder *finder, const struct ir_step *step) {
    if (step->skips)
        look_at_skip(finder, step);
    if (!step->node)
        return;
    if (step->node->code)
        look_at_code(finder, step);
    if (step->node->kind == IR_NODE_MOVE || step->node->kind == IR_NODE_SEND)
        look_at_move(finder, step);
    if (step->node->kind == IR_NODE_RECV)
        touch_variable(finder, step->sets[WRITES], step->node->lands);
}

/* What the program's user puts in is there at the beginning; what he takes out, or may read after
 * the run, is asked for at the end. */
static void look_at_ends(struct life_finder *finder, const struct ir_step *begin,
                         const struct ir_step *end) {
    for (uint32_t v = 0; v < finder->p->variables.len; v++) {
        const struct ir_variable *x = &finder->p->variables.data[v];
        uint8_t direction = x->decl.direction;
        if (direction & VAR_IN)
            touch_variable(finder, begin->sets[WRITES], v);
        if (direction & VAR_OUT || (direction == VAR_IN && !finder->l->gives))
            touch_variable(finder, end->sets[READS], v);
    }
    for (size_t i = 0; i < finder->p->lengths.len; i++) {
        touch_variable(finder, begin->sets[WRITES], finder->p->lengths.data[i].length);
        touch_variable(finder, end->sets[READS], finder->p->lengths.data[i].length);
    }
}

/* Elements that the host may ask for. */
static void look_at_finish(struct life_finder *finder, const struct ir_node *node,
                           const struct ir_step *end) {
    for (uint32_t i = 0; i < node->finish_count; i++)
        put_in(end->sets[READS],
               finder->l->first[node->finishes[i].from] + node->finishes[i].from_element);
}

/* Subroutines see variables without a group, and may be called wherever it is. */
static void look_at_subs(struct life_finder *finder) {
    for (size_t i = 0; i < finder->p->subs.len; i++) {
        const struct ir_code *code = finder->p->subs.data[i]->code;
        for (size_t v = 0; v < code->vregs.len; v++)
            if (code->vregs.data[v].variable != IR_NONE)
                put_in(finder->always, finder->l->first[code->vregs.data[v].variable] +
                                           code->vregs.data[v].element);
    }
}

/* ---- the flows ---- */

static void join(uint64_t *set, const uint64_t *more, size_t words) {
    for (size_t i = 0; i < words; i++)
        set[i] |= more[i];
}

static void flow_back(struct life_finder *finder, struct ir_step *step) {
    size_t words = finder->l->slot_words;
    for (unsigned k = 0; k < NEXT; k++)
        if (step->next[k] != IR_NONE)
            join(step->sets[LIVE_OUT], finder->steps.data[step->next[k]].sets[LIVE_IN], words);
    for (size_t i = 0; i < words; i++)
        step->sets[LIVE_IN][i] |=
            step->sets[READS][i] | (step->sets[LIVE_OUT][i] & ~step->sets[KILLS][i]);
}

static void flow_on(struct life_finder *finder, struct ir_step *step) {
    size_t words = finder->l->slot_words;
    join(step->sets[WRITTEN], step->sets[WRITES], words);
    for (unsigned k = 0; k < NEXT; k++)
        if (step->next[k] != IR_NONE)
            join(finder->steps.data[step->next[k]].sets[WRITTEN], step->sets[WRITTEN], words);
}

/* True if the step may learn something in a lap: what is in so many loops has learnt all when it
 * was looked at once more than that, for the first steps of loops had, one loop less deep, a lap
 * before.  That is so if all ways into a loop come to its first step. */
static bool may_learn(const struct life_finder *finder, const struct ir_step *step, unsigned lap) {
    return step->depth >= lap || finder->enters_inside;
}

/* A way that comes to no step twice goes back once at most for each loop around: so often more than
 * once all steps, in their order, are all that it takes. */
static void run_flows(struct life_finder *finder) {
    for (unsigned lap = 0; lap <= finder->deepest; lap++)
        for (size_t i = finder->steps.len; i-- > 0;)
            if (may_learn(finder, &finder->steps.data[i], lap))
                flow_back(finder, &finder->steps.data[i]);
    for (unsigned lap = 0; lap <= finder->deepest && finder->holds; lap++)
        for (size_t i = 0; i < finder->steps.len; i++)
            if (may_learn(finder, &finder->steps.data[i], lap))
                flow_on(finder, &finder->steps.data[i]);
}

/* ---- the result ---- */

/* WRITTEN behind the step holds what was written in front of it, too: what is live in front and was
 * not written anywhere before has no value yet, and needs no register. */
static uint64_t held_word(const struct life_finder *finder, const struct ir_step *step,
                          size_t index) {
    uint64_t here = step->sets[READS][index] | step->sets[WRITES][index];
    return here |
           ((step->sets[LIVE_IN][index] | step->sets[LIVE_OUT][index]) &
            step->sets[WRITTEN][index]) |
           finder->always[index];
}

static void hold(struct ir_lives *lives, uint32_t at, size_t index, uint64_t word) {
    lives->held_at[at * lives->slot_words + index] = word;
    for (; word; word &= word - 1) {
        size_t slot = 64 * index + (size_t)__builtin_ctzll(word);
        lives->held[slot * lives->step_words + at / 64] |= (uint64_t)1 << at % 64;
    }
}

static void keep_results(struct life_finder *finder) {
    struct ir_lives *l = finder->l;
    for (uint32_t at = 0; at < l->step_count; at++)
        for (size_t i = 0; i < l->slot_words; i++) {
            const struct ir_step *s = &finder->steps.data[at];
            l->live_out[at * l->slot_words + i] = s->sets[LIVE_OUT][i] | finder->always[i];
            if (finder->holds)
                hold(l, at, i, held_word(finder, s, i));
        }
}

static void number_slots(struct ir_lives *lives, const struct ir_program *program) {
    lives->first = xcalloc(program->variables.len + 1, sizeof *lives->first);
    for (size_t v = 0; v < program->variables.len; v++) {
        lives->first[v] = lives->slots;
        lives->slots += program->variables.data[v].decl.count;
    }
    lives->first[program->variables.len] = lives->slots;
    lives->slot_words = lives->slots / 64 + 1;
}

/* Each image begins and ends with steps of its own. */
static void add_images(struct life_finder *finder) {
    for (size_t i = 0; i < finder->p->images.len; i++) {
        finder->last = IR_NONE;
        vec_push(&finder->begins, add_step(finder, NULL));
        add_nodes(finder, finder->p->images.data[i].nodes);
        vec_push(&finder->ends, add_step(finder, NULL));
    }
}

/* Room for all sets, in one piece; false if that would be too much. */
static bool make_sets(struct life_finder *finder, uint64_t **room) {
    struct ir_lives *l = finder->l;
    uint64_t steps = finder->steps.len, words = l->slot_words;
    if ((steps + 1) * words > MOST_WORDS / (SETS + 3))
        return false;
    l->step_count = (uint32_t)steps;
    l->step_words = steps / 64 + 1;
    if (finder->holds) {
        l->held = xcalloc((l->slots + 1) * l->step_words, sizeof *l->held);
        l->held_at = xcalloc(steps * words + 1, sizeof *l->held_at);
    }
    l->live_out = xcalloc(steps * words + 1, sizeof *l->live_out);
    *room = xcalloc(steps * words * SETS + 2 * words, sizeof **room);
    finder->always = *room + steps * words * SETS;
    finder->chained = finder->always + words;
    for (uint64_t at = 0; at < steps; at++)
        for (unsigned k = 0; k < SETS; k++)
            finder->steps.data[at].sets[k] = *room + (at * SETS + k) * words;
    return true;
}

static void find_all(struct life_finder *finder) {
    look_at_subs(finder);
    for (uint32_t v = 0; v < finder->p->variables.len; v++)
        if (finder->p->variables.data[v].chained)
            touch_variable(finder, finder->chained, v);
    for (size_t i = 0; i < finder->steps.len; i++)
        look_at(finder, &finder->steps.data[i]);
    for (size_t i = 0; i < finder->begins.len; i++)
        look_at_ends(finder, &finder->steps.data[finder->begins.data[i]],
                     &finder->steps.data[finder->ends.data[i]]);
    for (size_t i = 0; i < finder->finishes.len; i++)
        look_at_finish(finder, finder->finishes.data[i], &finder->steps.data[finder->ends.data[0]]);
    run_flows(finder);
}

static bool find_lives(struct ir_lives *lives, const struct ir_program *program, bool gives,
                       bool holds) {
    struct life_finder f = {.l = lives, .p = program, .holds = holds};
    uint64_t *room = NULL;
    *lives = (struct ir_lives){.program = program, .gives = gives};
    number_slots(lives, program);
    add_images(&f);
    bool good = make_sets(&f, &room);
    if (good) {
        find_all(&f);
        keep_results(&f);
        lives->nodes = xcalloc(f.steps.len + 1, sizeof(struct ir_node *));
        for (size_t i = 0; i < f.steps.len; i++)
            lives->nodes[i] = f.steps.data[i].node;
    }
    free(room);
    vec_free(&f.steps);
    vec_free(&f.begins);
    vec_free(&f.ends);
    vec_free(&f.finishes);
    return good;
}

bool ir_lives_find(struct ir_lives *lives, const struct ir_program *program, bool gives) {
    return find_lives(lives, program, gives, true);
}

bool ir_lives_find_behind(struct ir_lives *lives, const struct ir_program *program) {
    return find_lives(lives, program, false, false);
}

bool ir_lives_ever(const struct ir_lives *lives, uint32_t slot) {
    for (size_t i = 0; i < lives->step_words; i++)
        if (lives->held[slot * lives->step_words + i])
            return true;
    return false;
}

void ir_lives_free(struct ir_lives *lives) {
    free(lives->first);
    free(lives->nodes);
    free(lives->held);
    free(lives->held_at);
    free(lives->live_out);
    *lives = (struct ir_lives){0};
}
