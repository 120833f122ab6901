/* SPDX-License-Identifier: MIT
 * Statements at top level. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/lower_top.h"
#include "ezpim/ez/spill.h"

#include <string.h>

struct ir_node *lower_node(struct lowering *l, enum ir_node_kind kind, struct span at) {
    struct ir_node *n = ARENA_NEW(l->p->arena, struct ir_node);
    n->kind = kind;
    n->at = at;
    if (l->end) {
        *l->end = n;
        l->end = &n->next;
    }
    l->last = n;
    return n;
}

/* The nodes of a block. */
static struct ir_node *lower_block(struct lowering *l, const struct stmt *s) {
    struct ir_node *first = NULL, **outer = l->end;
    l->end = &first;
    lower_top(l, s);
    l->end = outer;
    return first;
}

/* Registers that hold a variable of this place or of no group now, and those named by hand. */
static uint64_t reserved_registers(const struct unit *u, const struct ez_symbol *group,
                                   uint32_t time) {
    uint64_t mask = u->bare;
    for (size_t i = 0; i < u->variables.items.len; i++) {
        const struct ez_symbol *s = u->variables.items.data[i];
        if ((!s->group || s->group->place == group->place) && ez_has_register(u, s, time))
            mask |= ez_all_elements(s) << s->reg;
    }
    return mask;
}

void lower_begin_body(struct lowering *l) {
    l->stamp++;
    memset(l->bare, 0xFF, sizeof l->bare);
}

void lower_begin_code(struct lowering *l, struct ir_node *n, const struct ez_symbol *group) {
    n->group = group->index;
    l->group = group;
    n->code = l->code = ir_code_new(l->p);
    n->code->reserved = reserved_registers(l->u, group, l->time);
    lower_begin_body(l);
}

/* Instructions up to which an ensemble goes on with the next one over the same group. */
enum { LONG_ENSEMBLE = 256 };

void lower_begin_ensemble(struct lowering *l, const struct ez_symbol *group, struct span at) {
    struct ir_node *last = l->last;
    bool goes_on = l->level > 0 && !l->u->shares_registers && last &&
                   last->kind == IR_NODE_COMPUTE && l->end == &last->next &&
                   last->group == group->index && last->code == l->code && l->code->region == 0 &&
                   l->code->insns.len < LONG_ENSEMBLE;
    if (!goes_on)
        lower_begin_code(l, lower_node(l, IR_NODE_COMPUTE, at), group);
}

static void lower_compute(struct lowering *l, const struct stmt *s) {
    lower_begin_ensemble(l, s->symbol, s->at);
    uint32_t front = lower_enter_front(l, &s->front, s->at);
    if (s->leaves)
        l->returns = ir_open(l->code, IR_BLOCK, IR_NONE, s->at);
    lower_body(l, s->body);
    if (s->leaves)
        ir_mark(l->code, IR_END, l->returns, IR_NONE, s->at);
    lower_leave_front(l, front, s->at);
}

static struct extent count_of(const struct expr *e) {
    if (!e->is_constant)
        return (struct extent){e->symbol->index, 0};
    return (struct extent){NO_INDEX, (uint64_t)e->value};
}

static void lower_repeat(struct lowering *l, const struct stmt *s) {
    struct ir_node *n = lower_node(l, IR_NODE_REPEAT, s->at);
    n->count = count_of(s->value);
    n->body = lower_block(l, s->body);
}

static void lower_top_for(struct lowering *l, const struct stmt *s) {
    if (s->loop == FOR_UNROLLED) {
        for (uint32_t i = 0; i < s->lap_count; i++)
            lower_top(l, s->laps[i]);
        return;
    }
    if (s->last->is_constant && s->last->value <= s->value->value)
        return;
    struct ir_node *n = lower_node(l, IR_NODE_REPEAT, s->at);
    n->count = count_of(s->last);
    if (s->last->is_constant)
        n->count.value = (uint64_t)(s->last->value - s->value->value);
    n->body = lower_block(l, s->body);
}

/* The ensemble that asks: its lanes in which the value holds (or does not) are enabled last. */
static void lower_question(struct lowering *l, struct ir_node *n, const struct stmt *s) {
    lower_begin_code(l, n, s->symbol);
    uint32_t v = lower_as(l, s->value, s->value->type.type, IR_NONE);
    if (s->whole) /* all have it, unless some element has it not */
        v = lower_not(l, v, s->value->at);
    if (s->front.count)
        v = lower_and(l, v, lower_in_front(l, &s->front, s->at), s->value->at);
    lower_operation(l, IR_ENABLE, s->value->type.type, IR_NONE, v, IR_NONE, 0, s->value->at);
}

static void lower_choice(struct lowering *l, const struct stmt *s) {
    if (!s->symbol) {
        lower_top(l, s->value->value ? s->body : s->otherwise);
        return;
    }
    struct ir_node *n = lower_node(l, IR_NODE_IF, s->at);
    lower_question(l, n, s);
    n->opposite = s->opposite;
    n->body = lower_block(l, s->body);
    n->otherwise = lower_block(l, s->otherwise);
}

static void lower_top_while(struct lowering *l, const struct stmt *s) {
    struct ir_node *n = lower_node(l, IR_NODE_WHILE, s->at);
    n->body = lower_block(l, s->body);
    l->time = s->time;
    lower_question(l, n, s);
    n->opposite = s->opposite;
}

static void lower_mark(struct lowering *l, const struct stmt *s) {
    struct debug_record r = {.kind = DEBUG_MARK, .text = s->text.text};
    lower_node(l, IR_NODE_MARK, s->at)->debug = (uint32_t)l->p->debugs.len;
    vec_push(&l->p->debugs, r);
}

static void copy_record(struct move *to, const struct move *from) {
    to->dst_count = from->dst_count;
    to->src_count = from->src_count;
    to->dst_has_k = from->dst_has_k;
    to->src_has_k = from->src_has_k;
    to->width = from->width;
    to->bounded = from->bounded;
    to->outside = from->outside;
    to->fill = from->fill;
    memcpy(to->first, from->first, sizeof to->first);
    memcpy(to->last, from->last, sizeof to->last);
    memcpy(to->source, from->source, sizeof to->source);
}

/* The same move is one record in the texts of all MPUs: that is how they know that they wait for
 * each other. */
static uint32_t move_number(struct lowering *l, const struct move *m) {
    uint64_t *known = map_get_n(&l->moves, (const char *)m, sizeof *m);
    if (known)
        return (uint32_t)*known;
    uint32_t number = (uint32_t)l->p->moves.len;
    map_put_n(&l->moves, (const char *)m, sizeof *m, number);
    vec_push(&l->p->moves, *m);
    return number;
}

/* Where -fspill put it, if it did: that is where elements are moved from and to. */
static struct ez_symbol *lies_in(struct ez_symbol *s) {
    return s->home ? s->home : s;
}

static void put_ends(struct move *r, const struct ez_symbol *to, uint32_t element,
                     const struct ez_symbol *from) {
    r->dst_group = to->group ? to->group->index : NO_INDEX;
    r->src_group = from->group->index;
    r->dst_reg = (uint8_t)(to->reg + element);
    r->src_reg = from->reg;
}

struct ir_node *lower_gmove(struct lowering *l, const struct ez_move *m, struct span at) {
    struct move r;
    memset(&r, 0, sizeof r); /* the bytes are compared */
    copy_record(&r, &m->record);
    put_ends(&r, m->to, m->element, m->from);
    r.place = lower_place(l, at);
    struct ir_node *n = lower_node(l, IR_NODE_MOVE, at);
    n->move = move_number(l, &r);
    return n;
}

static void lower_move(struct lowering *l, const struct stmt *s) {
    struct ez_move m = *s->move;
    m.to = lies_in(m.to);
    m.from = lies_in(m.from);
    lower_gmove(l, &m, s->at);
}

static void lower_stmt(struct lowering *l, const struct stmt *s) {
    switch (s->kind) {
    case STMT_COMPUTE:
        lower_compute(l, s);
        break;
    case STMT_REPEAT:
        lower_repeat(l, s);
        break;
    case STMT_FOR:
        lower_top_for(l, s);
        break;
    case STMT_IF:
        lower_choice(l, s);
        break;
    case STMT_WHILE:
        lower_top_while(l, s);
        break;
    case STMT_MARK:
        lower_mark(l, s);
        break;
    case STMT_SYNC:
        lower_node(l, IR_NODE_SYNC, s->at);
        break;
    case STMT_MOVE:
        lower_move(l, s);
        break;
    case STMT_ASSIGN:
        lower_reduction(l, s);
        break;
    case STMT_COLLECTIVE:
        lower_collective(l, s);
        break;
    case STMT_SEND:
    case STMT_RECV:
        lower_message(l, s);
        break;
    case STMT_COMPACT:
        lower_compact(l, s);
        break;
    case STMT_BARRIER:
        lower_node(l, IR_NODE_BARRIER, s->at);
        break;
    case STMT_ON:
        if (s->mpu == l->mpu)
            lower_top(l, s->body);
        break;
    default:
        break;
    }
}

/* Every element to the same place of another group of these extents, all registers. */
static void lower_transfer(struct lowering *l, const struct ez_symbol *to,
                           const struct ez_symbol *from, struct span at) {
    struct move r;
    memset(&r, 0, sizeof r); /* the bytes are compared */
    uint32_t dims = ez_group_dims(l->u, from->group) + from->has_k;
    for (uint32_t d = 0; d < dims; d++) {
        r.source[d].size = NO_INDEX;
        r.source[d].coeff[d] = 1;
    }
    r.dst_count = r.src_count = (uint8_t)from->count;
    r.dst_has_k = r.src_has_k = from->has_k;
    r.width = from->type.type.bits;
    r.outside = MOVE_KEEP;
    r.place = lower_place(l, at);
    put_ends(&r, to, 0, from);
    struct ir_node *n = lower_node(l, IR_NODE_MOVE, at);
    n->move = move_number(l, &r);
}

/* A statement between the transfers of what lies in VRFs of its own. */
static void lower_with_transfers(struct lowering *l, const struct stmt *s) {
    struct ez_uses uses = {0};
    l->time = s->time;
    if (l->u->shares_registers)
        ez_statement_uses(s, &uses);
    for (size_t i = 0; i < uses.items.len; i++)
        if (uses.items.data[i].symbol->home)
            lower_transfer(l, uses.items.data[i].symbol, uses.items.data[i].symbol->home, s->at);
    lower_stmt(l, s);
    for (size_t i = 0; i < uses.items.len; i++)
        if (uses.items.data[i].symbol->home && uses.items.data[i].writes)
            lower_transfer(l, uses.items.data[i].symbol->home, uses.items.data[i].symbol, s->at);
    vec_free(&uses.items);
}

void lower_top(struct lowering *l, const struct stmt *s) {
    for (; s; s = s->next)
        lower_with_transfers(l, s);
}

/* Which MPUs have an `on` of their own, anywhere in the statements. */
static void find_roles(const struct stmt *s, uint8_t *own) {
    for (; s; s = s->next) {
        if (s->kind == STMT_ON)
            own[s->mpu] = 1;
        find_roles(s->body, own);
        find_roles(s->otherwise, own);
        for (uint32_t i = 0; i < s->lap_count; i++)
            find_roles(s->laps[i], own);
    }
}

static void add_image(struct lowering *l, uint32_t first, uint32_t count) {
    struct ir_image image = {.first_mpu = first, .mpu_count = count};
    struct ir_node **outer = l->end;
    l->mpu = first;
    l->end = &image.nodes;
    lower_late_lengths(l);
    lower_top(l, l->u->main->body);
    l->end = outer;
    vec_push(&l->p->images, image);
}

/* MPUs without an `on` of their own run one text, each of the others one of its own. */
void lower_images(struct lowering *l) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < l->u->grid_dims; d++)
        count *= l->u->grid[d];
    if (!l->u->roles) {
        add_image(l, 0, count);
        l->p->images.data[0].shared = l->u->grid_dims > 0;
        return;
    }
    uint8_t *own = xcalloc(count, 1);
    find_roles(l->u->main->body, own);
    for (uint32_t m = 0; m < count;) {
        uint32_t next = m + 1;
        while (!own[m] && next < count && !own[next])
            next++;
        add_image(l, m, next - m);
        m = next;
    }
    free(own);
}
