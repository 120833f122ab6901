/* SPDX-License-Identifier: MIT
 * The files of a program: what it includes, and the recipe files that it names.  A file is read
 * once, however often it is named, and stands where it is named first. */
#include "ezpim/ez/include.h"
#include "support/file.h"

#include <errno.h>
#include <string.h>

struct library_file {
    const char *name, *text;
    size_t size;
};

/* What comes with the compiler: ezpim/lib. */
static const struct library_file library[] = {
#include "ez_library.inc"
};
enum { LIBRARY_FILES = sizeof library / sizeof *library, MAX_FILES = 1000 };

struct loader {
    struct ez_unit *u;
    const struct ez_options *options;
    struct map seen; /* files by their identity, those of the library by their names */
    size_t bytes;    /* of all of them */
    bool broken;
};

static const struct library_file *find_in_library(const char *name) {
    for (size_t i = 0; i < LIBRARY_FILES; i++)
        if (strcmp(library[i].name, name) == 0)
            return &library[i];
    return NULL;
}

/* False if the file has been read before, under whatever name. */
static bool is_new(struct loader *loader, const char *name) {
    struct str identity = {0};
    file_identity(name, &identity);
    bool fresh = map_put(&loader->seen, identity.text, 1);
    str_free(&identity);
    return fresh;
}

/* False after reporting a program whose files are too large together; `decl` names this one, NULL:
 * it is a source itself. */
static bool has_room(struct loader *loader, const struct decl *decl, const char *name,
                     size_t size) {
    if (size <= FILE_MAX_LANGUAGE - loader->bytes) {
        loader->bytes += size;
        return true;
    }
    struct span at = {0};
    if (decl)
        at = decl->text.at;
    else
        at.source = diag_source(loader->u->diag, name, NULL, 0);
    diag_error(loader->u->diag, at, "the files of a program may have %zu MiB together",
               FILE_MAX_LANGUAGE >> 20);
    loader->broken = true;
    return false;
}

/* The text in the unit's arena, and how the file was found; NULL after reporting, and for a file
 * that was read before. */
static const char *read_file(struct loader *loader, const struct decl *decl, const char **name,
                             size_t *size) {
    const char *from = diag_source_name(loader->u->diag, decl->at.source);
    char *found = NULL;
    if (!decl->text.text[0] || strcmp(decl->text.text, "-") == 0) {
        diag_error(loader->u->diag, decl->text.at, "this is no name of a file");
        return NULL;
    }
    char *text = file_read_beside(decl->text.text, from, loader->options->include_dirs,
                                  loader->options->include_count, FILE_MAX_LANGUAGE, &found, size);
    const struct library_file *own = text ? NULL : find_in_library(decl->text.text);
    if (!text && !own)
        diag_error(loader->u->diag, decl->text.at, "cannot read '%s': %s", decl->text.text,
                   file_problem(errno));
    if (text)
        file_uses_read(loader->options->files, found);
    *name = arena_strdup(&loader->u->arena, own ? own->name : found);
    const char *kept = NULL;
    if (own && map_put(&loader->seen, own->name, 1)) {
        *size = own->size;
        kept = own->text;
    }
    if (text && is_new(loader, found) && has_room(loader, decl, found, *size))
        kept = arena_copy(&loader->u->arena, text, *size);
    free(found);
    free(text);
    return kept;
}

static void read_recipes(struct loader *loader, const struct decl *decl) {
    const char *name;
    size_t size;
    const char *text = read_file(loader, decl, &name, &size);
    if (!text)
        return;
    if (size > OBJECT_MAX_RECIPE_TEXT || memchr(text, '\0', size)) {
        diag_error(loader->u->diag, decl->text.at, "'%s' is larger than 1 MiB, or no text", name);
        return;
    }
    if (loader->u->recipes.len == OBJECT_MAX_RECIPES) {
        diag_error(loader->u->diag, decl->text.at, "a program has at most %d recipe files",
                   OBJECT_MAX_RECIPES);
        return;
    }
    struct user_file f = {name, text, size};
    vec_push(&loader->u->recipes, f);
    uint32_t source = diag_source(loader->u->diag, name, text, size);
    isa_users_read(&loader->u->users, &loader->u->arena, source, text, size, loader->u->diag);
    isa_users_warn(&loader->u->users, source, loader->u->diag);
}

static struct ez_program *parse(struct loader *loader, const char *name, const char *text,
                                size_t size, bool included) {
    bool broken = false;
    uint32_t source = diag_source(loader->u->diag, name, text, size);
    struct ez_program *p = ez_parse(&loader->u->arena, loader->u->diag, source, &broken);
    if (size && !p->decls && !broken)
        diag_warning(loader->u->diag, W_EMPTY, (struct span){source, 0, 0},
                     "nothing stands here but blanks and comments");
    loader->broken |= broken;
    for (struct decl *d = p->decls; d; d = d->next)
        d->included = included;
    return p;
}

static struct decl *last_of(struct decl *decl) {
    while (decl && decl->next)
        decl = decl->next;
    return decl;
}

/* Puts the declarations of the file behind `decl`, which names it. */
static void include(struct loader *loader, struct decl *decl) {
    const char *name;
    size_t size;
    const char *text = read_file(loader, decl, &name, &size);
    if (!text)
        return;
    if (loader->seen.len > MAX_FILES) {
        diag_error(loader->u->diag, decl->at, "a program has at most %d files", MAX_FILES);
        loader->broken = true;
        return;
    }
    struct ez_program *p = parse(loader, name, text, size, true);
    if (!p || !p->decls)
        return;
    last_of(p->decls)->next = decl->next;
    decl->next = p->decls;
}

/* Parses the sources one behind the other.  One that is named twice, or was included by then, is
 * there already. */
static void parse_all(struct loader *loader, const struct ez_source *sources, size_t count) {
    struct decl **end = &loader->u->tree->decls;
    for (size_t i = 0; i < count; i++) {
        if (!is_new(loader, sources[i].name) ||
            !has_room(loader, NULL, sources[i].name, sources[i].size))
            continue;
        struct ez_program *p =
            parse(loader, sources[i].name, sources[i].text, sources[i].size, false);
        if (!p || !p->decls)
            continue;
        *end = p->decls;
        end = &last_of(p->decls)->next;
    }
}

bool ez_load(struct ez_unit *unit, const struct ez_source *sources, size_t count,
             const struct ez_options *options) {
    struct loader l = {.u = unit, .options = options};
    unit->tree = ARENA_NEW(&unit->arena, struct ez_program);
    parse_all(&l, sources, count);
    for (struct decl *d = unit->tree->decls; d && !diag_full(unit->diag); d = d->next)
        if (d->kind == DECL_INCLUDE)
            include(&l, d);
        else if (d->kind == DECL_RECIPE)
            read_recipes(&l, d);
    map_free(&l.seen);
    return !l.broken;
}
