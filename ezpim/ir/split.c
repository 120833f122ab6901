/* SPDX-License-Identifier: MIT
 * A body is cut where no region is open and no value without a name is alive: between statements as
 * they were written.  Each piece is a list of its own, with those virtual registers and regions
 * that it names; both are numbered anew, in the order in which they are met. */
#include "ezpim/ir/splitter.h"

#include <stdlib.h>
#include <string.h>

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

/* True if the place of the body's instructions is seen from outside, or the body has what lies in
 * no register.  What it prints and checks keeps its order: all lanes go through the text together,
 * and so they do through its pieces. */
static bool is_whole(const struct ir_code *code, bool lanes) {
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *x = &code->insns.data[i];
        bool leaves = (x->op == IR_EXIT || x->op == IR_TEST) && x->region == 0;
        if ((leaves && !lanes) || x->op == IR_ENABLE || (x->op == IR_MACHINE && !ir_is_pure(x)))
            return true;
    }
    return code->insns.len < 2;
}

static bool can_cross(const struct splitter *splitter, uint32_t vreg) {
    const struct ir_vreg *v = &splitter->whole->vregs.data[vreg];
    return v->variable != IR_NONE || ((v->name || splitter->values || splitter->spans[vreg]) &&
                                      !v->pinned && v->fixed < 0 && splitter->open[v->home]);
}

/* The same of one that keeps a region from being open, which may have no name for that. */
static bool may_span(struct splitter *splitter, uint32_t vreg) {
    splitter->spans[vreg] |= splitter->lanes;
    return can_cross(splitter, vreg);
}

/* ---- REPEATs as nodes ---- */

/* REPEATs as far as there may be nodes in each other; only with `lanes` those that some leave
 * early, and other regions. */
static void guess_open(struct splitter *splitter) {
    const struct ir_code *code = splitter->whole;
    splitter->open[0] = true;
    splitter->depth[0] = splitter->repeats;
    for (uint32_t r = 1; r < code->regions.len; r++) {
        uint32_t parent = code->regions.data[r].parent;
        bool repeats = code->regions.data[r].op == IR_REPEAT;
        splitter->depth[r] = splitter->depth[parent] + repeats;
        splitter->open[r] = splitter->opens && splitter->open[parent] &&
                            (repeats ? splitter->depth[r] <= IR_MOST_REPEATS : splitter->lanes) &&
                            (splitter->lanes || !splitter->left[r]);
    }
}

/* What lies in a REPEAT that is none stays in it. */
static void close_inner(struct splitter *splitter) {
    for (uint32_t r = 1; r < splitter->whole->regions.len; r++)
        splitter->open[r] &= splitter->open[splitter->whole->regions.data[r].parent];
}

struct carry {
    struct splitter *s;
    uint32_t region; /* of the instruction at hand */
    bool closed;     /* a REPEAT is none after all */
};

/* What lives around an open REPEAT and is named in it becomes a variable; where it cannot, the
 * REPEAT stays. */
static void carry_vreg(void *context, uint32_t *vreg, bool writes) {
    struct carry *c = context;
    const struct ir_code *code = c->s->whole;
    const struct ir_vreg *v = &code->vregs.data[*vreg];
    (void)writes;
    for (uint32_t r = c->region; r && r != v->home; r = code->regions.data[r].parent) {
        if (!c->s->open[r])
            continue;
        c->s->carried[*vreg] = true;
        if (may_span(c->s, *vreg))
            continue;
        c->s->open[r] = false;
        c->closed = true;
    }
}

static bool carry_all(struct splitter *splitter) {
    struct carry c = {.s = splitter};
    struct ir_code *code = splitter->whole;
    memset(splitter->carried, 0, code->vregs.len);
    for (size_t i = 0; i < code->insns.len; i++) {
        ir_visit(&code->insns.data[i], carry_vreg, &c);
        c.region = ir_region_behind(code, &code->insns.data[i], c.region);
    }
    return !c.closed;
}

/* What lives across a mark of an open region becomes a variable; where it cannot, the region stays.
 */
static bool marks_part(struct splitter *splitter) {
    struct ir_code *code = splitter->whole;
    bool fine = true;
    for (uint32_t i = 0; splitter->lanes && i < code->insns.len; i++) {
        const struct ir_insn *x = &code->insns.data[i];
        if (!split_is_open_mark(splitter, x))
            continue;
        for (uint32_t v = 0; v < code->vregs.len; v++)
            if (splitter->first[v] != IR_NONE && splitter->first[v] <= i &&
                splitter->last[v] >= i && !may_span(splitter, v)) {
                splitter->open[x->region] = fine = false;
                break;
            }
    }
    return fine;
}

static void find_open(struct splitter *splitter) {
    ir_split_find_left(splitter);
    guess_open(splitter);
    do
        close_inner(splitter);
    while (!carry_all(splitter) || !marks_part(splitter));
}

/* ---- cuts ---- */

/* cuts[i]: a piece may begin with instruction i. */
static void find_cuts(const struct splitter *splitter, bool *cuts) {
    const struct ir_code *code = splitter->whole;
    size_t depth = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *x = &code->insns.data[i];
        /* What is shown when an assertion fails stands right in front of it. */
        cuts[i] = i && depth == 0 && x[-1].op != IR_SHOW;
        if (!split_is_open_mark(splitter, x)) {
            depth += ir_opens(x->op);
            depth -= x->op == IR_END;
        }
    }
    for (uint32_t v = 0; v < code->vregs.len; v++)
        if (splitter->first[v] != IR_NONE && !can_cross(splitter, v))
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

uint32_t ir_split_vreg_in_piece(struct splitter *splitter, uint32_t vreg) {
    if (splitter->number[vreg] == IR_NONE) {
        struct ir_vreg v = splitter->whole->vregs.data[vreg];
        v.home = region_in_piece(splitter, v.home);
        if (splitter->variable[vreg] != IR_NONE) {
            v.variable = splitter->variable[vreg];
            v.element = 0;
        }
        if (v.variable != IR_NONE)
            v.home = 0;
        splitter->number[vreg] = (uint32_t)splitter->piece->vregs.len;
        vec_push(&splitter->piece->vregs, v);
    }
    return splitter->number[vreg];
}

static void renumber(void *context, uint32_t *vreg, bool writes) {
    (void)writes;
    *vreg = ir_split_vreg_in_piece(context, *vreg);
}

/* Visitors come twice to what is read and written. */
static void renumber_machine(struct splitter *splitter, struct ir_insn *insn) {
    uint32_t flags = isa_info((enum isa_op)insn->machine)->flags;
    uint32_t *const fields[] = {&insn->a, &insn->b, &insn->dst};
    for (unsigned k = 0; k < 3; k++)
        if (flags & ((uint32_t)(READS_RS | WRITES_RS) << k) && *fields[k] != IR_NONE)
            *fields[k] = ir_split_vreg_in_piece(splitter, *fields[k]);
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
    if ((insn.op == IR_TEST || insn.op == IR_EXIT) && splitter->open[insn.region]) {
        ir_split_leave(splitter, &insn);
        return;
    }
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
    splitter->piece->region = ir_region_behind(splitter->piece, &insn, splitter->piece->region);
}

static void forget(void *context, uint32_t *vreg, bool writes) {
    struct splitter *s = context;
    (void)writes;
    s->number[*vreg] = IR_NONE;
}

static bool is_of_piece(const struct splitter *splitter, const struct ir_insn *insn) {
    return !split_is_open_mark(splitter, insn);
}

/* Instructions [first, end). */
static struct ir_code *make_piece(struct splitter *splitter, size_t first, size_t end) {
    splitter->piece = ir_code_new(splitter->p);
    splitter->piece->group = splitter->whole->group;
    ir_split_begin_wrap(splitter, splitter->whole->insns.data[first].at);
    for (size_t r = 0; r < splitter->whole->regions.len; r++)
        splitter->region[r] = !splitter->open[r]          ? IR_NONE
                              : splitter->wrap != IR_NONE ? splitter->wrap
                                                          : 0;
    for (size_t i = first; i < end; i++)
        if (is_of_piece(splitter, &splitter->whole->insns.data[i]))
            add_insn(splitter, splitter->whole->insns.data[i]);
    ir_split_end_wrap(splitter, splitter->whole->insns.data[first].at);
    for (size_t i = first; i < end; i++) /* the next piece numbers them anew */
        ir_visit(&splitter->whole->insns.data[i], forget, splitter);
    return splitter->piece;
}

/* ---- the body ---- */

static void make_variable(struct splitter *splitter, const struct ir_node *node, uint32_t vreg) {
    const struct ir_vreg *x = &splitter->whole->vregs.data[vreg];
    uint32_t made = ir_local(&splitter->builder, node->group, x->type, 1);
    splitter->p->variables.data[made].lasting = true;
    /* In each text another one, whose moves no other MPU would know of. */
    splitter->p->variables.data[made].stays = splitter->p->images.len > 1;
    splitter->p->variables.data[made].at = x->at;
    splitter->variable[vreg] = made;
}

/* What is named in two pieces is a variable. */
static void make_variables(struct splitter *splitter, const struct ir_node *node,
                           const bool *cuts) {
    for (uint32_t v = 0; v < splitter->whole->vregs.len; v++) {
        const struct ir_vreg *x = &splitter->whole->vregs.data[v];
        if (splitter->first[v] == IR_NONE || x->variable != IR_NONE || x->fixed >= 0)
            continue;
        bool crosses = splitter->carried[v];
        for (uint32_t i = splitter->first[v] + 1; i <= splitter->last[v]; i++)
            crosses |= cuts[i];
        if (crosses)
            make_variable(splitter, node, v);
    }
}

/* The nodes that a body becomes. */
struct split_list {
    const struct ir_node *like; /* the body's */
    struct ir_node **end;       /* where the next node goes */
    const bool *cuts;
};

static struct ir_node *add_node(struct splitter *splitter, struct split_list *list,
                                struct span at) {
    struct ir_node *n = ARENA_NEW(splitter->p->arena, struct ir_node);
    *n = *list->like;
    n->next = NULL;
    n->at = at;
    *list->end = n;
    list->end = &n->next;
    return n;
}

static void add_code(struct splitter *splitter, struct split_list *list, struct ir_code *code,
                     struct span at) {
    add_node(splitter, list, at)->code = code;
}

/* Instructions [first, end), if some are no marks of open regions. */
static void add_piece(struct splitter *splitter, struct split_list *list, size_t first,
                      size_t end) {
    const struct ir_insn *insns = splitter->whole->insns.data;
    while (first < end && !is_of_piece(splitter, &insns[first]))
        first++;
    if (first < end)
        add_code(splitter, list, make_piece(splitter, first, end), insns[first].at);
}

static size_t end_of(const struct splitter *splitter, size_t first, enum ir_op op,
                     uint32_t region) {
    const struct ir_insn *insns = splitter->whole->insns.data;
    size_t i = first;
    while (i < splitter->whole->insns.len && !(insns[i].op == op && insns[i].region == region))
        i++;
    return i;
}

static void walk(struct splitter *splitter, struct split_list *list, size_t first, size_t end);

/* What is within [first, end) as the body of a node. */
static void walk_inner(struct splitter *splitter, struct split_list *list, struct ir_node *node,
                       size_t first, size_t end) {
    struct split_list inner = {list->like, &node->body, list->cuts};
    node->code = NULL;
    walk(splitter, &inner, first, end);
}

static void open_repeat(struct splitter *splitter, struct split_list *list, size_t first,
                        size_t end) {
    const struct ir_insn *insn = &splitter->whole->insns.data[first];
    struct ir_node *n = add_node(splitter, list, insn->at);
    n->kind = IR_NODE_REPEAT;
    n->count = (struct extent){insn->size, insn->size == IR_NONE ? insn->imm : 0};
    walk_inner(splitter, list, n, first + 1, end);
}

/* While a lane is in it.  What stands behind ENTER comes first, once more. */
static void open_loop(struct splitter *splitter, struct split_list *list, size_t first,
                      size_t end) {
    const struct ir_insn *insn = &splitter->whole->insns.data[first];
    size_t enter = end_of(splitter, first, IR_ENTER, insn->region);
    if (enter < end)
        walk(splitter, list, enter + 1, end);
    struct ir_node *n = add_node(splitter, list, insn->at);
    walk_inner(splitter, list, n, first + 1, end);
    n->kind = IR_NODE_WHILE;
    n->opposite = n->body_first = false;
    n->code = ir_split_ask_mask(splitter, insn->region);
}

/* An open region, up to its end; returns where that stands. */
static size_t open_region(struct splitter *splitter, struct split_list *list, size_t first) {
    const struct ir_insn *insns = splitter->whole->insns.data, *insn = &insns[first];
    uint32_t r = insn->region, outer = splitter->inside;
    size_t end = end_of(splitter, first, IR_END, r),
           other = insn->op == IR_IF ? end_of(splitter, first, IR_ELSE, r) : end;
    if (splitter->mask[r] != IR_NONE)
        add_code(splitter, list, ir_split_set_mask(splitter, r, insn, false), insn->at);
    splitter->inside = r;
    if (insn->op == IR_REPEAT)
        open_repeat(splitter, list, first, end);
    else if (insn->op == IR_LOOP)
        open_loop(splitter, list, first, end);
    else
        walk(splitter, list, first + 1, other < end ? other : end);
    if (other < end) {
        splitter->inside = outer;
        add_code(splitter, list, ir_split_set_mask(splitter, r, &insns[other], true), insn->at);
        splitter->inside = r;
        walk(splitter, list, other + 1, end);
    }
    splitter->inside = outer;
    return end;
}

/* Pieces of instructions [first, end), of one open region. */
static void walk(struct splitter *splitter, struct split_list *list, size_t first, size_t end) {
    size_t begin = first;
    for (size_t i = first; i < end; i++) {
        const struct ir_insn *x = &splitter->whole->insns.data[i];
        bool opens = ir_opens(x->op) && splitter->open[x->region];
        if (!opens && !list->cuts[i] && !split_is_open_mark(splitter, x))
            continue;
        add_piece(splitter, list, begin, i);
        begin = i;
        if (opens) {
            i = open_region(splitter, list, i);
            begin = i + 1;
        }
    }
    add_piece(splitter, list, begin, end);
}

/* The last of the nodes that the body becomes, the first of which is `node`. */
static struct ir_node *split_body(struct splitter *splitter, struct ir_node *node,
                                  const bool *cuts) {
    const struct ir_node was = *node;
    struct ir_node *head = NULL, *last = node;
    struct split_list list = {&was, &head, cuts};
    splitter->inside = 0;
    if (splitter->mask[0] != IR_NONE)
        add_code(splitter, &list,
                 ir_split_set_mask(splitter, 0, &splitter->whole->insns.data[0], false), was.at);
    walk(splitter, &list, 0, splitter->whole->insns.len);
    *node = *head;
    while (last->next)
        last = last->next;
    last->next = was.next;
    return last;
}

static struct ir_node *split_node(struct splitter *splitter, struct ir_node *node) {
    struct ir_code *code = node->code;
    splitter->whole = code;
    if (is_whole(code, splitter->lanes))
        return node;
    bool *cuts = xcalloc(code->insns.len + 1, sizeof *cuts);
    splitter->first = xcalloc(code->vregs.len + 1, sizeof *splitter->first);
    splitter->last = xcalloc(code->vregs.len + 1, sizeof *splitter->last);
    splitter->variable = xcalloc(code->vregs.len + 1, sizeof *splitter->variable);
    splitter->number = xcalloc(code->vregs.len + 1, sizeof *splitter->number);
    splitter->region = xcalloc(code->regions.len + 1, sizeof *splitter->region);
    splitter->depth = xcalloc(code->regions.len + 1, sizeof *splitter->depth);
    splitter->open = xcalloc(code->regions.len + 1, sizeof *splitter->open);
    splitter->carried = xcalloc(code->vregs.len + 1, sizeof *splitter->carried);
    splitter->spans = xcalloc(code->vregs.len + 1, sizeof *splitter->spans);
    splitter->mask = xcalloc(code->regions.len + 1, sizeof *splitter->mask);
    splitter->left = xcalloc(code->regions.len + 1, sizeof *splitter->left);
    find_spans(splitter);
    find_open(splitter);
    find_cuts(splitter, cuts);
    make_variables(splitter, node, cuts);
    ir_split_make_masks(splitter, node->group);
    node = split_body(splitter, node, cuts);
    vec_clear(&code->insns);
    vec_clear(&code->vregs);
    vec_clear(&code->calls);
    free(splitter->first);
    free(splitter->last);
    free(splitter->variable);
    free(splitter->number);
    free(splitter->region);
    free(splitter->depth);
    free(splitter->open);
    free(splitter->carried);
    free(splitter->spans);
    free(splitter->mask);
    free(splitter->left);
    free(cuts);
    return node;
}

static void split_nodes(struct splitter *splitter, struct ir_node *node, uint32_t repeats) {
    for (; node; node = node->next) {
        splitter->repeats = repeats;
        if (node->kind == IR_NODE_COMPUTE) {
            node = split_node(splitter, node);
            continue;
        }
        split_nodes(splitter, node->body, repeats + (node->kind == IR_NODE_REPEAT));
        split_nodes(splitter, node->otherwise, repeats);
    }
}

void ir_split_ensembles(struct ir_program *program, enum ir_split_how how,
                        const struct diag *diag) {
    struct splitter s = {.p = program,
                         .builder = {.p = program, .diag = diag},
                         .opens = how >= IR_SPLIT_REPEATS,
                         .values = how == IR_SPLIT_VALUES || how == IR_SPLIT_LANE_VALUES,
                         .lanes = how >= IR_SPLIT_LANES && ir_is_one_text(program)};
    for (size_t i = 0; i < program->images.len; i++)
        split_nodes(&s, program->images.data[i].nodes, 0);
    ir_builder_free(&s.builder);
}
