/* SPDX-License-Identifier: MIT
 * A program in memory (struct object) and its ELF64 form (docs/formats.md): relocatable `.o`
 * (ET_REL) and linked `.mpu` (ET_EXEC).  Text is the same for every target. */
#ifndef OBJECT_OBJECT_H
#define OBJECT_OBJECT_H

#include "isa-spec/isa.h"
#include "isa-spec/user.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/ieee.h"
#include "support/map.h"
#include "support/str.h"
#include "support/vec.h"

#define OBJECT_E_MACHINE   0x4D50
#define OBJECT_ISA_VERSION 1
#define NO_INDEX           UINT32_MAX

/* Limits that object_check enforces. */
#define OBJECT_MAX_TEXT   ((uint32_t)1 << 24) /* instructions; what J24 reaches */
#define OBJECT_MAX_NAME   1000                /* bytes of a name */
#define OBJECT_MAX_EXTENT ((uint64_t)1 << 40) /* a size, an extent, the elements of a group */
#define OBJECT_MAX_LANES  ((uint32_t)1 << 24)
#define OBJECT_MAX_MPUS   ((uint32_t)1 << 22) /* what SEND can name */

/* Geometry that fixed VRFs assume (defaults 64, 64, 8), and the program's MPUs: a row of grid[0],
 * or grid[0] rows of grid[1].  Without a grid the program's MPUs are those of the entry table, in
 * a row, or one. */
#define GRID_MAX_DIMS 2
struct geometry {
    uint32_t lanes, vrfs, rfhs;
    uint32_t grid_dims; /* 0: no grid */
    uint32_t grid[GRID_MAX_DIMS];
};
/* MPUs of the grid; 1 without one. */
static inline uint32_t grid_mpus(const struct geometry *geometry) {
    uint32_t n = 1;
    for (uint32_t i = 0; i < geometry->grid_dims; i++)
        n *= geometry->grid[i];
    return n;
}

/* Element types of variables: bool, u1..u64, i2..i64, f16, f32, f64, bf16. */
enum type_kind { TYPE_BOOL, TYPE_UINT, TYPE_INT, TYPE_FLOAT, TYPE_BFLOAT };
struct lane_type {
    enum type_kind kind;
    uint8_t bits; /* 1..64 */
};
void object_type_text(struct lane_type type, char out[8]); /* "u32" */
bool object_type_parse(const char *text, size_t n, struct lane_type *type);
/* False for widths that no variable has. */
bool object_type_ok(struct lane_type type);
static inline bool object_type_is_float(struct lane_type type) {
    return type.kind == TYPE_FLOAT || type.kind == TYPE_BFLOAT;
}
/* The format of a floating-point type. */
static inline struct ieee_format object_type_format(struct lane_type type) {
    return type.kind == TYPE_BFLOAT ? IEEE_BFLOAT16 : ieee_binary(type.bits);
}
/* Appends the value that the low bits of `pattern` have: integers in decimal, bool as 0 and 1,
 * floating point as ieee_text has it. */
void object_pattern_text(struct lane_type type, uint64_t pattern, struct str *out);

/* The same as assembly has it: bits(0x7fc00001) for a NaN that "nan" does not mean. */
void object_pattern_source(struct lane_type type, uint64_t pattern, struct str *out);

/* Whether an element of `outer` is one of `inner` extended by zeros or its sign, whatever its
 * value: of floating point no other type is. */
bool object_type_holds(struct lane_type outer, struct lane_type inner);

/* Where something was written. */
struct place {
    uint32_t file;         /* index into object.files, or NO_INDEX */
    uint32_t line, column; /* from 1; 0 = unknown */
};

enum symbol_kind {
    SYMBOL_LABEL, /* value = text index */
    SYMBOL_SUB,   /* value = text index of a subroutine's first instruction */
    SYMBOL_ABS,   /* value = a constant (.equ with .global) */
};
struct symbol {
    const char *name;
    enum symbol_kind kind;
    bool global, defined;
    int64_t value;
    uint32_t length; /* SYMBOL_SUB: instructions, .sub to .endsub; else 0 */
    struct place place;
};

/* How a derived size is worked out when the program is packaged. */
enum size_op { SIZE_GIVEN, DERIVE_ADD, DERIVE_SUB, DERIVE_MUL, DERIVE_DIV, DERIVE_MIN, DERIVE_MAX };
/* An earlier size, or a number in -2^40..2^40. */
struct size_operand {
    uint32_t size; /* index into object.sizes, or NO_INDEX */
    int64_t value; /* when size == NO_INDEX; else 0 */
};
/* A size: `size n <= 65536 = 4096;`.  A user may give it a value from 1 to its bound.  A derived
 * one is left op right in exact integers (DERIVE_DIV rounds towards minus infinity), -2^40..2^40;
 * it has no default and is given by nobody. */
struct size_decl {
    const char *name;
    bool has_default;
    uint64_t value; /* the default, 1..bound, or 1..2^40 */
    uint64_t bound; /* no value is above it, 1..2^40; 0: none is known.  Of a derived one, where it
                       is known, what object_size_derive says, at least 1 */
    struct place place;
    enum size_op op; /* SIZE_GIVEN: not derived, and the rest does not count */
    struct size_operand left, right;
    int64_t least, most; /* of a derived one: object_size_derive's */
};
/* What a size can be, whatever the values of the given ones. */
struct size_range {
    int64_t least, most;
};

/* A link-time value: `host k: u8[9] = 1, 2, 1, ...;`.  Its elements stand in constants of the text,
 * which are filled in when the program is packaged: the same in every lane, and in no register of
 * their own. */
#define VALUE_MAX_DIMS      2
#define VALUE_MAX_ELEMENTS  ((uint32_t)1 << 16) /* of one value */
#define OBJECT_MAX_VALUES   4096
#define OBJECT_MAX_ELEMENTS ((uint64_t)1 << 20) /* of all values */
struct value_decl {
    const char *name; /* of no variable */
    struct lane_type type;
    uint32_t ndim; /* 0: a scalar; elements are row by row */
    uint32_t shape[VALUE_MAX_DIMS];
    /* [object_value_count]: the default, or NULL.  Elements of iN are sign-extended to 64 bits,
     * others zero-extended. */
    const uint64_t *elements;
    struct place place;
};

/* A table that LUTs look into.  In an object each is as it was written, and a LUT names it with a
 * width; in a linked program each is as one width has it, which is that of the LUTs that name it.
 */
#define OBJECT_MAX_LUTS        4096
#define OBJECT_MAX_LUT_ENTRIES ((uint64_t)1 << 22) /* of all tables, with those that are 0 */
enum lut_source { LUT_SIZE, LUT_VALUE };
/* Elements first .. first + count - 1 are known when the program is packaged. */
struct lut_fill {
    enum lut_source source;
    uint32_t first, count; /* LUT_SIZE: one */
    uint32_t target;       /* index into sizes or values */
    int64_t addend;        /* added to the size; number of the value's first element */
};
struct lut_decl {
    const char *name;
    struct isa_lut table; /* elements that are filled in later are 0 */
    uint8_t element_bits; /* what is filled in fits so many bits before it is taken modulo 2^width:
                             the width of the declaration */
    uint32_t fill_count;
    const struct lut_fill *fills; /* [fill_count], ascending, as few as there can be */
    struct place place;
};

/* A shape of products. */
struct product_decl {
    const char *name;
    struct isa_product product;
    struct place place;
};

/* A number or a size. */
struct extent {
    uint32_t size;  /* index into object.sizes, or NO_INDEX */
    uint64_t value; /* when size == NO_INDEX; 1..2^40 */
};

#define GROUP_MAX_DIMS 3
/* Element e (last index fastest) sits in lane e mod lanes of the group's VRF e div lanes.  Per MPU:
 * each MPU of the program has its own elements of these extents; the group's elements are then
 * those of the first MPU, of the second, and so on. */
struct group {
    const char *name;
    uint32_t ndim; /* 1..3 */
    struct extent extent[GROUP_MAX_DIMS];
    bool per_mpu;            /* a group that is like another is as that one */
    uint32_t like;           /* group placed on the same VRFs, or NO_INDEX */
    uint32_t at_rfh, at_vrf; /* fixed place, or NO_INDEX both */
    struct place place;
};

/* Where a register without a group lies: in every lane that holds an element, in the VRFs of these
 * groups (count 0: of all groups).  Ascending; in the object's arena. */
struct group_scope {
    uint32_t count;
    const uint32_t *groups; /* [count] */
};

/* CONSUMED stands beside IN alone: once the program has begun, the variable's registers may hold
 * something else, so nobody reads it after a run, and each run needs its values anew. */
enum var_direction { VAR_IN = 1, VAR_OUT = 2, VAR_CONSUMED = 4, VAR_LOCAL = 0 };
/* "local", "in", "out", "inout", "in consumed"; of an unknown direction "local". */
const char *object_direction_text(uint8_t direction);

/* Where the registers of a T[k] in a group stand among the axes of its array. */
enum form_order {
    FORM_LAST,  /* (extents.., k): element (e, j) is lane e of register j */
    FORM_FIRST, /* (k, extents..): element (j, e) is that */
    FORM_SPLIT, /* the last axis is k times the group's; its element c is register c mod k, lane
                   c div k: k neighbours lie in k registers */
};
#define FORM_MAX_DIMS 8
/* How the array of a variable, in files and calls, differs from its registers.  Zeroed: not at
 * all. */
struct array_form {
    struct lane_type type; /* of the array's elements, among them all values of the variable's type;
                             bits 0: that type */
    enum form_order order;
    bool shaped; /* the array has this shape: as many elements, in the same order */
    uint32_t ndim;
    struct extent shape[FORM_MAX_DIMS];
};

struct variable {
    const char *name;
    uint8_t direction; /* VAR_IN | VAR_OUT, or VAR_IN | VAR_CONSUMED */
    struct lane_type type;
    uint32_t count; /* k of T[k]: registers reg .. reg + k - 1; has_k says if it was written */
    bool has_k;
    uint32_t group;           /* index, or NO_INDEX: the same register in every VRF of the scope */
    struct group_scope scope; /* without a group */
    uint8_t reg;
    struct array_form form;
    struct place place;
};

/* Initial contents of a variable (.data): count * 8 bytes, element patterns little-endian,
 * group elements then k. */
struct data_record {
    uint32_t variable;
    uint64_t count;
    const uint64_t *values;
};

/* Of the elements of `variable` the first `length` count.  `variable` is of a group of one
 * dimension that is not per MPU, `length` an unsigned variable without a group.  Ascending by
 * variable. */
struct length_record {
    uint32_t variable, length;
};

/* Dimension number `dimension` of the arrays of a variable or link-time value is a constant of the
 * source alone: the program can be compiled anew for arrays of another extent.  In the order of
 * variables, then values, then dimensions, and once each. */
struct constant_record {
    const char *array;
    uint32_t dimension; /* below FORM_MAX_DIMS */
    const char *constant;
};

/* What a reduction makes of all elements: a sum modulo 2^w; AND, OR and XOR bit by bit; whether any
 * or all are not 0, and how many; the number of the first one that is least or greatest.  Of
 * floating point there are the last two, whose zeros are alike, and FINISH_MIN and FINISH_MAX, to
 * which -0 is less than +0: all take what is not a number for the least, or greatest. */
enum finish_kind {
    FINISH_SUM,
    FINISH_MIN,
    FINISH_MAX,
    FINISH_AND,
    FINISH_OR,
    FINISH_XOR,
    FINISH_ANY,
    FINISH_ALL,
    FINISH_COUNT,
    FINISH_ARGMIN,
    FINISH_ARGMAX,
    FINISH_KINDS,
};
/* Text first .. last - 1 folds all elements of a register into one of an output; it does nothing
 * else that anybody looks at.  The host may do the same with the elements instead, when the program
 * has ended: the register holds them until then unless this text is carried out.  Ranges stand at
 * top level and are equal, which is one range for several outputs, or disjoint.  Ascending by
 * first, variable, element; each element of a variable at most once. */
struct finish_record {
    uint32_t variable, element; /* an output without a group, and a register of its T[k] */
    enum finish_kind kind;
    uint32_t group;
    uint8_t reg;
    struct lane_type type; /* of the elements */
    uint32_t first, last;
    struct place place;
};
#define OBJECT_MAX_FINISHES 4096

/* What the INDEX at `index` of the text writes instead of an element's number: that divided by
 * `every`, modulo `below` (size NO_INDEX and value 0: by nothing).  The controller counts one up
 * after so many elements and begins again at 0, so no lane divides; with which number and how far
 * in each VRF begins follows from its first element.  Ascending by index; at most one of each
 * INDEX. */
struct number_record {
    uint32_t index;
    struct extent every, below;
};

enum reloc_type {
    RELOC_J24 = 1, /* target: symbol; value + addend into bits 23:0 */
    RELOC_GROUP,   /* target: group index into bits 21:0 */
    RELOC_MOVE,    /* target: move index into bits 21:0 */
    RELOC_CALL,    /* target: call index into bits 21:0 */
    RELOC_DEBUG,   /* target: debug record index into bits 21:0 */
    RELOC_COUNT,   /* target: size; value + addend into bits 21:0 */
    RELOC_MPU,     /* reserved */
    RELOC_LUT12,   /* target: table; index of what it is at width `piece` into bits 11:0 */
    RELOC_IMM12,   /* target: size; bits 12*piece..12*piece+11 of value + addend into bits 11:0 */
    RELOC_VALUE12, /* target: value; those bits of its element number `addend` */
};
struct reloc {
    uint32_t index; /* of the word in text */
    enum reloc_type type;
    uint8_t piece;   /* RELOC_IMM12, RELOC_VALUE12: 0..5; RELOC_LUT12: 1..64 */
    uint32_t target; /* index into symbols, groups, moves, calls, debugs, luts, sizes or values */
    int64_t addend;
};

enum debug_kind { DEBUG_MARK, DEBUG_PRINT, DEBUG_ASSERT, DEBUG_SHOW, DEBUG_KINDS };
struct debug_record {
    enum debug_kind kind;
    /* Region name, label of the print, message of the assertion.  Of SHOW: the name of
     * the value; these stand directly before the assertion whose failure shows them, and no
     * instruction names them. */
    const char *text;
    uint8_t reg;           /* object_debug_has_register */
    struct lane_type type; /* likewise */
};
/* "MARK", "PRINT", "ASSERT", "SHOW". */
const char *object_debug_word(enum debug_kind kind);
bool object_debug_has_register(enum debug_kind kind);

struct line_entry {
    uint32_t index; /* of the first instruction that this place made; entries ascend */
    struct place place;
};

#define OBJECT_MAX_RECIPES     64
#define OBJECT_MAX_RECIPE_TEXT ((size_t)1 << 20)

/* An array in a machine's memory, for kernels.  It is put in and out under its name, as the array
 * of a variable is.  A variable may have the same name, with an array of the same type, shape and
 * direction: it stands for the buffer where a target carries out no kernels. */
struct buffer_decl {
    const char *name;
    uint8_t direction; /* VAR_IN | VAR_OUT */
    struct lane_type type;
    uint32_t ndim; /* 0: one element */
    struct extent shape[FORM_MAX_DIMS];
    struct place place;
};
#define OBJECT_MAX_BUFFERS 4096

enum parameter_kind { PARAMETER_BUFFER, PARAMETER_NUMBER, PARAMETER_BYTES, PARAMETER_KINDS };
/* Parameters lie one behind another as the members of a structure of C do: a buffer is an address
 * of 8 bytes, a number has those of its type. */
struct kernel_parameter {
    const char *name;
    enum parameter_kind kind;
    struct lane_type type; /* of the buffer's elements, or of the number */
    uint16_t bytes;        /* PARAMETER_BYTES, a structure by value: so many; else 0 */
    uint8_t align;         /* and its alignment: 1, 2, 4, 8 or 16; else 0 */
    bool constant;         /* of a buffer, as a text declares it: only read; no file keeps it */
};
/* A text of a machine's own with several kernels in it, its entries, which share what else it
 * declares. */
struct module_decl {
    const char *name, *form;
    bool words;
    const void *bytes; /* [size], as in struct kernel_decl */
    size_t size;
    struct place place;
    uint32_t first_line;
};
#define OBJECT_MAX_MODULES 4096
/* A program of a machine's own, for the whole of a machine that knows its form ("pypim", "core").
 * The object has its text, or words of 64 bits that the form has instead; a package has what the
 * machine makes of it. */
struct kernel_decl {
    const char *name, *form;
    bool words;
    const void *bytes; /* [size]: text with a NUL behind it, or little-endian words */
    size_t size;
    /* The entry of a module that it is: form, words, bytes, size and first_line are the module's.
     * NULL, and module 0: it has a text of its own. */
    const char *entry;
    uint32_t module;
    const struct kernel_parameter *parameters; /* [parameter_count] */
    uint32_t parameter_count;
    uint32_t otherwise; /* label or subroutine that is called instead; NO_INDEX: none */
    struct place place;
    uint32_t first_line; /* of its text, in the file of its place; 0: not known */
};
#define OBJECT_MAX_KERNELS         4096
#define OBJECT_MAX_KERNEL          ((size_t)1 << 30) /* bytes of one */
#define KERNEL_MAX_PARAMETERS      512
#define KERNEL_MAX_PARAMETER_BYTES 4096 /* of all together */
/* What a call gives to a parameter: a number, a buffer from a byte on, or bytes. */
struct kernel_argument {
    uint32_t buffer; /* index; NO_INDEX: none */
    uint32_t size;   /* index of the size that the number is; NO_INDEX: */
    uint64_t
        number; /* this, a pattern of the parameter's type, or the byte of the buffer; else 0 */
    const unsigned char *bytes; /* [parameter.bytes]; NULL for other kinds */
};

/* How a launch is laid out: a grid of blocks of workers, bytes of memory that each block has beside
 * what the kernel itself declares, and which units carry it out.  What is not said ({NO_INDEX, 0})
 * is the machine's to choose; of a grid or block that is said, further dimensions are 1. */
#define LAUNCH_DIMS 3
enum launch_extent {
    LAUNCH_GRID,
    LAUNCH_BLOCK = LAUNCH_GRID + LAUNCH_DIMS,
    LAUNCH_BYTES = LAUNCH_BLOCK + LAUNCH_DIMS,
    LAUNCH_UNITS, /* so many units */
    LAUNCH_FIRST, /* from this one on; 0 where it is not said */
    LAUNCH_EXTENTS
};
struct launch_geometry {
    struct extent extent[LAUNCH_EXTENTS];
};

/* Of RECIPE: a user instruction, and what is called where a target has no recipe for it; or a
 * kernel with its arguments. */
struct recipe_call {
    uint32_t word;      /* of the user instruction; of a kernel RECIPE with its index */
    uint32_t otherwise; /* label or subroutine; NO_INDEX: none; of a kernel its own, or another */
    const struct kernel_argument *arguments; /* [parameter_count of the kernel] */
    const struct launch_geometry *geometry;  /* of a kernel; NULL: nothing is said */
};

/* How a subroutine is called across objects: what it finds and leaves in registers.  It runs under
 * its caller's mask and leaves the mask as it found it; C may change.  Bits above a type's width
 * mean nothing.  In the object that defines `name` this is what it does; elsewhere, what callers
 * count on.  The symbol is global. */
#define SIGNATURE_MAX_REGISTERS 16
struct passed_register {
    uint8_t reg;
    struct lane_type type;
};
struct sub_signature {
    const char *name;
    uint32_t in_count, out_count;
    struct passed_register in[SIGNATURE_MAX_REGISTERS], out[SIGNATURE_MAX_REGISTERS];
    uint64_t writes; /* bit r: what r held is lost; with the registers of out */
    struct place place;
};

/* A move (GMOVE) in element space.  The coordinates of a variable are, in this order: those of the
 * MPU grid if its group is per MPU (0 to 2), those of its group (1 to 3), and the register index if
 * it is a T[k] (object_move_dims); a variable without a group has the last at most. */
#define MOVE_MAX_DIMS 6
/* offset + size_coeff * the value of size. */
struct move_bound {
    int64_t offset;
    uint32_t size; /* index into object.sizes; NO_INDEX exactly when size_coeff is 0 */
    int64_t size_coeff;
};
/* The same, and coeff[d] for each destination coordinate d. */
struct move_affine {
    int64_t coeff[MOVE_MAX_DIMS];
    int64_t offset;
    uint32_t size;
    int64_t size_coeff;
};
/* Coordinate d of the destination (of a scatter, of the source) is coeff[d] * range index d +
 * offset[d], where coeff[d] is not 0.  Coordinates that are not there have 1 and 0. */
struct move_strides {
    int64_t coeff[MOVE_MAX_DIMS];
    struct move_bound offset[MOVE_MAX_DIMS];
};
/* What each lap of the REPEATs around a GMOVE, in the text, adds to the move's numbers:
 * coeff[form][d][n] times the laps that REPEAT n has behind it, where 0 is the innermost one. */
enum move_form { MOVE_FIRST, MOVE_LAST, MOVE_STRIDE, MOVE_SOURCE, MOVE_FORMS };
#define MOVE_MAX_LAPS 4
struct move_laps {
    int64_t coeff[MOVE_FORMS][MOVE_MAX_DIMS][MOVE_MAX_LAPS];
};
/* What an element gets whose source coordinates name no element of the source. */
enum move_outside {
    MOVE_KEEP, /* what it had */
    MOVE_FILL, /* a constant */
    MOVE_WRAP, /* the element that each coordinate modulo its extent names */
    MOVE_CLIP, /* that of the nearest coordinates inside; of a move with an index */
};
/* One coordinate that a register says, instead of an affine form.  Of the two sides of a move the
 * *near* one has the index beside each of its elements, in the same lane; the *far* one is where
 * the index points.  A gather writes its near side, a scatter its far one. */
enum move_index_kind { INDEX_NONE, INDEX_GATHER, INDEX_SCATTER };
struct move_index {
    enum move_index_kind kind; /* INDEX_NONE: the rest is 0 */
    uint8_t coordinate;        /* of the far side; its move_affine is 0 */
    uint8_t reg;
    bool follows;          /* the register coordinate of the near side is added to reg */
    struct lane_type type; /* TYPE_UINT or TYPE_INT */
};
/* For every destination element of the range: bits 0..width-1 become those of the source element.
 * All sources, and indices, are read first; masks do not apply; C and M are left.
 * The range is of range indices: the destination's coordinates, unless strides say otherwise.
 * Without bounds it has all indices from 0 on whose coordinate is inside its extent.
 * A scatter is written from its source: range and strides are the source's, and source[] the
 * coordinates of the destination in the range indices.  What goes to no element is dropped; of
 * elements that go to the same one the last counts, in the order of the source's elements,
 * registers fastest.
 * With an index the near side has a group; in a scatter the far side has one, too.
 * A destination without a group is a register in every lane of every VRF of the scope, and each
 * gets the one element that the source coordinates name.  A source without a group is read in the
 * destination's own lane. */
struct move {
    const char *name;              /* unique; "$M<index>" where the source gives none */
    uint32_t dst_group, src_group; /* or NO_INDEX */
    struct group_scope scope;      /* of a destination without a group */
    uint8_t dst_reg, src_reg;
    uint8_t dst_count, src_count; /* registers: k of T[k], else 1 */
    bool dst_has_k, src_has_k;
    uint8_t width;   /* 1..64 */
    uint8_t bounded; /* bit d: first[d] and last[d] are given, else the whole extent */
    struct move_bound first[MOVE_MAX_DIMS], last[MOVE_MAX_DIMS]; /* of the destination, half-open */
    struct move_affine source[MOVE_MAX_DIMS];                    /* per source coordinate */
    enum move_outside outside;
    uint64_t fill; /* MOVE_FILL: bits 0..width-1 */
    struct move_index index;
    const struct move_strides *strides; /* NULL: all are 1, with offset 0 */
    const struct move_laps *laps;       /* NULL: every lap moves the same; else not all are 0 */
    struct place place;
};
#define OBJECT_MAX_MOVES ((size_t)1 << 16) /* of a program */
#define MOVE_MAX_FACTOR  OBJECT_MAX_EXTENT /* of coefficients and offsets, either sign */

/* MPUs first .. first + count - 1 start at symbol `entry` (NO_INDEX: index 0 or `main`). */
struct entry {
    uint32_t first_mpu, mpu_count;
    uint32_t symbol;
};

/* An opaque section .mpu.pkg.<target>; linker/package.h knows what is inside. */
struct package_blob {
    const char *target;
    const void *bytes;
    size_t size;
};

/* A second text of the program, for machines without room for the first: an object of its own, with
 * the same variables under the same names, linked if the program is.  It has no texts itself. */
struct own_text {
    const char *machines; /* built-in ones that it was made for, with commas between */
    struct object *program;
};
#define OBJECT_MAX_OWN_TEXTS 8

struct object {
    struct arena arena; /* owns all strings and arrays reached through the vectors */
    bool linked;        /* ET_EXEC */
    bool debug_lines;   /* write .debug_line */
    struct geometry geometry;
    uint8_t default_width; /* .width; 64 */
    uint32_t sets;         /* bit mask of enum isa_set that the text uses */
    const char *source;    /* name of the main source file, for messages; may be NULL */
    VEC(uint32_t) text;
    VEC(struct symbol) symbols;
    VEC(struct reloc) relocs; /* ascending by index */
    VEC(const char *) files;  /* of places; as named on the command line */
    struct map file_numbers;  /* of those that object_file has seen */
    VEC(struct line_entry) lines;
    VEC(struct size_decl) sizes;
    VEC(struct value_decl) values;
    VEC(struct lut_decl) luts;
    VEC(struct product_decl) products;
    VEC(struct group) groups;
    VEC(struct variable) vars;
    VEC(struct data_record) data;
    VEC(struct length_record) lengths;
    VEC(struct constant_record) constants;
    VEC(struct finish_record) finishes;
    VEC(struct number_record) numbers;
    VEC(struct debug_record) debugs;
    VEC(struct move) moves;
    VEC(struct user_file) recipes; /* that the program brings along */
    VEC(struct buffer_decl) buffers;
    VEC(struct module_decl) modules;
    VEC(struct kernel_decl) kernels;
    VEC(struct recipe_call) calls;
    VEC(struct sub_signature) signatures;
    VEC(struct entry) entries; /* empty = MPU 0 at main or index 0 */
    VEC(struct package_blob) packages;
    VEC(struct own_text) own_texts; /* the linker takes the first that has room */
};

struct object *object_new(void);
void object_free(struct object *object);

/* Coordinates of a variable in this group (or NO_INDEX), its register index included. */
uint32_t object_move_dims(const struct object *object, uint32_t group, bool has_k);
/* The move with the sides of a scatter exchanged: its destination is the near side. */
struct move object_move_from_near(const struct move *move);
/* Whether elements of the same coordinates lie in the same lanes of the same VRFs: the groups are
 * one, or like one another with the same extents. */
bool object_groups_match(const struct object *object, uint32_t left, uint32_t right);
/* Registers that hold its indices; 0 without. */
unsigned object_move_index_count(const struct move *move);
/* How many REPEATs must stand around a GMOVE of this move. */
uint32_t object_move_repeats(const struct move *move);
/* "lap 5 of lap 2": laps[0] of the innermost REPEAT, and so on. */
void object_move_laps_text(uint32_t repeats, const uint64_t *laps, struct str *out);
/* Adds, in `arena`, what is not usual: a stride, or what the laps add to a number.  The usual
 * values leave the move as it is. */
void object_move_set_stride(struct move *move, uint32_t d, int64_t coeff,
                            const struct move_bound *offset, struct arena *arena);
void object_move_set_laps(struct move *move, enum move_form form, uint32_t d,
                          const int64_t coeff[MOVE_MAX_LAPS], struct arena *arena);
/* The same for every element, in every lap. */
bool object_move_same_strides(const struct move *left, const struct move *right);
bool object_move_same_laps(const struct move *left, const struct move *right);

/* The names that symbols, groups, sizes and variables may have: letters, digits, _ . $. */
bool object_name_ok(const char *name);
/* The same and - : + for the name of a package's target. */
bool object_target_ok(const char *name);
/* Such names with commas between. */
bool object_machines_ok(const char *machines);
/* Adds a second text, which the object has from here on. */
void object_add_own_text(struct object *object, const char *machines, struct object *text);

/* Checks every index, range and word of object; false after one error that names the record (`at`
 * is the place that the message gets).  The reader calls it, and whoever builds an object may. */
bool object_check(const struct object *object, struct diag *diag, struct span at);

/* "sum", "argmin". */
const char *object_finish_kind_text(enum finish_kind kind);
bool object_finish_kind_parse(const char *text, size_t n, enum finish_kind *kind);
/* Why there cannot be such a record, but for its range, in words that follow the name of its
 * variable, which is there; or NULL. */
const char *object_finish_problem(const struct object *object, const struct finish_record *record);
/* "s[1] = sum u32 @g r5" */
void object_finish_text(const struct object *object, const struct finish_record *record,
                        struct str *out);
/* What the INDEX at a place of the text counts, or NULL: the elements. */
const struct number_record *object_number_at(const struct object *object, uint32_t index);
/* " every w below h": what stands behind the register of such an INDEX. */
void object_number_text(const struct object *object, const struct number_record *record,
                        struct str *out);
/* The order of finishes. */
int object_finish_compare(const void *a, const void *b);

bool object_scope_same(const struct group_scope *left, const struct group_scope *right);
bool object_scope_has(const struct group_scope *scope, uint32_t group);
/* A scope of these groups, in whatever order and however often they stand there. */
struct group_scope object_scope_of(struct arena *arena, const uint32_t *groups, uint32_t count);
/* The group whose element 0 is what a variable without a group is read from; there is one. */
uint32_t object_variable_home(const struct variable *variable);

/* Elements of a variable's array, its k included; 0 when a size decides. */
uint64_t object_elements(const struct object *object, const struct variable *variable);
/* The type of the elements of its array. */
struct lane_type object_variable_array_type(const struct variable *variable);
/* Whether the array is in no way another than the registers. */
bool object_form_plain(const struct array_form *form);
bool object_form_same(const struct array_form *left, const struct array_form *right);
/* Elements of a shape under these values of the sizes; UINT64_MAX if there are more than that, or
 * an extent is below 1. */
uint64_t object_form_elements(const struct array_form *form, const int64_t *sizes);
/* Why variable, whose other fields are right, cannot have its form, in words that follow "'x'"; or
 * NULL. What depends on sizes is not looked at. */
const char *object_form_problem(const struct object *object, const struct variable *variable);
/* "f in r0: u32, r1: u8 out r2: u32 clobber r3", as .signature has it. */
void object_signature_text(const struct sub_signature *signature, struct str *out);
/* Why no subroutine can be called so, in words that follow "'f'"; or NULL. */
const char *object_signature_problem(const struct sub_signature *signature);
/* The variable that holds how many elements of this one count, or NO_INDEX: all. */
uint32_t object_length_of(const struct object *object, uint32_t variable);
/* Why `length` cannot be the length of `variable` (both are there), in words that follow "'x'"; or
 * NULL. */
const char *object_length_problem(const struct object *object, uint32_t variable, uint32_t length);
/* The constant of the source that a dimension of an array is, or NULL. */
const char *object_constant_of(const struct object *object, const char *array, uint32_t dimension);
/* Says so of an array that is there, once for each dimension; names are copied. */
void object_add_constant(struct object *object, const char *array, uint32_t dimension,
                         const char *constant);
/* Constants in their order have ascending numbers; UINT64_MAX of one whose array is not there, or
 * has never that dimension. */
uint64_t object_constant_number(const struct object *object, const struct constant_record *record);
/* Whether op refers to a debug record, and of which kind. */
bool object_debug_kind(enum isa_op op, enum debug_kind *kind);

/* Adds the names of user instructions that o's recipe files declare.  False after reporting, if
 * diag is not NULL. */
bool object_users(const struct object *object, struct isa_users *users, struct arena *arena,
                  struct diag *diag);
/* True if one of o's recipe files has this text. */
bool object_has_recipes(const struct object *object, const char *text, size_t size);

/* The call that a RECIPE names; NULL of another instruction. */
const struct recipe_call *object_call(const struct object *object, const struct insn *insn);
/* The symbols behind 'else', of calls and of kernels (a call has one of its own, or that of its
 * kernel): the i-th of so many; NO_INDEX: there is none. */
static inline size_t object_otherwise_count(const struct object *object) {
    return object->calls.len + object->kernels.len;
}
static inline uint32_t *object_otherwise(struct object *object, size_t i) {
    return i < object->calls.len ? &object->calls.data[i].otherwise
                                 : &object->kernels.data[i - object->calls.len].otherwise;
}
/* The kernel that a call names; NULL of a user instruction. */
const struct kernel_decl *object_call_kernel(const struct object *object,
                                             const struct recipe_call *call);

/* ---- kernels.c: buffers and kernels ---- */
uint32_t object_find_buffer(const struct object *object, const char *name); /* NO_INDEX if none */
/* The file of what a program around a file of kernels declares by itself, in places. */
#define OBJECT_LAUNCHES_FILE "<launches>"
/* The buffer of such a program whose length the size is because nobody said another; NO_INDEX. */
uint32_t object_buffer_of_length(const struct object *object, uint32_t size);
/* An error that nothing tells it. */
void object_report_length(const struct object *object, uint32_t buffer, struct diag *diag);
uint32_t object_find_kernel(const struct object *object, const char *name); /* NO_INDEX if none */
/* The form of a kernel that is a pipeline (docs/dappa.md), and a kernel of it; NULL: there is none.
 */
#define OBJECT_PIPELINE_FORM "pipeline"
const struct kernel_decl *object_find_pipeline(const struct object *object);
uint32_t object_find_module(const struct object *object, const char *name); /* NO_INDEX if none */
/* Makes a kernel of which entry and module are set an entry of that module: gives it its text. */
void object_kernel_join(const struct object *object, struct kernel_decl *kernel);
/* Where its text stands: in the file of its module, or its own. */
struct place object_kernel_place(const struct object *object, const struct kernel_decl *kernel);
/* Where a line of its text, from 1, stands; of no file where that is not known. */
struct place object_kernel_line(const struct object *object, const struct kernel_decl *kernel,
                                uint32_t line);
/* Bytes of a parameter, and where it begins if those before it end at `end`. */
uint32_t object_parameter_bytes(const struct kernel_parameter *parameter);
/* Alignment of so many bytes by value, if nothing is said: the largest power of 2 up to 8 that
 * divides them. */
uint8_t object_bytes_align(uint32_t bytes);
uint32_t object_parameter_offset(const struct kernel_parameter *parameter, uint32_t end);
/* "in x: u32[n, 4]", as its declaration in assembly has it. */
void object_buffer_text(const struct object *object, const struct buffer_decl *buffer,
                        struct str *out);
/* "f core(x: u32[], n: u64) else g", likewise. */
void object_kernel_text(const struct object *object, const struct kernel_decl *kernel,
                        struct str *out);
/* "m core", likewise. */
void object_module_text(const struct module_decl *module, struct str *out);
/* "f(x, n, 3)", as RECIPE has it. */
void object_kernel_call_text(const struct object *object, const struct recipe_call *call,
                             struct str *out);
/* Why there can be no such buffer or kernel, or no call with such an argument, in words that follow
 * its name ("buffer 'x'", "kernel 'f'", "parameter 'n'"); or NULL. */
const char *object_buffer_problem(const struct object *object, const struct buffer_decl *buffer);
const char *object_kernel_problem(const struct kernel_decl *kernel);
const char *object_module_problem(const struct module_decl *module);
const char *object_argument_problem(const struct object *object,
                                    const struct kernel_parameter *parameter,
                                    const struct kernel_argument *argument);
/* Elements under these values of the sizes; UINT64_MAX if there are too many, or an extent is below
 * 1.  Bytes of one element in memory: the smallest of 1, 2, 4, 8 that holds it. */
/* Why there is no such launch, in words that follow "call 3 of kernel 'f'"; or NULL. */
const char *object_launch_problem(const struct object *object,
                                  const struct launch_geometry *geometry);
static inline bool launch_said(const struct extent *extent) {
    return extent->size != NO_INDEX || extent->value;
}
uint64_t object_buffer_elements(const struct buffer_decl *buffer, const int64_t *sizes);
unsigned object_element_bytes(struct lane_type type);
bool object_buffer_same(const struct buffer_decl *left, const struct buffer_decl *right);
/* But for `otherwise`. */
bool object_kernel_same(const struct kernel_decl *left, const struct kernel_decl *right);
bool object_module_same(const struct module_decl *left, const struct module_decl *right);

/* The ELF bytes of object, which must pass object_check, appended to out.  Deterministic.  ELF
 * keeps local symbols before global ones: reading gives them in that order, otherwise the same. */
void object_write(const struct object *object, struct str *out);
/* Reads and checks every bound, index and string before use; `name` is for messages (offsets
 * into the file are given).  NULL after reporting.  Every word of text is known to decode. */
struct object *object_read(const char *name, const void *bytes, size_t size, struct diag *diag);

uint32_t object_file(struct object *object, const char *name); /* index; adds it if new */
uint32_t object_find_symbol(const struct object *object, const char *name); /* NO_INDEX if none */
uint32_t object_find_group(const struct object *object, const char *name);  /* NO_INDEX if none */
uint32_t object_find_size(const struct object *object, const char *name);   /* NO_INDEX if none */
/* Whether the size may have that value; if not and diag is there, says so, and where it is
 * declared.
 */
bool object_size_allows(const struct object *object, uint32_t size, uint64_t value,
                        struct diag *diag);
/* "n <= 65536 = 4096" or "m = n / 4", as its declaration in assembly has it. */
void object_size_text(const struct object *object, uint32_t size, struct str *out);

/* ---- values.c: link-time values ---- */
uint32_t object_value_count(const struct value_decl *decl);
/* Why there can be no such value, in words that follow "value 'k'"; or NULL. */
const char *object_value_problem(const struct value_decl *decl);
/* Whether a pattern of 64 bits is an element of the type, as values keep them. */
bool object_value_holds(struct lane_type type, uint64_t pattern);
/* "k: u8[9] = 1, 2, 1", as its declaration in assembly has it. */
void object_value_text(const struct value_decl *decl, struct str *out);
/* "k[3]", "k[1, 2]" or "s". */
void object_value_element(const struct object *object, uint32_t value, uint32_t element,
                          struct str *out);
/* The elements of all values, one value's behind the other's, as packages have them: their number,
 * and first[i], where those of value i begin (may be NULL). */
uint32_t object_value_elements(const struct object *object, uint32_t *first);

/* ---- luts.c: tables of LUTs ---- */
/* Elements up to the last one that is not 0, or filled in later. */
uint32_t object_lut_given(const struct lut_decl *lut);
/* The same elements from the same sources, whatever their names. */
bool object_lut_same(const struct lut_decl *left, const struct lut_decl *right);
/* Why there can be no such table, in words that follow "table 't'"; or NULL. */
const char *object_lut_problem(const struct object *object, const struct lut_decl *lut);
/* Why filling in `value`, of 64 bits with or without a sign, cannot be, or NULL; else *element is
 * what the table holds. */
bool object_lut_element(const struct lut_decl *lut, uint64_t value, bool is_unsigned,
                        uint64_t *element);
/* Element `index` as assembly has it. */
void object_lut_entry_text(const struct object *object, const struct lut_decl *lut, uint32_t index,
                           struct str *out);
/* The tables of a program as they stand, and its shapes, in `arena`. */
struct lut_list object_luts(const struct object *object, struct arena *arena);
/* Decodes a word: MULP gets its shape, and in a linked program LUT its table. */
enum isa_error object_decode(const struct object *object, uint32_t word, struct insn *insn);

/* ---- shapes.c: shapes of products ---- */
/* The number of the equal shape, or how many there are. */
uint32_t object_find_product(const struct object *object, const struct isa_product *product);
/* "p 16, 16, 0, 32, ss", as assembly has it. */
void object_product_text(const struct product_decl *decl, struct str *out);
struct product_list object_products(const struct object *object, struct arena *arena);

/* ---- sizes.c: derived sizes ---- */
/* A number in 1..2^40, or a size that is there. */
bool object_extent_ok(const struct object *object, const struct extent *extent);
/* The names of the sizes that a user gives, in order; returns their number. */
size_t object_given_sizes(const struct object *object, const char **names);
/* The range of a size by its bound, or by what object_size_derive found. */
struct size_range object_size_range(const struct size_decl *decl);
/* Bound and range of a derived size from those of its operands, which stand in `sizes`. */
void object_size_derive(const struct size_decl *sizes, struct size_decl *decl);
/* True if the formula of derived size number `size` has the form in which formulas are kept, and
 * its operands, one of them a size, stand before it or are numbers in range. */
bool object_size_formula_ok(const struct size_decl *decl, uint32_t size);
/* Gives a formula that form: a number on the right of + * min max, and added rather than
 * subtracted. */
void object_size_normalise(struct size_decl *decl);
/* Whether two sizes are derived by the same formula. */
bool object_size_same_formula(const struct size_decl *left, const struct size_decl *right);
/* left op right, where it is in -2^40..2^40 and does not divide by zero; else false. */
bool object_size_compute(enum size_op op, int64_t left, int64_t right, int64_t *out);
/* A name that the assembler or compiler gave to a part of a formula: "$S3". */
bool object_size_is_unnamed(const struct size_decl *decl);
/* Such a name that no size has, in o's arena. */
const char *object_size_name(struct object *object);
/* "(2 * n + 3) / 4": the formula of a derived size, its unnamed parts written out. */
void object_size_formula(const struct object *object, uint32_t size, struct str *out);
/* What messages call a size: "size 'n'", or the formula of one without a name. */
void object_size_said(const struct object *object, uint32_t size, struct str *out);
/* needed[i] = 1 exactly for the sizes that this one is made of, and itself. */
void object_size_parts(const struct object *object, uint32_t size, uint8_t *needed);
/* The value of a derived size from those of the sizes before it.  False if there is none; said with
 * the formula and its values if diag is there. */
bool object_size_value(const struct object *object, uint32_t size, const int64_t *values,
                       int64_t *out, struct diag *diag);
/* A note of how a derived size came to its value: "'m' is n / 4 = 2, with n = 10"; of a given one
 * none. */
void object_size_note(const struct object *object, uint32_t size, const int64_t *values,
                      struct diag *diag);
/* An error that a value is given to a derived size. */
void object_size_derived(const struct object *object, uint32_t size, struct diag *diag);
uint32_t object_find_value(const struct object *object, const char *name);    /* NO_INDEX if none */
uint32_t object_find_variable(const struct object *object, const char *name); /* NO_INDEX if none */
/* The place of instruction `index` by the line table; file == NO_INDEX if unknown. */
struct place object_place(const struct object *object, uint32_t index);
/* A span for messages at a place (reads the source file if it is there). */
struct span object_span(const struct object *object, struct place place, struct diag *diag);

#endif
