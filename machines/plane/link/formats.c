/* SPDX-License-Identifier: MIT
 * The table of formats, and which of them a target can be written in. */
#include "machines/plane/link/formats.h"

#include "machines/plane/link/host_words.h"

static const char *dram_refuses(const struct target *target) {
    const struct plane_target *p = plane_target(target);
    bool some = false;
    for (uint32_t i = 0; i < p->op_count; i++)
        some |= p->ops[i].first_rows != 0;
    if (!some)
        return "has no commands that activate rows";
    return p->sections > 1 ? "spreads the bits of an element over several arrays" : NULL;
}

static const char *words_refuse(const struct target *target) {
    struct plane_crossbar crossbar;
    struct str why = {0};
    bool fine = plane_crossbar_of(target, &crossbar, &why);
    str_free(&why);
    if (!fine)
        return "has no words of 64 bits for partitions that join";
    return target->network == NETWORK_HTREE ? NULL : "has no tree of crossbars";
}

/* What instructions do that words cannot say. */
static const char *words_refuse_op(enum isa_op op) {
    switch (op) {
    case OP_SEND:
    case OP_RECV:
        return "messages between MPUs are no words";
    case OP_RECIPE:
        return "words of a kernel are the program's own, and have no columns in this map";
    default:
        return NULL;
    }
}

const struct machine_format plane_formats[PLANE_FORMATS + 1] = {
    [PLANE_FORMAT_TEXT] = {.name = "text", .heading = ""},
    [PLANE_FORMAT_CSV] = {.name = "csv",
                          .columns = MACHINE_INSN_COLUMNS,
                          .heading = "section,issued,micro_op,results,operands,predicate"},
    [PLANE_FORMAT_DRAM] = {.name = "dram",
                           .refuses = dram_refuses,
                           .columns = MACHINE_VRF_COLUMNS,
                           .heading = "command,first,first_row,second,second_row"},
    [PLANE_FORMAT_WORDS] = {.name = "pypim",
                            .refuses = words_refuse,
                            .refuses_op = words_refuse_op,
                            .whole = true},
    [PLANE_FORMAT_HEX] = {.name = "pypim-hex",
                          .refuses = words_refuse,
                          .refuses_op = words_refuse_op,
                          .whole = true},
};
