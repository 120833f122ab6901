/* SPDX-License-Identifier: MIT
 * Declarations and statements. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/lower_top.h"

#include <string.h>

static const char *element_name(struct lowering *lowering, const struct ez_symbol *symbol,
                                uint32_t element) {
    if (symbol->kind == SYMBOL_EZ_LOCAL && symbol->var.nameless)
        return NULL;
    if (!symbol->has_k)
        return symbol->name.text;
    return arena_printf(lowering->b.p->arena, "%s[%u]", symbol->name.text, element);
}

uint32_t ez_lower_declare(struct lowering *lowering, struct ez_symbol *symbol) {
    symbol->stamp = lowering->b.stamp;
    symbol->first_vreg = (uint32_t)lowering->b.code->vregs.len;
    for (uint32_t k = 0; k < symbol->count; k++)
        ir_vreg(lowering->b.code, symbol->type.type, element_name(lowering, symbol, k),
                symbol->name.at);
    return symbol->first_vreg;
}

uint32_t ez_lower_element(struct lowering *lowering, struct ez_symbol *symbol, uint32_t element) {
    if (symbol->kind == SYMBOL_EZ_VARIABLE)
        return ir_element(&lowering->b, symbol->var.number, element);
    if (symbol->stamp != lowering->b.stamp)
        ez_lower_declare(lowering, symbol);
    return symbol->first_vreg + element;
}

static void lower_assign(struct lowering *lowering, const struct stmt *stmt) {
    uint32_t dst = ez_lower_element(lowering, stmt->target->symbol, stmt->target->element);
    ez_lower_as(lowering, stmt->value, stmt->target->symbol->type.type, dst);
}

static void lower_let(struct lowering *lowering, const struct stmt *stmt) {
    uint32_t dst = ez_lower_declare(lowering, stmt->symbol);
    if (stmt->value && stmt->value->kind == EXPR_LIST)
        for (uint32_t k = 0; k < stmt->value->arg_count; k++)
            ez_lower_as(lowering, stmt->value->args[k], stmt->symbol->type.type, dst + k);
    else if (stmt->value)
        ez_lower_as(lowering, stmt->value, stmt->symbol->type.type, dst);
}

bool ez_lower_body(struct lowering *lowering, const struct stmt *stmt) {
    for (; stmt; stmt = stmt->next) {
        if (stmt->kind == STMT_LET)
            lower_let(lowering, stmt);
        else if (stmt->kind == STMT_ASSIGN)
            lower_assign(lowering, stmt);
        else if (stmt->kind == STMT_INSN)
            ez_lower_insn(lowering, stmt);
        else if (stmt->kind == STMT_ASM)
            ez_lower_body(lowering, stmt->body);
        else if (ez_lower_flow(lowering, stmt))
            return true;
    }
    return false;
}

static void lower_size_decl(struct lowering *lowering, const struct ez_symbol *symbol) {
    struct size_decl d = lowering->u->size_decls.data[symbol->index];
    d.place = ir_place(&lowering->b, symbol->name.at);
    vec_push(&lowering->b.p->sizes, d);
}

static void lower_value_decl(struct lowering *lowering, const struct ez_symbol *symbol) {
    struct value_decl v = lowering->u->value_decls.data[symbol->index];
    v.place = ir_place(&lowering->b, symbol->name.at);
    vec_push(&lowering->b.p->values, v);
}

static void lower_group(struct lowering *lowering, const struct ez_symbol *symbol) {
    struct group g = {.name = symbol->name.text,
                      .ndim = symbol->layout.ndim,
                      .per_mpu = symbol->layout.on_mpus,
                      .like = symbol->layout.like ? symbol->layout.like->index : NO_INDEX,
                      .at_rfh = symbol->layout.at_rfh,
                      .at_vrf = symbol->layout.at_vrf,
                      .place = ir_place(&lowering->b, symbol->name.at)};
    memcpy(g.extent, symbol->layout.extents, sizeof g.extent);
    vec_push(&lowering->b.p->groups, g);
}

static void lower_variable(struct lowering *lowering, struct ez_symbol *symbol) {
    struct ir_variable v = {
        .spilled_to = IR_NONE,
        .at = symbol->name.at,
        .decl = {.name = symbol->name.text,
                 .direction = symbol->var.direction,
                 .type = symbol->type.type,
                 .count = symbol->count,
                 .has_k = symbol->has_k,
                 .form = {.type = symbol->var.outer},
                 .group = symbol->var.group ? symbol->var.group->index : NO_INDEX,
                 .place = ir_place(&lowering->b, symbol->name.at)}};
    symbol->var.number = (uint32_t)lowering->b.p->variables.len;
    vec_push(&lowering->b.p->variables, v);
}

static void lower_kernels(const struct ez_unit *unit, struct ir_program *program) {
    for (size_t i = 0; i < unit->buffers.len; i++)
        vec_push(&program->buffers,
                 ((struct ir_buffer){unit->buffers.data[i].decl, unit->buffers.data[i].name.at}));
    for (size_t i = 0; i < unit->modules.len; i++)
        vec_push(&program->modules,
                 ((struct ir_module){unit->modules.data[i].decl, unit->modules.data[i].at}));
    for (size_t i = 0; i < unit->kernels.len; i++)
        vec_push(&program->kernels,
                 ((struct ir_kernel){unit->kernels.data[i].decl, unit->kernels.data[i].at}));
}

static void lower_length(struct lowering *lowering, const struct ez_symbol *symbol) {
    if (!symbol->var.length)
        return;
    struct length_record r = {symbol->var.number, symbol->var.length->var.number};
    vec_push(&lowering->b.p->lengths, r);
}

/* The program may have been lowered before, with other registers. */
static void forget_subs(struct ez_unit *unit) {
    for (size_t i = 0; i < unit->subs.items.len; i++) {
        struct ez_symbol *s = unit->subs.items.data[i];
        s->sub.lowered = false;
        s->sub.callee = NULL;
        s->sub.calls = s->sub.nodes = 0;
    }
}

void ez_lower(struct ez_unit *unit, struct compile_lowering options, struct ir_program *program) {
    struct lowering l = {.u = unit, .options = options};
    l.b = (struct ir_builder){.p = program,
                              .stamp = unit->stamps,
                              .joins = options.level > 0 && !options.separate,
                              .diag = unit->diag};
    forget_subs(unit);
    program->at = unit->main ? unit->main->word : unit->whole;
    program->start = unit->main ? unit->main->at : unit->whole;
    program->taken = unit->bare | unit->passed;
    for (size_t i = 0; i < unit->sizes.items.len; i++)
        lower_size_decl(&l, unit->sizes.items.data[i]);
    for (size_t i = 0; i < unit->values.items.len; i++)
        lower_value_decl(&l, unit->values.items.data[i]);
    for (size_t i = 0; i < unit->groups.items.len; i++)
        lower_group(&l, unit->groups.items.data[i]);
    for (size_t i = 0; i < unit->variables.items.len; i++)
        lower_variable(&l, unit->variables.items.data[i]);
    for (size_t i = 0; i < unit->variables.items.len; i++)
        lower_length(&l, unit->variables.items.data[i]);
    lower_kernels(unit, program);
    program->grid_dims = unit->grid_dims;
    memcpy(program->grid, unit->grid, sizeof program->grid);
    ez_lower_subs(&l);
    if (unit->main)
        ez_lower_images(&l);
    unit->stamps = l.b.stamp;
    ir_builder_free(&l.b);
}
