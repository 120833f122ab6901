/* SPDX-License-Identifier: MIT
 * What each lane-wise instruction must do, written a second time and in another manner than the
 * tables: bit by bit where they use words, in 128-bit arithmetic where they use 64-bit tricks. */
#ifndef TESTS_ISA_ORACLE_H
#define TESTS_ISA_ORACLE_H

#include "isa-spec/isa.h"

/* Applies the instruction to x; inputs as for a golden function, results have w bits exactly. */
void oracle(enum isa_op op, struct golden_lane *x);

#endif
