/* SPDX-License-Identifier: MIT
 * Signatures: how subroutines are called across objects. */
#include "object/object.h"

static void passed_text(const char *word, const struct passed_register *list, uint32_t count,
                        struct str *out) {
    char type[8];
    for (uint32_t i = 0; i < count; i++) {
        object_type_text(list[i].type, type);
        str_printf(out, "%s r%u: %s", i ? "," : word, list[i].reg, type);
    }
}

static uint64_t registers_of(const struct passed_register *list, uint32_t count) {
    uint64_t mask = 0;
    for (uint32_t i = 0; i < count; i++)
        mask |= (uint64_t)1 << list[i].reg;
    return mask;
}

void object_signature_text(const struct sub_signature *s, struct str *out) {
    uint64_t clobbers = s->writes & ~registers_of(s->out, s->out_count);
    const char *before = " clobber";
    str_append(out, s->name);
    passed_text(" in", s->in, s->in_count, out);
    passed_text(" out", s->out, s->out_count, out);
    for (unsigned r = 0; r < 64; r++)
        if (clobbers >> r & 1) {
            str_printf(out, "%s r%u", before, r);
            before = ",";
        }
}

/* Each names another register, of a type. */
static const char *list_problem(const struct passed_register *list, uint32_t count) {
    uint64_t seen = 0;
    if (count > SIGNATURE_MAX_REGISTERS)
        return "passes more than 16 registers in one direction";
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].reg > 63 || !object_type_ok(list[i].type))
            return "passes what is no register or has no type";
        if (seen >> list[i].reg & 1)
            return "passes two values in one register";
        seen |= (uint64_t)1 << list[i].reg;
    }
    return NULL;
}

const char *object_signature_problem(const struct sub_signature *s) {
    const char *problem = list_problem(s->in, s->in_count);
    if (!problem)
        problem = list_problem(s->out, s->out_count);
    if (!problem && registers_of(s->out, s->out_count) & ~s->writes)
        problem = "gives a result in a register that it does not write";
    return problem;
}
