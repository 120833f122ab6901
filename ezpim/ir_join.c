/* SPDX-License-Identifier: MIT
 * Moves keep their order among themselves: that is how the MPUs of a program meet at them. */
#include "ezpim/ir_join.h"

#include <stdlib.h>

struct joiner {
    struct ir_program *p;
    uint8_t *uses; /* [variables]: of the code at hand, below */
    const struct ir_code *code;
};
enum { READ = 1, WRITTEN = 2 };

static void note_vreg(void *context, uint32_t *vreg, bool writes) {
    struct joiner *j = context;
    uint32_t v = j->code->vregs.data[*vreg].variable;
    if (v != IR_NONE)
        j->uses[v] |= writes ? WRITTEN : READ;
}

static void visit_code(struct joiner *j, const struct ir_code *code, ir_visitor *visit) {
    j->code = code;
    for (size_t i = 0; i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], visit, j);
}

static void forget_vreg(void *context, uint32_t *vreg, bool writes) {
    struct joiner *j = context;
    uint32_t v = j->code->vregs.data[*vreg].variable;
    (void)writes;
    if (v != IR_NONE)
        j->uses[v] = 0;
}

/* The moves from n up to `end` neither bring what the code names nor take what it writes. */
static bool independent(struct joiner *j, const struct ir_code *code, const struct ir_node *n,
                        const struct ir_node *end) {
    bool good = true;
    visit_code(j, code, note_vreg);
    for (; good && n != end; n = n->next) {
        const struct ir_move *m = &j->p->moves.data[n->move];
        good = !j->uses[m->to] && !(j->uses[m->from] & WRITTEN);
    }
    visit_code(j, code, forget_vreg);
    return good;
}

/* ---- one body behind another ---- */

struct appending {
    struct ir_code *to;
    const struct ir_code *from;
    uint32_t *vregs, *regions; /* of `from`: their numbers in `to` */
};

static bool is_bare(const struct ir_vreg *v) {
    return v->variable == IR_NONE && v->fixed >= 0;
}

/* The register of the program that is the same, or IR_NONE. */
static uint32_t find_vreg(const struct ir_code *code, const struct ir_vreg *x) {
    for (uint32_t v = 0; (x->variable != IR_NONE || is_bare(x)) && v < code->vregs.len; v++) {
        const struct ir_vreg *y = &code->vregs.data[v];
        if (x->variable == IR_NONE ? is_bare(y) && y->fixed == x->fixed
                                   : y->variable == x->variable && y->element == x->element)
            return v;
    }
    return IR_NONE;
}

static void append_regions(struct appending *a) {
    for (size_t r = 1; r < a->from->regions.len; r++) {
        struct ir_region region = a->from->regions.data[r];
        region.parent = a->regions[region.parent];
        a->regions[r] = (uint32_t)a->to->regions.len;
        vec_push(&a->to->regions, region);
    }
}

static void append_vregs(struct appending *a) {
    for (size_t v = 0; v < a->from->vregs.len; v++) {
        struct ir_vreg x = a->from->vregs.data[v];
        a->vregs[v] = find_vreg(a->to, &x);
        if (a->vregs[v] != IR_NONE)
            continue;
        x.home = a->regions[x.home];
        a->vregs[v] = (uint32_t)a->to->vregs.len;
        vec_push(&a->to->vregs, x);
    }
}

static uint32_t renamed(const struct appending *a, uint32_t vreg) {
    return vreg == IR_NONE ? IR_NONE : a->vregs[vreg];
}

static void append_insns(struct appending *a) {
    for (size_t i = 0; i < a->from->insns.len; i++) {
        struct ir_insn x = a->from->insns.data[i];
        x.dst = renamed(a, x.dst);
        x.a = renamed(a, x.a);
        x.b = renamed(a, x.b);
        x.c = renamed(a, x.c);
        if (ir_is_mark(x.op))
            x.region = a->regions[x.region];
        vec_push(&a->to->insns, x);
    }
}

static void append_code(struct ir_code *to, const struct ir_code *from) {
    struct appending a = {.to = to, .from = from};
    a.vregs = xcalloc(from->vregs.len + 1, sizeof *a.vregs);
    a.regions = xcalloc(from->regions.len, sizeof *a.regions);
    append_regions(&a);
    append_vregs(&a);
    append_insns(&a);
    free(a.vregs);
    free(a.regions);
}

/* ---- which ---- */

/* Instructions of a joined ensemble, at most. */
enum { LONG_ENSEMBLE = 256 };

static bool may_join(const struct ir_node *a, const struct ir_node *b) {
    return b && b->kind == IR_NODE_COMPUTE && a->group == b->group && a->own == b->own &&
           !a->code->calls.len && !b->code->calls.len &&
           a->code->insns.len + b->code->insns.len <= LONG_ENSEMBLE;
}

static struct ir_node *behind_moves(const struct ir_node *n) {
    struct ir_node *x = n->next;
    while (x && x->kind == IR_NODE_MOVE && x->own == n->own)
        x = x->next;
    return x;
}

static void empty(struct ir_code *code) {
    vec_clear(&code->insns);
    vec_clear(&code->vregs);
}

/* The ensemble at *link and the next one; false if they stay two.  *link is what stands there
 * then. */
static bool join_next(struct joiner *j, struct ir_node **link) {
    struct ir_node *a = *link, *b = behind_moves(a), *first = a->next, *last = a;
    if (!may_join(a, b))
        return false;
    bool in_front = independent(j, a->code, first, b);
    if (!in_front && !independent(j, b->code, first, b))
        return false;
    append_code(a->code, b->code);
    empty(b->code);
    while (last->next != b)
        last = last->next;
    last->next = b->next;
    if (in_front && first != b) {
        a->next = last->next;
        last->next = a;
        *link = first;
    }
    return true;
}

static void join_list(struct joiner *j, struct ir_node **link) {
    while (*link) {
        struct ir_node *n = *link;
        join_list(j, &n->body);
        join_list(j, &n->otherwise);
        if (n->kind == IR_NODE_COMPUTE && join_next(j, link)) {
            while (*link != n)
                link = &(*link)->next;
            continue;
        }
        link = &n->next;
    }
}

void ir_join_ensembles(struct ir_program *p) {
    struct joiner j = {.p = p, .uses = xcalloc(p->variables.len + 1, 1)};
    for (size_t i = 0; i < p->images.len; i++)
        join_list(&j, &p->images.data[i].nodes);
    free(j.uses);
}
