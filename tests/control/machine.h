/* SPDX-License-Identifier: MIT
 * A small program in assembly on a machine, for tests of the control path. */
#ifndef TESTS_CONTROL_MACHINE_H
#define TESTS_CONTROL_MACHINE_H

#include "emu/control/control.h"

struct opened {
    struct target *target;
    struct machine_library *library, *sound; /* sound: what the package was made with, if another */
    struct object *object;
    struct package *package;
    struct datapath *dp;
    struct control *control;
    enum control_end end;
    struct str printed; /* lines of PRINT, each with a newline */
};

enum machine_kind { ON_GOLDEN, ON_RACER, ON_BOTH };

/* Assembles, links and places `text` (failing the test when that fails) and opens the machine.
 * Other recipes may be given for tests that damage one: text of a recipe file, or NULL. */
void machine_open(struct opened *m, enum machine_kind kind, const char *text,
                  const char *other_recipes);
/* The same with numbers of the target changed. */
void machine_open_with(struct opened *m, enum machine_kind kind, const char *text,
                       const struct target_override *set, size_t count);
/* The same on another target, and on one with golden beside it. */
void machine_open_on(struct opened *m, const char *target, const char *text);
void machine_open_at(struct opened *m, enum machine_kind kind, const char *target,
                     const char *text);
/* On golden, the instructions as they are: what the assembler would refuse. */
void machine_open_insns(struct opened *m, const struct insn *insns, size_t count);
void machine_run(struct opened *m, const struct control_config *config);
/* A copy of the statistics that outlives the machine; of the last few dozen. */
struct control_stats machine_stats(const struct opened *m);
void machine_close(struct opened *m);
/* Lane `lane` of a register of a fixed VRF of MPU 0 (numbers as in the text). */
uint64_t machine_lane(struct opened *m, uint32_t rfh, uint32_t vrf, unsigned reg, uint32_t lane);
void machine_put(struct opened *m, uint32_t rfh, uint32_t vrf, unsigned reg, uint32_t lane,
                 uint64_t value);
/* The same in any MPU. */
uint64_t machine_lane_of(struct opened *m, uint32_t mpu, uint32_t rfh, uint32_t vrf, unsigned reg,
                         uint32_t lane);
void machine_put_of(struct opened *m, uint32_t mpu, uint32_t rfh, uint32_t vrf, unsigned reg,
                    uint32_t lane, uint64_t value);

#endif
