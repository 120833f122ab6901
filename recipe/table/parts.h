/* SPDX-License-Identifier: MIT
 * What the files of the recipe table share: decoded templates, their layout in 24 bits, and
 * running them.  For the files of this folder alone. */
#ifndef RECIPE_TABLE_PARTS_H
#define RECIPE_TABLE_PARTS_H

#include "recipe/table/table.h"
#include "support/vec.h"

#define TABLE_MAX_OPERANDS (2 * UOP_MAX)

/* Bounds on one expansion; a table that exceeds them is damaged. */
#define TABLE_MAX_MICRO_OPS (1u << 18)
#define TABLE_MAX_STEPS     (1u << 20) /* templates run and laps begun */
#define TABLE_MAX_DEPTH     40         /* loops and pointers within one another */

/* A place relative to the position and its section. */
struct table_operand {
    uint8_t class;   /* enum plane_class */
    int8_t offset;   /* REGISTER, CONSTANT_BIT: bit - position; SCRATCH, BUFFER: section - section
                        at work */
    uint16_t number; /* REGISTER: role; SCRATCH: row; BUFFER: direction << 8 | carry; CONST: value,
                        or CONSTANT_BIT */
    uint8_t mode;    /* enum operand_mode: 0 but on targets of one section */
    int8_t outer;    /* so many times the number of the lap around the loop at work is added */
};
enum table_role { ROLE_OF_RS, ROLE_OF_RT, ROLE_OF_RD };
#define CONSTANT_BIT 2 /* CONST: the bit of the instruction's constant at the position */

/* Bits and rows of a target of one section: number = base + sign * position + outer * lap around.
 * The base stands in `offset` (bits) or `number` (rows; of those that follow, ROW_BIAS is taken
 * away). */
enum operand_mode {
    MODE_PLAIN,    /* bits follow the position, rows do not */
    MODE_FIXED,    /* a bit that does not */
    MODE_FOLLOWS,  /* a row that does */
    MODE_MIRRORED, /* sign -1 */
};
#define ROW_BIAS   64
#define MOST_OUTER 2 /* outer: -2 .. 2 */

/* Kinds of templates: the target's micro-ops, then these from op_count on. */
enum table_control { CONTROL_LOOP, CONTROL_MOVE, CONTROL_POINTER, CONTROL_FORWARD, CONTROL_EXTEND };
enum { TABLE_CONTROLS = CONTROL_EXTEND + 1 };
enum entry_kind { ENTRY_OP, ENTRY_LOOP, ENTRY_MOVE, ENTRY_POINTER };
enum move_mode { MOVE_TO, MOVE_FROM_LAP, MOVE_FROM_HERE };

/* Where a micro-op's `forwarded` comes from. */
enum { FORWARD_NOT, FORWARD_RULE, FORWARD_FROM }; /* FORWARD_FROM + distance */

/* A template with its prefixes, decoded.  Padding is zero: entries are compared as bytes. */
struct table_entry {
    uint8_t kind; /* enum entry_kind */
    uint16_t op;
    uint16_t words;   /* templates that it takes; 0: not laid out yet */
    uint32_t forward; /* OP: FORWARD_...; LOOP: 1 if pipelined */
    union {
        struct table_operand operands[TABLE_MAX_OPERANDS];
        struct {
            uint32_t laps;
            int32_t step, change;
            uint32_t words, entries; /* of the body, which follows */
        } loop;
        struct {
            uint32_t mode;
            int32_t value, change;
        } move;
        uint32_t pointer;
    };
};
struct entry_list {
    struct table_entry *data;
    size_t len, cap;
};

/* ---- layout.c ---- */
#define TABLE_MAX_FIELDS (1 + OP_MAX_SOURCES + OP_MAX_DESTS)
struct table_fields {
    unsigned count;
    uint8_t base[TABLE_MAX_FIELDS]; /* bits in the template itself */
    uint8_t more[TABLE_MAX_FIELDS]; /* bits that each extend adds */
};
struct table_layout {
    const struct target *t;
    unsigned kind_bits, kinds, op_kinds;
    uint16_t op_of_kind[PLANE_MAX_OPS]; /* of a command that activates rows: its first variant */
    uint16_t kind_of_op[PLANE_MAX_OPS];
    bool forwards; /* micro-ops have a bit that says so */
    struct table_fields fields[PLANE_MAX_OPS + TABLE_CONTROLS];
    uint32_t codes; /* number of operand codes */
};
void table_layout_make(const struct target *target, struct table_layout *layout);
/* An operand of a target of one section where the loops have come to; plain, relative to position
 * 0.  False if there is no such bit or row. */
bool table_operand_at(const struct target *target, const struct table_operand *operand,
                      int64_t position, int64_t around, struct table_operand *at);
/* Operands of an op (sources, then destinations) that a template has: not those that are always the
 * same row, nor destinations that take the place of a source. */
bool table_has_operand(const struct target_op *op, unsigned index);
/* Templates that an entry takes (its prefixes too); 0 if it cannot be laid out. */
unsigned table_entry_words(const struct table_layout *layout, const struct table_entry *entry);
/* Appends them. */
struct word_list {
    uint32_t *data;
    size_t len, cap;
};
void table_entry_encode(const struct table_layout *layout, const struct table_entry *entry,
                        struct word_list *out);
/* One entry from words[0..n); its words are in e->words.  NULL, or what is wrong. */
const char *table_entry_decode(const struct table_layout *layout, const uint32_t *words, size_t n,
                               struct table_entry *entry);

/* ---- codes.c: operands of targets of one section ---- */
#define NO_CODE UINT32_MAX
uint32_t table_codes_flat(const struct target *target);
/* NO_CODE for what has none. */
uint32_t table_code_flat(const struct target *target, const struct table_operand *operand);
/* The code of a group of rows; the group of a code, or NULL. */
uint32_t table_group_code(const struct target *target, uint32_t group);
const struct row_group *table_group_at(const struct target *target, uint32_t code);
/* code < table_codes_flat, and of no group. */
struct table_operand table_operand_flat(const struct target *target, uint32_t code);
/* The place of a scratch row among all when those for computing come first; and back.  The number
 * of those. */
uint32_t table_row_rank(const struct target *target, uint32_t row);
uint32_t table_row_at_rank(const struct target *target, uint32_t rank);
uint32_t table_compute_rows(const struct target *target);

/* ---- walk.c ---- */
struct table_range {
    uint32_t first, count;
};
struct table_course {
    int64_t position, around; /* number of the lap around the innermost loop */
    uint32_t forward;
};
struct table_run {
    const struct table_entry *entries;
    const struct table_range *pointers; /* the entries that each leads to */
    size_t pointer_count;
    /* A micro-op, where the loops have come to.  False stops the walk. */
    bool (*emit)(void *context, const struct table_entry *e, const struct table_course *at);
    void *context;
    int64_t position;
    uint32_t steps;
    unsigned depth;
    const struct table_entry *via; /* the outermost pointer at work, or NULL */
    const char *problem;
};
/* Runs entries [first, first + count) as lap number `lap` of a loop, begun at r->position. */
bool table_walk(struct table_run *run, uint32_t first, uint32_t count, int64_t lap);

/* ---- roll.c ---- */
/* A micro-op of a list, written relative to its position, which on targets of one section is 0. */
struct table_token {
    struct table_entry entry; /* forward not set */
    int32_t position;
    uint32_t forward; /* FORWARD_... */
};
/* Micro-ops as tokens.  False if one of them cannot be written as a template. */
bool table_tokens(const struct table_layout *layout, const struct insn *insn,
                  const struct uop_list *uops, struct table_token *out);
/* True if an entry gives the micro-op. */
bool table_gives(const struct table_layout *layout, const struct table_entry *entry,
                 const struct table_course *at, const struct table_token *token);
/* The entries of a recipe, loops rolled. */
void table_roll(const struct table_layout *layout, const struct table_token *tokens, size_t count,
                struct entry_list *out);
/* Which micro-op a forwarded one comes from if nothing says so. */
struct forward_rule {
    uint32_t next, segment, previous;
    int32_t section;
};
/* Before micro-op number index in `section`. */
void table_forward_rule_meet(struct forward_rule *rule, uint32_t index, uint16_t section);
/* Its source by the rule, or UINT32_MAX. */
uint32_t table_forward_rule_find(const struct forward_rule *rule, const struct uop *uops,
                                 uint16_t kind);
/* Once `forwarded` of micro-op index is known. */
void table_forward_rule_done(struct forward_rule *rule, uint32_t index, uint32_t forwarded);

/* ---- share.c ---- */
/* A table before it is laid out. */
struct table_parts {
    struct entry_list entries; /* of one form after the other */
    struct table_range *forms, pointers[TABLE_POINTERS];
    size_t form_count, pointer_count;
    size_t given;    /* the first pointers lead to entries of other parts, */
    uint32_t before; /* which take so many templates in front of these */
};
/* Replaces sequences that stand in the table several times by pointers. */
void table_share(const struct table_layout *layout, struct table_parts *parts);
/* The same of parts that stand behind others, which have shared: these stay as they are, and
 * sequences of theirs serve as well. */
void table_share_behind(const struct table_layout *layout, const struct table_parts *others,
                        struct table_parts *parts);

/* ---- code.c ---- */
struct table_code {
    struct table_layout layout;
    struct entry_list entries;
    uint32_t *entry_of; /* [template_count + 1]: entry that begins at a template, or NO_ENTRY */
    struct table_range *pointers, *forms;
    uint32_t *scratch; /* [forms]: recipe_table_scratch */
};
#define NO_ENTRY UINT32_MAX
void table_code_free(struct table_code *code);
/* Opens a table that begins with the templates and pointers of another, which is open. */
bool table_open_behind(struct recipe_table *table, const struct recipe_table *first,
                       const struct target *target, const char **problem);
/* Expands a form for an instruction; NULL, or what is wrong with the table. */
const char *table_form_expand(const struct recipe_table *table, const struct recipe_form *form,
                              const struct insn *insn, bool masked, struct uop_list *out);

#endif
