/* SPDX-License-Identifier: MIT
 * A set of recipes, as the files that check and expand it see it. */
#ifndef RECIPE_SET_H
#define RECIPE_SET_H

#include "isa-spec/user.h"
#include "recipe/notation/ast.h"
#include "recipe/recipe.h"
#include "recipe/technology/where.h"

/* Recipes that belong to no instruction: MASKED(a, d, M) -> d is what a target that merges masked
 * results does with each (struct target, mask_by).  OP_COUNT stays what no instruction is. */
#define OP_MASKED  ((enum mpu_op)(OP_COUNT + 1))
#define RECIPE_OPS (OP_COUNT + 2)
/* isa_info, also of OP_MASKED. */
const struct isa_info *recipe_info(enum mpu_op op);

struct mapped_recipes;
struct search_memo;
struct kept_lists;

struct recipe_set {
    struct arena arena;
    const struct target *target;
    struct recipe_ast ast;
    const struct recipe *recipes[RECIPE_OPS];  /* the one chosen for each instruction, or NULL */
    const struct recipe *generic[RECIPE_OPS];  /* the generic one, chosen or not, or NULL */
    struct isa_users users;                    /* names of the user instructions */
    const struct recipe *contracts[ISA_USERS]; /* what they do, by opcode; NULL: not declared */
    bool only_generic;                         /* hand-written ones are passed over */
    struct mapped_recipes *mapped;             /* what has been asked for, made at its first use */
    struct search_memo *searches;              /* programs that the mapping has found */
    bool search_anew;                          /* known programs are not used */
    struct kept_lists *kept;                   /* expansions made lately */
    char hash[65];
};

/* The gate-level recipe of an instruction: the one chosen, or what the mapping makes of it.  May
 * be called from any thread.  NULL without one (reported, if diag is not NULL, when the mapping
 * fails; not when there is none to map). */
const struct recipe *recipe_of(const struct recipe_set *set, enum mpu_op op, struct diag *diag);

/* What the mapping makes of the generic recipe, also where another one is chosen. */
const struct recipe *recipe_mapped(const struct recipe_set *set, enum mpu_op op, struct diag *diag);

/* Reads a file into the set's tree; false after reporting. */
bool recipe_set_read_file(struct recipe_set *set, const char *name, const char *text, size_t size,
                          struct diag *diag);
/* The instructions that the files read so far declare: names, heads, contracts.  False after
 * reporting. */
bool recipe_set_take_instructions(struct recipe_set *set, struct diag *diag);

/* What an operand of a head stands for. */
enum { FIELD_RS, FIELD_RT, FIELD_RD, FIELD_C, FIELD_M, FIELD_IMM, FIELD_NONE };
#define FIELD_COUNT FIELD_IMM

struct signature {
    uint8_t in[8], out[8];
    unsigned in_count, out_count;
};
/* Sources in the order of the assembly text (then rd, C, M where they are read but not named),
 * destinations as rs, rt, rd, C, M. */
void notation_signature(enum mpu_op op, struct signature *signature);

/* Finds the instruction of a head and binds its operands; false after reporting. */
bool notation_resolve_head(struct recipe_set *set, struct recipe *recipe, struct diag *diag);
/* Resolves the names of a body, and of the subs that it calls, once; an error marks the unit
 * broken. */
void notation_resolve_unit(struct recipe_set *set, struct recipe_unit *unit, struct diag *diag);

/* Checks the recipe (expansion, contracts) at each of the widths. */
bool recipe_check(const struct recipe_set *set, const struct recipe *recipe, const uint8_t *widths,
                  size_t count, struct diag *diag);
/* Checks what the recipe says to gain over the mapping, on the set's target as it is. */
bool recipe_check_gains(const struct recipe_set *set, const struct recipe *recipe,
                        struct diag *diag);
/* The instruction that is counted: rs, rt, rd are r1, r2, r3; a shift is by 1, a source width
 * half the width (rounded up), an immediate 0x555 cut to the bits that fit. */
struct insn recipe_usual_insn(enum mpu_op op, unsigned width);
/* True if the instruction is a legal word. */
bool recipe_applies(const struct insn *insn);
/* The same expansion as recipe_expand of a given recipe, whether or not it is the chosen one. */
bool recipe_expand_with(const struct recipe_set *set, const struct recipe *recipe,
                        const struct insn *insn, bool masked, struct uop_list *out,
                        struct diag *diag);
/* Counts of an expanded list; false if the timing finds no order. */
bool recipe_count_list(const struct target *target, const struct uop_list *list,
                       struct recipe_count *out, const char **error);
/* Reports at a place of a recipe file, also when the file was opened with another diag. */
void recipe_error(struct diag *diag, const struct recipe_file *file, struct span at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
