/* SPDX-License-Identifier: MIT
 * Loops of mapped recipes where sections can be joined: what laps need not wait for in one another
 * stands side by side, so that it may be one word.
 *
 * The micro-ops that one statement makes, of all laps, are a step of the loop.  Step b waits for
 * step a if some micro-op of b must follow one of a: it reads what that wrote, or writes what that
 * read or wrote.  Steps that wait for one another, like those that make a carry, stay lap by lap;
 * of the others each is carried out for all laps at once, in an order in which none waits for a
 * later one (loop distribution).  So every micro-op reads what it read before. */
#include "recipe/expand/walk.h"

#include "support/alloc.h"
#include "support/map.h"

#include <stdlib.h>

struct step_key {
    uint64_t path;
    uint32_t kind, occurrence; /* of the path and kind in its lap */
};

/* Steps that wait for one another, or one step alone. */
struct step_group {
    uint32_t first; /* of its steps */
    bool done;
};

struct loop_steps {
    struct expansion *x;
    struct sym_uop *uops; /* of the loop, [count] */
    size_t count;
    uint32_t *step;  /* [count] */
    uint32_t *group; /* [step_count] */
    uint32_t step_count, group_count;
    bool *waits;   /* [step_count][step_count]: the second for the first */
    bool *reaches; /* the same, over other steps too */
    struct step_group *groups;
};

/* --- steps --- */

static uint32_t occurrence_in_lap(const struct loop_steps *loop, size_t begin, size_t index) {
    uint32_t n = 0;
    for (size_t i = begin; i < index; i++)
        n += loop->uops[i].path == loop->uops[index].path &&
             loop->uops[i].kind == loop->uops[index].kind;
    return n;
}

static void find_steps(struct loop_steps *loop, const size_t *starts, size_t laps) {
    struct map steps = {0};
    size_t lap = 0;
    for (size_t i = 0; i < loop->count; i++) {
        while (lap + 1 < laps && starts[lap + 1] - starts[0] <= i)
            lap++;
        struct step_key key = {loop->uops[i].path, loop->uops[i].kind,
                               occurrence_in_lap(loop, starts[lap] - starts[0], i)};
        loop->step[i] = map_number(&steps, (const char *)&key, sizeof key);
    }
    loop->step_count = (uint32_t)steps.len;
    map_free(&steps);
}

/* --- what waits for what --- */

static int64_t index_of(const struct loop_steps *loop, uint32_t place) {
    return expand_walk_place_number(loop->x, place);
}

/* The micro-ops that used a place since it was written last, that one at the front; 1 + index. */
struct place_use {
    uint32_t writer, readers; /* readers: a list by `next_reader` */
};

struct place_uses {
    struct place_use *at;  /* by place */
    uint32_t *next_reader; /* [count * UOP_MAX] */
};

static void wait_for(struct loop_steps *loop, uint32_t before, uint32_t after) {
    loop->waits[(size_t)loop->step[before] * loop->step_count + loop->step[after]] = true;
}

static void note_read(struct loop_steps *loop, struct place_uses *uses, uint32_t uop, unsigned k) {
    int64_t place = index_of(loop, loop->uops[uop].src[k]);
    if (place < 0)
        return;
    if (uses->at[place].writer)
        wait_for(loop, uses->at[place].writer - 1, uop);
    uses->next_reader[uop * UOP_MAX + k] = uses->at[place].readers;
    uses->at[place].readers = uop * UOP_MAX + k + 1;
}

static void note_write(struct loop_steps *loop, struct place_uses *uses, uint32_t uop, unsigned k) {
    int64_t place = index_of(loop, loop->uops[uop].dst[k]);
    if (place < 0)
        return;
    if (uses->at[place].writer && uses->at[place].writer - 1 != uop)
        wait_for(loop, uses->at[place].writer - 1, uop);
    for (uint32_t r = uses->at[place].readers; r; r = uses->next_reader[r - 1])
        if ((r - 1) / UOP_MAX != uop)
            wait_for(loop, (r - 1) / UOP_MAX, uop);
    uses->at[place] = (struct place_use){.writer = uop + 1};
}

static void find_waits(struct loop_steps *loop) {
    struct place_uses uses = {.at = xcalloc(loop->x->list.values.len + 258, sizeof *uses.at),
                              .next_reader =
                                  xcalloc(loop->count * UOP_MAX + 1, sizeof *uses.next_reader)};
    for (uint32_t i = 0; i < loop->count; i++) {
        for (unsigned k = 0; k < loop->uops[i].nsrc; k++)
            note_read(loop, &uses, i, k);
        for (unsigned k = 0; k < loop->uops[i].ndst; k++)
            note_write(loop, &uses, i, k);
    }
    free(uses.at);
    free(uses.next_reader);
}

/* --- groups --- */

static void reach(struct loop_steps *loop, uint32_t from) {
    uint32_t n = loop->step_count, *open = xcalloc(n + 1, sizeof *open), count = 0;
    open[count++] = from;
    while (count) {
        uint32_t at = open[--count];
        for (uint32_t to = 0; to < n; to++)
            if (loop->waits[(size_t)at * n + to] && !loop->reaches[(size_t)from * n + to]) {
                loop->reaches[(size_t)from * n + to] = true;
                open[count++] = to;
            }
    }
    free(open);
}

static void find_groups(struct loop_steps *loop) {
    uint32_t n = loop->step_count;
    for (uint32_t s = 0; s < n; s++)
        reach(loop, s);
    for (uint32_t s = 0; s < n; s++) {
        uint32_t other = 0;
        while (other < s &&
               !(loop->reaches[(size_t)s * n + other] && loop->reaches[(size_t)other * n + s]))
            other++;
        loop->group[s] = other < s ? loop->group[other] : loop->group_count++;
        struct step_group *group = &loop->groups[loop->group[s]];
        group->first = other < s ? group->first : s;
    }
}

static bool is_ready(const struct loop_steps *loop, uint32_t group) {
    uint32_t n = loop->step_count;
    for (uint32_t s = 0; s < n; s++)
        if (!loop->groups[loop->group[s]].done && loop->group[s] != group &&
            loop->reaches[(size_t)s * n + loop->groups[group].first])
            return false;
    return true;
}

/* The earliest of those that wait for none that is left: there is always one. */
static uint32_t next_group(const struct loop_steps *loop) {
    uint32_t group = 0;
    while (loop->groups[group].done || !is_ready(loop, group))
        group++;
    return group;
}

static void put_group(const struct loop_steps *loop, uint32_t group, struct sym_uop *to,
                      size_t *count) {
    for (size_t i = 0; i < loop->count; i++)
        if (loop->group[loop->step[i]] == group)
            to[(*count)++] = loop->uops[i];
}

static void put_in_order(struct loop_steps *loop) {
    struct sym_uop *sorted = xcalloc(loop->count, sizeof *sorted);
    size_t count = 0;
    for (uint32_t i = 0; i < loop->group_count; i++) {
        uint32_t group = next_group(loop);
        loop->groups[group].done = true;
        put_group(loop, group, sorted, &count);
    }
    for (size_t i = 0; i < loop->count; i++)
        loop->uops[i] = sorted[i];
    free(sorted);
}

/* Longer laps, and more steps, stay as they are. */
#define MOST_UOPS  1024
#define MOST_STEPS 512

static void distribute(struct loop_steps *loop) {
    size_t n = loop->step_count;
    loop->group = xcalloc(n, sizeof *loop->group);
    loop->groups = xcalloc(n, sizeof *loop->groups);
    loop->waits = xcalloc(n * n, sizeof *loop->waits);
    loop->reaches = xcalloc(n * n, sizeof *loop->reaches);
    find_waits(loop);
    find_groups(loop);
    put_in_order(loop);
    free(loop->group);
    free(loop->groups);
    free(loop->waits);
    free(loop->reaches);
}

/* Laps `starts`[0] .. [laps - 1], which end where `starts`[laps] says. */
static void distribute_laps(struct section_machine *machine, const size_t *starts, size_t laps) {
    struct loop_steps loop = {.x = machine->x, .count = starts[laps] - starts[0]};
    size_t longest = 0;
    for (size_t i = 0; i < laps; i++)
        longest = starts[i + 1] - starts[i] > longest ? starts[i + 1] - starts[i] : longest;
    if (!loop.count || longest > MOST_UOPS)
        return;
    loop.uops = machine->x->list.uops.data + starts[0];
    loop.step = xcalloc(loop.count, sizeof *loop.step);
    find_steps(&loop, starts, laps);
    if (loop.step_count <= MOST_STEPS)
        distribute(&loop);
    machine->x->distributed |= loop.step_count <= MOST_STEPS;
    free(loop.step);
}

/* As many laps at a time as there are sections: more of them are in no word together, and what
 * they hold between micro-ops would take rows. */
void expand_walk_distribute(struct section_machine *machine, struct pipelined_lap *laps) {
    size_t count = laps->starts.len, most = (size_t)sections_of(machine);
    vec_push(&laps->starts, machine->x->list.uops.len);
    for (size_t first = 0; first < count; first += most)
        distribute_laps(machine, laps->starts.data + first,
                        count - first < most ? count - first : most);
}
