/* SPDX-License-Identifier: MIT
 * Recipes: from an MPU instruction to the micro-ops of a plane machine.  The notation is
 * described in docs/recipes.md; isa-spec/recipes/ holds the built-in ones. */
#ifndef RECIPE_SET_RECIPE_H
#define RECIPE_SET_RECIPE_H

#include "isa-spec/isa.h"
#include "isa-spec/user.h"
#include "recipe/technology/plane_target.h"
#include "recipe/set/uop.h"
#include "support/vec.h"

struct recipe_set;
struct str;
struct uop_list {
    struct uop *data;
    size_t len, cap; /* works with vec_push and vec_free */
};

/* Parses and checks the built-in recipes that serve `target` (order of choice: `arith` of the
 * target, then `for <target>`, then `needs <gates>`, then generic).  NULL after reporting. */
struct recipe_set *recipe_set_open(const struct target *target, struct diag *diag);
/* The same with the text of one more file, whose recipes override (for tests and users). */
struct recipe_set *recipe_set_open_with(const struct target *target, const char *name,
                                        const char *text, size_t size, struct diag *diag);
/* The same with several files, as programs bring them. */
struct recipe_set *recipe_set_open_files(const struct target *target, const struct user_file *files,
                                         size_t count, struct diag *diag);
/* The same without any hand-written recipe: every instruction as the mapping makes it. */
struct recipe_set *recipe_set_open_mapped(const struct target *target, struct diag *diag);
void recipe_set_free(struct recipe_set *set);
/* From now on what takes long to work out is kept in a folder (support/cache.h): the logic of
 * tables, and what the mapping has searched for.  Said twice, the first counts.  May be called from
 * any thread. */
void recipe_set_keep(const struct recipe_set *set, const char *folder);

/* The logic of a LUT's table as others keep it, who name it by all that it follows from: table,
 * width, target, recipes and the version of what makes them. */
struct recipe_logic_name {
    char text[65]; /* 64 digits */
};
struct recipe_logic_name recipe_logic_name(const struct recipe_set *set, const struct insn *insn);
/* Appends the text of the recipe that was found for it; false, and nothing is appended, if there is
 * none, or a written recipe does the same. */
bool recipe_logic_print(const struct recipe_set *set, const struct insn *insn, struct str *out);
/* Takes such a text, from wherever it comes, unless the table's logic is there; false if it is not
 * as it would be printed, or not right for every index.  Both may be called from any thread. */
bool recipe_logic_take(struct recipe_set *set, const struct insn *insn, const char *text,
                       size_t size);

/* What a lane holds after an instruction that the set knows, with the target's arithmetic: the
 * ISA's golden function, or the contract of a user instruction. */
void recipe_golden(const struct recipe_set *set, enum isa_op op, struct golden_lane *lane);
/* What the set's recipe leaves, which says where it differs from that (`unlike`). */
void recipe_result(const struct recipe_set *set, enum isa_op op, struct golden_lane *lane);
/* False for what is neither in the ISA nor declared by a file of the set. */
bool recipe_has_golden(const struct recipe_set *set, enum isa_op op);

/* The contracts of user instructions alone, for machines without recipes; the files are those of
 * a program.  NULL after reporting. */
struct recipe_contracts;
struct recipe_contracts *recipe_contracts_open(const struct target *target,
                                               const struct user_file *files, size_t count,
                                               struct diag *diag);
void recipe_contracts_free(struct recipe_contracts *contracts);
/* Names of the instructions; of NULL there are none. */
const struct isa_users *recipe_contracts_users(const struct recipe_contracts *contracts);
bool recipe_contracts_have(const struct recipe_contracts *contracts, enum isa_op op);
void recipe_contracts_run(const struct recipe_contracts *contracts, enum isa_op op,
                          struct golden_lane *lane);

/* False after reporting that no recipe of the set is meant for the arithmetic of its target. */
bool recipe_arith_check(const struct recipe_set *set, struct diag *diag);

const char *recipe_set_hash(const struct recipe_set *set); /* SHA-256, 64 digits */

/* True if the recipe of `op` differs from the ISA in some lanes, and says so (`unlike`). */
bool recipe_is_unlike(const struct recipe_set *set, enum isa_op op);

/* False if `op` has no recipe on this target. */
bool recipe_exists(const struct recipe_set *set, enum isa_op op);
/* Has the target what logic is made of, so that it can look up tables?  (No recipe is that of LUT
 * alone: each table has its own.) */
bool recipe_looks_up(const struct recipe_set *set);
/* Where the recipe of `op` comes from: "for racer", "needs NOR, OR", "generic"; NULL without one.
 */
const char *recipe_origin(const struct recipe_set *set, enum isa_op op);
/* Why recipe_exists is false although there is a generic recipe: the end of "its micro-ops ..",
 * "cannot make !x" or that none was found, or NULL if the reason is another one.  "cannot" is said
 * only of what no sequence of them makes.  Not while another thread asks for recipes. */
const char *mapping_why_missing(const struct recipe_set *set);
/* Why recipe_exists is false although there is a recipe, whatever the reason is: one line without a
 * place and the name of the instruction, so that it is the same for all that lack the same.  False
 * if there is nothing to say. */
struct str;
bool recipe_reason(const struct recipe_set *set, enum isa_op op, struct str *out);
/* Whether the instruction can be carried out, masked and not; else why not is appended, likewise,
 * behind the place in a file if that is the user's. */
bool recipe_fits(const struct recipe_set *set, const struct insn *insn, struct str *problem);

/* Appends the micro-ops of `insn` (any ISA_VECTOR op with a recipe, width 1..64, operands aliased
 * in any way the ISA allows: unsafe aliases are copied to scratch first).  With
 * `masked` the results of lanes where M is 0 stay as they were, unless the instruction acts on
 * every lane: as the target's mask says, writes of visible planes are predicated by M, or results
 * are merged (docs/recipes.md, "From recipe to micro-ops"). Within one instruction no scratch or
 * buffer plane is read before it is written. False (after reporting, if diag is not NULL) without a
 * recipe. */
bool recipe_expand(const struct recipe_set *set, const struct insn *insn, bool masked,
                   struct uop_list *out, struct diag *diag);

/* Which lists may be wrong although everything that came with the tools is right: those that a
 * recipe of the user's makes, or masks, and all of a target of the user's. */
bool recipe_is_own(const struct recipe_set *set, const struct insn *insn, bool masked);
/* The first of these: a recipe of the user's makes it, or masks it. */
bool recipe_is_users(const struct recipe_set *set, const struct insn *insn, bool masked);
/* Carries such a form out on 64 lanes and compares with the instruction's golden function; each
 * form once, whatever registers it has.  False after reporting.  May be called from any thread. */
bool recipe_try(const struct recipe_set *set, const struct insn *insn, bool masked,
                struct diag *diag);

/* Counts for one instruction, for mpu-recipe count and the bounds' tests. */
struct recipe_count {
    uint64_t micro_ops, logic, copies, crossings;
    uint32_t handover;        /* cycles between a section's start and the next one's */
    uint64_t latency_cycles;  /* alone, until the last bit is there */
    uint64_t interval_cycles; /* between starts when repeated without end */
    uint64_t energy_fj;       /* per VRF */
    uint32_t scratch_rows;    /* the most that one section holds at once */
};
bool recipe_count(const struct recipe_set *set, const struct insn *insn, bool masked,
                  struct recipe_count *out);
/* Scratch rows of the class that registers lie in, up to the highest number that the list names. */
uint32_t recipe_highest_scratch(const struct target *target, const struct uop_list *list);
/* Energy of one micro-op of a kind on one VRF, in fJ. */
uint64_t recipe_uop_energy(const struct target *target, unsigned kind);

#endif
