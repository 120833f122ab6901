/* SPDX-License-Identifier: MIT
 * Code of near-bank SIMT cores: instructions of one to a few words of 32 bits (W0, W1, ..), and
 * kernels of them as packages hold them.  docs/simt-code.md has the layout of the words.
 *
 * An instruction is one of PTX whose operands are hardware registers: its modifiers are PTX's, and
 * what it computes is ptx/alu.h's.  Calls are carried out by putting the function's code in their
 * place, so that there are none. */
#ifndef MACHINES_CORE_SIMT_CODE_H
#define MACHINES_CORE_SIMT_CODE_H

#include "machines/core/simt/locate.h"
#include "ptx/alu.h"
#include "support/vec.h"

#define SIMT_REGISTERS                                                                             \
    63 /* R0 .. R62 of 32 bits, of a thread; 64 bits are two from an even one on */
#define SIMT_RZ          63         /* reads 0; what is written there is dropped */
#define SIMT_PREDICATES  15         /* P0 .. P14 */
#define SIMT_PT          15         /* reads true; what is written there is dropped */
#define SIMT_END         UINT32_MAX /* reconvergence: only where threads end */
#define SIMT_MAX_WORDS   16         /* of an instruction */
#define SIMT_CODE_WORDS  32768      /* of a kernel: 128 KiB, which targets of 16 bits reach */
#define SIMT_MAX_RESULTS 4
#define SIMT_MAX_SOURCES 5

enum simt_op {
#define OP(id, ptx, code, sub) SIMT_##id,
#include "machines/core/simt/ops.def"
#undef OP
    SIMT_OPS
};

/* What an operand is.  Its register's number is that of the first of its units. */
enum simt_operand {
    SIMT_OPERAND_NONE,
    SIMT_OPERAND_UNIT,      /* a register of 32 bits; narrower values have zeros above them, those
                               of signed types, where they come from ld, cvt, their sign */
    SIMT_OPERAND_PAIR,      /* two, from an even one on: 64 bits, the low ones first */
    SIMT_OPERAND_PREDICATE, /* P0 .. P14, PT */
    SIMT_OPERAND_NUMBER,    /* number[i], bits of the operand's type, zeros above */
    SIMT_OPERAND_SPECIAL,   /* of S2R: enum ptx_special */
};

/* Sources in the order of PTX's text behind results; of memory source 0 is the address, then what
 * is stored or combined.  Source i is as wide as source_bits[i] says: what is above in its register
 * is not read. */
struct simt_insn {
    uint8_t op;       /* enum simt_op */
    uint8_t location; /* SIMT_NEAR, SIMT_FAR; SIMT_BOTH: no hint, the hardware decides */
    uint8_t guard;    /* predicate; SIMT_PT: always */
    bool guard_not;
    /* As of the PTX form: types are those that forms.def has, .b32 as .u32 where both are there.  A
     * memory access has its space and vector here. */
    struct ptx_modifiers m;
    uint8_t result_count, source_count;
    uint8_t result[SIMT_MAX_RESULTS];
    uint8_t result_kind[SIMT_MAX_RESULTS]; /* enum simt_operand */
    uint8_t second;                        /* predicate, of setp p|q and shfl d|p; SIMT_PT */
    uint8_t source[SIMT_MAX_SOURCES];
    uint8_t source_kind[SIMT_MAX_SOURCES]; /* enum simt_operand */
    uint8_t source_bits[SIMT_MAX_SOURCES]; /* of a predicate 1 */
    uint8_t negated;                       /* bit i: predicate source i is !p */
    uint64_t number[SIMT_MAX_SOURCES];
    /* Of memory: added to the address, a number of 64 bits or a register of as many as
     * address_bits says; the sum wraps there. */
    int32_t offset;
    uint8_t address_bits; /* 32, 64 */
    /* Of BRA: words from the code's begin, as decoded; instructions in a struct simt_kernel. */
    uint32_t target, reconverge;
    uint8_t words; /* that it takes */
};

enum ptx_op simt_ptx_op(enum simt_op op);
/* What computes it from sources (ptx_alu.in) to result (.out) and second; NULL: it does more than
 * that.  Of signed types the result of CVT is sign-extended to its register's 32 or 64 bits. */
ptx_compute *simt_compute(const struct simt_insn *insn);

/* ---- encode.c, decode.c ---- */

/* Words of the instruction at word `at` of its kernel; 0, with why not appended: it has no
 * encoding (a reach of more than 16 bits, an operand that no word holds). */
uint32_t simt_encode(const struct simt_insn *insn, uint32_t at, uint32_t words[SIMT_MAX_WORDS],
                     struct str *why);
/* The instruction at words[at], of `count` words; false, with why appended, where there is none.
 * What decodes, encodes to the same words. */
bool simt_decode(const uint32_t *words, uint32_t count, uint32_t at, struct simt_insn *out,
                 struct str *why);

/* ---- print_code.c: "near fma.rn.f32 R4, R2, R1, R3" ---- */
void simt_print(const struct simt_insn *insn, struct str *out);

/* ---- code_record.c: a kernel in a package ---- */

struct simt_parameter {
    uint32_t offset, bytes; /* in what a launch passes */
};
struct simt_line {
    uint32_t line;        /* of the PTX, from 1 */
    uint32_t file;        /* index of files; UINT32_MAX: not known */
    uint32_t source_line; /* there */
    uint32_t function;    /* index of functions: whose text it is */
};
struct simt_kernel {
    struct arena arena;
    const char *name; /* the entry's symbol */
    /* Units of 32 bits: R0 .. near-1 lie near, then both, then far; predicates in their own file.
     */
    uint32_t near, both, far, predicates;
    uint32_t parameter_bytes; /* that a launch passes: .param from 0 on, only read; */
    uint32_t param_bytes;     /* of .param in all: behind them lie a thread's own, zeros at first */
    uint32_t local_bytes;     /* of a thread, zeros at first; */
    uint32_t spill_bytes;     /* the last of them are where registers were spilled to */
    uint32_t shared_bytes;    /* of a block, zeros at first; those of the launch lie behind */
    uint32_t max_threads;     /* of a block; 0: the machine's */
    uint32_t needed_threads[3]; /* .reqntid; 0: nothing is said */
    /* For people: registers of the PTX by location, and instructions (locate.h). */
    struct simt_counts counts;
    const struct simt_parameter *parameters; /* [parameter_count] */
    uint32_t parameter_count;
    const uint32_t *words; /* [word_count] */
    uint32_t word_count;
    const struct simt_insn *insns; /* [insn_count]: decoded; targets are numbers of these */
    const uint32_t *places;        /* [insn_count]: the word where each begins, its pc */
    const struct simt_line *lines; /* [insn_count] */
    uint32_t insn_count;
    const char *const *files; /* [file_count]: of .file */
    uint32_t file_count;
    const char *const *functions; /* [function_count]: the entry, and what was put in for calls */
    uint32_t function_count;
};

/* What machine_form.compile makes of a kernel: bytes, appended. */
void simt_kernel_write(const struct simt_kernel *kernel, struct str *out);
/* NULL with *problem set: bytes that no kernel is.  What it returns can be carried out: registers
 * are within its files, targets and reconvergence within its instructions, and its last
 * instruction does not go on. */
struct simt_kernel *simt_kernel_read(const void *bytes, size_t size, const char **problem);
void simt_kernel_free(struct simt_kernel *kernel);

/* ---- code_list.c, code_text.c: a kernel as text, and back ---- */

/* For people: the file of the PTX, which begins at its line first_line; NULL: not known. */
struct simt_names {
    const char *file;
    uint32_t first_line;
};
/* As the assembler takes it, appended; with words, lines and sources as comments, or, NULL,
 * without. */
void simt_list(const struct simt_kernel *kernel, const struct simt_names *names, struct str *out);
/* NULL with *fault set. */
struct simt_kernel *simt_assemble(const char *text, size_t size, struct portable_fault *fault);

#endif
