/* SPDX-License-Identifier: MIT
 * Making programs: declarations, nodes and moves, each appended where `end` points. */
#include "ezpim/ir/build.h"

#include "ezpim/ir/float.h"

#include "support/bits.h"

#include <string.h>

void ir_builder_free(struct ir_builder *builder) {
    map_free(&builder->moves);
    map_free(&builder->steps);
    vec_free(&builder->vregs);
    vec_free(&builder->first);
    vec_free(&builder->hidden);
    vec_free(&builder->stamps);
    if (builder->library)
        builder->free_library(builder->library);
    builder->library = NULL;
}

/* The number of a source's file among those of the program; a new one for a new file. */
static uint32_t file_of(const struct ir_builder *builder, uint32_t source) {
    struct ir_program *p = builder->p;
    const char *name = diag_source_name(builder->diag, source);
    for (uint32_t i = 0; i < p->files.len; i++)
        if (strcmp(p->files.data[i], name) == 0)
            return i;
    vec_push(&p->files, name);
    return (uint32_t)p->files.len - 1;
}

struct place ir_place(const struct ir_builder *builder, struct span at) {
    struct place p = {.file = NO_INDEX};
    at = builder->call ? *builder->call : at;
    if (at.source && builder->p->files.len == 0 && builder->p->at.source)
        file_of(builder, builder->p->at.source);
    if (at.source)
        p.file = file_of(builder, at.source);
    diag_position(builder->diag, at, &p.line, &p.column);
    return p;
}

/* ---- declarations ---- */

uint32_t ir_group_dims(const struct ir_program *program, uint32_t group) {
    const struct group *g = &program->groups.data[group];
    return g->ndim + (g->per_mpu ? program->grid_dims : 0);
}

struct extent ir_group_extent(const struct ir_program *program, uint32_t group, uint32_t dim) {
    const struct group *g = &program->groups.data[group];
    uint32_t before = g->per_mpu ? program->grid_dims : 0;
    return dim < before ? (struct extent){NO_INDEX, program->grid[dim]} : g->extent[dim - before];
}

static struct size_operand operand(struct extent extent) {
    return (struct size_operand){extent.size, extent.size == NO_INDEX ? (int64_t)extent.value : 0};
}

/* The size of that formula: one that is there, or a new one. */
static uint32_t derived(struct ir_program *program, enum size_op op, struct extent left,
                        struct extent right) {
    struct size_decl s = {
        .op = op, .left = operand(left), .right = operand(right), .place = {NO_INDEX, 0, 0}};
    object_size_normalise(&s);
    for (uint32_t i = 0; i < program->sizes.len; i++)
        if (object_size_same_formula(&program->sizes.data[i], &s))
            return i;
    s.name = arena_name(program->arena, "$S", program->sizes.len);
    object_size_derive(program->sizes.data, &s);
    vec_push(&program->sizes, s);
    return (uint32_t)program->sizes.len - 1;
}

struct extent ir_extent(struct ir_builder *builder, enum size_op op, struct extent left,
                        struct extent right) {
    int64_t value;
    if (left.size != NO_INDEX || right.size != NO_INDEX)
        return (struct extent){derived(builder->p, op, left, right), 0};
    if (!object_size_compute(op, (int64_t)left.value, (int64_t)right.value, &value))
        value = OBJECT_MAX_EXTENT;
    return (struct extent){NO_INDEX, (uint64_t)value};
}

struct size_range ir_extent_range(const struct ir_program *program, struct extent extent) {
    if (extent.size != NO_INDEX)
        return object_size_range(&program->sizes.data[extent.size]);
    return (struct size_range){(int64_t)extent.value, (int64_t)extent.value};
}

uint32_t ir_group_root(const struct ir_program *program, uint32_t group) {
    while (program->groups.data[group].like != NO_INDEX)
        group = program->groups.data[group].like;
    return group;
}

uint32_t ir_group_place(const struct ir_program *program, uint32_t group) {
    group = ir_group_root(program, group);
    return program->groups.data[group].at_rfh == NO_INDEX ? group : UINT16_MAX;
}

static bool same_extents(const struct group *group, uint32_t ndim, const struct extent *extents) {
    bool same = group->ndim == ndim;
    for (uint32_t d = 0; same && d < ndim; d++)
        same =
            group->extent[d].size == extents[d].size && group->extent[d].value == extents[d].value;
    return same;
}

uint32_t ir_group_like(struct ir_builder *builder, uint32_t base, uint32_t ndim,
                       const struct extent *extents) {
    struct ir_program *p = builder->p;
    uint32_t number = 1;
    base = ir_group_root(p, base);
    if (same_extents(&p->groups.data[base], ndim, extents))
        return base;
    for (uint32_t i = base + 1; i < p->groups.len; i++) {
        const struct group *g = &p->groups.data[i];
        if (g->like == base && same_extents(g, ndim, extents))
            return i;
        number += g->like == base && strchr(g->name, (int)'$');
    }
    struct group g = p->groups.data[base];
    g.name = arena_printf(p->arena, "%s$%u", g.name, number);
    g.like = base; /* whose place it has */
    g.at_rfh = g.at_vrf = NO_INDEX;
    g.ndim = ndim;
    memset(g.extent, 0, sizeof g.extent);
    for (uint32_t d = 0; d < GROUP_MAX_DIMS; d++)
        g.extent[d] = d < ndim ? extents[d] : (struct extent){NO_INDEX, 0};
    vec_push(&p->groups, g);
    return (uint32_t)p->groups.len - 1;
}

static bool is_such(const struct ir_variable *variable, uint32_t group, struct lane_type type,
                    uint32_t count, unsigned use) {
    return variable->hidden && variable->use == use && variable->decl.group == group &&
           variable->decl.count == count && variable->decl.type.kind == type.kind &&
           variable->decl.type.bits == type.bits && variable->spilled_to == IR_NONE;
}

/* Equal for variables that are such, and mostly for these alone. */
static uint64_t such(uint32_t group, struct lane_type type, uint32_t count, unsigned use) {
    return (uint64_t)group << 32 ^ (uint64_t)count << 28 ^ (uint64_t)use << 10 ^
           (uint64_t)type.bits << 2 ^ (uint64_t)type.kind;
}

/* The builder knows those that it appended last, if nobody else did since. */
static void know_hidden(struct ir_builder *builder, uint64_t key) {
    if (builder->known_behind != builder->p->variables.len - 1)
        vec_clear(&builder->hidden);
    vec_push(&builder->hidden, key);
    builder->known_behind = builder->p->variables.len;
}

static uint32_t add_hidden(struct ir_builder *builder, uint32_t group, struct lane_type type,
                           uint32_t count, unsigned use) {
    struct ir_program *p = builder->p;
    struct ir_variable v = {.hidden = true,
                            .use = (uint16_t)use,
                            .spilled_to = IR_NONE,
                            .at = p->at,
                            .decl = {.name = arena_name(p->arena, "$", use),
                                     .type = type,
                                     .count = count,
                                     .has_k = count > 1,
                                     .group = group}};
    vec_push(&p->variables, v);
    know_hidden(builder, such(group, type, count, use));
    return (uint32_t)p->variables.len - 1;
}

uint32_t ir_hidden(struct ir_builder *builder, uint32_t group, struct lane_type type,
                   uint32_t count, unsigned use) {
    struct ir_program *p = builder->p;
    uint64_t key = such(group, type, count, use);
    bool knows = builder->known_behind == p->variables.len;
    size_t known = knows ? builder->hidden.len : 0;
    uint32_t i = (uint32_t)p->variables.len;
    for (; i-- > 0 && p->variables.data[i].hidden; known -= known > 0)
        if ((!known || builder->hidden.data[known - 1] == key) &&
            is_such(&p->variables.data[i], group, type, count, use))
            return i;
    return add_hidden(builder, group, type, count, use);
}

uint32_t ir_local(struct ir_builder *builder, uint32_t group, struct lane_type type,
                  uint32_t count) {
    uint32_t v = add_hidden(builder, group, type, count, UINT16_MAX);
    builder->p->variables.data[v].lasting = true;
    return v;
}

/* ---- nodes ---- */

struct ir_node *ir_append(struct ir_builder *builder, enum ir_node_kind kind, struct span at) {
    struct ir_node *n = ARENA_NEW(builder->p->arena, struct ir_node);
    n->kind = kind;
    n->at = at;
    n->own = builder->own;
    if (builder->end) {
        *builder->end = n;
        builder->end = &n->next;
    }
    builder->last = n;
    return n;
}

struct ir_node **ir_open_list(struct ir_builder *builder, struct ir_node **first) {
    struct ir_node **outer = builder->end;
    *first = NULL;
    builder->end = first;
    return outer;
}

void ir_close_list(struct ir_builder *builder, struct ir_node **outer) {
    builder->end = outer;
}

struct ir_repeat ir_open_repeat(struct ir_builder *builder, struct extent count, struct span at) {
    struct ir_repeat r = {.node = ir_append(builder, IR_NODE_REPEAT, at)};
    r.node->count = count;
    r.outer = ir_open_list(builder, &r.node->body);
    builder->repeats++;
    return r;
}

void ir_close_repeat(struct ir_builder *builder, const struct ir_repeat *repeat) {
    ir_close_list(builder, repeat->outer);
    builder->repeats--;
}

void ir_begin_body(struct ir_builder *builder, struct ir_code *code, uint32_t group) {
    builder->code = code;
    builder->group = code->group = group;
    builder->stamp++;
    vec_clear(&builder->vregs);
}

void ir_begin_code(struct ir_builder *builder, struct ir_node *node, uint32_t group) {
    node->group = group;
    node->code = ir_code_new(builder->p);
    ir_begin_body(builder, node->code, group);
}

/* Instructions up to which an ensemble goes on with the next one over the same group. */
enum { LONG_ENSEMBLE = 256 };

void ir_begin_ensemble(struct ir_builder *builder, uint32_t group, struct span at) {
    const struct ir_node *last = builder->last;
    bool goes_on = builder->joins && last && last->kind == IR_NODE_COMPUTE &&
                   builder->end == &last->next && last->group == group &&
                   last->code == builder->code && last->code->region == 0 &&
                   last->own == builder->own && last->code->insns.len < LONG_ENSEMBLE;
    if (!goes_on)
        ir_begin_code(builder, ir_append(builder, IR_NODE_COMPUTE, at), group);
}

/* ---- moves ---- */

static uint32_t dims_or_none(const struct ir_program *program, uint32_t group) {
    return group == NO_INDEX ? 0 : ir_group_dims(program, group);
}

struct ir_move ir_view_move(const struct ir_program *program, uint32_t to, uint32_t to_view,
                            uint32_t from, uint32_t from_view) {
    const struct variable *d = &program->variables.data[to].decl,
                          *s = &program->variables.data[from].decl;
    struct ir_move m = {.to = to, .from = from, .to_view = to_view, .from_view = from_view};
    uint32_t dst = dims_or_none(program, ir_move_to_group(program, &m));
    uint32_t src = dims_or_none(program, ir_move_from_group(program, &m));
    m.record.width = s->type.bits;
    m.record.dst_count = (uint8_t)d->count;
    m.record.src_count = (uint8_t)s->count;
    m.record.dst_has_k = d->has_k;
    m.record.src_has_k = s->has_k;
    for (uint32_t k = 0; k < MOVE_MAX_DIMS; k++) {
        m.record.source[k] = (struct move_affine){.size = NO_INDEX};
        if (k < src && k < dst)
            m.record.source[k].coeff[k] = 1;
    }
    if (s->has_k && d->has_k)
        m.record.source[src].coeff[dst] = 1;
    return m;
}

struct ir_move ir_plain_move(const struct ir_program *program, uint32_t to, uint32_t from) {
    return ir_view_move(program, to, IR_NONE, from, IR_NONE);
}

void ir_move_bound(struct ir_move *move, uint32_t dim, struct move_bound first,
                   struct move_bound last) {
    move->record.bounded |= (uint8_t)(1u << dim);
    move->record.first[dim] = first;
    move->record.last[dim] = last;
}

void ir_move_source(struct ir_move *move, uint32_t dim, uint32_t of, int64_t coeff,
                    int64_t offset) {
    move->record.source[dim] = (struct move_affine){.size = NO_INDEX, .offset = offset};
    move->record.source[dim].coeff[of] = coeff;
}

static void copy_bound(struct move_bound *to, const struct move_bound *from) {
    to->offset = from->offset;
    to->size = from->size;
    to->size_coeff = from->size_coeff;
}

static void copy_affine(struct move_affine *to, const struct move_affine *from) {
    memcpy(to->coeff, from->coeff, sizeof to->coeff);
    to->offset = from->offset;
    to->size = from->size;
    to->size_coeff = from->size_coeff;
}

_Static_assert(sizeof(struct move_laps) != sizeof(struct move_strides),
               "a map tells them apart by their sizes");

/* The same bytes have one address. */
static const void *keep_once(struct ir_builder *builder, const void *bytes, size_t size) {
    const uint64_t *known = map_get_n(&builder->steps, bytes, size);
    if (known)
        return (const void *)(uintptr_t)*known;
    void *kept = arena_alloc(builder->p->arena, size);
    memcpy(kept, bytes, size);
    map_put_n(&builder->steps, bytes, size, (uintptr_t)kept);
    return kept;
}

/* Equal strides, and equal laps, are one record. */
static void keep_steps(struct ir_builder *builder, struct ir_move *to, const struct ir_move *from) {
    struct move_strides s;
    memset(&s, 0, sizeof s);
    for (unsigned d = 0; d < MOVE_MAX_DIMS && from->record.strides; d++) {
        s.coeff[d] = from->record.strides->coeff[d];
        copy_bound(&s.offset[d], &from->record.strides->offset[d]);
    }
    if (from->record.strides)
        to->record.strides = keep_once(builder, &s, sizeof s);
    if (from->record.laps)
        to->record.laps = keep_once(builder, from->record.laps, sizeof *from->record.laps);
}

/* The bytes are compared: what lies between the members is 0. */
static void copy_move(struct ir_move *to, const struct ir_move *from) {
    memset(to, 0, sizeof *to);
    to->to = from->to;
    to->to_element = from->to_element;
    to->from = from->from;
    to->to_view = from->to_view;
    to->from_view = from->from_view;
    to->index = from->index;
    to->index_element = from->index_element;
    to->record.index.kind = from->record.index.kind;
    to->record.index.coordinate = from->record.index.coordinate;
    to->record.index.follows = from->record.index.follows;
    to->record.index.type.kind = from->record.index.type.kind;
    to->record.index.type.bits = from->record.index.type.bits;
    to->record.dst_count = from->record.dst_count;
    to->record.src_count = from->record.src_count;
    to->record.dst_has_k = from->record.dst_has_k;
    to->record.src_has_k = from->record.src_has_k;
    to->record.width = from->record.width;
    to->record.bounded = from->record.bounded;
    to->record.outside = from->record.outside;
    to->record.fill = from->record.fill;
    for (unsigned d = 0; d < MOVE_MAX_DIMS; d++) {
        copy_bound(&to->record.first[d], &from->record.first[d]);
        copy_bound(&to->record.last[d], &from->record.last[d]);
        copy_affine(&to->record.source[d], &from->record.source[d]);
    }
}

bool ir_move_same(const struct ir_move *left, const struct ir_move *right) {
    struct ir_move x, y;
    if (left->to != right->to || left->from != right->from ||
        left->record.strides != right->record.strides || left->record.laps != right->record.laps)
        return false;
    copy_move(&x, left);
    copy_move(&y, right);
    return memcmp(&x, &y, sizeof x) == 0 &&
           object_move_same_strides(&left->record, &right->record) &&
           object_move_same_laps(&left->record, &right->record);
}

struct ir_node *ir_put_move(struct ir_builder *builder, const struct ir_move *move,
                            struct span at) {
    struct ir_move r;
    copy_move(&r, move);
    keep_steps(builder, &r, move);
    r.record.place = ir_place(builder, at);
    struct ir_node *n = ir_append(builder, IR_NODE_MOVE, at);
    /* One more than there may be, which is reported when all are known. */
    if (builder->p->moves.len > OBJECT_MAX_MOVES)
        return n;
    n->move =
        (uint32_t)*map_add_n(&builder->moves, (const char *)&r, sizeof r, builder->p->moves.len);
    if (n->move == builder->p->moves.len)
        vec_push(&builder->p->moves, r);
    return n;
}

/* ---- instructions ---- */

uint32_t ir_element(struct ir_builder *builder, uint32_t variable, uint32_t element) {
    const struct ir_variable *v = &builder->p->variables.data[variable];
    while (builder->first.len <= variable) {
        vec_push(&builder->first, IR_NONE);
        vec_push(&builder->stamps, 0);
    }
    if (builder->stamps.data[variable] != builder->stamp) {
        builder->stamps.data[variable] = builder->stamp;
        builder->first.data[variable] = (uint32_t)builder->code->vregs.len;
        for (uint32_t k = 0; k < v->decl.count; k++) {
            uint32_t number = ir_vreg(builder->code, v->decl.type, v->decl.name, v->at);
            struct ir_vreg *r = &builder->code->vregs.data[number];
            r->variable = variable;
            r->element = k;
            r->indexed = v->decl.has_k;
            r->home = 0;
        }
    }
    return builder->first.data[variable] + element;
}

void ir_put(struct ir_builder *builder, struct ir_insn insn) {
    vec_push(&builder->code->insns, insn);
}

static uint32_t target(struct ir_builder *builder, uint32_t dst, const struct ir_insn *insn) {
    return dst == IR_NONE ? ir_vreg(builder->code, ir_result_type(insn), NULL, insn->at) : dst;
}

uint32_t ir_operation(struct ir_builder *builder, enum ir_op op, struct lane_type type,
                      uint32_t dst, uint32_t a, uint32_t b_operand, uint32_t c, uint64_t imm,
                      struct span at) {
    struct ir_insn i = {.op = (uint8_t)op,
                        .type = type,
                        .a = a,
                        .b = b_operand,
                        .c = c,
                        .size = IR_NONE,
                        .imm = imm,
                        .at = at};
    i.dst = op == IR_ENABLE ? IR_NONE : target(builder, dst, &i);
    ir_put(builder, i);
    return i.dst;
}

uint32_t ir_constant(struct ir_builder *builder, struct lane_type type, uint64_t pattern,
                     uint32_t dst, struct span at) {
    return ir_operation(builder, IR_CONST, type, dst, IR_NONE, IR_NONE, IR_NONE, pattern, at);
}

uint32_t ir_machine(struct ir_builder *builder, enum isa_op op, struct lane_type type, uint32_t dst,
                    uint32_t a, struct span at) {
    dst = ir_operation(builder, IR_MACHINE, type, dst, a, IR_NONE, IR_NONE, 0, at);
    vec_last(&builder->code->insns).machine = (uint16_t)op;
    vec_last(&builder->code->insns).width = type.bits;
    return dst;
}

uint32_t ir_link_value(struct ir_builder *builder, struct lane_type type, uint32_t link,
                       uint64_t element, uint32_t dst, struct span at) {
    dst = ir_operation(builder, IR_VALUE, type, dst, IR_NONE, IR_NONE, IR_NONE, element, at);
    vec_last(&builder->code->insns).size = link;
    return dst;
}

uint32_t ir_lane_index(struct ir_builder *builder, struct lane_type type, uint32_t dst,
                       struct span at) {
    return ir_machine(builder, OP_INDEX, type, dst, IR_NONE, at);
}

/* In the order in which they are met. */
static uint32_t keep_table(struct ir_builder *builder, const struct lut_decl *table,
                           struct span at) {
    struct ir_program *program = builder->p;
    for (uint32_t i = 0; i < program->luts.len; i++)
        if (object_lut_same(program->luts.data[i], table))
            return i;
    struct lut_decl *own = ARENA_NEW(program->arena, struct lut_decl);
    *own = *table;
    own->place = ir_place(builder, at);
    vec_push(&program->luts, own);
    return (uint32_t)program->luts.len - 1;
}

uint32_t ir_lookup(struct ir_builder *builder, const struct lut_decl *table, struct lane_type type,
                   uint32_t index, uint32_t dst, struct span at) {
    uint32_t number = keep_table(builder, table, at);
    dst = ir_operation(builder, IR_LOOKUP, type, dst, index, IR_NONE, IR_NONE, number, at);
    struct ir_insn *insn = &vec_last(&builder->code->insns);
    insn->from = (struct lane_type){TYPE_UINT, table->table.index_bits};
    insn->lut = builder->p->luts.data[number];
    return dst;
}

uint32_t ir_convert(struct ir_builder *builder, uint32_t a, struct lane_type from,
                    struct lane_type to, uint32_t dst, struct span at) {
    enum ir_op op = from.bits < to.bits ? IR_WIDEN : IR_COPY;
    if (object_type_is_float(from) || object_type_is_float(to))
        return ir_convert_float(builder, a, from, to, dst, at);
    dst = ir_operation(builder, op, to, dst, a, IR_NONE, IR_NONE, 0, at);
    vec_last(&builder->code->insns).from = from;
    return dst;
}

uint32_t ir_extent_value(struct ir_builder *builder, struct lane_type type, struct extent extent,
                         int64_t more, uint32_t dst, struct span at) {
    if (extent.size == NO_INDEX)
        return ir_constant(builder, type, (extent.value + (uint64_t)more) & low_bits(type.bits),
                           dst, at);
    dst = ir_operation(builder, IR_SIZE, type, dst, IR_NONE, IR_NONE, IR_NONE, (uint64_t)more, at);
    vec_last(&builder->code->insns).size = extent.size;
    return dst;
}
