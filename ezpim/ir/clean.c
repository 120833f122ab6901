/* SPDX-License-Identifier: MIT
 * Variables that are extended by zeros in several places, or in a loop, keep zeros above their
 * bits: one extension in place at the beginning of the program, and all others go.  Instructions
 * and moves that store in a variable write its own bits alone, and the register is nobody else's.
 */
#include "ezpim/ir/clean.h"
#include "ezpim/ir/touched.h"

struct wish {
    uint8_t bits; /* the widest extension */
    uint64_t weight;
};

struct cleaning {
    struct ir_program *p;
    struct wish *wishes; /* [variables] */
};

/* Variables of a group, without a sign. */
static bool may_be_clean(const struct ir_program *program, const struct ir_vreg *vreg) {
    if (vreg->fixed < 0 || vreg->variable == IR_NONE)
        return false;
    const struct variable *x = &program->variables.data[vreg->variable].decl;
    return !program->variables.data[vreg->variable].hidden && x->group != NO_INDEX &&
           x->type.kind != TYPE_INT;
}

static void look_at_code(struct cleaning *cleaning, const struct ir_code *code, uint64_t weight) {
    uint32_t region = 0;
    for (size_t k = 0; k < code->insns.len; k++) {
        const struct ir_insn *i = &code->insns.data[k];
        const struct ir_vreg *v = i->op == IR_WIDEN ? &code->vregs.data[i->a] : NULL;
        if (v && may_be_clean(cleaning->p, v) && i->from.kind != TYPE_INT &&
            i->from.bits == v->type.bits) {
            struct wish *w = &cleaning->wishes[v->variable];
            w->weight += ir_weight_mul(weight, ir_region_weight(code, region));
            w->bits = i->type.bits > w->bits ? i->type.bits : w->bits;
        }
        region = ir_region_behind(code, i, region);
    }
}

static void look_at_nodes(struct cleaning *cleaning, const struct ir_node *node, uint64_t weight) {
    for (; node; node = node->next) {
        bool loops = node->kind == IR_NODE_REPEAT || node->kind == IR_NODE_WHILE;
        uint64_t inside = loops ? ir_weight_mul(weight, IR_LAPS) : weight;
        if (node->code)
            look_at_code(cleaning, node->code, inside);
        look_at_nodes(cleaning, node->body, inside);
        look_at_nodes(cleaning, node->otherwise, inside);
    }
}

static bool is_worth_it(const struct cleaning *cleaning, uint32_t variable) {
    const struct wish *w = &cleaning->wishes[variable];
    return w->weight > 2 + (uint64_t)cleaning->p->variables.data[variable].decl.count;
}

/* Virtual registers of the chosen variables. */
static void mark_codes(struct cleaning *cleaning) {
    for (size_t k = 0; k < cleaning->p->codes.len; k++) {
        struct ir_code *code = cleaning->p->codes.data[k];
        for (size_t v = 0; v < code->vregs.len; v++) {
            struct ir_vreg *x = &code->vregs.data[v];
            if (may_be_clean(cleaning->p, x) && is_worth_it(cleaning, x->variable))
                x->clean = cleaning->wishes[x->variable].bits;
        }
    }
}

static struct ir_insn extension(uint32_t value, unsigned bits, unsigned from, struct span at) {
    return (struct ir_insn){.op = IR_MACHINE,
                            .machine = OP_ZEXT,
                            .width = (uint8_t)bits,
                            .type = {TYPE_UINT, (uint8_t)bits},
                            .a = value,
                            .b = IR_NONE,
                            .c = IR_NONE,
                            .dst = value,
                            .imm = from,
                            .at = at};
}

/* Extensions of the group's chosen variables, at the beginning of an image. */
static void clean_group(struct cleaning *cleaning, struct ir_image *image, uint32_t group) {
    struct ir_code *code = NULL;
    for (uint32_t x = 0; x < cleaning->p->variables.len; x++) {
        const struct variable *var = &cleaning->p->variables.data[x].decl;
        if (var->group != group || !is_worth_it(cleaning, x))
            continue;
        if (!code) {
            struct ir_node *n = ARENA_NEW(cleaning->p->arena, struct ir_node);
            n->kind = IR_NODE_COMPUTE;
            n->group = group;
            n->at = cleaning->p->start;
            n->code = code = ir_code_new(cleaning->p);
            code->group = group;
            code->reserved = UINT64_MAX;
            n->next = image->nodes;
            image->nodes = n;
        }
        for (uint32_t k = 0; k < var->count; k++) {
            uint32_t v = ir_vreg(code, var->type, var->name, cleaning->p->start);
            code->vregs.data[v].fixed = (int8_t)(var->reg + k);
            code->vregs.data[v].variable = x;
            code->vregs.data[v].element = k;
            struct ir_insn i =
                extension(v, cleaning->wishes[x].bits, var->type.bits, cleaning->p->start);
            vec_push(&code->insns, i);
        }
    }
}

bool ir_clean(struct ir_program *program) {
    struct cleaning c = {program, xcalloc(program->variables.len + 1, sizeof *c.wishes)};
    bool any = false;
    for (size_t i = 0; i < program->images.len; i++)
        look_at_nodes(&c, program->images.data[i].nodes, 1);
    for (uint32_t v = 0; v < program->variables.len; v++)
        any |= is_worth_it(&c, v);
    if (any)
        mark_codes(&c);
    for (size_t i = 0; any && i < program->images.len; i++)
        for (uint32_t g = (uint32_t)program->groups.len; g-- > 0;)
            clean_group(&c, &program->images.data[i], g);
    free(c.wishes);
    return any;
}
