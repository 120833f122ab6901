/* SPDX-License-Identifier: MIT
 * Registers of consumed inputs are free behind their last use.  Nodes are numbered as they stand in
 * the text; what a loop uses, it uses up to its end.  Only the registers that instructions and
 * moves name are used: an array gives back one register after the other. */
#include "ezpim/ez/lower_top.h"

enum { LOOKED_AT_FOREVER = UINT32_MAX };

struct consuming {
    struct unit *u;
    struct ir_program *p;
    struct ez_symbol **inputs; /* [variables of p]: those that are consumed, else NULL */
    const struct ir_code *code;
    uint32_t now;
    uint32_t loops; /* that are open */
    void (*visit)(struct consuming *c, struct ir_node *n);
};

static bool is_consumed(const struct ez_symbol *s) {
    return !s->hidden && (s->direction & VAR_CONSUMED);
}

/* Whatever is used in a loop is used at its end, behind all nodes in it. */
static uint32_t time_of_use(const struct consuming *c) {
    return c->loops ? c->now + 1 : c->now;
}

static void use(struct ez_symbol *s, uint32_t element, uint32_t time) {
    if (s->last_used[element] < time)
        s->last_used[element] = time;
}

static struct ez_symbol *input_of(const struct consuming *c, const struct ir_vreg *v) {
    return v->variable == IR_NONE ? NULL : c->inputs[v->variable];
}

static uint32_t element_of(const struct ez_symbol *s, const struct ir_vreg *v) {
    return (uint32_t)v->fixed - s->reg;
}

static void use_vreg(void *context, uint32_t *vreg, bool writes) {
    const struct consuming *c = context;
    const struct ir_vreg *v = &c->code->vregs.data[*vreg];
    struct ez_symbol *s = input_of(c, v);
    (void)writes;
    if (s)
        use(s, element_of(s, v), time_of_use(c));
}

static void use_code(struct consuming *c, const struct ir_code *code) {
    c->code = code;
    for (size_t i = 0; i < code->insns.len; i++)
        ir_visit(&code->insns.data[i], use_vreg, c);
}

static void use_registers(struct consuming *c, uint32_t group, uint32_t first, uint32_t count,
                          uint32_t time) {
    for (size_t i = 0; i < c->p->variables.len; i++) {
        struct ez_symbol *s = c->inputs[i];
        for (uint32_t k = 0; s && c->p->variables.data[i].group == group && k < s->count; k++)
            if (s->reg + k >= first && s->reg + k < first + count)
                use(s, k, time);
    }
}

/* A node of that kind: where its elements are taken from and where they go. */
static void use_move(struct consuming *c, const struct ir_node *n, uint32_t time) {
    const struct move *m = &c->p->moves.data[n->move];
    use_registers(c, m->dst_group, m->dst_reg, m->dst_count, time);
    use_registers(c, m->src_group, m->src_reg, m->src_count, time);
}

static void use_node(struct consuming *c, struct ir_node *n) {
    if (n->code)
        use_code(c, n->code);
    if (n->kind == IR_NODE_MOVE)
        use_move(c, n, time_of_use(c));
}

/* Others look at what an MPU sends, and where MPUs have texts of their own at what one moves, at
 * times of which nothing is known. */
static void use_elsewhere(struct consuming *c, struct ir_node *n) {
    if (n->kind == IR_NODE_SEND || (n->kind == IR_NODE_MOVE && c->p->images.len > 1))
        use_move(c, n, LOOKED_AT_FOREVER);
}

/* Registers of inputs that have given them back at the node; while registers are shared it is known
 * already which variables have them. */
static uint64_t given_back(const struct consuming *c, const struct ez_symbol *group) {
    uint64_t mask = 0;
    for (size_t i = 0; i < c->p->variables.len && !c->u->shares_registers; i++) {
        const struct ez_symbol *s = c->inputs[i];
        if (!s || (s->group && s->group->place != group->place))
            continue;
        for (uint32_t k = 0; k < s->count; k++)
            if (s->last_used[k] < c->now)
                mask |= (uint64_t)1 << (s->reg + k);
    }
    return mask;
}

static void free_node(struct consuming *c, struct ir_node *n) {
    if (!n->code)
        return;
    n->code->reserved &= ~given_back(c, c->u->groups.items.data[n->group]);
    for (size_t i = 0; i < n->code->vregs.len; i++) {
        struct ir_vreg *v = &n->code->vregs.data[i];
        const struct ez_symbol *s = input_of(c, v);
        v->dies = s && s->last_used[element_of(s, v)] <= c->now;
    }
}

static void walk(struct consuming *c, struct ir_node *n) {
    for (; n; n = n->next) {
        bool loops = n->kind == IR_NODE_REPEAT || n->kind == IR_NODE_WHILE;
        c->now += !c->loops;
        c->loops += loops;
        c->visit(c, n);
        walk(c, n->body);
        walk(c, n->otherwise);
        c->loops -= loops;
        c->now += loops && !c->loops;
    }
}

static void walk_image(struct consuming *c, size_t image,
                       void (*visit)(struct consuming *, struct ir_node *)) {
    c->visit = visit;
    c->now = 0;
    walk(c, c->p->images.data[image].nodes);
}

/* Before another image: its MPUs have registers of their own. */
static void forget_uses(struct consuming *c) {
    for (size_t i = 0; i < c->p->variables.len; i++)
        for (uint32_t k = 0; c->inputs[i] && k < c->inputs[i]->count; k++)
            if (c->inputs[i]->last_used[k] != LOOKED_AT_FOREVER)
                c->inputs[i]->last_used[k] = 0;
}

/* A subroutine that is called uses what it names whenever it is called. */
static void use_subs(struct consuming *c) {
    c->now = LOOKED_AT_FOREVER;
    for (size_t i = 0; i < c->p->subs.len; i++)
        use_code(c, c->p->subs.data[i]->code);
}

/* False if there are none. */
static bool find_inputs(struct consuming *c) {
    bool found = false;
    c->inputs = ARENA_ARRAY(c->p->arena, c->p->variables.len + 1, struct ez_symbol *);
    for (size_t i = 0; i < c->u->variables.items.len; i++) {
        struct ez_symbol *s = c->u->variables.items.data[i];
        if (!is_consumed(s))
            continue;
        s->last_used = ARENA_ARRAY(c->p->arena, s->count, uint32_t);
        c->inputs[s->number] = s;
        found = true;
    }
    return found;
}

void lower_forget_uses(struct unit *u) {
    for (size_t i = 0; i < u->variables.items.len; i++)
        u->variables.items.data[i]->last_used = NULL;
}

void lower_consumed(struct lowering *l) {
    struct consuming c = {.u = l->u, .p = l->p};
    if (!find_inputs(&c))
        return;
    use_subs(&c);
    for (size_t i = 0; i < c.p->images.len; i++)
        walk_image(&c, i, use_elsewhere);
    for (size_t i = 0; i < c.p->images.len; i++) {
        forget_uses(&c);
        walk_image(&c, i, use_node);
        walk_image(&c, i, free_node);
    }
}
