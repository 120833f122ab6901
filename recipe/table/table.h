/* SPDX-License-Identifier: MIT
 * The recipe table of one program on one target (MPU paper, section VI-B and Table III): for each
 * form of an instruction that the program uses a sequence of templates of 24 bits, loops rolled,
 * and pointers of 20 bits to sequences that recipes share.
 *
 * A form is an instruction at a width; with its constant where the recipe depends on it in more
 * than the constant's bits; and with operands that are one register where that changes the recipe.
 * The masked form is the same sequence with predicates, or one of its own where a target has to
 * merge results or to keep the mask in a latch.
 *
 * Expanding runs the templates.  It keeps a position (a bit of the registers; section = position
 * modulo the target's sections), the place where the lap of the loop at work began, and the number
 * of that lap:
 *   micro-op    works at the position; its operands are relative to it; optionally forwarded
 *   loop        its body some times, from the position on; lap i begins at the first lap's
 *               position + i * step; afterwards the position is where the next lap would begin.
 *               The number of laps may change by a constant with each lap of the loop around it.
 *               Pipelined: all laps but the first are forwarded
 *   move        sets the position: absolutely, or relative to where the lap began or to itself
 *   pointer     runs another sequence here
 *   forward     the micro-op behind it is forwarded from that many micro-ops back
 *   extend      more bits for the fields of the template behind it
 * A micro-op that is forwarded without saying from where comes from the first micro-op of its kind
 * that was not passed yet among those of the last section at work before this one.
 *
 * Fields and codes follow from the target's micro-ops; docs/formats.md, "The recipe table", has
 * them bit by bit. */
#ifndef RECIPE_TABLE_TABLE_H
#define RECIPE_TABLE_TABLE_H

#include "isa-spec/user.h"
#include "recipe/set/recipe.h"
#include "support/str.h"

/* What the table of an MPU holds (MPU paper, Table III). */
#define TABLE_TEMPLATES     1024
#define TABLE_POINTERS      20
#define TABLE_TEMPLATE_BITS TARGET_TEMPLATE_BITS
#define TABLE_POINTER_BITS                                                                         \
    TARGET_POINTER_BITS /* first template and number less one, 10 bits each */

/* Operands that are one register; bits of recipe_form.alias. */
enum table_alias { ALIAS_RS_RT = 1, ALIAS_RS_RD = 2, ALIAS_RT_RD = 4 };

enum form_constant {
    CONSTANT_NONE, /* the instruction has none */
    CONSTANT_ONE,  /* the form is for this one, or for the table of that number */
    CONSTANT_BITS, /* for any: its bits, moved up by `shift`, are operands */
};

enum form_masking { MASKING_ANY, MASKING_OFF, MASKING_ON };

struct recipe_form {
    uint8_t opcode, width; /* width 0: the instruction has none */
    uint8_t alias;         /* enum table_alias, a sum */
    uint8_t constant;      /* enum form_constant */
    uint8_t shift;
    uint8_t masking; /* enum form_masking: whether it serves the masked form */
    int32_t imm;
    uint32_t first, count; /* its templates */
};

struct table_code;
struct recipe_table {
    struct recipe_form *forms; /* ascending by opcode, width, alias, constant, imm, masking */
    size_t form_count;
    uint32_t *templates;
    size_t template_count;
    uint32_t *pointers; /* first template << 10 | number of templates - 1 */
    size_t pointer_count;
    struct table_code *code; /* of the target that it was opened for; NULL before */
};

/* The table for a program's instructions (those without ISA_VECTOR are passed over), opened;
 * `target` is kept by the caller.  Without a set (target golden) it is empty.  Each form is
 * expanded again and compared with its recipe, micro-op for micro-op.  NULL after reporting: an
 * instruction without a recipe. */
struct recipe_table *recipe_table_build(const struct target *target, const struct recipe_set *set,
                                        const struct insn *insns, size_t count, struct diag *diag);
void recipe_table_free(struct recipe_table *table);

/* Its bytes, appended; and back.  Reading checks what needs no target; NULL with a message in
 * *problem. */
void recipe_table_write(const struct recipe_table *table, struct str *out);
struct recipe_table *recipe_table_read(const void *bytes, size_t size, const char **problem);
/* The same of what may have something behind the table; *used: its own bytes. */
struct recipe_table *recipe_table_read_first(const void *bytes, size_t size, size_t *used,
                                             const char **problem);

/* Decodes the templates for the target (kept by the caller) and tries every form once; needed
 * before expansion.  False with a message in *problem. */
bool recipe_table_open(struct recipe_table *table, const struct target *target,
                       const char **problem);

/* The form that serves an instruction, or NULL. */
const struct recipe_form *recipe_table_find(const struct recipe_table *table,
                                            const struct insn *insn, bool masked);
/* As recipe_expand, from an open table.  False after reporting. */
bool recipe_table_expand(const struct recipe_table *table, const struct insn *insn, bool masked,
                         struct uop_list *out, struct diag *diag);

/* Scratch rows of the class that registers lie in which a form of an open table needs: up to the
 * highest number that it names. */
uint32_t recipe_table_scratch(const struct recipe_table *table, const struct recipe_form *form);

/* The pointers that the form's templates lead to, directly or by way of others: bit i for pointer
 * i. The table is open. */
uint32_t recipe_table_leads_to(const struct recipe_table *table, const struct recipe_form *form);

/* "ADD.32 rs rt rd"; operands that are one register have one name; a constant that the form is
 * for stands there as it is, any other as imm; user instructions have the names that `users` (may
 * be NULL) gives them. */
void table_form_text(const struct recipe_form *form, const struct isa_users *users,
                     struct str *out);
/* An instruction that the form serves, registers r0, r1, r2 for rs, rt, rd where they differ. */
struct insn table_form_insn(const struct recipe_form *form);
/* The form's templates of an open table, one a line below a heading: index, word, how many
 * micro-ops it makes when the form is carried out once, their energy on one VRF in fJ, and what it
 * means.  A pointer has the micro-ops of the sequence that it leads to. */
void recipe_table_text(const struct recipe_table *table, const struct recipe_form *form,
                       struct str *out);

#endif
