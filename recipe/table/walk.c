/* SPDX-License-Identifier: MIT
 * Running templates. */
#include "recipe/table/parts.h"

/* What a loop gives its body. */
struct table_lap {
    int64_t number, begin, around; /* around: number of the lap that the loop stands in */
    bool forwarded;                /* of a pipelined loop, and not its first */
};

static bool run_range(struct table_run *run, uint32_t first, uint32_t count,
                      const struct table_lap *lap);

static bool stop(struct table_run *run, const char *problem) {
    run->problem = problem;
    return false;
}

/* Keeps positions far from what 64 bits hold: fields have 31 bits at most, laps 20. */
static bool set_position(struct table_run *run, int64_t position) {
    run->position = position;
    return (position >= INT32_MIN && position <= INT32_MAX) ||
           stop(run, "a position is out of range");
}

static bool move(struct table_run *run, const struct table_entry *entry,
                 const struct table_lap *lap) {
    int64_t from = entry->move.mode == MOVE_TO         ? 0
                   : entry->move.mode == MOVE_FROM_LAP ? lap->begin
                                                       : run->position;
    return set_position(run, from + entry->move.value + entry->move.change * lap->number);
}

static bool loop(struct table_run *run, uint32_t at, uint32_t end, const struct table_lap *outer) {
    const struct table_entry *e = &run->entries[at];
    int64_t laps = e->loop.laps + e->loop.change * outer->number, begin = run->position;
    if (e->loop.entries > end - at - 1)
        return stop(run, "a loop is longer than what it stands in");
    if (laps < 0)
        return stop(run, "a loop has less than no laps");
    for (int64_t i = 0; i < laps; i++) {
        struct table_lap lap = {.number = i,
                                .begin = begin + i * e->loop.step,
                                .around = outer->number,
                                .forwarded = outer->forwarded || (i > 0 && e->forward)};
        if (++run->steps > TABLE_MAX_STEPS)
            return stop(run, "it does not end in time");
        if (!set_position(run, lap.begin) || !run_range(run, at + 1, e->loop.entries, &lap))
            return false;
    }
    return set_position(run, begin + laps * e->loop.step);
}

static bool follow(struct table_run *run, const struct table_entry *entry,
                   const struct table_lap *lap) {
    if (entry->pointer >= run->pointer_count)
        return stop(run, "a pointer is not there");
    const struct table_entry *via = run->via;
    run->via = via ? via : entry;
    bool fine = run_range(run, run->pointers[entry->pointer].first,
                          run->pointers[entry->pointer].count, lap);
    run->via = via;
    return fine;
}

static bool run_op(struct table_run *run, const struct table_entry *entry,
                   const struct table_lap *lap) {
    const struct table_course at = {run->position, lap->around,
                                    lap->forwarded ? FORWARD_RULE : entry->forward};
    return run->emit(run->context, entry, &at);
}

static bool run_entry(struct table_run *run, uint32_t at, uint32_t end,
                      const struct table_lap *lap) {
    const struct table_entry *e = &run->entries[at];
    switch (e->kind) {
    case ENTRY_OP:
        return run_op(run, e, lap);
    case ENTRY_LOOP:
        return loop(run, at, end, lap);
    case ENTRY_MOVE:
        return move(run, e, lap);
    default:
        return follow(run, e, lap);
    }
}

static bool run_range(struct table_run *run, uint32_t first, uint32_t count,
                      const struct table_lap *lap) {
    uint32_t end = first + count;
    if (run->depth == TABLE_MAX_DEPTH)
        return stop(run, "loops and pointers are nested too deeply");
    run->depth++;
    for (uint32_t at = first; at < end;) {
        const struct table_entry *e = &run->entries[at];
        if (++run->steps > TABLE_MAX_STEPS)
            return stop(run, "it does not end in time");
        if (!run_entry(run, at, end, lap))
            return false;
        at += e->kind == ENTRY_LOOP ? 1 + e->loop.entries : 1;
    }
    run->depth--;
    return true;
}

bool table_walk(struct table_run *run, uint32_t first, uint32_t count, int64_t number) {
    struct table_lap lap = {.number = number, .begin = run->position};
    return run_range(run, first, count, &lap);
}
