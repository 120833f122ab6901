/* SPDX-License-Identifier: MIT
 * Which recipe serves which instruction. */
#include "recipe/set/set.h"

#include "isa-spec/builtin.h"
#include "recipe/expand/kept.h"
#include "recipe/expand/route.h"
#include "recipe/lut/lut.h"
#include "recipe/map/map.h"
#include "recipe/table/made_before.h"
#include "recipe/verify/try.h"
#include "support/alloc.h"
#include "support/cache.h"
#include "support/file.h"
#include "support/map.h"
#include "support/str.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct recipe_set_reader {
    struct recipe_set *set;
    struct diag *diag;
};

/* The text of the next of the built-in files that holds recipes, from *at on; false if there is no
 * more. */
static bool next_builtin(size_t *at, struct user_file *file) {
    size_t count;
    const struct builtin_file *files = isa_builtin_files(&count);
    while (*at < count && strncmp(files[*at].path, "recipes/", 8) != 0)
        ++*at;
    if (*at == count)
        return false;
    *file = (struct user_file){files[*at].path, files[*at].text, files[*at].size};
    ++*at;
    return true;
}

static bool read_builtin(struct recipe_set_reader *reader) {
    struct user_file file;
    bool fine = true;
    for (size_t at = 0; next_builtin(&at, &file);)
        fine &= recipe_set_read_file(reader->set, &file, false, reader->diag);
    return fine;
}

static void add_text(struct str *texts, const struct user_file *file) {
    str_append_n(texts, file->text, file->size);
    str_char(texts, '\0');
}

static bool has_op(const struct target *target, const char *name) {
    for (uint32_t i = 0; i < plane_target(target)->op_count; i++)
        if (strcmp(plane_target(target)->ops[i].name, name) == 0)
            return true;
    return false;
}

static bool serves(const struct recipe_set *set, const struct recipe *recipe) {
    if (recipe->ariths && !(recipe->ariths & ARITH_BIT(set->target->arith)))
        return false;
    if (set->only_generic && recipe->choice != CHOICE_GENERIC)
        return false;
    for (unsigned i = 0; recipe->choice == CHOICE_NEEDS && i < recipe->needs_count; i++)
        if (!has_op(set->target, recipe->needs[i]))
            return false;
    return true;
}

/* A user's `needs` that no target could meet is a slip: built-in files may name other targets'
 * gates. */
static bool check_needs(struct recipe_set_reader *reader, const struct recipe *recipe) {
    const struct target *t = reader->set->target;
    const char *known[PLANE_MAX_OPS];
    for (uint32_t i = 0; i < plane_target(t)->op_count; i++)
        known[i] = plane_target(t)->ops[i].name;
    for (unsigned i = 0; recipe->choice == CHOICE_NEEDS && i < recipe->needs_count; i++)
        if (!has_op(t, recipe->needs[i])) {
            diag_error(reader->diag, recipe->needs_at[i], "target '%s' has no micro-op '%s'",
                       t->name, recipe->needs[i]);
            diag_suggest(reader->diag, recipe->needs_at[i], recipe->needs[i], known,
                         plane_target(t)->op_count);
            return false;
        }
    return true;
}

static void note_twin(struct recipe_set_reader *reader, const struct recipe *recipe,
                      const struct recipe *twin) {
    diag_error(reader->diag, recipe->unit.at, "a second recipe for %s", recipe->unit.name);
    diag_note(reader->diag, twin->unit.at, "the first one");
}

/* Of two recipes in the same set of files that serve the target, one that is meant for its
 * arithmetic wins over one that is not, then `for` over `needs`, and among `needs` the one that
 * needs more micro-ops.  Positive if the left one wins, 0 if neither does. */
static int compare_recipes(const struct recipe *left, const struct recipe *right) {
    if (!left->ariths != !right->ariths)
        return left->ariths ? 1 : -1;
    if (left->choice != right->choice)
        return left->choice < right->choice ? 1 : -1;
    return (int)left->needs_count - (int)right->needs_count;
}

static bool choose(struct recipe_set_reader *reader, const struct recipe **place,
                   const struct recipe *recipe, bool user) {
    const struct recipe *old = *place;
    bool overrides = user && old && old->unit.file != recipe->unit.file;
    int order = old && !overrides ? compare_recipes(recipe, old) : 1;
    if (order == 0) {
        note_twin(reader, recipe, old);
        return false;
    }
    if (order > 0)
        *place = recipe;
    return true;
}

static const char *origin_of(struct recipe_set *set, const struct recipe *recipe) {
    static const char *const words[] = {"for", "needs", "generic"};
    struct str text = {0};
    str_append(&text, words[recipe->choice]);
    if (recipe->choice == CHOICE_GENERIC && recipe->needs_count)
        str_append(&text, " for");
    for (unsigned i = 0; i < recipe->needs_count; i++)
        str_printf(&text, "%s%s", i ? ", " : " ", recipe->needs[i]);
    if (recipe->ariths)
        str_printf(&text, " arith %s", target_arith_word(set->target->arith));
    const char *kept = arena_strdup(&set->arena, str_text(&text));
    str_free(&text);
    return kept;
}

/* Takes a recipe whose names are resolved; false after reporting a twin. */
static bool take_recipe(struct recipe_set_reader *reader, struct recipe *recipe, bool user) {
    struct recipe_set *s = reader->set;
    recipe->origin = origin_of(s, recipe);
    if (recipe->choice == CHOICE_GENERIC && !choose(reader, &s->generic[recipe->op], recipe, user))
        return false;
    return choose(reader, &s->recipes[recipe->op], recipe, user);
}

bool recipe_target_is_own(const struct target *target) {
    bool own = target_is_own(target);
    for (size_t i = 0; i < target->key_count; i++)
        own |= target->keys[i].overridden && strcmp(target->keys[i].path, "array.sections") == 0;
    return own;
}

/* A target of the user's own may have the micro-ops that a built-in recipe needs and lack the rows
 * that it speaks of, or give them another meaning: such a recipe is borrowed, and serves where it
 * holds.  (A target that is built in has its recipes tested.) */
static bool is_borrowed(const struct recipe_set *set, const struct recipe *recipe, bool user) {
    return !user && recipe->choice != CHOICE_GENERIC && recipe_target_is_own(set->target);
}

/* Resolves a recipe's names, once its body is read; those of a borrowed one are no fault of the
 * user's. */
static bool resolve_recipe(struct recipe_set_reader *reader, struct recipe *recipe) {
    struct diag *d = recipe->borrowed ? diag_new(NULL, NULL) : reader->diag;
    bool fine = notation_resolve_head(reader->set, recipe, d);
    if (fine && !recipe->unit.body_at)
        notation_resolve_unit(reader->set, &recipe->unit, d);
    if (recipe->borrowed)
        diag_free(d);
    return fine && !recipe->unit.broken;
}

/* Recipes [first, end) of the list, which come from the built-in files or from the user's. */
static bool take_recipes(struct recipe_set_reader *reader, size_t first, bool user) {
    struct recipe_set *s = reader->set;
    bool fine = true;
    for (size_t i = first; i < s->ast.recipes.len; i++) {
        struct recipe *c = s->ast.recipes.data[i];
        if (c->unit.broken || (user && !check_needs(reader, c))) {
            fine = false;
            continue;
        }
        if (!serves(s, c))
            continue;
        c->borrowed = is_borrowed(s, c, user);
        if (!resolve_recipe(reader, c)) {
            fine &= c->borrowed;
            continue;
        }
        if (s->target->arith != ARITH_SERIAL || !notation_uses_par(&s->ast, &c->unit))
            fine &= take_recipe(reader, c, user);
    }
    return fine;
}

/* Names of subs are looked up from the last to the first, so a user's sub hides a built-in one.
 * Built-in subs are resolved when a recipe that serves the target calls them. */
static bool take_subs(struct recipe_set_reader *reader, size_t first, bool user) {
    struct recipe_ast *ast = &reader->set->ast;
    struct map names = {0};
    bool fine = true;
    for (size_t i = first; i < ast->subs.len; i++) {
        struct recipe_unit *u = &ast->subs.data[i]->unit;
        if (!map_put(&names, u->name, 1)) {
            diag_error(reader->diag, u->at, "a second sub '%s'", u->name);
            fine = false;
        }
        if (user)
            notation_resolve_unit(reader->set, u, reader->diag);
        fine &= !u->broken;
    }
    map_free(&names);
    return fine;
}

static bool check_recipes(struct recipe_set_reader *reader, size_t first) {
    struct recipe_set *s = reader->set;
    bool fine = true;
    for (size_t i = first; i < s->ast.recipes.len && !diag_full(reader->diag); i++) {
        const struct recipe *c = s->ast.recipes.data[i], *gates;
        if (s->recipes[c->op] != c)
            continue;
        gates = recipe_of(s, c->op, reader->diag);
        fine &= gates &&
                recipe_check(s, gates, recipe_user_widths, recipe_user_width_count, reader->diag);
    }
    return fine;
}

static bool read_user_files(struct recipe_set_reader *reader, const struct user_file *files,
                            size_t count) {
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        add_text(&reader->set->own_texts, &files[i]);
        fine &= recipe_set_read_file(reader->set, &files[i], true, reader->diag);
    }
    return fine;
}

static bool fill(struct recipe_set_reader *reader, const struct user_file *files, size_t count) {
    struct recipe_set *s = reader->set;
    if (!read_builtin(reader) || !take_subs(reader, 0, false) || !take_recipes(reader, 0, false))
        return false;
    size_t user = s->ast.recipes.len, user_subs = s->ast.subs.len;
    if (!read_user_files(reader, files, count) || !recipe_set_take_instructions(s, reader->diag) ||
        !take_subs(reader, user_subs, true) || !take_recipes(reader, user, true))
        return false;
    return check_recipes(reader, user);
}

static struct recipe_set *open_set(const struct target *target, bool only_generic,
                                   const struct user_file *files, size_t count, struct diag *diag) {
    struct recipe_set *s = xcalloc(1, sizeof *s);
    struct recipe_set_reader r = {.set = s, .diag = diag};
    s->target = target;
    s->only_generic = only_generic;
    s->ast.arena = &s->arena;
    s->ast.read_later = !recipe_target_is_own(target) && target->arith != ARITH_SERIAL;
    recipe_set_init_lock(s);
    s->mapped = recipe_mapped_new();
    s->kept = expand_kept_new();
    s->tried = recipe_tried_new();
    s->made = table_memory_new();
    s->luts = lut_recipes_new();
    uint32_t errors = diag_errors(diag);
    mapping_prepare(s);
    expand_routes_prepare(s);
    bool fine = fill(&r, files, count) && diag_errors(diag) == errors;
    if (fine)
        return s;
    recipe_set_free(s);
    return NULL;
}

struct recipe_set *recipe_set_open_files(const struct target *target, const struct user_file *files,
                                         size_t count, struct diag *diag) {
    return open_set(target, false, files, count, diag);
}

struct recipe_set *recipe_set_open_with(const struct target *target, const char *name,
                                        const char *text, size_t size, struct diag *diag) {
    struct user_file file = {name, text, size};
    return open_set(target, false, &file, text ? 1 : 0, diag);
}

struct recipe_set *recipe_set_open(const struct target *target, struct diag *diag) {
    return open_set(target, false, NULL, 0, diag);
}

struct recipe_set *recipe_set_open_mapped(const struct target *target, struct diag *diag) {
    return open_set(target, true, NULL, 0, diag);
}

bool recipe_arith_check(const struct recipe_set *set, struct diag *diag) {
    enum target_arith arith = set->target->arith;
    bool found = arith == ARITH_EXACT || arith == ARITH_SERIAL;
    for (unsigned op = 0; op < RECIPE_OPS && !found; op++)
        found = set->recipes[op] && set->recipes[op]->ariths;
    if (!found)
        diag_error(diag, NO_SPAN, "target '%s' has no recipes for arith: %s", set->target->name,
                   target_arith_word(arith));
    return found;
}

void recipe_set_search_on(const struct recipe_set *set, struct pool *pool) {
    ((struct recipe_set *)(uintptr_t)set)->pool = pool;
}

void recipe_set_free(struct recipe_set *set) {
    if (!set)
        return;
    vec_free(&set->ast.recipes);
    vec_free(&set->ast.subs);
    vec_free(&set->ast.instructions);
    mapping_memo_free(set->searches);
    arena_free(&set->arena);
    pthread_mutex_destroy(&set->lock);
    recipe_mapped_free(set->mapped);
    expand_kept_free(set->kept);
    expand_routes_free(set->routes);
    recipe_tried_free(set->tried);
    table_memory_free(set->made);
    lut_recipes_free(set->luts);
    cache_close(set->cache);
    str_free(&set->own_texts);
    free(set);
}

static void make_hash(const struct recipe_set *set, char hash[65]) {
    struct str texts = {0};
    struct user_file file;
    for (size_t at = 0; next_builtin(&at, &file);)
        add_text(&texts, &file);
    str_append_n(&texts, str_text(&set->own_texts), set->own_texts.len);
    str_char(&texts, set->only_generic ? 'g' : 'a');
    if (set->target->arith != ARITH_EXACT)
        str_append(&texts, target_arith_word(set->target->arith));
    sha256_hex(str_text(&texts), texts.len, hash);
    str_free(&texts);
}

const char *recipe_set_hash(const struct recipe_set *set) {
    struct alloc_lock lock;
    recipe_set_lock(set, &lock);
    if (!set->hash[0])
        make_hash(set, ((struct recipe_set *)(uintptr_t)set)->hash);
    alloc_unlock(&lock);
    return set->hash;
}
