/* SPDX-License-Identifier: MIT
 * Which recipe serves which instruction. */
#include "recipe/set.h"

#include "isa-spec/builtin.h"
#include "recipe/expand/kept.h"
#include "recipe/map/map.h"
#include "support/alloc.h"
#include "support/file.h"
#include "support/str.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Widths at which a user's recipes are checked whenever a set is opened.  Built-in ones are checked
 * by the tests, at every width. */
static const uint8_t user_widths[] = {1, 2, 3, 4, 5, 8, 13, 16, 32, 33, 63, 64};

/* What is known of a recipe that was not written for this target. */
enum holding_state { HOLDS_UNKNOWN, HOLDS, HOLDS_NOT };

/* Recipes that the mapping has made so far. */
struct mapped_recipes {
    pthread_mutex_t lock;
    const struct recipe *recipes[RECIPE_OPS];
    bool failed[RECIPE_OPS];
    enum holding_state holding[RECIPE_OPS]; /* of borrowed recipes */
};

struct recipe_set_reader {
    struct recipe_set *set;
    struct diag *diag;
    struct str hashed;
};

static bool read_file(struct recipe_set_reader *r, const char *name, const char *text,
                      size_t size) {
    str_append_n(&r->hashed, text, size);
    str_char(&r->hashed, '\0');
    return recipe_set_read_file(r->set, name, text, size, r->diag);
}

static bool read_builtin(struct recipe_set_reader *r) {
    size_t count;
    const struct builtin_file *files = isa_builtin_files(&count);
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        if (strncmp(files[i].path, "recipes/", 8) == 0)
            fine &= read_file(r, files[i].path, files[i].text, files[i].size);
    return fine;
}

static bool has_op(const struct target *t, const char *name) {
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        if (strcmp(plane_target(t)->ops[i].name, name) == 0)
            return true;
    return false;
}

static bool serves(const struct recipe_set *s, const struct recipe *c) {
    if (s->only_generic && c->choice != CHOICE_GENERIC)
        return false;
    for (unsigned i = 0; c->choice == CHOICE_NEEDS && i < c->needs_count; i++)
        if (!has_op(s->target, c->needs[i]))
            return false;
    return true;
}

/* A user's `needs` that no target could meet is a slip: built-in files may name other targets'
 * gates. */
static bool check_needs(struct recipe_set_reader *r, const struct recipe *c) {
    const struct target *t = r->set->target;
    const char *known[PLANE_MAX_OPS];
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        known[i] = plane_target(t)->ops[i].name;
    for (unsigned i = 0; c->choice == CHOICE_NEEDS && i < c->needs_count; i++)
        if (!has_op(t, c->needs[i])) {
            diag_error(r->diag, c->needs_at[i], "target '%s' has no micro-op '%s'", t->name,
                       c->needs[i]);
            diag_suggest(r->diag, c->needs_at[i], c->needs[i], known, plane_target(t)->op_count);
            return false;
        }
    return true;
}

static void note_twin(struct recipe_set_reader *r, const struct recipe *c,
                      const struct recipe *twin) {
    diag_error(r->diag, c->unit.at, "a second recipe for %s", c->unit.name);
    diag_note(r->diag, twin->unit.at, "the first one");
}

/* Of two recipes in the same set of files, `for` wins over `needs`, and among `needs` the one
 * that needs more micro-ops; what is left is a mistake. */
static bool choose(struct recipe_set_reader *r, const struct recipe *c, bool overrides) {
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

static const char *origin_of(struct recipe_set *s, const struct recipe *c) {
    static const char *const words[] = {"for", "needs", "generic"};
    struct str text = {0};
    str_append(&text, words[c->choice]);
    for (unsigned i = 0; i < c->needs_count; i++)
        str_printf(&text, "%s%s", i ? ", " : " ", c->needs[i]);
    const char *kept = arena_strdup(&s->arena, str_text(&text));
    str_free(&text);
    return kept;
}

/* A target of the user's own may have the micro-ops that a built-in recipe needs and lack the rows
 * that it speaks of, or give them another meaning: such a recipe is borrowed, and serves where it
 * holds.  (A target that is built in has its recipes tested.) */
static bool is_borrowed(const struct recipe_set *s, const struct recipe *c, bool user) {
    size_t count;
    const struct builtin_file *files = isa_builtin_files(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(files[i].path, s->target->path) == 0)
            return false;
    return !user && c->choice != CHOICE_GENERIC;
}

/* Resolves a recipe's names; those of a borrowed one are no fault of the user's. */
static bool resolve_recipe(struct recipe_set_reader *r, struct recipe *c) {
    struct diag *d = c->borrowed ? diag_new(NULL, NULL) : r->diag;
    bool fine = notation_resolve_head(r->set, c, d);
    if (fine)
        notation_resolve_unit(r->set, &c->unit, d);
    if (c->borrowed)
        diag_free(d);
    return fine && !c->unit.broken;
}

/* Recipes [first, end) of the list, which come from the built-in files or from the user's. */
static bool take_recipes(struct recipe_set_reader *r, size_t first, bool user) {
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
        c->borrowed = is_borrowed(s, c, user);
        if (!resolve_recipe(r, c)) {
            fine &= c->borrowed;
            continue;
        }
        c->origin = origin_of(s, c);
        const struct recipe *old = s->recipes[c->op];
        bool overrides = user && old && old->unit.file != c->unit.file;
        if (c->choice == CHOICE_GENERIC)
            s->generic[c->op] = c;
        fine &= choose(r, c, overrides);
    }
    return fine;
}

/* Names of subs are looked up from the last to the first, so a user's sub hides a built-in one.
 * Built-in subs are resolved when a recipe that serves the target calls them. */
static bool take_subs(struct recipe_set_reader *r, size_t first, bool user) {
    struct recipe_ast *ast = &r->set->ast;
    bool fine = true;
    for (size_t i = first; i < ast->subs.len; i++) {
        struct recipe_unit *u = &ast->subs.data[i]->unit;
        for (size_t k = first; k < i; k++)
            if (strcmp(ast->subs.data[k]->unit.name, u->name) == 0) {
                diag_error(r->diag, u->at, "a second sub '%s'", u->name);
                fine = false;
            }
        if (user)
            notation_resolve_unit(r->set, u, r->diag);
        fine &= !u->broken;
    }
    return fine;
}

static bool check_recipes(struct recipe_set_reader *r, size_t first) {
    struct recipe_set *s = r->set;
    bool fine = true;
    for (size_t i = first; i < s->ast.recipes.len && !diag_full(r->diag); i++) {
        const struct recipe *c = s->ast.recipes.data[i], *gates;
        if (s->recipes[c->op] != c)
            continue;
        gates = recipe_of(s, c->op, r->diag);
        fine &= gates && recipe_check(s, gates, user_widths, sizeof user_widths, r->diag);
    }
    return fine;
}

static bool read_user_files(struct recipe_set_reader *r, const struct user_file *files,
                            size_t count) {
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        fine &= read_file(r, files[i].name, files[i].text, files[i].size);
    return fine;
}

static bool fill(struct recipe_set_reader *r, const struct user_file *files, size_t count) {
    struct recipe_set *s = r->set;
    if (!read_builtin(r) || !take_subs(r, 0, false) || !take_recipes(r, 0, false))
        return false;
    size_t user = s->ast.recipes.len, user_subs = s->ast.subs.len;
    if (!read_user_files(r, files, count) || !recipe_set_take_instructions(s, r->diag) ||
        !take_subs(r, user_subs, true) || !take_recipes(r, user, true))
        return false;
    return check_recipes(r, user);
}

static struct recipe_set *open_set(const struct target *t, bool only_generic,
                                   const struct user_file *files, size_t count, struct diag *d) {
    struct recipe_set *s = xcalloc(1, sizeof *s);
    struct recipe_set_reader r = {.set = s, .diag = d};
    s->target = t;
    s->only_generic = only_generic;
    s->ast.arena = &s->arena;
    s->mapped = xcalloc(1, sizeof *s->mapped);
    pthread_mutex_init(&s->mapped->lock, NULL);
    s->kept = expand_kept_new();
    uint32_t errors = diag_errors(d);
    mapping_prepare(s);
    bool fine = fill(&r, files, count) && diag_errors(d) == errors;
    str_char(&r.hashed, only_generic ? 'g' : 'a');
    sha256_hex(str_text(&r.hashed), r.hashed.len, s->hash);
    str_free(&r.hashed);
    if (fine)
        return s;
    recipe_set_free(s);
    return NULL;
}

struct recipe_set *recipe_set_open_files(const struct target *t, const struct user_file *files,
                                         size_t count, struct diag *d) {
    return open_set(t, false, files, count, d);
}

struct recipe_set *recipe_set_open_with(const struct target *t, const char *name, const char *text,
                                        size_t size, struct diag *d) {
    struct user_file file = {name, text, size};
    return open_set(t, false, &file, text ? 1 : 0, d);
}

struct recipe_set *recipe_set_open(const struct target *t, struct diag *d) {
    return open_set(t, false, NULL, 0, d);
}

struct recipe_set *recipe_set_open_mapped(const struct target *t, struct diag *d) {
    return open_set(t, true, NULL, 0, d);
}

const struct recipe *recipe_mapped(const struct recipe_set *s, enum mpu_op op, struct diag *d) {
    const struct recipe *c = (unsigned)op < RECIPE_OPS ? s->generic[op] : NULL;
    struct mapped_recipes *m = s->mapped;
    if (!c)
        return NULL;
    pthread_mutex_lock(&m->lock);
    /* The set is const to its users: what they ask for does not change with what was asked. */
    if (!m->recipes[op] && (d || !m->failed[op])) {
        struct diag *quiet = d ? d : diag_new(NULL, NULL);
        m->recipes[op] = mapping_run((struct recipe_set *)(uintptr_t)s, c, quiet);
        m->failed[op] = !m->recipes[op];
        if (!d)
            diag_free(quiet);
    }
    c = m->recipes[op];
    pthread_mutex_unlock(&m->lock);
    return c;
}

/* True if a recipe does here what it promises.  That is looked at once, when it is asked for. */
static bool holds(const struct recipe_set *s, const struct recipe *c) {
    struct mapped_recipes *m = s->mapped;
    if (!c->borrowed)
        return true;
    pthread_mutex_lock(&m->lock);
    enum holding_state known = m->holding[c->op];
    pthread_mutex_unlock(&m->lock);
    if (known == HOLDS_UNKNOWN) {
        /* Another thread may do the same. */
        struct diag *quiet = diag_new(NULL, NULL);
        bool fine = recipe_check(s, c, user_widths, sizeof user_widths, quiet);
        known = fine ? HOLDS : HOLDS_NOT;
        diag_free(quiet);
        pthread_mutex_lock(&m->lock);
        m->holding[c->op] = known;
        pthread_mutex_unlock(&m->lock);
    }
    return known == HOLDS;
}

/* The one chosen, or the generic one where that is borrowed and does not hold. */
static const struct recipe *chosen(const struct recipe_set *s, enum mpu_op op) {
    const struct recipe *c = (unsigned)op < RECIPE_OPS ? s->recipes[op] : NULL;
    return !c || holds(s, c) ? c : s->generic[op];
}

const struct recipe *recipe_of(const struct recipe_set *s, enum mpu_op op, struct diag *d) {
    const struct recipe *c = chosen(s, op);
    return c && c->choice == CHOICE_GENERIC ? recipe_mapped(s, op, d) : c;
}

const char *recipe_origin(const struct recipe_set *s, enum mpu_op op) {
    const struct recipe *c = chosen(s, op);
    return c ? c->origin : NULL;
}

void recipe_set_free(struct recipe_set *s) {
    if (!s)
        return;
    vec_free(&s->ast.recipes);
    vec_free(&s->ast.subs);
    vec_free(&s->ast.instructions);
    arena_free(&s->arena);
    if (s->mapped)
        pthread_mutex_destroy(&s->mapped->lock);
    free(s->mapped);
    expand_kept_free(s->kept);
    free(s);
}

const char *recipe_set_hash(const struct recipe_set *s) {
    return s->hash;
}
