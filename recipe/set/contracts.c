/* SPDX-License-Identifier: MIT
 * Instructions that a file declares: their contracts say what they do. */
#include "recipe/verify/computes.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

bool recipe_set_read_file(struct recipe_set *set, const struct user_file *file, bool own,
                          struct diag *diag) {
    struct recipe_file *f = ARENA_NEW(&set->arena, struct recipe_file);
    if (file->size > 1u << 20) {
        diag_error(diag, NO_SPAN, "%s: larger than 1 MiB", file->name);
        return false;
    }
    f->name = arena_strdup(&set->arena, file->name);
    f->text = arena_copy(&set->arena, file->text, file->size);
    f->size = file->size;
    f->own = own;
    f->source = diag_source(diag, file->name, f->text, file->size);
    if (!set->mapped) /* contracts alone: they are read of every program's files, and once */
        notation_warn_if_empty(f, &set->arena, diag);
    return notation_parse(&set->ast, f, set->target, diag);
}

/* Every result must be said: nothing else says what the instruction does. */
static bool check_contract(const struct recipe *recipe, struct diag *diag) {
    const char *missing = recipe_computes_missing(recipe);
    if (!recipe_computes_check(recipe, diag))
        return false;
    if (!missing)
        return true;
    diag_error(diag, recipe->unit.at, "no 'computes' says what '%s' is after %s", missing,
               recipe->unit.name);
    return false;
}

static bool take_name(struct recipe_set *set, const struct recipe *recipe, struct diag *diag) {
    return isa_users_add(&set->users, &set->arena, recipe->unit.name, strlen(recipe->unit.name),
                         (uint64_t)recipe->opcode, recipe->unit.at, recipe->opcode_at, diag);
}

bool recipe_set_take_instructions(struct recipe_set *set, struct diag *diag) {
    bool fine = true;
    for (size_t i = 0; i < set->ast.instructions.len; i++) {
        struct recipe *c = set->ast.instructions.data[i];
        if (c->unit.broken || !take_name(set, c, diag) || !notation_resolve_head(set, c, diag) ||
            !check_contract(c, diag))
            fine = false;
        else
            set->contracts[c->op - OP_USER_C0] = c;
    }
    return fine;
}

static const struct recipe *contract_of(const struct recipe_set *set, enum isa_op op) {
    return recipe_info(op)->flags & ISA_USER ? set->contracts[op - OP_USER_C0] : NULL;
}

static void put_field(struct golden_lane *lane, uint8_t field, uint64_t value) {
    switch (field) {
    case FIELD_RS:
        lane->rs = value;
        break;
    case FIELD_RT:
        lane->rt = value;
        break;
    case FIELD_RD:
        lane->rd = value;
        break;
    case FIELD_C:
        lane->c = value & 1;
        break;
    default: /* no user instruction writes M */
        break;
    }
}

void recipe_golden(const struct recipe_set *set, enum isa_op op, struct golden_lane *lane) {
    const struct recipe *c = contract_of(set, op);
    lane->flush = set->target->arith == ARITH_FLUSH;
    const struct golden_lane before = *lane;
    if (!c)
        recipe_info(op)->golden(lane);
    for (unsigned i = 0; c && i < c->computes_count; i++)
        put_field(lane, recipe_computes_result(c, c->computes[i]),
                  recipe_computes_eval(c, c->computes[i], &before));
}

void recipe_result(const struct recipe_set *set, enum isa_op op, struct golden_lane *lane) {
    const struct recipe *c = recipe_chosen(set, op);
    const struct golden_lane before = *lane;
    const struct recipe_expr *unlike = c ? recipe_computes_unlike(c, &before) : NULL;
    recipe_golden(set, op, lane);
    if (unlike)
        put_field(lane, recipe_computes_result(c, unlike),
                  recipe_computes_eval(c, unlike, &before));
}

bool recipe_is_unlike(const struct recipe_set *set, enum isa_op op) {
    const struct recipe *c = recipe_chosen(set, op);
    return c && c->unlike_count;
}

bool recipe_has_golden(const struct recipe_set *set, enum isa_op op) {
    return recipe_info(op)->golden || contract_of(set, op);
}

/* A set without recipes. */
struct recipe_contracts {
    struct recipe_set set;
};

struct recipe_contracts *recipe_contracts_open(const struct target *target,
                                               const struct user_file *files, size_t count,
                                               struct diag *diag) {
    struct recipe_contracts *c = xcalloc(1, sizeof *c);
    bool fine = true;
    c->set.target = target;
    c->set.ast.arena = &c->set.arena;
    for (size_t i = 0; i < count; i++)
        fine &= recipe_set_read_file(&c->set, &files[i], true, diag);
    if (fine && recipe_set_take_instructions(&c->set, diag))
        return c;
    recipe_contracts_free(c);
    return NULL;
}

void recipe_contracts_free(struct recipe_contracts *contracts) {
    if (!contracts)
        return;
    vec_free(&contracts->set.ast.recipes);
    vec_free(&contracts->set.ast.subs);
    vec_free(&contracts->set.ast.instructions);
    arena_free(&contracts->set.arena);
    free(contracts);
}

const struct isa_users *recipe_contracts_users(const struct recipe_contracts *contracts) {
    static const struct isa_users none;
    return contracts ? &contracts->set.users : &none;
}

bool recipe_contracts_have(const struct recipe_contracts *contracts, enum isa_op op) {
    return contracts && contract_of(&contracts->set, op);
}

void recipe_contracts_run(const struct recipe_contracts *contracts, enum isa_op op,
                          struct golden_lane *lane) {
    recipe_golden(&contracts->set, op, lane);
}
