/* SPDX-License-Identifier: MIT
 * Which build of the kernels a machine uses: the fastest on the work at hand.
 *
 * Wider vectors are not faster on every processor, and where they are depends on whether the planes
 * at work lie in a cache.  So whole tiles of long code, which have to be executed anyway, are
 * executed with one build after the other and timed, until each has had its turns. */
#include "machines/plane/run/plane.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Code of so many steps takes a tile long enough for the clock. */
#define TRIED_STEPS 64

void plane_choice_begin(struct plane_choice *choice, const struct plane_kernels *given) {
    const struct plane_kernels *const *all = plane_kernels_all(&choice->count);
    atomic_store_explicit(&choice->chosen, choice->count == 1 ? all[0] : given,
                          memory_order_relaxed);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

struct plane_turn plane_choice_turn(struct plane_choice *choice, size_t steps, size_t words) {
    const struct plane_kernels *chosen =
        atomic_load_explicit(&choice->chosen, memory_order_acquire);
    size_t count;
    if (chosen)
        return (struct plane_turn){.kernels = chosen};
    const struct plane_kernels *const *all = plane_kernels_all(&count);
    if (steps < TRIED_STEPS || words < PLANE_TILE_WORDS)
        return (struct plane_turn){.kernels = all[count - 1]};
    uint32_t build =
        atomic_fetch_add_explicit(&choice->turn, 1, memory_order_relaxed) % (uint32_t)count;
    return (struct plane_turn){all[build], true, build, steps, now_ns()};
}

static int by_time(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static uint64_t median(const uint64_t ps[PLANE_TURNS]) {
    uint64_t sorted[PLANE_TURNS];
    memcpy(sorted, ps, sizeof sorted);
    qsort(sorted, PLANE_TURNS, sizeof *sorted, by_time);
    return sorted[PLANE_TURNS / 2];
}

size_t plane_kernels_pick(const uint64_t *ps, size_t count) {
    size_t best = count - 1;
    for (size_t i = count - 1; i-- > 0;)
        if (ps[i] < ps[best] - ps[best] / 32)
            best = i;
    return best;
}

static bool all_had_their_turns(const struct plane_choice *choice) {
    for (size_t i = 0; i < choice->count; i++)
        if (choice->had[i] < PLANE_TURNS)
            return false;
    return true;
}

static void decide(struct plane_choice *choice) {
    uint64_t ps[PLANE_MAX_BUILDS];
    size_t count;
    const struct plane_kernels *const *all = plane_kernels_all(&count);
    for (size_t i = 0; i < count; i++)
        ps[i] = median(choice->ps[i]);
    atomic_store_explicit(&choice->chosen, all[plane_kernels_pick(ps, count)],
                          memory_order_release);
}

void plane_choice_record(struct plane_machine *machine, const struct plane_turn *turn) {
    struct plane_choice *c = &machine->choice;
    uint64_t ps = (now_ns() - turn->start_ns) * 1000 / turn->steps;
    pthread_mutex_lock(&machine->lock);
    if (c->had[turn->build] < PLANE_TURNS)
        c->ps[turn->build][c->had[turn->build]++] = ps;
    if (all_had_their_turns(c))
        decide(c);
    pthread_mutex_unlock(&machine->lock);
}
