/* SPDX-License-Identifier: MIT
 * Cuts the definitions of a segment into blocks of at most three inputs and two outputs, each of
 * which the search turns into micro-ops as a whole. */
#include "recipe/map/mapping.h"

#include <string.h>

/* Blocks are tried up to this many definitions; more than two outputs on the way may become fewer
 * with the next definition. */
#define LOOK_AHEAD 12

/* Names that a block gives to one value, so that its entries suffice: two values with two fixed
 * writes, these and one for other blocks each. */
#define MAX_LOOSE 4

/* --- what is needed, and how early --- */

static void note_leaves(struct segment *segment, const struct logic *logic, bool needed,
                        bool early) {
    if (logic->op == LOGIC_LEAF) {
        segment->values.data[logic->ref.value].needed |= needed;
        segment->values.data[logic->ref.value].early |= early;
    }
    for (unsigned i = 0; i < logic->count; i++)
        note_leaves(segment, logic->args[i], needed, early);
}

static void note_needs(struct mapping *mapping, struct segment *segment) {
    for (size_t i = 0; i < segment->writes.len; i++) {
        const struct map_write *w = &segment->writes.data[i];
        struct map_value *v = &segment->values.data[w->ref.value];
        v->needed = true;
        v->early |= mapping->names.data[w->name].kind == NAME_CARRY;
    }
    for (size_t i = segment->defs.len; i-- > 0;)
        for (unsigned k = 0; k < segment->defs.data[i].count; k++) {
            const struct map_value *v = &segment->values.data[segment->defs.data[i].values[k]];
            note_leaves(segment, v->tree, v->needed, v->early);
        }
}

static bool is_needed(const struct segment *segment, uint32_t def) {
    for (unsigned k = 0; k < segment->defs.data[def].count; k++)
        if (segment->values.data[segment->defs.data[def].values[k]].needed)
            return true;
    return false;
}

/* --- writes --- */

static bool is_loose(const struct mapping *mapping, const struct map_write *write) {
    enum name_kind kind = mapping->names.data[write->name].kind;
    return kind == NAME_SCRATCH || kind == NAME_CARRY;
}

/* Outputs that a block may spend on one value: all of its two for a lone one. */
static unsigned outputs_for(const struct segment *segment, uint32_t value) {
    return SEARCH_MAX_OUTPUTS / segment->defs.data[segment->values.data[value].def].count;
}

/* Writes that no block of definitions can do beside the others get a block of their own: of what
 * was there before the segment, of constants, inverses of what is also wanted as it is, and
 * results beyond the second.  Latches first: they may be written by a function alone. */
static void choose_moved(struct mapping *mapping, struct segment *segment, uint32_t value) {
    unsigned free = outputs_for(segment, value), plain = 0, loose = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < segment->writes.len; i++) {
            struct map_write *w = &segment->writes.data[i];
            bool latch = mapping->names.data[w->name].kind == NAME_LATCH;
            if (w->ref.value != value || is_loose(mapping, w) || latch != (round == 0))
                continue;
            w->moved = free == 0;
            plain += !w->moved && !latch && !w->ref.inverted;
            free -= free > 0;
        }
    for (int inverted = 0; inverted < 2; inverted++)
        for (size_t i = 0; i < segment->writes.len; i++) {
            struct map_write *w = &segment->writes.data[i];
            if (w->ref.value != value || !is_loose(mapping, w) ||
                w->ref.inverted != (inverted == 1))
                continue;
            w->moved = inverted ? plain + loose > 0 || free == 0
                                : (plain == 0 && free == 0) || loose == MAX_LOOSE;
            loose += !w->moved;
        }
}

static void choose_all_moved(struct mapping *mapping, struct segment *segment) {
    for (size_t i = 0; i < segment->writes.len; i++) {
        struct map_write *w = &segment->writes.data[i];
        if (segment->values.data[w->ref.value].tree)
            choose_moved(mapping, segment, w->ref.value);
        else
            w->moved = true;
    }
}

/* --- blocks --- */

static bool reads_value(const struct logic *logic, uint32_t value) {
    if (logic->op == LOGIC_LEAF)
        return logic->ref.value == value;
    for (unsigned i = 0; i < logic->count; i++)
        if (reads_value(logic->args[i], value))
            return true;
    return false;
}

static bool def_reads(const struct segment *segment, uint32_t def, uint32_t value) {
    for (unsigned k = 0; k < segment->defs.data[def].count; k++)
        if (reads_value(segment->values.data[segment->defs.data[def].values[k]].tree, value))
            return true;
    return false;
}

/* Does something beside the definitions [first, end) and the writes that they do read the value? */
static bool read_outside(const struct segment *segment, uint32_t first, uint32_t end,
                         uint32_t value) {
    for (uint32_t d = 0; d < segment->defs.len; d++)
        if ((d < first || d >= end) && is_needed(segment, d) && def_reads(segment, d, value))
            return true;
    for (size_t i = 0; i < segment->writes.len; i++)
        if (segment->writes.data[i].moved && segment->writes.data[i].ref.value == value)
            return true;
    return false;
}

static bool is_inside(const struct segment *segment, uint32_t first, uint32_t end, uint32_t value) {
    const struct map_value *v = &segment->values.data[value];
    return v->tree && v->def >= first && v->def < end;
}

static bool list_inputs(const struct segment *segment, const struct logic *logic,
                        struct map_block *block) {
    if (logic->op == LOGIC_LEAF &&
        !is_inside(segment, block->first_def, block->end_def, logic->ref.value)) {
        for (unsigned i = 0; i < block->input_count; i++)
            if (block->inputs[i] == logic->ref.value)
                return true;
        if (block->input_count == SEARCH_MAX_INPUTS)
            return false;
        block->inputs[block->input_count++] = logic->ref.value;
    }
    for (unsigned i = 0; i < logic->count; i++)
        if (!list_inputs(segment, logic->args[i], block))
            return false;
    return true;
}

/* Outputs that the block's value takes. */
static unsigned count_outputs(struct mapping *mapping, const struct segment *segment,
                              const struct map_block *block, uint32_t value) {
    unsigned fixed = 0, plain = 0,
             loose = read_outside(segment, block->first_def, block->end_def, value);
    for (size_t i = 0; i < segment->writes.len; i++) {
        const struct map_write *w = &segment->writes.data[i];
        if (w->ref.value != value || w->moved)
            continue;
        bool is_register = mapping->names.data[w->name].kind == NAME_REGISTER;
        fixed += !is_loose(mapping, w);
        plain += is_register && !w->ref.inverted;
        loose += is_loose(mapping, w);
    }
    return fixed + (loose > 0 && plain == 0);
}

/* Fills in the inputs; false if there are too many of them, or of outputs. */
static bool fits(struct mapping *mapping, const struct segment *segment, struct map_block *block) {
    unsigned outputs = 0;
    bool inputs = true;
    block->input_count = 0;
    for (uint32_t d = block->first_def; d < block->end_def; d++) {
        if (!is_needed(segment, d))
            continue;
        for (unsigned k = 0; k < segment->defs.data[d].count; k++) {
            uint32_t value = segment->defs.data[d].values[k];
            if (!segment->values.data[value].needed)
                continue;
            inputs = inputs && list_inputs(segment, segment->values.data[value].tree, block);
            outputs += count_outputs(mapping, segment, block, value);
        }
    }
    return inputs && outputs <= SEARCH_MAX_OUTPUTS;
}

static void add_entry(struct map_block *block, uint32_t write, uint32_t value, bool inverted) {
    if (block->entry_count < MAX_ENTRIES)
        block->entries[block->entry_count++] = (struct block_entry){write, value, inverted};
}

static void add_entries(struct segment *segment, struct map_block *block, uint32_t value) {
    for (uint32_t i = 0; i < segment->writes.len; i++) {
        const struct map_write *w = &segment->writes.data[i];
        if (w->ref.value == value && !w->moved)
            add_entry(block, i, value, w->ref.inverted);
    }
    if (read_outside(segment, block->first_def, block->end_def, value))
        add_entry(block, NOTHING, value, false);
}

/* The longest run of definitions from `first` on that is one block; at least one is. */
static void grow_block(struct mapping *mapping, const struct segment *segment,
                       struct map_block *block) {
    uint32_t best = block->first_def + 1;
    for (uint32_t end = best; end <= segment->defs.len && end <= block->first_def + LOOK_AHEAD;
         end++) {
        block->end_def = end;
        if (fits(mapping, segment, block))
            best = end;
    }
    block->end_def = best;
    fits(mapping, segment, block);
}

static void add_def_block(struct mapping *mapping, struct segment *segment, uint32_t *def) {
    struct map_block b = {.first_def = *def, .at = segment->defs.data[*def].at};
    grow_block(mapping, segment, &b);
    for (uint32_t d = b.first_def; d < b.end_def; d++)
        for (unsigned k = 0; k < segment->defs.data[d].count; k++) {
            uint32_t value = segment->defs.data[d].values[k];
            segment->values.data[value].block = (uint32_t)segment->blocks.len;
            if (segment->values.data[value].needed)
                add_entries(segment, &b, value);
        }
    *def = b.end_def;
    vec_push(&segment->blocks, b);
}

static void add_move_block(struct segment *segment, uint32_t write) {
    const struct map_write *w = &segment->writes.data[write];
    struct map_block b = {.first_def = 0, .at = w->at};
    if (w->ref.value != 0)
        b.inputs[b.input_count++] = w->ref.value;
    add_entry(&b, write, w->ref.value, w->ref.inverted);
    vec_push(&segment->blocks, b);
}

/* --- phases --- */

static uint32_t new_phase(struct mapping *mapping) {
    vec_push(&mapping->phases, false);
    return (uint32_t)mapping->phases.len - 1;
}

/* Names that live between segments, once for each. */
static uint32_t phase_of_name(struct mapping *mapping, uint32_t name) {
    struct map_name *n = &mapping->names.data[name];
    bool free = n->kind == NAME_CARRY || (n->kind == NAME_SCRATCH && n->exposed);
    if (free && n->phase == NOTHING)
        n->phase = new_phase(mapping);
    return n->phase;
}

/* Where a value lies between blocks: in a register or latch as it is; as a name holds it; or in
 * scratch of its own. */
static uint32_t phase_of_value(struct mapping *mapping, const struct segment *segment,
                               uint32_t value) {
    const struct map_write *home = NULL;
    if (segment->values.data[value].input)
        return phase_of_name(mapping, segment->values.data[value].name);
    for (size_t i = 0; i < segment->writes.len; i++) {
        const struct map_write *w = &segment->writes.data[i];
        if (w->ref.value != value || w->ref.inverted || w->moved)
            continue;
        if (mapping->names.data[w->name].kind == NAME_REGISTER)
            return NOTHING;
        if (is_loose(mapping, w) && !home)
            home = w;
    }
    return home ? phase_of_name(mapping, home->name) : new_phase(mapping);
}

static void add_var(struct map_block *block, uint32_t var) {
    for (unsigned i = 0; i < block->var_count; i++)
        if (block->vars[i] == var)
            return;
    if (var != NOTHING)
        block->vars[block->var_count++] = var;
}

static void find_vars(struct mapping *mapping, struct segment *segment, struct map_block *block) {
    for (unsigned i = 0; i < block->input_count; i++)
        add_var(block, segment->values.data[block->inputs[i]].phase);
    for (unsigned i = 0; i < block->entry_count; i++) {
        const struct block_entry *e = &block->entries[i];
        add_var(block, e->write == NOTHING
                           ? segment->values.data[e->value].phase
                           : phase_of_name(mapping, segment->writes.data[e->write].name));
    }
}

/* --- the segment --- */

bool mapping_cut_blocks(struct mapping *mapping, struct segment *segment) {
    note_needs(mapping, segment);
    choose_all_moved(mapping, segment);
    for (uint32_t d = 0; d < segment->defs.len;)
        if (is_needed(segment, d))
            add_def_block(mapping, segment, &d);
        else
            d++;
    for (uint32_t i = 0; i < segment->writes.len; i++)
        if (segment->writes.data[i].moved)
            add_move_block(segment, i);
    for (uint32_t i = 1; i < segment->values.len; i++)
        if (segment->values.data[i].input || segment->values.data[i].tree)
            segment->values.data[i].phase = phase_of_value(mapping, segment, i);
    for (size_t i = 0; i < segment->blocks.len; i++)
        find_vars(mapping, segment, &segment->blocks.data[i]);
    return true;
}
