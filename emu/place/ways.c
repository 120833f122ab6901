/* SPDX-License-Identifier: MIT
 * Sizes that choose between ways with the same results (docs/linking.md, "How long blocks are").
 * The program is packaged with each value, and counted as a whole. */
#include "emu/place/count.h"
#include "emu/place/finish.h"
#include "emu/place/place.h"

#include <stdlib.h>
#include <string.h>

struct way_chooser {
    const struct object *program;
    const struct target *t;
    const struct machine_library *library;
    struct size_binding *sizes; /* [count + 1]; the last is the choice */
    size_t count;
    enum group_place place;
    enum finish_choice finish;
};

static struct package *build(const struct way_chooser *chooser, uint64_t value, struct diag *diag) {
    chooser->sizes[chooser->count].value = value;
    return place_finish(chooser->program, chooser->t, chooser->library, chooser->sizes,
                        chooser->count + 1, chooser->place, chooser->finish, diag);
}

/* False if it is not known to its end. */
static bool time_of(const struct way_chooser *chooser, const struct package *package,
                    uint64_t *ps) {
    struct place_count c =
        place_count(chooser->program, package, chooser->t, chooser->library, 0, PLACE_WORK);
    *ps = c.time_ps;
    return c.known && c.whole;
}

static bool same_text(const struct package *left, const struct package *right) {
    return left->text_count == right->text_count &&
           memcmp(left->text, right->text, left->text_count * sizeof *left->text) == 0;
}

/* `best`, or what the program with that value is if it takes less time. */
static struct package *better(const struct way_chooser *chooser, uint64_t value,
                              struct package *best, uint64_t *least, struct diag *quiet) {
    struct package *p = build(chooser, value, quiet), *worse = p;
    uint64_t ps;
    if (p && time_of(chooser, p, &ps) && ps < *least) {
        *least = ps;
        worse = best;
        best = p;
    }
    package_free(worse);
    return best;
}

/* Something in the program depends on the choice. */
static bool depends(const struct way_chooser *chooser, uint64_t value, const struct package *best,
                    struct diag *quiet) {
    struct package *p = build(chooser, value, quiet);
    bool differs = p && !same_text(p, best);
    package_free(p);
    return differs;
}

/* The default's, or one that takes less time; of what nobody knows the time the default's. */
static struct package *choose(const struct way_chooser *chooser, uint64_t most, struct diag *diag) {
    struct package *best = build(chooser, most, diag);
    struct diag *quiet = diag_new(NULL, NULL);
    uint64_t least = 0;
    if (best && chooser->t->kind->costs && depends(chooser, 1, best, quiet) &&
        time_of(chooser, best, &least))
        for (uint64_t value = most - 1; value > 0; value--)
            best = better(chooser, value, best, &least, quiet);
    diag_free(quiet);
    return best;
}

/* NO_INDEX: there is no choice, or it is made. */
static uint32_t choice_of(const struct object *program, const struct size_binding *sizes,
                          size_t count) {
    uint32_t size = NO_INDEX;
    for (uint32_t i = 0; i < program->sizes.len; i++)
        if (object_size_chooses(&program->sizes.data[i]))
            size = i;
    for (size_t i = 0; i < count && size != NO_INDEX; i++)
        if (strcmp(sizes[i].name, program->sizes.data[size].name) == 0)
            size = NO_INDEX;
    return size;
}

struct package *place_build(const struct object *program, const struct target *target,
                            const struct machine_library *library, const struct size_binding *sizes,
                            size_t size_count, enum group_place asked, enum finish_choice finish,
                            struct diag *diag) {
    uint32_t size = choice_of(program, sizes, size_count);
    if (size == NO_INDEX)
        return place_finish(program, target, library, sizes, size_count, asked, finish, diag);
    const struct size_decl *decl = &program->sizes.data[size];
    struct size_binding *all = xcalloc(size_count + 1, sizeof *all);
    if (size_count)
        memcpy(all, sizes, size_count * sizeof *all);
    all[size_count].name = decl->name;
    const struct way_chooser c = {program, target, library, all, size_count, asked, finish};
    struct package *p = choose(&c, decl->value, diag);
    free(all);
    return p;
}
