/* SPDX-License-Identifier: MIT
 * A bit-plane machine as small as can be, for checking recipes: it shares nothing with the
 * emulator but the truth tables of the target, and knows for each scratch and buffer plane whether
 * it has been written. */
#ifndef TESTS_RECIPE_MACHINE_H
#define TESTS_RECIPE_MACHINE_H

#include "recipe/recipe.h"

#define MACHINE_REGISTERS 8

/* All planes have `words` words of 64 lanes. */
struct machine {
    const struct target *t;
    size_t words;
    uint64_t *registers; /* [MACHINE_REGISTERS][64][words] */
    uint64_t *c, *m, *valid;
    uint64_t *scratch, *buffers; /* [section][row][words], [section][2][64][words] */
    unsigned char *scratch_written, *buffer_written;
    char error[160]; /* of the last run, "" if none */
};

void machine_open(struct machine *x, const struct target *t, size_t words);
void machine_close(struct machine *x);
uint64_t *machine_plane(struct machine *x, unsigned reg, unsigned bit);
/* The register's values in lanes 64 * word .. 64 * word + 63. */
void machine_get(const struct machine *x, unsigned reg, size_t word, uint64_t values[64]);
void machine_put(struct machine *x, unsigned reg, size_t word, const uint64_t values[64]);
/* Runs one instruction's micro-ops; scratch and buffers hold nothing before.  False with
 * x->error on a read of what was not written, or a plane that the machine does not have. */
bool machine_run(struct machine *x, const struct uop_list *list);

static inline bool lane_bit(const uint64_t *plane, size_t lane) {
    return plane[lane / 64] >> (lane % 64) & 1;
}

#endif
