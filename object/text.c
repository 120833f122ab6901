/* SPDX-License-Identifier: MIT */
#include "object/object.h"
#include "object/text.h"

#include "support/alloc.h"
#include "support/vec.h"

#include <string.h>

static void decode(struct text *t) {
    for (uint32_t i = 0; i < t->len; i++)
        if (isa_decode(t->words[i], &t->insns[i]) != ISA_OK)
            t->insns[i] = (struct insn){.op = OP_COUNT};
}

static void match_repeats(struct text *t) {
    VEC(uint32_t) open = {0};
    memset(t->match, 0xff, t->len * sizeof *t->match);
    for (uint32_t i = 0; i < t->len; i++) {
        if (t->insns[i].op == OP_REPEAT) {
            vec_push(&open, i);
        } else if (t->insns[i].op == OP_REPEAT_END && open.len) {
            t->match[i] = vec_last(&open);
            t->match[vec_last(&open)] = i;
            open.len--;
        }
    }
    vec_free(&open);
}

static void note_entries(struct text *t) {
    for (uint32_t i = 0; i < t->len; i++) {
        const struct insn *x = &t->insns[i];
        t->has_jump_any |= x->op == OP_JUMP_ANY;
        t->has_mark |= x->op == OP_MARK;
        if (x->op < OP_COUNT && isa_info(x->op)->format == FORMAT_J && (uint32_t)x->imm < t->len)
            t->entered[x->imm] = 1;
    }
}

void object_text_load(struct text *t, const uint32_t *words, size_t len, struct arena *arena) {
    *t = (struct text){.len = (uint32_t)len, .words = words};
    t->insns = ARENA_ARRAY(arena, t->len, struct insn);
    t->match = ARENA_ARRAY(arena, t->len, uint32_t);
    t->entered = ARENA_ARRAY(arena, t->len, uint8_t);
    decode(t);
    match_repeats(t);
    note_entries(t);
}

uint32_t object_text_run_end(const struct text *t, uint32_t first) {
    uint32_t end = first;
    while (end < t->len && end - first < TEXT_RUN_MAX && insn_in_run(&t->insns[end]) &&
           (end == first || !t->entered[end]))
        end++;
    return end;
}

uint32_t object_text_footer(const struct text *t, uint32_t from, enum mpu_op footer) {
    while (from < t->len && t->insns[from].op != footer)
        from++;
    return from;
}

/* Places that a walk over a body has still to visit. */
struct text_body_walk {
    VEC(uint32_t) todo;
    uint8_t *seen; /* [text.len] */
};

static void visit(struct text_body_walk *w, const struct text *t, uint32_t index) {
    if (index >= t->len || w->seen[index])
        return;
    w->seen[index] = 1;
    vec_push(&w->todo, index);
}

/* Adds what may follow instruction i. */
static void follow(struct text_body_walk *w, const struct text *t, uint32_t i) {
    const struct insn *x = &t->insns[i];
    switch (x->op) {
    case OP_COMPUTE_DONE:
    case OP_MOVE_DONE:
    case OP_RETURN:
        return;
    case OP_GOTO:
        visit(w, t, (uint32_t)x->imm);
        return;
    case OP_JUMP:
    case OP_JUMP_COND:
    case OP_JUMP_NONE:
        visit(w, t, (uint32_t)x->imm);
        break;
    case OP_REPEAT:
        if (t->match[i] != NO_INDEX)
            visit(w, t, t->match[i] + 1);
        break;
    default:
        break;
    }
    visit(w, t, i + 1);
}

/* The next instruction of the walk, NO_INDEX at its end. */
static uint32_t next_of(struct text_body_walk *w, const struct text *t) {
    if (w->todo.len == 0)
        return NO_INDEX;
    uint32_t i = vec_last(&w->todo);
    w->todo.len--;
    follow(w, t, i);
    return i;
}

bool object_text_body_depends_on_data(const struct text *t, uint32_t body) {
    struct text_body_walk w = {.seen = xcalloc(t->len ? t->len : 1, 1)};
    bool depends = false;
    visit(&w, t, body);
    for (uint32_t i; !depends && (i = next_of(&w, t)) != NO_INDEX;)
        depends = t->insns[i].op == OP_JUMP_COND || t->insns[i].op == OP_JUMP_NONE;
    vec_free(&w.todo);
    free(w.seen);
    return depends;
}

void object_text_visit_body(const struct text *t, uint32_t body, uint8_t *seen,
                            text_visitor *visitor, void *context) {
    struct text_body_walk w = {.seen = seen};
    visit(&w, t, body);
    for (uint32_t i; (i = next_of(&w, t)) != NO_INDEX;)
        visitor(context, t, i);
    vec_free(&w.todo);
}

/* ---- masks ---- */

/* Grows to the least set of states that holds every way through the bodies.  A call goes on with
 * the states that some RETURN is reached with: which one is not looked at. */
struct mask_walk {
    const struct text *t;
    uint8_t *masks;
    VEC(uint32_t) todo;
    uint8_t returned;
};

static void reach(struct mask_walk *w, uint64_t index, uint8_t states) {
    if (index >= w->t->len || (w->masks[index] | states) == w->masks[index])
        return;
    w->masks[index] |= states;
    vec_push(&w->todo, (uint32_t)index);
}

static uint8_t states_after(const struct insn *x, uint8_t states) {
    if (insn_flags(x) & ISA_PREDICATE_OFF)
        return TEXT_PLAIN;
    return insn_flags(x) & ISA_PREDICATE_ON ? TEXT_MASKED : states;
}

/* All calls go on, now that one more state comes back. */
static void come_back(struct mask_walk *w, uint8_t states) {
    if ((w->returned | states) == w->returned)
        return;
    w->returned |= states;
    for (uint32_t i = 0; i < w->t->len; i++)
        if (w->t->insns[i].op == OP_JUMP && w->masks[i])
            reach(w, (uint64_t)i + 1, w->returned);
}

static void go_on(struct mask_walk *w, uint32_t i) {
    const struct insn *x = &w->t->insns[i];
    uint8_t states = states_after(x, w->masks[i]);
    if (x->op == OP_COMPUTE_DONE || x->op == OP_MOVE_DONE)
        return;
    if (x->op == OP_RETURN) {
        come_back(w, states);
        return;
    }
    if (x->op == OP_GOTO || x->op == OP_JUMP || x->op == OP_JUMP_COND || x->op == OP_JUMP_NONE)
        reach(w, (uint64_t)x->imm, states);
    if ((x->op == OP_REPEAT || x->op == OP_REPEAT_END) && w->t->match[i] != NO_INDEX)
        reach(w, (uint64_t)w->t->match[i] + 1, states);
    if (x->op != OP_GOTO)
        reach(w, (uint64_t)i + 1, x->op == OP_JUMP ? w->returned : states);
}

void object_text_find_masks(const struct text *t, uint8_t *masks) {
    struct mask_walk w = {.t = t, .masks = masks};
    if (t->len)
        memset(masks, 0, t->len);
    for (uint32_t i = 0; i < t->len; i++)
        if (t->insns[i].op == OP_COMPUTE || t->insns[i].op == OP_COMPUTEG ||
            t->insns[i].op == OP_MOVE)
            reach(&w, (uint64_t)i + 1, TEXT_PLAIN);
    while (w.todo.len) {
        uint32_t i = vec_last(&w.todo);
        w.todo.len--;
        go_on(&w, i);
    }
    vec_free(&w.todo);
}
