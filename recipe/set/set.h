/* SPDX-License-Identifier: MIT
 * A set of recipes, as the files that check and expand it see it. */
#ifndef RECIPE_SET_SET_H
#define RECIPE_SET_SET_H

#include "isa-spec/user.h"
#include "recipe/notation/ast.h"
#include "recipe/set/recipe.h"
#include "recipe/technology/where.h"
#include "support/str.h"

#include <pthread.h>

/* Recipes that belong to no instruction: MASKED(a, d, M) -> d is what a target that merges masked
 * results does with each (struct target, mask_by).  OP_COUNT stays what no instruction is. */
#define OP_MASKED  ((enum isa_op)(OP_COUNT + 1))
#define RECIPE_OPS (OP_COUNT + 2)
/* isa_info, also of OP_MASKED. */
const struct isa_info *recipe_info(enum isa_op op);

struct mapped_recipes;
struct pool;
struct search_memo;
struct route_map;
struct kept_lists;
struct tried_forms;
struct table_memory;
struct lut_recipes;
struct cache;

struct recipe_set {
    struct arena arena;
    const struct target *target;
    struct recipe_ast ast;
    /* The one chosen for each instruction and the generic one, chosen or not, or NULL; their bodies
     * may not be read yet: recipe_chosen, recipe_generic. */
    const struct recipe *recipes[RECIPE_OPS], *generic[RECIPE_OPS];
    struct isa_users users;                    /* names of the user instructions */
    const struct recipe *contracts[ISA_USERS]; /* what they do, by opcode; NULL: not declared */
    bool only_generic;                         /* hand-written ones are passed over */
    pthread_mutex_t lock;                      /* of what is made or read at its first use */
    _Atomic bool read[RECIPE_OPS][2];          /* bodies of recipes[] and of generic[] */
    struct mapped_recipes *mapped;             /* what has been asked for */
    struct search_memo *searches;              /* programs that the mapping has found */
    bool search_anew;                          /* known programs are not used */
    struct pool *pool;                         /* recipe_set_search_on; NULL: one thread */
    struct route_map *routes;                  /* ways from section to section, or NULL */
    struct kept_lists *kept;                   /* expansions made lately */
    struct tried_forms *tried;                 /* forms that recipe_try has run */
    struct table_memory *made;                 /* forms that recipe_table_build has made */
    struct lut_recipes *luts;                  /* those of tables that were asked for */
    struct cache *cache;                       /* recipe_set_keep; NULL: nothing is kept */
    struct str own_texts;                      /* of the user's files, each with a zero byte */
    char hash[65];                             /* recipe_set_hash's, once it was asked for */
};

/* Whether built-in recipes were written for another target than this one: it did not come with the
 * tools, or its sections were changed. */
bool recipe_target_is_own(const struct target *target);

/* For recipe_set_lock. */
void recipe_set_init_lock(struct recipe_set *set);
struct mapped_recipes *recipe_mapped_new(void);
void recipe_mapped_free(struct mapped_recipes *mapped);
/* The recipe chosen for an instruction, or its generic one, with body and contract.  NULL if there
 * is none. */
const struct recipe *recipe_chosen(const struct recipe_set *set, enum isa_op op);
const struct recipe *recipe_generic(const struct recipe_set *set, enum isa_op op);

/* The gate-level recipe of an instruction: the one chosen, or what the mapping makes of it.  May
 * be called from any thread.  NULL without one (reported, if diag is not NULL, when the mapping
 * fails; not when there is none to map). */
const struct recipe *recipe_of(const struct recipe_set *set, enum isa_op op, struct diag *diag);

/* The recipe itself, or beyond the widths that it serves what the mapping makes of the generic one.
 * NULL after reporting. */
const struct recipe *recipe_at_width(const struct recipe_set *set, const struct recipe *recipe,
                                     unsigned w, struct diag *diag);

/* Around what uses the arena of a set that others may ask, up to alloc_unlock. */
void recipe_set_lock(const struct recipe_set *set, struct alloc_lock *lock);
/* The recipe of an instruction: that of a LUT depends on its table, which must be there. */
const struct recipe *recipe_of_insn(const struct recipe_set *set, const struct insn *insn,
                                    struct diag *diag);

/* From here on the mapping searches on the threads of the pool, too, which nothing else may use as
 * long; NULL: on that of its caller again.  What it finds is the same. */
void recipe_set_search_on(const struct recipe_set *set, struct pool *pool);

/* What the mapping makes of the generic recipe, also where another one is chosen. */
const struct recipe *recipe_mapped(const struct recipe_set *set, enum isa_op op, struct diag *diag);

/* Reads a file into the set's tree; false after reporting.  `own`: it did not come with the tools.
 */
bool recipe_set_read_file(struct recipe_set *set, const struct user_file *file, bool own,
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
void notation_signature(enum isa_op op, struct signature *signature);

/* Finds the instruction of a head and binds its operands; false after reporting. */
bool notation_resolve_head(struct recipe_set *set, struct recipe *recipe, struct diag *diag);
/* Resolves the names of a body, and of the subs that it calls, once; an error marks the unit
 * broken. */
void notation_resolve_unit(struct recipe_set *set, struct recipe_unit *unit, struct diag *diag);

/* Checks the recipe (expansion, contracts, 64 lanes) at each of the widths, with constants that
 * take different ways through it, masked where that makes another list. */
bool recipe_check(const struct recipe_set *set, const struct recipe *recipe, const uint8_t *widths,
                  size_t count, struct diag *diag);
/* What recipe_check_forms looked at: forms that ran on 64 lanes, and how many of them were masked,
 * had operands in one register, or both. */
struct recipe_forms {
    uint64_t run, masked, aliased;
    uint32_t highest_scratch; /* rows of the registers' class, as recipe_highest_scratch */
    int short_of;             /* 1 + class of which a form that failed needs more rows; 0 */
};
/* The same, and at the widths of a user's recipes also every alias, masked and not.  Adds to
 * *forms. */
bool recipe_check_forms(const struct recipe_set *set, const struct recipe *recipe,
                        const uint8_t *widths, size_t count, struct recipe_forms *forms,
                        struct diag *diag);
/* The index-th way in which registers of the instruction can be one, from 1 on: r1, r2 and r3 in
 * insn's fields.  False if there is none; 0 is that of registers apart. */
bool recipe_alias(enum isa_op op, unsigned index, struct insn *insn);
/* Widths at which a user's recipes are checked whenever a set is opened. */
extern const uint8_t recipe_user_widths[];
extern const size_t recipe_user_width_count;
/* Checks what the recipe says to gain over the mapping, on the set's target as it is. */
bool recipe_check_gains(const struct recipe_set *set, const struct recipe *recipe,
                        struct diag *diag);
/* The instruction that is counted: rs, rt, rd are r1, r2, r3; a shift is by 1, a source width
 * half the width (rounded up), an immediate 0x555 cut to the bits that fit. */
struct insn recipe_usual_insn(enum isa_op op, unsigned width);
/* True if the instruction is a legal word. */
bool recipe_applies(const struct insn *insn);
/* The same expansion as recipe_expand of a given recipe, whether or not it is the chosen one. */
bool recipe_expand_with(const struct recipe_set *set, const struct recipe *recipe,
                        const struct insn *insn, bool masked, struct uop_list *out,
                        struct diag *diag);
/* The class of rows of which recipe_expand_with needs more than there are, where it fails for that
 * reason; else -1. */
int recipe_short_of(const struct recipe_set *set, const struct recipe *recipe,
                    const struct insn *insn, bool masked);
/* Counts of an expanded list; false if the timing finds no order. */
bool recipe_count_list(const struct target *target, const struct uop_list *list,
                       struct recipe_count *out, const char **error);
/* Notes to the last error, whose text names keys of the target's file: what they are, and where. */
void recipe_note_keys(struct diag *diag, const struct target *target, const char *text);
/* Reports at a place of a recipe file, also when the file was opened with another diag. */
void recipe_error(struct diag *diag, const struct recipe_file *file, struct span at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
