/* SPDX-License-Identifier: MIT
 * A register for all that simt_colour gives the same units of a class. */
#include "tests/simt/renaming.h"

#include "machines/core/simt/locate.h"
#include "support/alloc.h"

#include <stdlib.h>

static uint32_t renamed_to(const struct ptx_function *f, const uint8_t *at,
                           const struct simt_colours *c, uint32_t number) {
    const enum ptx_type type = f->registers.data[number].type;
    if (c->unit[number] == PTX_NONE)
        return number;
    for (uint32_t i = 0; i < number; i++)
        if (f->registers.data[i].type == type && c->unit[i] == c->unit[number] &&
            (type == PTX_PRED || at[i] == at[number]))
            return i;
    return number;
}

static void rename_operand(struct ptx_operand *o, const uint32_t *to) {
    for (uint32_t i = 0; o->kind == PTX_VECTOR && i < o->part_count; i++)
        rename_operand((struct ptx_operand *)&o->parts[i], to);
    if (o->kind != PTX_REGISTER)
        return;
    o->index = to[o->index];
    if (o->second != PTX_NONE && o->second != PTX_SINK)
        o->second = to[o->second];
}

static uint32_t rename_all(struct ptx_function *f) {
    const uint32_t n = (uint32_t)f->registers.len;
    uint8_t *at = xcalloc(n + 1, 1);
    uint32_t *to = xcalloc(n + 1, sizeof *to), fewer = 0;
    struct ptx_cfg cfg;
    struct simt_live live;
    struct simt_colours c;
    simt_locate(f, SIMT_REPAIRED, true, at);
    ptx_cfg_make(f, &cfg);
    simt_live_make(f, &cfg, &live);
    simt_colour(&live, at, &c);
    for (uint32_t i = 0; i < n; i++) {
        to[i] = renamed_to(f, at, &c, i);
        fewer += to[i] != i;
    }
    for (size_t i = 0; i < f->insns.len; i++) {
        struct ptx_insn *insn = &f->insns.data[i];
        for (uint32_t k = 0; k < insn->operand_count; k++)
            rename_operand((struct ptx_operand *)&insn->operands[k], to);
        if (insn->guard != PTX_NONE)
            insn->guard = to[insn->guard];
    }
    simt_colours_free(&c);
    simt_live_free(&live);
    ptx_cfg_free(&cfg);
    free(to);
    free(at);
    return fewer;
}

uint32_t simt_rename(struct ptx_module *module) {
    uint32_t fewer = 0;
    for (size_t i = 0; i < module->functions.len; i++)
        if (module->functions.data[i].has_body)
            fewer += rename_all(&module->functions.data[i]);
    return fewer;
}
