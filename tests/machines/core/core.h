/* SPDX-License-Identifier: MIT
 * A toy kind of machine, to learn from: scalar cores of 16 instructions.
 *
 * A VRF is a core with a memory of its own, in which the registers of its lanes lie; it carries out
 * an MPU instruction for one lane after the other, by a routine in its own instructions.  The cores
 * of an RFH share the port to their memories.  So a multiplication takes as long as its operands
 * want, and a core as long as its neighbours let it. */
#ifndef CORE_H
#define CORE_H

#include "machines/datapath.h"
#include "machines/machine.h"
#include "support/vec.h"

/* ---- isa.c: the core's own instructions, one word each ---- */

/* Word: op 31..28, registers d 27..24, a 23..20, b 19..16, imm 15..0.  x0 is 0. */
enum core_op {
    CORE_END, /* the routine is over */
    CORE_LD,  /* x[d] = what lies at a place */
    CORE_ST,  /* it becomes x[a] */
    CORE_LI,  /* x[d] = imm, with its sign */
    CORE_ADD,
    CORE_SUB,
    CORE_AND,
    CORE_OR,
    CORE_XOR,
    CORE_SHL, /* by 64 and more: 0, or the sign */
    CORE_SHR,
    CORE_SAR,
    CORE_LTU, /* x[d] = x[a] < x[b] */
    CORE_LTS,
    CORE_BEQZ, /* if x[a] is 0: on at word imm */
    CORE_BNEZ,
    CORE_OPS
};
/* Operands in the order of the text: registers d, a, b; an immediate i, a place p, a target t. */
struct core_op_info {
    const char *name, *operands;
};
extern const struct core_op_info core_ops[CORE_OPS];

#define CORE_OP(word)  ((enum core_op)((word) >> 28))
#define CORE_D(word)   ((word) >> 24 & 15)
#define CORE_A(word)   ((word) >> 20 & 15)
#define CORE_B(word)   ((word) >> 16 & 15)
#define CORE_IMM(word) ((word)&0xffff)
/* A place, in imm: registers 0 .. 63 of the lane or its bits C, M, valid, at a width, and whether
 * the highest bit is a sign; or the 8 bytes of the machine's memory at the address in x[b]. */
enum { CORE_C = 64, CORE_M, CORE_VALID, CORE_PLACES };
#define CORE_PLACE(imm)  ((imm)&127)
#define CORE_WIDTH(imm)  (((imm) >> 7 & 63) + 1)
#define CORE_SIGNED(imm) ((imm) >> 13 & 1)
#define CORE_MEMORY(imm) ((imm) >> 14 & 1)

typedef VEC(uint32_t) core_words;
/* Appends the words of a routine as it is for one MPU instruction, which says what its operands
 * are; NULL: it has none.  False, with the word of the text that is wrong, if there is one. */
bool core_assemble(const char *text, const struct insn *insn, core_words *out, struct str *wrong);
/* A line of a kernel that says how a buffer lies: ".split x UNIT HALO", ".same x", ".each x". */
struct core_lie {
    const char *name; /* [length], in the text: of the parameter */
    size_t length;
    uint32_t line;
    struct machine_buffer lies;
};
typedef VEC(struct core_lie) core_lies;
/* The same for a kernel, with the line of each word, from 1; of a wrong one the last line is where.
 */
bool core_assemble_kernel(const char *text, core_words *out, core_words *lines, core_lies *lies,
                          struct str *wrong);
/* Words that can be carried out: they never leave words[0..count). */
bool core_words_fine(const uint32_t *words, size_t count);
void core_print(uint32_t word, struct str *out); /* appended, as the assembler takes it */

/* ---- routines.c ---- */

/* What carries out an MPU instruction in one lane; NULL: nothing does. */
const char *core_routine(enum isa_op op);

/* ---- lie.c ---- */

/* What the lines of a kernel name are buffers of its parameters, each once; else where not. */
bool core_lies_fit(const struct kernel_decl *k, const core_lies *lies,
                   struct machine_kernel_fault *fault);
void core_lie(const struct machine_library *l, struct machine_launches *launches);

/* ---- link.c ---- */

extern const struct target_kind core_kind;
extern const struct machine core_machine;
extern const struct machine_form core_form;
/* Forms of kernels that it carries out, NULL at the end; beside the list of kinds. */
extern const struct machine_form *const core_forms[];

/* Keys of the target file that are this kind's own. */
struct core_keys {
    uint64_t memory_bytes;  /* of a core */
    uint64_t buffer_bytes;  /* of a core, for its slices of buffers */
    uint64_t access_cycles; /* of LD and ST, in the core */
    uint64_t port_cycles;   /* and at the port */
    uint64_t branch_cycles; /* of a branch that is taken; all else takes one */
    uint64_t alu_fj, access_fj;
    uint64_t watchdog; /* instructions after which a routine or a kernel is stopped */
};

/* A run of MPU instructions as the core executes it: for each the word of the program's text and
 * where its routine ends, in the routines that follow one another. */
struct core_run {
    uint32_t count;
    bool masked;
    const uint32_t *text, *ends; /* [count] */
    const uint32_t *words;       /* [ends[count - 1]]; branches count from where a routine begins */
};
/* Appends the numbers that such a run is; false if an instruction has no routine. */
bool core_translate(const struct dp_run *run, core_words *out);
/* Takes the run that begins at data[*at]; false at the end, and, with *fine false, where there is
 * none. */
bool core_next_run(const core_words *data, size_t *at, struct core_run *out, bool *fine);
static inline uint32_t core_begin(const struct core_run *r, uint32_t i) {
    return i ? r->ends[i - 1] : 0;
}

/* The code part of a package: runs. */
struct core_code {
    struct machine_code base;
    core_words data;
};

/* ---- module.c: texts with several kernels ---- */

/* machine_form.declare. */
bool core_declare(const char *text, size_t size, struct machine_entries *out,
                  struct machine_kernel_fault *fault);
/* What there is to assemble of a kernel: its text, or the lines of the entry that it is, at the
 * places that they have in the text, by way of `own`. */
const char *core_kernel_text(const struct kernel_decl *kernel, struct str *own);
/* machine_form.data: the words behind .data. */
bool core_shared(const struct machine_library *l, const struct module_decl *module, struct str *out,
                 struct machine_kernel_fault *fault);

/* ---- run.c ---- */
extern const struct datapath_ops core_engine;
enum { CORE_FORMAT_TEXT, CORE_FORMAT_CSV, CORE_FORMATS };

#endif
