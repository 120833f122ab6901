/* SPDX-License-Identifier: MIT
 * PTX, the portable assembly of CUDA compilers, versions 3.0 to 9.0 (docs/ptx.md): a text read into
 * a module, and a module printed.  Nothing here knows a machine.
 *
 * A module keeps the order of its text in lists of items, so that it can be printed; what a machine
 * carries out stands in arrays beside them.  All of it lies in one arena. */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include "portable/portable.h"
#include "ptx/forms.h"
#include "support/arena.h"
#include "support/vec.h"

#define PTX_NONE UINT32_MAX

/* ---- operands ---- */

enum ptx_operand_kind {
    PTX_REGISTER, /* index: of the function's registers */
    PTX_SPECIAL,  /* index: enum ptx_special */
    PTX_NUMBER,   /* number */
    PTX_VARIABLE, /* index: of the module's variables; of its address, number is added */
    PTX_FUNCTION, /* index: of the module's functions */
    PTX_LABEL,    /* index: of the function's labels */
    PTX_VECTOR,   /* parts */
    PTX_NOTHING,  /* "_": a result that nobody wants */
};
enum ptx_number_kind { PTX_INTEGER, PTX_FLOAT32, PTX_FLOAT64 };
struct ptx_operand {
    enum ptx_operand_kind kind;
    uint32_t index;
    /* Of a number its bits: of an integer as 64 bits of two's complement, of 0f.. those of float32,
     * of 0d.. and of decimals those of float64.  Of an address what is added to its base. */
    uint64_t number;
    enum ptx_number_kind number_kind;
    bool address; /* [base+number] */
    bool negated; /* !p */
    bool minus;   /* number was written with a sign in front of its text */
    /* PTX_REGISTER, second result: d|p.  PTX_NONE: none; PTX_SINK: "_". */
    uint32_t second;
    const struct ptx_operand *parts; /* [part_count] of a vector */
    uint32_t part_count;
    const char *text; /* a number, or what is added, as it was written; NULL: it was not */
};
#define PTX_SINK (UINT32_MAX - 1)

/* ---- functions ---- */

struct ptx_register {
    const char *name;
    enum ptx_type type;
};

/* call (results), function, (arguments); operands of the instruction are the function, then the
 * arguments; `results` in front of them. */
struct ptx_insn {
    const struct ptx_form *form;
    const char *name; /* opcode and modifiers: "fma.rn.f32" */
    struct ptx_modifiers m;
    uint32_t line;                   /* of the text, from 1 */
    uint32_t file, source_line;      /* of the source: number of .file, line; 0: not known */
    uint32_t guard;                  /* predicate register; PTX_NONE: always */
    bool guard_not;                  /* @!p */
    bool has_results, has_arguments; /* of a call: lists stand there, perhaps empty ones */
    uint8_t result_count;            /* of a call: the first operands; then the function */
    uint32_t operand_count;
    const struct ptx_operand *operands;
};

enum ptx_linkage {
    PTX_VISIBLE = 1,
    PTX_EXTERN = 2,
    PTX_WEAK = 4,
    PTX_COMMON = 8,
};

/* A number of an initial value, or the address of a variable or function. */
struct ptx_initial {
    uint64_t number;
    enum ptx_number_kind number_kind;
    uint32_t variable; /* PTX_NONE: a number; else number is added to its address */
    bool generic;      /* generic(name): the address as a generic one */
};

struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    unsigned linkage; /* sum of enum ptx_linkage */
    uint32_t align;   /* bytes: what is said, or the type's own */
    uint32_t vector;  /* elements of .v2 and .v4; else 1 */
    bool array;       /* of `count` elements; 0: [] */
    bool is_register; /* a parameter of a function that is declared as .reg */
    uint64_t count;
    uint64_t bytes;    /* of all */
    uint32_t function; /* that declares it; PTX_NONE: the module */
    uint32_t line;
    const struct ptx_initial *initial; /* [initial_count] elements from the first on */
    uint32_t initial_count;
    /* ptx_lay_out: its place in its space (docs/ptx.md) */
    uint64_t offset;
};

/* What stands in a body, or a module, one after another; for printing. */
enum ptx_item_kind {
    PTX_ITEM_INSN,     /* index */
    PTX_ITEM_LABEL,    /* index */
    PTX_ITEM_OPEN,     /* { */
    PTX_ITEM_CLOSE,    /* } */
    PTX_ITEM_TEXT,     /* text: a directive whose text is kept */
    PTX_ITEM_FUNCTION, /* index: of a function of the module, or one that is only declared */
};
struct ptx_item {
    enum ptx_item_kind kind;
    uint32_t index;
    const char *text;
};

struct ptx_label {
    const char *name;
    uint32_t insn; /* it stands before; the number of instructions: at the end */
};

struct ptx_function {
    const char *name;
    bool is_entry, has_body;
    unsigned linkage;
    uint32_t line;              /* of its name */
    const char *head;           /* all up to its body, as it was written, tokens apart */
    const uint32_t *parameters; /* [parameter_count] variables */
    const uint32_t *results;    /* [result_count] */
    uint32_t parameter_count, result_count;
    uint32_t max_threads;       /* of a block, by .maxntid and .reqntid; 0: nothing is said */
    uint32_t needed_threads[3]; /* .reqntid; 0: nothing is said */
    VEC(struct ptx_register) registers;
    VEC(struct ptx_insn) insns;
    VEC(struct ptx_label) labels;
    VEC(struct ptx_item) items;
};

struct ptx_file {
    uint32_t number;
    const char *name;
};

struct ptx_module {
    struct arena arena;
    uint32_t major, minor; /* .version */
    const char *target;
    uint32_t address_bits;
    VEC(struct ptx_variable) variables;
    VEC(struct ptx_function) functions; /* a declaration and its definition are two */
    VEC(struct ptx_file) files;
    VEC(struct ptx_item) items;
};

/* NULL with *fault set. */
struct ptx_module *ptx_read(const char *text, size_t size, struct portable_fault *fault);
void ptx_free(struct ptx_module *module);
/* As a text that ptx_read reads as the same module: token by token what it was, without comments.
 * Appended. */
void ptx_print(const struct ptx_module *module, struct str *out);
/* " (k.cu:12)" where .loc says so; appended. */
void ptx_source_text(const struct ptx_module *module, uint32_t file, uint32_t line,
                     struct str *out);
/* The function of that name with a body; PTX_NONE. */
uint32_t ptx_find_function(const struct ptx_module *module, const char *name);

/* The bits of a number that is an operand of a type. */
uint64_t ptx_number_bits(uint64_t number, enum ptx_number_kind kind, enum ptx_type type);

#endif
