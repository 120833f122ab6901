/* SPDX-License-Identifier: MIT
 * A body is cut where no region is open and no value without a name is alive: between statements as
 * they were written.  Each piece is a list of its own, with those virtual registers and regions
 * that it names; both are numbered anew, in the order in which they are met. */
#include "ezpim/ir_split.h"
#include "ezpim/ir_build.h"
#include "ezpim/ir_touched.h"

#include <stdlib.h>
#include <string.h>

struct splitter {
    struct ir_program *p;
    struct ir_builder builder;
    struct ir_code *whole;
    struct ir_code *piece;
    uint32_t *first, *last; /* [vregs of the whole]: the instructions that name it */
    uint32_t *variable;     /* [vregs]: what it becomes; IR_NONE */
    uint32_t *number;       /* [vregs]: in the piece; IR_NONE */
    uint32_t *region;       /* [regions]: in the piece; IR_NONE */
    uint32_t at;            /* instruction at hand */
};

/* ---- where ---- */

static void meet(void *context, uint32_t *vreg, bool writes) {
    struct splitter *s = context;
    (void)writes;
    if (s->first[*vreg] == IR_NONE)
        s->first[*vreg] = s->at;
    s->last[*vreg] = s->at;
}

static void find_spans(struct splitter *splitter) {
    for (size_t v = 0; v < splitter->whole->vregs.len; v++)
        splitter->first[v] = splitter->variable[v] = splitter->number[v] = IR_NONE;
    for (splitter->at = 0; splitter->at < splitter->whole->insns.len; splitter->at++)
        ir_visit(&splitter->whole->insns.data[splitter->at], meet, splitter);
}

/* True if the order or the place of the body's instructions is seen from outside, or the body has
 * what lies in no register. */
static bool is_whole(const struct ir_code *code) {
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *x = &code->insns.data[i];
        bool leaves = (x->op == IR_EXIT || x->op == IR_TEST) && x->region == 0;
        if (leaves || x->op == IR_ENABLE || x->op == IR_SHOW || x->op == IR_ASSERT ||
            x->op == IR_PRINT || (x->op == IR_MACHINE && !ir_is_pure(x)))
            return true;
    }
    return code->insns.len < 2;
}

static bool can_cross(const struct ir_vreg *vreg) {
    return vreg->variable != IR_NONE || (vreg->name && !vreg->pinned && vreg->home == 0);
}

/* cuts[i]: a piece may begin with instruction i. */
static void find_cuts(const struct splitter *splitter, bool *cuts) {
    const struct ir_code *code = splitter->whole;
    size_t depth = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        cuts[i] = i && depth == 0;
        depth += ir_opens(code->insns.data[i].op);
        depth -= code->insns.data[i].op == IR_END;
    }
    for (size_t v = 0; v < code->vregs.len; v++)
        if (splitter->first[v] != IR_NONE && !can_cross(&code->vregs.data[v]))
            for (uint32_t i = splitter->first[v] + 1; i <= splitter->last[v]; i++)
                cuts[i] = false;
}

/* ---- a piece ---- */

static uint32_t region_in_piece(struct splitter *splitter, uint32_t region) {
    if (splitter->region[region] == IR_NONE) {
        struct ir_region r = splitter->whole->regions.data[region];
        r.parent = region_in_piece(splitter, r.parent);
        splitter->region[region] = (uint32_t)splitter->piece->regions.len;
        vec_push(&splitter->piece->regions, r);
    }
    return splitter->region[region];
}

static uint32_t vreg_in_piece(struct splitter *splitter, uint32_t vreg) {
    if (splitter->number[vreg] == IR_NONE) {
        struct ir_vreg v = splitter->whole->vregs.data[vreg];
        v.home = region_in_piece(splitter, v.home);
        if (splitter->variable[vreg] != IR_NONE) {
            v.variable = splitter->variable[vreg];
            v.element = 0;
        }
        splitter->number[vreg] = (uint32_t)splitter->piece->vregs.len;
        vec_push(&splitter->piece->vregs, v);
    }
    return splitter->number[vreg];
}

static void renumber(void *context, uint32_t *vreg, bool writes) {
    (void)writes;
    *vreg = vreg_in_piece(context, *vreg);
}

/* Visitors come twice to what is read and written. */
static void renumber_machine(struct splitter *splitter, struct ir_insn *insn) {
    uint32_t flags = isa_info((enum mpu_op)insn->machine)->flags;
    uint32_t *const fields[] = {&insn->a, &insn->b, &insn->dst};
    for (unsigned k = 0; k < 3; k++)
        if (flags & ((uint32_t)(READS_RS | WRITES_RS) << k) && *fields[k] != IR_NONE)
            *fields[k] = vreg_in_piece(splitter, *fields[k]);
}

static const struct ir_call *copy_of_call(struct splitter *splitter, const struct ir_call *call) {
    struct ir_call *copy = ARENA_NEW(splitter->p->arena, struct ir_call);
    uint32_t ins = call->sub->in_count, outs = call->sub->out_count;
    copy->sub = call->sub;
    copy->in = ARENA_ARRAY(splitter->p->arena, ins + 1, uint32_t);
    copy->out = ARENA_ARRAY(splitter->p->arena, outs + 1, uint32_t);
    memcpy(copy->in, call->in, ins * sizeof *copy->in);
    memcpy(copy->out, call->out, outs * sizeof *copy->out);
    return copy;
}

static void add_insn(struct splitter *splitter, struct ir_insn insn) {
    if (ir_is_mark(insn.op))
        insn.region = region_in_piece(splitter, insn.region);
    if (insn.op == IR_CALL) {
        insn.call = copy_of_call(splitter, insn.call);
        vec_push(&splitter->piece->calls, insn.call);
    }
    if (insn.op == IR_MACHINE)
        renumber_machine(splitter, &insn);
    else
        ir_visit(&insn, renumber, splitter);
    vec_push(&splitter->piece->insns, insn);
}

static void forget(void *context, uint32_t *vreg, bool writes) {
    struct splitter *s = context;
    (void)writes;
    s->number[*vreg] = IR_NONE;
}

/* Instructions [first, end). */
static struct ir_code *make_piece(struct splitter *splitter, size_t first, size_t end) {
    splitter->piece = ir_code_new(splitter->p);
    splitter->piece->group = splitter->whole->group;
    for (size_t r = 0; r < splitter->whole->regions.len; r++)
        splitter->region[r] = r ? IR_NONE : 0;
    for (size_t i = first; i < end; i++)
        add_insn(splitter, splitter->whole->insns.data[i]);
    for (size_t i = first; i < end; i++) /* the next piece numbers them anew */
        ir_visit(&splitter->whole->insns.data[i], forget, splitter);
    return splitter->piece;
}

/* ---- the body ---- */

/* What is named in two pieces is a variable. */
static void make_variables(struct splitter *splitter, const struct ir_node *node,
                           const bool *cuts) {
    for (uint32_t v = 0; v < splitter->whole->vregs.len; v++) {
        const struct ir_vreg *x = &splitter->whole->vregs.data[v];
        if (splitter->first[v] == IR_NONE || x->variable != IR_NONE || x->fixed >= 0)
            continue;
        for (uint32_t i = splitter->first[v] + 1; i <= splitter->last[v]; i++)
            if (cuts[i]) {
                uint32_t made = ir_local(&splitter->builder, node->group, x->type, 1);
                splitter->p->variables.data[made].lasting = true;
                splitter->p->variables.data[made].at = x->at;
                splitter->variable[v] = made;
                break;
            }
    }
}

static struct ir_node *node_behind(struct splitter *splitter, struct ir_node *node) {
    struct ir_node *n = ARENA_NEW(splitter->p->arena, struct ir_node);
    *n = *node;
    node->next = n;
    return n;
}

/* The last of the nodes that the body becomes. */
static struct ir_node *split_body(struct splitter *splitter, struct ir_node *node,
                                  const bool *cuts) {
    size_t first = 0, count = splitter->whole->insns.len;
    struct ir_node *at = node;
    for (size_t i = 1; i <= count; i++) {
        if (i < count && !cuts[i])
            continue;
        if (first)
            at = node_behind(splitter, at);
        at->code = make_piece(splitter, first, i);
        at->at = splitter->whole->insns.data[first].at;
        first = i;
    }
    return at;
}

static struct ir_node *split_node(struct splitter *splitter, struct ir_node *node) {
    struct ir_code *code = node->code;
    splitter->whole = code;
    if (is_whole(code))
        return node;
    bool *cuts = xcalloc(code->insns.len + 1, sizeof *cuts);
    splitter->first = xcalloc(code->vregs.len + 1, sizeof *splitter->first);
    splitter->last = xcalloc(code->vregs.len + 1, sizeof *splitter->last);
    splitter->variable = xcalloc(code->vregs.len + 1, sizeof *splitter->variable);
    splitter->number = xcalloc(code->vregs.len + 1, sizeof *splitter->number);
    splitter->region = xcalloc(code->regions.len + 1, sizeof *splitter->region);
    find_spans(splitter);
    find_cuts(splitter, cuts);
    make_variables(splitter, node, cuts);
    node = split_body(splitter, node, cuts);
    vec_clear(&code->insns);
    vec_clear(&code->vregs);
    vec_clear(&code->calls);
    free(splitter->first);
    free(splitter->last);
    free(splitter->variable);
    free(splitter->number);
    free(splitter->region);
    free(cuts);
    return node;
}

static void split_nodes(struct splitter *splitter, struct ir_node *node) {
    for (; node; node = node->next) {
        if (node->kind == IR_NODE_COMPUTE)
            node = split_node(splitter, node);
        split_nodes(splitter, node->body);
        split_nodes(splitter, node->otherwise);
    }
}

void ir_split_ensembles(struct ir_program *program, const struct diag *diag) {
    struct splitter s = {.p = program, .builder = {.p = program, .diag = diag}};
    for (size_t i = 0; i < program->images.len; i++)
        split_nodes(&s, program->images.data[i].nodes);
    ir_builder_free(&s.builder);
}
