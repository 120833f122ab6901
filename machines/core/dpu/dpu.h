/* SPDX-License-Identifier: MIT
 * The instruction set of UPMEM's DPU: 24 tasklets with 24 registers of 32 bits each, instructions
 * of 48 bits.  One table, forms.def, says what words there are; what follows from it is here: codec
 * and text (codec.c, print_insn.c), assembler (sources.c), ELF files as UPMEM's tools write them
 * (elf_files.c).  machines/core/dpu/run/ carries programs out.
 *
 * Code addresses are numbers of instructions, from 0: in r23, in pointers to functions, in targets
 * of jumps.  A file has instruction n at DPU_AT_TEXT + 8 n. */
#ifndef MACHINES_CORE_DPU_DPU_H
#define MACHINES_CORE_DPU_DPU_H

#include "machines/syntax.h"
#include "support/diag.h"
#include "support/str.h"
#include "support/vec.h"

/* ---- what instructions do ---- */

enum dpu_class {
    DPU_ARITHMETIC,
    DPU_LOGIC,
    DPU_SHIFT,
    DPU_COUNT,
    DPU_EXTEND,
    DPU_MULTIPLY,
    DPU_STEP, /* of a multiplication or division */
    DPU_PAIR,
    DPU_LOAD,
    DPU_STORE,
    DPU_DMA,
    DPU_ATOMIC,
    DPU_THREAD,
    DPU_JUMP, /* call; other instructions jump on conditions */
    DPU_OTHER,
    DPU_CLASSES
};
const char *dpu_class_name(enum dpu_class class);
enum dpu_op {
#define X(op, class)      DPU_OP_##op,
#define HIDDEN(op, class) DPU_OP_##op,
#include "machines/core/dpu/ops.def"
#undef X
#undef HIDDEN
    DPU_OPS
};
enum dpu_class dpu_op_class(enum dpu_op op);
/* False of one whose effect nobody has published. */
bool dpu_op_known(enum dpu_op op);

/* ---- operands ---- */

/* What an operand is for; fields of words are named so. */
enum dpu_role { DPU_C, DPU_A, DPU_B, DPU_IMM, DPU_OFF, DPU_PC, DPU_CC, DPU_ENDIAN, DPU_ROLES };
enum dpu_kind {
    DPU_REGISTER,    /* r0 .. r23 */
    DPU_SOURCE,      /* these, and zero one lneg mneg id id2 id4 id8: 24 .. 31 */
    DPU_CONSTANT,    /* 24 .. 31 alone */
    DPU_NOT_ZERO,    /* a source, and not `zero` */
    DPU_SAFE,        /* s0 .. s23 */
    DPU_SAFE_SOURCE, /* these, and constants: s24 .. s31 */
    DPU_PAIR_OF,     /* d0, d2 .. d22: high word in the even register, low word in the odd one */
    DPU_ZERO,        /* the word zero, where nothing is written */
    DPU_ENDIANNESS,  /* !little, !big */
    DPU_CONDITION,
    DPU_NUMBER,
};
enum dpu_cc_class {
    DPU_CC_NONE,
    DPU_CC_ACQUIRE,
    DPU_CC_ADD_NZ,
    DPU_CC_BOOT,
    DPU_CC_COUNT_NZ,
    DPU_CC_DIV,
    DPU_CC_DIV_NZ,
    DPU_CC_EXT_SUB_SET,
    DPU_CC_FALSE,
    DPU_CC_IMM_SHIFT_NZ,
    DPU_CC_LOG_NZ,
    DPU_CC_LOG_SET,
    DPU_CC_MUL_NZ,
    DPU_CC_RELEASE,
    DPU_CC_SHIFT_NZ,
    DPU_CC_SUB_NZ,
    DPU_CC_SUB_SET,
    DPU_CC_TRUE,
    DPU_CC_TRUE_FALSE,
};
/* What a condition asks; by class the same code asks different things. */
enum dpu_ask {
    DPU_ASK_FALSE,
    DPU_ASK_TRUE,
    DPU_ASK_Z, /* the result */
    DPU_ASK_NZ,
    DPU_ASK_XZ, /* the result, and the one before it */
    DPU_ASK_XNZ,
    DPU_ASK_PL,
    DPU_ASK_MI,
    DPU_ASK_SZ, /* the source: register a */
    DPU_ASK_SNZ,
    DPU_ASK_SPL,
    DPU_ASK_SMI,
    DPU_ASK_OV,
    DPU_ASK_NOV,
    DPU_ASK_C, /* carry, or borrow */
    DPU_ASK_NC,
    DPU_ASK_NC5, /* no carry out of the lowest 5 bits of an addition, and so on */
    DPU_ASK_NC6,
    DPU_ASK_NC7,
    DPU_ASK_NC8,
    DPU_ASK_NC9,
    DPU_ASK_NC10,
    DPU_ASK_NC11,
    DPU_ASK_NC12,
    DPU_ASK_NC13,
    DPU_ASK_NC14,
    DPU_ASK_LTS, /* of a subtraction with its borrow, as if it had all bits */
    DPU_ASK_GES,
    DPU_ASK_LES,
    DPU_ASK_GTS,
    DPU_ASK_LEU,
    DPU_ASK_GTU,
    DPU_ASK_XLES, /* lts, or xz */
    DPU_ASK_XGTS,
    DPU_ASK_XLEU,
    DPU_ASK_XGTU,
    DPU_ASK_MAX, /* all 32 bits counted */
    DPU_ASK_NMAX,
    DPU_ASK_E, /* even result */
    DPU_ASK_O,
    DPU_ASK_SE, /* even source */
    DPU_ASK_SO,
    DPU_ASK_NSH32, /* bit 5 of the register that says how far to shift */
    DPU_ASK_SH32,
    DPU_ASK_SMALL, /* no factor has a bit in its second byte */
    DPU_ASK_LARGE,
};
/* The name that is printed; NULL: the class has no such code. */
const char *dpu_cc_name(enum dpu_cc_class class, uint32_t code);
/* Any of its names; false: the class has none such. */
bool dpu_cc_code(enum dpu_cc_class class, const char *name, size_t length, uint32_t *code);
enum dpu_ask dpu_cc_ask(enum dpu_cc_class class, uint32_t code);

struct dpu_operand {
    enum dpu_role role;
    enum dpu_kind kind;
    enum dpu_cc_class cc;
    /* DPU_NUMBER: what may be written; `sign`: bits are a number with a sign, and printed so. */
    int64_t least, most;
    bool sign;
    struct {
        uint8_t low, bits;
    } parts[16]; /* from its lowest bit upwards, ended by one of no bits */
};

/* ---- forms ---- */

enum dpu_wide { DPU_PLAIN, DPU_SIGNED, DPU_UNSIGNED }; /* of a pair, ".s" and ".u" */
#define DPU_OPERANDS 6u
struct dpu_form {
    const char *name, *mnemonic;
    enum dpu_op op; /* of sugar: none */
    bool sugar;     /* another form has the same words */
    enum dpu_wide wide;
    uint64_t mask, fixed; /* which bits are fixed, and how */
    uint8_t count;
    const struct dpu_operand *operands[DPU_OPERANDS];
};
uint32_t dpu_form_count(void);
/* The next form of that mnemonic, from number `from` on; dpu_form_count(): there is none. */
uint32_t dpu_form_named(uint32_t from, const char *mnemonic, size_t length);
/* In the order of the table. */
void dpu_form_get(uint32_t number, struct dpu_form *out);

/* An instruction with its operands, in the order of its text: numbers of registers (of a pair the
 * even one), codes of conditions, 1 for !big. */
struct dpu_insn {
    uint32_t form;
    int64_t values[DPU_OPERANDS];
};
#define DPU_WORD_BITS 48u
/* Whether an operand can have the value. */
bool dpu_value_fits(const struct dpu_operand *o, int64_t value);
/* False if an operand cannot have its value. */
bool dpu_encode(const struct dpu_insn *insn, uint64_t *word);
/* As that form; false if it is none of its words. */
bool dpu_decode_as(uint32_t form, uint64_t word, struct dpu_insn *out);
/* As the form with the most fixed bits, of all or of those that are no sugar; false: nothing has
 * such a word. */
bool dpu_decode(uint64_t word, bool sugar, struct dpu_insn *out);

/* ---- text ---- */

/* Names of registers by number, 0 .. 31: r0, d0, zero.  Checked ones have no names for what is
 * constant, s24 .. s31, so that a text says which form is meant. */
void dpu_register_name(uint32_t number, char letter, char out[5]);
/* Whether name[0 .. length) is one of these. */
bool dpu_is_register_name(const char *name, size_t length);
/* "add r0, r1, 5, true, 12", appended. */
void dpu_print(const struct dpu_insn *insn, struct str *out);

/* ---- programs ---- */

#define DPU_MACHINE     0xf5u /* e_machine */
#define DPU_ELF_FLAGS   0x2800000u
#define DPU_AT_TEXT     0x80000000u
#define DPU_AT_MRAM     0x08000000u
#define DPU_AT_ATOMIC   0xf0000000u
#define DPU_IRAM_WORDS  4096u
#define DPU_WRAM_BYTES  65536u
#define DPU_MRAM_BYTES  (64u << 20)
#define DPU_ATOMIC_BITS 256u
#define DPU_TASKLETS    24u

enum dpu_space { DPU_IN_TEXT, DPU_IN_WRAM, DPU_IN_MRAM, DPU_IN_ATOMIC, DPU_IN_NOTHING };
struct dpu_section {
    char *name;
    enum dpu_space space;
    uint32_t address;
    uint32_t size;
    struct str bytes; /* `size` of them, or none: they are zeros */
};
struct dpu_symbol {
    char *name;
    uint32_t value, size;
    enum dpu_space space; /* DPU_IN_NOTHING: a number */
    bool global, function, object;
};
struct dpu_place {
    uint32_t source, line; /* line 0: nobody says */
};
/* What an ELF file holds. */
struct dpu_program {
    VEC(uint64_t) words;
    /* Of a text, by instruction, from 1, where what is included or expanded is used; 0 of the
     * runtime library; none of a file. */
    VEC(uint32_t) lines;
    VEC(struct dpu_section) sections; /* all but code, that units have memory for */
    VEC(struct dpu_symbol) symbols;
    /* Where instructions come from, one for each: of a file with line tables, and of a text with
     * options; or none. */
    VEC(char *) sources;
    VEC(struct dpu_place) places;
};
/* NULL after reporting. */
struct dpu_program *dpu_program_read(const char *name, const void *bytes, size_t size,
                                     struct diag *d);
void dpu_program_write(const struct dpu_program *p, struct str *out);
void dpu_program_free(struct dpu_program *p);
/* The symbol of that name; NULL: none has it. */
const struct dpu_symbol *dpu_program_symbol(const struct dpu_program *p, const char *name);
/* Appends "task.c:12", where the instruction at that place comes from; false: nobody says. */
bool dpu_program_line(const struct dpu_program *p, uint32_t pc, struct str *out);
/* Whether bytes begin as an ELF file of a DPU. */
bool dpu_is_program(const void *bytes, size_t size);

/* Text as GNU's assembler has it (docs/dpu.md); NULL after reporting. */
struct dpu_program *dpu_assemble(const char *name, const char *text, size_t size, struct diag *d);
/* Likewise; with options files may be included. */
struct dpu_program *dpu_assemble_with(const char *name, const char *text, size_t size,
                                      const struct machine_text_options *options, struct diag *d);
/* Appends it as text for the assembler, with labels where symbols or targets of jumps are; `plain`:
 * without sugar. */
void dpu_disassemble(const struct dpu_program *p, bool plain, struct str *out);
/* A listing for people; places and lines stand where others begin. */
void dpu_list(const struct dpu_program *p, const struct machine_view *view, struct str *out);

#endif
