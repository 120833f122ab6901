/* SPDX-License-Identifier: MIT
 * The ISA, one VRF at a time, one lane at a time.  A second reading of the ISA's description that
 * shares nothing with the emulator but the decoder: no table of flags, no golden functions, no
 * batches. */
#ifndef TESTS_CONTROL_LANE_ISA_H
#define TESTS_CONTROL_LANE_ISA_H

#include "isa-spec/isa.h"

struct lane {
    uint64_t reg[64];
    bool c, m, valid;
};

/* A VRF that a header may name: valid lanes, and what names it. */
struct lane_vrf {
    struct lane *lanes; /* [machine.lanes] */
    uint32_t mpu;
    /* Fixed: logical numbers; NO_NUMBER if no COMPUTE can name it. */
    uint32_t rfh, vrf;
    uint64_t first; /* element of its lane 0, as the last header named it; the machine's own */
};
struct lane_member { /* a VRF's part of a group */
    uint32_t group, vrf, count;
    uint64_t first;
};
#define NO_NUMBER UINT32_MAX

struct lane_machine {
    const uint32_t *text;
    uint32_t text_len;
    struct lut_list luts;
    uint32_t lanes;       /* per VRF */
    uint32_t fixed_lanes; /* valid ones of a fixed VRF */
    struct lane_vrf *vrfs;
    uint32_t vrf_count;
    const struct lane_member *members;
    uint32_t member_count;
    uint64_t *acted; /* where lanes that instructions acted in are counted, or NULL */
};

/* Runs the text from index 0 to its end.  False if the program does what a correct one does not
 * (the tests draw none that do). */
bool lane_machine_run(struct lane_machine *m);

#endif
