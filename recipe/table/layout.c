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

static struct code_blocks blocks_of(const struct target *target) {
    uint32_t around = 2 * (plane_target(target)->sections - 1); /* other sections */
    uint32_t compute = table_compute_rows(target);
    return (struct code_blocks){
        .t = target,
        .compute = compute,
        .near_bits = plane_target(target)->sections <= REACH ? 2 * 3 : 0,
        .carries = CARRIES_NEAR * CARRY_PLACES,
        .rows = plane_target(target)->scratch_rows - compute,
        .more_carries = (CARRIES - CARRIES_NEAR) * CARRY_PLACES,
        .far_bits = 2 * REACH * 3,
        .far_rows = around * plane_target(target)->scratch_rows,
        .far_buffers = (around + 1) * 2 * CARRIES,
    };
}

static uint32_t code_count(const struct code_blocks *blocks) {
    return CODE_NEAR + blocks->compute + blocks->near_bits + blocks->carries + blocks->rows +
           blocks->more_carries + blocks->far_bits + blocks->far_rows + blocks->far_buffers;
}

static uint32_t zigzag(int32_t value) {
    return ((uint32_t)value << 1) ^ (uint32_t)(value < 0 ? -1 : 0);
}
static int32_t unzigzag(uint32_t value) {
    return (int32_t)(value >> 1) ^ -(int32_t)(value & 1);
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
static int carry_place(const struct table_operand *operand) {
    int direction = operand->number >> 8;
    if (operand->offset == 0)
        return direction;
    return operand->offset == (direction ? -1 : 1) ? 2 + direction : -1;
}

static struct table_operand carry_at(uint32_t index) {
    uint16_t place = index % CARRY_PLACES, carry = (uint16_t)(index / CARRY_PLACES);
    int8_t offset = (int8_t)(place < 2 ? 0 : place == 2 ? 1 : -1);
    return operand(PLANE_BUFFER, offset, (uint16_t)((place & 1) << 8 | carry));
}

static uint32_t register_code(const struct code_blocks *blocks,
                              const struct table_operand *operand) {
    if (operand->offset == 0)
        return operand->number;
    uint32_t index = offset_index(operand->offset) * 3 + operand->number,
             at = CODE_NEAR + blocks->compute;
    return index < blocks->near_bits ? at + index
                                     : at + blocks->near_bits + blocks->carries + blocks->rows +
                                           blocks->more_carries + index;
}

static uint32_t scratch_code(const struct code_blocks *blocks,
                             const struct table_operand *operand) {
    uint32_t at = CODE_NEAR + blocks->compute + blocks->near_bits + blocks->carries;
    uint32_t rank = operand->offset == 0 ? table_row_rank(blocks->t, operand->number) : 0;
    if (operand->offset == 0)
        return rank < blocks->compute ? CODE_NEAR + rank : at + rank - blocks->compute;
    return at + blocks->rows + blocks->more_carries + blocks->far_bits +
           offset_index(operand->offset) * plane_target(blocks->t)->scratch_rows + operand->number;
}

static uint32_t buffer_code(const struct code_blocks *blocks, const struct table_operand *operand) {
    uint32_t at = CODE_NEAR + blocks->compute + blocks->near_bits, carry = operand->number & 0xff;
    int place = carry_place(operand);
    if (place < 0)
        return at + blocks->carries + blocks->rows + blocks->more_carries + blocks->far_bits +
               blocks->far_rows + zigzag(operand->offset) * 2 * CARRIES + operand->number;
    at += carry * CARRY_PLACES + (uint32_t)place;
    return carry < CARRIES_NEAR ? at : at + blocks->rows;
}

static uint32_t code_of(const struct code_blocks *blocks, const struct table_operand *operand) {
    switch (operand->class) {
    case PLANE_REGISTER:
        return register_code(blocks, operand);
    case PLANE_C:
        return CODE_C;
    case PLANE_M:
        return CODE_M;
    case PLANE_VALID:
        return CODE_VALID;
    case PLANE_CONST:
        return CODE_CONST + operand->number;
    case PLANE_SCRATCH:
        return scratch_code(blocks, operand);
    default:
        return buffer_code(blocks, operand);
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
static struct table_operand operand_at(const struct code_blocks *blocks, uint32_t code) {
    if (in_block(&code, CODE_NEAR))
        return fixed_operand(code);
    if (in_block(&code, blocks->compute))
        return operand(PLANE_SCRATCH, 0, (uint16_t)table_row_at_rank(blocks->t, code));
    if (in_block(&code, blocks->near_bits))
        return operand(PLANE_REGISTER, offset_at(code / 3), (uint16_t)(code % 3));
    if (in_block(&code, blocks->carries))
        return carry_at(code);
    if (in_block(&code, blocks->rows))
        return operand(PLANE_SCRATCH, 0,
                       (uint16_t)table_row_at_rank(blocks->t, blocks->compute + code));
    if (in_block(&code, blocks->more_carries))
        return carry_at(code + CARRIES_NEAR * CARRY_PLACES);
    if (in_block(&code, blocks->far_bits))
        return operand(PLANE_REGISTER, offset_at(code / 3), (uint16_t)(code % 3));
    if (in_block(&code, blocks->far_rows))
        return operand(PLANE_SCRATCH, offset_at(code / plane_target(blocks->t)->scratch_rows),
                       (uint16_t)(code % plane_target(blocks->t)->scratch_rows));
    return operand(PLANE_BUFFER, (int8_t)unzigzag(code / (2 * CARRIES)),
                   (uint16_t)(code % (2 * CARRIES)));
}

/* ---- fields ---- */

static void add_field(struct table_fields *fields, unsigned base, unsigned more) {
    fields->base[fields->count] = (uint8_t)base;
    fields->more[fields->count++] = (uint8_t)more;
}

bool table_has_operand(const struct target_op *op, unsigned index) {
    return !op->fixed[index] && (index < op->nsrc || !op->tied[index - op->nsrc]);
}

static struct table_operand always_operand(const struct target *target, unsigned class) {
    const struct row_class *c = &plane_target(target)->row_classes[class];
    return c->value >= 0 ? operand(PLANE_CONST, 0, (uint16_t)c->value)
                         : operand(PLANE_SCRATCH, 0, (uint16_t)c->first_scratch);
}

/* Fills in the others. */
static void table_fill_operands(const struct target *target, const struct target_op *op,
                                struct table_operand *operands) {
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        if (op->fixed[i])
            operands[i] = always_operand(target, op->fixed[i] - 1u);
        else if (!table_has_operand(op, i))
            operands[i] = operands[op->tied[i - op->nsrc] - 1];
}

/* Addresses of a command that activates rows, each of them a row or a group; 0 for other ops. */
static unsigned addresses_of(const struct target_op *op) {
    return (op->first_rows > 0) + (unsigned)(op->second_rows > 0);
}

static unsigned operand_fields(const struct table_layout *layout, const struct target_op *op) {
    unsigned operands = 0;
    if (plane_target(layout->t)->sections == 1 && op->first_rows)
        return addresses_of(op);
    for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
        operands += table_has_operand(op, i);
    return operands;
}

static void lay_out_op(struct table_layout *layout, struct table_fields *fields,
                       const struct target_op *op) {
    unsigned operands = operand_fields(layout, op), room = TABLE_TEMPLATE_BITS - layout->kind_bits;
    if (layout->forwards)
        add_field(fields, 1, 0);
    for (unsigned i = 0; i < operands; i++)
        add_field(fields, (room - layout->forwards) / operands, room / operands);
}

/* Variants of a command that activates rows are one kind: what is activated says which. */
static void number_kinds(struct table_layout *layout) {
    const struct target *t = layout->t;
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++) {
        bool same = plane_target(t)->sections == 1 && plane_target(t)->ops[i].first_rows &&
                    plane_target(t)->ops[i].first_variant < i;
        if (!same)
            layout->op_of_kind[layout->op_kinds++] = (uint16_t)i;
        layout->kind_of_op[i] = same ? layout->kind_of_op[plane_target(t)->ops[i].first_variant]
                                     : (uint16_t)(layout->op_kinds - 1);
    }
    layout->kinds = layout->op_kinds + TABLE_CONTROLS;
}

/* Order of the fields of a loop and of a move; enum values index them. */
enum { LOOP_PIPELINED, LOOP_STEP, LOOP_CHANGE, LOOP_LAPS, LOOP_LENGTH };
enum { MOVE_MODE, MOVE_CHANGE, MOVE_VALUE };

static void lay_out_controls(struct table_layout *layout, struct table_fields *fields) {
    unsigned room = TABLE_TEMPLATE_BITS - layout->kind_bits, base = room - 5, more = room - 6;
    add_field(&fields[CONTROL_LOOP], 1, 0);
    add_field(&fields[CONTROL_LOOP], 2, 3);
    add_field(&fields[CONTROL_LOOP], 2, 3);
    add_field(&fields[CONTROL_LOOP], base / 2, more / 2);
    add_field(&fields[CONTROL_LOOP], base - base / 2, more - more / 2);
    add_field(&fields[CONTROL_MOVE], 2, 0);
    add_field(&fields[CONTROL_MOVE], 3, room / 2);
    add_field(&fields[CONTROL_MOVE], base, room - room / 2);
    add_field(&fields[CONTROL_POINTER], room, 0);
    add_field(&fields[CONTROL_FORWARD], room, 0);
}

void table_layout_make(const struct target *target, struct table_layout *layout) {
    struct code_blocks b = blocks_of(target);
    *layout = (struct table_layout){.t = target};
    number_kinds(layout);
    while (layout->kinds > 1u << layout->kind_bits)
        layout->kind_bits++;
    layout->forwards = plane_target(target)->sections > 1;
    for (uint32_t i = 0; i < layout->op_kinds; i++)
        lay_out_op(layout, &layout->fields[i], &plane_target(target)->ops[layout->op_of_kind[i]]);
    lay_out_controls(layout, &layout->fields[layout->op_kinds]);
    layout->codes = plane_target(target)->sections == 1 ? table_codes_flat(target) : code_count(&b);
}

static unsigned control_kind(const struct table_layout *layout, enum table_control control) {
    return layout->op_kinds + control;
}

/* ---- entries to fields and back ---- */

static bool is_row_of(const struct target *target, unsigned class,
                      const struct table_operand *operand) {
    return operand->class == PLANE_SCRATCH && operand->mode == MODE_PLAIN && !operand->outer &&
           operand->number == plane_target(target)->row_classes[class].first_scratch;
}

static bool is_group(const struct target *target, const struct row_group *group, unsigned rows,
                     unsigned inverted, const struct table_operand *operands) {
    bool same = group->count == rows;
    for (unsigned i = 0; same && i < rows; i++)
        same = group->inverted[i] == (i >= rows - inverted) &&
               is_row_of(target, group->class[i], &operands[i]);
    return same;
}

/* An address: a row, or the group of these rows. */
static uint32_t address_code(const struct target *target, unsigned rows, unsigned inverted,
                             const struct table_operand *operands) {
    if (rows == 1 && !inverted)
        return table_code_flat(target, operands);
    for (uint32_t i = 0; i < plane_target(target)->group_count; i++)
        if (is_group(target, &plane_target(target)->groups[i], rows, inverted, operands))
            return table_group_code(target, i);
    return NO_CODE;
}

static unsigned address_fields(const struct target *target, const struct target_op *op,
                               const struct table_operand *operands, uint32_t *values) {
    unsigned second = op->nsrc + (unsigned)op->ndst - op->second_rows;
    values[0] = address_code(target, op->first_rows, op->first_inverted, operands);
    if (op->second_rows)
        values[1] = address_code(target, op->second_rows, op->second_inverted, operands + second);
    return addresses_of(op);
}

static unsigned op_fields(const struct table_layout *layout, const struct table_entry *entry,
                          uint32_t *values) {
    struct code_blocks b = blocks_of(layout->t);
    const struct target_op *op = &plane_target(layout->t)->ops[entry->op];
    bool flat = plane_target(layout->t)->sections == 1;
    unsigned n = 0;
    if (layout->forwards)
        values[n++] = entry->forward == FORWARD_RULE;
    if (flat && op->first_rows)
        n += address_fields(layout->t, op, entry->operands, values + n);
    else
        for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst; i++)
            if (table_has_operand(op, i))
                values[n++] = flat ? table_code_flat(layout->t, &entry->operands[i])
                                   : code_of(&b, &entry->operands[i]);
    return layout->kind_of_op[entry->op];
}

/* The values of an entry's fields; its kind. */
static unsigned entry_fields(const struct table_layout *layout, const struct table_entry *entry,
                             uint32_t *values) {
    switch (entry->kind) {
    case ENTRY_OP:
        return op_fields(layout, entry, values);
    case ENTRY_LOOP:
        values[LOOP_PIPELINED] = entry->forward;
        values[LOOP_STEP] = zigzag(entry->loop.step);
        values[LOOP_CHANGE] = zigzag(entry->loop.change);
        values[LOOP_LAPS] = entry->loop.laps;
        values[LOOP_LENGTH] = entry->loop.words;
        return control_kind(layout, CONTROL_LOOP);
    case ENTRY_MOVE:
        values[MOVE_MODE] = entry->move.mode;
        values[MOVE_CHANGE] = zigzag(entry->move.change);
        values[MOVE_VALUE] = zigzag(entry->move.value);
        return control_kind(layout, CONTROL_MOVE);
    default:
        values[0] = entry->pointer;
        return control_kind(layout, CONTROL_POINTER);
    }
}

static unsigned bits_of(uint32_t value) {
    return value ? 32 - (unsigned)__builtin_clz(value) : 0;
}

/* Extends that the values need; MAX_EXTENDS + 1 if no number of them suffices. */
static unsigned extends_needed(const struct table_fields *fields, const uint32_t *values) {
    unsigned most = 0;
    for (unsigned i = 0; i < fields->count; i++) {
        unsigned n = values[i] == NO_CODE ? MAX_EXTENDS + 1 : 0;
        while (n <= MAX_EXTENDS && fields->base[i] + n * fields->more[i] < bits_of(values[i]))
            n++;
        most = n > most ? n : most;
    }
    return most;
}

unsigned table_entry_words(const struct table_layout *layout, const struct table_entry *entry) {
    uint32_t values[TABLE_MAX_FIELDS];
    unsigned extends = extends_needed(&layout->fields[entry_fields(layout, entry, values)], values);
    if (extends > MAX_EXTENDS)
        return 0;
    if (entry->kind != ENTRY_OP || entry->forward < FORWARD_FROM)
        return 1 + extends;
    bool fits = bits_of(entry->forward - FORWARD_FROM) <= TABLE_TEMPLATE_BITS - layout->kind_bits;
    return fits ? 2 + extends : 0;
}

static uint32_t cut(uint32_t value, unsigned at, unsigned bits) {
    return at < 32 ? value >> at & ((UINT32_C(1) << bits) - 1) : 0;
}

/* Kind, then the fields from the top down. */
static uint32_t pack(const struct table_layout *layout, unsigned kind, const uint8_t *widths,
                     unsigned count, const uint32_t *values) {
    unsigned at = TABLE_TEMPLATE_BITS - layout->kind_bits;
    uint32_t word = (uint32_t)kind << at;
    for (unsigned i = 0; i < count; i++) {
        at -= widths[i];
        word |= values[i] << at;
    }
    return word;
}

void table_entry_encode(const struct table_layout *layout, const struct table_entry *entry,
                        struct word_list *out) {
    uint32_t values[TABLE_MAX_FIELDS], part[TABLE_MAX_FIELDS];
    unsigned kind = entry_fields(layout, entry, values);
    const struct table_fields *f = &layout->fields[kind];
    if (entry->kind == ENTRY_OP && entry->forward >= FORWARD_FROM)
        vec_push(out, (uint32_t)control_kind(layout, CONTROL_FORWARD)
                              << (TABLE_TEMPLATE_BITS - layout->kind_bits) |
                          (entry->forward - FORWARD_FROM));
    for (unsigned n = extends_needed(f, values); n-- > 0;) {
        for (unsigned i = 0; i < f->count; i++)
            part[i] = cut(values[i], f->base[i] + n * f->more[i], f->more[i]);
        vec_push(out, pack(layout, control_kind(layout, CONTROL_EXTEND), f->more, f->count, part));
    }
    for (unsigned i = 0; i < f->count; i++)
        part[i] = cut(values[i], 0, f->base[i]);
    vec_push(out, pack(layout, kind, f->base, f->count, part));
}

/* Fields of one word behind the values so far; false if a value no longer fits 32 bits or the
 * bits that are not used are not zero. */
static bool unpack(const struct table_layout *layout, uint32_t word, const uint8_t *widths,
                   unsigned count, uint32_t *values) {
    unsigned at = TABLE_TEMPLATE_BITS - layout->kind_bits;
    for (unsigned i = 0; i < count; i++) {
        at -= widths[i];
        if (bits_of(values[i]) + widths[i] > 31)
            return false;
        values[i] = values[i] << widths[i] | cut(word, at, widths[i]);
    }
    return cut(word, 0, at) == 0;
}

static const char no_such_operand[] = "an operand has a code without a meaning";

static const char *take_operand(const struct table_layout *layout, uint32_t code,
                                struct table_operand *to) {
    struct code_blocks b = blocks_of(layout->t);
    bool flat = plane_target(layout->t)->sections == 1;
    if (code >= layout->codes || (flat && table_group_at(layout->t, code)))
        return no_such_operand;
    struct table_operand o = flat ? table_operand_flat(layout->t, code) : operand_at(&b, code);
    memcpy(to, &o, sizeof o);
    return NULL;
}

static void group_operands(const struct target *target, const struct row_group *group,
                           struct table_operand *operands) {
    for (unsigned i = 0; i < group->count; i++)
        operands[i] = (struct table_operand){
            .class = PLANE_SCRATCH,
            .number = (uint16_t)plane_target(target)->row_classes[group->class[i]].first_scratch};
}

/* The variant that activates these rows, and its operands. */
static const char *take_addresses(const struct table_layout *layout, const uint32_t *values,
                                  struct table_entry *entry) {
    static const struct row_group row = {.count = 1};
    const struct row_group *groups[2] = {NULL};
    unsigned count = addresses_of(&plane_target(layout->t)->ops[entry->op]);
    for (unsigned i = 0; i < count; i++) {
        const struct row_group *g = table_group_at(layout->t, values[i]);
        groups[i] = g ? g : &row;
    }
    int op = technology_activation(layout->t, entry->op, groups[0], groups[1]);
    if (op < 0)
        return "a command cannot activate these rows";
    entry->op = (uint8_t)op;
    for (unsigned i = 0; i < count; i++) {
        const struct target_op *o = &plane_target(layout->t)->ops[op];
        unsigned at = i ? o->nsrc + (unsigned)o->ndst - o->second_rows : 0;
        const char *problem = NULL;
        if (groups[i] == &row)
            problem = take_operand(layout, values[i], &entry->operands[at]);
        else
            group_operands(layout->t, groups[i], &entry->operands[at]);
        if (problem)
            return problem;
    }
    return NULL;
}

static const char *take_op(const struct table_layout *layout, const uint32_t *values,
                           struct table_entry *entry) {
    const struct target_op *op = &plane_target(layout->t)->ops[entry->op];
    unsigned n = layout->forwards;
    const char *problem = NULL;
    if (op->nsrc > UOP_MAX || op->ndst > UOP_MAX)
        return "a micro-op has more operands than recipes can give it";
    if (layout->forwards && values[0] && entry->forward != FORWARD_NOT)
        return "a micro-op is forwarded from two places";
    if (layout->forwards && values[0])
        entry->forward = FORWARD_RULE;
    if (plane_target(layout->t)->sections == 1 && op->first_rows)
        problem = take_addresses(layout, values, entry);
    else
        for (unsigned i = 0; i < op->nsrc + (unsigned)op->ndst && !problem; i++)
            if (table_has_operand(op, i))
                problem = take_operand(layout, values[n++], &entry->operands[i]);
    if (!problem)
        table_fill_operands(layout->t, &plane_target(layout->t)->ops[entry->op], entry->operands);
    return problem;
}

static const char *take_control(const struct table_layout *layout, unsigned kind,
                                const uint32_t *values, struct table_entry *entry) {
    if (kind == control_kind(layout, CONTROL_LOOP)) {
        entry->kind = ENTRY_LOOP;
        entry->forward = values[LOOP_PIPELINED];
        entry->loop.step = unzigzag(values[LOOP_STEP]);
        entry->loop.change = unzigzag(values[LOOP_CHANGE]);
        entry->loop.laps = values[LOOP_LAPS];
        entry->loop.words = values[LOOP_LENGTH];
        return NULL;
    }
    if (kind == control_kind(layout, CONTROL_POINTER)) {
        entry->kind = ENTRY_POINTER;
        entry->pointer = values[0];
        return NULL;
    }
    entry->kind = ENTRY_MOVE;
    entry->move.mode = values[MOVE_MODE];
    entry->move.change = unzigzag(values[MOVE_CHANGE]);
    entry->move.value = unzigzag(values[MOVE_VALUE]);
    return entry->move.mode > MOVE_FROM_HERE ? "a move has a mode without a meaning" : NULL;
}

static unsigned kind_of(const struct table_layout *layout, uint32_t word) {
    return word >> (TABLE_TEMPLATE_BITS - layout->kind_bits);
}

/* Reads a forward and counts the extends in front of a template; *at is then its index. */
static const char *take_prefixes(const struct table_layout *layout, const uint32_t *words, size_t n,
                                 size_t *at, unsigned *extends, uint32_t *forward) {
    uint32_t distance = 0;
    *extends = 0;
    *forward = FORWARD_NOT;
    if (*at < n && kind_of(layout, words[*at]) == control_kind(layout, CONTROL_FORWARD)) {
        distance = cut(words[*at], 0, TABLE_TEMPLATE_BITS - layout->kind_bits);
        if (distance == 0 || !layout->forwards)
            return "a micro-op is forwarded from nowhere";
        *forward = FORWARD_FROM + distance;
        ++*at;
    }
    while (*at < n && kind_of(layout, words[*at]) == control_kind(layout, CONTROL_EXTEND)) {
        if (++*extends > MAX_EXTENDS)
            return "a template is extended too often";
        ++*at;
    }
    return *at < n ? NULL : "it ends inside a template";
}

const char *table_entry_decode(const struct table_layout *layout, const uint32_t *words, size_t n,
                               struct table_entry *entry) {
    uint32_t values[TABLE_MAX_FIELDS] = {0}, forward;
    unsigned extends;
    size_t at = 0;
    memset(entry, 0, sizeof *entry);
    const char *problem = take_prefixes(layout, words, n, &at, &extends, &forward);
    if (problem)
        return problem;
    unsigned kind = kind_of(layout, words[at]);
    if (kind >= layout->kinds || kind == control_kind(layout, CONTROL_FORWARD))
        return "a template has a kind without a meaning";
    const struct table_fields *f = &layout->fields[kind];
    for (unsigned i = 0; i < extends; i++)
        if (!unpack(layout, words[at - extends + i], f->more, f->count, values))
            return "a template's extension is not possible";
    if (!unpack(layout, words[at], f->base, f->count, values))
        return "a template's fields are not possible";
    entry->words = (uint16_t)(at + 1);
    entry->op = kind < layout->op_kinds ? layout->op_of_kind[kind] : 0;
    entry->forward = forward;
    if (kind < layout->op_kinds)
        return take_op(layout, values, entry);
    return forward ? "something else than a micro-op is forwarded"
                   : take_control(layout, kind, values, entry);
}
