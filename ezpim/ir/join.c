/* SPDX-License-Identifier: MIT
 * Moves keep their order among themselves: that is how the MPUs of a program meet at them. */
#include "ezpim/ir/join.h"
#include "ezpim/ir/build.h"

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

static void visit_code(struct joiner *joiner, const struct ir_code *code, ir_visitor *visit) {
    joiner->code = code;
    for (size_t i = 0; i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], visit, joiner);
}

static void forget_vreg(void *context, uint32_t *vreg, bool writes) {
    struct joiner *j = context;
    uint32_t v = j->code->vregs.data[*vreg].variable;
    (void)writes;
    if (v != IR_NONE)
        j->uses[v] = 0;
}

/* The moves from `node` up to `end` neither bring what the code names nor take what it writes. */
static bool independent(struct joiner *joiner, const struct ir_code *code,
                        const struct ir_node *node, const struct ir_node *end) {
    bool good = true;
    visit_code(joiner, code, note_vreg);
    for (; good && node != end; node = node->next) {
        const struct ir_move *m = &joiner->p->moves.data[node->move];
        good = !joiner->uses[m->to] && !(joiner->uses[m->from] & WRITTEN);
        if (m->record.index.kind)
            good &= !(joiner->uses[m->index] & WRITTEN);
    }
    visit_code(joiner, code, forget_vreg);
    return good;
}

/* ---- one body behind another ---- */

struct appending {
    struct ir_code *to;
    const struct ir_code *from;
    uint32_t *vregs, *regions; /* of `from`: their numbers in `to` */
};

static bool is_bare(const struct ir_vreg *vreg) {
    return vreg->variable == IR_NONE && vreg->fixed >= 0;
}

/* The register of the program that is the same, or IR_NONE. */
static uint32_t find_vreg(const struct ir_code *code, const struct ir_vreg *vreg) {
    for (uint32_t v = 0; (vreg->variable != IR_NONE || is_bare(vreg)) && v < code->vregs.len; v++) {
        const struct ir_vreg *y = &code->vregs.data[v];
        if (vreg->variable == IR_NONE
                ? is_bare(y) && y->fixed == vreg->fixed
                : y->variable == vreg->variable && y->element == vreg->element)
            return v;
    }
    return IR_NONE;
}

static void append_regions(struct appending *appending) {
    for (size_t r = 1; r < appending->from->regions.len; r++) {
        struct ir_region region = appending->from->regions.data[r];
        region.parent = appending->regions[region.parent];
        appending->regions[r] = (uint32_t)appending->to->regions.len;
        vec_push(&appending->to->regions, region);
    }
}

static void append_vregs(struct appending *appending) {
    for (size_t v = 0; v < appending->from->vregs.len; v++) {
        struct ir_vreg x = appending->from->vregs.data[v];
        appending->vregs[v] = find_vreg(appending->to, &x);
        if (appending->vregs[v] != IR_NONE)
            continue;
        x.home = appending->regions[x.home];
        appending->vregs[v] = (uint32_t)appending->to->vregs.len;
        vec_push(&appending->to->vregs, x);
    }
}

static uint32_t renamed(const struct appending *appending, uint32_t vreg) {
    return vreg == IR_NONE ? IR_NONE : appending->vregs[vreg];
}

static void append_insns(struct appending *appending) {
    for (size_t i = 0; i < appending->from->insns.len; i++) {
        struct ir_insn x = appending->from->insns.data[i];
        x.dst = renamed(appending, x.dst);
        x.a = renamed(appending, x.a);
        x.b = renamed(appending, x.b);
        x.c = renamed(appending, x.c);
        if (ir_is_mark(x.op))
            x.region = appending->regions[x.region];
        vec_push(&appending->to->insns, x);
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

/* Elements of the group, if they are known; else 0. */
static uint64_t elements_of(const struct ir_program *program, uint32_t group) {
    const struct group *g = &program->groups.data[group];
    uint64_t n = 1;
    for (uint32_t d = 0; d < g->ndim; d++)
        n = g->extent[d].size == NO_INDEX ? n * g->extent[d].value : 0;
    return n;
}

/* It asks for no coordinates of its lanes, tells none and leaves none out. */
static bool is_plain(const struct ir_code *code) {
    for (size_t i = 0; i < code->insns.len; i++)
        if (code->insns.data[i].op >= IR_MACHINE)
            return false;
    return true;
}

/* The elements of `right` are those of `left`, by other axes. */
static bool lies_alike(const struct ir_program *program, const struct ir_node *left,
                       const struct ir_node *right) {
    uint64_t n = elements_of(program, left->group);
    return n && n == elements_of(program, right->group) &&
           ir_group_root(program, left->group) == ir_group_root(program, right->group) &&
           is_plain(right->code);
}

static bool may_join(const struct ir_program *program, const struct ir_node *left,
                     const struct ir_node *right) {
    return right && right->kind == IR_NODE_COMPUTE &&
           (left->group == right->group || lies_alike(program, left, right)) &&
           left->own == right->own && !left->code->calls.len && !right->code->calls.len &&
           left->code->insns.len + right->code->insns.len <= LONG_ENSEMBLE;
}

static struct ir_node *behind_moves(const struct ir_node *node) {
    struct ir_node *x = node->next;
    while (x && x->kind == IR_NODE_MOVE && x->own == node->own)
        x = x->next;
    return x;
}

static void empty(struct ir_code *code) {
    vec_clear(&code->insns);
    vec_clear(&code->vregs);
}

/* The ensemble at *link and the next one; false if they stay two.  *link is what stands there
 * then. */
static bool join_next(struct joiner *joiner, struct ir_node **link) {
    struct ir_node *a = *link, *b = behind_moves(a), *first = a->next, *last = a;
    if (!may_join(joiner->p, a, b))
        return false;
    bool in_front = independent(joiner, a->code, first, b);
    if (!in_front && !independent(joiner, b->code, first, b))
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

static void join_list(struct joiner *joiner, struct ir_node **link) {
    while (*link) {
        struct ir_node *n = *link;
        join_list(joiner, &n->body);
        join_list(joiner, &n->otherwise);
        if (n->kind == IR_NODE_COMPUTE && join_next(joiner, link)) {
            while (*link != n)
                link = &(*link)->next;
            continue;
        }
        link = &n->next;
    }
}

void ir_join_ensembles(struct ir_program *program) {
    struct joiner j = {.p = program, .uses = xcalloc(program->variables.len + 1, 1)};
    for (size_t i = 0; i < program->images.len; i++)
        join_list(&j, &program->images.data[i].nodes);
    free(j.uses);
}
