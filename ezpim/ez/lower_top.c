/* SPDX-License-Identifier: MIT
 * Statements at top level. */
#include "ezpim/ez/lower_sub.h"
#include "ezpim/ez/lower_top.h"

#include <string.h>

static void ez_lower_top(struct lowering *lowering, const struct stmt *stmt);

struct ir_node *ez_lower_node(struct lowering *lowering, enum ir_node_kind kind, struct span at) {
    return ir_append(&lowering->b, kind, at);
}

/* The nodes of a block. */
static struct ir_node *lower_block(struct lowering *lowering, const struct stmt *stmt) {
    struct ir_node *first, **outer = ir_open_list(&lowering->b, &first);
    ez_lower_top(lowering, stmt);
    ir_close_list(&lowering->b, outer);
    return first;
}

void ez_lower_begin_body(struct lowering *lowering) {
    lowering->body = lowering->b.stamp;
    memset(lowering->bare, 0xFF, sizeof lowering->bare);
}

/* The node's code, empty, over a group. */
static void ez_lower_begin_code(struct lowering *lowering, struct ir_node *node,
                                const struct ez_symbol *group) {
    lowering->group = group;
    ir_begin_code(&lowering->b, node, group->index);
    ez_lower_begin_body(lowering);
}

void ez_lower_begin_ensemble(struct lowering *lowering, const struct ez_symbol *group,
                             struct span at) {
    ir_begin_ensemble(&lowering->b, group->index, at);
    lowering->group = group;
    if (lowering->b.stamp != lowering->body)
        ez_lower_begin_body(lowering);
}

/* What the group's lanes have in a variable without a group gets to those of all other groups. */
static void take_out(struct lowering *lowering, const struct stmt *stmt) {
    enum { USE_SCALAR = 96 };
    const struct expr *e = stmt->body->target;
    struct lane_type type = e->symbol->type.type;
    uint32_t held = ir_hidden(&lowering->b, stmt->symbol->index, type, 1, USE_SCALAR);
    ir_convert(&lowering->b, ez_lower_element(lowering, e->symbol, e->element), type, type,
               ir_element(&lowering->b, held, 0), stmt->at);
    struct ir_move m = ir_plain_move(lowering->b.p, e->symbol->var.number, held);
    if (e->symbol->has_k)
        ir_move_bound(&m, 0, (struct move_bound){e->element, NO_INDEX, 0},
                      (struct move_bound){(int64_t)e->element + 1, NO_INDEX, 0});
    ir_put_move(&lowering->b, &m, stmt->at);
}

static void lower_compute(struct lowering *lowering, const struct stmt *stmt) {
    ez_lower_begin_ensemble(lowering, stmt->symbol, stmt->at);
    uint32_t front = ez_lower_enter_front(lowering, &stmt->front, stmt->at);
    if (stmt->leaves)
        lowering->returns = ir_open(lowering->b.code, IR_BLOCK, IR_NONE, stmt->at);
    ez_lower_body(lowering, stmt->body);
    if (stmt->leaves)
        ir_mark(lowering->b.code, IR_END, lowering->returns, IR_NONE, stmt->at);
    ez_lower_leave_front(lowering, front, stmt->at);
    if (stmt->taken_out)
        take_out(lowering, stmt);
}

static struct extent count_of(const struct expr *expr) {
    if (!expr->is_constant)
        return (struct extent){expr->symbol->index, 0};
    return (struct extent){NO_INDEX, (uint64_t)expr->value};
}

/* What a REPEAT repeats. */
static struct ir_node *lower_laps(struct lowering *lowering, const struct stmt *stmt) {
    lowering->b.repeats++;
    struct ir_node *first = lower_block(lowering, stmt);
    lowering->b.repeats--;
    return first;
}

static void lower_repeat(struct lowering *lowering, const struct stmt *stmt) {
    struct ir_node *n = ez_lower_node(lowering, IR_NODE_REPEAT, stmt->at);
    n->count = count_of(stmt->value);
    n->body = lower_laps(lowering, stmt->body);
}

uint32_t ez_lower_counter_value(struct lowering *lowering, const struct ez_symbol *symbol,
                                const struct counter_value *value) {
    enum { USE_COUNTER = 48 };
    return ir_element(&lowering->b,
                      ir_hidden(&lowering->b, value->group->index, value->type, 1,
                                USE_COUNTER + symbol->counter.counts->depth),
                      0);
}

static const struct counter_value *counters_of(const struct stmt *stmt) {
    return stmt->symbol ? stmt->symbol->counter.counts->values : NULL;
}

/* The counter starts in each group that reads it. */
static void set_counters(struct lowering *lowering, const struct stmt *stmt) {
    for (const struct counter_value *v = counters_of(stmt); v; v = v->next) {
        ez_lower_begin_ensemble(lowering, v->group, stmt->at);
        ez_lower_constant(lowering, v->type, ez_pattern(stmt->symbol->value, v->type),
                          ez_lower_counter_value(lowering, stmt->symbol, v), stmt->at);
    }
}

/* The body, and one more for the counter. */
static struct ir_node *lower_lap(struct lowering *lowering, const struct stmt *stmt) {
    struct ir_node *first, **outer = ir_open_list(&lowering->b, &first);
    lowering->b.repeats++;
    ez_lower_top(lowering, stmt->body);
    lowering->b.repeats--;
    for (const struct counter_value *v = counters_of(stmt); v; v = v->next) {
        ez_lower_begin_ensemble(lowering, v->group, stmt->at);
        ez_lower_increment(lowering, ez_lower_counter_value(lowering, stmt->symbol, v), stmt->at);
    }
    ir_close_list(&lowering->b, outer);
    return first;
}

static void lower_top_for(struct lowering *lowering, const struct stmt *stmt) {
    if (stmt->loop == FOR_UNROLLED) {
        for (uint32_t i = 0; i < stmt->lap_count; i++)
            ez_lower_top(lowering, stmt->laps[i]);
        return;
    }
    if (stmt->last->is_constant && stmt->last->value <= stmt->value->value)
        return;
    set_counters(lowering, stmt);
    struct ir_node *n = ez_lower_node(lowering, IR_NODE_REPEAT, stmt->at);
    n->count = count_of(stmt->last);
    if (stmt->last->is_constant)
        n->count.value = (uint64_t)(stmt->last->value - stmt->value->value);
    n->body = lower_lap(lowering, stmt);
}

/* The ensemble that asks: its lanes in which the value holds (or does not) are enabled last. */
static void lower_question(struct lowering *lowering, struct ir_node *node,
                           const struct stmt *stmt) {
    ez_lower_begin_code(lowering, node, stmt->symbol);
    uint32_t v = ez_lower_as(lowering, stmt->value, stmt->value->type.type, IR_NONE);
    if (stmt->whole) /* all have it, unless some element has it not */
        v = ez_lower_not(lowering, v, stmt->value->at);
    if (stmt->front.count)
        v = ez_lower_and(lowering, v, ez_lower_in_front(lowering, &stmt->front, stmt->at),
                         stmt->value->at);
    ez_lower_operation(lowering, IR_ENABLE, stmt->value->type.type, IR_NONE, v, IR_NONE, 0,
                       stmt->value->at);
}

static void lower_choice(struct lowering *lowering, const struct stmt *stmt) {
    if (!stmt->symbol) {
        ez_lower_top(lowering, stmt->value->value ? stmt->body : stmt->otherwise);
        return;
    }
    struct ir_node *n = ez_lower_node(lowering, IR_NODE_IF, stmt->at);
    lower_question(lowering, n, stmt);
    n->opposite = stmt->opposite;
    n->body = lower_block(lowering, stmt->body);
    n->otherwise = lower_block(lowering, stmt->otherwise);
}

static void lower_top_while(struct lowering *lowering, const struct stmt *stmt) {
    struct ir_node *n = ez_lower_node(lowering, IR_NODE_WHILE, stmt->at);
    n->body = lower_block(lowering, stmt->body);
    lower_question(lowering, n, stmt);
    n->opposite = stmt->opposite;
}

static void lower_mark(struct lowering *lowering, const struct stmt *stmt) {
    struct debug_record r = {.kind = DEBUG_MARK, .text = stmt->text.text};
    ez_lower_node(lowering, IR_NODE_MARK, stmt->at)->debug = (uint32_t)lowering->b.p->debugs.len;
    vec_push(&lowering->b.p->debugs, r);
}

static struct ir_node *ez_lower_gmove(struct lowering *lowering, const struct ez_move *ez_move,
                                      struct span at) {
    struct ir_move move = {.record = ez_move->record,
                           .to = ez_move->to->var.number,
                           .to_element = ez_move->element,
                           .from = ez_move->from->var.number,
                           .to_view = IR_NONE,
                           .from_view = IR_NONE,
                           .index = ez_move->index ? ez_move->index->var.number : 0,
                           .index_element = ez_move->record.index.reg};
    return ir_put_move(&lowering->b, &move, at);
}

static void lower_move(struct lowering *lowering, const struct stmt *stmt) {
    ez_lower_gmove(lowering, stmt->move, stmt->at);
}

/* What one MPU does alone. */
static void lower_on(struct lowering *lowering, const struct stmt *stmt) {
    bool outer = lowering->b.own;
    if (stmt->mpu != lowering->mpu)
        return;
    lowering->b.own = true;
    ez_lower_top(lowering, stmt->body);
    lowering->b.own = outer;
}

/* What is assigned at top level is made of all elements. */
static void lower_whole(struct lowering *lowering, const struct stmt *stmt) {
    if (stmt->product)
        ez_lower_product(lowering, stmt);
    else if (stmt->sort)
        ez_lower_sort(lowering, stmt);
    else
        ez_lower_reduction(lowering, stmt);
}

static void lower_launch(struct lowering *lowering, const struct stmt *stmt) {
    const struct ez_launch *x = stmt->launch;
    const struct ir_launch launch = {x->kernel, x->arguments, x->said ? &x->geometry : NULL,
                                     stmt->has_else};
    struct ir_node *n = ez_lower_node(lowering, IR_NODE_LAUNCH, stmt->at);
    n->launch = (uint32_t)lowering->b.p->launches.len;
    vec_push(&lowering->b.p->launches, launch);
    n->otherwise = lower_block(lowering, stmt->otherwise);
}

static void lower_stmt(struct lowering *lowering, const struct stmt *stmt) {
    switch (stmt->kind) {
    case STMT_COMPUTE:
        lower_compute(lowering, stmt);
        break;
    case STMT_REPEAT:
        lower_repeat(lowering, stmt);
        break;
    case STMT_FOR:
        lower_top_for(lowering, stmt);
        break;
    case STMT_IF:
        lower_choice(lowering, stmt);
        break;
    case STMT_WHILE:
        lower_top_while(lowering, stmt);
        break;
    case STMT_MARK:
        lower_mark(lowering, stmt);
        break;
    case STMT_SYNC:
        ez_lower_node(lowering, IR_NODE_SYNC, stmt->at);
        break;
    case STMT_MOVE:
        lower_move(lowering, stmt);
        break;
    case STMT_ASSIGN:
        lower_whole(lowering, stmt);
        break;
    case STMT_COLLECTIVE:
        ez_lower_collective(lowering, stmt);
        break;
    case STMT_SEND:
    case STMT_RECV:
        ez_lower_message(lowering, stmt);
        break;
    case STMT_COMPACT:
        ez_lower_compact(lowering, stmt);
        break;
    case STMT_BARRIER:
        ez_lower_node(lowering, IR_NODE_BARRIER, stmt->at);
        break;
    case STMT_ON:
        lower_on(lowering, stmt);
        break;
    case STMT_LAUNCH:
        lower_launch(lowering, stmt);
        break;
    default:
        break;
    }
}

static void ez_lower_top(struct lowering *lowering, const struct stmt *stmt) {
    for (; stmt; stmt = stmt->next)
        lower_stmt(lowering, stmt);
}

/* Which MPUs have an `on` of their own, anywhere in the statements. */
static void find_roles(const struct stmt *stmt, uint8_t *own) {
    for (; stmt; stmt = stmt->next) {
        if (stmt->kind == STMT_ON)
            own[stmt->mpu] = 1;
        find_roles(stmt->body, own);
        find_roles(stmt->otherwise, own);
        for (uint32_t i = 0; i < stmt->lap_count; i++)
            find_roles(stmt->laps[i], own);
    }
}

static void add_image(struct lowering *lowering, uint32_t first, uint32_t count) {
    struct ir_image image = {.first_mpu = first, .mpu_count = count};
    struct ir_node **outer = lowering->b.end;
    lowering->mpu = first;
    lowering->b.end = &image.nodes;
    ez_lower_late_lengths(lowering);
    ez_lower_top(lowering, lowering->u->main->body);
    lowering->b.end = outer;
    vec_push(&lowering->b.p->images, image);
}

/* MPUs without an `on` of their own run one text, each of the others one of its own. */
void ez_lower_images(struct lowering *lowering) {
    uint32_t count = 1;
    for (uint32_t d = 0; d < lowering->u->grid_dims; d++)
        count *= lowering->u->grid[d];
    if (!lowering->u->roles) {
        add_image(lowering, 0, count);
        lowering->b.p->images.data[0].shared = lowering->u->grid_dims > 0;
        return;
    }
    uint8_t *own = xcalloc(count, 1);
    find_roles(lowering->u->main->body, own);
    for (uint32_t m = 0; m < count;) {
        uint32_t next = m + 1;
        while (!own[m] && next < count && !own[next])
            next++;
        add_image(lowering, m, next - m);
        m = next;
    }
    free(own);
}
