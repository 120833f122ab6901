/* SPDX-License-Identifier: MIT
 * The register map: as many bits as the widest use of each register needs. */
#include "linker/package/pack.h"

void package_widen_register(uint8_t map[64], unsigned reg, unsigned bits) {
    if (reg < 64 && bits > map[reg])
        map[reg] = (uint8_t)bits;
}

static void widen(void *context, unsigned reg, unsigned bits) {
    package_widen_register(context, reg, bits);
}

static void widen_move(const struct move *move, uint8_t bits[64]) {
    for (unsigned k = 0; k < move->dst_count; k++)
        widen(bits, move->dst_reg + k, move->width);
    for (unsigned k = 0; k < move->src_count; k++)
        widen(bits, move->src_reg + k, move->width);
    for (unsigned k = 0; k < object_move_index_count(move); k++)
        widen(bits, move->index.reg + k, move->index.type.bits);
}

void package_program_registers(const struct object *object, const uint32_t *text,
                               uint8_t bits[64]) {
    struct insn insn;
    for (unsigned r = 0; r < 64; r++)
        bits[r] = 0;
    for (size_t i = 0; i < object->text.len; i++)
        if (object_decode(object, text[i], &insn) == ISA_OK)
            isa_visit_registers(&insn, widen, bits);
    for (size_t i = 0; i < object->vars.len; i++)
        for (uint32_t k = 0; k < object->vars.data[i].count; k++)
            widen(bits, object->vars.data[i].reg + k, object->vars.data[i].type.bits);
    for (size_t i = 0; i < object->moves.len; i++)
        widen_move(&object->moves.data[i], bits);
    for (size_t i = 0; i < object->finishes.len; i++)
        widen(bits, object->finishes.data[i].reg, object->finishes.data[i].type.bits);
    for (size_t i = 0; i < object->debugs.len; i++)
        if (object_debug_has_register(object->debugs.data[i].kind))
            widen(bits, object->debugs.data[i].reg, object->debugs.data[i].type.bits);
}

/* Of each kin by itself, where there are several. */
static void refuse_kin(struct pack *pack) {
    struct str problem = {0};
    for (uint32_t kin = 0; kin < pack->p->kin_count; kin++) {
        str_clear(&problem);
        package_kin_text(pack->p, pack->program, kin, &problem);
        str_append(&problem, ": ");
        if (!machine_has_room(pack->library, pack->p->kins[kin].reg_bits, &problem))
            diag_error(pack->d, package_kin_span(pack->p, pack->program, kin, pack->d), "%s",
                       str_text(&problem));
    }
    str_free(&problem);
}

void package_build_register_map(struct pack *pack) {
    struct str problem = {0};
    package_program_registers(pack->program, pack->p->text, pack->p->reg_bits);
    package_widen_kernels(pack->p, pack->p->reg_bits);
    if (pack->p->kins)
        refuse_kin(pack);
    else if (!machine_has_room(pack->library, pack->p->reg_bits, &problem))
        diag_error(pack->d, NO_SPAN, "%s", str_text(&problem));
    str_free(&problem);
}
