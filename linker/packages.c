/* SPDX-License-Identifier: MIT */
#include "linker/packages.h"
#include "linker/linker.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

typedef bool take_piece(struct package_request *r, const char *piece, size_t length,
                        struct arena *arena);

/* Calls take for each piece of a list with commas; false if one is refused. */
static bool each_piece(struct package_request *r, const char *list, struct arena *arena,
                       take_piece *take) {
    for (;;) {
        size_t n = strcspn(list, ",");
        if (!take(r, list, n, arena))
            return false;
        if (!list[n])
            return true;
        list += n + 1;
    }
}

static bool take_target(struct package_request *r, const char *piece, size_t length,
                        struct arena *arena) {
    if (length == 0)
        return false;
    vec_push(&r->names, arena_strndup(arena, piece, length));
    return true;
}

static bool take_size(struct package_request *r, const char *piece, size_t length,
                      struct arena *arena) {
    const char *equals = memchr(piece, '=', length);
    struct size_binding b = {0};
    if (!equals || equals == piece ||
        !number_parse_u64(equals + 1, length - (size_t)(equals + 1 - piece), &b.value))
        return false;
    b.name = arena_strndup(arena, piece, (size_t)(equals - piece));
    vec_push(&r->sizes, b);
    return true;
}

bool package_request_targets(struct package_request *r, const char *list, struct arena *arena) {
    return each_piece(r, list, arena, take_target);
}

bool package_request_sizes(struct package_request *r, const char *list, struct arena *arena) {
    return each_piece(r, list, arena, take_size);
}

bool package_request_place(struct package_request *r, const char *name) {
    r->placed = true;
    return package_place_parse(name, &r->place);
}

bool package_request_finish(struct package_request *r, const char *name) {
    r->finished = true;
    return package_finish_parse(name, &r->finish);
}

static enum exit_code exit_code_of(enum target_fault fault) {
    switch (fault) {
    case TARGET_FINE:
        return EXIT_DONE;
    case TARGET_UNKNOWN:
        return EXIT_USAGE;
    case TARGET_UNREADABLE:
        return EXIT_FILE;
    case TARGET_REJECTED:
        break;
    }
    return EXIT_REJECTED;
}

enum exit_code package_request_open(struct package_request *r, struct diag *d) {
    enum exit_code first = EXIT_DONE;
    r->targets = xcalloc(r->names.len + 1, sizeof *r->targets);
    for (size_t i = 0; i < r->names.len; i++) {
        struct open_target *t = &r->targets[i];
        enum target_fault fault =
            machine_open_target(r->names.data[i], NULL, 0, d, &t->target, &t->own);
        t->library = t->own;
        if (first == EXIT_DONE)
            first = exit_code_of(fault);
    }
    return first;
}

/* False after reporting. */
static bool build_one(const struct package_request *r, const struct open_target *t,
                      const struct program_library *l, struct object *program, package_made *made,
                      void *context, struct diag *d) {
    struct package *p =
        r->make(program, t->target, l->library, r->sizes.data, r->sizes.len,
                r->placed ? r->place : PLACE_AUTO, r->finished ? r->finish : FINISH_AUTO, d);
    if (!p)
        return false;
    package_attach(program, p);
    made(context, p, t->target);
    package_free(p);
    return true;
}

/* What is wrong with the program's recipe files is said for the first target alone. */
bool package_request_build(const struct package_request *r, struct object *program,
                           package_made *made, void *context, struct diag *d) {
    struct program_library l;
    bool good = r->names.len == 0 || package_program_runnable(program, d);
    for (size_t i = 0, count = good ? r->names.len : 0; i < count; i++) {
        const struct open_target *t = &r->targets[i];
        if (!package_library_open(program, t->target, t->library, &l, d))
            return false;
        good &= build_one(r, t, &l, program, made, context, d);
        package_library_close(&l);
    }
    return good;
}

void package_request_free(struct package_request *r) {
    for (size_t i = 0; r->targets && i < r->names.len; i++) {
        target_free(r->targets[i].target);
        machine_library_close(r->targets[i].own);
    }
    free(r->targets);
    vec_free(&r->names);
    vec_free(&r->sizes);
    *r = (struct package_request){0};
}
