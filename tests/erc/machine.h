/* SPDX-License-Identifier: MIT
 * An interpreter of the imported dialect that takes the text line by line and keeps to the rules of
 * docs/import.md: T and a pointer to the mask's register in each VRF, a mask that is read from that
 * register at each instruction.  It shares nothing with the importer, which works masks out ahead.
 *
 * What it reads is what the generator beside it writes: one blank between words, conditions as
 * `if gm,m<-(a > b)`, subroutines that are called are named sub.... */
#ifndef TESTS_ERC_MACHINE_H
#define TESTS_ERC_MACHINE_H

#include "tests/erc/operations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MACHINE_LANES = 16, MACHINE_RFHS = 3, MACHINE_ROWS = 3, MACHINE_REGISTERS = 64 };
enum { MACHINE_VRFS = MACHINE_RFHS * MACHINE_ROWS, MACHINE_DEPTH = 16 };

struct machine_line {
    char word[20]; /* a label's with its colon */
    char label[20];
    int operand[5], count;
    int relation;
    const struct operation *operation; /* that works on lanes; NULL: another line */
    size_t end, part; /* of blocks: the line that closes it, the next part or the end */
};

/* An open if or while of a VRF. */
struct machine_block {
    size_t line;
    uint16_t outer, remaining; /* lanes */
    int pointer, gm;
    uint64_t own; /* registers that it and blocks in it name for masks */
};

struct machine_vrf {
    uint64_t r[MACHINE_REGISTERS][MACHINE_LANES];
    bool t[MACHINE_LANES];
    int pointer; /* the register that the mask follows; -1: none */
    struct machine_block blocks[MACHINE_DEPTH];
    unsigned depth;
};

struct machine {
    unsigned width;
    struct machine_vrf vrfs[MACHINE_VRFS]; /* rfh * MACHINE_ROWS + row */
    bool active[MACHINE_VRFS], last[MACHINE_VRFS];
    int pairs[8][2];
    unsigned pair_count;
    struct machine_line *lines;
    size_t line_count;
    size_t calls[MACHINE_DEPTH];
    unsigned call_depth;
    uint64_t steps; /* left */
};

/* Runs the text on the registers that are there.  False: it takes too many steps. */
bool machine_run(struct machine *machine, const char *text);

#endif
