/* SPDX-License-Identifier: MIT
 * The files of a program: what it includes, and the recipe files that it names.  A file is read
 * once, however often it is named, and stands where it is named first. */
#include "ezpim/ez/include.h"
#include "linker/join/kernel_file.h"
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

const char *ez_library_text(const char *name, size_t *size) {
    const struct library_file *file = find_in_library(name);
    *size = file ? file->size : 0;
    return file ? file->text : NULL;
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

/* What `file` names, to be freed, and how it was found; NULL after reporting that nothing is there,
 * and with *own set for a file of the library. */
static char *read_named(struct loader *loader, struct ez_name file, char **found, size_t *size,
                        const struct library_file **own) {
    const char *from = diag_source_name(loader->u->diag, file.at.source);
    *own = NULL;
    if (!file.text[0] || strcmp(file.text, "-") == 0) {
        diag_error(loader->u->diag, file.at, "this is no name of a file");
        return NULL;
    }
    char *text = file_read_beside(file.text, from, loader->options->include_dirs,
                                  loader->options->include_count, FILE_MAX_LANGUAGE, found, size);
    *own = text ? NULL : find_in_library(file.text);
    if (!text && !*own)
        diag_error(loader->u->diag, file.at, "cannot read '%s': %s", file.text,
                   file_problem(errno));
    if (text)
        file_uses_read(loader->options->files, *found);
    return text;
}

/* The text in the unit's arena, and how the file was found; NULL after reporting, and for a file
 * that was read before. */
static const char *read_file(struct loader *loader, const struct decl *decl, const char **name,
                             size_t *size) {
    char *found = NULL;
    const struct library_file *own;
    char *text = read_named(loader, decl->text, &found, size, &own);
    if (!text && !own) {
        free(found);
        return NULL;
    }
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

/* ---- texts of forms ---- */

/* kernel f core(..) from "file"; any number of them may name one file. */
static void read_form_text(struct loader *loader, struct form_text *own) {
    char *found = NULL;
    const struct library_file *library_file;
    char *text = read_named(loader, own->file, &found, &own->size, &library_file);
    if (library_file)
        diag_error(loader->u->diag, own->file.at, "'%s' is a file of ezpim, not of form `%s`",
                   own->file.text, own->form.text);
    loader->broken |= !text;
    if (text && has_room(loader, NULL, found, own->size)) {
        own->bytes = arena_copy(&loader->u->arena, text, own->size);
        own->source = diag_source(loader->u->diag, arena_strdup(&loader->u->arena, found),
                                  own->bytes, own->size);
    }
    free(found);
    free(text);
}

/* "dir/pair.core" gives ".core"; "" without one. */
static const char *suffix_of(const char *name) {
    const char *slash = strrchr(name, '/'), *dot = strrchr(slash ? slash : name, '.');
    return dot ? dot : "";
}

static struct decl *new_decl(struct loader *loader, struct decl **last, enum decl_kind kind,
                             struct ez_name name) {
    struct decl *d = ARENA_NEW(&loader->u->arena, struct decl);
    *d = (struct decl){.kind = kind, .at = name.at, .word = name.at, .included = true};
    d->names = ARENA_NEW(&loader->u->arena, struct ez_name);
    d->names[0] = name;
    d->name_count = 1;
    d->next = (*last)->next;
    (*last)->next = d;
    *last = d;
    return d;
}

/* A copy that lasts as long as the unit. */
static struct kernel_decl *keep_kernel(struct arena *arena, const struct kernel_decl *kernel) {
    struct kernel_decl *copy = ARENA_NEW(arena, struct kernel_decl);
    struct kernel_parameter *list =
        ARENA_ARRAY(arena, kernel->parameter_count + 1, struct kernel_parameter);
    *copy = *kernel;
    copy->name = arena_strdup(arena, kernel->name);
    copy->entry = arena_strdup(arena, kernel->entry ? kernel->entry : kernel->name);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        list[i] = kernel->parameters[i];
        list[i].name = arena_strdup(arena, list[i].name);
    }
    copy->parameters = list;
    return copy;
}

/* Declarations behind `decl` for what the text has: its module, the buffers that it adds, kernels.
 */
static void declare_kernels(struct loader *loader, struct decl *decl, const char *name,
                            const struct form_text *own, const struct link_declared *declared) {
    struct arena *arena = &loader->u->arena;
    struct span at = {own->source, 0, 0};
    struct ez_name module = {link_kernel_module(arena, name), at};
    new_decl(loader, &decl, DECL_MODULE, module)->own = *own;
    for (size_t i = 0; i < declared->buffers.len; i++) {
        struct buffer_decl *b = ARENA_NEW(arena, struct buffer_decl);
        *b = declared->buffers.data[i];
        b->name = arena_strdup(arena, b->name);
        struct decl *d = new_decl(loader, &decl, DECL_BUFFER, (struct ez_name){b->name, at});
        d->buffer = b;
        d->module = module;
    }
    for (size_t i = 0; i < declared->kernels.len; i++) {
        struct kernel_decl *k = keep_kernel(arena, &declared->kernels.data[i]);
        struct span line = diag_text_line(loader->u->diag, name, own->bytes, own->size,
                                          declared->kernels.data[i].place.line);
        struct decl *d = new_decl(loader, &decl, DECL_KERNEL, (struct ez_name){k->name, line});
        d->kernel = k;
        d->module = module;
    }
}

/* A file whose text declares kernels. */
static void include_kernels(struct loader *loader, struct decl *decl, const char *name,
                            const char *text, size_t size) {
    struct link_declared declared = {.problem_line = 0};
    struct form_text own = {
        .bytes = text, .size = size, .source = diag_source(loader->u->diag, name, text, size)};
    if (link_kernel_declare(suffix_of(name), text, size, &declared)) {
        own.form = (struct ez_name){declared.form, {own.source, 0, 0}};
        declare_kernels(loader, decl, name, &own, &declared);
    } else {
        diag_error(loader->u->diag,
                   declared.problem_line
                       ? diag_text_line(loader->u->diag, name, text, size, declared.problem_line)
                       : (struct span){own.source, 0, 0},
                   "%s", str_text(&declared.problem));
        loader->broken = true;
    }
    link_declared_free(&declared);
}

/* ---- files of declarations ---- */

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
    if (link_kernel_declares(suffix_of(name))) {
        include_kernels(loader, decl, name, text, size);
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
        else if (d->own.file.text)
            read_form_text(&l, &d->own);
    map_free(&l.seen);
    return !l.broken;
}
