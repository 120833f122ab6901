/* SPDX-License-Identifier: MIT
 * The base of kinds of machines whose code is words in a memory: small cores, each with a memory of
 * its own.  It is no kind.  A kind says what its instructions are (struct stored_isa), how they
 * carry out the MPU's (a routine each, in its own assembly), and in machines/stored/run/stored.h
 * what one instruction does and takes.  The base has the rest: assembler, listings, code of a
 * package, kernels and modules of text, how buffers lie.
 *
 * A kind's link half puts these functions into its tables as they are:
 *
 *     static const struct stored_kind own = {.machine = &mine_machine, .isa = .., .routines = ..};
 *     static struct machine_code *mine_read(const void *bytes, size_t size, const char **problem) {
 *         return stored_read(&own, bytes, size, problem);
 *     }
 *     const struct machine_form mine_form = {STORED_FORM, .name = "mine", .whole = true,
 *         .takes = TAKES_GRID};
 *     const struct machine mine_machine = {STORED_MACHINE, .kind = &mine_kind, .own = &own,
 *         .code_version = 1, .read = mine_read, .forms = mine_forms};
 *
 * A kind that has a way of its own for one of these, as a form whose text is another language,
 * names the functions one by one with its own among them. docs/new-machine.md makes a kind from
 * nothing; tests/machines/core is another one. */
#ifndef MACHINES_STORED_LINK_STORED_H
#define MACHINES_STORED_LINK_STORED_H

#include "machines/machine.h"
#include "support/vec.h"

/* What the base gives the tables of a kind. */
#define STORED_FORM                                                                                \
    .declare = stored_declare, .compile = stored_compile, .data = stored_data, .lie = stored_lie,  \
    .print = stored_print_kernel
/* All that any of them takes, and what units with registers of lanes take beside. */
#define STORED_CODE                                                                                \
    .open = stored_open, .close = stored_close, .hash = stored_hash, .has = stored_has,            \
    .memory = stored_memory, .build = stored_build, .write = stored_write,                         \
    .ready = machine_code_serves, .free = stored_free, .print = stored_print, .load = stored_load
#define STORED_MACHINE                                                                             \
    STORED_CODE, .has_room = stored_has_room, .lanes = stored_lanes, .formats = stored_formats

/* ---- keys of the target file ---- */

/* What a kind keeps of its keys (target.own) begins with these. */
struct stored_keys {
    uint64_t memory_bytes; /* of a unit: registers of its lanes, 8 bytes each */
    uint64_t buffer_bytes; /* of a unit: its slices of buffers */
    uint64_t watchdog;     /* instructions after which a routine or a kernel is stopped */
};
static inline const struct stored_keys *stored_keys(const struct target *t) {
    return t->own;
}
/* A line of a kind's table of keys: STORED_KEY("core.watchdog", struct core_keys, stored.watchdog,
 * most, help). */
#define STORED_KEY(name, type, field, most, help)                                                  \
    { name, KEY_U64, NEED_ALL, 0, most, 1, (ptrdiff_t)offsetof(type, field), NULL, help }

/* ---- instructions: words of 32 to 64 bits ---- */

/* What an operand is.  A place is one that an MPU instruction has in each lane: a register at its
 * width, with or without its sign, or C, M, valid; or what lies in memory at the address that a
 * register has. */
enum stored_operand {
    STORED_REGISTER, /* x0, x1, ..: its number */
    STORED_NUMBER,   /* 5, -7, or of the MPU instruction: imm; w, its width; pad, 64 less that */
    STORED_UNSIGNED, /* the same, from 0 on */
    STORED_NAME,     /* one of `names`, by its number */
    STORED_TARGET,   /* a label, as the number of its word from the first on */
    STORED_PLACE,    /* rs, rt, rd, with sign rs.s; src: rs at the width of the source; C, M,
                        valid; (x3): 8 bytes of memory */
};
/* Which bits of the word have the operand that a letter, or any character but 0, stands for.  A
 * place takes 15. */
struct stored_field {
    char letter;
    enum stored_operand is;
    uint8_t low, bits;
};
/* What some fields have beside. */
struct stored_more {
    char letter; /* of the field */
    /* Its bits above those, if they lie elsewhere, upwards; ended by 0 bits. */
    const struct stored_bits { uint8_t low, bits; } * above;
    /* Names in the order of numbers, ended by NULL: of STORED_NAME; of a register, for x0, x1, ..;
     * "" where a number has none. */
    const char *const *names;
};
/* Operands in the order of the text, as letters of fields: {"add", "dab"}. */
struct stored_op {
    const char *name, *operands;
};
/* A word whose bits under the mask are these. */
struct stored_pattern {
    uint64_t bits, mask;
};
struct stored_isa {
    /* [op_count], at most STORED_OPS; number 0 ends routines and kernels, and a code ends with it.
     */
    const struct stored_op *ops;
    uint32_t op_count;
    uint8_t op_low; /* bits op_low and above of a word are the number of its op */
    const struct stored_field *fields; /* ended by a letter of 0 */
    char address;                      /* the field of a register whose address (x3) is */
    /* What follows may be left out.  [op_count]: instead of op_low, what tells words of an op.
     * Several ops may then have one name: a text is the first whose operands it has, and a word the
     * first that it fits. */
    const struct stored_pattern *patterns;
    const struct stored_more *more; /* ended by a letter of 0 */
    uint8_t word_bits;              /* at most 64; 0: 32 */
    uint8_t word_bytes;             /* that a word takes in a package; 0: as few as hold it */
    uint32_t registers;             /* x0 and on, of a routine or worker; 0: 32 */
};
#define STORED_OPS 65535u

static inline uint32_t stored_word_bits(const struct stored_isa *isa) {
    return isa->word_bits ? isa->word_bits : 32;
}
static inline uint32_t stored_word_bytes(const struct stored_isa *isa) {
    return isa->word_bytes ? isa->word_bytes : (stored_word_bits(isa) + 7) / 8;
}
static inline uint32_t stored_registers(const struct stored_isa *isa) {
    return isa->registers ? isa->registers : 32;
}
/* The number of a word's op; op_count: it has none. */
uint32_t stored_op(const struct stored_isa *isa, uint64_t word);
/* Words in a package, the lowest byte first. */
void stored_put_word(const struct stored_isa *isa, uint64_t word, struct str *out);
uint64_t stored_get_word(const struct stored_isa *isa, const void *bytes);

/* Places: registers 0 .. 63, or C, M, valid; width; sign; whether it is memory. */
enum { STORED_C = 64, STORED_M, STORED_VALID, STORED_PLACES };
#define STORED_PLACE_REG(place)    ((place)&127)
#define STORED_PLACE_WIDTH(place)  (((place) >> 7 & 63) + 1)
#define STORED_PLACE_SIGNED(place) ((place) >> 13 & 1)
#define STORED_PLACE_MEMORY(place) ((place) >> 14 & 1)

/* What a kind says of itself; machine.own. */
struct stored_kind {
    const struct machine *machine;
    struct stored_isa isa;
    /* [OP_COUNT], by instruction of the MPU: what carries it out in one lane; NULL: nothing does.
     * What it stores stays; registers hold nothing when it begins. */
    const char *const *routines;
    const char *predicate; /* in front of each where predication is on */
    /* Of kernels: the form's name, how many registers their parameters may have, x1 and on, and how
     * many bytes a load or store has, at least, which elements of buffers have then. */
    const char *form;
    uint32_t arguments, access_bytes;
};
static inline const struct stored_kind *stored_kind(const struct machine_library *l) {
    return l->machine->own;
}

/* ---- assemble.c: instructions, labels with a colon; blanks, lines and ; between them ---- */

typedef VEC(uint64_t) stored_words;
/* Appends the words of a routine as it is for one MPU instruction, which says what its operands
 * are.  False, with the word of the text that is wrong, if there is one. */
bool stored_assemble(const struct stored_isa *isa, const char *text, const struct insn *insn,
                     stored_words *out, struct str *wrong);

/* A line of a kernel that says how a buffer lies: ".split x UNIT HALO", ".same x", ".each x". */
struct stored_layout {
    const char *name; /* [length], in the text: of the parameter */
    size_t length;
    uint32_t line;
    struct machine_buffer lies;
};
/* A kernel's text, assembled; all zeros at first. */
struct stored_text {
    stored_words words;
    VEC(uint32_t) lines; /* of each word, from 1; of a wrong text the last is where */
    VEC(struct stored_layout) layouts;
};
bool stored_assemble_kernel(const struct stored_isa *isa, const char *text, struct stored_text *out,
                            struct str *wrong);
void stored_text_free(struct stored_text *text);
/* Words that can be carried out: they never leave words[0..count). */
bool stored_words_fine(const struct stored_isa *isa, const uint64_t *words, size_t count);
/* Whether it names a register of a lane, which a kernel has not. */
bool stored_names_lane(const struct stored_isa *isa, uint64_t word);
/* Appended, as the assembler takes it; a target is a number. */
void stored_print_word(const struct stored_isa *isa, uint64_t word, struct str *out);
/* Its digits. */
void stored_print_hex(const struct stored_isa *isa, uint64_t word, struct str *out);

/* ---- object_code.c: library, room, the code part of a package ---- */

struct machine_library *stored_open(const struct target *t, const struct user_file *files,
                                    size_t count, struct diag *d);
void stored_close(struct machine_library *l);
const char *stored_hash(const struct machine_library *l);
bool stored_has(const struct machine_library *l, enum isa_op op);
bool stored_has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem);
uint32_t stored_lanes(const struct target *t, const uint8_t reg_bits[64]);
uint64_t stored_memory(const struct target *t);

/* Every run of the text, with predication and without. */
struct machine_code *stored_build(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d);
void stored_write(const struct machine_code *c, struct str *out);
struct machine_code *stored_read(const struct stored_kind *kind, const void *bytes, size_t size,
                                 const char **problem);
void stored_free(struct machine_code *c);
void stored_print(const struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p, struct str *out);
void stored_load(const struct machine_code *c, struct machine_load *out);
enum { STORED_FORMAT_TEXT, STORED_FORMAT_CSV, STORED_FORMATS };
extern const struct machine_format stored_formats[STORED_FORMATS + 1];

/* Code of a package: runs in numbers. */
struct stored_code {
    struct machine_code base;
    stored_words data;
};
/* A run of MPU instructions as a unit executes it: for each the word of the program's text and
 * where its routine ends, in the routines that follow one another. */
struct stored_run {
    uint32_t count;
    bool masked;
    const uint64_t *text, *ends; /* [count] */
    const uint64_t *words;       /* [ends[count - 1]]; targets count from where a routine begins */
};
static inline uint64_t stored_begin(const struct stored_run *r, uint32_t i) {
    return i ? r->ends[i - 1] : 0;
}
/* Appends the numbers that such a run is; false if an instruction has no routine. */
bool stored_translate(const struct stored_kind *kind, const struct insn *insns, size_t count,
                      bool masked, stored_words *out);
/* Takes the run that begins at data[*at]; false at the end, and, with *fine false, where there is
 * none. */
bool stored_next_run(const struct stored_kind *kind, const stored_words *data, size_t *at,
                     struct stored_run *out, bool *fine);

/* ---- kernel.c: kernels in the machine's own assembler ---- */

bool stored_compile(const struct machine_library *l, const struct machine_launches *program,
                    const struct kernel_decl *k, struct machine_kernel *out,
                    struct machine_kernel_fault *fault);
void stored_lie(const struct machine_library *l, struct machine_launches *launches);
void stored_print_kernel(const struct machine_library *l, const void *code, size_t size,
                         const struct machine_lines *lines, struct str *out);

/* ---- module.c: texts with several kernels ---- */

bool stored_declare(const char *text, size_t size, struct machine_entries *out,
                    struct machine_kernel_fault *fault);
bool stored_data(const struct machine_library *l, const struct module_decl *module, struct str *out,
                 struct str *addresses, struct machine_kernel_fault *fault);
/* What there is to assemble of a kernel: its text, or the lines of the entry that it is, at the
 * places that they have in the text, by way of `own`. */
const char *stored_kernel_text(const struct kernel_decl *kernel, struct str *own);

#endif
