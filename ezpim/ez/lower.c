/* SPDX-License-Identifier: MIT
 * Declarations and statements. */
#include "ezpim/ez/lower.h"

#include <string.h>

static const char *element_name(struct lowering *l, const struct ez_symbol *s, uint32_t element) {
    if (!s->has_k)
        return s->name.text;
    return arena_printf(l->p->arena, "%s[%u]", s->name.text, element);
}

uint32_t lower_declare(struct lowering *l, struct ez_symbol *s) {
    s->stamp = l->stamp;
    s->first_vreg = (uint32_t)l->code->vregs.len;
    for (uint32_t k = 0; k < s->count; k++) {
        uint32_t v = ir_vreg(l->code, s->type.type, element_name(l, s, k), s->name.at);
        if (s->kind != SYMBOL_EZ_VARIABLE)
            continue;
        l->code->vregs.data[v].fixed = (int8_t)(s->reg + k);
        l->code->vregs.data[v].home = 0;
    }
    return s->first_vreg;
}

uint32_t lower_element(struct lowering *l, struct ez_symbol *s, uint32_t element) {
    if (s->stamp != l->stamp)
        lower_declare(l, s);
    return s->first_vreg + element;
}

static void lower_assign(struct lowering *l, const struct stmt *s) {
    uint32_t dst = lower_element(l, s->target->symbol, s->target->element);
    lower_as(l, s->value, s->target->symbol->type.type, dst);
}

static void lower_let(struct lowering *l, const struct stmt *s) {
    uint32_t dst = lower_declare(l, s->symbol);
    if (s->value)
        lower_as(l, s->value, s->symbol->type.type, dst);
}

static bool leaves(const struct stmt *s) {
    return s->kind == STMT_BREAK || s->kind == STMT_CONTINUE || s->kind == STMT_RETURN;
}

void lower_body(struct lowering *l, const struct stmt *s) {
    for (; s; s = s->next) {
        if (s->kind == STMT_LET)
            lower_let(l, s);
        else if (s->kind == STMT_ASSIGN)
            lower_assign(l, s);
        else if (s->kind == STMT_INSN)
            lower_insn(l, s);
        else
            lower_flow(l, s);
        if (leaves(s))
            break;
    }
}

/* Registers that hold a variable of this place or of no group, and those named by hand. */
static uint64_t reserved_registers(const struct unit *u, const struct ez_symbol *group) {
    uint64_t mask = u->bare;
    for (size_t i = 0; i < u->variables.items.len; i++) {
        const struct ez_symbol *s = u->variables.items.data[i];
        if (!s->group || s->group->place == group->place)
            for (uint32_t k = 0; k < s->count; k++)
                mask |= (uint64_t)1 << (s->reg + k);
    }
    return mask;
}

static struct ir_node *lower_compute(struct lowering *l, const struct stmt *s) {
    struct ir_node *n = ARENA_NEW(l->p->arena, struct ir_node);
    n->kind = IR_NODE_COMPUTE;
    n->at = s->at;
    n->group = s->symbol->index;
    n->code = l->code = ir_code_new(l->p);
    n->code->reserved = reserved_registers(l->u, s->symbol);
    l->stamp++;
    memset(l->bare, 0xFF, sizeof l->bare);
    if (s->leaves)
        l->returns = ir_open(l->code, IR_BLOCK, IR_NONE, s->at);
    lower_body(l, s->body);
    if (s->leaves)
        ir_mark(l->code, IR_END, l->returns, IR_NONE, s->at);
    return n;
}

static struct ir_node *lower_top(struct lowering *l, const struct stmt *s);

static struct ir_node *lower_repeat(struct lowering *l, const struct stmt *s) {
    struct ir_node *n = ARENA_NEW(l->p->arena, struct ir_node);
    n->kind = IR_NODE_REPEAT;
    n->at = s->at;
    n->count = (struct extent){NO_INDEX, (uint64_t)s->value->value};
    if (!s->value->is_constant)
        n->count = (struct extent){s->value->symbol->index, 0};
    n->body = lower_top(l, s->body);
    return n;
}

static struct ir_node *lower_mark(struct lowering *l, const struct stmt *s) {
    struct debug_record r = {.kind = DEBUG_MARK, .text = s->text.text};
    struct ir_node *n = ARENA_NEW(l->p->arena, struct ir_node);
    *n = (struct ir_node){.kind = IR_NODE_MARK, .at = s->at, .debug = (uint32_t)l->p->debugs.len};
    vec_push(&l->p->debugs, r);
    return n;
}

static struct ir_node *lower_top_stmt(struct lowering *l, const struct stmt *s) {
    switch (s->kind) {
    case STMT_COMPUTE:
        return lower_compute(l, s);
    case STMT_REPEAT:
        return lower_repeat(l, s);
    case STMT_MARK:
        return lower_mark(l, s);
    default:
        return NULL;
    }
}

static struct ir_node *lower_top(struct lowering *l, const struct stmt *s) {
    struct ir_node *first = NULL, **end = &first;
    for (; s; s = s->next) {
        *end = lower_top_stmt(l, s);
        if (*end)
            end = &(*end)->next;
    }
    return first;
}

static struct place place_of(struct lowering *l, struct name name) {
    struct place p = {.file = 0};
    diag_position(l->u->diag, name.at, &p.line, &p.column);
    return p;
}

static void lower_size(struct lowering *l, const struct ez_symbol *s) {
    struct size_decl d = {.name = s->name.text,
                          .has_default = s->value > 0,
                          .value = (uint64_t)s->value,
                          .place = place_of(l, s->name)};
    vec_push(&l->p->sizes, d);
}

static void lower_group(struct lowering *l, const struct ez_symbol *s) {
    struct group g = {.name = s->name.text,
                      .ndim = s->ndim,
                      .like = s->like ? s->like->index : NO_INDEX,
                      .at_rfh = s->at_rfh,
                      .at_vrf = s->at_vrf,
                      .place = place_of(l, s->name)};
    memcpy(g.extent, s->extents, sizeof g.extent);
    vec_push(&l->p->groups, g);
}

static void lower_variable(struct lowering *l, const struct ez_symbol *s) {
    struct variable v = {.name = s->name.text,
                         .direction = s->direction,
                         .type = s->type.type,
                         .count = s->count,
                         .has_k = s->has_k,
                         .group = s->group ? s->group->index : NO_INDEX,
                         .reg = s->reg,
                         .place = place_of(l, s->name)};
    vec_push(&l->p->variables, v);
}

void ez_lower(struct unit *u, struct ir_program *p) {
    struct lowering l = {.u = u, .p = p};
    for (size_t i = 0; i < u->sizes.items.len; i++)
        lower_size(&l, u->sizes.items.data[i]);
    for (size_t i = 0; i < u->groups.items.len; i++)
        lower_group(&l, u->groups.items.data[i]);
    for (size_t i = 0; i < u->variables.items.len; i++)
        lower_variable(&l, u->variables.items.data[i]);
    p->nodes = lower_top(&l, u->main->body);
}
