/* SPDX-License-Identifier: MIT
 * A checked program: what the names of a source file mean. */
#ifndef EZPIM_EZ_UNIT_H
#define EZPIM_EZ_UNIT_H

#include "asm/asm.h"
#include "ezpim/ez/ast.h"
#include "support/map.h"

enum ez_symbol_kind {
    SYMBOL_EZ_SIZE,
    SYMBOL_EZ_CONST,
    SYMBOL_EZ_HOST, /* a link-time value */
    SYMBOL_EZ_GROUP,
    SYMBOL_EZ_VARIABLE,
    SYMBOL_EZ_LOCAL,   /* let */
    SYMBOL_EZ_COUNTER, /* of a `for` with constant bounds: an untyped number from value to last */
    SYMBOL_EZ_SUB,
    SYMBOL_EZ_MPUS,
};

/* The counter of a loop at top level: variables that hold it, one for each group that reads it. */
struct counter_value {
    const struct ez_symbol *group;
    struct lane_type type;
    struct counter_value *next;
};
struct top_counter {
    unsigned depth; /* loops around it */
    struct counter_value *values;
};

/* What holds values: variables, locals, link-time values. */
struct ez_variable {
    uint8_t direction;       /* enum var_direction */
    struct lane_type outer;  /* of those that are declared: of their arrays, outside */
    struct ez_symbol *group; /* NULL: one value for all lanes of all groups */
    uint64_t written;        /* elements that hold a value by now: bit k */
    uint64_t maybe;          /* elements that hold one on some way to here */
    uint64_t partly;         /* registers that hold one in the first elements of the group alone */
    uint64_t flow[2];        /* while ways join */
    uint32_t flow_stamp;
    bool assigned;        /* by the program */
    uint32_t assignments; /* seen so far */
    bool varies;          /* locals: may differ from lane to lane */
    bool fixed;           /* locals: not to be assigned */
    bool nameless;        /* locals: the value that a subroutine returns */
    /* Without a group, and assigned: the groups' VRFs where that took place. */
    const struct ez_symbol *assigned_in;
    /* A group in which the `repeat` number `read_stamp` reads it. */
    const struct ez_symbol *read_in;
    uint32_t read_stamp;
    uint8_t reg;              /* the first of its registers */
    uint32_t number;          /* in the intermediate form */
    struct ez_symbol *length; /* how many elements `compact` chose; or NULL */
    /* The variable whose length is that of the group; or NULL. */
    const struct ez_symbol *counted_by;
    bool late_length; /* lengths: asked for where it may not have a value yet */
};

enum sub_progress { SUB_DECLARED, SUB_AT_WORK, SUB_FOLLOWED };

struct ir_sub;

struct ez_sub {
    struct ez_symbol **params, *result; /* the value's, or NULL */
    uint32_t param_count;
    bool external;          /* stands in another object; `reg` of params and result are fixed */
    bool exported;          /* called from others; likewise */
    uint64_t clobbers;      /* by one that does: registers, bit r */
    uint8_t progress;       /* enum sub_progress: while calls are followed */
    bool leaves;            /* there is a `return` in it */
    uint32_t returns;       /* how many */
    uint32_t calls;         /* of it */
    uint32_t nodes;         /* of the tree, with those of what is put in */
    enum isa_op instead_of; /* the instruction that it stands for where there is no recipe, or 0 */
    bool lowered;
    struct ir_sub *callee; /* lowering: its body, or NULL when it is put in where it is called */
};

struct ez_layout {
    const struct ez_symbol *like;
    uint32_t at_rfh, at_vrf; /* NO_INDEX: not fixed */
    struct extent extents[GROUP_MAX_DIMS];
    uint32_t ndim;
    bool on_mpus; /* every MPU of the grid has its own elements */
    /* `group h[length(y)]`: the first elements of y's group, which h stands for; or NULL. */
    struct ez_symbol *counted_by;
};

struct ez_counter {
    ez_number last;             /* from the first value to here */
    struct top_counter *counts; /* of loops at top level that are repeated; else NULL */
};

struct ez_symbol {
    enum ez_symbol_kind kind;
    struct ez_name name;
    struct decl *decl;      /* NULL for locals */
    uint32_t index;         /* of a size, link-time value, group or variable in the unit's lists */
    bool read;              /* used at all */
    bool predefined;        /* by -D: a declaration of the same name replaces it */
    struct value_type type; /* of what has a value */
    uint32_t count;         /* elements; a scalar has 1 */
    bool has_k;
    /* Lowering, of locals and counters: the virtual registers in the ensemble `stamp`. */
    uint32_t stamp, first_vreg;
    const struct expr *real; /* constants without a type that are of floating point: the value */
    ez_number value;         /* constants; counters: the first; sizes: the default, or 0 */
    union {
        uint64_t bound;        /* sizes: no value is above it; 0: none is known */
        const uint64_t *table; /* constants: patterns of the table's elements, or NULL */
        struct ez_counter counter;
        struct ez_variable var; /* ez_holds_values */
        struct ez_sub sub;
        struct ez_layout layout; /* groups */
    };
};

/* Functions of expressions beside the operators. */
enum function_kind {
    FUNCTION_NONE,
    FUNCTION_CAST,
    FUNCTION_MIN,
    FUNCTION_MAX,
    FUNCTION_SELECT,
    FUNCTION_FLOORDIV,
    FUNCTION_FLOORMOD,
    FUNCTION_ABS, /* of floating point, as those that follow */
    FUNCTION_SQRT,
    FUNCTION_FLOOR,
    FUNCTION_CEIL,
    FUNCTION_TRUNC,
    FUNCTION_RINT,
    FUNCTION_ISNAN,
    FUNCTION_ISINF,
    FUNCTION_ISFINITE,
    FUNCTION_SIGNBIT,
    FUNCTION_POWER,   /* ipow(x, n) of integers */
    FUNCTION_PATTERN, /* as_u32(x): the same bits as another type */
    FUNCTION_MACHINE,
    FUNCTION_SUB,
    FUNCTION_INDEX,  /* index(): of the element in its group */
    FUNCTION_LENGTH, /* length(x): how many elements x has; symbol is that variable */
    FUNCTION_TABLE,  /* T[x]: symbol is the table, and the only argument its index, no constant */
};

struct ez_symbols {
    VEC(struct ez_symbol *) items;
};

/* Arrays in a machine's memory, texts of forms, and kernels; their names are apart from those of
 * symbols, but a variable of a buffer's name stands for it. */
struct ez_buffer {
    struct buffer_decl decl; /* without a place, as the others */
    struct ez_name name;
    bool used;
    bool added; /* by a file that declares kernels: in that module */
    uint32_t module;
};
struct ez_module {
    struct module_decl decl;
    struct span at; /* its text, or its name */
    bool used;
};
struct ez_kernel {
    struct kernel_decl decl;
    struct ez_name name;
    struct span at;
    bool used, included;
};
/* launch f<<<..>>>(..): what is known of it. */
struct ez_launch {
    uint32_t kernel;
    struct kernel_argument *arguments; /* [parameter_count] */
    struct launch_geometry geometry;
    bool said; /* something of the geometry */
};

/* A subroutine calls another one. */
struct ez_sub_use {
    struct ez_symbol *caller, *callee;
};

struct ez_unit {
    struct map unknown; /* names that there are not, and that were reported */
    struct arena arena;
    bool parts; /* without `main` it is an object with subroutines */
    struct diag *diag;
    uint32_t errors_before; /* the compilation */
    struct span whole;      /* the file, for what is nowhere in it */
    struct ez_program *tree;
    struct map names;                   /* to struct ez_symbol *, as uintptr_t */
    uint32_t stamps;                    /* of ensembles, given by lowering so far */
    VEC(struct size_decl) size_decls;   /* what the object has of `sizes`, without places */
    VEC(struct value_decl) value_decls; /* likewise of `values` */
    struct ez_symbols sizes, values, groups, variables, subs, others;
    VEC(struct ez_buffer) buffers;
    VEC(struct ez_module) modules;
    VEC(struct ez_kernel) kernels;
    struct map buffer_names, module_names, kernel_names; /* to their indices */
    struct span launched;                                /* the first launch; of no source: none */
    VEC(struct ez_sub_use) sub_uses; /* those of one caller together, each once */
    VEC(struct user_file) recipes;   /* the files that the program names */
    struct isa_users users;
    uint64_t bare; /* registers that instructions name themselves: bit r */
    uint64_t bare_written;
    uint64_t passed; /* registers of calls of other objects: no variable has one */
    struct decl *main;
    struct decl *pipeline; /* that is the program; NULL */
    bool no_fuse;          /* --no-fuse: each of its stages is a launch of its own */
    uint32_t grid_dims, grid[GRID_MAX_DIMS]; /* of the program's MPUs; 0: no grid */
    const struct ez_symbol *mpus;            /* its name, or NULL */
    bool roles;                              /* MPUs have parts of the program of their own */
    const struct asm_define *defines;        /* constants from the command line */
    size_t define_count;
};

/* NULL if there is none. */
struct ez_symbol *ez_unit_find(const struct ez_unit *unit, const char *name);
void ez_unit_free(struct ez_unit *unit);

/* Checks the tree: names, types, order of writes and reads; fills in the tree's checked fields.
 * False after reporting errors. */
bool ez_check(struct ez_unit *unit);
/* What a size can be. */
struct size_range ez_size_range(const struct ez_unit *unit, uint32_t size);
/* What `var` is of. */
static inline bool ez_holds_values(const struct ez_symbol *symbol) {
    return symbol->kind == SYMBOL_EZ_VARIABLE || symbol->kind == SYMBOL_EZ_LOCAL ||
           symbol->kind == SYMBOL_EZ_HOST;
}
/* A bit for each of its registers, as in `written`. */
uint64_t ez_all_elements(const struct ez_symbol *symbol);

/* The low bits of a value as a pattern, and back. */
uint64_t ez_pattern(ez_number value, struct lane_type type);
ez_number ez_value(uint64_t pattern, struct lane_type type);

/* "r7" gives 7; anything else IR_NONE. */
uint32_t ez_bare_register(const char *name);

#endif
