/* SPDX-License-Identifier: MIT
 * The assembler's state, shared by its parts.  Each statement is read, checked and emitted before
 * the next one is read; only jump targets wait for the end (builder_finish). */
#ifndef ASM_ASSEMBLER_H
#define ASM_ASSEMBLER_H

#include "asm/asm.h"
#include "asm/builder.h"
#include "asm/scan.h"
#include "support/macro_text.h"
#include "support/map.h"

#define MAX_INPUTS     128          /* files, macros and .rept within one another */
#define MAX_INCLUDES   64           /* files within one another */
#define MAX_EXPANSION  (64u << 20)  /* bytes of files, and that macros and .rept make, in all */
#define MAX_WORK       (256u << 20) /* bytes of bodies and arguments gone through to make them */
#define MAX_FILES      10000        /* read in all */
#define MAX_EXPRESSION 1000         /* parentheses, signs and calls within one another */
#define MAX_REPEAT     4            /* REPEATs within one another; ISA */
#define MAX_OPERANDS   8
#define MAX_DATA       (1u << 24) /* values of .data in all */

enum input_kind { INPUT_FILE, INPUT_MACRO, INPUT_REPT };

/* A text that is being read. */
struct asm_input {
    enum input_kind kind;
    const char *name; /* of the file as named, or of the macro */
    const char *text;
    size_t size, pos;
    uint32_t source;    /* of diag; 0 = not registered yet (expansions, until a message) */
    uint32_t line;      /* of pos, from 1 */
    size_t line_start;  /* where it begins */
    struct span called; /* the statement in a file that led here; NO_SPAN in the main file */
    uint32_t called_line, called_column;
    const char *called_file;
    size_t conditions; /* open when the text began */
    const char *scope; /* of local labels, and the open .sub, before an expansion began */
    const char *sub;
    bool filled; /* something stands there that is no comment */
};

struct asm_value {
    enum { VALUE_NUMBER, VALUE_LABEL, VALUE_SIZE, VALUE_FORMULA, VALUE_ELEMENT } kind;
    wide number;       /* or what is added to the label or size; or the number of the element */
    uint32_t size;     /* index; VALUE_ELEMENT: of the link-time value */
    const char *label; /* full name, */
    size_t begin, end; /* and where it is written */
    /* VALUE_FORMULA: a derived size that has no index yet. */
    enum size_op op;
    struct size_operand left, right;
};

struct asm_constant {
    const char *name;
    wide value;
    bool variable; /* made by .set */
    struct place place;
    struct span at;
};

struct macro_parameter {
    const char *name;
    const char *initial; /* NULL: must be given */
};
struct macro {
    const char *name;
    const char *body; /* lines between .macro and .endm */
    size_t size;
    struct macro_parameter *parameters; /* [count] */
    size_t count;
    struct span at;
};

struct condition {
    bool taken;  /* a branch was assembled */
    bool active; /* this branch is */
    bool in_else;
    struct span at;
};

struct global_name {
    const char *name;
    struct span at;
};

struct variable_data {
    uint32_t variable;
    struct span at;
    bool wrong; /* a value was reported */
    VEC(uint64_t) values;
};

/* A table as far as its .lut lines have been read. */
struct lut_text {
    struct lut_decl decl;
    VEC(uint64_t) entries;
    VEC(struct lut_fill) fills;
};

/* What surrounds an instruction, as far as the text alone shows it. */
enum surroundings { AT_TOP, ANYWHERE, IN_COMPUTE, IN_TRANSFER };
struct open_repeat {
    enum surroundings in;
    struct span at;
};
struct structure {
    enum surroundings in;
    bool unsure; /* an unknown instruction may have opened or closed something */
    bool sending;
    struct span send;
    VEC(struct open_repeat) repeats;
};

/* Instructions that the check of lane dependence looks at. */
struct mark {
    uint32_t index;
    struct span at;
};

/* `JUMP 11` means label 11 if the file has numeric labels, which is known at the end. */
struct numeric_jump {
    size_t reloc;
    uint64_t number;
    struct span at;
};

struct listed_line {
    const char *text;
    size_t length;
    uint32_t first, count; /* instructions that it made */
    uint32_t line, depth;  /* depth > 0: expanded */
};

struct assembler {
    struct diag *d;
    struct builder *b;
    struct object *o;
    const struct asm_options *options;
    struct arena arena;
    struct asm_input inputs[MAX_INPUTS];
    struct asm_input *in; /* the innermost; NULL before the first */
    size_t depth;
    struct asm_token token;
    size_t previous_end; /* of the token before, in the same text */
    size_t statement; /* where the statement that is being read begins in the current text, and its
                         place */
    uint32_t statement_line, statement_column;
    bool failed;     /* this statement was reported */
    bool taken_line; /* the text was already moved behind this statement's line */
    bool stop;       /* give up */
    unsigned expression_depth;
    unsigned idle;         /* what is read does not count: it is not evaluated */
    struct map said_wrong; /* names of constants about which an error was said */
    bool bare_sizes;       /* in the expression at work a name is that of a size, if there is one */
    struct isa_users users; /* names of user instructions */
    struct map constant_names, macro_names, variable_names, group_names, size_names, value_names,
        move_names, lut_names, product_names, buffer_names, module_names, kernel_names;
    VEC(struct asm_constant) constants;
    VEC(struct macro) macros;
    VEC(struct condition) conditions;
    VEC(char *) texts; /* of files and expansions, kept to the end */
    size_t expanded, worked, files_read, expansions;
    const char *scope; /* the label that local labels belong to */
    bool numeric_labels;
    VEC(struct numeric_jump) numeric_jumps;
    struct structure structure;
    struct structure outside; /* of the open .sub */
    const char *sub;          /* open .sub, or NULL */
    struct span sub_at;
    bool finish_open; /* a .finish is open: it has the text from finish_first on */
    uint32_t finish_first;
    struct span finish_at;
    size_t inner_subs; /* refused .sub lines whose .endsub is still to come */
    struct span last;  /* the end of the main file */
    VEC(struct mark) marks;
    VEC(struct listed_line) listed;
    VEC(struct global_name) globals;
    VEC(struct variable_data) data; /* of .data, one entry for each variable */
    VEC(uint32_t) data_index;       /* [variables]: into data, or NO_INDEX */
    size_t data_values;
    VEC(struct lut_text) luts;
    uint64_t lut_entries; /* of all tables, with those that are 0 */
    uint64_t next_mpu;    /* that .mpu may name */
    bool places_given;    /* there was a .loc: places are `given`, not those of the text */
    struct place given;
    const char *given_file;
};

/* Messages.  Spans are in the current text; a message in an expansion gets notes that say where the
 * expansion comes from.  Only the first error of a statement is reported. */
void asm_error(struct assembler *assembler, size_t begin, size_t end, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void asm_error_token(struct assembler *assembler, const struct asm_token *token, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
struct span asm_span(struct assembler *assembler, size_t begin, size_t end);
/* A span that outlives the current text: it is in a file, never in an expansion. */
struct span asm_kept_span(struct assembler *assembler, size_t begin, size_t end);
/* Where a declaration stands, for the object. */
struct place asm_place(struct assembler *assembler, size_t begin);
/* Tells the builder file, line and column of a statement. */
void asm_tell_builder(struct assembler *assembler, size_t begin, size_t end);
/* Adds did-you-mean to the last message, from the names of a map. */
void asm_suggest(struct assembler *assembler, const struct asm_token *token,
                 const struct map *names);
const char *asm_keep(struct assembler *assembler, const char *text, size_t length);

/* input.c: the stack of texts. */
bool asm_input_push(struct assembler *assembler, enum input_kind kind, const char *name,
                    const char *text, size_t size);
/* Counts bytes that are gone through to make a text; false after reporting too many. */
bool asm_input_work(struct assembler *assembler, const char *name, size_t bytes);
void asm_input_pop(struct assembler *assembler);
void asm_include_file(struct assembler *assembler, const char *path, const struct asm_token *at);

/* The text of `path`, which is searched as .include does, and in *name the path where it was found;
 * both are malloc'ed, *name also after a failure.  NULL after reporting; `who` is the directive. */
char *asm_read_beside(struct assembler *assembler, const char *path, const struct asm_token *at,
                      const char *who, char **name, size_t *size);

/* One level deeper; false after reporting that this is too deep.  Left by expression_depth--. */
bool asm_enter_expression(struct assembler *assembler, const struct asm_token *at);
/* expression.c: false after an error.  Reading starts at the current token. */
bool asm_parse_value(struct assembler *assembler, struct asm_value *value);
bool asm_parse_number(struct assembler *assembler, wide *v);
/* As asm_parse_value, but sizes are written by their bare names, and a derived size becomes a
 * VALUE_FORMULA. */
bool asm_parse_formula(struct assembler *assembler, struct asm_value *value);
/* The index of the size that a VALUE_SIZE or VALUE_FORMULA stands for; one to which a number is
 * added becomes a derived size. */
bool asm_value_size(struct assembler *assembler, const struct asm_token *at,
                    const struct asm_value *value, uint32_t *size);
/* Makes a VALUE_SIZE or VALUE_FORMULA the formula of a size with a name; that of a VALUE_SIZE is
 * size + number. */
void asm_size_formula(struct assembler *assembler, const struct asm_token *at,
                      const struct asm_value *value, struct size_decl *out);
/* Turns a label that is already defined into its number; reports one that is not. */
bool asm_label_number(struct assembler *assembler, struct asm_value *value);
/* left op right, where at least one is a size: a value that the linker works out. */
bool asm_combine_sizes(struct assembler *assembler, const struct asm_token *at, enum size_op op,
                       const struct asm_value *left, const struct asm_value *right,
                       struct asm_value *out);
bool asm_parse_number_in(struct assembler *assembler, const char *what, wide low, wide high,
                         wide *v);
/* "the width is 65, but must be in 1..64" */
void asm_report_out_of_range(struct assembler *assembler, const struct asm_token *at,
                             const char *what, wide value, wide low, wide high);
/* Says no more about a name: an error that it has no value was said. */
void asm_say_no_more(struct assembler *assembler, const struct asm_token *name);
/* True if the name is that of anything: a constant, size, group, variable, macro, or label that
 * stands before. */
bool asm_name_defined(struct assembler *assembler, const struct asm_token *name);
void asm_define_constant(struct assembler *assembler, const struct asm_token *name, wide value,
                         bool variable);

/* take.c: reads what many statements consist of; false after a message. */
bool asm_take_name(struct assembler *assembler, const char *what, struct asm_token *name);
bool asm_take_text(struct assembler *assembler, const char *what, const char **text);
void asm_expect_end(struct assembler *assembler);
/* Reads one operator, or reports. */
bool asm_expect_char(struct assembler *assembler, char character);
/* The full name of a label: ".x" belongs to the last label without a dot. */
const char *asm_label_name(struct assembler *assembler, const char *text, size_t length);

/* parse_parts.c: reads what many declarations have; false after a message. */
bool asm_parse_type(struct assembler *assembler, struct lane_type *type);
/* Reads "dup(N," if it stands there; *count is else 1. */
bool asm_take_dup(struct assembler *assembler, bool *dup, wide *count);
/* Reads V or dup(N, V), with V of the type: the value V, N times. */
bool asm_parse_typed(struct assembler *assembler, struct lane_type lane_type, wide *count,
                     wide *value);
/* Reads a value of a floating-point type: a decimal number, inf, nan, a whole number's expression
 * or bits(PATTERN).  *value: its pattern. */
bool asm_parse_real(struct assembler *assembler, struct lane_type type, wide *value);
bool asm_parse_register(struct assembler *assembler, uint8_t *reg);
bool asm_parse_group_name(struct assembler *assembler, uint32_t *group);
/* A number, or a size by its bare name or as size(n). */
bool asm_parse_extent(struct assembler *assembler, struct extent *extent);
/* The same; 0 is what holds where nothing is said. */
bool asm_parse_extent_or_0(struct assembler *assembler, struct extent *extent);
/* Reads the name of a declared variable; false after reporting. */
bool asm_take_variable_name(struct assembler *assembler, struct asm_token *name,
                            uint32_t *variable);

/* instruction.c: the current token is the mnemonic. */
void asm_instruction(struct assembler *assembler);
/* The same, but only among user instructions. */
void asm_suggest_user(struct assembler *assembler, const struct asm_token *token);

/* recipe.c: the current token follows `.recipe`, or RECIPE at `mnemonic`. */
void asm_declare_recipes(struct assembler *assembler);
void asm_recipe(struct assembler *assembler, const struct asm_token *mnemonic);

/* kernel_text.c: a new name of a table, kept; NULL after reporting that it is there already. */
const char *asm_new_name(struct assembler *assembler, const char *what, const struct map *names,
                         const struct asm_token *name);
/* The text or words behind the head of a kernel or module, on its line or in lines up to `close`;
 * of a head that was not good it is passed over.  `own` gets what `text` holds.  False after
 * reporting. */
bool asm_take_kernel_text(struct assembler *assembler, const struct asm_token *directive,
                          const char *open, const char *close, bool good, struct module_decl *own,
                          struct str *text);
/* The current token follows `.module`. */
void asm_declare_module(struct assembler *assembler, const struct asm_token *directive);
/* kernel.c: the current token follows `.buffer` or `.kernel`. */
void asm_declare_buffer(struct assembler *assembler);
void asm_declare_kernel(struct assembler *assembler, const struct asm_token *directive);
/* The kernel that the current token names; NULL, and NO_INDEX, without. */
const struct kernel_decl *asm_named_kernel(struct assembler *assembler, uint32_t *index);
/* RECIPE of a kernel, or .launch: the current token is its name, `at` what stands before it. */
void asm_launch(struct assembler *assembler, const struct asm_token *at);

/* value.c: the current token follows `.value`, or `value` in an expression. */
void asm_declare_value(struct assembler *assembler);
bool asm_parse_value_call(struct assembler *assembler, struct asm_value *out);

/* declare_product.c: the current token follows `.product`. */
void asm_declare_product(struct assembler *assembler);
/* lut.c: the current token follows `.lut`. */
void asm_declare_lut(struct assembler *assembler);
/* Hands the tables to the builder. */
void asm_finish_luts(struct assembler *assembler);

/* move.c: the current token follows `.move`, or the mnemonic. */
void asm_declare_move(struct assembler *assembler);
void asm_gmove(struct assembler *assembler, const struct asm_token *mnemonic);
void asm_lane(struct assembler *assembler, const struct asm_token *mnemonic);

/* directive.c: the current token is the directive's name. */
void asm_directive(struct assembler *assembler);
bool asm_is_directive(const char *name, size_t length);

/* declare.c: .group .var .size .data and their kin; the current token follows the directive. */
void asm_declare_size(struct assembler *assembler);
void asm_declare_group(struct assembler *assembler);
void asm_declare_variable(struct assembler *assembler);
/* in, out, inout or local; nothing is local. */
uint8_t asm_take_direction(struct assembler *assembler);
void asm_declare_data(struct assembler *assembler);
void asm_declare_length(struct assembler *assembler);
void asm_declare_constant(struct assembler *assembler);
void asm_declare_entry(struct assembler *assembler);
void asm_declare_geometry(struct assembler *assembler);
void asm_declare_record(struct assembler *assembler, enum debug_kind kind);
/* Hands .data to the builder. */
void asm_finish_data(struct assembler *assembler);
/* finish_block.c: reads what follows .finish and .endfinish; asm_check_open_finish is called at the
 * end of the text. */
void asm_do_finish(struct assembler *assembler, const struct asm_token *at);
void asm_do_endfinish(struct assembler *assembler, const struct asm_token *at);
void asm_check_open_finish(struct assembler *assembler);
/* scope.c: reads `in g, h` of something in `group` (NO_INDEX: in none); if nothing is written the
 * scope is every group. */
bool asm_parse_scope(struct assembler *assembler, uint32_t group, struct group_scope *out);
/* parse_form.c: reads what may follow the register of the variable that `name` declares. */
bool asm_parse_form(struct assembler *assembler, const struct asm_token *name,
                    struct variable *variable);
/* signature.c: reads what follows .signature. */
void asm_declare_signature(struct assembler *assembler);

/* macro.c */
/* The lines up to the one that begins with `close`, nested `open` ones counted; the text goes on
 * behind that line.  The rest of the current line is skipped first.  False after reporting. */
bool asm_take_body(struct assembler *assembler, const char *open, const char *close,
                   const struct asm_token *at, const char **body, size_t *size);
/* What is read is an expansion, which stands in no file. */
bool asm_in_expansion(const struct assembler *assembler);
void asm_macro_define(struct assembler *assembler, const struct asm_token *directive);
void asm_macro_expand(struct assembler *assembler, const struct macro *macro); /* at its name */
const struct macro *asm_macro_find(const struct assembler *assembler, const char *name,
                                   size_t length);
void asm_rept_expand(struct assembler *assembler, const struct asm_token *directive);

/* condition.c */
bool asm_condition_directive(struct assembler *assembler); /* true: the current token was one */
bool asm_condition_active(const struct assembler *assembler);

/* structure.c */
void asm_structure_step(struct assembler *assembler, enum isa_op op, const struct asm_token *at);
/* RECIPE of a kernel. */
void asm_structure_launch(struct assembler *assembler, const struct asm_token *at);
void asm_structure_enter_sub(struct assembler *assembler);
void asm_structure_leave_sub(struct assembler *assembler);
void asm_structure_end(struct assembler *assembler);

/* lane_dependence.c: -Wlane-dependent over the finished object. */
void asm_check_lane_dependence(struct assembler *assembler, const struct object *object);

/* listing.c */
/* Notes that the line of `in` which begins at `begin` made the instructions from `first` on. */
void asm_listing_note(struct assembler *assembler, const struct asm_input *in, size_t begin,
                      uint32_t first);
void asm_listing_write(struct assembler *assembler, const struct object *object, struct str *out);

#endif
