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
/* What one MPU's part of a bank has of the tables of a kin. */
struct slot_tables {
    uint64_t rows;  /* of those that lie in each VRF's own subarray */
    uint64_t parts; /* of those that take whole subarrays of the bank */
    bool resident;  /* all are there at once; else each run brings its own */
};
struct slot_tables slot_tables_of(const struct target *target, const struct row_pool *pool);
static inline uint64_t slot_table_rows(const struct row_table *table) {
    return UINT64_C(1) << table->index_bits;
}
/* The least slots of such registers, bits. */
unsigned slot_width(const uint8_t reg_bits[64]);
/* Rows that a register of the kin takes. */
uint32_t slot_rows_each(const struct target *target, const struct machine_kin *kin);

/* ---- code ---- */

struct slot_kin {
    uint8_t slot;
    uint8_t reg_bits[64];
    uint32_t rows; /* that each takes */
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
