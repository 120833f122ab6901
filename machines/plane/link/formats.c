/* SPDX-License-Identifier: MIT
 * The table of formats, and which of them a target can be written in. */
#include "machines/plane/link/formats.h"

#include "recipe/technology/plane_target.h"

static const char *dram_refuses(const struct target *target) {
    const struct plane_target *p = plane_target(target);
    bool some = false;
    for (uint32_t i = 0; i < p->op_count; i++)
        some |= p->ops[i].first_rows != 0;
    if (!some)
        return "has no commands that activate rows";
    return p->sections > 1 ? "spreads the bits of an element over several arrays" : NULL;
}

const struct machine_format plane_formats[PLANE_FORMATS + 1] = {
    [PLANE_FORMAT_TEXT] = {"text", NULL, MACHINE_NO_COLUMNS, ""},
    [PLANE_FORMAT_CSV] = {"csv", NULL, MACHINE_INSN_COLUMNS,
                          "section,issued,micro_op,results,operands,predicate"},
    [PLANE_FORMAT_DRAM] = {"dram", dram_refuses, MACHINE_VRF_COLUMNS,
                           "command,first,first_row,second,second_row"},
};
