/* SPDX-License-Identifier: MIT
 * What pLUTo's released simulator charges (github.com/CMU-SAFARI/pLUTo), as a calculator over
 * operations and bytes: it has no data.  A workload is a list of operations; each takes so many
 * command slots a row, and rows are shared by subarrays that work at once.
 * Where the release contradicts the paper or itself (enum release_mend), the calculator can have
 * it right instead, each for itself.  Times in ns, energies in nJ. */
#ifndef TESTS_PLUTO_RELEASE_H
#define TESTS_PLUTO_RELEASE_H

#include "formula.h"
#include "support/str.h"

enum release_memory { RELEASE_DDR4, RELEASE_3DS };
#define RELEASE_MEMORIES 2
extern const char *const release_memories[RELEASE_MEMORIES];
bool release_memory_of(const char *name, enum release_memory *out);

enum release_workload {
    RELEASE_ADD4,
    RELEASE_ADD8,
    RELEASE_MUL8,
    RELEASE_MUL16,
    RELEASE_CRC8,
    RELEASE_CRC16,
    RELEASE_CRC32,
    RELEASE_SALSA20,
    RELEASE_VMPC,
    RELEASE_BITWISE,
    RELEASE_BITCOUNT,
    RELEASE_BITCOUNT_SHORT,
    RELEASE_IMGBIN,
    RELEASE_COLORGRADE,
    RELEASE_LENET4,
    RELEASE_LENET1
};
#define RELEASE_WORKLOADS 16
const char *release_workload_name(enum release_workload w);
bool release_workload_of(const char *name, enum release_workload *out);

enum release_mend {
    RELEASE_SECONDS = 1u << 0,    /* seconds of the CPU as ns */
    RELEASE_IMAGE = 1u << 1,      /* images of the 115 rows that the release's own table has */
    RELEASE_CHANNELS = 1u << 2,   /* of three channels (Table 4), and so of 343 rows */
    RELEASE_VMPC_SUM = 1u << 3,   /* VMPC's sum over all of its data */
    RELEASE_CRC_BYTES = 1u << 4,  /* a table for each byte of a checksum */
    RELEASE_LOGIC = 1u << 5,      /* logic by tables of 4 rows (Table 4) */
    RELEASE_ADD_TABLE = 1u << 6,  /* sums of 4 bits by a table (Table 4) */
    RELEASE_LAST_STEP = 1u << 7,  /* both sums of a product whole */
    RELEASE_DISTANCE = 1u << 8,   /* a shift takes a step a bit, or a byte */
    RELEASE_SHIFT_NJ = 1u << 9,   /* a step's energy is that of its commands */
    RELEASE_GSA_ONCE = 1u << 10,  /* GSA's sweep is closed once */
    RELEASE_PRECHARGE = 1u << 11, /* a PRE takes tRP */
    RELEASE_WHOLE = 1u << 12,     /* rows and their turns are whole */
    RELEASE_ROW_NJ = 1u << 13,    /* rows of 256 B take a 32nd of the energy of 8 kB */
    RELEASE_WINDOW = 1u << 14,    /* tFAW counts activations of all subarrays */
    RELEASE_ENDS = 1u << 15       /* a query's source is opened, its result moved and closed */
};
#define RELEASE_MENDS   16
#define RELEASE_ALL     ((1u << RELEASE_MENDS) - 1)
#define RELEASE_NOTHING 0u

struct release_run {
    enum formula_design design;
    enum release_workload workload;
    enum release_memory memory;
    unsigned parallel; /* subarrays at work */
    double tfaw;
    unsigned mended; /* of enum release_mend */
};
double release_ns(const struct release_run *r);
double release_nj(const struct release_run *r);

/* One query of `entries` rows for one row of data. */
double release_query_ns(enum formula_design d, enum release_memory m, unsigned entries);

/* For the page: what a workload is made of, and its data in rows of DDR4. */
void release_describe(enum release_workload w, struct str *out);
/* A line for each operation: ACT and PRE of a row, energy. */
void release_operations(struct str *out);

#endif
