/* SPDX-License-Identifier: MIT
 * What follows from a program's text and sizes alone: values that are the same in all lanes
 * whatever the inputs are, such as the counters of loops, and so which way jumps on them go.  Only
 * runs that count use it (control_config.count_laps): no result ever comes from here. */
#ifndef EMU_CONTROL_KNOWN_H
#define EMU_CONTROL_KNOWN_H

#include "isa-spec/isa.h"

#include <stddef.h>

enum known_bit { KNOWN_0, KNOWN_1, UNKNOWN };

/* Of all lanes of the VRFs of an ensemble. */
struct known_registers {
    uint64_t value[64], bits[64]; /* of each register; bits: which of value's are known */
    enum known_bit c, m;
};

void control_known_nothing(struct known_registers *known);
/* What is known after the instructions of a run, which begins masked or not; `flush`: floats have
 * no subnormal numbers. */
void control_known_run(struct known_registers *known, const struct insn *insns, size_t count,
                       bool masked, bool flush);
/* Bits 0 .. width - 1 of a register are written by something else. */
void control_known_forget(struct known_registers *known, unsigned reg, unsigned width);

#endif
