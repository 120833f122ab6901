/* SPDX-License-Identifier: MIT
 * Row programs: what an instruction comes to on rows of slots.  A program is a list of words; loops
 * are laps in it, and what steps from lap to lap (a row, a distance, a table) says by how much.
 *
 * A row holds a slot for each lane.  A register lies in the low bits of its slots; the bits above
 * it are undefined.  C, M and valid are all zeros or all ones in each slot.  Shifts move all of a
 * row, so that bits leave a slot for the next one: programs clear them. */
#ifndef MACHINES_SLOT_PROGRAM_PROGRAM_H
#define MACHINES_SLOT_PROGRAM_PROGRAM_H

#include "isa-spec/isa.h"
#include "support/str.h"
#include "support/vec.h"

/* Commands, with the names that Table 2 of the pLUTo paper gives them; copy, xor and xnor are the
 * release's. */
enum row_kind {
    ROW_COPY, /* dst = a: one AAP */
    ROW_NOT,
    ROW_AND,
    ROW_OR,
    ROW_XOR,
    ROW_XNOR,
    ROW_BIT_SHIFT_L, /* dst, in place, all of the row, by `count` bits; zeros come in at its end */
    ROW_BIT_SHIFT_R,
    ROW_BYTE_SHIFT_L, /* by `count` bytes */
    ROW_BYTE_SHIFT_R,
    ROW_QUERY, /* dst = what table b has for each field of `bits` bits of a */
    ROW_MOVE,  /* dst = a, from one subarray to the next */
    ROW_COMMANDS,
    ROW_LAPS = ROW_COMMANDS, /* what follows, to its ROW_END, `count` times */
    ROW_END,
    ROW_KINDS
};
/* "row_copy", "pluto_not" ... "laps", "end". */
extern const char *const row_kind_names[ROW_KINDS];

/* Rows as words name them. */
enum {
    ROW_RS,
    ROW_RT,
    ROW_RD,
    ROW_C,
    ROW_M,
    ROW_VALID,
    ROW_BUFFER,            /* what the last query left there; read only */
    ROW_SCRATCH = 0x100,   /* + i */
    ROW_CONSTANT = 0x8000, /* + place among the constants of the pool; read only */
    ROW_NONE = 0xffff
};
#define ROW_MAX_SCRATCH 256
#define ROW_ALL_SCRATCH                                                                            \
    (ROW_MAX_SCRATCH + 66) /* and C, M and registers of a program of its own                       \
                            */
#define ROW_MAX_WORDS    1024
#define ROW_NEST         4 /* laps within laps */
#define ROW_MAX_COMMANDS (1u << 20)

/* A row, or a table, and what is added to its number with each lap that stands around the word,
 * the outermost first. */
struct row_ref {
    uint16_t row;
    int16_t step[ROW_NEST];
};
struct row_word {
    uint8_t kind;
    uint8_t bits;             /* of a query: lut_bitw, of its fields and of the table's elements */
    uint8_t power;            /* of a shift: `count` << number of the lap, 1 the outermost; 0: as
                                 count_step says */
    struct row_ref dst, a, b; /* b of a query: the table, by place in the pool */
    uint32_t count;           /* of a shift: how far; of laps: how many, 1 at least; of a query:
                                 lut_size, the table's elements */
    int16_t count_step[ROW_NEST]; /* of a shift, as the steps of a row */
};

/* What rows hold beside registers: constants, the same in each slot, and tables.  The programs of a
 * kin share one. */
struct row_table {
    uint8_t index_bits, bits; /* k; of an element, as wide as the fields that are looked up */
    const uint64_t *entries;  /* [1 << index_bits], malloc'ed */
};
struct row_pool {
    unsigned slot; /* bits */
    VEC(uint64_t) constants;
    VEC(struct row_table) tables;
};
void row_pool_free(struct row_pool *pool);
/* Places of one after another, appended if they do not stand so yet. */
uint32_t row_pool_constants(struct row_pool *pool, const uint64_t *values, uint32_t count);
uint32_t row_pool_tables(struct row_pool *pool, const struct row_table *tables, uint32_t count);

struct row_program {
    VEC(struct row_word) words;
    uint32_t scratch; /* rows */
};
void row_program_free(struct row_program *program);

/* ---- what it comes to ---- */

struct row_command {
    enum row_kind kind; /* below ROW_COMMANDS */
    uint8_t bits;
    uint16_t dst, a, b;
    uint32_t count; /* shift: 1 at least */
    uint32_t word;  /* from which it is */
};
/* Where an expansion stands: zeroed but for the program. */
struct row_cursor {
    const struct row_word *words; /* [len] of a program that row_program_check has accepted */
    size_t len;
    size_t at;
    unsigned depth;
    size_t start[ROW_NEST]; /* first words of the laps */
    uint32_t lap[ROW_NEST], laps[ROW_NEST];
};
static inline struct row_cursor row_cursor(const struct row_program *program) {
    return (struct row_cursor){.words = program->words.data, .len = program->words.len};
}
/* The next command; false behind the last.  Shifts by nothing are left out. */
bool row_next(struct row_cursor *cursor, struct row_command *command);

/* What a command costs, in any unit: `count` steps of a shift, or rows of a table that are swept.
 */
struct row_costs {
    uint64_t (*cost)(const void *ctx, enum row_kind kind, uint32_t count);
    const void *ctx;
};
uint64_t row_program_cost(const struct row_program *program, const struct row_costs *costs);
/* ACT + PRE, the unit in which programs are compared: a copy or a step of a shift 3, not 6, and, or
 * 12, xor 19, xnor 22; a query of n rows 2n + 3, with one precharge alone n + 4. */
uint64_t row_act_pre(const void *precharges_once, enum row_kind kind, uint32_t count);

/* NULL, or what is wrong with a program for rows of row_bits: shape, rows that are not there or may
 * not be written by an instruction of these flags (enum isa_flags), scratch that is read before it
 * is written, queries of tables that are not there, or are not of that size, or of fields that do
 * not divide the row. */
const char *row_program_check(const struct row_program *program, const struct row_pool *pool,
                              uint32_t flags, uint32_t row_bits);
/* The same of a program that no instruction has: its rows are scratch, of which those that are
 * given hold something before it; `reads` and `writes` get what it finds there
 * and what it leaves. */
struct row_use {
    bool given[ROW_ALL_SCRATCH], reads[ROW_ALL_SCRATCH], writes[ROW_ALL_SCRATCH];
};
const char *row_program_check_alone(const struct row_program *program, const struct row_pool *pool,
                                    uint32_t row_bits, struct row_use *use, uint32_t *word);

/* ---- text ---- */

/* "pluto_and t1, rs, 0x7f"; registers by number if an instruction is given. */
void row_command_text(const struct row_command *command, const struct row_pool *pool,
                      const struct insn *insn, struct str *out);
/* All words, a line each, laps indented; steps as "t1+1*i". */
void row_program_text(const struct row_program *program, const struct row_pool *pool,
                      const struct insn *insn, struct str *out);

/* Read back: a line each of "slot 8", "table lut0 = 1, 2, 3, 4", and words as they are printed;
 * comments begin with "//" or ";", or are a line with "#" in front.  A table of a name holds until
 * another one has it.  Registers, C and M are scratch
 * rows. */
enum {
    ROW_TEXT_C = ROW_SCRATCH + ROW_MAX_SCRATCH,
    ROW_TEXT_M,
    ROW_TEXT_REGISTER,
    ROW_TEXT_TABLES = 256,
    ROW_TEXT_ELEMENTS = 65536
};
struct row_text_table {
    uint64_t *entries; /* [count] */
    size_t count;
};
struct row_text {
    struct row_program program;
    struct row_pool pool;
    VEC(uint32_t) lines; /* of the program's words, from 1 */
    struct row_text_table tables[ROW_TEXT_TABLES];
};
/* `slot`: where the text says none.  False, with what is wrong in line *line; to be freed in any
 * case. */
bool row_text_read(const char *text, size_t size, unsigned slot, struct row_text *out,
                   uint32_t *line, struct str *why);
void row_text_free(struct row_text *text);

/* ---- bytes, little-endian ---- */

void row_program_write(const struct row_program *program, struct str *out);
void row_pool_write(const struct row_pool *pool, struct str *out);
/* Read from *at on, which is moved behind them; false, with *problem set and nothing to free, if
 * they lead beyond `end` or say nothing that words can say.  row_program_check is the caller's. */
bool row_program_read(struct row_program *program, const unsigned char **at,
                      const unsigned char *end, const char **problem);
bool row_pool_read(struct row_pool *pool, const unsigned char **at, const unsigned char *end,
                   const char **problem);

#endif
