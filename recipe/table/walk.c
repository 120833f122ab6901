/* SPDX-License-Identifier: MIT
 * Running templates. */
#include "recipe/table/parts.h"

/* What a loop gives its body. */
struct table_lap {
    int64_t number, begin, around; /* around: number of the lap that the loop stands in */
    bool forwarded;                /* of a pipelined loop, and not its first */
};

static bool run_range(struct table_run *r, uint32_t first, uint32_t count,
                      const struct table_lap *lap);

static bool stop(struct table_run *r, const char *problem) {
    r->problem = problem;
    return false;
}

/* Keeps positions far from what 64 bits hold: fields have 31 bits at most, laps 20. */
static bool set_position(struct table_run *r, int64_t position) {
    r->position = position;
    return (position >= INT32_MIN && position <= INT32_MAX) ||
           stop(r, "a position is out of range");
}

static bool move(struct table_run *r, const struct table_entry *e, const struct table_lap *lap) {
    int64_t from = e->move.mode == MOVE_TO         ? 0
                   : e->move.mode == MOVE_FROM_LAP ? lap->begin
                                                   : r->position;
    return set_position(r, from + e->move.value + e->move.change * lap->number);
}

static bool loop(struct table_run *r, uint32_t at, uint32_t end, const struct table_lap *outer) {
    const struct table_entry *e = &r->entries[at];
    int64_t laps = e->loop.laps + e->loop.change * outer->number, begin = r->position;
    if (e->loop.entries > end - at - 1)
        return stop(r, "a loop is longer than what it stands in");
    if (laps < 0)
        return stop(r, "a loop has less than no laps");
    for (int64_t i = 0; i < laps; i++) {
        struct table_lap lap = {.number = i,
                                .begin = begin + i * e->loop.step,
                                .around = outer->number,
                                .forwarded = outer->forwarded || (i > 0 && e->forward)};
        if (++r->steps > TABLE_MAX_STEPS)
            return stop(r, "it does not end in time");
        if (!set_position(r, lap.begin) || !run_range(r, at + 1, e->loop.entries, &lap))
            return false;
    }
    return set_position(r, begin + laps * e->loop.step);
}

static bool follow(struct table_run *r, const struct table_entry *e, const struct table_lap *lap) {
    if (e->pointer >= r->pointer_count)
        return stop(r, "a pointer is not there");
    const struct table_entry *via = r->via;
    r->via = via ? via : e;
    bool fine = run_range(r, r->pointers[e->pointer].first, r->pointers[e->pointer].count, lap);
    r->via = via;
    return fine;
}

static bool run_op(struct table_run *r, const struct table_entry *e, const struct table_lap *lap) {
    const struct table_course at = {r->position, lap->around,
                                    lap->forwarded ? FORWARD_RULE : e->forward};
    return r->emit(r->context, e, &at);
}

static bool run_entry(struct table_run *r, uint32_t at, uint32_t end, const struct table_lap *lap) {
    const struct table_entry *e = &r->entries[at];
    switch (e->kind) {
    case ENTRY_OP:
        return run_op(r, e, lap);
    case ENTRY_LOOP:
        return loop(r, at, end, lap);
    case ENTRY_MOVE:
        return move(r, e, lap);
    default:
        return follow(r, e, lap);
    }
}

static bool run_range(struct table_run *r, uint32_t first, uint32_t count,
                      const struct table_lap *lap) {
    uint32_t end = first + count;
    if (r->depth == TABLE_MAX_DEPTH)
        return stop(r, "loops and pointers are nested too deeply");
    r->depth++;
    for (uint32_t at = first; at < end;) {
        const struct table_entry *e = &r->entries[at];
        if (++r->steps > TABLE_MAX_STEPS)
            return stop(r, "it does not end in time");
        if (!run_entry(r, at, end, lap))
            return false;
        at += e->kind == ENTRY_LOOP ? 1 + e->loop.entries : 1;
    }
    r->depth--;
    return true;
}

bool table_walk(struct table_run *r, uint32_t first, uint32_t count, int64_t number) {
    struct table_lap lap = {.number = number, .begin = r->position};
    return run_range(r, first, count, &lap);
}
