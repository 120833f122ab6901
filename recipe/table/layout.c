/* SPDX-License-Identifier: MIT
 * Templates of 24 bits: which bits hold what follows from the target's micro-ops. */
#include "recipe/table/parts.h"

#include <string.h>

enum { REACH = 63, CARRIES_NEAR = 4, CARRIES = 256, CARRY_PLACES = 4, MAX_EXTENDS = 4 };

/* ---- operand codes where there are several sections ---- */

/* Codes in the order of their usefulness: short fields hold the first ones. */
enum { CODE_C = 3, CODE_M, CODE_VALID, CODE_CONST, CODE_NEAR = CODE_CONST + 3 };

struct code_blocks {
    const struct target *t;
    uint32_t compute;   /* rows for computing: they come first where there are some */
    uint32_t near_bits; /* registers one bit off, where sections hold more than one bit */
    uint32_t carries, rows, more_carries, far_bits, far_rows, far_buffers;
};

static struct code_blocks blocks_of(const struct target *t) {
    uint32_t around = 2 * (plane_target(t)->sections - 1); /* other sections */
    uint32_t compute = table_compute_rows(t);
    return (struct code_blocks){
        .t = t,
        .compute = compute,
        .near_bits = plane_target(t)->sections <= REACH ? 2 * 3 : 0,
        .carries = CARRIES_NEAR * CARRY_PLACES,
        .rows = plane_target(t)->scratch_rows - compute,
        .more_carries = (CARRIES - CARRIES_NEAR) * CARRY_PLACES,
        .far_bits = 2 * REACH * 3,
        .far_rows = around * plane_target(t)->scratch_rows,
        .far_buffers = (around + 1) * 2 * CARRIES,
    };
}

static uint32_t code_count(const struct code_blocks *b) {
    return CODE_NEAR + b->compute + b->near_bits + b->carries + b->rows + b->more_carries +
           b->far_bits + b->far_rows + b->far_buffers;
}

static uint32_t zigzag(int32_t v) {
    return ((uint32_t)v << 1) ^ (uint32_t)(v < 0 ? -1 : 0);
}
static int32_t unzigzag(uint32_t v) {
    return (int32_t)(v >> 1) ^ -(int32_t)(v & 1);
}
/* Offsets other than 0: -1, 1, -2, 2 ... are 0, 1, 2, 3 ... */
static uint32_t offset_index(int offset) {
    return zigzag(offset) - 1;
}
static int8_t offset_at(uint32_t index) {
    return (int8_t)unzigzag(index + 1);
}

static struct table_operand operand(enum plane_class class, int8_t offset, uint16_t number) {
    return (struct table_operand){.class = (uint8_t) class, .offset = offset, .number = number};
}

/* The four places of a carry that serve at one section: the two buffers there, those of the next
 * and the previous section into which it hands on.  -1 for others. */
static int carry_place(const struct table_operand *o) {
    int direction = o->number >> 8;
    if (o->offset == 0)
        return direction;
    return o->offset == (direction ? -1 : 1) ? 2 + direction : -1;
}

static struct table_operand carry_at(uint32_t index) {
    uint16_t place = index % CARRY_PLACES, carry = (uint16_t)(index / CARRY_PLACES);
    int8_t offset = (int8_t)(place < 2 ? 0 : place == 2 ? 1 : -1);
    return operand(PLANE_BUFFER, offset, (uint16_t)((place & 1) << 8 | carry));
}

static uint32_t register_code(const struct code_blocks *b, const struct table_operand *o) {
    if (o->offset == 0)
        return o->number;
    uint32_t index = offset_index(o->offset) * 3 + o->number, at = CODE_NEAR + b->compute;
    return index < b->near_bits
               ? at + index
               : at + b->near_bits + b->carries + b->rows + b->more_carries + index;
}

static uint32_t scratch_code(const struct code_blocks *b, const struct table_operand *o) {
    uint32_t at = CODE_NEAR + b->compute + b->near_bits + b->carries;
    uint32_t rank = o->offset == 0 ? table_row_rank(b->t, o->number) : 0;
    if (o->offset == 0)
        return rank < b->compute ? CODE_NEAR + rank : at + rank - b->compute;
    return at + b->rows + b->more_carries + b->far_bits +
           offset_index(o->offset) * plane_target(b->t)->scratch_rows + o->number;
}

static uint32_t buffer_code(const struct code_blocks *b, const struct table_operand *o) {
    uint32_t at = CODE_NEAR + b->compute + b->near_bits, carry = o->number & 0xff;
    int place = carry_place(o);
    if (place < 0)
        return at + b->carries + b->rows + b->more_carries + b->far_bits + b->far_rows +
               zigzag(o->offset) * 2 * CARRIES + o->number;
    at += carry * CARRY_PLACES + (uint32_t)place;
    return carry < CARRIES_NEAR ? at : at + b->rows;
}

static uint32_t code_of(const struct code_blocks *b, const struct table_operand *o) {
    switch (o->class) {
    case PLANE_REGISTER:
        return register_code(b, o);
    case PLANE_C:
        return CODE_C;
    case PLANE_M:
        return CODE_M;
    case PLANE_VALID:
        return CODE_VALID;
    case PLANE_CONST:
        return CODE_CONST + o->number;
    case PLANE_SCRATCH:
        return scratch_code(b, o);
    default:
        return buffer_code(b, o);
    }
}

static struct table_operand fixed_operand(uint32_t code) {
    static const uint8_t classes[] = {PLANE_C, PLANE_M, PLANE_VALID};
    if (code < CODE_C)
        return operand(PLANE_REGISTER, 0, (uint16_t)code);
    if (code < CODE_CONST)
        return operand(classes[code - CODE_C], 0, 0);
    return operand(PLANE_CONST, 0, (uint16_t)(code - CODE_CONST));
}

/* True if *code lies in a block of `size` codes; else it counts from the next one. */
static bool in_block(uint32_t *code, uint32_t size) {
    if (*code < size)
        return true;
    *code -= size;
    return false;
}

/* code < code_count. */
static struct table_operand operand_at(const struct code_blocks *b, uint32_t code) {
    if (in_block(&code, CODE_NEAR))
        return fixed_operand(code);
    if (in_block(&code, b->compute))
        return operand(PLANE_SCRATCH, 0, (uint16_t)table_row_at_rank(b->t, code));
    if (in_block(&code, b->near_bits))
        return operand(PLANE_REGISTER, offset_at(code / 3), (uint16_t)(code % 3));
    if (in_block(&code, b->carries))
        return carry_at(code);
    if (in_block(&code, b->rows))
        return operand(PLANE_SCRATCH, 0, (uint16_t)table_row_at_rank(b->t, b->compute + code));
    if (in_block(&code, b->more_carries))
        return carry_at(code + CARRIES_NEAR * CARRY_PLACES);
    if (in_block(&code, b->far_bits))
        return operand(PLANE_REGISTER, offset_at(code / 3), (uint16_t)(code % 3));
    if (in_block(&code, b->far_rows))
        return operand(PLANE_SCRATCH, offset_at(code / plane_target(b->t)->scratch_rows),
                       (uint16_t)(code % plane_target(b->t)->scratch_rows));
    return operand(PLANE_BUFFER, (int8_t)unzigzag(code / (2 * CARRIES)),
                   (uint16_t)(code % (2 * CARRIES)));
}

/* ---- fields ---- */

static void add_field(struct table_fields *f, unsigned base, unsigned more) {
    f->base[f->count] = (uint8_t)base;
    f->more[f->count++] = (uint8_t)more;
}

bool table_has_operand(const struct target_op *op, unsigned i) {
    return !op->fixed[i] && (i < op->nsrc || !op->tied[i - op->nsrc]);
}

static struct table_operand always_operand(const struct target *t, unsigned class) {
    const struct row_class *c = &plane_target(t)->row_classes[class];
    return c->value >= 0 ? operand(PLANE_CONST, 0, (uint16_t)c->value)
                         : operand(PLANE_SCRATCH, 0, (uint16_t)c->first_scratch);
}

void table_fill_operands(const struct target *t, const struct target_op *op,
                         struct table_operand *operands) {
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        if (op->fixed[i])
            operands[i] = always_operand(t, op->fixed[i] - 1u);
        else if (!table_has_operand(op, i))
            operands[i] = operands[op->tied[i - op->nsrc] - 1];
}

/* Addresses of a command that activates rows, each of them a row or a group; 0 for other ops. */
static unsigned addresses_of(const struct target_op *op) {
    return (op->first_rows > 0) + (unsigned)(op->second_rows > 0);
}

static unsigned operand_fields(const struct table_layout *l, const struct target_op *op) {
    unsigned operands = 0;
    if (plane_target(l->t)->sections == 1 && op->first_rows)
        return addresses_of(op);
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        operands += table_has_operand(op, i);
    return operands;
}

static void lay_out_op(struct table_layout *l, struct table_fields *f, const struct target_op *op) {
    unsigned operands = operand_fields(l, op), room = TABLE_TEMPLATE_BITS - l->kind_bits;
    if (l->forwards)
        add_field(f, 1, 0);
    for (unsigned i = 0; i < operands; i++)
        add_field(f, (room - l->forwards) / operands, room / operands);
}

/* Variants of a command that activates rows are one kind: what is activated says which. */
static void number_kinds(struct table_layout *l) {
    const struct target *t = l->t;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++) {
        bool same = plane_target(t)->sections == 1 && plane_target(t)->ops[i].first_rows &&
                    plane_target(t)->ops[i].first_variant < i;
        if (!same)
            l->op_of_kind[l->op_kinds++] = (uint16_t)i;
        l->kind_of_op[i] = same ? l->kind_of_op[plane_target(t)->ops[i].first_variant]
                                : (uint16_t)(l->op_kinds - 1);
    }
    l->kinds = l->op_kinds + TABLE_CONTROLS;
}

/* Order of the fields of a loop and of a move; enum values index them. */
enum { LOOP_PIPELINED, LOOP_STEP, LOOP_CHANGE, LOOP_LAPS, LOOP_LENGTH };
enum { MOVE_MODE, MOVE_CHANGE, MOVE_VALUE };

static void lay_out_controls(struct table_layout *l, struct table_fields *f) {
    unsigned room = TABLE_TEMPLATE_BITS - l->kind_bits, base = room - 5, more = room - 6;
    add_field(&f[CONTROL_LOOP], 1, 0);
    add_field(&f[CONTROL_LOOP], 2, 3);
    add_field(&f[CONTROL_LOOP], 2, 3);
    add_field(&f[CONTROL_LOOP], base / 2, more / 2);
    add_field(&f[CONTROL_LOOP], base - base / 2, more - more / 2);
    add_field(&f[CONTROL_MOVE], 2, 0);
    add_field(&f[CONTROL_MOVE], 3, room / 2);
    add_field(&f[CONTROL_MOVE], base, room - room / 2);
    add_field(&f[CONTROL_POINTER], room, 0);
    add_field(&f[CONTROL_FORWARD], room, 0);
}

void table_layout_make(const struct target *t, struct table_layout *l) {
    struct code_blocks b = blocks_of(t);
    *l = (struct table_layout){.t = t};
    number_kinds(l);
    while (l->kinds > 1u << l->kind_bits)
        l->kind_bits++;
    l->forwards = plane_target(t)->sections > 1;
    for (uint32_t i = 0; i < l->op_kinds; i++)
        lay_out_op(l, &l->fields[i], &plane_target(t)->ops[l->op_of_kind[i]]);
    lay_out_controls(l, &l->fields[l->op_kinds]);
    l->codes = plane_target(t)->sections == 1 ? table_codes_flat(t) : code_count(&b);
}

static unsigned control_kind(const struct table_layout *l, enum table_control c) {
    return l->op_kinds + c;
}

/* ---- entries to fields and back ---- */

static bool is_row_of(const struct target *t, unsigned class, const struct table_operand *o) {
    return o->class == PLANE_SCRATCH && o->mode == MODE_PLAIN && !o->outer &&
           o->number == plane_target(t)->row_classes[class].first_scratch;
}

static bool is_group(const struct target *t, const struct row_group *g, unsigned rows,
                     unsigned inverted, const struct table_operand *operands) {
    bool same = g->count == rows;
    for (unsigned i = 0; same && i < rows; i++)
        same = g->inverted[i] == (i >= rows - inverted) && is_row_of(t, g->class[i], &operands[i]);
    return same;
}

/* An address: a row, or the group of these rows. */
static uint32_t address_code(const struct target *t, unsigned rows, unsigned inverted,
                             const struct table_operand *operands) {
    if (rows == 1 && !inverted)
        return table_code_flat(t, operands);
    for (uint32_t i = 0; i < plane_target(t)->group_count; i++)
        if (is_group(t, &plane_target(t)->groups[i], rows, inverted, operands))
            return table_group_code(t, i);
    return NO_CODE;
}

static unsigned address_fields(const struct target *t, const struct target_op *op,
                               const struct table_operand *operands, uint32_t *values) {
    unsigned second = op->nsrc + (unsigned)op->ndst - op->second_rows;
    values[0] = address_code(t, op->first_rows, op->first_inverted, operands);
    if (op->second_rows)
        values[1] = address_code(t, op->second_rows, op->second_inverted, operands + second);
    return addresses_of(op);
}

static unsigned op_fields(const struct table_layout *l, const struct table_entry *e,
                          uint32_t *values) {
    struct code_blocks b = blocks_of(l->t);
    const struct target_op *op = &plane_target(l->t)->ops[e->op];
    bool flat = plane_target(l->t)->sections == 1;
    unsigned n = 0;
    if (l->forwards)
        values[n++] = e->forward == FORWARD_RULE;
    if (flat && op->first_rows)
        n += address_fields(l->t, op, e->operands, values + n);
    else
        for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
            if (table_has_operand(op, i))
                values[n++] =
                    flat ? table_code_flat(l->t, &e->operands[i]) : code_of(&b, &e->operands[i]);
    return l->kind_of_op[e->op];
}

/* The values of an entry's fields; its kind. */
static unsigned entry_fields(const struct table_layout *l, const struct table_entry *e,
                             uint32_t *values) {
    switch (e->kind) {
    case ENTRY_OP:
        return op_fields(l, e, values);
    case ENTRY_LOOP:
        values[LOOP_PIPELINED] = e->forward;
        values[LOOP_STEP] = zigzag(e->loop.step);
        values[LOOP_CHANGE] = zigzag(e->loop.change);
        values[LOOP_LAPS] = e->loop.laps;
        values[LOOP_LENGTH] = e->loop.words;
        return control_kind(l, CONTROL_LOOP);
    case ENTRY_MOVE:
        values[MOVE_MODE] = e->move.mode;
        values[MOVE_CHANGE] = zigzag(e->move.change);
        values[MOVE_VALUE] = zigzag(e->move.value);
        return control_kind(l, CONTROL_MOVE);
    default:
        values[0] = e->pointer;
        return control_kind(l, CONTROL_POINTER);
    }
}

static unsigned bits_of(uint32_t v) {
    return v ? 32 - (unsigned)__builtin_clz(v) : 0;
}

/* Extends that the values need; MAX_EXTENDS + 1 if no number of them suffices. */
static unsigned extends_needed(const struct table_fields *f, const uint32_t *values) {
    unsigned most = 0;
    for (unsigned i = 0; i < f->count; i++) {
        unsigned n = values[i] == NO_CODE ? MAX_EXTENDS + 1 : 0;
        while (n <= MAX_EXTENDS && f->base[i] + n * f->more[i] < bits_of(values[i]))
            n++;
        most = n > most ? n : most;
    }
    return most;
}

unsigned table_entry_words(const struct table_layout *l, const struct table_entry *e) {
    uint32_t values[TABLE_MAX_FIELDS];
    unsigned extends = extends_needed(&l->fields[entry_fields(l, e, values)], values);
    if (extends > MAX_EXTENDS)
        return 0;
    if (e->kind != ENTRY_OP || e->forward < FORWARD_FROM)
        return 1 + extends;
    bool fits = bits_of(e->forward - FORWARD_FROM) <= TABLE_TEMPLATE_BITS - l->kind_bits;
    return fits ? 2 + extends : 0;
}

static uint32_t cut(uint32_t v, unsigned at, unsigned bits) {
    return at < 32 ? v >> at & ((UINT32_C(1) << bits) - 1) : 0;
}

/* Kind, then the fields from the top down. */
static uint32_t pack(const struct table_layout *l, unsigned kind, const uint8_t *widths,
                     unsigned count, const uint32_t *values) {
    unsigned at = TABLE_TEMPLATE_BITS - l->kind_bits;
    uint32_t word = (uint32_t)kind << at;
    for (unsigned i = 0; i < count; i++) {
        at -= widths[i];
        word |= values[i] << at;
    }
    return word;
}

void table_entry_encode(const struct table_layout *l, const struct table_entry *e,
                        struct word_list *out) {
    uint32_t values[TABLE_MAX_FIELDS], part[TABLE_MAX_FIELDS];
    unsigned kind = entry_fields(l, e, values);
    const struct table_fields *f = &l->fields[kind];
    if (e->kind == ENTRY_OP && e->forward >= FORWARD_FROM)
        vec_push(out, (uint32_t)control_kind(l, CONTROL_FORWARD)
                              << (TABLE_TEMPLATE_BITS - l->kind_bits) |
                          (e->forward - FORWARD_FROM));
    for (unsigned n = extends_needed(f, values); n-- > 0;) {
        for (unsigned i = 0; i < f->count; i++)
            part[i] = cut(values[i], f->base[i] + n * f->more[i], f->more[i]);
        vec_push(out, pack(l, control_kind(l, CONTROL_EXTEND), f->more, f->count, part));
    }
    for (unsigned i = 0; i < f->count; i++)
        part[i] = cut(values[i], 0, f->base[i]);
    vec_push(out, pack(l, kind, f->base, f->count, part));
}

/* Fields of one word behind the values so far; false if a value no longer fits 32 bits or the
 * bits that are not used are not zero. */
static bool unpack(const struct table_layout *l, uint32_t word, const uint8_t *widths,
                   unsigned count, uint32_t *values) {
    unsigned at = TABLE_TEMPLATE_BITS - l->kind_bits;
    for (unsigned i = 0; i < count; i++) {
        at -= widths[i];
        if (bits_of(values[i]) + widths[i] > 31)
            return false;
        values[i] = values[i] << widths[i] | cut(word, at, widths[i]);
    }
    return cut(word, 0, at) == 0;
}

static const char no_such_operand[] = "an operand has a code without a meaning";

static const char *take_operand(const struct table_layout *l, uint32_t code,
                                struct table_operand *to) {
    struct code_blocks b = blocks_of(l->t);
    bool flat = plane_target(l->t)->sections == 1;
    if (code >= l->codes || (flat && table_group_at(l->t, code)))
        return no_such_operand;
    struct table_operand o = flat ? table_operand_flat(l->t, code) : operand_at(&b, code);
    memcpy(to, &o, sizeof o);
    return NULL;
}

static void group_operands(const struct target *t, const struct row_group *g,
                           struct table_operand *operands) {
    for (unsigned i = 0; i < g->count; i++)
        operands[i] = (struct table_operand){
            .class = PLANE_SCRATCH,
            .number = (uint16_t)plane_target(t)->row_classes[g->class[i]].first_scratch};
}

/* The variant that activates these rows, and its operands. */
static const char *take_addresses(const struct table_layout *l, const uint32_t *values,
                                  struct table_entry *e) {
    static const struct row_group row = {.count = 1};
    const struct row_group *groups[2] = {NULL};
    unsigned count = addresses_of(&plane_target(l->t)->ops[e->op]);
    for (unsigned i = 0; i < count; i++) {
        const struct row_group *g = table_group_at(l->t, values[i]);
        groups[i] = g ? g : &row;
    }
    int op = technology_activation(l->t, e->op, groups[0], groups[1]);
    if (op < 0)
        return "a command cannot activate these rows";
    e->op = (uint8_t)op;
    for (unsigned i = 0; i < count; i++) {
        const struct target_op *o = &plane_target(l->t)->ops[op];
        unsigned at = i ? o->nsrc + (unsigned)o->ndst - o->second_rows : 0;
        const char *problem = NULL;
        if (groups[i] == &row)
            problem = take_operand(l, values[i], &e->operands[at]);
        else
            group_operands(l->t, groups[i], &e->operands[at]);
        if (problem)
            return problem;
    }
    return NULL;
}

static const char *take_op(const struct table_layout *l, const uint32_t *values,
                           struct table_entry *e) {
    const struct target_op *op = &plane_target(l->t)->ops[e->op];
    unsigned n = l->forwards;
    const char *problem = NULL;
    if (op->nsrc > UOP_MAX || op->ndst > UOP_MAX)
        return "a micro-op has more operands than recipes can give it";
    if (l->forwards && values[0] && e->forward != FORWARD_NOT)
        return "a micro-op is forwarded from two places";
    if (l->forwards && values[0])
        e->forward = FORWARD_RULE;
    if (plane_target(l->t)->sections == 1 && op->first_rows)
        problem = take_addresses(l, values, e);
    else
        for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst && !problem; i++)
            if (table_has_operand(op, i))
                problem = take_operand(l, values[n++], &e->operands[i]);
    if (!problem)
        table_fill_operands(l->t, &plane_target(l->t)->ops[e->op], e->operands);
    return problem;
}

static const char *take_control(const struct table_layout *l, unsigned kind, const uint32_t *values,
                                struct table_entry *e) {
    if (kind == control_kind(l, CONTROL_LOOP)) {
        e->kind = ENTRY_LOOP;
        e->forward = values[LOOP_PIPELINED];
        e->loop.step = unzigzag(values[LOOP_STEP]);
        e->loop.change = unzigzag(values[LOOP_CHANGE]);
        e->loop.laps = values[LOOP_LAPS];
        e->loop.words = values[LOOP_LENGTH];
        return NULL;
    }
    if (kind == control_kind(l, CONTROL_POINTER)) {
        e->kind = ENTRY_POINTER;
        e->pointer = values[0];
        return NULL;
    }
    e->kind = ENTRY_MOVE;
    e->move.mode = values[MOVE_MODE];
    e->move.change = unzigzag(values[MOVE_CHANGE]);
    e->move.value = unzigzag(values[MOVE_VALUE]);
    return e->move.mode > MOVE_FROM_HERE ? "a move has a mode without a meaning" : NULL;
}

static unsigned kind_of(const struct table_layout *l, uint32_t word) {
    return word >> (TABLE_TEMPLATE_BITS - l->kind_bits);
}

/* Reads a forward and counts the extends in front of a template; *at is then its index. */
static const char *take_prefixes(const struct table_layout *l, const uint32_t *words, size_t n,
                                 size_t *at, unsigned *extends, uint32_t *forward) {
    uint32_t distance = 0;
    *extends = 0;
    *forward = FORWARD_NOT;
    if (*at < n && kind_of(l, words[*at]) == control_kind(l, CONTROL_FORWARD)) {
        distance = cut(words[*at], 0, TABLE_TEMPLATE_BITS - l->kind_bits);
        if (distance == 0 || !l->forwards)
            return "a micro-op is forwarded from nowhere";
        *forward = FORWARD_FROM + distance;
        ++*at;
    }
    while (*at < n && kind_of(l, words[*at]) == control_kind(l, CONTROL_EXTEND)) {
        if (++*extends > MAX_EXTENDS)
            return "a template is extended too often";
        ++*at;
    }
    return *at < n ? NULL : "it ends inside a template";
}

const char *table_entry_decode(const struct table_layout *l, const uint32_t *words, size_t n,
                               struct table_entry *e) {
    uint32_t values[TABLE_MAX_FIELDS] = {0}, forward;
    unsigned extends;
    size_t at = 0;
    memset(e, 0, sizeof *e);
    const char *problem = take_prefixes(l, words, n, &at, &extends, &forward);
    if (problem)
        return problem;
    unsigned kind = kind_of(l, words[at]);
    if (kind >= l->kinds || kind == control_kind(l, CONTROL_FORWARD))
        return "a template has a kind without a meaning";
    const struct table_fields *f = &l->fields[kind];
    for (unsigned i = 0; i < extends; i++)
        if (!unpack(l, words[at - extends + i], f->more, f->count, values))
            return "a template's extension is not possible";
    if (!unpack(l, words[at], f->base, f->count, values))
        return "a template's fields are not possible";
    e->words = (uint16_t)(at + 1);
    e->op = kind < l->op_kinds ? l->op_of_kind[kind] : 0;
    e->forward = forward;
    if (kind < l->op_kinds)
        return take_op(l, values, e);
    return forward ? "something else than a micro-op is forwarded"
                   : take_control(l, kind, values, e);
}
