/* SPDX-License-Identifier: MIT
 * Which recipe serves which instruction. */
#include "recipe/set.h"

#include "isa-spec/builtin.h"
#include "support/alloc.h"
#include "support/file.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

/* Widths at which built-in recipes are checked whenever a set is opened (cheap; the tests check
 * every width), and those at which a user's recipes are. */
static const uint8_t builtin_widths[] = {1, 2, 3, 8};
static const uint8_t user_widths[] = {1, 2, 3, 4, 5, 8, 13, 16, 32, 33, 63, 64};

struct set_reader {
    struct recipe_set *set;
    struct diag *diag;
    struct str hashed;
};

static bool read_file(struct set_reader *r, const char *name, const char *text, size_t size) {
    struct recipe_file *f = ARENA_NEW(&r->set->arena, struct recipe_file);
    if (size > 1u << 20) {
        diag_error(r->diag, NO_SPAN, "%s: larger than 1 MiB", name);
        return false;
    }
    f->name = arena_strdup(&r->set->arena, name);
    f->text = arena_strndup(&r->set->arena, text, size);
    f->size = size;
    f->source = diag_source(r->diag, name, f->text, size);
    str_append_n(&r->hashed, text, size);
    str_char(&r->hashed, '\0');
    return recipe_parse(&r->set->ast, f, r->set->target, r->diag);
}

static bool read_builtin(struct set_reader *r) {
    size_t count;
    const struct builtin_file *files = builtin_files(&count);
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        if (strncmp(files[i].path, "recipes/", 8) == 0)
            fine &= read_file(r, files[i].path, files[i].text, files[i].size);
    return fine;
}

static bool has_op(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < t->op_count; i++)
        if (strcmp(t->ops[i].name, name) == 0)
            return true;
    return false;
}

static bool serves(const struct recipe_set *s, const struct recipe *c) {
    for (unsigned i = 0; c->choice == CHOICE_NEEDS && i < c->needs_count; i++)
        if (!has_op(s->target, c->needs[i]))
            return false;
    return true;
}

/* A user's `needs` that no target could meet is a slip: built-in files may name other targets'
 * gates. */
static bool check_needs(struct set_reader *r, const struct recipe *c) {
    const struct target *t = r->set->target;
    const char *known[TARGET_MAX_OPS];
    for (uint32_t i = 0; i < t->op_count; i++)
        known[i] = t->ops[i].name;
    for (unsigned i = 0; c->choice == CHOICE_NEEDS && i < c->needs_count; i++)
        if (!has_op(t, c->needs[i])) {
            diag_error(r->diag, c->needs_at[i], "target '%s' has no micro-op '%s'", t->name,
                       c->needs[i]);
            diag_suggest(r->diag, c->needs_at[i], c->needs[i], known, t->op_count);
            return false;
        }
    return true;
}

static void note_twin(struct set_reader *r, const struct recipe *c, const struct recipe *twin) {
    diag_error(r->diag, c->unit.at, "a second recipe for %s", c->unit.name);
    diag_note(r->diag, twin->unit.at, "the first one");
}

/* Of two recipes in the same set of files, `for` wins over `needs`, and among `needs` the one
 * that needs more micro-ops; what is left is a mistake. */
static bool choose(struct set_reader *r, const struct recipe *c, bool overrides) {
    const struct recipe **place = &r->set->recipes[c->op];
    const struct recipe *old = *place;
    if (!old || overrides || c->choice < old->choice ||
        (c->choice == old->choice && c->needs_count > old->needs_count)) {
        *place = c;
        return true;
    }
    if (c->choice > old->choice || c->needs_count < old->needs_count)
        return true;
    note_twin(r, c, old);
    return false;
}

/* Recipes [first, end) of the list, which come from the built-in files or from the user's. */
static bool take_recipes(struct set_reader *r, size_t first, bool user) {
    struct recipe_set *s = r->set;
    bool fine = true;
    for (size_t i = first; i < s->ast.recipes.len; i++) {
        struct recipe *c = s->ast.recipes.data[i];
        if (c->unit.broken || (user && !check_needs(r, c))) {
            fine = false;
            continue;
        }
        if (!serves(s, c))
            continue;
        if (!resolve_head(s, c, r->diag)) {
            fine = false;
            continue;
        }
        resolve_unit(s, &c->unit, r->diag);
        const struct recipe *old = s->recipes[c->op];
        bool overrides = user && old && old->unit.file != c->unit.file;
        fine &= !c->unit.broken && choose(r, c, overrides);
    }
    return fine;
}

/* Names of subs are looked up from the last to the first, so a user's sub hides a built-in one.
 * Built-in subs are resolved when a recipe that serves the target calls them. */
static bool take_subs(struct set_reader *r, size_t first, bool user) {
    struct recipe_ast *ast = &r->set->ast;
    bool fine = true;
    for (size_t i = first; i < ast->subs.len; i++) {
        struct unit *u = &ast->subs.data[i]->unit;
        for (size_t k = first; k < i; k++)
            if (strcmp(ast->subs.data[k]->unit.name, u->name) == 0) {
                diag_error(r->diag, u->at, "a second sub '%s'", u->name);
                fine = false;
            }
        if (user)
            resolve_unit(r->set, u, r->diag);
        fine &= !u->broken;
    }
    return fine;
}

static bool check_recipes(struct set_reader *r, size_t first, const uint8_t *widths, size_t count) {
    struct recipe_set *s = r->set;
    bool fine = true;
    for (size_t i = first; i < s->ast.recipes.len && !diag_full(r->diag); i++) {
        const struct recipe *c = s->ast.recipes.data[i];
        if (s->recipes[c->op] == c)
            fine &= recipe_check(s, c, widths, count, r->diag);
    }
    return fine;
}

static bool fill(struct set_reader *r, const char *name, const char *text, size_t size) {
    struct recipe_set *s = r->set;
    if (!read_builtin(r) || !take_subs(r, 0, false) || !take_recipes(r, 0, false))
        return false;
    size_t user = s->ast.recipes.len, user_subs = s->ast.subs.len;
    if (text && (!read_file(r, name, text, size) || !take_subs(r, user_subs, true) ||
                 !take_recipes(r, user, true)))
        return false;
    return check_recipes(r, user, user_widths, sizeof user_widths) &&
           (text || check_recipes(r, 0, builtin_widths, sizeof builtin_widths));
}

struct recipe_set *recipe_set_open_with(const struct target *t, const char *name, const char *text,
                                        size_t size, struct diag *d) {
    struct recipe_set *s = xcalloc(1, sizeof *s);
    struct set_reader r = {.set = s, .diag = d};
    s->target = t;
    s->ast.arena = &s->arena;
    uint32_t errors = diag_errors(d);
    bool fine = fill(&r, name, text, size) && diag_errors(d) == errors;
    sha256_hex(str_text(&r.hashed), r.hashed.len, s->hash);
    str_free(&r.hashed);
    if (fine)
        return s;
    recipe_set_free(s);
    return NULL;
}

struct recipe_set *recipe_set_open(const struct target *t, struct diag *d) {
    return recipe_set_open_with(t, NULL, NULL, 0, d);
}

void recipe_set_free(struct recipe_set *s) {
    if (!s)
        return;
    vec_free(&s->ast.recipes);
    vec_free(&s->ast.subs);
    arena_free(&s->arena);
    free(s);
}

const char *recipe_set_hash(const struct recipe_set *s) {
    return s->hash;
}
