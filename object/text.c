/* SPDX-License-Identifier: MIT
 * Decodes a text once; each question is answered by a walk over the instructions that control flow
 * can reach. */
#include "object/object.h"
#include "object/text.h"

#include "support/alloc.h"
#include "support/vec.h"

#include <string.h>

static bool decode_word(uint32_t word, struct lut_list luts, struct insn *insn) {
    if (isa_decode(word, insn) != ISA_OK || (isa_has_table(insn->op) && insn->lut >= luts.count) ||
        (isa_has_shape(insn->op) && insn->shape >= luts.products.count))
        return false;
    if (isa_has_shape(insn->op))
        isa_set_product(insn, &luts.products.data[insn->shape]);
    if (isa_has_table(insn->op))
        isa_set_table(insn, &luts.data[insn->lut]);
    return true;
}

static void decode(struct text *text, struct lut_list luts) {
    for (uint32_t i = 0; i < text->len; i++)
        if (!decode_word(text->words[i], luts, &text->insns[i]))
            text->insns[i] = (struct insn){.op = OP_COUNT};
}

static void match_repeats(struct text *text) {
    VEC(uint32_t) open = {0};
    memset(text->match, 0xff, text->len * sizeof *text->match);
    for (uint32_t i = 0; i < text->len; i++) {
        if (text->insns[i].op == OP_REPEAT) {
            vec_push(&open, i);
        } else if (text->insns[i].op == OP_REPEAT_END && open.len) {
            text->match[i] = vec_last(&open);
            text->match[vec_last(&open)] = i;
            open.len--;
        }
    }
    vec_free(&open);
}

static void note_entries(struct text *text) {
    for (uint32_t i = 0; i < text->len; i++) {
        const struct insn *x = &text->insns[i];
        text->has_jump_any |= x->op == OP_JUMP_ANY;
        text->has_mark |= x->op == OP_MARK;
        if (x->op < OP_COUNT && isa_info(x->op)->format == FORMAT_J && (uint32_t)x->imm < text->len)
            text->entered[x->imm] = 1;
    }
}

void object_text_load(struct text *text, const uint32_t *words, size_t len, struct lut_list luts,
                      struct arena *arena) {
    *text = (struct text){.len = (uint32_t)len, .words = words};
    text->insns = ARENA_ARRAY(arena, text->len, struct insn);
    text->match = ARENA_ARRAY(arena, text->len, uint32_t);
    text->entered = ARENA_ARRAY(arena, text->len, uint8_t);
    decode(text, luts);
    match_repeats(text);
    note_entries(text);
}

uint32_t object_text_run_end(const struct text *text, uint32_t first) {
    uint32_t end = first;
    while (end < text->len && end - first < TEXT_RUN_MAX && insn_in_run(&text->insns[end]) &&
           (end == first || !text->entered[end]))
        end++;
    return end;
}

uint32_t object_text_footer(const struct text *text, uint32_t from, enum isa_op footer) {
    while (from < text->len && text->insns[from].op != footer)
        from++;
    return from;
}

/* Places that a walk over a body has still to visit. */
struct text_body_walk {
    VEC(uint32_t) todo;
    uint8_t *seen; /* [text.len] */
};

static void visit(struct text_body_walk *walk, const struct text *text, uint32_t index) {
    if (index >= text->len || walk->seen[index])
        return;
    walk->seen[index] = 1;
    vec_push(&walk->todo, index);
}

/* Adds what may follow instruction index. */
static void follow(struct text_body_walk *walk, const struct text *text, uint32_t index) {
    const struct insn *x = &text->insns[index];
    switch (x->op) {
    case OP_COMPUTE_DONE:
    case OP_MOVE_DONE:
    case OP_RETURN:
        return;
    case OP_GOTO:
        visit(walk, text, (uint32_t)x->imm);
        return;
    case OP_JUMP:
    case OP_JUMP_COND:
    case OP_JUMP_NONE:
        visit(walk, text, (uint32_t)x->imm);
        break;
    case OP_REPEAT:
        if (text->match[index] != NO_INDEX)
            visit(walk, text, text->match[index] + 1);
        break;
    default:
        break;
    }
    visit(walk, text, index + 1);
}

/* The next instruction of the walk, NO_INDEX at its end. */
static uint32_t next_of(struct text_body_walk *walk, const struct text *text) {
    if (walk->todo.len == 0)
        return NO_INDEX;
    uint32_t i = vec_last(&walk->todo);
    walk->todo.len--;
    follow(walk, text, i);
    return i;
}

bool object_text_body_depends_on_data(const struct text *text, uint32_t body) {
    struct text_body_walk w = {.seen = xcalloc(text->len ? text->len : 1, 1)};
    bool depends = false;
    visit(&w, text, body);
    for (uint32_t i; !depends && (i = next_of(&w, text)) != NO_INDEX;)
        depends = text->insns[i].op == OP_JUMP_COND || text->insns[i].op == OP_JUMP_NONE;
    vec_free(&w.todo);
    free(w.seen);
    return depends;
}

void object_text_visit_body(const struct text *text, uint32_t body, uint8_t *seen,
                            text_visitor *visitor, void *context) {
    struct text_body_walk w = {.seen = seen};
    visit(&w, text, body);
    for (uint32_t i; (i = next_of(&w, text)) != NO_INDEX;)
        visitor(context, text, i);
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

static void reach(struct mask_walk *walk, uint64_t index, uint8_t states) {
    if (index >= walk->t->len || (walk->masks[index] | states) == walk->masks[index])
        return;
    walk->masks[index] |= states;
    vec_push(&walk->todo, (uint32_t)index);
}

static uint8_t states_after(const struct insn *insn, uint8_t states) {
    if (insn_flags(insn) & ISA_PREDICATE_OFF)
        return TEXT_PLAIN;
    return insn_flags(insn) & ISA_PREDICATE_ON ? TEXT_MASKED : states;
}

/* All calls go on, now that one more state comes back. */
static void come_back(struct mask_walk *walk, uint8_t states) {
    if ((walk->returned | states) == walk->returned)
        return;
    walk->returned |= states;
    for (uint32_t i = 0; i < walk->t->len; i++)
        if (walk->t->insns[i].op == OP_JUMP && walk->masks[i])
            reach(walk, (uint64_t)i + 1, walk->returned);
}

static void go_on(struct mask_walk *walk, uint32_t index) {
    const struct insn *x = &walk->t->insns[index];
    uint8_t states = states_after(x, walk->masks[index]);
    if (x->op == OP_COMPUTE_DONE || x->op == OP_MOVE_DONE)
        return;
    if (x->op == OP_RETURN) {
        come_back(walk, states);
        return;
    }
    if (x->op == OP_GOTO || x->op == OP_JUMP || x->op == OP_JUMP_COND || x->op == OP_JUMP_NONE)
        reach(walk, (uint64_t)x->imm, states);
    if ((x->op == OP_REPEAT || x->op == OP_REPEAT_END) && walk->t->match[index] != NO_INDEX)
        reach(walk, (uint64_t)walk->t->match[index] + 1, states);
    if (x->op != OP_GOTO)
        reach(walk, (uint64_t)index + 1, x->op == OP_JUMP ? walk->returned : states);
}

void object_text_find_masks(const struct text *text, uint8_t *masks) {
    struct mask_walk w = {.t = text, .masks = masks};
    if (text->len)
        memset(masks, 0, text->len);
    for (uint32_t i = 0; i < text->len; i++)
        if (text->insns[i].op == OP_COMPUTE || text->insns[i].op == OP_COMPUTEG ||
            text->insns[i].op == OP_MOVE)
            reach(&w, (uint64_t)i + 1, TEXT_PLAIN);
    while (w.todo.len) {
        uint32_t i = vec_last(&w.todo);
        w.todo.len--;
        go_on(&w, i);
    }
    vec_free(&w.todo);
}
