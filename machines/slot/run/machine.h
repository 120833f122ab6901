/* SPDX-License-Identifier: MIT
 * The run half of kind `slot`: a VRF is a pair of subarrays, its registers, C, M and valid packed
 * rows of slots, had when they are first asked for. */
#ifndef MACHINES_SLOT_RUN_MACHINE_H
#define MACHINES_SLOT_RUN_MACHINE_H

#include "machines/slot/link/row_kernel.h"
#include "machines/slot/run/slot.h"
#include "machines/state/array_memory.h"

#include <pthread.h>
#include <stdatomic.h>

/* Rows that stay: registers by their numbers, then these. */
enum { SLOT_ROW_C = 64, SLOT_ROW_M, SLOT_ROW_VALID, SLOT_STAYING };

/* Micro-ops: commands of row programs, then what sets VRFs up, answers and copies. */
enum {
    SLOT_LOAD_TABLE = ROW_COMMANDS, /* a row of a table */
    SLOT_LOAD_CONSTANT,
    SLOT_READ,
    SLOT_WRITE,
    SLOT_HOP, /* a row buffer one subarray on, beyond the first */
    SLOT_KINDS
};

enum {
    SLOT_COUNT_NO_MATCH,
    SLOT_COUNT_RELOADS,
    SLOT_COUNT_SWEEPS,
    SLOT_COUNT_ROWS,
    SLOT_COUNT_COMMANDS, /* ACT, PRE .. */
    SLOT_COUNTERS = SLOT_COUNT_COMMANDS + SLOT_COMMANDS
};

/* What a sweep that destroys has left of a table: of each field which row matched, all ones where
 * that row's cells still hold what they held. */
struct slot_remains {
    uint64_t *index, *alive; /* [words of a register] */
    bool swept;              /* since it was loaded */
};

#define SLOT_NO_KIN UINT32_MAX
/* With dp_setup.bits: a row, by the bit of a lane that the caller says it begins with. */
struct slot_place {
    uint32_t first;
    uint64_t *words;
};
struct slot_vrf {
    uint32_t kin; /* SLOT_NO_KIN before it is bound for the first time */
    uint8_t slot;
    uint32_t lanes; /* that it has room for */
    uint32_t rows;  /* that a register takes */
    size_t words;   /* of them */
    uint64_t *row[SLOT_STAYING];
    struct slot_remains *remains; /* [remains_count], by table of the kin */
    uint32_t remains_count;
    VEC(struct slot_place) places; /* ascending; those of registers are in row, too */
    uint64_t map;                  /* that row is of */
    uint64_t tables;               /* slot_datapath.pools that remains are of */
};

/* Tables in pairs of a bank, for all of its VRFs: whose they are, see slot_pool_key, and where. */
struct slot_shared {
    uint64_t key, first, end; /* pairs, as slot_kin numbers them */
};
struct slot_bank {
    VEC(struct slot_shared) tables; /* none of which lie in pairs of another */
};

/* Rows of as many words as most have; see row_heap.c. */
struct slot_heap {
    uint64_t
        *free; /* the first of those that were given back, each of which begins with the next */
    VEC(unsigned char *) slabs;
    size_t slab_bytes; /* of the last one */
    unsigned char *at; /* where the next row of it would be */
    size_t left;       /* bytes */
};

struct slot_datapath {
    struct datapath base;
    struct dp_setup setup; /* reg_bits points to the copy below */
    uint8_t reg_bits[64];
    const struct target *target;
    const struct slot_target *own;
    const struct row_library *library;
    struct row_library *library_own; /* where the setup gives none */
    uint32_t vrfs, lanes;
    size_t row_words;
    _Atomic(struct slot_vrf *) *vrf;
    uint64_t *established;   /* [vrfs]: whose constants and tables are there, see slot_pool_key */
    struct slot_bank *banks; /* [mpus][rfh_per_mpu] */
    /* The program that is carried out, where they change; maps are counted. */
    uint64_t map;
    uint32_t first[64];
    uint64_t *pool_keys; /* [kins]; NULL without a package */
    struct dp_kind kinds[SLOT_KINDS];
    dp_observer *observer;
    void *observer_context;
    atomic_uint_fast64_t counters[SLOT_COUNTERS];
    pthread_mutex_t lock; /* guards what follows */
    VEC(uint32_t) used;
    uint64_t bytes;
    struct slot_heap heap;
    struct dp_code *codes;
    char failure[256];
    struct state_memory memory; /* buffers of kernels */
};

static inline struct slot_datapath *slot_datapath_of(const struct datapath *dp) {
    return (struct slot_datapath *)(uintptr_t)dp;
}

/* Whether how many VRFs work at once changes what commands take. */
bool slot_depends_on_others(const struct slot_datapath *m);
/* The slot of VRFs of a kin. */
unsigned slot_of_kin(const struct slot_datapath *m, uint32_t kin);
const struct row_pool *slot_pool_of(const struct slot_datapath *m, uint32_t kin);
/* Where they lie; to be freed. */
struct slot_tables slot_pool_tables(const struct slot_datapath *m, uint32_t kin);

/* ---- row_places.c: programs that follow one another on rows that stay ---- */

void slot_remap(struct datapath *dp, const struct dp_map *map);
void slot_forget(struct datapath *dp, struct dp_code *code);
void slot_shape(struct datapath *dp, struct vrf_set set, unsigned slot);
/* The VRF's registers lie where the last map says. */
void slot_turn_to_map(struct slot_datapath *m, struct slot_vrf *x);
/* The register's row, NULL if it has none yet; those that lie among its bits go. */
uint64_t *slot_find_place(struct slot_datapath *m, struct slot_vrf *x, unsigned reg);
/* Its row is new. */
void slot_note_place(const struct slot_datapath *m, struct slot_vrf *x, unsigned reg);
/* Whose constants and tables a kin needs; what is equal has one key.  0: it needs none. */
uint64_t slot_pool_key(const struct slot_datapath *m, uint32_t kin);
/* Of the kin of the program that is carried out, as the setup has it. */
void slot_make_keys(struct slot_datapath *m);
void slot_forget_remains(struct slot_datapath *m, struct slot_vrf *x);

/* ---- row_heap.c ---- */

/* Zeros. */
uint64_t *slot_row_new(struct slot_datapath *m, size_t words);
void slot_row_free(struct slot_datapath *m, uint64_t *row, size_t words);
/* No row is there any more. */
void slot_heap_close(struct slot_datapath *m);

/* ---- row_state.c ---- */

/* Bits of registers of a kin; of SLOT_NO_KIN those of the program. */
const uint8_t *slot_bits_of(const struct slot_datapath *m, uint32_t kin);
/* NULL without memory: failure is set then. */
struct slot_vrf *slot_vrf(struct slot_datapath *m, uint32_t v);
/* The words of a row that stays, `row` below SLOT_STAYING; NULL without memory. */
uint64_t *slot_row(struct slot_datapath *m, struct slot_vrf *x, uint32_t v, unsigned row);
/* Counts bytes of state; false beyond the limit. */
bool slot_take_bytes(struct slot_datapath *m, uint64_t bytes);
void slot_give_bytes(struct slot_datapath *m, uint64_t bytes);
/* The first counts.  Of code that is executed, and its instruction; NULL: of state. */
void slot_fail_at(struct slot_datapath *m, const struct dp_code *code, uint32_t insn,
                  const char *text);

static inline uint64_t slot_lane_read(const uint64_t *row, unsigned slot, uint32_t lane) {
    size_t bit = (size_t)lane * slot;
    return row[bit / 64] >> bit % 64 & low_bits(slot);
}
/* Bits 0 .. width - 1 of the slot. */
static inline void slot_lane_write(uint64_t *row, unsigned slot, uint32_t lane, unsigned width,
                                   uint64_t value) {
    size_t bit = (size_t)lane * slot;
    uint64_t mask = low_bits(width < slot ? width : slot) << bit % 64;
    row[bit / 64] = (row[bit / 64] & ~mask) | (value << bit % 64 & mask);
}
/* All 64 bits of a word hold it, slot by slot. */
static inline uint64_t slot_repeat(uint64_t value, unsigned slot) {
    value &= low_bits(slot);
    for (unsigned bits = slot; bits < 64; bits *= 2)
        value |= value << bits;
    return value;
}

void slot_bind(struct datapath *dp, const struct dp_binding *bindings, size_t count);
void slot_get(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, uint32_t first,
              uint32_t count, uint64_t *values);
void slot_put(struct datapath *dp, uint32_t vrf, enum dp_what what, unsigned reg, unsigned width,
              uint32_t first, uint32_t count, const uint64_t *values);
void slot_put_elements(struct datapath *dp, const struct dp_elements *x);
void slot_get_elements(struct datapath *dp, const struct dp_elements *x);
bool slot_snapshot(struct datapath *dp, bool restore, struct str *state);
void slot_forget_all(struct slot_datapath *m);

/* ---- copy.c ---- */
void slot_copy(struct datapath *dp, const struct dp_transfer *x, struct dp_cost *cost);
/* Counted in a cost, and in counters. */
void slot_take(struct slot_datapath *m, struct dp_cost *to, unsigned kind, uint64_t count,
               const struct slot_cost *each);

/* ---- kernels.c: words of rows ---- */

void slot_logic(enum row_kind kind, uint64_t *to, const uint64_t *a, const uint64_t *b,
                size_t words);
/* All of one row in place; zeros come in. */
void slot_shift(uint64_t *row, size_t words, size_t bits, bool left);

/* How bytes of a row become those that a table has for them; the last that the host has is the
 * fastest. */
enum slot_way {
    SLOT_BY_BYTES,
    SLOT_BY_SHUFFLES,     /* AVX2 */
    SLOT_BY_PERMUTATIONS, /* AVX-512 VBMI */
    SLOT_WAYS
};

/* A table as sweeps see it. */
struct slot_lookup {
    unsigned bits; /* of fields */
    uint64_t rows;
    const uint64_t *entries; /* [rows] */
    uint8_t *bytes;          /* [256], bits <= 8: fields of a byte at once */
    uint8_t *shuffled;       /* [256], likewise: as SLOT_BY_SHUFFLES has it */
    enum slot_way way;       /* of bytes */
    uint8_t *misses;         /* [256]: fields without a match; NULL: there are none */
};
struct slot_lookup slot_lookup_new(unsigned bits, uint64_t rows, const uint64_t *entries);
void slot_lookup_free(struct slot_lookup *lookup);
/* What the rows of the table have for each field; 0, and counted, where none matches. */
uint64_t slot_query(const struct slot_lookup *lookup, uint64_t *to, const uint64_t *from,
                    size_t words);
/* The same of a table that sweeps destroy.  `there`: it was brought back before; else what earlier
 * sweeps have destroyed reads as SLOT_POISON. */
#define SLOT_POISON UINT64_C(0xa5c3965a3c695aa5)
uint64_t slot_query_destructive(const struct slot_lookup *lookup, uint64_t *to,
                                const uint64_t *from, size_t words,
                                const struct slot_remains *remains, bool there);
/* Row r of the table's subarray afterwards. */
void slot_table_row(const struct slot_lookup *lookup, const struct slot_remains *remains,
                    uint64_t r, uint64_t *to, size_t words);

/* ---- row_maps.c ---- */

bool slot_way_is_there(enum slot_way way);
/* The lookup's bytes are there; the fastest way is taken. */
void slot_map_open(struct slot_lookup *lookup);
void slot_map(const struct slot_lookup *lookup, uint64_t *to, const uint64_t *from, size_t words);

/* ---- code.c ---- */

struct slot_op {
    struct row_command command; /* kind may be SLOT_LOAD_TABLE: `count` rows */
    uint32_t insn;
    uint32_t lookup; /* of a query */
    uint32_t row;    /* of those that a register takes */
    uint8_t home;    /* enum slot_home: of a query's table */
    bool tells;      /* a query, the first of the table in its run */
};

struct slot_profile;
struct dp_code {
    struct dp_code *next;
    uint32_t kin;
    unsigned slot;
    uint32_t rows; /* that a register takes */
    struct slot_room room;
    struct slot_tables tables; /* of the pool; without a package of those so far */
    VEC(uint32_t) brought;     /* of SLOT_HOME_RUN, those that are there so far, the first first */
    uint64_t *constants;       /* [constants of the pool][words of one row] */
    struct insn *insns;        /* [insn_count] */
    size_t insn_count;
    const struct row_pool *pool;
    struct row_pool own; /* where the program's package has none */
    VEC(struct slot_op) ops;
    size_t *first_op; /* [insn_count + 1] */
    VEC(struct slot_lookup) lookups;
    VEC(uint32_t) lookup_tables; /* of them */
    uint32_t scratch;
    bool reads_buffer; /* some command does */
    uint64_t uops[SLOT_KINDS], kind_fj[SLOT_KINDS], energy_fj[SLOT_COMMANDS];
    uint64_t commands[SLOT_COMMANDS], sweeps, rows_swept, reloads; /* of one VRF */
    uint64_t micro_ops;
    uint64_t *insn_words; /* what the next three point into */
    uint64_t *insn_micro_ops, *insn_energy_fj, *insn_slots;
    struct slot_profile *profiles; /* under the machine's lock */
};

/* VRFs of an MPU that work in step, of a batch of so many, where times depend on that; else 1. */
static inline uint64_t slot_in_step(const struct slot_datapath *m, uint64_t vrfs) {
    return m->base.tables.at_once && vrfs ? vrfs : 1;
}
/* When each op of a run begins [ops], of rows that are busy until busy_ps. */
void slot_walk(struct slot_datapath *m, const struct dp_code *code, uint64_t vrfs, uint64_t busy_ps,
               uint64_t *starts);
struct dp_code *slot_prepare(struct datapath *dp, const struct dp_run *run, struct diag *d);
void slot_describe(const struct datapath *dp, const struct dp_code *code,
                   struct dp_description *out);
void slot_follow(struct datapath *dp, const struct dp_code *code,
                 const struct dp_description *about, const struct dp_issue *issue,
                 struct dp_times *out);
uint64_t slot_pass(struct datapath *dp, uint64_t clock, uint64_t ps);
void slot_code_free(struct dp_code *code);
/* Of a program that is no instruction's; the caller's to free. */
struct dp_code *slot_code_alone(struct slot_datapath *m, const struct slot_kernel *kernel);
/* What it takes from its begin, in so many VRFs of an MPU in step. */
uint64_t slot_code_ps(struct slot_datapath *m, const struct dp_code *code, uint64_t vrfs);

/* ---- execute.c ---- */

/* What an event points to. */
struct slot_record {
    const struct row_command *command;
    const struct row_pool *pool;
    const struct insn *insn;
    unsigned slot; /* of the first command of a run; else 0 */
    bool tells;    /* which table it is that is looked up */
};
/* Counters of a run in so many VRFs, with what it has missed in them. */
void slot_count(struct slot_datapath *m, const struct dp_code *code, uint64_t vrfs,
                uint64_t missed);
/* In one VRF, whose scratch rows [code.scratch][words] are the caller's; false, with why not, where
 * a query found no row and is to stop: *word says which word of the program that was. */
bool slot_execute_alone(struct slot_datapath *m, const struct dp_code *code, struct slot_vrf *vrf,
                        uint32_t number, uint64_t *scratch, struct str *why, uint32_t *word);
void slot_execute(struct datapath *dp, const struct dp_code *code, struct vrf_set set,
                  struct dp_moment begin, struct dp_outcome *out);

/* ---- row_launch.c: buffers, and kernels of rows ---- */

bool slot_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d);
bool slot_mem_free(struct datapath *dp, uint64_t address, struct diag *d);
bool slot_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                  struct diag *d);
bool slot_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                  struct diag *d);
bool slot_launch(struct datapath *dp, const struct dp_launch *x, struct dp_cost *cost,
                 struct diag *d);

#endif
