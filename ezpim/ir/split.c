/* SPDX-License-Identifier: MIT
 * A body is cut where no region is open and no value without a name is alive: between statements as
 * they were written.  Each piece is a list of its own, with those virtual registers and regions
 * that it names; both are numbered anew, in the order in which they are met. */
#include "ezpim/ir/split.h"
#include "ezpim/ir/build.h"
#include "ezpim/ir/touched.h"

#include <stdlib.h>
#include <string.h>

struct splitter {
    struct ir_program *p;
    struct ir_builder builder;
    struct ir_code *whole;
    struct ir_code *piece;
    uint32_t *first, *last; /* [vregs of the whole]: the instructions that name it */
    uint32_t *variable;     /* [vregs]: what it becomes; IR_NONE */
    uint32_t *number;       /* [vregs]: in the piece; IR_NONE */
    uint32_t *region;       /* [regions]: in the piece; IR_NONE */
    bool opens;             /* REPEATs of the body become nodes, which have pieces of it */
    bool values;            /* what has no name becomes a variable too */
    bool *open;             /* [regions]: those, and the whole body */
    uint32_t *depth;        /* [regions]: REPEATs around it, of nodes and of the body */
    uint32_t repeats;       /* around the node at hand */
    bool *carried;          /* [vregs]: it is named in such a REPEAT, and lives around it */
    uint32_t at;            /* instruction at hand */
};

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

/* True if the order or the place of the body's instructions is seen from outside, or the body has
 * what lies in no register. */
static bool is_whole(const struct ir_code *code) {
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *x = &code->insns.data[i];
        bool leaves = (x->op == IR_EXIT || x->op == IR_TEST) && x->region == 0;
        if (leaves || x->op == IR_ENABLE || x->op == IR_SHOW || x->op == IR_ASSERT ||
            x->op == IR_PRINT || (x->op == IR_MACHINE && !ir_is_pure(x)))
            return true;
    }
    return code->insns.len < 2;
}

static bool can_cross(const struct splitter *splitter, const struct ir_vreg *vreg) {
    return vreg->variable != IR_NONE || ((vreg->name || splitter->values) && !vreg->pinned &&
                                         vreg->fixed < 0 && splitter->open[vreg->home]);
}

/* ---- REPEATs as nodes ---- */

static bool is_open_mark(const struct splitter *splitter, const struct ir_insn *insn) {
    return (insn->op == IR_REPEAT || insn->op == IR_END) && splitter->open[insn->region];
}

/* All REPEATs through which all lanes go to the end, as far as there may be nodes in each other. */
static void guess_open(struct splitter *splitter) {
    const struct ir_code *code = splitter->whole;
    splitter->open[0] = true;
    splitter->depth[0] = splitter->repeats;
    for (uint32_t r = 1; r < code->regions.len; r++) {
        uint32_t parent = code->regions.data[r].parent;
        splitter->depth[r] = splitter->depth[parent] + 1;
        splitter->open[r] = splitter->opens && code->regions.data[r].op == IR_REPEAT &&
                            splitter->open[parent] && splitter->depth[r] <= IR_MOST_REPEATS;
    }
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *x = &code->insns.data[i];
        if ((x->op == IR_EXIT || x->op == IR_TEST) && x->region)
            splitter->open[x->region] = false;
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
        if (can_cross(c->s, v))
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

static void find_open(struct splitter *splitter) {
    guess_open(splitter);
    do
        close_inner(splitter);
    while (!carry_all(splitter));
}

/* ---- cuts ---- */

/* cuts[i]: a piece may begin with instruction i. */
static void find_cuts(const struct splitter *splitter, bool *cuts) {
    const struct ir_code *code = splitter->whole;
    size_t depth = 0;
    for (size_t i = 0; i < code->insns.len; i++) {
        const struct ir_insn *x = &code->insns.data[i];
        cuts[i] = i && depth == 0;
        if (!is_open_mark(splitter, x)) {
            depth += ir_opens(x->op);
            depth -= x->op == IR_END;
        }
    }
    for (size_t v = 0; v < code->vregs.len; v++)
        if (splitter->first[v] != IR_NONE && !can_cross(splitter, &code->vregs.data[v]))
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

static uint32_t vreg_in_piece(struct splitter *splitter, uint32_t vreg) {
    if (splitter->number[vreg] == IR_NONE) {
        struct ir_vreg v = splitter->whole->vregs.data[vreg];
        v.home = region_in_piece(splitter, v.home);
        if (splitter->variable[vreg] != IR_NONE) {
            v.variable = splitter->variable[vreg];
            v.element = 0;
        }
        splitter->number[vreg] = (uint32_t)splitter->piece->vregs.len;
        vec_push(&splitter->piece->vregs, v);
    }
    return splitter->number[vreg];
}

static void renumber(void *context, uint32_t *vreg, bool writes) {
    (void)writes;
    *vreg = vreg_in_piece(context, *vreg);
}

/* Visitors come twice to what is read and written. */
static void renumber_machine(struct splitter *splitter, struct ir_insn *insn) {
    uint32_t flags = isa_info((enum isa_op)insn->machine)->flags;
    uint32_t *const fields[] = {&insn->a, &insn->b, &insn->dst};
    for (unsigned k = 0; k < 3; k++)
        if (flags & ((uint32_t)(READS_RS | WRITES_RS) << k) && *fields[k] != IR_NONE)
            *fields[k] = vreg_in_piece(splitter, *fields[k]);
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
}

static void forget(void *context, uint32_t *vreg, bool writes) {
    struct splitter *s = context;
    (void)writes;
    s->number[*vreg] = IR_NONE;
}

static bool is_of_piece(const struct splitter *splitter, const struct ir_insn *insn) {
    return !(insn->op == IR_NEXT && splitter->open[insn->region]);
}

/* Instructions [first, end). */
static struct ir_code *make_piece(struct splitter *splitter, size_t first, size_t end) {
    splitter->piece = ir_code_new(splitter->p);
    splitter->piece->group = splitter->whole->group;
    for (size_t r = 0; r < splitter->whole->regions.len; r++)
        splitter->region[r] = splitter->open[r] ? 0 : IR_NONE;
    for (size_t i = first; i < end; i++)
        if (is_of_piece(splitter, &splitter->whole->insns.data[i]))
            add_insn(splitter, splitter->whole->insns.data[i]);
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
    struct ir_node **outer[IR_MOST_REPEATS];
    uint32_t depth;
    size_t first; /* instruction of the next piece */
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

static void end_piece(struct splitter *splitter, struct split_list *list, size_t end) {
    const struct ir_insn *insns = splitter->whole->insns.data;
    bool some = false;
    for (size_t i = list->first; i < end; i++)
        some |= is_of_piece(splitter, &insns[i]);
    if (some)
        add_node(splitter, list, insns[list->first].at)->code =
            make_piece(splitter, list->first, end);
    list->first = end;
}

static void open_repeat(struct splitter *splitter, struct split_list *list,
                        const struct ir_insn *insn) {
    struct ir_node *n = add_node(splitter, list, insn->at);
    n->kind = IR_NODE_REPEAT;
    n->code = NULL;
    n->count = (struct extent){insn->size, insn->size == IR_NONE ? insn->imm : 0};
    list->outer[list->depth++] = list->end;
    list->end = &n->body;
}

static void take_mark(struct splitter *splitter, struct split_list *list, size_t index) {
    const struct ir_insn *x = &splitter->whole->insns.data[index];
    end_piece(splitter, list, index);
    if (x->op == IR_REPEAT)
        open_repeat(splitter, list, x);
    else
        list->end = list->outer[--list->depth];
    list->first = index + 1;
}

/* The last of the nodes that the body becomes, the first of which is `node`. */
static struct ir_node *split_body(struct splitter *splitter, struct ir_node *node,
                                  const bool *cuts) {
    size_t count = splitter->whole->insns.len;
    const struct ir_node was = *node;
    struct ir_node *head = NULL, *last = node;
    struct split_list list = {.like = &was, .end = &head};
    for (size_t i = 0; i < count; i++)
        if (is_open_mark(splitter, &splitter->whole->insns.data[i]))
            take_mark(splitter, &list, i);
        else if (cuts[i])
            end_piece(splitter, &list, i);
    end_piece(splitter, &list, count);
    *node = *head;
    while (last->next)
        last = last->next;
    last->next = was.next;
    return last;
}

static struct ir_node *split_node(struct splitter *splitter, struct ir_node *node) {
    struct ir_code *code = node->code;
    splitter->whole = code;
    if (is_whole(code))
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
    find_spans(splitter);
    find_open(splitter);
    find_cuts(splitter, cuts);
    make_variables(splitter, node, cuts);
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
                         .values = how >= IR_SPLIT_VALUES};
    for (size_t i = 0; i < program->images.len; i++)
        split_nodes(&s, program->images.data[i].nodes, 0);
    ir_builder_free(&s.builder);
}
