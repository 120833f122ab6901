/* SPDX-License-Identifier: MIT
 * A machine as its kind gives it: the default engine, with what a library has. */
#include "machines/verify/verify.h"

static const struct machine_library *library_of(const void *context) {
    return context;
}

static bool has(const void *context, enum isa_op op) {
    return (isa_info(op)->flags & ISA_VECTOR) && machine_has(library_of(context), op);
}

static void golden(const void *context, enum isa_op op, struct golden_lane *lane) {
    machine_golden(library_of(context), op, lane);
}

bool verify_library(struct verify_machine *machine, const struct machine_library *library,
                    unsigned slot) {
    const uint8_t bits[64] = {(uint8_t)slot};
    const struct datapath_ops *ops = datapath_find(library->target->kind->name, NULL);
    if (!ops)
        return false;
    *machine = (struct verify_machine){.open = ops->open,
                                       .setup = {.target = library->target, .library = library},
                                       .context = library,
                                       .has = has,
                                       .golden = golden};
    if (library->machine->slots) {
        machine->slot = slot;
        machine->lanes = machine_lanes(library->machine, library->target, bits);
    }
    return true;
}
