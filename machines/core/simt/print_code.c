/* SPDX-License-Identifier: MIT
 * Instructions as text: PTX's names, registers of the machine, and in front where it is carried
 * out. */
#include "machines/core/simt/words.h"

#include <inttypes.h>

static void put_register(struct str *out, unsigned kind, unsigned number, bool negated) {
    if (kind == SIMT_OPERAND_PREDICATE) {
        str_append(out, negated ? "!" : "");
        if (number == SIMT_PT)
            str_append(out, "PT");
        else
            str_printf(out, "P%u", number);
    } else if (kind == SIMT_OPERAND_SPECIAL) {
        str_append(out, ptx_special_name((enum ptx_special)number));
    } else if (number == SIMT_RZ) {
        str_append(out, "RZ");
    } else {
        str_printf(out, "R%u", number);
    }
}

static void put_number(struct str *out, uint64_t number, unsigned bits, bool real) {
    if (real && bits == 32)
        str_printf(out, "0f%08" PRIx64, number);
    else if (real && bits == 64)
        str_printf(out, "0d%016" PRIx64, number);
    else if (bits < 64 && number >> (bits - 1) & 1)
        str_printf(out, "-%" PRIu64, ((uint64_t)1 << bits) - number);
    else
        str_printf(out, "%" PRId64, (int64_t)number);
}

static void put_source(struct str *out, const struct simt_insn *insn, unsigned i) {
    const enum ptx_type type = (enum ptx_type)insn->m.type[insn->op == SIMT_CVT];
    if (insn->source_kind[i] == SIMT_OPERAND_NUMBER)
        put_number(out, insn->number[i], insn->source_bits[i],
                   ptx_type_float(type) && ptx_type_bits(type) == insn->source_bits[i]);
    else
        put_register(out, insn->source_kind[i], insn->source[i], insn->negated >> i & 1);
}

static void put_address(struct str *out, const struct simt_insn *insn) {
    str_char(out, '[');
    put_source(out, insn, 0);
    if (insn->address_bits == 32)
        str_append(out, ".32");
    if (insn->offset)
        str_printf(out, "%+" PRId32, insn->offset);
    str_char(out, ']');
}

static void put_results(struct str *out, const struct simt_insn *insn) {
    const bool several = insn->result_count > 1;
    str_append(out, several ? "{" : "");
    for (unsigned i = 0; i < insn->result_count; i++) {
        str_append(out, i ? "," : "");
        put_register(out, insn->result_kind[i], insn->result[i], false);
    }
    str_append(out, several ? "}" : "");
    if (insn->second != SIMT_PT)
        str_printf(out, "|P%u", insn->second);
}

/* From source `from` on: a vector in braces. */
static void put_sources(struct str *out, const struct simt_insn *insn, unsigned from,
                        const char *between) {
    const bool vector = (insn->op == SIMT_ST && insn->m.vector > 1) ||
                        (insn->op == SIMT_MOV && insn->source_count > 1);
    str_append(out, from < insn->source_count ? between : "");
    str_append(out, vector ? "{" : "");
    for (unsigned i = from; i < insn->source_count; i++) {
        str_append(out, i == from ? "" : vector ? "," : ", ");
        put_source(out, insn, i);
    }
    str_append(out, vector ? "}" : "");
}

static void put_name(struct str *out, const struct simt_insn *insn) {
    struct ptx_modifiers m = insn->m;
    switch (insn->op) {
    case SIMT_NOP:
        str_append(out, "nop");
        break;
    case SIMT_S2R:
    case SIMT_LEA:
        str_printf(out, "%s.%s", insn->op == SIMT_S2R ? "s2r" : "lea",
                   ptx_type_name((enum ptx_type)m.type[0]));
        break;
    case SIMT_BAR_WARP:
        str_append(out, "bar.warp.sync");
        break;
    default:
        ptx_form_of(simt_ptx_op((enum simt_op)insn->op), &m, out);
    }
}

void simt_print(const struct simt_insn *insn, struct str *out) {
    static const char *const locations[] = {
        [SIMT_NEAR] = "near ", [SIMT_FAR] = "far  ", [SIMT_BOTH] = "both "};
    str_append(out, locations[insn->location]);
    if (insn->guard != SIMT_PT || insn->guard_not)
        str_append(out, "@");
    if (insn->guard != SIMT_PT || insn->guard_not)
        put_register(out, SIMT_OPERAND_PREDICATE, insn->guard, insn->guard_not);
    str_append(out, insn->guard != SIMT_PT || insn->guard_not ? " " : "");
    put_name(out, insn);
    str_append(out, insn->result_count || insn->source_count ? " " : "");
    put_results(out, insn);
    const bool access = simt_is_access((enum simt_op)insn->op);
    if (access)
        str_append(out, insn->result_count ? ", " : "");
    if (access)
        put_address(out, insn);
    put_sources(out, insn, access ? 1 : 0, access || insn->result_count ? ", " : "");
    if (insn->op == SIMT_BRA) {
        str_printf(out, " L%" PRIu32, insn->target);
        if (insn->guard != SIMT_PT && insn->reconverge == SIMT_END)
            str_append(out, ", end");
        else if (insn->guard != SIMT_PT)
            str_printf(out, ", L%" PRIu32, insn->reconverge);
    }
}
