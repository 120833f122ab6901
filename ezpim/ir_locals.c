/* SPDX-License-Identifier: MIT
 * Variables that one body alone knows become values of it: none may be read before it is written.
 */
#include "ezpim/ir_locals.h"
#include "ezpim/ir_touched.h"

#include <stdlib.h>

/* Of a variable, what was seen so far. */
enum { NOWHERE, IN_BODY, ELSEWHERE };

struct finder {
    struct ir_program *p;
    uint8_t *where; /* [variables] */
    uint32_t *body; /* [variables]: the code that names it, from 1 */
    uint64_t *set;  /* [variables]: its registers that have been written in the body at hand */
    struct ir_code *code;
    uint32_t number, region; /* of the code at hand, from 1; of the instruction at hand */
};

static void keep(struct finder *f, uint32_t variable) {
    if (variable != IR_NONE)
        f->where[variable] = ELSEWHERE;
}

static void look_at_vreg(void *context, uint32_t *vreg, bool writes) {
    struct finder *f = context;
    const struct ir_vreg *v = &f->code->vregs.data[*vreg];
    if (v->variable == IR_NONE || f->where[v->variable] == ELSEWHERE)
        return;
    uint64_t bit = (uint64_t)1 << v->element;
    bool here = f->where[v->variable] == NOWHERE || f->body[v->variable] == f->number;
    f->where[v->variable] = here ? IN_BODY : ELSEWHERE;
    f->body[v->variable] = f->number;
    if (writes && f->region == 0)
        f->set[v->variable] |= bit;
    else if (!(f->set[v->variable] & bit))
        keep(f, v->variable);
}

static void look_at_code(struct finder *f, struct ir_code *code) {
    f->code = code;
    f->number++;
    f->region = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        ir_visit(&code->insns.data[i], look_at_vreg, f);
        f->region = ir_region_behind(code, &code->insns.data[i], f->region);
    }
    for (size_t v = 0; code->is_sub && v < code->vregs.len; v++)
        keep(f, code->vregs.data[v].variable);
}

static void look_at_nodes(struct finder *f, const struct ir_node *n) {
    for (; n; n = n->next) {
        if (n->kind == IR_NODE_RECV)
            keep(f, n->lands);
        for (uint32_t i = 0; i < n->finish_count; i++) {
            keep(f, n->finishes[i].from);
            keep(f, n->finishes[i].to);
        }
        look_at_nodes(f, n->body);
        look_at_nodes(f, n->otherwise);
    }
}

static void look_at_moves(struct finder *f) {
    for (size_t i = 0; i < f->p->moves.len; i++) {
        const struct ir_move *m = &f->p->moves.data[i];
        keep(f, m->to);
        keep(f, m->from);
        if (m->record.index.kind)
            keep(f, m->index);
    }
    for (size_t i = 0; i < f->p->lengths.len; i++) {
        keep(f, f->p->lengths.data[i].variable);
        keep(f, f->p->lengths.data[i].length);
    }
}

static bool is_local(const struct finder *f, uint32_t variable) {
    const struct ir_variable *v = &f->p->variables.data[variable];
    return v->hidden && v->spilled_to == IR_NONE && !v->is_home && f->where[variable] != ELSEWHERE;
}

static void forget(const struct finder *f) {
    for (size_t i = 0; i < f->p->codes.len; i++) {
        struct ir_code *code = f->p->codes.data[i];
        for (size_t v = 0; v < code->vregs.len; v++) {
            uint32_t *variable = &code->vregs.data[v].variable;
            if (*variable != IR_NONE && is_local(f, *variable))
                *variable = IR_NONE;
        }
    }
    for (uint32_t v = 0; v < f->p->variables.len; v++)
        if (is_local(f, v))
            f->p->variables.data[v].decl.count = 0;
}

void ir_find_locals(struct ir_program *p) {
    size_t count = p->variables.len + 1;
    struct finder f = {.p = p,
                       .where = xcalloc(count, 1),
                       .body = xcalloc(count, sizeof(uint32_t)),
                       .set = xcalloc(count, sizeof(uint64_t))};
    look_at_moves(&f);
    for (size_t i = 0; i < p->images.len; i++)
        look_at_nodes(&f, p->images.data[i].nodes);
    for (size_t i = 0; i < p->codes.len; i++)
        look_at_code(&f, p->codes.data[i]);
    forget(&f);
    free(f.where);
    free(f.body);
    free(f.set);
}
