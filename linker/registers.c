/* SPDX-License-Identifier: MIT
 * The register map: as many bits as the widest use of each register needs. */
#include "linker/pack.h"

void package_widen_register(uint8_t map[64], unsigned reg, unsigned bits) {
    if (reg < 64 && bits > map[reg])
        map[reg] = (uint8_t)bits;
}

static void widen(void *context, unsigned reg, unsigned bits) {
    package_widen_register(context, reg, bits);
}

static void widen_move(const struct move *m, uint8_t bits[64]) {
    for (unsigned k = 0; k < m->dst_count; k++)
        widen(bits, m->dst_reg + k, m->width);
    for (unsigned k = 0; k < m->src_count; k++)
        widen(bits, m->src_reg + k, m->width);
    for (unsigned k = 0; k < object_move_index_count(m); k++)
        widen(bits, m->index.reg + k, m->index.type.bits);
}

void package_program_registers(const struct object *o, const uint32_t *text, uint8_t bits[64]) {
    struct insn insn;
    for (unsigned r = 0; r < 64; r++)
        bits[r] = 0;
    for (size_t i = 0; i < o->text.len; i++)
        if (isa_decode(text[i], &insn) == ISA_OK)
            isa_visit_registers(&insn, widen, bits);
    for (size_t i = 0; i < o->vars.len; i++)
        for (uint32_t k = 0; k < o->vars.data[i].count; k++)
            widen(bits, o->vars.data[i].reg + k, o->vars.data[i].type.bits);
    for (size_t i = 0; i < o->moves.len; i++)
        widen_move(&o->moves.data[i], bits);
    for (size_t i = 0; i < o->finishes.len; i++)
        widen(bits, o->finishes.data[i].reg, o->finishes.data[i].type.bits);
    for (size_t i = 0; i < o->debugs.len; i++)
        if (o->debugs.data[i].kind == DEBUG_PRINT)
            widen(bits, o->debugs.data[i].reg, o->debugs.data[i].type.bits);
}

void package_build_register_map(struct pack *k) {
    struct str problem = {0};
    package_program_registers(k->program, k->p->text, k->p->reg_bits);
    if (!machine_has_room(k->library, k->p->reg_bits, &problem))
        diag_error(k->d, NO_SPAN, "%s", str_text(&problem));
    str_free(&problem);
}
