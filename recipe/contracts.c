/* SPDX-License-Identifier: MIT
 * Instructions that a file declares: their contracts say what they do. */
#include "recipe/computes.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

bool recipe_set_read_file(struct recipe_set *s, const char *name, const char *text, size_t size,
                          struct diag *d) {
    struct recipe_file *f = ARENA_NEW(&s->arena, struct recipe_file);
    if (size > 1u << 20) {
        diag_error(d, NO_SPAN, "%s: larger than 1 MiB", name);
        return false;
    }
    f->name = arena_strdup(&s->arena, name);
    f->text = arena_strndup(&s->arena, text, size);
    f->size = size;
    f->source = diag_source(d, name, f->text, size);
    return notation_parse(&s->ast, f, s->target, d);
}

/* Every result must be said: nothing else says what the instruction does. */
static bool check_contract(const struct recipe *c, struct diag *d) {
    const char *missing = recipe_computes_missing(c);
    if (!recipe_computes_check(c, d))
        return false;
    if (!missing)
        return true;
    diag_error(d, c->unit.at, "no 'computes' says what '%s' is after %s", missing, c->unit.name);
    return false;
}

static bool take_name(struct recipe_set *s, const struct recipe *c, struct diag *d) {
    return isa_users_add(&s->users, &s->arena, c->unit.name, strlen(c->unit.name),
                         (uint64_t)c->opcode, c->unit.at, c->opcode_at, d);
}

bool recipe_set_take_instructions(struct recipe_set *s, struct diag *d) {
    bool fine = true;
    for (size_t i = 0; i < s->ast.instructions.len; i++) {
        struct recipe *c = s->ast.instructions.data[i];
        if (c->unit.broken || !take_name(s, c, d) || !notation_resolve_head(s, c, d) ||
            !check_contract(c, d))
            fine = false;
        else
            s->contracts[c->op - OP_USER_C0] = c;
    }
    return fine;
}

static const struct recipe *contract_of(const struct recipe_set *s, enum mpu_op op) {
    return recipe_info(op)->flags & ISA_USER ? s->contracts[op - OP_USER_C0] : NULL;
}

static void put_field(struct golden_lane *x, uint8_t field, uint64_t v) {
    switch (field) {
    case FIELD_RS:
        x->rs = v;
        break;
    case FIELD_RT:
        x->rt = v;
        break;
    case FIELD_RD:
        x->rd = v;
        break;
    case FIELD_C:
        x->c = v & 1;
        break;
    default: /* no user instruction writes M */
        break;
    }
}

void recipe_golden(const struct recipe_set *s, enum mpu_op op, struct golden_lane *x) {
    const struct recipe *c = contract_of(s, op);
    const struct golden_lane before = *x;
    if (!c)
        recipe_info(op)->golden(x);
    for (unsigned i = 0; c && i < c->computes_count; i++)
        put_field(x, recipe_computes_result(c, c->computes[i]),
                  recipe_computes_eval(c, c->computes[i], &before));
}

bool recipe_has_golden(const struct recipe_set *s, enum mpu_op op) {
    return recipe_info(op)->golden || contract_of(s, op);
}

/* A set without recipes. */
struct recipe_contracts {
    struct recipe_set set;
};

struct recipe_contracts *recipe_contracts_open(const struct target *t,
                                               const struct user_file *files, size_t count,
                                               struct diag *d) {
    struct recipe_contracts *c = xcalloc(1, sizeof *c);
    bool fine = true;
    c->set.target = t;
    c->set.ast.arena = &c->set.arena;
    for (size_t i = 0; i < count; i++)
        fine &= recipe_set_read_file(&c->set, files[i].name, files[i].text, files[i].size, d);
    if (fine && recipe_set_take_instructions(&c->set, d))
        return c;
    recipe_contracts_free(c);
    return NULL;
}

void recipe_contracts_free(struct recipe_contracts *c) {
    if (!c)
        return;
    vec_free(&c->set.ast.recipes);
    vec_free(&c->set.ast.subs);
    vec_free(&c->set.ast.instructions);
    arena_free(&c->set.arena);
    free(c);
}

bool recipe_contracts_have(const struct recipe_contracts *c, enum mpu_op op) {
    return c && contract_of(&c->set, op);
}

void recipe_contracts_run(const struct recipe_contracts *c, enum mpu_op op, struct golden_lane *x) {
    recipe_golden(&c->set, op, x);
}
