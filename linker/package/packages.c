/* SPDX-License-Identifier: MIT
 * Reads what a command line asks for, and makes the packages of its targets one after the other. */
#include "linker/package/packages.h"
#include "linker/linker.h"
#include "support/cache.h"
#include "support/file.h"
#include "support/str.h"
#include "target/load.h"

#include <stdlib.h>
#include <string.h>

typedef bool take_piece(struct package_request *reader, const char *piece, size_t length,
                        struct arena *arena);

/* Calls take for each piece of a list with commas, of files or not; false if one is refused. */
static bool each_piece(struct package_request *request, const char *list, bool files,
                       struct arena *arena, take_piece *take) {
    for (;;) {
        size_t n = files ? file_list_piece(list) : strcspn(list, ",");
        if (!take(request, list, n, arena))
            return false;
        if (!list[n])
            return true;
        list += n + 1;
    }
}

static bool take_target(struct package_request *request, const char *piece, size_t length,
                        struct arena *arena) {
    if (length == 0)
        return false;
    vec_push(&request->names, arena_strndup(arena, piece, length));
    return true;
}

static bool take_size(struct package_request *request, const char *piece, size_t length,
                      struct arena *arena) {
    const char *equals = memchr(piece, '=', length);
    struct size_binding b = {0};
    if (!equals || equals == piece ||
        !number_parse_u64(equals + 1, length - (size_t)(equals + 1 - piece), &b.value))
        return false;
    b.name = arena_strndup(arena, piece, (size_t)(equals - piece));
    vec_push(&request->sizes, b);
    return true;
}

static bool take_value(struct package_request *request, const struct option_value *value,
                       struct arena *arena) {
    switch ((enum package_option)value->id) {
    case PACKAGE_TARGET:
        return each_piece(request, value->value, true, arena, take_target);
    case PACKAGE_SIZE:
        return each_piece(request, value->value, false, arena, take_size);
    case PACKAGE_PLACE:
        request->placed = true;
        return package_place_parse(value->value, &request->place);
    case PACKAGE_NO_CACHE:
        request->uncached = true;
        return true;
    case PACKAGE_FINISH:
        request->finished = true;
        return package_finish_parse(value->value, &request->finish);
    }
    return false;
}

const char *package_request_take(struct package_request *request, const struct option_value *value,
                                 struct arena *arena) {
    static const char *const expected[] = {
        "expected names with commas between", "expected NAME=N, N from 1 to 2^40",
        "expected auto, packed or spread", "expected auto, device or host"};
    return take_value(request, value, arena) ? NULL : expected[value->id - PACKAGE_TARGET];
}

const char *package_request_misuse(const struct package_request *request) {
    if (request->names.len)
        return NULL;
    if (request->sizes.len)
        return "--size binds a size for packages and needs --target";
    if (request->placed)
        return "--place says where packages put groups and needs --target";
    return request->finished
               ? "--finish says who finishes reductions in packages and needs --target"
               : NULL;
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

static void keep(const struct package_request *request, struct machine_library *library) {
    char *folder = request->uncached ? NULL : cache_user_folder();
    machine_library_keep(library, folder);
    free(folder);
}

enum exit_code package_request_open(struct package_request *request, struct diag *diag) {
    enum exit_code first = EXIT_DONE;
    request->targets = xcalloc(request->names.len + 1, sizeof *request->targets);
    for (size_t i = 0; i < request->names.len; i++) {
        struct open_target *t = &request->targets[i];
        enum target_fault fault =
            machine_open_target(request->names.data[i], NULL, 0, diag, &t->target, &t->own);
        t->library = t->own;
        if (t->own)
            keep(request, t->own);
        if (first == EXIT_DONE)
            first = exit_code_of(fault);
    }
    return first;
}

/* False after reporting. */
static bool build_one(const struct package_request *request, const struct open_target *target,
                      const struct program_library *library, struct object *program,
                      package_made *made, void *context, struct diag *diag) {
    struct package *p =
        request->make(program, target->target, library->library, request->sizes.data,
                      request->sizes.len, request->placed ? request->place : PLACE_AUTO,
                      request->finished ? request->finish : FINISH_AUTO, diag);
    if (!p)
        return false;
    if (!package_prove_forms(program, p, library->library, diag)) {
        package_free(p);
        return false;
    }
    package_attach(program, p);
    made(context, p, program, target->target);
    package_free(p);
    return true;
}

/* What is wrong with the program's recipe files is said for the first target alone. */
bool package_request_build(const struct package_request *request, struct object *program,
                           package_made *made, void *context, struct diag *diag) {
    struct program_library l;
    bool good = request->names.len == 0 || package_program_runnable(program, diag);
    for (size_t i = 0, count = good ? request->names.len : 0; i < count; i++) {
        const struct open_target *t = &request->targets[i];
        if (!package_library_open(program, t->target, t->library, &l, diag))
            return false;
        if (l.own)
            keep(request, l.own);
        good &= build_one(request, t, &l, package_text_on(program, t->target, t->library), made,
                          context, diag);
        package_library_close(&l);
    }
    return good;
}

void package_request_files(const struct package_request *request, struct file_uses *files) {
    for (size_t i = 0; i < request->names.len; i++)
        if (target_is_path(request->names.data[i]))
            file_uses_read(files, request->names.data[i]);
}

void package_request_free(struct package_request *request) {
    for (size_t i = 0; request->targets && i < request->names.len; i++) {
        target_free(request->targets[i].target);
        machine_library_close(request->targets[i].own);
    }
    free(request->targets);
    vec_free(&request->names);
    vec_free(&request->sizes);
    *request = (struct package_request){0};
}
