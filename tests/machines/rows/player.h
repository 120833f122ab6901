/* SPDX-License-Identifier: MIT
 * A plain player of row programs: rows are bits one by one, shifts leak from slot to slot and lose
 * what leaves the row, queries sweep a table row by row past match logic.  It shares nothing with
 * any engine. */
#ifndef TESTS_MACHINES_ROWS_PLAYER_H
#define TESTS_MACHINES_ROWS_PLAYER_H

#include "machines/slot/program/program.h"

enum { PLAYER_BITS = 512, PLAYER_REGISTERS = 4 };

struct player_row {
    uint8_t bit[PLAYER_BITS]; /* 0 or 1; 2: never written */
};
struct player {
    struct player_row reg[PLAYER_REGISTERS], c, m, valid, buffer;
    struct player_row scratch[ROW_MAX_SCRATCH];
    uint64_t act_pre[2]; /* of what was played: a precharge a row, one in all */
};

/* False, with why, where a field matches no row or a row is read that was never written. */
bool player_play(struct player *p, const struct row_program *program, const struct row_pool *pool,
                 const struct insn *insn, const char **why);
uint64_t player_slot(const struct player_row *row, unsigned slot, unsigned lane);
void player_set_slot(struct player_row *row, unsigned slot, unsigned lane, uint64_t value);

#endif
