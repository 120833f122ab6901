/* SPDX-License-Identifier: MIT
 * A kind of machine at link time: what the linker, the tools and the timing model ask of it.  Its
 * run half is machines/datapath.h.  docs/machines.md has the whole picture.
 *
 * Others see a target (target/target.h), a library (how the machine carries out instructions:
 * recipes, routines) and code (what a package holds of it for one program); what is inside is the
 * kind's alone. */
#ifndef MACHINES_MACHINE_H
#define MACHINES_MACHINE_H

#include "isa-spec/user.h"
#include "machines/format.h"
#include "object/object.h"
#include "object/text.h"
#include "support/str.h"
#include "support/vec.h"
#include "target/kind.h"
#include "target/target.h"

struct golden_lane;
struct machine;
struct recipe_contracts;

/* How a target carries out instructions, and what the instructions do that a program declares
 * itself.  The first part of what a kind keeps. */
struct machine_library {
    const struct machine *machine;
    const struct target *target;
    struct recipe_contracts *contracts; /* NULL: the program declares none */
};

/* What a package holds of a program for the machine to execute; the first part of a kind's own. */
struct machine_code {
    const struct machine *machine;
};

/* VRFs that are alike to a machine whose lanes depend on the registers that are used there: those
 * of groups that share VRFs, or fixed ones.  Kin have numbers from 0, and a VRF has one
 * throughout. */
struct machine_kin {
    uint8_t reg_bits[64]; /* of registers that are used under its headers, 0 = not used */
    /* As wide as lanes are: machine_slot_bits of these, or more where vectors of a device lie. */
    uint8_t slot;
    uint32_t lanes; /* elements of a VRF */
    bool fixed;     /* as .geometry has them, whatever is used */
};

/* A program's text with its sizes filled in, and what is known of it. */
struct machine_program {
    const struct text *text;
    const uint8_t *reg_bits;        /* [64] register map: bits of each register, 0 = not used */
    const struct isa_users *users;  /* names of its own instructions */
    const struct machine_kin *kins; /* [kin_count]; NULL: 0 alone, with all registers */
    uint32_t kin_count;
    /* [text.len][machine_kin_words]: bit k: a body under a header of kin k may come to the
     * instruction; NULL: of kin 0 to all. */
    const uint64_t *reached;
    /* [text.len]: 0: nothing comes to the instruction, which stands behind an `else` that is not
     * taken; NULL: all may be carried out. */
    const uint8_t *taken;
    /* [bank_count][machine_kin_count]: VRFs of each kin in a register file holder, of those that
     * hold registers; those that are alike once.  bank_count 0: none is placed yet, or the kind has
     * no slots. */
    const uint32_t *bank_vrfs;
    uint32_t bank_count;
    /* For messages: where an instruction of the text stands in the source.  NULL: it is not known.
     */
    struct span (*place)(const void *context, uint32_t index);
    const void *context;
};
static inline struct span machine_place(const struct machine_program *p, uint32_t index) {
    return p->place ? p->place(p->context, index) : NO_SPAN;
}
static inline uint32_t machine_kin_words(uint32_t kin_count) {
    return (kin_count + 63) / 64;
}
static inline uint32_t machine_kin_count(const struct machine_program *program) {
    return program->kins ? program->kin_count : 1;
}
/* [64] of a kin. */
static inline const uint8_t *machine_kin_bits(const struct machine_program *program, uint32_t kin) {
    return program->kins ? program->kins[kin].reg_bits : program->reg_bits;
}
static inline bool machine_is_taken(const struct machine_program *program, uint32_t index) {
    return !program->taken || program->taken[index];
}
/* Calls `visit` for each run of the text that something comes to, under the predication that bodies
 * come to it with (both: twice), in the text's order.  False at the first visit that is. */
bool machine_each_run(const struct machine_program *program,
                      bool (*visit)(void *context, uint32_t first, uint32_t count, bool masked),
                      void *context);
/* What is not taken, nobody reaches. */
static inline bool machine_kin_reaches(const struct machine_program *program, uint32_t kin,
                                       uint32_t index) {
    return machine_is_taken(program, index) &&
           (!program->reached ||
            program->reached[(size_t)index * machine_kin_words(program->kin_count) + kin / 64] >>
                    kin % 64 &
                1);
}

/* Instructions of a text that have to lie in the recipe table of an MPU, or in what takes its
 * place, when they are carried out. */
struct machine_part {
    uint32_t first, count; /* words of the code; parts may share them */
    uint32_t needs;        /* bit i: shared[i] too */
    uint64_t key;          /* the same for parts of other codes that say the same */
};
/* What became of a form that was tried. */
enum machine_trial {
    TRIAL_NEEDLESS, /* all that makes it came with the tools */
    TRIAL_HOLDS,    /* on lanes of a bench, which proves nothing for others */
    TRIAL_FAILS,    /* reported */
};
enum machine_proof {
    PROOF_NEEDLESS, /* all that makes it came with the tools, or is a machine and no recipe */
    PROOF_HOLDS,    /* for all operands */
    PROOF_NONE,     /* nobody decided it */
    PROOF_FAILS,    /* reported, with operands */
};
struct machine_load {
    const struct machine_part *parts; /* [part_count] */
    uint32_t part_count;
    const struct machine_part *shared; /* [shared_count], at most 32; each takes a pointer */
    uint32_t shared_count;
    uint32_t words;                  /* all together */
    uint32_t word_bits, shared_bits; /* of a word; of what names a shared part */
    uint64_t bytes;                  /* that go over the host's link before the program starts */
};
#define MACHINE_NO_PART UINT32_MAX

/* ---- kernels: programs of a machine's own, for all of it (struct kernel_decl) ---- */

/* Where it is wrong: what, and the line of the text; 0: in no line.  The column, from 1; 0: not
 * known.  `beyond`: nothing is wrong with the text, but this machine cannot carry it out: what
 * stands behind an `else` is carried out instead. */
struct machine_kernel_fault {
    struct str what;
    uint32_t line, column;
    bool beyond;
};

/* Receives messages (diag_new) whose context is a fault: the first error is what is wrong. */
void machine_fault_from_error(void *fault, const struct diag *diag, const struct message *message);

/* What a machine makes of a kernel; zeroed before. */
struct machine_kernel {
    struct str code; /* what its datapath launches (datapath_ops.launch) */
    uint32_t *lines; /* [line_count], malloc'ed: lines of the text, from 1, by the pc that faults
                        name; NULL: it has none */
    uint32_t line_count;
    /* Tables that come again for each query: why, and where (-Wtable-turns). */
    VEC(struct machine_kernel_fault) turns;
    uint8_t reg_bits[64]; /* of registers of VRFs that it works on: at least so many */
    uint32_t mpus;        /* it works on registers in so many MPUs, from the first on */
};
void machine_kernel_free(struct machine_kernel *kernel);

/* Where the places of a kernel come from, for people. */
struct machine_lines {
    const uint32_t *lines; /* [count]: as machine_kernel.lines */
    uint32_t count;
    const char *file; /* of the text, which begins at its line first_line; NULL: not known */
    uint32_t first_line;
};
/* "axpy.s:12", or "line 3" of a text of which no file is known; nothing of other places. */
void machine_line_text(const struct machine_lines *lines, uint32_t place, struct str *out);

/* Lines of other sources from which the text of a kernel was made, as it says itself, by the places
 * of what was made of it; zeroed before. */
struct machine_source {
    const char *file; /* the arena's; NULL: nothing is said */
    uint32_t line;
};
struct machine_sources {
    struct arena arena;
    const struct machine_source *places; /* [count] */
    uint32_t count;
};

/* Kernels that a text declares, and arrays that it adds to a machine's memory.  A first extent of 0
 * is a row for each unit, as many as there are. */
struct machine_entry {
    const char *name;
    /* One that has the name of an added buffer gets that, and no argument. */
    const struct kernel_parameter *parameters; /* [parameter_count] */
    uint32_t parameter_count;
    uint32_t line; /* from 1, where it is declared */
    /* Further names of it, NULL behind the last, which others may have, too; NULL: none. */
    const char *const *also;
};
struct machine_entries {
    struct arena arena; /* all that they point to */
    VEC(struct machine_entry) entries;
    VEC(struct buffer_decl) buffers; /* no extent of theirs names a size */
};
void machine_entries_free(struct machine_entries *entries);
/* The one that is meant by name[0 .. n); NULL: none is, or, with that appended to *problem, several
 * are. */
const struct machine_entry *machine_entry_named(const struct machine_entries *entries,
                                                const char *name, size_t n, struct str *problem);
/* ---- how buffers lie in the units of a machine, its VRFs in the order of their numbers ---- */

enum machine_layout {
    LAYOUT_FLAT,  /* one place, which all units reach */
    LAYOUT_SPLIT, /* a slice in each unit, one after another */
    LAYOUT_SAME,  /* a copy in each unit */
    LAYOUT_EACH,  /* unit u has row u of the first dimension */
    LAYOUT_OWN,   /* likewise, at a place that the kernel's program has for it in each unit */
    LAYOUTS
};
struct machine_buffer {
    enum machine_layout layout;
    /* Of split: bytes that stay together, a multiple of an element's.  Of own: the place, as the
     * machine numbers those of a program.  Else 0. */
    uint64_t unit;
    /* Of split: bytes of the neighbours on either side of a slice, whole elements.  Of own: whose
     * place, an index of kernels.  Else 0. */
    uint64_t halo;
};
/* A kernel that is called with a buffer, and how that is to lie. */
struct machine_want {
    uint32_t kernel; /* NO_INDEX: none is */
    uint32_t line;   /* of its text that says so, from 1; 0: none does */
    struct machine_buffer lies;
};
/* The program that launches kernels: all of them, its modules, buffers and calls, and its sizes. */
struct machine_launches {
    const struct object *object;
    /* [object.sizes.len]; NULL: nobody knows them, and only the registers and MPUs that kernels
     * work on are asked for. */
    const int64_t *sizes;
    const uint8_t *called; /* [object.kernels.len]: 1: some RECIPE names it */
    /* For `lie` of their forms to say what the kernels want, NULL for `compile`:
     * [object.buffers.len], the first kernel that is called with the buffer, and the first that
     * wants it otherwise. */
    struct machine_want *wants, *others;
};
/* The buffers that the kernel gets as that parameter lie so. */
void machine_want(struct machine_launches *launches, uint32_t kernel, uint32_t parameter,
                  struct machine_buffer lies, uint32_t line);
/* One buffer does. */
void machine_want_buffer(struct machine_launches *launches, uint32_t kernel, uint32_t buffer,
                         struct machine_buffer lies);
bool machine_buffer_same(const struct machine_buffer *left, const struct machine_buffer *right);
/* "split by 8 bytes with a halo of 16"; appended. */
void machine_buffer_text(const struct machine_buffer *buffer, struct str *out);

/* What launches of a form may say of their geometry (struct launch_geometry). */
enum launch_takes {
    TAKES_GRID = 1,
    TAKES_BLOCK = 2,
    TAKES_BYTES = 4,
    TAKES_COUNT = 8,  /* how many units */
    TAKES_FIRST = 16, /* which is the first of them */
    TAKES_UNITS = TAKES_COUNT | TAKES_FIRST
};

/* A form that kernels of a kind of machine have. */
struct machine_form {
    const char *name; /* "pypim" */
    /* A launch is work of the whole machine, whatever MPUs the program names: all of its units are
     * in use, and take static power.  Else of the MPUs that machine_kernel.mpus says. */
    bool whole;
    unsigned takes; /* sum of enum launch_takes: what a launch may say */
    /* Buffers are addresses to the text, as pointers of C are, whatever elements lie there: a
     * launch on a device takes buffers of all types, from any byte on, and an address as a number.
     */
    bool pointers;
    /* False, with why not appended, of a target of the kind that does not carry such kernels out;
     * NULL: all do. */
    bool (*serves)(const struct target *t, struct str *why);
    /* Adds what a text says of the kernels in it to *out, which is empty; false with *fault set.
     * NULL: texts of the form declare nothing, and each is one kernel. */
    bool (*declare)(const char *text, size_t size, struct machine_entries *out,
                    struct machine_kernel_fault *fault);
    /* What the machine launches of a kernel of the program: all of its text or words, or the entry
     * of them that it names.  It may follow from other kernels, from buffers and from sizes.  False
     * with *fault set. */
    bool (*compile)(const struct machine_library *l, const struct machine_launches *program,
                    const struct kernel_decl *kernel, struct machine_kernel *out,
                    struct machine_kernel_fault *fault);
    /* What the entries of a module share, as it is when the program begins: appended; it is put
     * into the machine's memory once.  Of words of 8 bytes to which its address there is added the
     * places are appended to *addresses, uint64_t each, ascending.  NULL: they share nothing. False
     * with *fault set. */
    bool (*data)(const struct machine_library *l, const struct module_decl *module, struct str *out,
                 struct str *addresses, struct machine_kernel_fault *fault);
    /* How the buffers lie that kernels of this form are called with: machine_want for each of their
     * parameters that is one; the form is `whole` then, and the run half has mem_alloc_slices
     * and looks at dp_launch.all_units.  NULL: flat. */
    void (*lie)(const struct machine_library *l, struct machine_launches *launches);
    /* mpu-objdump --recipes: what launch takes, as text, with its lines; appended. */
    void (*print)(const struct machine_library *l, const void *code, size_t size,
                  const struct machine_lines *lines, struct str *out);
    /* Sources of what launch takes, where there are other ones behind its text; NULL: there are
     * none. */
    void (*sources)(const void *code, size_t size, struct machine_sources *out);
    /* Whether bytes are a file of words, which kernels of the form may be beside texts; NULL: they
     * never are. */
    bool (*is_words)(const void *bytes, size_t size);
    /* Files whose names end so are a kernel of words each, or, with `declare`, texts of kernels;
     * ended by NULL, and NULL without. */
    const char *const *suffixes;
    const char
        *text_suffix; /* that of them whose files are texts, in which words are written; NULL */
    /* The words of such a file; of no use with `declare`.  False with *fault set. */
    bool (*read_file)(const char *suffix, const char *bytes, size_t size, struct str *words,
                      struct machine_kernel_fault *fault);
    /* Numbers that words return to the host: elements of the buffer that its one parameter is; 0:
     * it has no parameter. */
    uint64_t (*returns)(const void *words, size_t size);
    const struct lane_type *returned; /* their type */
};
/* The form of which files with that suffix (".pypim") are, of any kind of machine, and number i of
 * all such suffixes; NULL: there is none. */
const struct machine_form *machine_form_of_suffix(const char *suffix);
const char *machine_form_suffix(size_t i);
/* The form of that name, if the target carries such kernels out; NULL, with why not appended (to
 * NULL: nobody asks). */
const struct machine_form *machine_form(const struct target *target, const char *name,
                                        struct str *why);

/* Rows of a VRF in the section where registers take most; they have room if registers, scratch and
 * state together are not more than what is there. */
struct machine_rows {
    const char *unit; /* what people call one: "row"; "column", which goes through all partitions */
    uint32_t bits;    /* of a register that lie in one: one for each section */
    uint64_t there;
    uint64_t registers; /* of each as many as its bits take */
    uint64_t scratch;   /* the most that one instruction of the code needs beside them */
    uint64_t state;     /* masks and the like, whatever the program */
    uint64_t constants; /* that its instructions need, each a row */
    uint64_t copies;    /* of tables, where there was room beside all others */
    uint32_t needs;     /* index of an instruction that needs most scratch, if one needs any */
    bool masked;        /* it does under a mask */
};
static inline uint64_t machine_rows_taken(const struct machine_rows *rows) {
    return rows->registers + rows->scratch + rows->state + rows->constants + rows->copies;
}
/* What they leave for registers, for which copies make room. */
static inline uint64_t machine_rows_left(const struct machine_rows *rows) {
    uint64_t taken = rows->scratch + rows->state + rows->constants;
    return rows->there > taken ? rows->there - taken : 0;
}

/* Rows of a VRF that vectors of a device may have in lanes of one slot (docs/arrays.md): bit j of a
 * vector lies in section j mod sections. */
struct machine_room {
    uint32_t sections; /* 0: the kind keeps no vectors */
    uint32_t rows;     /* of each section, what instructions need for scratch included */
    uint32_t lanes;    /* elements of a VRF */
};
/* So many rows of the section that has most of it a vector of `bits` bits takes. */
static inline uint32_t machine_room_rows(const struct machine_room *room, unsigned bits) {
    return (bits + room->sections - 1) / room->sections;
}

/* What an instruction comes to, for people. */
struct machine_figures {
    const char *origin;          /* "built in", or the file that its routine comes from */
    uint64_t commands;           /* that are carried out */
    uint64_t words;              /* of the program that says so */
    uint64_t time_ps, energy_fj; /* alone, in one VRF */
    uint32_t scratch;            /* rows */
};

/* What a kind has to say for itself.  A function that may be NULL has the answer that stands beside
 * it; others ask by way of the functions machine_... below. */
struct machine {
    const struct target_kind *kind;

    /* --- library --- */
    /* The built-in one of the target, with what files add that a program brings; a zeroed record
     * that begins with a struct machine_library, whose fields the caller fills in.  NULL after
     * reporting. */
    struct machine_library *(*open)(const struct target *t, const struct user_file *files,
                                    size_t count, struct diag *d);
    void (*close)(struct machine_library *l);
    /* machine_library_keep; NULL: nothing takes long. */
    void (*keep)(struct machine_library *l, const char *folder);
    /* SHA-256 of it, 64 digits; NULL: there is nothing that results depend on. */
    const char *(*hash)(const struct machine_library *l);
    /* NULL: all of the ISA, and what the program declares. */
    bool (*has)(const struct machine_library *l, enum isa_op op);
    /* Appends why not, ": its micro-ops cannot make !x"; NULL: there is no more to say. */
    void (*why_not)(const struct machine_library *l, enum isa_op op, struct str *out);

    /* --- fit --- */
    /* Widths of registers, ascending to 64 and ended by 0: what the machine makes of an instruction
     * depends on the kin of the VRFs at work, on lanes that are as wide as its slot: the least of
     * these that has room for each of its registers, or a wider one.  NULL: it does not; all VRFs
     * are of kin 0. */
    const uint8_t *slots;
    /* False, with what is wrong appended, if an instruction that it has cannot be carried out at
     * its width, masked or not, in VRFs of the kin.  NULL: all can. */
    bool (*fits)(const struct machine_library *l, const struct insn *insn,
                 const struct machine_kin *kin, struct str *problem);
    /* Carries an instruction out as the machine will, on values of its own, if not all that makes
     * it came with the tools.  NULL: it always did. */
    enum machine_trial (*try)(const struct machine_library *l, const struct insn *insn, bool masked,
                              struct diag *d);
    /* Whether what a recipe of the program's own makes is right for all operands; `undecided`
     * counts the questions of a program that found no answer.  NULL: there are no such recipes. */
    enum machine_proof (*prove)(const struct machine_library *l, const struct insn *insn,
                                bool masked, unsigned *undecided, struct diag *d);
    /* False, with what is wrong appended, if registers of so many bits (a kin's, where there are
     * several) have no room in a VRF, whatever the program does with them.  NULL: they have. */
    bool (*has_room)(const struct target *t, const uint8_t reg_bits[64], struct str *problem);
    /* Elements of a VRF for groups whose headers stand over registers of so many bits [64], 0 = not
     * used; 1 .. 2^24.  NULL: target.lanes. */
    uint32_t (*lanes)(const struct target *t, const uint8_t reg_bits[64]);
    /* The most that a fixed VRF (.geometry) can have in a program with such registers, where the
     * machine can take more rows for each.  NULL: as `lanes`. */
    uint32_t (*fixed_lanes)(const struct target *t, const uint8_t reg_bits[64]);

    /* --- code; build, write, read, ready and free NULL: programs need none --- */
    uint32_t code_version; /* of its bytes in packages */
    struct machine_code *(*build)(const struct machine_library *l, const struct machine_program *p,
                                  struct diag *d); /* ready; NULL after reporting */
    void (*write)(const struct machine_code *c, struct str *out);
    /* Checks what needs no target; NULL with *problem set. */
    struct machine_code *(*read)(const void *bytes, size_t size, const char **problem);
    /* Code that was read, made ready for a target that the caller keeps; false if it does not serve
     * every instruction of the program. */
    bool (*ready)(struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p);
    void (*free)(struct machine_code *c);

    /* What the program's registers, and its code beside them, take of the rows of a VRF of the kin;
     * c is NULL for no code.  NULL: nothing lies in rows, or `has_room` says all. */
    void (*rows)(const struct target *t, const struct machine_code *c,
                 const struct machine_program *p, uint32_t kin, struct machine_rows *out);

    /* Room for vectors that stay on the machine, in lanes of one of its slots; 64 of a kind
     * without. NULL: it keeps none. */
    struct machine_room (*room)(const struct target *t, unsigned slot);

    /* Bytes of each unit's memory that buffers in slices can have.  NULL: as many as the host. */
    uint64_t (*memory)(const struct target *t);

    /* --- for people --- */
    /* mpu-objdump --recipes: appended. */
    void (*print)(const struct machine_code *c, const struct machine_library *l,
                  const struct machine_program *p, struct str *out);
    /* mpu-recipe count and expand: an instruction that the library has, on lanes of `slot` bits (64
     * of a kind without slots), and its program appended to `text`, if that is not NULL; false,
     * with what is wrong appended.  NULL: there is nothing to show. */
    bool (*figures)(const struct machine_library *l, const struct insn *insn, unsigned slot,
                    bool masked, struct machine_figures *out, struct str *text,
                    struct str *problem);
    /* mpu-recipe expand --notation: the text that the instruction is made from, appended; not NULL
     * where `figures` is not. */
    void (*routine)(const struct machine_library *l, enum isa_op op, struct str *out);
    /* -Map: appended; may be NULL. */
    void (*print_map)(const struct machine_code *c, const struct isa_users *users, struct str *out);

    /* --- load --- */
    /* What has to lie in an MPU, and what goes there before the program starts; NULL: nothing. */
    void (*load)(const struct machine_code *c, struct machine_load *out);
    /* The part that is needed when the instruction at `index` is carried out in VRFs of the kin;
     * MACHINE_NO_PART.  NULL: none ever is. */
    uint32_t (*part_of)(const struct machine_code *c, const struct text *text, uint32_t index,
                        uint32_t kin, bool masked);

    /* --- kernels --- */
    const struct machine_form *const *forms; /* ended by NULL; NULL: none */

    /* --- run half --- */
    const struct machine_format *formats; /* of --uops, ended by a name of NULL; may be NULL */

    /* What a base of several kinds asks of this one (machines/stored); NULL without. */
    const void *own;
};

/* All kinds, NULL at the end (list.c). */
extern const struct machine *const machine_list[];

/* Whose fault it is that a target does not open. */
enum target_fault {
    TARGET_FINE,
    TARGET_UNKNOWN,    /* the caller's: no target has that name, or an override of it is wrong */
    TARGET_UNREADABLE, /* the file cannot be read */
    TARGET_REJECTED,   /* the file is wrong */
};
/* A target with what is built in for it; both are NULL after a fault was reported. */
enum target_fault machine_open_target(const char *name, const struct target_override *overrides,
                                      size_t count, struct diag *diag, struct target **target,
                                      struct machine_library **library);

/* With the files that a program brings along, `count` of them; NULL after reporting. */
struct machine_library *machine_library_open(const struct target *target,
                                             const struct user_file *files, size_t count,
                                             struct diag *diag);
void machine_library_close(struct machine_library *library); /* NULL: nothing */
/* From now on what takes long to work out is kept in the folder from one process to the next
 * (support/cache.h); NULL: nothing is.  Said twice, the first counts; may be called from any
 * thread. */
void machine_library_keep(struct machine_library *library, const char *folder);
struct machine_code *machine_code_build(const struct machine_library *library,
                                        const struct machine_program *program, struct diag *diag);
void machine_code_write(const struct machine_code *code, struct str *out);
struct machine_code *machine_code_read(const struct machine *machine, const void *bytes,
                                       size_t size, const char **problem);
bool machine_code_ready(struct machine_code *code, const struct machine_library *library,
                        const struct machine_program *program);
void machine_code_free(struct machine_code *code); /* NULL: nothing */
/* What was read serves if it is what would be built now: `ready` of a kind whose `build` takes the
 * library and the program alone. */
bool machine_code_serves(struct machine_code *code, const struct machine_library *library,
                         const struct machine_program *program);

/* What a lane holds after an instruction of the ISA, or of the program's own. */
void machine_golden(const struct machine_library *library, enum isa_op op,
                    struct golden_lane *lane);

/* As the functions of struct machine of these names. */
const char *machine_hash(const struct machine_library *library);
bool machine_has(const struct machine_library *library, enum isa_op op);
void machine_why_not(const struct machine_library *library, enum isa_op op, struct str *out);
/* Width of the slot that such registers have; 64 of a kind without slots. */
uint32_t machine_slot_bits(const struct machine *machine, const uint8_t reg_bits[64]);
/* That of a register of so many bits; of a kin of the program. */
uint32_t machine_slot_of(const struct machine *machine, unsigned bits);
uint32_t machine_kin_slot(const struct machine *machine, const struct machine_program *program,
                          uint32_t kin);
bool machine_fits(const struct machine_library *library, const struct insn *insn,
                  const struct machine_kin *kin, struct str *problem);
enum machine_trial machine_try(const struct machine_library *library, const struct insn *insn,
                               bool masked, struct diag *diag);
enum machine_proof machine_prove(const struct machine_library *library, const struct insn *insn,
                                 bool masked, unsigned *undecided, struct diag *diag);
bool machine_has_room(const struct machine_library *library, const uint8_t reg_bits[64],
                      struct str *problem);
struct machine_room machine_room(const struct target *target, unsigned slot);
uint64_t machine_memory(const struct target *target); /* UINT64_MAX: nobody knows a limit */
uint32_t machine_lanes(const struct machine *machine, const struct target *target,
                       const uint8_t reg_bits[64]);
/* The least width of lanes, or the next above `slot`; 0: there is none. */
uint32_t machine_next_slot(const struct machine *machine, unsigned slot);
uint32_t machine_fixed_lanes(const struct machine *machine, const struct target *target,
                             const uint8_t reg_bits[64]);
void machine_load(const struct machine_code *code, struct machine_load *out);
uint32_t machine_part_of(const struct machine_code *code, const struct text *text, uint32_t index,
                         uint32_t kin, bool masked);

#endif
