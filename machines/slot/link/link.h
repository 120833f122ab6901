/* SPDX-License-Identifier: MIT
 * The link half of kind `slot`: which row programs a package holds, and what they cost. */
#ifndef MACHINES_SLOT_LINK_LINK_H
#define MACHINES_SLOT_LINK_LINK_H

#include "machines/machine.h"
#include "machines/slot/library/library.h"
#include "machines/slot/target/target.h"

extern const struct machine slot_kind_machine;

struct slot_library {
    struct machine_library base;
    struct row_library *rows;
};

/* ---- price.c ---- */

/* Of a command of a row program in one VRF; `count` steps of a shift, or rows of a query's table.
 */
struct slot_cost slot_price(const struct slot_step *step, enum row_kind kind, uint32_t count);
/* How the row program of an instruction is to be made, in slots of VRFs whose registers have so
 * many bits [64]. */
struct row_wanted slot_wanted(const struct target *target, const struct insn *insn, unsigned slot,
                              const uint8_t reg_bits[64], bool masked);
/* Registers that the instruction writes have no bits above its width. */
bool slot_none_above(const struct insn *insn, const uint8_t reg_bits[64]);
/* The least slots of such registers, bits. */
unsigned slot_width(const uint8_t reg_bits[64]);
/* Rows that a register of the kin takes. */
uint32_t slot_rows_each(const struct target *target, const struct machine_kin *kin);
enum { SLOT_MASK_ROWS = 3 }; /* C, M, valid */
static inline uint32_t slot_registers(const uint8_t reg_bits[64]) {
    uint32_t n = 0;
    for (unsigned r = 0; r < 64; r++)
        n += reg_bits[r] != 0;
    return n;
}

/* ---- table_homes.c ---- */

/* Where a table is when a query wants it: in the VRF's own subarray; in subarrays of the bank, for
 * all of its VRFs; brought over the channel by each run with its first query, or for each query. */
enum slot_home { SLOT_HOME_PAIR, SLOT_HOME_BANK, SLOT_HOME_RUN, SLOT_HOME_QUERY };
/* What is left for tables. */
struct slot_room {
    uint64_t rows;  /* of a VRF's data subarray, for master copies */
    uint64_t pairs; /* of a bank whose subarrays hold nothing of anybody: with master copies neither
                       registers nor tables, else no tables */
    uint64_t own;   /* without master copies, pairs more as long as the VRFs' own subarrays hold no
                       whole table */
};
/* Of a query whose table has its home there; others have none. */
struct slot_cost slot_price_at(const struct slot_step *step, enum row_kind kind, uint32_t count,
                               enum slot_home home, const struct slot_room *room);
struct slot_tables {
    uint64_t rows;      /* that are loaded for each VRF, SLOT_HOME_PAIR */
    uint64_t bank_rows; /* that are loaded for each bank, SLOT_HOME_BANK */
    uint64_t parts;     /* pairs of the bank that hold these */
    uint64_t copies;    /* rows of a VRF's data subarray that hold master copies */
    bool resident;      /* runs bring none */
    uint8_t *homes;     /* [count] enum slot_home, by table of the pool */
    size_t count;
};
/* Whether tables have master copies, which queries bring back first. */
bool slot_keeps_copies(const struct target *target);
/* Whether tables [count], by numbers of the pool, may lie in the subarrays at one time; of designs
 * that keep no copies. */
bool slot_tables_fit(const struct target *target, const struct row_pool *pool,
                     const struct slot_room *room, const uint32_t *tables, size_t count);
/* To be freed. */
struct slot_tables slot_tables_of(const struct target *target, const struct row_pool *pool,
                                  const struct slot_room *room);
void slot_tables_free(struct slot_tables *tables);
static inline uint64_t slot_table_rows(const struct row_table *table) {
    return UINT64_C(1) << table->index_bits;
}

/* ---- code ---- */

struct slot_kin {
    uint8_t slot;
    uint8_t reg_bits[64];
    uint32_t rows; /* that each takes */
    /* Pairs of each of its banks that are there for its tables: so many, behind those that other
     * kin of the bank have; and pairs of its own, as slot_room has them. */
    uint32_t first_pair, pairs, own_pairs;
    struct row_pool pool;
};
/* An instruction at one width, with one constant or table, in VRFs of one kin, masked or not. */
struct slot_form {
    uint32_t kin;
    uint8_t opcode, width, masked, none_above;
    uint16_t lut;
    int32_t imm;
    struct row_program program;
};
struct slot_code {
    struct machine_code base;
    VEC(struct slot_kin) kins;
    VEC(struct slot_form) forms; /* ascending by slot_form_order */
    struct machine_part *parts;  /* [forms.len] */
};
static inline const struct slot_code *slot_code_of(const struct machine_code *c) {
    return (const struct slot_code *)(const void *)c;
}
const struct slot_form *slot_form_of(const struct slot_code *c, const struct insn *insn,
                                     uint32_t kin, bool masked);

struct slot_room slot_kin_room(const struct target *target, const struct slot_code *c,
                               uint32_t kin);
/* Gives each kin pairs of the banks that it lies in, so that none has what another one has; all
 * forms are there. */
void slot_share_banks(const struct target *target, struct slot_code *c,
                      const struct machine_program *p);
/* Beside the registers, masks, scratch rows and constants of the kin. */
struct slot_tables slot_kin_tables(const struct target *target, const struct slot_code *c,
                                   uint32_t kin);

/* ---- bytes.c ---- */
void slot_code_write(const struct machine_code *code, struct str *out);
struct machine_code *slot_code_read(const void *bytes, size_t size, const char **problem);
struct slot_code *slot_code_new(void);
void slot_code_discard(struct machine_code *code);
int slot_form_order(const void *left, const void *right);

/* ---- try_routine.c ---- */
enum machine_trial slot_try(const struct machine_library *l, const struct insn *insn, bool masked,
                            struct diag *d);

/* ---- figures.c ---- */
bool slot_figures(const struct machine_library *l, const struct insn *insn, unsigned slot,
                  bool masked, struct machine_figures *out, struct str *text, struct str *problem);
void slot_routine(const struct machine_library *l, enum isa_op op, struct str *out);

/* ---- print.c ---- */
void slot_print(const struct machine_code *code, const struct machine_library *l,
                const struct machine_program *p, struct str *out);

enum slot_format { SLOT_FORMAT_TEXT, SLOT_FORMAT_CSV, SLOT_FORMAT_PLUTO };
extern const struct machine_format slot_formats[];

#endif
