/* SPDX-License-Identifier: MIT
 * Registers of a column: of those that are held, the one that is read last of all makes room. */
#include "machines/plane/run/native_registers.h"

#include <string.h>

#define MOST_SPILL (1u << 20)
/* Of all planes, the part by which fetches are ahead in code over all columns of a tile: about what
 * is done while memory answers. */
#define NEAR 12

void plane_registers_begin(struct code_registers *r, unsigned registers, uint32_t variables) {
    r->reg = xmalloc((size_t)variables + 1);
    memset(r->reg, CODE_NOWHERE, (size_t)variables + 1);
    r->spill = xcalloc((size_t)variables + 1, sizeof *r->spill);
    for (unsigned k = 0; k < registers; k++)
        plane_register_give(r, k);
}

void plane_registers_end(struct code_registers *r) {
    free(r->reg);
    free(r->spill);
    vec_free(&r->free_spills);
    vec_free(&r->left_spills);
}

void plane_registers_next(struct code_registers *r) {
    r->pinned = 0;
    while (r->left_spills.len > 0)
        vec_push(&r->free_spills, r->left_spills.data[--r->left_spills.len]);
}

void plane_register_give(struct code_registers *r, unsigned reg) {
    r->queue[(r->queue_first + r->queue_count++) % CODE_MOST_REGISTER] = (uint8_t)reg;
}

void plane_register_hold(struct code_registers *r, unsigned reg, uint32_t variable, uint32_t next) {
    r->reg[variable] = (uint8_t)reg;
    r->held[reg] = variable;
    r->next[reg] = next;
}

static bool is_in_tile(const struct code_registers *r, uint32_t variable) {
    return variable < r->source->slots;
}

/* --- memory --- */

static struct x86_memory tile_memory(struct code_registers *r, uint32_t variable) {
    const struct plane_code_place *at = &r->source->places[variable];
    const uint32_t *extent = r->source->extent;
    bool good = at->base < PLANE_CODE_BASES && extent[at->base] >= PLANE_STRIDE &&
                at->offset <= extent[at->base] - PLANE_STRIDE && at->offset % PLANE_STRIDE == 0;
    r->out->bad |= !good;
    return (struct x86_memory){good ? plane_code_base_gpr[at->base] : X86_RSI, X86_RSP,
                               good ? (int32_t)(at->offset + at->column) : 0};
}

struct x86_operand plane_register_memory(struct code_registers *r, uint32_t variable) {
    struct x86_operand at = {.in_memory = true};
    if (is_in_tile(r, variable)) {
        at.masked = true;
        at.memory = tile_memory(r, variable);
        return at;
    }
    /* Only what a step reads that no step has written is not there. */
    r->out->bad |= r->spill[variable] == 0;
    at.memory = (struct x86_memory){X86_RSI, X86_RSP, (int32_t)r->spill[variable]};
    return at;
}

void plane_register_fetch(struct code_registers *r, const struct code_ops *ops, size_t number,
                          bool near) {
    size_t count = ops->touched.len, at = number + (near ? count / NEAR : count);
    struct x86_memory plane = tile_memory(r, ops->touched.data[at % count]);
    if (at >= count)
        plane.index = X86_RDX;
    plane_x86_prefetch(&r->out->code, plane);
}

bool plane_register_is_operand(const struct code_registers *r, uint32_t variable) {
    return !r->narrow_part || !is_in_tile(r, variable);
}

void plane_register_load(struct code_registers *r, unsigned reg, uint32_t variable) {
    const struct x86_operand from = plane_register_memory(r, variable);
    r->out->ops++;
    if (plane_register_is_operand(r, variable))
        plane_x86_load(&r->out->code, reg, from);
    else
        plane_x86_load_masked(&r->out->code, reg, 15, from.memory);
}

void plane_register_store(struct code_registers *r, unsigned reg, uint32_t variable) {
    const struct x86_operand to = plane_register_memory(r, variable);
    struct plane_code_bytes at = {.begin = r->out->code.bytes.len};
    r->out->ops++;
    if (plane_register_is_operand(r, variable))
        plane_x86_store(&r->out->code, to, reg);
    else
        plane_x86_store_masked(&r->out->code, to.memory, 15, reg);
    at.end = r->out->code.bytes.len;
    vec_push(&r->out->stores, at);
}

/* --- which one makes room --- */

static unsigned last_read(const struct code_registers *r) {
    unsigned registers = r->out->code.wide ? 32 : 16, found = CODE_NOWHERE;
    for (unsigned k = 0; k < registers; k++)
        if (!(r->pinned >> k & 1) && r->held[k] != CODE_NEVER &&
            (found == CODE_NOWHERE || r->next[k] > r->next[found]))
            found = k;
    return found;
}

static void spill(struct code_registers *r, unsigned reg) {
    uint32_t variable = r->held[reg];
    if (is_in_tile(r, variable) || r->spill[variable])
        return;
    if (r->free_spills.len > 0) {
        r->spill[variable] = r->free_spills.data[--r->free_spills.len];
    } else {
        r->spill[variable] = r->out->spill_bytes;
        r->out->spill_bytes += r->vector;
        r->out->bad |= r->out->spill_bytes > MOST_SPILL;
    }
    const struct x86_operand to = {.in_memory = true,
                                   .memory = {X86_RSI, X86_RSP, (int32_t)r->spill[variable]}};
    plane_x86_store(&r->out->code, to, reg);
    r->out->ops++;
}

unsigned plane_register_take(struct code_registers *r) {
    if (r->queue_count > 0) {
        unsigned reg = r->queue[r->queue_first];
        r->queue_first = (r->queue_first + 1) % CODE_MOST_REGISTER;
        r->queue_count--;
        r->held[reg] = CODE_NEVER;
        return reg;
    }
    unsigned reg = last_read(r);
    spill(r, reg);
    r->reg[r->held[reg]] = CODE_NOWHERE;
    r->held[reg] = CODE_NEVER;
    return reg;
}

bool plane_register_pays(const struct code_registers *r, uint32_t next) {
    if (next == CODE_NEVER)
        return false;
    if (r->queue_count > 0)
        return true;
    unsigned reg = last_read(r);
    return reg != CODE_NOWHERE && r->next[reg] > next;
}

void plane_register_forget(struct code_registers *r, uint32_t variable) {
    if (r->reg[variable] != CODE_NOWHERE) {
        r->held[r->reg[variable]] = CODE_NEVER;
        plane_register_give(r, r->reg[variable]);
        r->reg[variable] = CODE_NOWHERE;
    }
    if (r->spill[variable]) {
        vec_push(&r->left_spills, r->spill[variable]);
        r->spill[variable] = 0;
    }
}
