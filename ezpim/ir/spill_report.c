/* SPDX-License-Identifier: MIT
 * What is said of variables in VRFs of their own: which they are, where they are brought, and how
 * much of that there is. */
#include "ezpim/ir/spill.h"
#include "ezpim/ir/touched.h"

#include <inttypes.h>
#include <string.h>

/* ---- what is said of it ---- */

/* A transfer at a node, or two. */
struct spill_transfer {
    struct span at;
    bool writes;
};
struct spill_transfers {
    VEC(struct spill_transfer) items; /* in the order of the nodes */
};

static bool is_transfer(const struct ir_program *program, const struct ir_node *node, uint32_t home,
                        bool back) {
    if (!node || node->kind != IR_NODE_MOVE)
        return false;
    const struct ir_move *m = &program->moves.data[node->move];
    uint32_t here = back ? m->from : m->to;
    return (back ? m->to : m->from) == home && program->variables.data[here].spilled_to == home;
}

static void list_transfers(const struct ir_program *program, const struct ir_node *node,
                           uint32_t home, struct spill_transfers *list) {
    bool brought = false; /* by the node before, for the same statement */
    for (; node; node = node->next) {
        bool brings = is_transfer(program, node, home, false);
        if (brings && !brought) {
            struct spill_transfer t = {node->at, false};
            vec_push(&list->items, t);
        } else if (is_transfer(program, node, home, true) && list->items.len) {
            vec_last(&list->items).writes = true;
        }
        brought = brings;
        list_transfers(program, node->body, home, list);
        list_transfers(program, node->otherwise, home, list);
    }
}

/* Transfers of the statement at hand and of its like: a loop may have been written out. */
static size_t note_statement(const struct spill_transfers *list, size_t index, struct diag *diag) {
    const struct spill_transfer *t = &list->items.data[index];
    size_t times = 1;
    while (index + times < list->items.len &&
           memcmp(&list->items.data[index + times].at, &t->at, sizeof t->at) == 0)
        times++;
    diag_note(diag, t->at, "%s %s",
              t->writes ? "2 transfers: it is brought here and taken back"
                        : "1 transfer: it is brought here",
              times > 1 ? "in each iteration" : "each time");
    return times;
}

static void report(const struct ir_program *program, uint32_t home, enum warning w,
                   struct diag *diag) {
    enum { NOTES = 20 };
    struct spill_transfers list = {0};
    const struct ir_variable *v = &program->variables.data[home];
    size_t notes = 0, i = 0;
    list_transfers(program, program->images.data[0].nodes, home, &list);
    bool named = v->decl.name[0] != '$';
    diag_warning(diag, w, v->at,
                 "%s%s%s has no register for good: it lies in VRFs of its own, group `%s`",
                 named ? "`" : "", named ? v->decl.name : "this value", named ? "`" : "",
                 program->groups.data[v->decl.group].name);
    for (; i < list.items.len && notes < NOTES; notes++)
        i += note_statement(&list, i, diag);
    if (i < list.items.len)
        diag_note(diag, list.items.data[i].at, "and so on, in %zu more statements",
                  list.items.len - i);
    vec_free(&list.items);
}

void ir_report_spills(const struct ir_program *program, enum warning w, struct diag *diag) {
    for (uint32_t v = 0; v < program->variables.len; v++)
        if (program->variables.data[v].is_home)
            report(program, v, w, diag);
}

/* ---- what it costs ---- */

static void count_transfers(const struct ir_program *program, const struct ir_node *node,
                            uint64_t weight, struct ir_spills *out) {
    for (; node; node = node->next) {
        bool known = node->kind == IR_NODE_REPEAT && node->count.size == NO_INDEX,
             loops = node->kind == IR_NODE_REPEAT || node->kind == IR_NODE_WHILE;
        uint64_t laps = known ? node->count.value : IR_LAPS,
                 inside = loops ? ir_weight_mul(weight, laps) : weight, before = out->transfers;
        if (node->kind == IR_NODE_MOVE) {
            const struct ir_move *m = &program->moves.data[node->move];
            const struct ir_variable *to = &program->variables.data[m->to],
                                     *from = &program->variables.data[m->from];
            if (to->spilled_to == m->from)
                out->transfers += ir_weight_mul(weight, to->decl.count);
            else if (from->spilled_to == m->to)
                out->transfers += ir_weight_mul(weight, from->decl.count);
        }
        count_transfers(program, node->body, inside, out);
        count_transfers(program, node->otherwise, inside, out);
        out->more |= loops && !known && out->transfers != before;
    }
}

void ir_find_spills(const struct ir_program *program, struct ir_spills *out) {
    *out = (struct ir_spills){0};
    for (uint32_t v = 0; v < program->variables.len; v++) {
        const struct ir_variable *x = &program->variables.data[v];
        if (!x->is_home)
            continue;
        out->homes++;
        if (x->hidden || x->decl.name[0] == '$')
            continue;
        if (out->named < sizeof out->names / sizeof *out->names)
            out->names[out->named] = x->decl.name;
        out->named++;
    }
    for (size_t i = 0; i < program->images.len; i++)
        count_transfers(program, program->images.data[i].nodes, 1, out);
}

void ir_append_spills(const struct ir_spills *spills, struct str *out) {
    uint32_t listed = 0;
    for (; listed < spills->named && listed < sizeof spills->names / sizeof *spills->names;
         listed++)
        str_printf(out, "%s`%s`", listed ? ", " : "", spills->names[listed]);
    uint32_t others = spills->homes - listed;
    if (others)
        str_printf(out, "%s%" PRIu32 " %s", listed ? " and " : "", others,
                   listed        ? "more"
                   : others == 1 ? "value"
                                 : "values");
    str_printf(out, " lie%s in VRFs of %s own: %s%" PRIu64 " transfer%s of a register in a run",
               spills->homes == 1 ? "s" : "", spills->homes == 1 ? "its" : "their",
               spills->more ? "about " : "", spills->transfers, spills->transfers == 1 ? "" : "s");
}
