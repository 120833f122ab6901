/* SPDX-License-Identifier: MIT
 * Variables that one body alone knows become values of it: none may be read before it is written.
 */
#include "ezpim/ir/locals.h"
#include "ezpim/ir/touched.h"

#include <stdlib.h>

/* Of a variable, what was seen so far. */
enum { NOWHERE, IN_BODY, ELSEWHERE };

struct local_finder {
    struct ir_program *p;
    uint8_t *where; /* [variables] */
    uint32_t *body; /* [variables]: the code that names it, from 1 */
    uint64_t *set;  /* [variables]: its registers that have been written in the body at hand */
    struct ir_code *code;
    uint32_t number, region; /* of the code at hand, from 1; of the instruction at hand */
};

static void keep(struct local_finder *finder, uint32_t variable) {
    if (variable != IR_NONE)
        finder->where[variable] = ELSEWHERE;
}

static void look_at_vreg(void *context, uint32_t *vreg, bool writes) {
    struct local_finder *f = context;
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

static void look_at_code(struct local_finder *finder, struct ir_code *code) {
    finder->code = code;
    finder->number++;
    finder->region = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        ir_visit(&code->insns.data[i], look_at_vreg, finder);
        finder->region = ir_region_behind(code, &code->insns.data[i], finder->region);
    }
    for (size_t v = 0; code->is_sub && v < code->vregs.len; v++)
        keep(finder, code->vregs.data[v].variable);
}

static void look_at_nodes(struct local_finder *finder, const struct ir_node *node) {
    for (; node; node = node->next) {
        if (node->kind == IR_NODE_RECV)
            keep(finder, node->lands);
        for (uint32_t i = 0; i < node->finish_count; i++) {
            keep(finder, node->finishes[i].from);
            keep(finder, node->finishes[i].to);
        }
        look_at_nodes(finder, node->body);
        look_at_nodes(finder, node->otherwise);
    }
}

static void look_at_moves(struct local_finder *finder) {
    for (size_t i = 0; i < finder->p->moves.len; i++) {
        const struct ir_move *m = &finder->p->moves.data[i];
        keep(finder, m->to);
        keep(finder, m->from);
        if (m->record.index.kind)
            keep(finder, m->index);
    }
    for (size_t i = 0; i < finder->p->lengths.len; i++) {
        keep(finder, finder->p->lengths.data[i].variable);
        keep(finder, finder->p->lengths.data[i].length);
    }
}

static bool is_local(const struct local_finder *finder, uint32_t variable) {
    const struct ir_variable *v = &finder->p->variables.data[variable];
    return v->hidden && v->spilled_to == IR_NONE && !v->is_home &&
           finder->where[variable] != ELSEWHERE;
}

static void forget(const struct local_finder *finder) {
    for (size_t i = 0; i < finder->p->codes.len; i++) {
        struct ir_code *code = finder->p->codes.data[i];
        for (size_t v = 0; v < code->vregs.len; v++) {
            uint32_t *variable = &code->vregs.data[v].variable;
            if (*variable != IR_NONE && is_local(finder, *variable))
                *variable = IR_NONE;
        }
    }
    for (uint32_t v = 0; v < finder->p->variables.len; v++)
        if (is_local(finder, v))
            finder->p->variables.data[v].decl.count = 0;
}

void ir_find_locals(struct ir_program *program) {
    size_t count = program->variables.len + 1;
    struct local_finder f = {.p = program,
                             .where = xcalloc(count, 1),
                             .body = xcalloc(count, sizeof(uint32_t)),
                             .set = xcalloc(count, sizeof(uint64_t))};
    look_at_moves(&f);
    for (size_t i = 0; i < program->images.len; i++)
        look_at_nodes(&f, program->images.data[i].nodes);
    for (size_t i = 0; i < program->codes.len; i++)
        look_at_code(&f, program->codes.data[i]);
    forget(&f);
    free(f.where);
    free(f.body);
    free(f.set);
}
